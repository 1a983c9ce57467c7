//! The east ray by subtraction, the others by Kogge-Stone, on one board.
//!
//! In `o - 2r` each slider r takes its own bit out of the occupancy and borrows from the next occupied square
//! above it; the bits that change are the squares between and that blocker: the ray east.
//! Source: Gerd Isenberg, Computer Chess Club, 22 May 2005; the barrier is that of the set-wise
//! form of Hyperbola Quintessence (Chess Programming Wiki).

use super::compass::{A_FILE, Direction};
use super::elementwise::{self, Technique};
use super::{Kernel, Table, kogge_stone};

pub(super) const KERNEL: Kernel = Kernel::new(
    c"borrow",
    "east by subtraction with a barrier, the other rays by Kogge-Stone, one board at a time",
    &[],
    Some(TABLE),
);

pub(super) const TABLE: Table = elementwise::table::<Borrow>(c"borrow");

struct Borrow;

impl Technique for Borrow {
    #[inline(always)]
    fn occluded_fill(direction: Direction, generators: u64, propagators: u64) -> u64 {
        kogge_stone::occluded_fill(direction, generators, propagators)
    }

    #[inline(always)]
    fn ray_attacks(direction: Direction, sliders: u64, occupied: u64) -> u64 {
        ray_attacks(direction, sliders, occupied)
    }
}

/// Attacks eastward. The a-file, which no eastward ray attacks, is the barrier: set in the minuend, it
/// ends the borrow of the rank below, and a slider on the h-file merely clears it.
#[inline(always)]
pub(crate) const fn east_attacks(sliders: u64, occupied: u64) -> u64 {
    let occupied = occupied | sliders;
    let difference = (occupied | A_FILE).wrapping_sub(sliders << 1);
    (occupied ^ difference) & !A_FILE
}

#[inline(always)]
pub(crate) const fn ray_attacks(direction: Direction, sliders: u64, occupied: u64) -> u64 {
    match direction {
        Direction::East => east_attacks(sliders, occupied),
        _ => kogge_stone::ray_attacks(direction, sliders, occupied),
    }
}

#[inline(always)]
pub(crate) const fn rook_attacks(rooks: u64, occupied: u64) -> u64 {
    ray_attacks(Direction::North, rooks, occupied)
        | ray_attacks(Direction::East, rooks, occupied)
        | ray_attacks(Direction::South, rooks, occupied)
        | ray_attacks(Direction::West, rooks, occupied)
}

#[inline(always)]
pub(crate) const fn bishop_attacks(bishops: u64, occupied: u64) -> u64 {
    ray_attacks(Direction::NorthEast, bishops, occupied)
        | ray_attacks(Direction::SouthEast, bishops, occupied)
        | ray_attacks(Direction::SouthWest, bishops, occupied)
        | ray_attacks(Direction::NorthWest, bishops, occupied)
}
