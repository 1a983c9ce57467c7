//! AVX-512 of the Ice Lake class: 64 boards in rank slices, the cut by two-source byte permutes (VBMI), westward
//! by GFNI, three-input steps by `vpternlog` (which the compiler forms), tails by masks.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::{
    __m512i, _mm256_mask_storeu_epi64, _mm256_maskz_loadu_epi64, _mm512_loadu_si512,
    _mm512_mask_storeu_epi64, _mm512_maskz_loadu_epi64, _mm512_permutex2var_epi8,
};

use super::shells;
#[cfg(target_arch = "x86_64")]
use super::{
    gfni::{reverse_by_gfni, west_by_gfni},
    x86::{x86_lanes, ymm_lanes},
};

#[cfg(target_arch = "x86_64")]
x86_lanes! {
    Wide(__m512i), boards: 8,
    _mm512_loadu_si512, _mm512_storeu_si512, _mm512_set1_epi8, _mm512_or_si512, _mm512_xor_si512, _mm512_andnot_si512,
    _mm512_add_epi8, _mm512_sub_epi8, _mm512_unpacklo_epi8, _mm512_unpackhi_epi8,
    westward: { west_by_gfni!(_mm512_gf2p8affine_epi64_epi8, _mm512_set1_epi64); },
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

        /// Three exchanges of a bit of the register's number with a bit of the rank: 24 permutes,
        /// against 32 unpacks.
        #[inline(always)]
        fn slice(boards: [Self; 8]) -> [Self; 8] {
            exchange::<1>(exchange::<2>(exchange::<4>(boards)))
        }
        #[inline(always)]
        fn unslice(ranks: [Self; 8]) -> [Self; 8] {
            exchange::<4>(exchange::<2>(exchange::<1>(ranks)))
        }
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
ymm_lanes!(Narrow { west_by_gfni!(_mm256_gf2p8affine_epi64_epi8, _mm256_set1_epi64x); }
    const MASKED: bool = true;

    #[inline(always)]
    unsafe fn load_first(from: *const u64, boards: usize) -> Self {
        // SAFETY: the caller's contract; masked-off elements are not read.
        Self(unsafe { _mm256_maskz_loadu_epi64(first(boards), from.cast()) })
    }
    #[inline(always)]
    unsafe fn store_first(self, to: *mut u64, boards: usize) {
        // SAFETY: the caller's contract; masked-off elements are not written.
        unsafe { _mm256_mask_storeu_epi64(to.cast(), first(boards), self.0) }
    }
);
#[cfg(target_arch = "x86_64")]
reverse_by_gfni!(
    Narrow,
    _mm256_gf2p8affine_epi64_epi8,
    _mm256_set1_epi64x,
    _mm256_sub_epi8
);

/// The mask of the first `boards` (at most 8) elements.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn first(boards: usize) -> u8 {
    ((1u32 << boards) - 1) as u8
}

/// The bytes that [`exchange`] takes: from the first register those with the bit clear (or, for the second
/// result, set) stay or move to the other place; 64 and up are of the second register.
#[cfg(target_arch = "x86_64")]
const fn selector(bit: usize, high: bool) -> [u8; 64] {
    let mut bytes = [0; 64];
    let mut i = 0;
    while i < 64 {
        bytes[i] = if i & bit == 0 {
            if high { i + bit } else { i }
        } else if high {
            64 + i
        } else {
            64 + i - bit
        } as u8;
        i += 1;
    }
    bytes
}

/// Exchanges a bit of the register's number with the same bit of the byte's place.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn exchange<const BIT: usize>(mut v: [Wide; 8]) -> [Wide; 8] {
    struct Selectors<const BIT: usize>;
    impl<const BIT: usize> Selectors<BIT> {
        const LOW: &'static [u8; 64] = &selector(BIT, false);
        const HIGH: &'static [u8; 64] = &selector(BIT, true);
    }
    macro_rules! pairs {
        ($($i:literal)*) => { $(
            if $i & BIT == 0 {
                let (a, b) = (v[$i].0, v[$i + BIT].0);
                // SAFETY: values of this type prove the features; the selectors are 64 bytes.
                unsafe {
                    let low: __m512i = _mm512_loadu_si512(Selectors::<BIT>::LOW.as_ptr().cast());
                    let high: __m512i = _mm512_loadu_si512(Selectors::<BIT>::HIGH.as_ptr().cast());
                    v[$i].0 = _mm512_permutex2var_epi8(a, low, b);
                    v[$i + BIT].0 = _mm512_permutex2var_epi8(a, high, b);
                }
            }
        )* };
    }
    pairs!(0 1 2 3 4 5 6);
    v
}

shells::rank_sliced! {
    name: c"avx512",
    technique: "rank slices of 64 boards in ZMM registers: borrow both ways, westward in ranks reversed by gf2p8affineqb, masked tails",
    on: target_arch = "x86_64",
    features: ["avx512f", "avx512bw", "avx512vl", "avx512vbmi", "gfni"],
    wide: Wide, narrow: Narrow, one: super::super::one_avx512::TABLE,
}
