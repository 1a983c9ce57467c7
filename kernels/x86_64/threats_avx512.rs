//! Threats with AVX-512 of the Ice Lake class: a view is one ZMM register.
//!
//! The squares of a view come from arithmetic, not from a table: in numbers with a gap between file
//! and rank (0x88), a step is an addition and a square off the board has one of the bits in the
//! gaps. `gf2p8affineqb` removes the gaps.

use core::arch::x86_64::*;

use super::threats_avx512_batch::Planes;
use crate::kernels::generic::threats::view::{
    Bytes, IN_ORDER, Patterns, View, patterns, view_entries,
};
use crate::kernels::generic::threats::{Aligned, JUMPS, RAYS, Threats};

static PATTERNS: Patterns = patterns(IN_ORDER);

/// The bits of a square number with gaps that are set only off the board.
pub(super) const GAPS: i8 = 0x88_u8.cast_signed();

/// Byte `7 - i` of the matrix selects bit `i` of the result: bits 0 to 2, then 4 to 6.
pub(super) const WITHOUT_GAPS: i64 = i64::from_be_bytes([1, 2, 4, 16, 32, 64, 0, 0]);

/// What each byte of a view adds to a square's number with gaps.
static STEPS: Aligned<[u8; 64]> = Aligned({
    let mut steps = [0; 64];
    let mut i = 0;
    while i < 64 {
        let ((files, ranks), times) =
            if i % 8 == 0 { (JUMPS[i / 8], 1) } else { (RAYS[i / 8], i % 8) };
        steps[i] = (times as i8 * (16 * ranks + files)).cast_unsigned();
        i += 1;
    }
    steps
});

/// The even elements of two registers.
static EVEN: Aligned<[u32; 16]> =
    Aligned([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30]);

/// 64 bytes.
#[derive(Clone, Copy)]
struct Whole(__m512i);

/// # Safety
/// The CPU has AVX-512, and the bytes are aligned.
#[inline(always)]
pub(super) unsafe fn aligned(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: the caller's contract.
    unsafe { _mm512_load_si512(bytes.as_ptr().cast()) }
}

/// All 128-bit quarters are the table.
///
/// # Safety
/// The CPU has AVX-512, and the bytes are aligned.
#[inline(always)]
pub(super) unsafe fn table(bytes: &[u8; 16]) -> __m512i {
    // SAFETY: the caller's contract.
    unsafe { _mm512_broadcast_i32x4(_mm_load_si128(bytes.as_ptr().cast())) }
}

/// The low four bits of a board's codes.
///
/// # Safety
/// The CPU has AVX-512.
#[inline(always)]
pub(super) unsafe fn codes(board: *const [u8; 64]) -> __m512i {
    // SAFETY: the caller's contract.
    unsafe { _mm512_and_si512(_mm512_loadu_si512(board.cast()), _mm512_set1_epi8(15)) }
}

impl Bytes for Whole {
    const TEST_JUMPS: bool = true;
    const PATTERNS: &'static Patterns = &PATTERNS;

    type Entries = __m512i;

    #[inline(always)]
    unsafe fn view(board: *const [u8; 64], square: u8, rules: &Rules) -> View<Self> {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let with_gaps = (square + (square & 0x38)).cast_signed();
            let with_gaps = _mm512_add_epi8(aligned(&STEPS.0), _mm512_set1_epi8(with_gaps));
            let on_board = _mm512_testn_epi8_mask(with_gaps, _mm512_set1_epi8(GAPS));
            // Off the board, a byte gets the number of another square, but its kind is 0.
            let matrix = _mm512_set1_epi64(WITHOUT_GAPS);
            let squares = _mm512_gf2p8affine_epi64_epi8::<0>(with_gaps, matrix);
            // Masked after the permutation: LLVM would permute a constant mask as well.
            let codes = _mm512_permutexvar_epi8(squares, _mm512_loadu_si512(board.cast()));
            let codes = _mm512_and_si512(codes, _mm512_set1_epi8(15));
            let kinds = _mm512_maskz_shuffle_epi8(on_board, table(&rules.kinds), codes);
            View { squares: Whole(squares), codes: Whole(codes), kinds: Whole(kinds) }
        }
    }

    /// May put the byte off the board, too, where it is beyond all pieces.
    #[inline(always)]
    unsafe fn put(self, squares: Self, square: u8, byte: u8) -> Self {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let square = _mm512_set1_epi8(square.cast_signed());
            let there = _mm512_cmpeq_epi8_mask(squares.0, square);
            Whole(_mm512_mask_mov_epi8(self.0, there, _mm512_set1_epi8(byte.cast_signed())))
        }
    }

    #[inline(always)]
    unsafe fn nearest(self) -> Self {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let rays = _mm512_and_si512(self.0, _mm512_set1_epi64(!0xff));
            Whole(_mm512_and_si512(rays, _mm512_sub_epi64(_mm512_setzero_si512(), rays)))
        }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: the contract of `Bytes`.
        unsafe { Whole(_mm512_and_si512(self.0, other.0)) }
    }

    #[inline(always)]
    unsafe fn look_up(self, bytes: &[u8; 16]) -> Self {
        // SAFETY: the contract of `Bytes`.
        unsafe { Whole(_mm512_shuffle_epi8(table(bytes), self.0)) }
    }

    #[inline(always)]
    unsafe fn test(self, pattern: &[u8; 64]) -> u32 {
        // SAFETY: the contract of `Bytes`.
        unsafe { u32::from(_mm512_test_epi64_mask(self.0, aligned(pattern))) }
    }

    #[inline(always)]
    unsafe fn test_jumps(self, pattern: &[u8; 64]) -> u32 {
        // SAFETY: the contract of `Bytes`.
        unsafe { Whole(_mm512_and_si512(self.0, _mm512_set1_epi64(0xff))).test(pattern) }
    }

    #[inline(always)]
    unsafe fn entries(codes: Self, squares: Self, nearest: Self) -> Self::Entries {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            // Only one byte of a lane is left, so the sum is that byte.
            let near = _mm512_test_epi8_mask(nearest.0, nearest.0);
            let sum =
                |bytes| _mm512_sad_epu8(_mm512_maskz_mov_epi8(near, bytes), _mm512_setzero_si512());
            let rays = _mm512_or_si512(sum(codes.0), _mm512_slli_epi64::<8>(sum(squares.0)));
            // The low byte of the codes, the next of the squares.
            let jumps = _mm512_ternarylogic_epi64::<0xca>(
                _mm512_set1_epi64(0xff),
                codes.0,
                _mm512_slli_epi64::<8>(squares.0),
            );
            let even = _mm512_load_si512(EVEN.0.as_ptr().cast());
            let entries = _mm512_permutex2var_epi32(rays, even, jumps);
            _mm512_and_si512(entries, _mm512_set1_epi32(0xffff))
        }
    }

    #[inline(always)]
    unsafe fn store_out(entries: Self::Entries, focus: u32, mask: u32, list: *mut u32) {
        // SAFETY: the contract of `Bytes`. At most eight entries are in the mask.
        unsafe {
            let focus = _mm512_set1_epi32(focus.cast_signed());
            let threats = _mm512_or_si512(_mm512_slli_epi32::<16>(entries), focus);
            let threats = _mm512_maskz_compress_epi32(mask as u16, threats);
            _mm256_storeu_si256(list.cast(), _mm512_castsi512_si256(threats));
        }
    }

    #[inline(always)]
    unsafe fn store_in(entries: Self::Entries, focus: u32, mask: u32, list: *mut u32) {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let focus = _mm512_set1_epi32((focus << 16).cast_signed());
            let threats = _mm512_or_si512(entries, focus);
            _mm512_storeu_si512(list.cast(), _mm512_maskz_compress_epi32(mask as u16, threats));
        }
    }

    #[inline(always)]
    unsafe fn store_through<const FILTER: bool>(
        entries: Self::Entries,
        mut mask: u32,
        rules: &Rules,
        list: *mut u32,
    ) -> usize {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let attackers = _mm512_castsi512_si256(entries);
            let victims = _mm256_permute4x64_epi64::<0x4e>(attackers);
            if FILTER {
                // `vpermw` uses the low four bits of an index, here the code.
                let pairs = _mm256_loadu_si256(rules.pairs.as_ptr().cast());
                let rows = _mm256_permutexvar_epi16(attackers, pairs);
                let codes = _mm256_and_si256(victims, _mm256_set1_epi32(15));
                let bits = _mm256_sllv_epi32(_mm256_set1_epi32(1), codes);
                mask &= u32::from(_mm256_test_epi32_mask(rows, bits));
            }
            let threats = _mm256_or_si256(attackers, _mm256_slli_epi32::<16>(victims));
            _mm256_storeu_si256(list.cast(), _mm256_maskz_compress_epi32(mask as u8, threats));
            Self::count(mask)
        }
    }

    #[inline(always)]
    unsafe fn count(mask: u32) -> usize {
        mask.count_ones() as usize
    }
}

view_entries!(Whole, Planes, "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,gfni,popcnt");

pub(super) const AVX512_THREATS: Threats = Threats { entries: ENTRIES, gains: true };
