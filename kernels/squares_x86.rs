//! What the algorithm for single squares needs of x86's registers: comparison, look-up, order.

use core::arch::x86_64::{
    __m256i, __m512i, _mm_setr_epi8, _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8,
    _mm256_permute4x64_epi64, _mm256_set1_epi8, _mm256_set1_epi64x, _mm256_shuffle_epi8,
    _mm256_xor_si256, _mm512_cmpneq_epi8_mask, _mm512_loadu_si512, _mm512_movm_epi8,
    _mm512_permutexvar_epi16, _mm512_set1_epi64, _mm512_shuffle_epi8,
};

/// Bytes with one bit each, from the a-file to the h-file.
const FILES: i64 = 0x8040_2010_0804_0201_u64.cast_signed();

/// The file of a square's number, `1 << (byte % 8)`, by a look-up, 32 at a time. `vpshufb` looks at four bits of an
/// index; both halves of the table are alike.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn file_ymm(squares: __m256i) -> __m256i {
    _mm256_shuffle_epi8(_mm256_set1_epi64x(FILES), squares)
}

/// The same, 64 at a time.
#[inline]
#[target_feature(enable = "avx512bw")]
pub(super) fn file_zmm(squares: __m512i) -> __m512i {
    _mm512_shuffle_epi8(_mm512_set1_epi64(FILES), squares)
}

/// Bytes in the order of boards into that of the slices: as loaded, a block has its boards as `vvvln` (v: vector, l:
/// which 16-byte lane), a slice has them as `lvvvn`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn slice_bytes_ymm(bytes: __m256i) -> __m256i {
    let pairs_by_lane = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15,
    ));
    _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_shuffle_epi8(bytes, pairs_by_lane))
}

/// From `vvvlln` to `llvvvn`.
#[inline]
#[target_feature(enable = "avx512bw")]
pub(super) fn slice_bytes_zmm(bytes: __m512i) -> __m512i {
    static PAIRS_BY_LANE: [u16; 32] = {
        let mut pairs = [0; 32];
        let mut i = 0;
        while i < 32 {
            pairs[i] = (i % 8 * 4 + i / 8) as u16;
            i += 1;
        }
        pairs
    };
    // SAFETY: the indices are 64 bytes; the load is an unaligned one.
    let pairs = unsafe { _mm512_loadu_si512((&raw const PAIRS_BY_LANE).cast()) };
    _mm512_permutexvar_epi16(pairs, bytes)
}

/// Bytes that differ.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn differ_ymm(a: __m256i, b: __m256i) -> __m256i {
    _mm256_xor_si256(_mm256_cmpeq_epi8(a, b), _mm256_set1_epi8(-1))
}

/// Bytes that differ.
#[inline]
#[target_feature(enable = "avx512bw")]
pub(super) fn differ_zmm(a: __m512i, b: __m512i) -> __m512i {
    _mm512_movm_epi8(_mm512_cmpneq_epi8_mask(a, b))
}

/// Implements [`Squares`](super::lanes::Squares) by these functions.
macro_rules! squares {
    ($lanes:ident, $load:ident, $differ:ident, $file:ident, $slice_bytes:ident) => {
        impl $crate::kernels::lanes::Squares for $lanes {
            #[inline(always)]
            fn differ(self, other: Self) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { $crate::kernels::squares_x86::$differ(self.0, other.0) })
            }
            #[inline(always)]
            fn file_of_square(self) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { $crate::kernels::squares_x86::$file(self.0) })
            }
            #[inline(always)]
            unsafe fn slice_bytes(bytes: *const u8) -> Self {
                // SAFETY: the caller's contract; the load is an unaligned one.
                Self(unsafe {
                    $crate::kernels::squares_x86::$slice_bytes(core::arch::x86_64::$load(
                        bytes.cast(),
                    ))
                })
            }
        }
    };
}

pub(super) use squares;
