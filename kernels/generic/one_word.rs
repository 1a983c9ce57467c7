//! Slider attacks on one board in a `u64`, usable in constants: borrow for eastward rays,
//! Kogge-Stone for the others.

use super::bytes::east_attacks;
use crate::kernels::geometry::Direction;
use crate::kernels::geometry::direction::shift;

/// The occluded fill: the generators, and every square that they reach in steps that all land on
/// propagators.
#[inline(always)]
pub(crate) const fn occluded_fill(direction: Direction, generators: u64, propagators: u64) -> u64 {
    let k = direction.offset();
    let mut g = generators;
    let mut p = propagators & direction.wrap_mask();
    g |= p & shift(g, k);
    p &= shift(p, k);
    g |= p & shift(g, 2 * k);
    p &= shift(p, 2 * k);
    g | (p & shift(g, 4 * k))
}

/// The attacks in one direction. Sliders need not be in `occupied`, because each slider's own fill
/// covers the squares beyond it.
#[inline(always)]
pub(crate) const fn ray_attacks(direction: Direction, sliders: u64, occupied: u64) -> u64 {
    match direction {
        Direction::East => east_attacks(sliders, occupied),
        _ => direction.step(occluded_fill(direction, sliders, !occupied)),
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
