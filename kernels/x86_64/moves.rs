//! Legal moves with SSE2, AVX2 and AVX-512.

use core::arch::x86_64::*;

use super::move_slots::{Board, KING, KNIGHT, QUEEN, write_eight, write_steps};
use super::shifts::WordShifts;
use super::xmm::Xmm;
use super::ymm::Ymm;
use super::zmm::Zmm;
use crate::kernels::generic::board_rays::Borrow;
use crate::kernels::generic::moves::after::{Before, Play};
use crate::kernels::generic::moves::list::{Ranks, Write};
use crate::kernels::generic::moves::move_entries;
use crate::kernels::generic::moves::one::MoveSets;
use crate::kernels::geometry::{AfterColumns, Move};

move_entries! {
    /// Two boards at a time, and two successors.
    SSE2_MOVES: Xmm<WordShifts>, Borrow, Ranks, TwoMoves, "sse2"
}
move_entries! {
    /// Four boards at a time, and four successors.
    AVX2_MOVES: Ymm<WordShifts>, Borrow, Eights, FourMoves, "avx2,popcnt"
}
move_entries! {
    /// Eight boards at a time; a set is compressed to its squares.
    AVX512_MOVES: Zmm<WordShifts>, Borrow, Compress, FourMoves,
    "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt"
}

/// Compresses slots of moves, eight at a time.
#[derive(Clone, Copy)]
pub(super) struct Eights;

impl Write for Eights {
    #[inline(always)]
    unsafe fn piece(self, list: *mut u16, from: u16, targets: u64, flip: u16) -> *mut u16 {
        // SAFETY: the caller's contract.
        unsafe { Ranks.piece(list, from, targets, flip) }
    }

    #[inline(always)]
    unsafe fn pawns(self, list: *mut u16, behind: u16, targets: u64, flip: u16) -> *mut u16 {
        // SAFETY: the caller's contract.
        unsafe { Ranks.pawns(list, behind, targets, flip) }
    }

    #[inline(always)]
    unsafe fn king(self, list: *mut u16, sets: &MoveSets, flip: u16) -> *mut u16 {
        // SAFETY: the caller's contract; the table has 64 elements.
        unsafe {
            let steps = KING.get_unchecked(sets.king.trailing_zeros() as usize & 63);
            let targets = _mm_cvtsi64_si128(sets.steps.cast_signed());
            write_steps(list, steps, targets, _mm_set1_epi16(flip.cast_signed()))
        }
    }

    #[inline(always)]
    unsafe fn knights(self, mut list: *mut u16, sets: &MoveSets, flip: u16) -> *mut u16 {
        let mut knights = sets.knights;
        // SAFETY: the caller's contract; the table has 65 elements.
        unsafe {
            let flip = _mm_set1_epi16(flip.cast_signed());
            let targets = _mm_cvtsi64_si128(sets.targets.cast_signed());
            // Most positions have at most two.
            for _ in 0..2 {
                let steps = KNIGHT.get_unchecked(knights.trailing_zeros() as usize);
                list = write_steps(list, steps, targets, flip);
                knights &= knights.wrapping_sub(1);
            }
            while knights != 0 {
                let steps = KNIGHT.get_unchecked(knights.trailing_zeros() as usize);
                list = write_steps(list, steps, targets, flip);
                knights &= knights - 1;
            }
        }
        list
    }

    #[inline(always)]
    unsafe fn sliders(self, mut list: *mut u16, sets: &MoveSets, flip: u16) -> *mut u16 {
        // SAFETY: the caller's contract; the table has 64 elements.
        unsafe {
            let board = Board::new(sets);
            let flip = _mm_set1_epi16(flip.cast_signed());
            let mut sliders = sets.all_sliders();
            while sliders != 0 {
                let from = sliders.trailing_zeros() as usize;
                let slots = board.slides(from);
                let moves = &QUEEN.get_unchecked(from).moves;
                for n in 0..4 {
                    let moves = _mm_load_si128(moves.as_ptr().add(8 * n).cast());
                    list = write_eight(list, moves, (slots >> (8 * n)) as u8, flip);
                }
                sliders &= sliders - 1;
            }
        }
        list
    }
}

/// Compresses a set to its squares (`vpcompressb`), 32 at most at a time.
#[derive(Clone, Copy)]
pub(super) struct Compress;

/// The first 32 squares of a set as words.
///
/// # Safety
/// The CPU has AVX-512 VBMI2.
#[inline(always)]
unsafe fn squares(set: u64) -> __m512i {
    static SQUARES: [u8; 64] = {
        let mut squares = [0; 64];
        let mut square = 0;
        while square < 64 {
            squares[square] = square as u8;
            square += 1;
        }
        squares
    };
    // SAFETY: 64 bytes are readable; the caller's contract.
    unsafe {
        let all = _mm512_loadu_si512(SQUARES.as_ptr().cast());
        let bytes = _mm512_maskz_compress_epi8(set, all);
        _mm512_cvtepu8_epi16(_mm512_castsi512_si256(bytes))
    }
}

impl Write for Compress {
    #[inline(always)]
    unsafe fn piece(self, list: *mut u16, from: u16, targets: u64, flip: u16) -> *mut u16 {
        // SAFETY: the caller's contract. A piece has 27 targets at most: positions with several
        // kings have no moves.
        unsafe {
            let base = _mm512_set1_epi16((from ^ flip).cast_signed());
            let moves = _mm512_xor_si512(_mm512_slli_epi16::<6>(squares(targets)), base);
            _mm512_storeu_si512(list.cast(), moves);
            list.add(targets.count_ones() as usize)
        }
    }

    #[inline(always)]
    unsafe fn pawns(self, list: *mut u16, behind: u16, targets: u64, flip: u16) -> *mut u16 {
        // SAFETY: the caller's contract. Pawns' targets may be more than 32 on odd boards.
        unsafe {
            if targets.count_ones() > 32 {
                return Ranks.pawns(list, behind, targets, flip);
            }
            let to = squares(targets);
            let from = _mm512_sub_epi16(to, _mm512_set1_epi16(behind.cast_signed()));
            let coded = _mm512_or_si512(from, _mm512_slli_epi16::<6>(to));
            let moves = _mm512_xor_si512(coded, _mm512_set1_epi16(flip.cast_signed()));
            _mm512_storeu_si512(list.cast(), moves);
            list.add(targets.count_ones() as usize)
        }
    }
}

/// Makes four moves at once. Castling, en passant and promotions are made again one by one.
#[derive(Clone, Copy)]
pub(super) struct FourMoves;

impl Play for FourMoves {
    #[inline(always)]
    unsafe fn play(
        self,
        before: &Before,
        moves: *const Move,
        first: usize,
        end: usize,
        after: &AfterColumns,
    ) -> usize {
        // SAFETY: the caller's contract, and the CPU has AVX2.
        unsafe {
            let splat = |set: u64| _mm256_set1_epi64x(set.cast_signed());
            let zero = _mm256_setzero_si256();
            let (one, low) = (splat(1), splat(63));
            let boards =
                [splat(before.boards[0]), splat(before.boards[1]), splat(before.boards[2])];
            let (white, whites) = (splat(before.white), splat(before.whites));
            let (own, own_pawns) = (splat(before.own), splat(before.own_pawns));
            let (odd, king) = (splat(before.odd), splat(before.king));
            let (rights, home) = (splat(before.rights), splat(before.home));
            let outer = _mm256_setr_epi8(
                0, 8, -1, -1, 7, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 8, -1, -1, 7, 15,
                -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
            );
            let side = u32::from(before.side) * 0x0101_0101;
            let mut n = first;
            while n < end {
                if end - n < 4 {
                    if end - first < 4 {
                        break;
                    }
                    // The last four moves, of which some are made again.
                    n = end - 4;
                }
                let coded = _mm256_cvtepu16_epi64(_mm_loadl_epi64(moves.add(n).cast()));
                let from = _mm256_sllv_epi64(one, _mm256_and_si256(coded, low));
                let to =
                    _mm256_sllv_epi64(one, _mm256_and_si256(_mm256_srli_epi64::<6>(coded), low));
                let both = _mm256_or_si256(from, to);
                let mine =
                    _mm256_or_si256(_mm256_andnot_si256(both, white), _mm256_and_si256(to, whites));
                _mm256_storeu_si256(after.planes[0].add(n).cast(), mine);
                for i in 0..3 {
                    // All ones if the piece is not on this plane.
                    let absent = _mm256_cmpeq_epi64(_mm256_and_si256(boards[i], from), zero);
                    let kept = _mm256_andnot_si256(both, boards[i]);
                    let board = _mm256_or_si256(kept, _mm256_andnot_si256(absent, to));
                    _mm256_storeu_si256(after.planes[i + 1].add(n).cast(), board);
                }
                let still = _mm256_cmpeq_epi64(_mm256_and_si256(from, king), zero);
                let lost = _mm256_or_si256(both, _mm256_andnot_si256(still, home));
                let left = _mm256_shuffle_epi8(_mm256_andnot_si256(lost, rights), outer);
                let left = _mm_unpacklo_epi16(
                    _mm256_castsi256_si128(left),
                    _mm256_extracti128_si256::<1>(left),
                );
                // Bytes 0 to 3: White's rights; 8 to 11: Black's.
                let left = _mm_shuffle_epi32::<0b10_00>(left);
                let words = _mm_cvtsi128_si64(left).cast_unsigned();
                after.castling[0].add(n).cast::<u32>().write_unaligned(words as u32);
                after.castling[1].add(n).cast::<u32>().write_unaligned((words >> 32) as u32);
                after.side.add(n).cast::<u32>().write_unaligned(side);
                after.en_passant.add(n).cast::<u32>().write_unaligned(0x4040_4040);
                let pawn = _mm256_cmpeq_epi64(_mm256_and_si256(own_pawns, from), zero);
                let rare = _mm256_or_si256(
                    _mm256_and_si256(own, to),
                    _mm256_andnot_si256(pawn, _mm256_and_si256(odd, to)),
                );
                let promotion = _mm256_srli_epi64::<12>(coded);
                let stray = _mm256_andnot_si256(own, from);
                let rare = _mm256_or_si256(_mm256_or_si256(rare, promotion), stray);
                if _mm256_testz_si256(rare, rare) == 0 {
                    let common = _mm256_castsi256_pd(_mm256_cmpeq_epi64(rare, zero));
                    let mut rare = !_mm256_movemask_pd(common) & 0b1111;
                    while rare != 0 {
                        before.rare(moves, n + rare.trailing_zeros() as usize, after);
                        rare &= rare - 1;
                    }
                }
                n += 4;
            }
            n
        }
    }
}

/// Makes two moves at once.
#[derive(Clone, Copy)]
pub(super) struct TwoMoves;

/// The words of `board` that have `square`, a set of one square, as masks of all ones.
///
/// # Safety
/// The CPU has SSE2.
#[inline(always)]
unsafe fn has(board: __m128i, square: __m128i) -> __m128i {
    // SAFETY: the caller's contract.
    unsafe {
        // SSE2 compares only halves. One of them is empty in both.
        let halves = _mm_cmpeq_epi32(_mm_and_si128(board, square), square);
        _mm_and_si128(halves, _mm_shuffle_epi32::<0b10_11_00_01>(halves))
    }
}

/// The squares of two numbers below 64 as sets.
///
/// # Safety
/// The CPU has SSE2.
#[inline(always)]
unsafe fn squares_of(a: u16, b: u16) -> __m128i {
    static SQUARES: [u64; 64] = {
        let mut squares = [0; 64];
        let mut n = 0;
        while n < 64 {
            squares[n] = 1 << n;
            n += 1;
        }
        squares
    };
    let [a, b] = [&SQUARES[usize::from(a & 63)], &SQUARES[usize::from(b & 63)]];
    // SAFETY: the caller's contract.
    unsafe {
        let low = _mm_loadl_epi64(core::ptr::from_ref(a).cast());
        _mm_castpd_si128(_mm_loadh_pd(_mm_castsi128_pd(low), core::ptr::from_ref(b).cast()))
    }
}

impl Play for TwoMoves {
    #[inline(always)]
    unsafe fn play(
        self,
        before: &Before,
        moves: *const Move,
        first: usize,
        end: usize,
        after: &AfterColumns,
    ) -> usize {
        // SAFETY: the caller's contract, and the CPU has SSE2.
        unsafe {
            let splat = |set: u64| _mm_set1_epi64x(set.cast_signed());
            let boards =
                [splat(before.boards[0]), splat(before.boards[1]), splat(before.boards[2])];
            let (white, whites) = (splat(before.white), splat(before.whites));
            let (own, own_pawns) = (splat(before.own), splat(before.own_pawns));
            let (odd, king) = (splat(before.odd), splat(before.king));
            let (rights, home) = (splat(before.rights), splat(before.home));
            let side = u16::from(before.side) * 0x0101;
            let mut n = first;
            while n + 2 <= end {
                let [a, b] = moves.add(n).cast::<[u16; 2]>().read_unaligned();
                let (from, to) = (squares_of(a, b), squares_of(a >> 6, b >> 6));
                let both = _mm_or_si128(from, to);
                let mine = _mm_or_si128(_mm_andnot_si128(both, white), _mm_and_si128(to, whites));
                _mm_storeu_si128(after.planes[0].add(n).cast(), mine);
                for i in 0..3 {
                    let arrived = _mm_and_si128(has(boards[i], from), to);
                    let board = _mm_or_si128(_mm_andnot_si128(both, boards[i]), arrived);
                    _mm_storeu_si128(after.planes[i + 1].add(n).cast(), board);
                }
                let lost = _mm_or_si128(both, _mm_and_si128(has(king, from), home));
                let left = _mm_andnot_si128(lost, rights);
                // Bytes 0 and 7 of both words, side by side.
                let left = _mm_or_si128(left, _mm_srli_epi64::<48>(left));
                let left = _mm_unpacklo_epi8(left, _mm_unpackhi_epi64(left, left));
                let left = _mm_cvtsi128_si32(left).cast_unsigned();
                after.castling[0].add(n).cast::<u16>().write_unaligned(left as u16);
                after.castling[1].add(n).cast::<u16>().write_unaligned((left >> 16) as u16);
                after.side.add(n).cast::<u16>().write_unaligned(side);
                after.en_passant.add(n).cast::<u16>().write_unaligned(0x4040);
                let odd_pawn = _mm_and_si128(_mm_and_si128(has(own_pawns, from), odd), to);
                let stray = _mm_andnot_si128(own, from);
                let rare = _mm_or_si128(_mm_or_si128(odd_pawn, stray), _mm_and_si128(own, to));
                let none = _mm_movemask_epi8(_mm_cmpeq_epi8(rare, _mm_setzero_si128()));
                if none != 0xffff || (a | b) >> 12 != 0 {
                    if none & 0xff != 0xff || a >> 12 != 0 {
                        before.rare(moves, n, after);
                    }
                    if none >> 8 != 0xff || b >> 12 != 0 {
                        before.rare(moves, n + 1, after);
                    }
                }
                n += 2;
            }
            n
        }
    }
}
