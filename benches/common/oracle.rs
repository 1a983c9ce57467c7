//! The answers, by the tests' oracle, which walks from square to square: slow, and unlike every contender.
//! Each function is named like its operation and takes what that takes.

use setwise::{Direction, Line, Square};

#[path = "../../tests/oracle/mod.rs"]
mod walk;

use walk::{BISHOP, QUEEN, ROOK, Step};
pub(crate) use walk::{bishop_attacks, pins, queen_attacks, rook_attacks, slider_attacks};
pub(crate) use walk::{
    bishop_attacks as bishop_attacks_one, queen_attacks as queen_attacks_one,
    rook_attacks as rook_attacks_one, slider_attacks as slider_attacks_one,
};

fn step(direction: Direction) -> Step {
    match direction {
        Direction::North => walk::step(0, 1),
        Direction::NorthEast => walk::step(1, 1),
        Direction::East => walk::step(1, 0),
        Direction::SouthEast => walk::step(1, -1),
        Direction::South => walk::step(0, -1),
        Direction::SouthWest => walk::step(-1, -1),
        Direction::West => walk::step(-1, 0),
        Direction::NorthWest => walk::step(-1, 1),
    }
}

pub(crate) fn ray_attacks(direction: Direction, sliders: u64, occupied: u64) -> u64 {
    walk::ray_attacks(&[step(direction)], sliders, occupied)
}

pub(crate) fn occluded_fill(direction: Direction, generators: u64, propagators: u64) -> u64 {
    walk::occluded_fill(&[step(direction)], generators, propagators)
}

pub(crate) fn slider_attacks_split(orthogonal: u64, diagonal: u64, occupied: u64) -> (u64, u64) {
    let occupied = occupied | orthogonal | diagonal;
    (
        rook_attacks(orthogonal, occupied),
        bishop_attacks(diagonal, occupied),
    )
}

/// For pieces that move along `$steps`, as an expression of the sliders.
macro_rules! by_piece {
    ($($steps:ident: $attacks:ident $xray:ident $mobility:ident $from:ident;)*) => { $(
        pub(crate) fn $xray(sliders: u64, blockers: u64, occupied: u64) -> u64 {
            walk::xray_attacks(&$steps, sliders, blockers, occupied)
        }

        pub(crate) fn $mobility(sliders: u64, occupied: u64, targets: u64) -> u32 {
            (walk::attacks(&$steps, sliders, occupied) & targets).count_ones()
        }

        pub(crate) fn $from(square: Square, occupied: u64) -> u64 {
            walk::attacks(&$steps, square.bitboard(), occupied)
        }
    )* };
}

by_piece! {
    ROOK: rook_attacks xray_rook_attacks rook_mobility rook_attacks_from;
    BISHOP: bishop_attacks xray_bishop_attacks bishop_mobility bishop_attacks_from;
    QUEEN: queen_attacks xray_queen_attacks queen_mobility queen_attacks_from;
}

pub(crate) fn slider_mobility(orthogonal: u64, diagonal: u64, occupied: u64, targets: u64) -> u32 {
    (slider_attacks(orthogonal, diagonal, occupied) & targets).count_ones()
}

pub(crate) fn line_attacks_from(line: Line, square: Square, occupied: u64) -> u64 {
    let steps = line.directions().map(step);
    walk::attacks(&steps, square.bitboard(), occupied)
}

pub(crate) fn between(a: Square, b: Square) -> u64 {
    walk::between(a.bitboard(), b.bitboard())
}

pub(crate) fn line_through(a: Square, b: Square) -> u64 {
    walk::line_through(a.bitboard(), b.bitboard())
}
