//! AVX2: 32 boards in rank slices.

use super::shells;
#[cfg(target_arch = "x86_64")]
use super::{
    squares_x86::squares,
    x86::{west_by_words, ymm_lanes},
};

#[cfg(target_arch = "x86_64")]
ymm_lanes!(Avx2 { west_by_words!(_mm256_srli_epi16); });
#[cfg(target_arch = "x86_64")]
squares!(
    Avx2,
    _mm256_loadu_si256,
    differ_ymm,
    file_ymm,
    slice_bytes_ymm
);

shells::base! {
    on: target_arch = "x86_64",
    features: ["avx2"],
    lanes: Avx2, one: crate::kernels::one_avx2::TABLE,
}

shells::compound! {
    on: target_arch = "x86_64",
    features: ["avx2"],
    lanes: Avx2,
}

shells::from_squares! {
    on: target_arch = "x86_64",
    features: ["avx2"],
    lanes: Avx2, rest: compound,
}

shells::rank_sliced! {
    name: c"avx2",
    technique: "rank slices of 32 boards in YMM registers: borrow eastward (vpsubb), Kogge-Stone westward",
    on: target_arch = "x86_64",
    features: ["avx2"],
    lanes: Avx2, few: super::base::FEW,
    own: [rook_attacks, bishop_attacks, queen_attacks, slider_attacks, slider_attacks_split],
    rest: from::TABLE,
}
