//! Dumb7Fill in x86-64 vector registers.

use crate::Direction;
use crate::kernels::geometry::direction::each_direction;
use crate::kernels::x86_64::whole_boards as vectors;

/// Two rays of one board in one SSE2 register: the ray in a direction, and the ray in the mirrored
/// direction. North mirrors south, north-east mirrors south-east, and north-west mirrors
/// south-west.
///
/// The upper half of the register holds the board with its bytes swapped, that is, its ranks in
/// reverse order. There the mirrored ray runs in the same direction, so one fill with 19 operations
/// and two wrap masks computes both. Two byte swaps prepare the registers, and a third restores the
/// result. East and west are their own mirror images.
///
/// ```
/// use setwise::{Direction, board, techniques::dumb7fill};
/// let (d4, occupied) = (1 << 27, 1 << 51 | 1 << 13);
/// let both = [Direction::NorthEast, Direction::SouthEast].map(|d| board::ray_attacks(d, d4, occupied));
/// let attacks = dumb7fill::with_mirror_image(Direction::NorthEast, d4, occupied);
/// assert_eq!(attacks, both[0] | both[1]);
/// ```
#[must_use]
#[inline(always)]
pub fn with_mirror_image(direction: Direction, sliders: u64, occupied: u64) -> u64 {
    let both = |board: u64| [board, board.swap_bytes()];
    let (sliders, occupied) = (both(sliders), both(occupied));
    let [attacks, mirrored] =
        each_direction!(direction, |ray| vectors::dumb7_in_xmm(ray, sliders, occupied));
    attacks | mirrored.swap_bytes()
}
