//! [`ByteShifts`] with shifts of 16-bit words, and with bit reversal by `pshufb`.

use core::arch::asm;
use core::arch::x86_64::*;

use super::byte_shifts::{ByteShifts, Reverse};
use super::vpperm::reverse_bits;
use super::xmm::Xmm;
use super::ymm::Ymm;
use super::zmm::Zmm;
use crate::kernels::generic::rank_bytes::{Reversed, Shifted, West};

/// Shifts 16-bit words, which wraps bits into the neighbouring byte.
#[derive(Clone, Copy)]
pub(super) struct WordShifts;

macro_rules! word_shifts {
    ($($Register:ident: $shift:ident;)*) => { $(
        impl ByteShifts<$Register<Self>> for WordShifts {
            const WEST_WRAPS: bool = true;
            type West = Shifted;

            /// The compiler turns the count, a constant, into an immediate.
            #[inline(always)]
            fn west<const FILES: i32>(ranks: $Register<Self>) -> $Register<Self> {
                // SAFETY: a value of the register type proves that the CPU has these instructions.
                unsafe { $Register::new($shift(ranks.0, _mm_cvtsi32_si128(FILES))) }
            }
        }
    )* };
}
word_shifts! {
    Xmm: _mm_srl_epi16;
    Ymm: _mm256_srl_epi16;
    Zmm: _mm512_srl_epi16;
}

/// Shifts 16-bit words. For westward rays, reverses the bits of each byte with two `pshufb`
/// look-ups.
#[derive(Clone, Copy)]
pub(super) struct Pshufb;

impl ByteShifts<Xmm<Self>> for Pshufb {
    const WEST_WRAPS: bool = true;
    type West = Self;

    #[inline(always)]
    fn west<const FILES: i32>(ranks: Xmm<Self>) -> Xmm<Self> {
        // SAFETY: a value of the register type proves that the CPU has SSSE3.
        unsafe { Xmm::new(_mm_srli_epi16::<FILES>(ranks.0)) }
    }

    /// `pshufb` pairs the ranks of two boards. Three rounds of `punpcklwd` and `punpckhwd` turn the
    /// indices `vvv rrr n` into `rrr vvv n` (see
    /// [`transpose`](crate::kernels::generic::transpose)).
    #[inline(always)]
    fn slice(boards: [Xmm<Self>; 8]) -> [Xmm<Self>; 8] {
        let mut pairs = boards;
        for v in 0..8 {
            pairs[v] = Self::pair(boards[v]);
        }
        Self::shuffle_words(Self::shuffle_words(Self::shuffle_words(pairs)))
    }
}

impl Pshufb {
    /// Pairs the ranks of a vector's two boards in 16-bit words.
    #[inline(always)]
    fn pair(boards: Xmm<Self>) -> Xmm<Self> {
        // SAFETY: a value of the register type proves that the CPU has SSSE3.
        unsafe {
            let pairs = _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
            let mut paired = _mm_shuffle_epi8(boards.0, pairs);
            // Keeps LLVM from merging this shuffle into the next ones, which would double the
            // number of shuffles. Miri cannot run assembly.
            if !cfg!(miri) {
                asm!("/* {0} */", inout(xmm_reg) paired,
                    options(pure, nomem, nostack, preserves_flags));
            }
            Xmm::new(paired)
        }
    }

    /// Interleaves the words of vectors i and i+4 into 2i and 2i+1.
    #[inline(always)]
    fn shuffle_words(v: [Xmm<Self>; 8]) -> [Xmm<Self>; 8] {
        let mut shuffled = v;
        for i in 0..4 {
            // SAFETY: a value of the register type proves that the CPU has SSSE3.
            unsafe {
                shuffled[2 * i] = Xmm::new(_mm_unpacklo_epi16(v[i].0, v[i + 4].0));
                shuffled[2 * i + 1] = Xmm::new(_mm_unpackhi_epi16(v[i].0, v[i + 4].0));
            }
        }
        shuffled
    }
}

impl Reverse<Xmm<Self>> for Pshufb {
    #[inline(always)]
    fn reverse(ranks: Xmm<Self>) -> Xmm<Self> {
        // SAFETY: a value of the register type proves that the CPU has SSSE3.
        unsafe { Xmm::new(reverse_bits(ranks.0)) }
    }
}

/// Reversal pays off in rank slices. On whole boards Kogge-Stone takes fewer instructions.
impl West<Xmm<Self>> for Pshufb {
    const ON_BOARDS: bool = false;

    #[inline(always)]
    fn attacks(sliders: Xmm<Self>, occupied: Xmm<Self>) -> Xmm<Self> {
        Reversed::attacks(sliders, occupied)
    }
}
