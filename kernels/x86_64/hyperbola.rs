//! Hyperbola Quintessence in vector registers: several lines of one square, or one line of several
//! squares.
//!
//! Line masks exclude the slider, as in [`one_square`]. `setwise::techniques::hyperbola` explains
//! the forms.

use core::arch::x86_64::*;

use super::vpperm::{REVERSE_BITS, XopExecutor};
use crate::kernels::generic::one_board::OneBoard;
use crate::kernels::generic::one_square::{self, SliderLines};
use crate::kernels::geometry::Line;
use crate::kernels::geometry::line::LINES;

/// SSSE3: general registers, except that `pshufb` reverses both diagonals of a square together.
/// This takes 0.7-0.8x the time of two byte swaps (Emerald Rapids).
pub(super) struct DiagonalsByPshufb(());

impl OneBoard for DiagonalsByPshufb {
    #[inline(always)]
    unsafe fn new() -> Self {
        DiagonalsByPshufb(())
    }
    #[inline(always)]
    fn attacks_from<Op: SliderLines>(self, op: Op, square: u8, occupied: u64) -> u64 {
        if !(op.follows(Line::Diagonal) && op.follows(Line::Antidiagonal)) {
            return one_square::attacks(op, square, occupied);
        }
        // SAFETY: `self` proves that the CPU has SSSE3.
        let diagonal = unsafe { bishop_by_pshufb(square, occupied) };
        if op.follows(Line::Rank) {
            diagonal | one_square::rook_attacks(square, occupied)
        } else {
            diagonal
        }
    }
}

/// Attacks along both diagonals of one square. Each `pshufb` reverses both lines at once.
#[inline]
#[target_feature(enable = "ssse3")]
pub(crate) fn bishop_by_pshufb(square: u8, occupied: u64) -> u64 {
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

/// Rook and bishop attacks from one square, with two VPPERMs. The first reverses the occupancy and
/// the slider. The second reverses the downward rays of the rook and of the bishop back.
///
/// Downward rays are computed as upward rays of the reversed board. On that board the slider stands
/// on `63 - square`, and the lines of that square are the reversed lines.
///
/// # Safety
/// The CPU has what the executor needs.
#[inline]
#[target_feature(enable = "ssse3")]
pub(crate) unsafe fn rook_and_bishop_by_vpperm<Executor: XopExecutor>(
    square: u8,
    occupied: u64,
) -> [u64; 2] {
    let (board, slider) = (both(occupied), both(1 << square));
    // SAFETY: the CPU has what the executor needs.
    let reversed = unsafe { Executor::permute(board, slider, low_halves_reversed()) };
    let reversed_board = _mm_unpacklo_epi64(reversed, reversed);
    let reversed_slider = _mm_unpackhi_epi64(reversed, reversed);

    let [straight, diagonal] = half_rows(square);
    let rook = upward(board, slider, straight);
    let bishop = upward(board, slider, diagonal);
    let [straight, diagonal] = half_rows(63 - square);
    let rook_down = upward(reversed_board, reversed_slider, straight);
    let bishop_down = upward(reversed_board, reversed_slider, diagonal);

    let up = _mm_or_si128(_mm_unpacklo_epi64(rook, bishop), _mm_unpackhi_epi64(rook, bishop));
    let both_lines = |lines| _mm_or_si128(lines, _mm_unpackhi_epi64(lines, lines));
    let (rook_down, bishop_down) = (both_lines(rook_down), both_lines(bishop_down));
    // SAFETY: as above.
    let down = unsafe { Executor::permute(rook_down, bishop_down, low_halves_reversed()) };
    halves(_mm_or_si128(up, down))
}

/// A selector that takes the low halves of both sources and reverses each as a 64-bit number.
#[inline]
#[target_feature(enable = "ssse3")]
fn low_halves_reversed() -> __m128i {
    let bytes = _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 23, 22, 21, 20, 19, 18, 17, 16);
    _mm_or_si128(bytes, _mm_set1_epi64x(i64::from_ne_bytes([REVERSE_BITS; 8])))
}

/// Attacks on squares with higher numbers, along two lines.
#[inline]
#[target_feature(enable = "ssse3")]
fn upward(board: __m128i, slider: __m128i, lines: __m128i) -> __m128i {
    let others = _mm_and_si128(board, lines);
    let changed = _mm_xor_si128(others, _mm_sub_epi64(others, slider));
    _mm_and_si128(changed, lines)
}

/// Attacks along all four lines of one square, in one register. `pshufb` reverses the order of the
/// bytes, and two `pshufb` look-ups reverse the bits of each byte.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn queen_in_one_register(square: u8, occupied: u64) -> u64 {
    let lines = &LINES[usize::from(square)].0;
    // SAFETY: a row of the table is 32 bytes; the load may be unaligned.
    let lines = unsafe { _mm256_loadu_si256(lines.as_ptr().cast()) };
    let slider = 1_u64 << square;
    let splat = |board: u64| _mm256_set1_epi64x(board.cast_signed());
    let others = _mm256_and_si256(splat(occupied), lines);
    let forward = _mm256_sub_epi64(others, splat(slider));
    let backward = _mm256_sub_epi64(reverse_bits(others), splat(1 << (63 - square)));
    let changed = _mm256_xor_si256(forward, reverse_bits(backward));
    let attacks = _mm256_and_si256(changed, lines);
    let [one, other] = halves(_mm_or_si128(
        _mm256_castsi256_si128(attacks),
        _mm256_extracti128_si256::<1>(attacks),
    ));
    one | other
}

/// Reverses the 64 bits of each board.
#[inline]
#[target_feature(enable = "avx2")]
fn reverse_bits(boards: __m256i) -> __m256i {
    let swap = _mm256_setr_epi8(
        7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, //
        7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8,
    );
    // Maps a nibble to its reverse in the low half of a byte. Shifted left by four, the table's
    // entries are in the high half.
    let to_low = _mm256_setr_epi8(
        0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15, //
        0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15,
    );
    let nibble = _mm256_set1_epi8(0x0f);
    let bytes = _mm256_shuffle_epi8(boards, swap);
    let low = _mm256_and_si256(bytes, nibble);
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble);
    let to_high = _mm256_slli_epi16::<4>(to_low);
    _mm256_or_si256(_mm256_shuffle_epi8(to_high, low), _mm256_shuffle_epi8(to_low, high))
}

/// The lines through a square: rank and file in the first register, both diagonals in the second.
#[inline]
#[target_feature(enable = "ssse3")]
fn half_rows(square: u8) -> [__m128i; 2] {
    let row = (&raw const LINES[usize::from(square)]).cast::<__m128i>();
    // SAFETY: a row of the table is 32 bytes; the loads may be unaligned.
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
    [_mm_cvtsi128_si64(boards).cast_unsigned(), _mm_cvtsi128_si64(high).cast_unsigned()]
}

/// Attacks along both diagonals of four squares below 64, on four boards, one per 64-bit lane.
///
/// The four boards share the subtractions and byte swaps. The expensive part is gathering the
/// masks. The masks of a square's two diagonals are adjacent in the table, so four 16-byte loads
/// and two unpacks gather all eight.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn four_bishops(squares: [u8; 4], occupied: [u64; 4]) -> [u64; 4] {
    let diagonals = diagonals(squares);
    // SAFETY: four boards are 32 bytes; the load may be unaligned.
    let occupied = unsafe { _mm256_loadu_si256(occupied.as_ptr().cast()) };
    let squares = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(i32::from_ne_bytes(squares)));
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
    let attacks = _mm256_or_si256(line(diagonals.0), line(diagonals.1));
    let mut boards = [0; 4];
    // SAFETY: four boards are 32 bytes; the store may be unaligned.
    unsafe { _mm256_storeu_si256(boards.as_mut_ptr().cast(), attacks) };
    boards
}

/// Both diagonals through each of four squares.
#[inline]
#[target_feature(enable = "avx2")]
fn diagonals(squares: [u8; 4]) -> (__m256i, __m256i) {
    let pair = |low: u8, high: u8| {
        let low = _mm256_castsi128_si256(half_rows(low)[1]);
        _mm256_inserti128_si256::<1>(low, half_rows(high)[1])
    };
    let even = pair(squares[0], squares[2]);
    let odd = pair(squares[1], squares[3]);
    (_mm256_unpacklo_epi64(even, odd), _mm256_unpackhi_epi64(even, odd))
}

/// Reverses the order of the ranks of four boards.
#[inline]
#[target_feature(enable = "avx2")]
fn swap_bytes(boards: __m256i) -> __m256i {
    let reverse = _mm256_setr_epi8(
        7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, //
        7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8,
    );
    _mm256_shuffle_epi8(boards, reverse)
}
