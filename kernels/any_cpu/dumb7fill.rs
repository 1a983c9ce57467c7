//! Dumb7Fill: seven one-step fill cycles, one board at a time.
//!
//! The obvious flood: shift the flood one square, keep what lands on an empty square, add it,
//! seven times. Unrolled, it has no branches and a constant propagator, so several
//! directions schedule well side by side; for attacks, six cycles are enough, because whether the
//! outermost square is empty no longer matters.
//!
//! # Forms
//!
//! [`cycles`] is the unrolled one, for a direction known at compile time. [`looping`] ends when the flood
//! does. [`generalised`] takes any direction at run time: a rotation serves for shifts both ways, and one mask a
//! direction ([`AVOID_WRAP`]) clears what wraps round an edge of the board or of the word. The kernel uses the
//! first (for a batch along a single ray, with the shift's number in a register): the others took 2.0 and 3.1 times as long (a ray of a batch of random boards on a Zen 5
//! core, unrolled and vectorised for SSE2; `cargo test --release --lib forms -- --ignored --nocapture --test-threads=1`). For
//! one direction known at run time only, the generalised one takes 0.72 of the unrolled one, which branches.
//!
//! Source: "Dumb7Fill", Chess Programming Wiki.

use crate::kernels::geometry::Direction;
use crate::kernels::geometry::direction::{AVOID_WRAP, rotate, shift};
use crate::kernels::shells::kernel;

kernel! {
    name: c"dumb7fill",
    technique: "seven one-step fills per direction, one board at a time",
    on: all(),
    features: [],
    driver: EachBoard<Dumb7Fill>,
}

/// A fixed number of fill cycles; the count is a literal at every call, so the loop unrolls.
#[cfg_attr(
    not(test),
    allow(dead_code, reason = "a form of the literature; the kernel has its own")
)]
#[inline(always)]
pub(crate) fn cycles(direction: Direction, generators: u64, propagators: u64, count: u32) -> u64 {
    let k = direction.offset();
    let propagators = propagators & direction.may_enter();
    let mut flood = generators;
    let mut filled = generators;
    for _ in 0..count {
        flood = shift(flood, k) & propagators;
        filled |= flood;
    }
    filled
}

/// The fill in a loop that ends with the flood: few cycles where rays are short, but a branch that
/// is hard to foresee, and nothing for a compiler to vectorise.
#[cfg_attr(
    not(test),
    allow(dead_code, reason = "all forms are kept; the kernel uses the fastest")
)]
#[inline(always)]
pub(crate) fn looping(direction: Direction, generators: u64, propagators: u64) -> u64 {
    let k = direction.offset();
    let propagators = propagators & direction.may_enter();
    let mut flood = generators;
    let mut filled = 0;
    while flood != 0 {
        // A flood that meets squares already filled has nothing to add.
        flood &= !filled;
        filled |= flood;
        flood = shift(flood, k) & propagators;
    }
    filled
}

/// The looping fill for a direction known at run time only: rotation and mask by look-up, no branch on it.
#[cfg_attr(
    not(test),
    allow(dead_code, reason = "all forms are kept; the kernel uses the fastest")
)]
#[inline(always)]
pub(crate) fn generalised(direction: Direction, generators: u64, propagators: u64) -> u64 {
    let propagators = propagators & AVOID_WRAP[direction as usize];
    let mut flood = generators;
    let mut filled = 0;
    while flood != 0 {
        flood &= !filled;
        filled |= flood;
        flood = rotate(flood, direction) & propagators;
    }
    filled
}
