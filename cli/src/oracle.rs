//! What is right: an oracle that walks every slider square by square, by file and rank.
//!
//! Every operation of the library's list has a function of its name here.
//! Slow, and written unlike any kernel: no shifts of whole boards, no masks.

use setwise::{Direction, Line, Square};

/// File and rank steps of the directions, clockwise from north.
fn step(direction: Direction) -> (i8, i8) {
    match direction {
        Direction::North => (0, 1),
        Direction::NorthEast => (1, 1),
        Direction::East => (1, 0),
        Direction::SouthEast => (1, -1),
        Direction::South => (0, -1),
        Direction::SouthWest => (-1, -1),
        Direction::West => (-1, 0),
        Direction::NorthWest => (-1, 1),
    }
}

/// The squares beyond a square in a direction, in order, up to the board's edge.
fn walk(square: i8, direction: Direction) -> impl Iterator<Item = u64> {
    let (right, up) = step(direction);
    let (file, rank) = (square % 8, square / 8);
    (1..8)
        .map(move |distance| (file + distance * right, rank + distance * up))
        .take_while(|(file, rank)| (0..8).contains(file) && (0..8).contains(rank))
        .map(|(file, rank)| 1 << (8 * rank + file))
}

fn squares(set: u64) -> impl Iterator<Item = i8> {
    (0..64).filter(move |square| set >> square & 1 == 1)
}

/// Every slider blocks.
fn attacks(directions: &[Direction], sliders: u64, occupied: u64) -> u64 {
    let mut attacks = 0;
    for square in squares(sliders) {
        for &direction in directions {
            for target in walk(square, direction) {
                attacks |= target;
                if (occupied | sliders) & target != 0 {
                    break;
                }
            }
        }
    }
    attacks
}

/// The part of each ray behind its first occupied square, if that is a blocker, up to and with the next.
fn xray_attacks(directions: &[Direction], sliders: u64, blockers: u64, occupied: u64) -> u64 {
    let occupied = occupied | sliders;
    let mut attacks = 0;
    for square in squares(sliders) {
        for &direction in directions {
            let mut ray = walk(square, direction).skip_while(|target| occupied & target == 0);
            if ray.next().is_none_or(|first| blockers & first == 0) {
                continue;
            }
            for target in ray {
                attacks |= target;
                if occupied & target != 0 {
                    break;
                }
            }
        }
    }
    attacks
}

/// The operations of sliders that move along `$directions`.
macro_rules! by_piece {
    ($($directions:ident: $attacks:ident $one:ident $from:ident $mobility:ident $xray:ident;)*) => { $(
        pub(crate) fn $attacks(sliders: u64, occupied: u64) -> u64 {
            attacks(&Direction::$directions, sliders, occupied)
        }

        pub(crate) use $attacks as $one;

        pub(crate) fn $from(square: Square, occupied: u64) -> u64 {
            $attacks(square.bitboard(), occupied)
        }

        pub(crate) fn $mobility(sliders: u64, occupied: u64, targets: u64) -> u32 {
            ($attacks(sliders, occupied) & targets).count_ones()
        }

        pub(crate) fn $xray(sliders: u64, blockers: u64, occupied: u64) -> u64 {
            xray_attacks(&Direction::$directions, sliders, blockers, occupied)
        }
    )* };
}

by_piece! {
    ORTHOGONAL: rook_attacks rook_attacks_one rook_attacks_from rook_mobility xray_rook_attacks;
    DIAGONAL: bishop_attacks bishop_attacks_one bishop_attacks_from bishop_mobility xray_bishop_attacks;
    ALL: queen_attacks queen_attacks_one queen_attacks_from queen_mobility xray_queen_attacks;
}

pub(crate) fn slider_attacks_split(orthogonal: u64, diagonal: u64, occupied: u64) -> (u64, u64) {
    let occupied = occupied | orthogonal | diagonal;
    (
        rook_attacks(orthogonal, occupied),
        bishop_attacks(diagonal, occupied),
    )
}

pub(crate) fn slider_attacks(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
    let (orthogonal, diagonal) = slider_attacks_split(orthogonal, diagonal, occupied);
    orthogonal | diagonal
}

pub(crate) use slider_attacks as slider_attacks_one;

pub(crate) fn slider_mobility(orthogonal: u64, diagonal: u64, occupied: u64, targets: u64) -> u32 {
    (slider_attacks(orthogonal, diagonal, occupied) & targets).count_ones()
}

pub(crate) fn ray_attacks(direction: Direction, sliders: u64, occupied: u64) -> u64 {
    attacks(&[direction], sliders, occupied)
}

pub(crate) fn line_attacks_from(line: Line, square: Square, occupied: u64) -> u64 {
    attacks(&line.directions(), square.bitboard(), occupied)
}

pub(crate) fn occluded_fill(direction: Direction, generators: u64, propagators: u64) -> u64 {
    let mut filled = generators;
    for square in squares(generators) {
        filled |= walk(square, direction)
            .take_while(|target| propagators & target != 0)
            .fold(0, |path, target| path | target);
    }
    filled
}

pub(crate) fn pins(
    kings: u64,
    own: u64,
    orthogonal: u64,
    diagonal: u64,
    occupied: u64,
) -> (u64, u64) {
    let occupied = occupied | kings | own | orthogonal | diagonal;
    let (mut pinned, mut pinners) = (0, 0);
    for king in squares(kings) {
        for direction in Direction::ALL {
            let is_orthogonal = Direction::ORTHOGONAL.contains(&direction);
            let sliders = if is_orthogonal { orthogonal } else { diagonal };
            let mut met = walk(king, direction).filter(|target| occupied & target != 0);
            if let (Some(first), Some(second)) = (met.next(), met.next())
                && own & first != 0
                && sliders & second != 0
            {
                pinned |= first;
                pinners |= second;
            }
        }
    }
    (pinned, pinners)
}

/// The direction from one square to another, and the squares met on the way.
fn way(a: Square, b: Square) -> Option<(Direction, u64)> {
    Direction::ALL.into_iter().find_map(|direction| {
        let mut met = 0;
        for target in walk(a.index() as i8, direction) {
            if target == b.bitboard() {
                return Some((direction, met));
            }
            met |= target;
        }
        None
    })
}

pub(crate) fn between(a: Square, b: Square) -> u64 {
    way(a, b).map_or(0, |(_, met)| met)
}

pub(crate) fn line_through(a: Square, b: Square) -> u64 {
    way(a, b).map_or(0, |(there, _)| {
        a.bitboard() | attacks(&[there, there.opposite()], a.bitboard(), 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::Boards;
    use crate::check::Case;
    use crate::games;
    use crate::lookup;
    use crate::operation::Operation;

    #[test]
    fn boards_worked_by_hand() {
        let square = |n| Square::new(n).unwrap();
        assert_eq!(ray_attacks(Direction::North, 1, 1 << 24), 0x0101_0100);
        assert_eq!(occluded_fill(Direction::East, 1, 0b0000_0110), 0b0000_0111);
        // Two rooks on a1 and c1 see each other, although nobody put them into the occupancy.
        assert_eq!(rook_attacks(0b101, 0) & 0xff, 0b1111_1111);
        assert_eq!(rook_attacks(1, 0), 0x0101_0101_0101_01fe);
        assert_eq!(bishop_attacks(1 << 63, 1 << 54), 1 << 54);
        // Through c1 as far as f1, but not through a3.
        assert_eq!(
            xray_rook_attacks(1, 1 << 2, 1 << 16 | 1 << 2 | 1 << 5),
            0b11_1000
        );
        // King e1, own pawn e3, foreign rook e8; a rook h1 gives check.
        let rooks = 1 << 60 | 1 << 7;
        assert_eq!(pins(1 << 4, 1 << 20, rooks, 0, 0), (1 << 20, 1 << 60));
        assert_eq!(between(square(0), square(27)), 1 << 9 | 1 << 18);
        assert_eq!(line_through(square(9), square(27)), 0x8040_2010_0804_0201);
        assert_eq!(line_through(square(9), square(28)), 0);
    }

    /// Two references that know nothing of each other agree on the real positions.
    #[test]
    fn agrees_with_the_look_up_on_real_positions() {
        let placements = games::positions().unwrap();
        let boards: Boards = placements.iter().collect();
        for name in lookup::OPERATIONS {
            let operation = Operation::named(name);
            let inputs = operation
                .inputs
                .iter()
                .map(|name| boards.column(name).into())
                .collect();
            let case = Case::new(operation, inputs, Operation::oracle);
            for i in 0..boards.len() {
                let inputs: Vec<u64> = case.inputs.iter().map(|words| words[i]).collect();
                assert_eq!(case.expected[i], [lookup::attacks(name, &inputs)], "{name}");
            }
        }
    }
}
