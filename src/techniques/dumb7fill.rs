//! Dumb7Fill: a fill by one square per cycle, in seven cycles.
//!
//! All functions fill one board in one direction. The functions of `generators` and `propagators`
//! return the occluded fill. The functions of `sliders` and `occupied` return the attacks. The
//! kernel `dumb7fill` uses [`occluded_fill`] and [`attacks`].
//!
//! Source: "Dumb7Fill", Chess Programming Wiki.

use super::each_direction;
use crate::Direction;
use crate::kernels::generic::fills;
use crate::kernels::generic::technique::{self, Technique};
use crate::kernels::geometry::direction::{AVOID_WRAP, rotate, shift};

/// The unrolled fill, with the flood and the filled squares in separate variables. It takes three
/// operations per cycle, with constant propagators and no branch.
///
/// ```
/// use setwise::{Direction, board, techniques::dumb7fill};
/// let d4 = 1 << 27;
/// let fill = dumb7fill::occluded_fill(Direction::North, d4, !(1 << 51)); // d7 is occupied
/// assert_eq!(fill, 1 << 27 | 1 << 35 | 1 << 43);
/// assert_eq!(fill, board::occluded_fill(Direction::North, d4, !(1 << 51)));
/// ```
#[must_use]
#[inline(always)]
pub fn occluded_fill(direction: Direction, generators: u64, propagators: u64) -> u64 {
    each_direction!(direction, |ray| fills::dumb7(ray, generators, propagators, 7))
}

/// The attacks: six cycles and a final step, with 19 operations and a wrap mask. Six cycles
/// suffice, because it does not matter whether the last square of a ray is empty.
///
/// ```
/// use setwise::{Direction, techniques::dumb7fill};
/// assert_eq!(dumb7fill::attacks(Direction::North, 1 << 27, 1 << 51), 1 << 35 | 1 << 43 | 1 << 51);
/// ```
#[must_use]
#[inline(always)]
pub fn attacks(direction: Direction, sliders: u64, occupied: u64) -> u64 {
    each_direction!(direction, |ray| technique::Dumb7Fill::ray(ray, sliders, occupied))
}

/// The fill in one variable, which shifts all filled squares in each cycle. The three operations of
/// a cycle depend on each other, and general-purpose registers need a copy per cycle.
///
/// ```
/// use setwise::{Direction, techniques::dumb7fill};
/// assert_eq!(dumb7fill::in_one_variable(Direction::East, 1, !(1 << 3)), 0b0111);
/// ```
#[must_use]
#[inline(always)]
pub const fn in_one_variable(direction: Direction, generators: u64, propagators: u64) -> u64 {
    let k = direction.offset();
    let propagators = propagators & direction.wrap_mask();
    let mut filled = generators;
    let mut cycle = 0;
    while cycle < 7 {
        filled |= propagators & shift(filled, k);
        cycle += 1;
    }
    filled
}

/// The fill in a loop that ends when the flood is empty. Short rays take few cycles, but the branch
/// is hard to predict, and compilers cannot vectorise the loop.
///
/// ```
/// use setwise::{Direction, techniques::dumb7fill};
/// assert_eq!(dumb7fill::looping(Direction::East, 1, !(1 << 3)), 0b0111);
/// ```
#[must_use]
#[inline(always)]
pub const fn looping(direction: Direction, generators: u64, propagators: u64) -> u64 {
    let k = direction.offset();
    let propagators = propagators & direction.wrap_mask();
    let mut flood = generators;
    let mut filled = 0;
    while flood != 0 {
        filled |= flood;
        flood = shift(flood, k) & propagators;
    }
    filled
}

/// The fill of [`looping`], with one more operation per cycle, which removes squares that are
/// already filled from the flood. The loop ends earlier if one slider's flood reaches another
/// slider. This form is this crate's own.
///
/// ```
/// use setwise::{Direction, techniques::dumb7fill};
/// assert_eq!(dumb7fill::looping_without_repeats(Direction::East, 0b0011, !0), 0b1111_1111);
/// ```
#[must_use]
#[inline(always)]
pub const fn looping_without_repeats(
    direction: Direction,
    generators: u64,
    propagators: u64,
) -> u64 {
    let k = direction.offset();
    let propagators = propagators & direction.wrap_mask();
    let mut flood = generators;
    let mut filled = 0;
    while flood != 0 {
        flood &= !filled;
        filled |= flood;
        flood = shift(flood, k) & propagators;
    }
    filled
}

/// The propagators that a flood in this direction may enter: all except those on which a step would
/// wrap around an edge of the board or of the `u64`.
///
/// ```
/// use setwise::{Direction, techniques::dumb7fill};
/// assert_eq!(dumb7fill::wrap_mask(Direction::East, !0), 0xfefe_fefe_fefe_fefe); // not the a-file
/// ```
#[must_use]
#[inline(always)]
pub const fn wrap_mask(direction: Direction, propagators: u64) -> u64 {
    propagators & AVOID_WRAP[direction as usize]
}

/// One cycle of the generalised forms: moves the flood by one square, onto propagators [masked
/// against wraps](wrap_mask).
///
/// ```
/// use setwise::{Direction, techniques::dumb7fill};
/// let propagators = dumb7fill::wrap_mask(Direction::North, !(1 << 51)); // d7 is occupied
/// let d6 = dumb7fill::cycle(Direction::North, 1 << 35, propagators); // from d5
/// assert_eq!(d6, 1 << 43);
/// assert_eq!(dumb7fill::cycle(Direction::North, d6, propagators), 0);
/// ```
#[must_use]
#[inline(always)]
pub const fn cycle(direction: Direction, flood: u64, propagators: u64) -> u64 {
    rotate(flood, direction) & propagators
}

/// The loop `do ... while (gen)` from the source, for a direction known only at run time. One
/// *rotation* shifts in either direction, and one of eight masks clears all wraps, including those
/// around the `u64`. No branch depends on the direction.
///
/// ```
/// use setwise::{Direction, techniques::dumb7fill};
/// for direction in Direction::ALL {
///     let fill = dumb7fill::generalised(direction, 1 << 27, !(1 << 51));
///     assert_eq!(fill, dumb7fill::occluded_fill(direction, 1 << 27, !(1 << 51)));
/// }
/// ```
#[must_use]
#[inline(always)]
pub const fn generalised(direction: Direction, generators: u64, propagators: u64) -> u64 {
    let mut flood = 0;
    let mut generators = generators;
    if generators != 0 {
        let propagators = wrap_mask(direction, propagators);
        loop {
            flood |= generators;
            generators = cycle(direction, generators, propagators);
            if generators == 0 {
                break;
            }
        }
    }
    flood
}

/// The generalised attack getter from the source, unrolled: six cycles of rotation and mask, and a
/// final step.
///
/// ```
/// use setwise::{Direction, board, techniques::dumb7fill};
/// for direction in Direction::ALL {
///     let attacks = dumb7fill::generalised_attacks(direction, 1 << 27, 1 << 51);
///     assert_eq!(attacks, board::ray_attacks(direction, 1 << 27, 1 << 51));
/// }
/// ```
#[must_use]
#[inline(always)]
pub const fn generalised_attacks(direction: Direction, sliders: u64, occupied: u64) -> u64 {
    let empty = wrap_mask(direction, !occupied);
    let mut flood = sliders;
    let mut filled = sliders;
    let mut cycles = 0;
    while cycles < 6 {
        flood = cycle(direction, flood, empty);
        filled |= flood;
        cycles += 1;
    }
    cycle(direction, filled, wrap_mask(direction, !0))
}
