#![doc = include_str!("../../docs/techniques/kogge_stone.md")]

use super::dumb7fill::wrap_mask;
use crate::Direction;
use crate::kernels::generic::board_rays::{self, BoardRays};
use crate::kernels::generic::fills;
use crate::kernels::geometry::direction::{each_direction, rotate};

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod vectors;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub use vectors::*;

/// The fill for a direction known at compile time, with constant shifts: 13 operations and a mask.
///
/// ```
/// use setwise::{Direction, board, techniques::kogge_stone};
/// let (d4, empty) = (1 << 27, !(1 << 51));
/// let fill = kogge_stone::occluded_fill(Direction::North, d4, empty);
/// assert_eq!(fill, board::occluded_fill(Direction::North, d4, empty));
/// ```
#[must_use]
#[inline(always)]
pub fn occluded_fill(direction: Direction, generators: u64, propagators: u64) -> u64 {
    each_direction!(direction, |ray| fills::kogge_stone(ray, generators, propagators))
}

/// The attacks: the fill and a final step. This takes 14 operations, and two wrap masks unless the
/// direction is north or south. Sliders need not be in `occupied`, because each slider's own fill
/// covers the squares beyond it.
///
/// ```
/// use setwise::{Direction, techniques::kogge_stone};
/// assert_eq!(kogge_stone::attacks(Direction::North, 1 << 27, 1 << 51), 1 << 35 | 1 << 43 | 1 << 51);
/// ```
#[must_use]
#[inline(always)]
pub fn attacks(direction: Direction, sliders: u64, occupied: u64) -> u64 {
    each_direction!(direction, |ray| board_rays::KoggeStone::ray(ray, sliders, occupied))
}

/// One doubling step. Returns the generators extended by `squares`, and the propagators for the
/// next step.
///
/// A fill consists of steps by 1, 2 and 4 squares. The first step needs propagators [masked against
/// wraps](super::dumb7fill::wrap_mask). The propagators that the last step returns are not needed.
///
/// ```
/// use setwise::{Direction, board, techniques::{dumb7fill, kogge_stone}};
/// let north = Direction::North;
/// let (mut g, mut p) = (1 << 27, dumb7fill::wrap_mask(north, !(1 << 59))); // d4; d8 is occupied
/// (g, p) = kogge_stone::doubling(north, 1, g, p);
/// assert_eq!(g, 1 << 27 | 1 << 35); // d5
/// (g, p) = kogge_stone::doubling(north, 2, g, p);
/// assert_eq!(g, 1 << 27 | 1 << 35 | 1 << 43 | 1 << 51); // d6 and d7
/// (g, _) = kogge_stone::doubling(north, 4, g, p);
/// assert_eq!(g, board::occluded_fill(north, 1 << 27, !(1 << 59)));
/// ```
#[must_use]
#[inline(always)]
pub const fn doubling(
    direction: Direction,
    squares: i32,
    generators: u64,
    propagators: u64,
) -> (u64, u64) {
    let k = (squares * direction.offset()).rem_euclid(64).cast_unsigned();
    (
        generators | (propagators & generators.rotate_left(k)),
        propagators & propagators.rotate_left(k),
    )
}

/// The fill for a direction known only at run time, with rotations instead of shifts and without a
/// branch. The propagators exclude the squares on which one step would wrap. So the doubled
/// propagators exclude the squares on which two or four steps would wrap.
///
/// ```
/// use setwise::{Direction, board, techniques::kogge_stone};
/// for direction in Direction::ALL {
///     let fill = kogge_stone::generalised(direction, 1 << 27, !(1 << 51));
///     assert_eq!(fill, board::occluded_fill(direction, 1 << 27, !(1 << 51)));
/// }
/// ```
#[must_use]
#[inline(always)]
pub const fn generalised(direction: Direction, generators: u64, propagators: u64) -> u64 {
    let (g, p) = (generators, wrap_mask(direction, propagators));
    let (g, p) = doubling(direction, 1, g, p);
    let (g, p) = doubling(direction, 2, g, p);
    doubling(direction, 4, g, p).0
}

/// Computes attacks: the fill of [`generalised`], then one more step.
///
/// ```
/// use setwise::{Direction, board, techniques::kogge_stone};
/// for direction in Direction::ALL {
///     let attacks = kogge_stone::generalised_attacks(direction, 1 << 27, 1 << 51);
///     assert_eq!(attacks, board::ray_attacks(direction, 1 << 27, 1 << 51));
/// }
/// ```
#[must_use]
#[inline(always)]
pub const fn generalised_attacks(direction: Direction, sliders: u64, occupied: u64) -> u64 {
    let fill = generalised(direction, sliders, !occupied);
    wrap_mask(direction, rotate(fill, direction))
}
