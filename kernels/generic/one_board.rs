//! Operations on one board, by value. They use instruction-set-specific code if it is faster, else
//! general registers.
//!
//! Each choice weighs throughput against latency, because a search needs both.
//! `docs/performance.md` has the figures.

use super::one_square::{self, SliderLines};
use super::technique::{Borrow, Technique};

/// The code for one board. The caller ensures that the CPU has the features that the code needs.
pub(crate) trait OneBoard {
    /// # Safety
    /// See [`OneBoard`].
    #[inline(always)]
    unsafe fn rook(rooks: u64, occupied: u64) -> u64 {
        Borrow::rook(rooks, occupied)
    }

    /// # Safety
    /// See [`OneBoard`].
    #[inline(always)]
    unsafe fn bishop(bishops: u64, occupied: u64) -> u64 {
        Borrow::bishop(bishops, occupied)
    }

    /// # Safety
    /// See [`OneBoard`].
    #[inline(always)]
    unsafe fn queen(queens: u64, occupied: u64) -> u64 {
        // SAFETY: the caller's contract.
        unsafe { Self::slider(queens, queens, occupied) }
    }

    /// # Safety
    /// See [`OneBoard`].
    #[inline(always)]
    unsafe fn slider(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
        Borrow::slider(orthogonal, diagonal, occupied | orthogonal | diagonal)
    }

    /// Attacks from one square below 64 along the operation's lines.
    ///
    /// # Safety
    /// See [`OneBoard`].
    #[inline(always)]
    unsafe fn from_square<Op: SliderLines>(op: Op, square: u8, occupied: u64) -> u64 {
        one_square::attacks(op, square, occupied)
    }
}

/// General registers, for any CPU.
pub(crate) struct General;

impl OneBoard for General {}
