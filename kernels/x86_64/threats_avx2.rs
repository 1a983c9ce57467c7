//! Threats with AVX2: the view of a square in two YMM registers.
//!
//! Lists are compressed without a loop: a mask selects one of 256 shuffles ([`PACK`]).

use core::arch::x86_64::*;

use crate::kernels::generic::threats::view::{Bytes, Patterns, View, patterns, view_squares};
use crate::kernels::generic::threats::{Aligned, PACK};
use crate::kernels::geometry::Rules;
use crate::kernels::geometry::threats::kind;

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

/// The low (0x88) or high (0xdd) halves of the eight 64-bit lanes, in the order of the rays.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn halves<const WHICH: i32>(a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: the caller's contract.
    unsafe {
        let (a, b) = (_mm256_castsi256_ps(a), _mm256_castsi256_ps(b));
        _mm256_castps_si256(_mm256_shuffle_ps::<WHICH>(a, b))
    }
}

/// The mask of the negative elements.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn negative(elements: __m256i) -> u32 {
    // SAFETY: the caller's contract.
    unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(elements)).cast_unsigned() }
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

impl Pair {
    /// For each ray: a negative element if its lane has a common bit with the pattern.
    ///
    /// # Safety
    /// The CPU has AVX2.
    #[inline(always)]
    unsafe fn test(self, pattern: &[u8; 64]) -> __m256i {
        // SAFETY: the caller's contract.
        unsafe {
            // Patterns do not have the sign bit.
            let negated = |lanes, pattern| {
                let common = _mm256_and_si256(lanes, load(pattern));
                _mm256_sub_epi64(_mm256_setzero_si256(), common)
            };
            let (first, second) = (pattern.as_ptr(), pattern.as_ptr().add(32));
            halves::<0xdd>(negated(self.0, first), negated(self.1, second))
        }
    }
}

/// Eight elements for the rays or the jumps, in order.
#[derive(Clone, Copy)]
pub(super) struct Elements {
    /// The nearest pieces: the code, and the square in bits 8 to 15.
    rays: __m256i,
    /// What is at the jumps.
    jumps: __m256i,
    /// The kinds at the jumps, and more in the upper bits.
    jump_kinds: __m256i,
}

/// A compressed vector of threats, and their number.
#[derive(Clone, Copy)]
pub(super) struct Threats8(__m256i, u32);

impl Threats8 {
    /// Those whose element in `mask` is negative.
    ///
    /// # Safety
    /// The CPU has AVX2.
    #[inline(always)]
    unsafe fn new(mask: __m256i, threats: __m256i) -> Self {
        // SAFETY: the caller's contract.
        unsafe {
            let mask = negative(mask);
            Threats8(compress(mask, threats), mask.count_ones())
        }
    }

    /// # Safety
    /// The CPU has AVX2, and eight elements are writable.
    #[inline(always)]
    unsafe fn store(self, list: *mut u32) -> usize {
        // SAFETY: the caller's contract.
        unsafe { _mm256_storeu_si256(list.cast(), self.0) };
        self.1 as usize
    }
}

impl Bytes for Pair {
    type Entries = Elements;
    type Direct = [Threats8; 3];
    type Through = Threats8;

    #[inline(always)]
    unsafe fn view(board: *const [u8; 64], square: u8, rules: &Rules) -> View<Self> {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let board = Packed::new(board);
            let squares = VIEW_SQUARES.0.get_unchecked(usize::from(square)).as_ptr();
            let squares = Pair(load(squares), load(squares.add(32)));
            let codes = Pair(board.codes(squares.0), board.codes(squares.1));
            let kinds = table(&rules.kinds);
            let kind = |codes, squares| {
                let kinds = _mm256_shuffle_epi8(kinds, codes);
                // Bit 7 of a square: off the board.
                _mm256_blendv_epi8(kinds, _mm256_setzero_si256(), squares)
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
            // The subtraction leaves byte 0 and all bits above the lowest of the ray as they are.
            let lowest = |lanes| {
                let others = _mm256_sub_epi64(lanes, _mm256_set1_epi64x(0x100));
                _mm256_andnot_si256(others, lanes)
            };
            Pair(lowest(self.0), lowest(self.1))
        }
    }

    #[inline(always)]
    unsafe fn entries(view: View<Self>, nearest: Self) -> Self::Entries {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let View { squares, codes, kinds } = view;
            let zero = _mm256_setzero_si256();
            // Only one byte of a lane is left, so the sum is that byte.
            let others =
                Pair(_mm256_cmpeq_epi8(nearest.0, zero), _mm256_cmpeq_epi8(nearest.1, zero));
            let sum = |bytes: Pair| {
                halves::<0x88>(
                    _mm256_sad_epu8(_mm256_andnot_si256(others.0, bytes.0), zero),
                    _mm256_sad_epu8(_mm256_andnot_si256(others.1, bytes.1), zero),
                )
            };
            let first = |bytes: Pair| {
                _mm256_and_si256(halves::<0x88>(bytes.0, bytes.1), _mm256_set1_epi32(0xff))
            };
            let join = |codes, squares| _mm256_or_si256(codes, _mm256_slli_epi32::<8>(squares));
            Elements {
                rays: join(sum(codes), sum(squares)),
                jumps: join(first(codes), first(squares)),
                jump_kinds: halves::<0x88>(kinds.0, kinds.1),
            }
        }
    }

    #[inline(always)]
    unsafe fn direct<const FILTER: bool>(
        _: View<Self>,
        nearest: Self,
        entries: Self::Entries,
        (code, square): (u8, u8),
        rules: &Rules,
    ) -> Self::Direct {
        // SAFETY: the contract of `Bytes`. `code` is below 16, so all indices are in bounds.
        unsafe {
            let Elements { rays, jumps, jump_kinds } = entries;
            let own = *rules.kinds.get_unchecked(usize::from(code));
            // A branch. Both vectors and a selection take 1.04x the time with every pair, 1.18x
            // with a network's (Zen 4).
            let (mut outgoing, victims) = if own == kind::KNIGHT {
                let kinds = _mm256_and_si256(jump_kinds, _mm256_set1_epi32(0x7f));
                (_mm256_sub_epi32(_mm256_setzero_si256(), kinds), jumps)
            } else {
                let attacked = own.trailing_zeros() as usize & 7;
                (nearest.test(PATTERNS.attacked.get_unchecked(attacked)), rays)
            };
            let mut incoming = nearest.test(&PATTERNS.attackers);
            let mut knights = _mm256_slli_epi32::<
                { 31 - kind::KNIGHT.trailing_zeros().cast_signed() },
            >(jump_kinds);
            if FILTER {
                // Here, for eight entries, and not for the 64 bytes of the view.
                let counts = |mask, table, entries| {
                    let codes = _mm256_slli_epi32::<24>(entries);
                    _mm256_and_si256(mask, _mm256_shuffle_epi8(table, codes))
                };
                let attackers = table(rules.attackers.get_unchecked(usize::from(code)));
                outgoing = counts(
                    outgoing,
                    table(rules.victims.get_unchecked(usize::from(code))),
                    victims,
                );
                incoming = counts(incoming, attackers, rays);
                knights = counts(knights, attackers, jumps);
            }
            let piece = i32::from(code) | i32::from(square) << 8;
            let piece = _mm256_set1_epi32(piece);
            let threats = _mm256_or_si256(_mm256_slli_epi32::<16>(victims), piece);
            let piece = _mm256_slli_epi32::<16>(piece);
            [
                Threats8::new(outgoing, threats),
                Threats8::new(incoming, _mm256_or_si256(rays, piece)),
                Threats8::new(knights, _mm256_or_si256(jumps, piece)),
            ]
        }
    }

    #[inline(always)]
    unsafe fn through<const FILTER: bool>(
        nearest: Self,
        entries: Self::Entries,
        rules: &Rules,
    ) -> Self::Through {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let attackers = entries.rays;
            let opposite = |elements| _mm256_permute4x64_epi64::<0x4e>(elements);
            let victims = opposite(attackers);
            let pieces = opposite(nearest.test(&PATTERNS.pieces));
            let mut mask = _mm256_and_si256(nearest.test(&PATTERNS.sliders), pieces);
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
                mask = _mm256_and_si256(mask, _mm256_sllv_epi32(rows, shifts));
            }
            let threats = _mm256_or_si256(attackers, _mm256_slli_epi32::<16>(victims));
            Threats8::new(mask, threats)
        }
    }

    #[inline(always)]
    unsafe fn store_direct([outgoing, incoming, knights]: Self::Direct, list: *mut u32) -> usize {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let count = outgoing.store(list);
            let count = count + incoming.store(list.add(count));
            count + knights.store(list.add(count))
        }
    }

    #[inline(always)]
    unsafe fn store_through(threats: Self::Through, list: *mut u32) -> usize {
        // SAFETY: the contract of `Bytes`.
        unsafe { threats.store(list) }
    }
}
