//! AVX-512 of the Ice Lake class: 64 boards in rank slices, westward by GFNI, three-input steps by `vpternlog`
//! (which the compiler forms), tails by masks.
//!
//! The cut is by unpacking, as for AVX2. Two-source byte permutes (VBMI) need 24 a cut where unpacking needs 32, but a queen
//! took 0.48 of avx2's time with them and takes 0.37 without, on Zen 5.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::{_mm512_mask_storeu_epi64, _mm512_maskz_loadu_epi64};

use super::shells;
#[cfg(target_arch = "x86_64")]
use super::{
    gfni::{reverse_by_gfni, west_by_gfni},
    squares_x86::squares,
    x86::{slices_by_interleaving, x86_lanes},
};

#[cfg(target_arch = "x86_64")]
x86_lanes! {
    Wide(__m512i), boards: 8,
    _mm512_loadu_si512, _mm512_storeu_si512, _mm512_set1_epi8, _mm512_or_si512, _mm512_xor_si512, _mm512_andnot_si512,
    _mm512_add_epi8, _mm512_sub_epi8, _mm512_unpacklo_epi8, _mm512_unpackhi_epi8,
    _mm512_sllv_epi64, _mm512_srlv_epi64 by _mm512_set1_epi64, _mm512_and_si512, _mm512_set1_epi64,
    westward: {
        west_by_gfni!(_mm512_gf2p8affine_epi64_epi8, _mm512_set1_epi64);
    },
    registers: {
        const MASKED: bool = true;

        #[inline(always)]
        unsafe fn load_first(from: *const u64, boards: usize) -> Self {
            // SAFETY: the caller's contract; masked-off elements are not read.
            Self(unsafe { _mm512_maskz_loadu_epi64(first(boards), from.cast()) })
        }
        #[inline(always)]
        unsafe fn store_first(self, to: *mut u64, boards: usize) {
            // SAFETY: the caller's contract; masked-off elements are not written.
            unsafe { _mm512_mask_storeu_epi64(to.cast(), first(boards), self.0) }
        }

        slices_by_interleaving!();
    }
}
#[cfg(target_arch = "x86_64")]
reverse_by_gfni!(
    Wide,
    _mm512_gf2p8affine_epi64_epi8,
    _mm512_set1_epi64,
    _mm512_sub_epi8
);

#[cfg(target_arch = "x86_64")]
squares!(
    Wide,
    _mm512_loadu_si512,
    differ_zmm,
    file_zmm,
    slice_bytes_zmm
);

/// The mask of the first `boards` (at most 8) elements.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn first(boards: usize) -> u8 {
    ((1u32 << boards) - 1) as u8
}

shells::base! {
    on: target_arch = "x86_64",
    features: ["avx512f", "avx512bw", "avx512vl", "avx512vbmi", "gfni"],
    lanes: Wide, one: crate::kernels::one_avx512::TABLE,
}

shells::from_squares! {
    on: target_arch = "x86_64",
    features: ["avx512f", "avx512bw", "avx512vl", "avx512vbmi", "gfni"],
    lanes: Wide, rest: base,
}

shells::rank_sliced! {
    name: c"avx512",
    technique: "rank slices of 64 boards in ZMM registers: borrow both ways, westward in ranks reversed by gf2p8affineqb, masked tails",
    on: target_arch = "x86_64",
    features: ["avx512f", "avx512bw", "avx512vl", "avx512vbmi", "gfni"],
    lanes: Wide, few: super::base::FEW,
    own: [rook_attacks, bishop_attacks, queen_attacks, slider_attacks, slider_attacks_split],
    rest: from::TABLE,
    // (To the compiler avx512f contains AVX2: any function of this kernel may use it.)
    xray_rook_attacks: super::avx2::TABLE.xray_rook_attacks,
    xray_bishop_attacks: super::avx2::TABLE.xray_bishop_attacks,
    xray_queen_attacks: super::avx2::TABLE.xray_queen_attacks,
    pins: super::avx2::TABLE.pins,
    intersection_counts: super::avx2::TABLE.intersection_counts,
}
