//! Lanes of x86-64: 16 bytes in an XMM register, 32 in a YMM register.
//!
//! The types themselves are defined where the kernels are, each with what its instruction set does better.

use core::arch::x86_64::{
    __m128i, __m256i, _mm_set1_epi64x, _mm_setr_epi8, _mm_shuffle_epi8,
    _mm256_broadcastsi128_si256, _mm256_permute4x64_epi64, _mm256_set1_epi64x, _mm256_shuffle_epi8,
};

/// Implements [`Lanes`] for a register type from its intrinsics.
///
/// A value of the type exists only where the CPU has its features (see [`Lanes`]), which is
/// what makes the calls of intrinsics sound.
macro_rules! x86_lanes {
    (
        $lanes:ident($register:ident), boards: $boards:literal, slice_bytes: $slice_bytes:expr,
        $load:ident, $store:ident, $splat:ident, $or:ident, $xor:ident, $andnot:ident,
        $add:ident, $sub:ident, $srl:ident, $cmpeq:ident, $unpacklo:ident, $unpackhi:ident
        $(, $override:item)* $(; $lanes_override:item)*
    ) => {
        #[derive(Clone, Copy)]
        pub(super) struct $lanes(pub(super) core::arch::x86_64::$register);

        impl $crate::kernels::lanes::Ranks for $lanes {
            const WEST_LEAKS: bool = true;

            #[inline(always)]
            fn splat(self, byte: u8) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { core::arch::x86_64::$splat(byte.cast_signed()) })
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { core::arch::x86_64::$or(self.0, other.0) })
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { core::arch::x86_64::$xor(self.0, other.0) })
            }
            #[inline(always)]
            fn without(self, mask: Self) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { core::arch::x86_64::$andnot(mask.0, self.0) })
            }
            /// `paddb` of a byte to itself: the h-file drops out.
            #[inline(always)]
            fn east(self) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { core::arch::x86_64::$add(self.0, self.0) })
            }
            /// x86 has no shift of bytes: `psrlw` shifts words, and leaks.
            #[inline(always)]
            fn west<const FILES: i32>(self) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { core::arch::x86_64::$srl::<FILES>(self.0) })
            }
            /// `pandn`, `psubb`, `pxor` (Isenberg 2005). A slider bit of the difference tells
            /// that the slider was *not* reached, so the sliders are changed back too.
            #[inline(always)]
            fn east_attacks(sliders: Self, occupied: Self) -> Self {
                let others = occupied.without(sliders);
                // SAFETY: a value of this type proves the features.
                let borrowed = Self(unsafe { core::arch::x86_64::$sub(others.0, sliders.0) });
                borrowed.xor(others).xor(sliders)
            }
            #[inline(always)]
            fn differ(self, other: Self) -> Self {
                // SAFETY: a value of this type proves the features.
                let equal = Self(unsafe { core::arch::x86_64::$cmpeq(self.0, other.0) });
                equal.xor(self.splat(0xff))
            }
            $($override)*
        }

        impl $crate::kernels::lanes::Lanes for $lanes {
            $($lanes_override)*
            const BOARDS: usize = $boards;

            #[inline(always)]
            unsafe fn load(from: *const u64) -> Self {
                // SAFETY: the caller's contract; the load is an unaligned one.
                Self(unsafe { core::arch::x86_64::$load(from.cast()) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut u64) {
                // SAFETY: the caller's contract; the store is an unaligned one.
                unsafe { core::arch::x86_64::$store(to.cast(), self.0) }
            }
            #[inline(always)]
            fn slice(boards: [Self; 8]) -> [Self; 8] {
                $crate::kernels::lanes::slice_by_interleaving(boards)
            }
            #[inline(always)]
            fn unslice(ranks: [Self; 8]) -> [Self; 8] {
                $crate::kernels::lanes::unslice_by_interleaving(ranks)
            }
            #[inline(always)]
            unsafe fn slice_bytes(bytes: *const u8) -> Self {
                // SAFETY: the caller's contract; the load is an unaligned one.
                Self(unsafe { ($slice_bytes)(core::arch::x86_64::$load(bytes.cast())) })
            }
        }

        impl $crate::kernels::lanes::Interleave for $lanes {
            #[inline(always)]
            fn interleave(self, other: Self) -> (Self, Self) {
                // SAFETY: a value of this type proves the features.
                unsafe {
                    (
                        Self(core::arch::x86_64::$unpacklo(self.0, other.0)),
                        Self(core::arch::x86_64::$unpackhi(self.0, other.0)),
                    )
                }
            }
        }
    };
}

/// Bytes in the order of boards into the order of a block's slices: a vector as loaded has the boards
/// `vvvln` (v: vector, l: which 16-byte lane), and a slice has them as `lvvvn`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn slice_bytes_ymm(bytes: __m256i) -> __m256i {
    let pairs_by_lane = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15,
    ));
    _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_shuffle_epi8(bytes, pairs_by_lane))
}

/// The file of a square's number by a look-up, of which `pshufb` does sixteen at a time.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn file_of_square_xmm(squares: __m128i) -> __m128i {
    _mm_shuffle_epi8(_mm_set1_epi64x(FILES), squares)
}

/// The same with 32 at a time.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn file_of_square_ymm(squares: __m256i) -> __m256i {
    _mm256_shuffle_epi8(_mm256_set1_epi64x(FILES), squares)
}

/// Bytes with one bit each, from the a-file to the h-file.
const FILES: i64 = 0x8040_2010_0804_0201_u64.cast_signed();

/// The intrinsics of 128-bit lanes.
macro_rules! xmm_lanes {
    ($lanes:ident $(, $override:item)* $(; $lanes_override:item)*) => {
        $crate::kernels::x86::x86_lanes! {
            $lanes(__m128i), boards: 2, slice_bytes: |bytes| bytes, // in the order of boards already
            _mm_loadu_si128, _mm_storeu_si128, _mm_set1_epi8, _mm_or_si128, _mm_xor_si128, _mm_andnot_si128,
            _mm_add_epi8, _mm_sub_epi8, _mm_srli_epi16, _mm_cmpeq_epi8, _mm_unpacklo_epi8, _mm_unpackhi_epi8
            $(, $override)* $(; $lanes_override)*
        }
    };
}

/// The intrinsics of 256-bit lanes.
macro_rules! ymm_lanes {
    ($lanes:ident $(, $override:item)* $(; $lanes_override:item)*) => {
        $crate::kernels::x86::x86_lanes! {
            $lanes(__m256i), boards: 4, slice_bytes: $crate::kernels::x86::slice_bytes_ymm,
            _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi8, _mm256_or_si256, _mm256_xor_si256, _mm256_andnot_si256,
            _mm256_add_epi8, _mm256_sub_epi8, _mm256_srli_epi16, _mm256_cmpeq_epi8, _mm256_unpacklo_epi8, _mm256_unpackhi_epi8
            $(, $override)* $(; $lanes_override)*
        }
    };
}

pub(super) use {x86_lanes, xmm_lanes, ymm_lanes};
