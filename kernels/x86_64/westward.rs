//! What an instruction set does in its own way with registers that others have, too: above all, how files move west. x86 has no shift of bytes before
//! GFNI, but for XOP's, and each helps itself.

#[allow(unused_imports, reason = "for the documentation")]
use crate::kernels::generic::{boards::Boards, lanes::Lanes};

/// What an instruction set does in its own way with registers of type `R`. The functions are called where a value of `R` proves
/// that the CPU has it.
pub(super) trait Westward<R>: Copy {
    /// See [`Lanes::WEST_LEAKS`].
    const LEAKS: bool;
    fn west<const FILES: i32>(ranks: R) -> R;

    /// See [`Lanes::REVERSES`].
    const REVERSES: bool = false;
    #[inline(always)]
    fn reverse(_ranks: R) -> R {
        unreachable!()
    }

    /// Whether there is one instruction for a selection; see [`Lanes::FLOOD_SELECTS`].
    const SELECTS: bool = false;
    /// The bits of `yes` where the mask has ones, elsewhere those of `no`.
    #[inline(always)]
    fn select(_mask: R, _yes: R, _no: R) -> R {
        unreachable!()
    }

    /// Whether bytes at even and odd places of two registers are parted in one instruction, each.
    const DEINTERLEAVES: bool = false;
    #[inline(always)]
    fn deinterleave(_a: R, _b: R) -> (R, R) {
        unreachable!()
    }

    /// See [`Boards::TURNS`].
    const TURNS: bool = false;
    #[inline(always)]
    fn turn(_boards: R) -> R {
        unreachable!()
    }
}
