//! East rays with a subtraction, the others with Kogge-Stone, one board at a time.
//!
//! In `o - 2r`, each slider `r` removes its own bit from the occupancy `o` and borrows from the
//! next occupied square above. The borrow changes the bits of that blocker and of all squares
//! between the two. These squares are the east ray.
//!
//! `setwise::techniques::adder` derives this fill from a binary adder.
//! `setwise::techniques::borrow` has its other forms: westward, and along whole ranks.
//!
//! Sources: Gerd Isenberg, Computer Chess Club, 22 May 2005. The barrier that keeps borrows within
//! a rank comes from the set-wise form of "Hyperbola Quintessence" (Chess Programming Wiki).

use super::kogge_stone;
use crate::kernels::entry_points::kernel;
use crate::kernels::geometry::Direction;

pub(crate) use crate::kernels::generic::bytes::east_attacks;

kernel! {
    name: "borrow",
    technique: "east by subtraction with a barrier, the other rays by Kogge-Stone, in loops over boards that the compiler vectorises",
    on: all(),
    features: [],
    imports: { generic::{each_board::EachBoard, technique::Borrow} },
    driver: EachBoard<Borrow>,
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
