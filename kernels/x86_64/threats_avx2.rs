//! Threats with AVX2: the view of a square in two YMM registers.
//!
//! Lists are compressed without a loop: a mask selects one of 256 shuffles ([`PACK`]).

use core::arch::x86_64::*;

use super::threats_avx2_batch::Planes;
use crate::kernels::generic::threats::view::{
    Bytes, Patterns, View, patterns, view_entries, view_squares,
};
use crate::kernels::generic::threats::{Aligned, PACK, Threats};

/// The rays in the lanes of both registers. One `vshufps` puts the low halves of these lanes in
/// order, and the opposite ray is then in the other 128 bits.
const LANES: [usize; 8] = [0, 1, 4, 5, 2, 3, 6, 7];

/// By square: the squares of its view.
pub(super) static VIEW_SQUARES: Aligned<[[u8; 64]; 64]> = Aligned(view_squares(LANES));
pub(super) static PATTERNS: Patterns = patterns(LANES);

/// 64 bytes.
#[derive(Clone, Copy)]
pub(super) struct Pair(pub(super) __m256i, pub(super) __m256i);

/// # Safety
/// The CPU has AVX2, and 32 bytes are readable.
#[inline(always)]
pub(super) unsafe fn load(bytes: *const u8) -> __m256i {
    // SAFETY: the caller's contract.
    unsafe { _mm256_loadu_si256(bytes.cast()) }
}

/// Both 128-bit halves are the table.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn table(bytes: &[u8; 16]) -> __m256i {
    // SAFETY: the caller's contract. The tables of `Rules` are aligned.
    unsafe { _mm256_broadcastsi128_si256(_mm_load_si128(bytes.as_ptr().cast())) }
}

/// A board of codes, two squares per byte: the low half has squares 0 to 15, each with the square
/// 32 higher in its upper four bits; the high half the other squares.
#[derive(Clone, Copy)]
pub(super) struct Packed(__m256i, __m256i);

impl Packed {
    /// # Safety
    /// The CPU has AVX2.
    #[inline(always)]
    pub(super) unsafe fn new(board: *const [u8; 64]) -> Packed {
        // SAFETY: the caller's contract.
        unsafe {
            let low = _mm256_set1_epi8(15);
            let first = _mm256_and_si256(load(board.cast()), low);
            let second = _mm256_slli_epi16::<4>(load(board.cast::<u8>().add(32)));
            let packed = _mm256_or_si256(first, _mm256_andnot_si256(low, second));
            Packed(
                _mm256_permute2x128_si256::<0x00>(packed, packed),
                _mm256_permute2x128_si256::<0x11>(packed, packed),
            )
        }
    }

    /// The codes of these squares; 0 for a byte with bit 7.
    ///
    /// # Safety
    /// The CPU has AVX2.
    #[inline(always)]
    pub(super) unsafe fn codes(self, squares: __m256i) -> __m256i {
        // SAFETY: the caller's contract.
        unsafe {
            // Shifts move bits 4 and 5 of the squares to bit 7, which selects.
            let pairs = _mm256_blendv_epi8(
                _mm256_shuffle_epi8(self.0, squares),
                _mm256_shuffle_epi8(self.1, squares),
                _mm256_slli_epi16::<3>(squares),
            );
            let upper = _mm256_srli_epi16::<4>(pairs);
            let codes = _mm256_blendv_epi8(pairs, upper, _mm256_slli_epi16::<2>(squares));
            _mm256_and_si256(codes, _mm256_set1_epi8(15))
        }
    }
}

/// The low halves of the eight 64-bit lanes, in the order of the rays.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn low_halves(a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: the caller's contract.
    unsafe {
        let (a, b) = (_mm256_castsi256_ps(a), _mm256_castsi256_ps(b));
        _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(a, b))
    }
}

/// Moves the entries in the low eight bits of the mask to the front.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn compress(mask: u32, entries: __m256i) -> __m256i {
    // SAFETY: the caller's contract; the index is below 256.
    unsafe {
        let order = PACK.0.get_unchecked((mask & 0xff) as usize);
        let order = _mm256_cvtepu8_epi32(_mm_loadl_epi64(order.as_ptr().cast()));
        _mm256_permutevar8x32_epi32(entries, order)
    }
}

impl Bytes for Pair {
    const TEST_JUMPS: bool = false;
    const PATTERNS: &'static Patterns = &PATTERNS;

    type Entries = (__m256i, __m256i);

    #[inline(always)]
    unsafe fn view(board: *const [u8; 64], square: u8, rules: &Rules) -> View<Self> {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let board = Packed::new(board);
            let squares = VIEW_SQUARES.0.get_unchecked(usize::from(square)).as_ptr();
            let squares = Pair(load(squares), load(squares.add(32)));
            let codes = Pair(board.codes(squares.0), board.codes(squares.1));
            // Bit 7 of a square off the board makes the look-up return 0.
            let kinds = table(&rules.kinds);
            let kind = |codes, squares| {
                let off = _mm256_and_si256(squares, _mm256_set1_epi8(-128));
                _mm256_shuffle_epi8(kinds, _mm256_or_si256(codes, off))
            };
            let kinds = Pair(kind(codes.0, squares.0), kind(codes.1, squares.1));
            View { squares, codes, kinds }
        }
    }

    #[inline(always)]
    unsafe fn put(self, squares: Self, square: u8, byte: u8) -> Self {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let square = _mm256_set1_epi8(square.cast_signed());
            let byte = _mm256_set1_epi8(byte.cast_signed());
            let put = |bytes, squares| {
                _mm256_blendv_epi8(bytes, byte, _mm256_cmpeq_epi8(squares, square))
            };
            Pair(put(self.0, squares.0), put(self.1, squares.1))
        }
    }

    #[inline(always)]
    unsafe fn nearest(self) -> Self {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let lowest = |lanes| {
                let ray = _mm256_and_si256(lanes, _mm256_set1_epi64x(!0xff));
                _mm256_and_si256(ray, _mm256_sub_epi64(_mm256_setzero_si256(), ray))
            };
            Pair(lowest(self.0), lowest(self.1))
        }
    }

    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: the contract of `Bytes`.
        unsafe { Pair(_mm256_and_si256(self.0, other.0), _mm256_and_si256(self.1, other.1)) }
    }

    #[inline(always)]
    unsafe fn look_up(self, bytes: &[u8; 16]) -> Self {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let table = table(bytes);
            Pair(_mm256_shuffle_epi8(table, self.0), _mm256_shuffle_epi8(table, self.1))
        }
    }

    #[inline(always)]
    unsafe fn test(self, pattern: &[u8; 64]) -> u32 {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let zero = _mm256_setzero_si256();
            let first = _mm256_and_si256(self.0, load(pattern.as_ptr()));
            let second = _mm256_and_si256(self.1, load(pattern.as_ptr().add(32)));
            let none =
                low_halves(_mm256_cmpeq_epi64(first, zero), _mm256_cmpeq_epi64(second, zero));
            _mm256_movemask_ps(_mm256_castsi256_ps(none)).cast_unsigned() ^ 0xff
        }
    }

    #[inline(always)]
    unsafe fn test_jumps(self, pattern: &[u8; 64]) -> u32 {
        // SAFETY: the contract of `Bytes`.
        unsafe { self.test(pattern) }
    }

    #[inline(always)]
    unsafe fn entries(codes: Self, squares: Self, nearest: Self) -> Self::Entries {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let zero = _mm256_setzero_si256();
            // Only one byte of a lane is left, so the sum is that byte.
            let others =
                Pair(_mm256_cmpeq_epi8(nearest.0, zero), _mm256_cmpeq_epi8(nearest.1, zero));
            let sum = |bytes: Pair| {
                low_halves(
                    _mm256_sad_epu8(_mm256_andnot_si256(others.0, bytes.0), zero),
                    _mm256_sad_epu8(_mm256_andnot_si256(others.1, bytes.1), zero),
                )
            };
            let first = |bytes: Pair| {
                _mm256_and_si256(low_halves(bytes.0, bytes.1), _mm256_set1_epi32(0xff))
            };
            let join = |codes, squares| _mm256_or_si256(codes, _mm256_slli_epi32::<8>(squares));
            (join(sum(codes), sum(squares)), join(first(codes), first(squares)))
        }
    }

    #[inline(always)]
    unsafe fn store_out(entries: Self::Entries, focus: u32, mask: u32, list: *mut u32) {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let victims = if mask > 0xff { entries.1 } else { entries.0 };
            let focus = _mm256_set1_epi32(focus.cast_signed());
            let threats = _mm256_or_si256(_mm256_slli_epi32::<16>(victims), focus);
            _mm256_storeu_si256(list.cast(), compress(mask | mask >> 8, threats));
        }
    }

    #[inline(always)]
    unsafe fn store_in(entries: Self::Entries, focus: u32, mask: u32, list: *mut u32) {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let focus = _mm256_set1_epi32((focus << 16).cast_signed());
            let near = compress(mask, _mm256_or_si256(entries.0, focus));
            _mm256_storeu_si256(list.cast(), near);
            let jumps = compress(mask >> 8, _mm256_or_si256(entries.1, focus));
            _mm256_storeu_si256(list.add(Self::count(mask & 0xff)).cast(), jumps);
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
            let attackers = entries.0;
            let victims = _mm256_permute4x64_epi64::<0x4e>(attackers);
            if FILTER {
                // The row of pairs of each attacker, shifted so that the victim's bit is the sign.
                let codes = _mm256_set1_epi32(15);
                let row = |bytes| {
                    let bytes =
                        _mm256_shuffle_epi8(table(bytes), _mm256_and_si256(attackers, codes));
                    _mm256_and_si256(bytes, _mm256_set1_epi32(0xff))
                };
                let [low, high] = &rules.pair_bytes;
                let rows = _mm256_or_si256(row(low), _mm256_slli_epi32::<8>(row(high)));
                let shifts =
                    _mm256_sub_epi32(_mm256_set1_epi32(31), _mm256_and_si256(victims, codes));
                let counts = _mm256_castsi256_ps(_mm256_sllv_epi32(rows, shifts));
                mask &= _mm256_movemask_ps(counts).cast_unsigned();
            }
            let threats = _mm256_or_si256(attackers, _mm256_slli_epi32::<16>(victims));
            _mm256_storeu_si256(list.cast(), compress(mask, threats));
            Self::count(mask)
        }
    }

    #[inline(always)]
    unsafe fn count(mask: u32) -> usize {
        mask.count_ones() as usize
    }
}

view_entries!(Pair, Planes, "avx2,popcnt");

pub(super) const AVX2_THREATS: Threats = Threats { entries: ENTRIES, gains: true };
