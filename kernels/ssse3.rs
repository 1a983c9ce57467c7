//! SSSE3: the westward ray by bit reversal with `pshufb`.
//!
//! A byte is reversed by two look-ups, one for each nibble: the reversal of the low nibble goes high
//! and the other way round.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::_mm_sub_epi8;

use super::shells;
#[cfg(target_arch = "x86_64")]
use super::{
    reversal::Reverse,
    vpperm::reverse_bits,
    x86::{west_by_reversal, west_by_words, xmm_lanes},
};

#[cfg(target_arch = "x86_64")]
xmm_lanes!(Ssse3 {
    const ROLLED: bool = true;
    west_by_words!(_mm_srli_epi16);
    west_by_reversal!();
});

#[cfg(target_arch = "x86_64")]
impl Reverse for Ssse3 {
    #[inline(always)]
    fn reverse(self) -> Self {
        // SAFETY: a value of this type proves SSSE3.
        Self(unsafe { reverse_bits(self.0) })
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        // SAFETY: a value of this type proves SSE2.
        Self(unsafe { _mm_sub_epi8(self.0, other.0) })
    }
}

shells::rank_sliced! {
    name: c"ssse3",
    technique: "rank slices of 16 boards in XMM registers: borrow both ways, westward in ranks reversed by pshufb",
    on: target_arch = "x86_64",
    features: ["ssse3"],
    lanes: Ssse3, few: crate::kernels::sse2::base::FEW,
    own: [rook_attacks, queen_attacks as_sliders, slider_attacks as_union],
    rest: crate::kernels::sse2::TABLE,
}
