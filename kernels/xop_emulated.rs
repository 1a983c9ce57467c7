//! The westward ray by VPPERM's bit reversal, with VPPERM in software: what XOP's instruction
//! does on the CPUs that have it, step by step on those that have SSSE3.
//!
//! The selector is constant in the kernel, so that the compiler leaves out the operations that it does not choose. What is left
//! are the two look-ups of `ssse3`: one reversal, by two ways of saying it.

#[cfg(target_arch = "x86_64")]
use core::arch::{
    asm,
    x86_64::{_mm_or_si128, _mm_set1_epi8, _mm_setr_epi8, _mm_sub_epi8},
};

use super::shells;
#[cfg(target_arch = "x86_64")]
use super::{
    reversal::Reverse,
    vpperm::{REVERSE_BITS, vpperm},
    x86::{west_by_reversal, west_by_words, xmm_lanes},
};

#[cfg(target_arch = "x86_64")]
xmm_lanes!(XopEmulated {
    const ROLLED: bool = true;
    west_by_words!(_mm_srli_epi16);
    west_by_reversal!();
});

#[cfg(target_arch = "x86_64")]
impl Reverse for XopEmulated {
    #[inline(always)]
    fn reverse(self) -> Self {
        // SAFETY: a value of this type proves SSSE3.
        unsafe {
            // No instruction, but without it the compiler may make one function of this kernel's and those of `ssse3`.
            let mut ranks = self.0;
            asm!("/* {0} */", inout(xmm_reg) ranks, options(pure, nomem, nostack, preserves_flags));
            let in_place = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let selector = _mm_or_si128(in_place, _mm_set1_epi8(REVERSE_BITS.cast_signed()));
            Self(vpperm(ranks, ranks, selector))
        }
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        // SAFETY: a value of this type proves SSE2.
        Self(unsafe { _mm_sub_epi8(self.0, other.0) })
    }
}

shells::rank_sliced! {
    name: c"xop-emulated",
    technique: "rank slices of 16 boards in XMM registers: borrow both ways, westward in ranks reversed by VPPERM in software",
    on: target_arch = "x86_64",
    features: ["ssse3"],
    lanes: XopEmulated, few: crate::kernels::sse2::base::FEW,
    own: [rook_attacks, queen_attacks as_sliders, slider_attacks as_union],
    rest: crate::kernels::sse2::TABLE,
}
