#![doc = include_str!("../../docs/techniques/dumb7fill.md")]

use crate::Direction;
use crate::kernels::generic::board_rays::{self, BoardRays};
use crate::kernels::generic::fills;
use crate::kernels::geometry::direction::{
    A_FILE, AVOID_WRAP, H_FILE, each_direction, rotate, shift,
};

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod vectors;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub use vectors::*;

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

/// The attacks: six cycles and a final step. This takes 19 operations, and two wrap masks unless
/// the direction is north or south. Six cycles suffice, because it does not matter whether the last
/// square of a ray is empty.
///
/// ```
/// use setwise::{Direction, techniques::dumb7fill};
/// assert_eq!(dumb7fill::attacks(Direction::North, 1 << 27, 1 << 51), 1 << 35 | 1 << 43 | 1 << 51);
/// ```
#[must_use]
#[inline(always)]
pub fn attacks(direction: Direction, sliders: u64, occupied: u64) -> u64 {
    each_direction!(direction, |ray| board_rays::Dumb7Fill::ray(ray, sliders, occupied))
}

/// The fill in one variable, which shifts all filled squares in each cycle. Each of a cycle's three
/// operations depends on the previous one. In general-purpose registers, each cycle also copies the
/// variable before the shift.
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

/// The fill of [`looping`], but each cycle also removes the filled squares from the flood, with one
/// more operation. The loop ends earlier if one slider's flood reaches another slider. This form is
/// not from the article "Dumb7Fill".
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

/// The propagators that a flood in this direction may enter. Excludes the squares on which a step
/// would land after wrapping around an edge of the board or of the `u64`.
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

/// The fill for a direction known only at run time, with the loop `do ... while (gen)` of the
/// article "Dumb7Fill". One *rotation* shifts in either direction, and one of eight masks clears
/// all wraps, including those around the `u64`. No branch depends on the direction.
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

/// The attacks for a direction known only at run time: six unrolled cycles of rotation and mask,
/// and a final step. This is the generalised attack getter of the article "Dumb7Fill".
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

/// The attacks in a direction and in the opposite direction, filled in one loop. The two floods
/// share the empty squares, and neither depends on the other, so the CPU computes them side by
/// side. It takes 39 operations, and four masks unless the direction is north or south.
///
/// ```
/// use setwise::{Direction, board, techniques::dumb7fill};
/// let (rook, occupied) = (0b0000_1000, 0b0100_1010);
/// let both = [Direction::East, Direction::West].map(|d| board::ray_attacks(d, rook, occupied));
/// assert_eq!(dumb7fill::both_ways(Direction::East, rook, occupied), both[0] | both[1]);
/// ```
#[must_use]
#[inline(always)]
pub const fn both_ways(direction: Direction, sliders: u64, occupied: u64) -> u64 {
    let (opposite, k) = (direction.opposite(), direction.offset());
    let empty = !occupied;
    let (p, q) = (empty & direction.wrap_mask(), empty & opposite.wrap_mask());
    let (mut forth, mut back) = (sliders, sliders);
    let (mut filled_forth, mut filled_back) = (sliders, sliders);
    let mut cycle = 0;
    while cycle < 6 {
        forth = shift(forth, k) & p;
        back = shift(back, -k) & q;
        filled_forth |= forth;
        filled_back |= back;
        cycle += 1;
    }
    direction.step(filled_forth) | opposite.step(filled_back)
}

/// The attacks in the three eastern directions, filled in one loop. All three floods may enter the
/// same squares: the empty ones, except on the a-file. So they share the propagators, and one mask
/// after the final steps. This takes 59 operations and two masks. Three separate rays take six
/// masks.
///
/// ```
/// use setwise::{Direction, board, techniques::dumb7fill};
/// let (d4, occupied) = (1 << 27, 1 << 45 | 1 << 29 | 1 << 13);
/// let east = [Direction::NorthEast, Direction::East, Direction::SouthEast];
/// let rays = east.map(|direction| board::ray_attacks(direction, d4, occupied));
/// assert_eq!(dumb7fill::all_east(d4, occupied), rays[0] | rays[1] | rays[2]);
/// ```
#[must_use]
#[inline(always)]
pub const fn all_east(sliders: u64, occupied: u64) -> u64 {
    three_ways(1, !A_FILE, sliders, occupied)
}

/// The attacks in the three western directions, like [`all_east`].
///
/// ```
/// use setwise::{Direction, board, techniques::dumb7fill};
/// let (d4, occupied) = (1 << 27, 1 << 41 | 1 << 25 | 1 << 9);
/// let west = [Direction::NorthWest, Direction::West, Direction::SouthWest];
/// let rays = west.map(|direction| board::ray_attacks(direction, d4, occupied));
/// assert_eq!(dumb7fill::all_west(d4, occupied), rays[0] | rays[1] | rays[2]);
/// ```
#[must_use]
#[inline(always)]
pub const fn all_west(sliders: u64, occupied: u64) -> u64 {
    three_ways(-1, !H_FILE, sliders, occupied)
}

/// The attacks in the three directions whose steps go one file east (`files` is 1) or one file west
/// (-1).
#[inline(always)]
const fn three_ways(files: i32, wrap_mask: u64, sliders: u64, occupied: u64) -> u64 {
    let propagators = !occupied & wrap_mask;
    let (mut up, mut along, mut down) = (sliders, sliders, sliders);
    let (mut filled_up, mut filled_along, mut filled_down) = (sliders, sliders, sliders);
    let mut cycle = 0;
    while cycle < 6 {
        up = shift(up, files + 8) & propagators;
        along = shift(along, files) & propagators;
        down = shift(down, files - 8) & propagators;
        filled_up |= up;
        filled_along |= along;
        filled_down |= down;
        cycle += 1;
    }
    let attacks =
        shift(filled_up, files + 8) | shift(filled_along, files) | shift(filled_down, files - 8);
    attacks & wrap_mask
}

/// The attacks of queens in all eight directions: north and south [in one loop](both_ways),
/// [`all_east`], and [`all_west`]. This takes 159 operations and four masks. Eight calls of
/// [`attacks`] take the same number of operations, but twelve masks.
///
/// ```
/// use setwise::{board, techniques::dumb7fill};
/// let (d4, occupied) = (1 << 27, 1 << 51 | 1 << 45 | 1 << 25);
/// assert_eq!(dumb7fill::queen_attacks(d4, occupied), board::queen_attacks(d4, occupied));
/// ```
#[must_use]
#[inline(always)]
pub const fn queen_attacks(queens: u64, occupied: u64) -> u64 {
    both_ways(Direction::North, queens, occupied)
        | all_east(queens, occupied)
        | all_west(queens, occupied)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::ray_attacks;

    /// Compares with [`ray_attacks`], on boards from empty to full.
    #[test]
    fn directions_filled_together_are_the_union_of_their_rays() {
        let mut random = fastrand::Rng::with_seed(7);
        for round in 0..4_000 {
            let sliders = random.u64(..) & random.u64(..);
            let occupied = [0, !0, random.u64(..), random.u64(..) & random.u64(..)][round % 4];
            let union = |directions: &[Direction]| {
                directions.iter().fold(0, |all, &d| all | ray_attacks(d, sliders, occupied))
            };
            let [_, ne, e, se, _, sw, w, nw] = Direction::ALL;
            assert_eq!(all_east(sliders, occupied), union(&[ne, e, se]));
            assert_eq!(all_west(sliders, occupied), union(&[nw, w, sw]));
        }
    }
}
