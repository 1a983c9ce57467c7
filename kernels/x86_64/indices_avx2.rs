//! Indices of threats with AVX2: eight threats at a time, in one view or in two.
//!
//! Vectors compute where the numbers are in the table, and pack those that count. In between, each
//! number is loaded by itself. The threats of a position, in both views, take 0.62 of the time of
//! the code of `scalar` (Zen 3). Rejected, in a copy outside the library: gathers instead of loads,
//! 1.1 times the time; a call for each view, 1.1 times. 16-bit places: 0.95 of the time, but too
//! small for some numberings.
//!
//! The kernels with AVX-512 have this code, too: gathers of 16 numbers with compress stores have
//! not been measured.

use core::arch::x86_64::*;

use super::threats_avx2::compress;
use crate::kernels::generic::threats::{indices as one_by_one, portable};
use crate::kernels::geometry::{IndexList, IndexTable, Threat};

/// From this number of threats on, vectors are faster. For the few of a move they take 2.7 times
/// the time of the code of `scalar` (Zen 3).
const FEWEST: usize = 8;

/// How a side sees threats.
#[derive(Clone, Copy)]
struct View {
    /// By code of the board: that of the view.
    codes: __m256i,
    /// The bits of eight threats that the view flips: those of squares.
    flip: __m256i,
}

impl View {
    /// # Safety
    /// The CPU has AVX2.
    #[inline(always)]
    unsafe fn new(table: &IndexTable, list: &IndexList<'_>) -> View {
        // SAFETY: the caller's contract; there are sixteen codes.
        unsafe {
            let codes = _mm_loadu_si128(list.codes(table).as_ptr().cast());
            let codes = _mm_and_si128(codes, _mm_set1_epi8(15));
            let flip = _mm256_set1_epi32(i32::from(list.flip()) * 0x0100_0100);
            View { codes: _mm256_broadcastsi128_si256(codes), flip }
        }
    }

    /// The sums for eight threats. Those of excluded threats are negative.
    ///
    /// # Safety
    /// The CPU has AVX2.
    #[inline(always)]
    unsafe fn sums(self, table: &IndexTable, threats: __m256i) -> __m256i {
        // SAFETY: the caller's contract. Codes are below 16 and squares below 64, so all numbers
        // are in the arrays.
        unsafe {
            let codes = _mm256_and_si256(threats, _mm256_set1_epi32(0x000f_000f));
            // Bytes with the highest bit become 0.
            let codes = _mm256_or_si256(codes, _mm256_set1_epi16(0x8000_u16.cast_signed()));
            let codes = _mm256_shuffle_epi8(self.codes, codes);
            let attacker = _mm256_and_si256(codes, _mm256_set1_epi32(15));
            let victim = _mm256_srli_epi32::<16>(codes);
            let squares = _mm256_srli_epi32::<8>(_mm256_xor_si256(threats, self.flip));
            let from = _mm256_and_si256(squares, _mm256_set1_epi32(63));
            let to = _mm256_and_si256(_mm256_srli_epi32::<16>(squares), _mm256_set1_epi32(63));

            let pair = _mm256_or_si256(_mm256_slli_epi32::<4>(attacker), victim);
            // A true comparison is -1.
            let upwards = _mm256_cmpgt_epi32(to, from);
            let bases = in_array(_mm256_sub_epi32(_mm256_add_epi32(pair, pair), upwards));
            let squares = _mm256_or_si256(_mm256_slli_epi32::<6>(from), to);
            let places = in_array(_mm256_or_si256(_mm256_slli_epi32::<12>(attacker), squares));

            let base = table.base.as_flattened().as_flattened();
            let place = table.place.as_flattened().as_flattened();
            let sum = |i: usize| {
                let base = base.get_unchecked(bases[i] as usize);
                base.wrapping_add(*place.get_unchecked(places[i] as usize)).cast_signed()
            };
            _mm256_setr_epi32(sum(0), sum(1), sum(2), sum(3), sum(4), sum(5), sum(6), sum(7))
        }
    }
}

/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn in_array(elements: __m256i) -> [u32; 8] {
    let mut array = [0; 8];
    // SAFETY: the caller's contract; the array has eight elements.
    unsafe { _mm256_storeu_si256(array.as_mut_ptr().cast(), elements) };
    array
}

/// # Safety
/// The contract of `Entries`, `count` is the number of threats, and the CPU has AVX2 and POPCNT.
#[inline(always)]
unsafe fn fill<const VIEWS: usize>(
    threats: *const Threat,
    count: usize,
    table: &IndexTable,
    start: u32,
    mut lists: [&mut IndexList<'_>; VIEWS],
) {
    // SAFETY: the caller's contract.
    unsafe {
        let views = lists.each_ref().map(|list| View::new(table, list));
        let start = _mm256_set1_epi32(start.cast_signed());
        let mut counts = [0; VIEWS];
        for done in (0..count).step_by(8) {
            let left = _mm256_set1_epi32(((count - done).min(8) as u32).cast_signed());
            let given = _mm256_cmpgt_epi32(left, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
            let eight = _mm256_maskload_epi32(threats.add(done).cast(), given);
            for ((view, list), count) in views.iter().zip(&mut lists).zip(&mut counts) {
                let sums = view.sums(table, eight);
                let kept = _mm256_castsi256_ps(_mm256_andnot_si256(sums, given));
                let kept = _mm256_movemask_ps(kept).cast_unsigned();
                let packed = compress(kept, _mm256_add_epi32(sums, start));
                let to = list.indices.add(*count);
                let kept = kept.count_ones() as usize;
                if list.capacity - *count >= 8 {
                    _mm256_storeu_si256(to.cast(), packed);
                } else {
                    to.copy_from_nonoverlapping(in_array(packed).as_ptr(), kept);
                }
                *count += kept;
            }
        }
        for (list, count) in lists.iter_mut().zip(counts) {
            list.count = count;
        }
    }
}

/// The entry of the table.
///
/// # Safety
/// The contract of `Entries`.
#[target_feature(enable = "avx2,popcnt")]
pub(super) unsafe extern "C" fn indices(
    threats: *const Threat,
    count: usize,
    table: *const IndexTable,
    start: u32,
    lists: *mut IndexList<'_>,
    list_count: usize,
) {
    // SAFETY: the table's contract; this function enables the CPU features.
    unsafe {
        if count < FEWEST {
            return one_by_one::entry(threats, count, table, start, lists, list_count);
        }
        let (table, lists) = (&*table, portable::elements_mut(lists, list_count));
        let (pairs, rest) = lists.as_chunks_mut();
        for [white, black] in pairs {
            fill(threats, count, table, start, [white, black]);
        }
        for list in rest {
            fill(threats, count, table, start, [list]);
        }
    }
}
