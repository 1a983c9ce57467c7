//! Several lines of one square in one vector register.
//!
//! Each form computes the rays upward with the slider in the board, those downward in the reversed
//! board, where the same function finds them: the lines of the square that the reversal sends
//! the slider to are the reversed lines.

use core::arch::x86_64::{
    __m128i, __m256i, _mm_and_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_loadu_si128,
    _mm_or_si128, _mm_set1_epi64x, _mm_setr_epi8, _mm_shuffle_epi8, _mm_sub_epi64,
    _mm_unpackhi_epi64, _mm_unpacklo_epi64, _mm_xor_si128, _mm256_and_si256,
    _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_or_si256,
    _mm256_set1_epi8, _mm256_set1_epi64x, _mm256_setr_epi8, _mm256_shuffle_epi8, _mm256_srli_epi16,
    _mm256_sub_epi64, _mm256_xor_si256,
};

use crate::kernels::geometry::line::LINES;
use crate::kernels::x86_64::vpperm::{REVERSE_BITS, vpperm};

/// Both diagonals of one square, reversed by `pshufb`.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn bishop_by_pshufb(square: u8, occupied: u64) -> u64 {
    let swap = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
    let [_, masks] = half_rows(square);
    let slider = 1_u64 << square;
    let others = _mm_and_si128(both(occupied), masks);
    let forward = _mm_sub_epi64(others, both(slider));
    let swapped = _mm_sub_epi64(_mm_shuffle_epi8(others, swap), both(slider.swap_bytes()));
    let changed = _mm_xor_si128(forward, _mm_shuffle_epi8(swapped, swap));
    let [one, other] = halves(_mm_and_si128(changed, masks));
    one | other
}

/// Rook and bishop attacks of one square, reversed by two `vpperm`s: the first reverses the
/// occupancy and the slider in one run, the second the rook's and the bishop's downward rays,
/// each from a register of its own.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn rook_and_bishop_by_vpperm(square: u8, occupied: u64) -> [u64; 2] {
    let (board, slider) = (both(occupied), both(1 << square));
    let reversed = vpperm(board, slider, low_halves_reversed());
    let reversed_board = _mm_unpacklo_epi64(reversed, reversed);
    let reversed_slider = _mm_unpackhi_epi64(reversed, reversed);

    let [straight, diagonal] = half_rows(square);
    let rook = upward(board, slider, straight);
    let bishop = upward(board, slider, diagonal);
    let [straight, diagonal] = half_rows(63 - square);
    let rook_down = upward(reversed_board, reversed_slider, straight);
    let bishop_down = upward(reversed_board, reversed_slider, diagonal);

    let up = _mm_or_si128(
        _mm_unpacklo_epi64(rook, bishop),
        _mm_unpackhi_epi64(rook, bishop),
    );
    let down = vpperm(
        _mm_or_si128(rook_down, _mm_unpackhi_epi64(rook_down, rook_down)),
        _mm_or_si128(bishop_down, _mm_unpackhi_epi64(bishop_down, bishop_down)),
        low_halves_reversed(),
    );
    halves(_mm_or_si128(up, down))
}

/// Selects the low half of the first source and that of the second, bits and bytes reversed.
#[inline]
#[target_feature(enable = "ssse3")]
fn low_halves_reversed() -> __m128i {
    let bytes = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 23, 22, 21, 20, 19, 18, 17, 16);
    _mm_or_si128(
        bytes,
        _mm_set1_epi64x(i64::from_ne_bytes([REVERSE_BITS; 8])),
    )
}

/// Attacks towards the greater squares along two lines.
#[inline]
#[target_feature(enable = "ssse3")]
fn upward(board: __m128i, slider: __m128i, lines: __m128i) -> __m128i {
    let others = _mm_and_si128(board, lines);
    let changed = _mm_xor_si128(others, _mm_sub_epi64(others, slider));
    _mm_and_si128(changed, lines)
}

/// All four lines of one square, both ways, in one register, reversed by `pshufb`: bytes by place,
/// bits by two look-ups.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn queen_in_one_register(square: u8, occupied: u64) -> u64 {
    let lines = &LINES[usize::from(square)].0;
    // SAFETY: a row of the table is 32 bytes; the load is an unaligned one.
    let lines = unsafe { _mm256_loadu_si256(lines.as_ptr().cast()) };
    let slider = 1_u64 << square;
    let all = |board: u64| _mm256_set1_epi64x(board.cast_signed());
    let others = _mm256_and_si256(all(occupied), lines);
    let forward = _mm256_sub_epi64(others, all(slider));
    let backward = _mm256_sub_epi64(reversed(others), all(1 << (63 - square)));
    let changed = _mm256_xor_si256(forward, reversed(backward));
    let attacks = _mm256_and_si256(changed, lines);
    let [one, other] = halves(_mm_or_si128(
        _mm256_castsi256_si128(attacks),
        _mm256_extracti128_si256::<1>(attacks),
    ));
    one | other
}

/// Four boards, each with its 64 bits reversed.
#[inline]
#[target_feature(enable = "avx2")]
fn reversed(boards: __m256i) -> __m256i {
    let swap = _mm256_setr_epi8(
        7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, //
        7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8,
    );
    // The four-bit numbers reversed, for the low half of a byte; times 16 for the high half.
    let to_low = _mm256_setr_epi8(
        0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15, //
        0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15,
    );
    let nibble = _mm256_set1_epi8(0x0f);
    let bytes = _mm256_shuffle_epi8(boards, swap);
    let low = _mm256_and_si256(bytes, nibble);
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble);
    let to_high = core::arch::x86_64::_mm256_slli_epi16::<4>(to_low);
    _mm256_or_si256(
        _mm256_shuffle_epi8(to_high, low),
        _mm256_shuffle_epi8(to_low, high),
    )
}

/// The lines through a square: rank and file, and both diagonals.
#[inline]
#[target_feature(enable = "ssse3")]
fn half_rows(square: u8) -> [__m128i; 2] {
    let row = (&raw const LINES[usize::from(square)]).cast::<__m128i>();
    // SAFETY: a row of the table is 32 bytes; the loads are unaligned ones.
    unsafe { [_mm_loadu_si128(row), _mm_loadu_si128(row.add(1))] }
}

#[inline]
#[target_feature(enable = "ssse3")]
fn both(board: u64) -> __m128i {
    let board = _mm_cvtsi64_si128(board.cast_signed());
    _mm_unpacklo_epi64(board, board)
}

#[inline]
#[target_feature(enable = "ssse3")]
fn halves(boards: __m128i) -> [u64; 2] {
    let high = _mm_unpackhi_epi64(boards, boards);
    [
        _mm_cvtsi128_si64(boards).cast_unsigned(),
        _mm_cvtsi128_si64(high).cast_unsigned(),
    ]
}
