//! Westward by shifts of words; and with `pshufb` by reversal.

use core::arch::x86_64::{_mm_srli_epi16, _mm256_srli_epi16};

use super::vpperm::reverse_bits;
use super::westward::Westward;
use super::xmm::Xmm;
use super::ymm::Ymm;

/// A shift of words, which leaks.
#[derive(Clone, Copy)]
pub(super) struct Shifts;

impl Westward<Xmm<Self>> for Shifts {
    const LEAKS: bool = true;

    #[inline(always)]
    fn west<const FILES: i32>(ranks: Xmm<Self>) -> Xmm<Self> {
        // SAFETY: a value of the register type proves SSE2.
        unsafe { Xmm::new(_mm_srli_epi16::<FILES>(ranks.0)) }
    }
}

impl Westward<Ymm<Self>> for Shifts {
    const LEAKS: bool = true;

    #[inline(always)]
    fn west<const FILES: i32>(ranks: Ymm<Self>) -> Ymm<Self> {
        // SAFETY: a value of the register type proves AVX2.
        unsafe { Ymm::new(_mm256_srli_epi16::<FILES>(ranks.0)) }
    }
}

/// A shift of words, and rays by reversal, with two look-ups by `pshufb`.
#[derive(Clone, Copy)]
pub(super) struct Pshufb;

impl Westward<Xmm<Self>> for Pshufb {
    const LEAKS: bool = true;
    const REVERSES: bool = true;

    #[inline(always)]
    fn west<const FILES: i32>(ranks: Xmm<Self>) -> Xmm<Self> {
        // SAFETY: a value of the register type proves SSSE3.
        unsafe { Xmm::new(_mm_srli_epi16::<FILES>(ranks.0)) }
    }
    #[inline(always)]
    fn reverse(ranks: Xmm<Self>) -> Xmm<Self> {
        // SAFETY: a value of the register type proves SSSE3.
        unsafe { Xmm::new(reverse_bits(ranks.0)) }
    }
}
