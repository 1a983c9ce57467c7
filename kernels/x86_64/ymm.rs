//! YMM registers: 4 whole boards, or one rank of 32 boards.

use core::arch::x86_64::*;
use core::marker::PhantomData;

use super::byte_shifts::{ByteShifts, Flip, Reverse};
use super::registers::register;
use super::xmm::Xmm;
use crate::kernels::generic::board_vector::Register;
use crate::kernels::generic::transpose::{self, Interleave};

register! {
    /// Thirty-two bytes. A value proves that the CPU has what `W` needs.
    Ymm: __m256i, 4 boards;
    bits: _mm256_and_si256 _mm256_or_si256 _mm256_xor_si256;
    splat: _mm256_set1_epi8 _mm256_set1_epi64x;
    bytes: _mm256_add_epi8 _mm256_sub_epi8;
    memory: _mm256_loadu_si256 _mm256_storeu_si256;
    shift: _mm256_sllv_epi64 _mm256_srlv_epi64 |squares| _mm256_set1_epi64x(squares.into());
    ranks: {}
}

impl<W: ByteShifts<Self> + ByteShifts<Xmm<W>>> Register for Ymm<W> {
    type Four = Self;
    type Two = Xmm<W>;

    #[inline(always)]
    fn slice(boards: [Self; 8]) -> [Self; 8] {
        W::slice(boards)
    }
    #[inline(always)]
    fn unslice(ranks: [Self; 8]) -> [Self; 8] {
        transpose::unslice_by_interleaving(ranks)
    }

    #[inline(always)]
    unsafe fn load_first(from: *const u64, boards: usize) -> Self {
        // SAFETY: the first boards are readable; masked-off elements are not read.
        unsafe { Self::new(_mm256_maskload_epi64(from.cast(), first(boards))) }
    }
    #[inline(always)]
    unsafe fn store_first(self, to: *mut u64, boards: usize) {
        // SAFETY: the first boards are writable; masked-off elements are not written.
        unsafe { _mm256_maskstore_epi64(to.cast(), first(boards), self.0) }
    }

    #[inline(always)]
    unsafe fn load_lanes(from: *const u64, stride: usize) -> Self {
        // SAFETY: the lanes are readable; the loads may be unaligned.
        unsafe { Self::new(_mm256_loadu2_m128i(from.add(stride).cast(), from.cast())) }
    }
    #[inline(always)]
    unsafe fn store_lanes(self, to: *mut u64, stride: usize) {
        // SAFETY: the lanes are writable; the stores may be unaligned.
        unsafe { _mm256_storeu2_m128i(to.add(stride).cast(), to.cast(), self.0) }
    }
    #[inline(always)]
    fn transpose_lanes(self, other: Self) -> (Self, Self) {
        // SAFETY: a value of this type proves that the CPU has the features.
        unsafe {
            (
                Self::new(_mm256_unpacklo_epi64(self.0, other.0)),
                Self::new(_mm256_unpackhi_epi64(self.0, other.0)),
            )
        }
    }

    #[inline(always)]
    unsafe fn of_squares(squares: *const u8) -> Self {
        // SAFETY: four square numbers are readable.
        unsafe {
            let squares = _mm_cvtsi32_si128(squares.cast::<i32>().read_unaligned());
            let squares = _mm256_cvtepu8_epi64(_mm_and_si128(squares, _mm_set1_epi8(63)));
            Self::new(_mm256_sllv_epi64(_mm256_set1_epi64x(1), squares))
        }
    }

    /// Reorders the square numbers into the slices' order of boards. A board's number within a
    /// block has the bits `vvvln` (v: vector, l: 16-byte lane, n: place in the lane). The board's
    /// place in a slice has the bits `lvvvn`.
    #[inline(always)]
    unsafe fn slice_bytes(bytes: *const u8) -> Self {
        // SAFETY: the boards are readable; the load may be unaligned.
        unsafe {
            let pairs_by_lane = _mm256_broadcastsi128_si256(_mm_setr_epi8(
                0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15,
            ));
            let bytes = _mm256_loadu_si256(bytes.cast());
            let lanes = _mm256_shuffle_epi8(bytes, pairs_by_lane);
            Self::new(_mm256_permute4x64_epi64::<0b11_01_10_00>(lanes))
        }
    }
    /// The inverse of the two shuffles in `slice_bytes`.
    #[inline(always)]
    unsafe fn unslice_bytes(self, bytes: *mut u8) {
        // SAFETY: the bytes are writable; the store may be unaligned.
        unsafe {
            let pairs_by_vector = _mm256_broadcastsi128_si256(_mm_setr_epi8(
                0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15,
            ));
            let lanes = _mm256_permute4x64_epi64::<0b11_01_10_00>(self.0);
            _mm256_storeu_si256(bytes.cast(), _mm256_shuffle_epi8(lanes, pairs_by_vector));
        }
    }
    /// Looks up both halves of each byte.
    #[inline(always)]
    fn count_bits(self) -> Self {
        // SAFETY: a value of this type proves that the CPU has the features.
        unsafe {
            let counts = _mm256_broadcastsi128_si256(_mm_setr_epi8(
                0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
            ));
            let low = _mm256_set1_epi8(15);
            let high = _mm256_and_si256(_mm256_srli_epi16::<4>(self.0), low);
            let low = _mm256_shuffle_epi8(counts, _mm256_and_si256(self.0, low));
            Self::new(_mm256_add_epi8(low, _mm256_shuffle_epi8(counts, high)))
        }
    }
    #[inline(always)]
    fn add_saturating(self, other: Self) -> Self {
        // SAFETY: a value of this type proves that the CPU has the features.
        unsafe { Self::new(_mm256_adds_epu8(self.0, other.0)) }
    }
    #[inline(always)]
    fn ne_mask(self, other: Self) -> Self {
        // SAFETY: a value of this type proves that the CPU has the features.
        unsafe { !Self::new(_mm256_cmpeq_epi8(self.0, other.0)) }
    }
    /// Looks the file up: `vpshufb` uses four bits of the index, so the table repeats its eight
    /// bytes.
    #[inline(always)]
    fn file_of_square(self) -> Self {
        // SAFETY: a value of this type proves that the CPU has the features.
        unsafe {
            let files = _mm256_set1_epi64x(super::FILES);
            Self::new(_mm256_shuffle_epi8(files, self.0))
        }
    }
}

impl<W: ByteShifts<Self> + ByteShifts<Xmm<W>>> Interleave for Ymm<W> {
    #[inline(always)]
    fn interleave(self, other: Self) -> (Self, Self) {
        // SAFETY: a value of this type proves that the CPU has the features.
        unsafe {
            (
                Self::new(_mm256_unpacklo_epi8(self.0, other.0)),
                Self::new(_mm256_unpackhi_epi8(self.0, other.0)),
            )
        }
    }
}

/// The mask of the first `boards` elements.
#[inline]
#[target_feature(enable = "avx2")]
fn first(boards: usize) -> __m256i {
    let count = _mm256_set1_epi64x(boards.cast_signed() as i64);
    _mm256_cmpgt_epi64(count, _mm256_setr_epi64x(0, 1, 2, 3))
}
