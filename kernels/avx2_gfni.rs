//! AVX2 with GFNI: the rank slices of `avx2`, westward by one-instruction shifts and bit reversals.
//!
//! GFNI exists without AVX-512 (Alder Lake, Arrow Lake...), so it is a kernel of its own.

use super::shells;
#[cfg(target_arch = "x86_64")]
use super::{
    gfni::{reverse_by_gfni, west_by_gfni},
    x86::ymm_lanes,
};

#[cfg(target_arch = "x86_64")]
ymm_lanes!(Wide { west_by_gfni!(_mm256_gf2p8affine_epi64_epi8, _mm256_set1_epi64x); });
#[cfg(target_arch = "x86_64")]
reverse_by_gfni!(
    Wide,
    _mm256_gf2p8affine_epi64_epi8,
    _mm256_set1_epi64x,
    _mm256_sub_epi8
);

shells::rank_sliced! {
    name: c"avx2-gfni",
    technique: "rank slices of 32 boards in YMM registers: borrow both ways, westward in ranks reversed by gf2p8affineqb",
    on: target_arch = "x86_64",
    features: ["avx2", "gfni"],
    lanes: Wide, few: crate::kernels::avx2::base::FEW,
    own: [rook_attacks, bishop_attacks, queen_attacks, slider_attacks, slider_attacks_split],
    rest: crate::kernels::avx2::TABLE,
}
