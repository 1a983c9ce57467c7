//! Westward by shifts of words; and with `pshufb` by reversal.

use core::arch::x86_64::{
    _mm_cvtsi32_si128, _mm_srli_epi16, _mm256_srli_epi16, _mm512_srl_epi16,
};

use super::vpperm::reverse_bits;
use super::westward::Westward;
use super::xmm::Xmm;
use super::ymm::Ymm;
use super::zmm::Zmm;

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

impl Westward<Zmm<Self>> for Shifts {
    const LEAKS: bool = true;

    /// (The intrinsic with a constant takes one of another type; the compiler makes this one that.)
    #[inline(always)]
    fn west<const FILES: i32>(ranks: Zmm<Self>) -> Zmm<Self> {
        // SAFETY: a value of the register type proves AVX-512.
        unsafe { Zmm::new(_mm512_srl_epi16(ranks.0, _mm_cvtsi32_si128(FILES))) }
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
