//! Legal moves with SSE2, AVX2 and AVX-512.

use core::arch::x86_64::*;

use super::shifts::WordShifts;
use super::xmm::Xmm;
use super::ymm::Ymm;
use super::zmm::Zmm;
use crate::kernels::generic::board_rays::Borrow;
use crate::kernels::generic::moves::after::{self, Play, Singly};
use crate::kernels::generic::moves::list::{Fours, Write};
use crate::kernels::generic::moves::move_entries;
use crate::kernels::geometry::leapers::{NOT_A, NOT_H};
use crate::kernels::geometry::{AfterColumns, Move, State};

move_entries! {
    /// Two boards at a time.
    SSE2_MOVES: Xmm<WordShifts>, Borrow, Fours, Singly, "sse2"
}
move_entries! {
    /// Four boards at a time, and four successors.
    AVX2_MOVES: Ymm<WordShifts>, Borrow, Fours, FourMoves, "avx2,popcnt"
}
move_entries! {
    /// Eight boards at a time; a set is compressed to its squares.
    AVX512_MOVES: Zmm<WordShifts>, Borrow, Compress, FourMoves,
    "avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt"
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
                return Fours.pawns(list, behind, targets, flip);
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
        planes: [u64; 4],
        state: State,
        moves: *const Move,
        first: usize,
        end: usize,
        after: &AfterColumns,
    ) -> usize {
        let [white, diagonal, straight, steppers] = planes;
        let occupied = diagonal | straight | steppers;
        let is_black = state.side & 1 != 0;
        let own = if is_black { occupied & !white } else { white & occupied };
        let white = white & occupied;
        let pawns = steppers & !diagonal & !straight;
        let (own_pawns, enemy_pawns) = (pawns & own, pawns & !own);
        let beside = (enemy_pawns & NOT_A) >> 1 | (enemy_pawns & NOT_H) << 1;
        // Where a pawn's arrival needs another look: en passant, and after two steps beside a pawn.
        let fourth = if is_black { 0xff << 32 } else { 0xff << 24 };
        let mut odd = beside & fourth;
        if state.en_passant < 64 {
            odd |= 1 << state.en_passant;
        }
        let rights = u64::from(state.castling[0]) | u64::from(state.castling[1]) << 56;
        let king = steppers & straight & own;
        let home: u64 = if is_black { !(0xff << 56) } else { !0xff };
        // SAFETY: the caller's contract, and the CPU has AVX2.
        unsafe {
            let splat = |set: u64| _mm256_set1_epi64x(set.cast_signed());
            let zero = _mm256_setzero_si256();
            let (one, low) = (splat(1), splat(63));
            let boards = [splat(diagonal), splat(straight), splat(steppers)];
            let (white, whites) = (splat(white), splat(if is_black { 0 } else { !0 }));
            let (own, own_pawns, odd, king) =
                (splat(own), splat(own_pawns), splat(odd), splat(king));
            let (rights, home) = (splat(rights), splat(!home));
            let outer = _mm256_setr_epi8(
                0, 8, -1, -1, 7, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 8, -1, -1, 7, 15,
                -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
            );
            let side = u32::from(state.side & 1 ^ 1) * 0x0101_0101;
            let mut n = first;
            while n + 4 <= end {
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
                    for i in n..n + 4 {
                        after::one(planes, state, moves, i, after);
                    }
                }
                n += 4;
            }
            n
        }
    }
}
