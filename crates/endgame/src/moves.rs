//! Moves men in whole sets of positions at once.
//!
//! A set has 64 [`Lanes`], one for each square of the moving piece. The other piece stays in place.
//! Each lane is for one square of the attacker's king, and each bit of a lane for one square of the
//! defender's king. A king in the way blocks only its own lane or bit, so every ray is an occluded
//! fill.

use crate::Piece;
use crate::geometry::{attacks, directions};
use crate::lanes::Lanes;

/// Compiles a function, and everything inlined into it, for the target's baseline, AVX2 and
/// AVX-512. The best version is chosen at run time.
macro_rules! wide {
    ($function:item) => {
        #[multiversion::multiversion(targets(
            "x86_64+avx512f+avx512vl+avx512bw+bmi1+bmi2+popcnt",
            "x86_64+avx2+bmi1+bmi2+popcnt"
        ))]
        $function
    };
}
pub(crate) use wide;

/// The lines of a sliding piece or the leaps of a knight.
pub(crate) enum Paths {
    /// Every line of the board from edge to edge, in each direction of the piece.
    Lines(Vec<Vec<u8>>),
    /// The squares one leap away, for each square.
    Leaps(Vec<Vec<u8>>),
}

impl Paths {
    pub(crate) fn new(piece: Piece) -> Self {
        if piece == Piece::Knight {
            let leaps = |square| {
                crate::bitmap::bits(attacks(piece, square, 0)).map(|to| to as u8).collect()
            };
            return Self::Leaps((0..64).map(leaps).collect());
        }
        let mut lines = Vec::new();
        for direction in directions(piece) {
            let first = |square: &u64| direction.opposite().step(*square) == 0;
            for start in (0..64).map(|square| 1 << square).filter(first) {
                let next = |&square: &u64| Some(direction.step(square)).filter(|&to| to != 0);
                let line: Vec<u8> = std::iter::successors(Some(start), next)
                    .map(|square| square.trailing_zeros() as u8)
                    .collect();
                if line.len() > 1 {
                    lines.push(line);
                }
            }
        }
        Self::Lines(lines)
    }
}

/// For each rank of the attacker's king and each square, the positions in which no king is on that
/// square.
pub(crate) struct Passable(Vec<[Lanes; 64]>);

impl Passable {
    pub(crate) fn new() -> Self {
        let rank = |rank: usize| {
            std::array::from_fn(|square| {
                let mut lanes = Lanes([!(1 << square); 8]);
                if square / 8 == rank {
                    lanes.0[square % 8] = 0;
                }
                lanes
            })
        };
        Self((0..8).map(rank).collect())
    }

    /// The passable positions for one rank of the attacker's king. `square` is the square of the
    /// other piece, if there is one: no ray passes through it.
    #[inline(always)]
    pub(crate) fn rank_without(&self, rank: usize, square: Option<usize>) -> [Lanes; 64] {
        let mut out = self.0[rank];
        if let Some(square) = square {
            out[square] = Lanes::ZERO;
        }
        out
    }
}

/// Adds to `to` the positions that are one move of the piece away from a position in `from`.
///
/// `from` may have positions with the moving piece on the square of the other piece. Rays start
/// there, although none passes through.
#[inline(always)]
pub(crate) fn piece_moves(
    paths: &Paths,
    passable: &[Lanes; 64],
    from: &[Lanes; 64],
    to: &mut [Lanes; 64],
) {
    match paths {
        Paths::Lines(lines) => {
            for line in lines {
                let mut flow = Lanes::ZERO;
                for &square in line {
                    let square = usize::from(square & 63);
                    flow = flow & passable[square];
                    to[square] |= flow;
                    flow |= from[square];
                }
            }
        }
        Paths::Leaps(leaps) => {
            for (square, leaps) in leaps.iter().enumerate() {
                for &leap in leaps {
                    let leap = usize::from(leap & 63);
                    to[leap] |= from[square & 63] & passable[leap];
                }
            }
        }
    }
}

/// The positions of a block that are one step of the attacker's king away from a position in
/// `from`. Other men do not block the steps.
#[inline(always)]
pub(crate) fn attacker_king_moves(from: &[Lanes; 8]) -> [Lanes; 8] {
    let mut to = [Lanes::ZERO; 8];
    for rank in 0..8 {
        let sides = from[rank].east() | from[rank].west();
        let row = sides | from[rank];
        to[rank] |= sides;
        if rank > 0 {
            to[rank - 1] |= row;
        }
        if rank < 7 {
            to[rank + 1] |= row;
        }
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;
    use setwise::board::king_attacks;

    const POSITIONS: usize = 10_000;

    #[test]
    fn pieces_move_as_in_chess() {
        let passable = Passable::new();
        let mut rng = fastrand::Rng::with_seed(4);
        for piece in Piece::ALL {
            let paths = Paths::new(piece);
            for _ in 0..POSITIONS {
                let squares: Vec<usize> = rng.choose_multiple(0..64, 4);
                let &[white, black, mover, other] = &squares[..] else { unreachable!() };
                let mut single = Lanes::ZERO;
                single.0[white % 8] = 1 << black;
                let mut from = [Lanes::ZERO; 64];
                from[mover] = single;
                let mut to = [Lanes::ZERO; 64];
                let passable = passable.rank_without(white / 8, Some(other));
                piece_moves(&paths, &passable, &from, &mut to);
                let occupied = squares.iter().fold(0, |set, square| set | 1 << square);
                let targets = attacks(piece, mover, occupied) & !occupied;
                for (square, lanes) in to.into_iter().enumerate() {
                    let expected = if targets >> square & 1 == 1 { single } else { Lanes::ZERO };
                    assert_eq!(lanes, expected, "{piece:?}, {squares:?}: {square}");
                }
            }
        }
    }

    #[test]
    fn kings_move_as_in_chess() {
        for white in 0..64 {
            let mut from = [Lanes::ZERO; 8];
            from[white / 8].0[white % 8] = 1;
            let block = attacker_king_moves(&from);
            let reached = (0..64).filter(|&king| block[king / 8].0[king % 8] != 0);
            let targets = reached.fold(0, |set, king| set | 1 << king);
            assert_eq!(targets, king_attacks(1 << white));
        }
    }
}
