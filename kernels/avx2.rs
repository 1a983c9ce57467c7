//! AVX2: 32 boards in rank slices.

use super::shells;
#[cfg(target_arch = "x86_64")]
use super::x86::{west_by_words, ymm_lanes};

#[cfg(target_arch = "x86_64")]
ymm_lanes!(Avx2 { west_by_words!(_mm256_srli_epi16); });

shells::rank_sliced! {
    name: c"avx2",
    technique: "rank slices of 32 boards in YMM registers: borrow eastward (vpsubb), Kogge-Stone westward",
    on: target_arch = "x86_64",
    features: ["avx2"],
    lanes: Avx2, one: super::super::one_avx2::TABLE,
}
