//! One line of four squares at once, a board in each 64 bits of an AVX2 register.
//!
//! The subtractions are those of four boards side by side, and `pshufb` swaps the bytes of all. What
//! costs is to collect the masks: those of two lines are neighbours in the table, so four 16-byte
//! loads bring both, transposed by two unpack steps.

use core::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi32_si128, _mm_loadu_si128, _mm256_and_si256, _mm256_castsi128_si256,
    _mm256_cvtepu8_epi64, _mm256_inserti128_si256, _mm256_or_si256, _mm256_set1_epi64x,
    _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_sllv_epi64,
    _mm256_sub_epi64, _mm256_unpackhi_epi64, _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use crate::kernels::generic::from_square::FromSquare;
use crate::kernels::geometry::Line;
use crate::kernels::geometry::line::LINES;

/// Attacks along the lines of an operation but the rank, from four squares on four boards.
///
/// # Safety
/// `squares` is readable for 4 bytes, all below 64.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::kernels) unsafe fn attacks<Op: FromSquare>(
    op: Op,
    squares: *const u8,
    occupied: __m256i,
) -> __m256i {
    // SAFETY: the caller's contract.
    let (file, diagonals, squares) = unsafe {
        let (_, file) = masks::<0>(squares);
        let four = _mm_cvtsi32_si128(squares.cast::<i32>().read_unaligned());
        (file, masks::<1>(squares), _mm256_cvtepu8_epi64(four))
    };
    let one = _mm256_set1_epi64x(1);
    let slider = _mm256_sllv_epi64(one, squares);
    let swapped_slider =
        _mm256_sllv_epi64(one, _mm256_xor_si256(squares, _mm256_set1_epi64x(7 << 3)));
    let line = |mask| {
        let others = _mm256_and_si256(occupied, mask);
        let forward = _mm256_sub_epi64(others, slider);
        let backward = _mm256_sub_epi64(swap_bytes(others), swapped_slider);
        _mm256_and_si256(_mm256_xor_si256(forward, swap_bytes(backward)), mask)
    };
    let mut union = _mm256_setzero_si256();
    if op.follows(Line::File) {
        union = line(file);
    }
    if op.follows(Line::Diagonal) {
        union = _mm256_or_si256(union, line(diagonals.0));
    }
    if op.follows(Line::Antidiagonal) {
        union = _mm256_or_si256(union, line(diagonals.1));
    }
    union
}

/// Two lines through each of four squares: rank and file (`HALF` 0) or the diagonals (`HALF` 1).
///
/// # Safety
/// `squares` is readable for 4 bytes, all below 64.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn masks<const HALF: usize>(squares: *const u8) -> (__m256i, __m256i) {
    let table = (&raw const LINES).cast::<[__m128i; 2]>();
    // SAFETY: the squares index a table of 64 rows, and a half row has two lines.
    let half_row = |i| unsafe {
        let row = table.add(usize::from(squares.add(i).read()));
        _mm_loadu_si128(row.cast::<__m128i>().add(HALF))
    };
    let two = |low, high| {
        let low = _mm256_castsi128_si256(half_row(low));
        _mm256_inserti128_si256::<1>(low, half_row(high))
    };
    let (even, odd) = (two(0, 2), two(1, 3));
    (
        _mm256_unpacklo_epi64(even, odd),
        _mm256_unpackhi_epi64(even, odd),
    )
}

/// The ranks of four boards in reverse.
#[inline]
#[target_feature(enable = "avx2")]
fn swap_bytes(boards: __m256i) -> __m256i {
    let reverse = _mm256_setr_epi8(
        7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, //
        7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8,
    );
    _mm256_shuffle_epi8(boards, reverse)
}
