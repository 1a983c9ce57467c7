//! ISA-specific byte operations on a shared register type. x86 has no byte shift before GFNI
//! (except XOP), so each instruction set emulates the westward shift differently.

use crate::kernels::generic::rank_bytes::{RankBytes, West};
use crate::kernels::generic::transpose::{self, Interleave};

/// The operations that depend on the instruction set, on registers of type `R`. A value of `R`
/// proves that the CPU has the instruction set.
pub(super) trait ByteShifts<R>: Copy {
    /// See [`RankBytes::WEST_WRAPS`].
    const WEST_WRAPS: bool;
    /// See [`RankBytes::FLOOD_SELECTS`].
    const FLOOD_SELECTS: bool = false;
    /// See [`RankBytes::West`].
    type West: West<R>;

    /// Whether the CPU has AVX-512 BITALG, which counts bits.
    const BITALG: bool = false;

    /// See [`RankBytes::west`].
    fn west<const FILES: i32>(ranks: R) -> R;

    /// See [`RankBytes::flood`].
    #[inline(always)]
    fn flood(flood: R, occupied: R, sliders: R) -> R
    where
        R: RankBytes,
    {
        flood & !occupied | sliders
    }

    /// See [`Register::slice`](crate::kernels::generic::board_vector::Register::slice).
    #[inline(always)]
    fn slice(boards: [R; 8]) -> [R; 8]
    where
        R: Interleave,
    {
        transpose::slice_by_interleaving(boards)
    }
}

/// An instruction set with a cheap bit reversal within each byte.
pub(super) trait Reverse<R>: ByteShifts<R> {
    fn reverse(ranks: R) -> R;
}

/// An instruction set that flips boards with one instruction.
pub(super) trait Flip<R>: Reverse<R> {
    fn flip_antidiagonal(boards: R) -> R;
}
