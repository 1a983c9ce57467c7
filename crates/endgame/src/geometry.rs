//! Movement of the men. Squares are numbered a1 = 0, h1 = 7, h8 = 63.

use crate::Piece;

const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;

const ORTHOGONAL: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
const KNIGHT: [(i8, i8); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The squares that are one king step away from a square in the set.
#[inline(always)]
pub(crate) const fn king_steps(set: u64) -> u64 {
    let sides = ((set & NOT_H) << 1) | ((set & NOT_A) >> 1);
    let row = sides | set;
    sides | (row << 8) | (row >> 8)
}

/// The square one step away in a direction, if it is on the board.
pub(crate) fn step(square: usize, (file, rank): (i8, i8)) -> Option<usize> {
    let to = |at: usize, by: i8| at.checked_add_signed(by.into()).filter(|&at| at < 8);
    Some(to(square / 8, rank)? * 8 + to(square % 8, file)?)
}

/// The directions in which a sliding piece moves. A knight has none.
pub(crate) fn directions(piece: Piece) -> impl Iterator<Item = (i8, i8)> {
    let orthogonal = ORTHOGONAL.into_iter().filter(move |_| piece.is_orthogonal());
    orthogonal.chain(DIAGONAL.into_iter().filter(move |_| piece.is_diagonal()))
}

/// The squares after `square` in a direction, up to the edge, nearest first.
pub(crate) fn ray(square: usize, direction: (i8, i8)) -> impl Iterator<Item = usize> {
    std::iter::successors(step(square, direction), move |&at| step(at, direction))
}

/// The squares a piece attacks, up to and including the first occupied square on each ray.
pub(crate) fn attacks(piece: Piece, square: usize, occupied: u64) -> u64 {
    if piece == Piece::Knight {
        return KNIGHT
            .into_iter()
            .filter_map(|leap| step(square, leap))
            .fold(0, |set, to| set | 1 << to);
    }
    let mut set = 0;
    for direction in directions(piece) {
        for to in ray(square, direction) {
            set |= 1 << to;
            if occupied >> to & 1 != 0 {
                break;
            }
        }
    }
    set
}

/// The squares between two squares on a common line. Empty if they share no line.
pub(crate) fn between(from: usize, to: usize) -> u64 {
    for direction in directions(Piece::Queen) {
        let mut set = 0;
        for at in ray(from, direction) {
            if at == to {
                return set;
            }
            set |= 1 << at;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_the_known_sizes() {
        let total =
            |piece| (0..64).map(|square| attacks(piece, square, 0).count_ones()).sum::<u32>();
        assert_eq!(Piece::ALL.map(total), [1456, 896, 560, 336]);
        assert_eq!((0..64).map(|square| king_steps(1 << square).count_ones()).sum::<u32>(), 420);
    }

    #[test]
    fn a_blocker_ends_a_ray_and_is_attacked() {
        assert_eq!(attacks(Piece::Rook, 0, 1 << 2 | 1 << 16), 1 << 1 | 1 << 2 | 1 << 8 | 1 << 16);
        assert_eq!(between(0, 3), 0b110);
        assert_eq!(between(0, 18), 1 << 9);
        assert_eq!(between(0, 17), 0);
    }
}
