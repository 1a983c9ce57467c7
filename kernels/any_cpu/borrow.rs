//! The east ray by subtraction, the others by Kogge-Stone, on one board.
//!
//! In `o - 2r` each slider r takes its own bit out of the occupancy and borrows from the next occupied square
//! above it; the bits that change are the squares between and that blocker: the ray east.
//!
//! # From the adder to the fill
//!
//! Subtraction finds a ray because a borrow travels as a slider does: over zeros (empty squares), up to and
//! with the first one (a blocker). Take the circuit apart and the slider's fill is what is left:
//!
//! 1. In `x - y` a place *generates* a borrow where 1 is taken from 0, `g = !x & y`, and *propagates*
//!    the one it gets where both bits are equal, `p = !(x ^ y)`. It hands on `c = g | (p & c from below)`.
//! 2. A chain of such places is slow in hardware: the last waits for the first. But two neighbours
//!    together are again a place: they generate if the upper does, or the lower does and the upper propagates; they
//!    propagate if both do. Doubling the reach, `g |= p & (g << 1)`, `p &= p << 1`, then by 2, then by 4, all
//!    borrows of a byte are there after three steps. This network is Kogge and Stone's.
//! 3. Now subtract the rooks from the other pieces, `x = o & !r`, `y = r`. A rook generates, as its
//!    place in x is empty: `g = r`. Where there is no rook, y is 0, and x and y are equal where the square
//!    is empty: `p = !o`. So the borrows of this subtraction are the *occluded fill* of the rooks through
//!    the empty squares, and the difference, xor with x and y, is each borrow moved into the next
//!    place: *one step beyond the fill*, the attacks.
//! 4. What arithmetic does not allow, the fill does: nothing in it needs places to be in order of
//!    significance. Shift by 8 or 9 or 7 instead of 1, or to the right, and the same three steps fill along
//!    files and diagonals, both ways: [`kogge_stone`]. Only a true subtraction is bound to run upward,
//!    towards the east, and for that it costs three operations instead of fourteen.
//!
//! # Forms
//!
//! [`east_attacks`] has one 64-bit subtraction and a barrier between the ranks, [`east_attacks_bytewise`] subtracts
//! byte by byte, [`east_attacks_by_prefix`] is step 3. The kernel uses the first: in a batch loop, where the compiler vectorises all three for SSE2, the others
//! took 1.25 and 2.25 times as long on a Zen 5 core (`cargo test --release --lib forms -- --ignored
//! --nocapture` measures it again).
//!
//! Source: Gerd Isenberg, Computer Chess Club, 22 May 2005; the barrier is that of the set-wise
//! form of Hyperbola Quintessence (Chess Programming Wiki).

use super::kogge_stone;
use crate::kernels::generic::bytes;
use crate::kernels::geometry::Direction;
use crate::kernels::shells::kernel;

pub(crate) use crate::kernels::generic::bytes::east_attacks;

kernel! {
    name: c"borrow",
    technique: "east by subtraction with a barrier, the other rays by Kogge-Stone, one board at a time",
    on: all(),
    features: [],
    driver: EachBoard<Borrow>,
}

/// Attacks eastward by `pandn`, `psubb`, `pxor` as a word's byte operations. The bit of a rook
/// changes unless another rook attacks it, so it is to be compared with the occupancy, rooks and all.
#[cfg_attr(
    not(test),
    allow(dead_code, reason = "all forms are kept; the kernel uses the fastest")
)]
#[inline(always)]
pub(crate) const fn east_attacks_bytewise(sliders: u64, occupied: u64) -> u64 {
    let others = occupied & !sliders;
    bytes::subtract(others, sliders) ^ (occupied | sliders)
}

/// Attacks eastward by the borrows alone: an occluded fill, and a step. This is Kogge-Stone.
#[cfg_attr(
    not(test),
    allow(dead_code, reason = "all forms are kept; the kernel uses the fastest")
)]
#[inline(always)]
pub(crate) const fn east_attacks_by_prefix(sliders: u64, occupied: u64) -> u64 {
    bytes::into_next(bytes::carries(sliders, !(occupied | sliders)))
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
