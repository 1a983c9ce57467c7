//! AVX2: 32 boards in rank slices.

use super::shells;
#[cfg(target_arch = "x86_64")]
use super::{sse2::Sse2, x86::{file_of_square_ymm, ymm_lanes}};

#[cfg(target_arch = "x86_64")]
ymm_lanes!(
    Avx2,
    #[inline(always)]
    fn file_of_square(self) -> Self {
        // SAFETY: a value of this type proves AVX2.
        Self(unsafe { file_of_square_ymm(self.0) })
    }
);

shells::rank_sliced! {
    name: c"avx2",
    technique: "rank slices of 32 boards in YMM registers: borrow eastward (vpsubb), Kogge-Stone westward",
    on: target_arch = "x86_64",
    features: ["avx2"],
    wide: Avx2, narrow: Sse2, one: super::super::borrow::TABLE,
}
