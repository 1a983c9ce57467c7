//! The attackers of a square, and exchanges on it, with AVX2.

use core::arch::x86_64::*;

use super::threats_avx2::{PATTERNS, Pair, load};
use crate::kernels::generic::threats::exchange::Exchange;
use crate::kernels::generic::threats::view::{Bytes, View};
use crate::kernels::geometry::Rules;

/// See [`Kernel::attackers_to`](crate::Kernel::attackers_to).
///
/// # Safety
/// The table's contract, and the CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn attackers_to(board: *const [u8; 64], square: u8, rules: &Rules) -> u64 {
    // SAFETY: the caller's contract.
    unsafe {
        let View { squares, kinds, .. } = Pair::view(board, square, rules);
        let nearest = kinds.nearest();
        let first = bits(nearest.0, kinds.0, squares.0, 0);
        let second = bits(nearest.1, kinds.1, squares.1, 32);
        let all: __m256i = _mm256_or_si256(first, second);
        let half = _mm_or_si128(_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
        _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))).cast_unsigned()
    }
}

/// The squares of the attackers in one register of a view, as bits of its 64-bit lanes. `at` is the
/// register's place in the patterns.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn bits(nearest: __m256i, kinds: __m256i, squares: __m256i, at: usize) -> __m256i {
    // SAFETY: the caller's contract.
    unsafe {
        let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi64x(1));
        // A shift by 64 or more gives 0, so lanes without an attacker get the square 64.
        let none = _mm256_set1_epi64x(64);
        let flipped = _mm256_xor_si256(squares, _mm256_set1_epi8(64));
        let attackers = load(PATTERNS.attackers.as_ptr().add(at));
        let others = _mm256_cmpeq_epi8(_mm256_and_si256(nearest, attackers), zero);
        let near = _mm256_sad_epu8(_mm256_andnot_si256(others, flipped), zero);
        let near = _mm256_sllv_epi64(one, _mm256_xor_si256(near, none));
        let knights = load(PATTERNS.knights.as_ptr().add(at));
        let others = _mm256_cmpeq_epi8(_mm256_and_si256(kinds, knights), zero);
        let first = _mm256_set1_epi64x(0xff);
        let jumps = _mm256_and_si256(_mm256_andnot_si256(others, flipped), first);
        let jumps = _mm256_sllv_epi64(one, _mm256_xor_si256(jumps, none));
        _mm256_or_si256(near, jumps)
    }
}

/// The view of an exchange, with the lanes in order.
#[derive(Clone, Copy)]
pub(super) struct Exchanged {
    kinds: Pair,
    /// The kinds of the pieces that attack.
    attackers: Pair,
    codes: Pair,
}

impl Exchange for Exchanged {
    #[inline(always)]
    unsafe fn new(board: *const [u8; 64], square: u8, gone: [u8; 2], rules: &Rules) -> Self {
        // SAFETY: the contract of `Exchange`.
        unsafe {
            let View { squares, codes, kinds } = Pair::view(board, square, rules);
            let kinds = kinds.put(squares, gone[0], 0).put(squares, gone[1], 0);
            let attackers = Pair(attacking(kinds.0, 0), attacking(kinds.1, 32));
            Exchanged {
                kinds: in_order(kinds),
                attackers: in_order(attackers),
                codes: in_order(codes),
            }
        }
    }

    #[inline(always)]
    unsafe fn occupied(self) -> u64 {
        // SAFETY: the contract of `Exchange`.
        unsafe { nonzero(self.kinds) }
    }

    #[inline(always)]
    unsafe fn attackers(self) -> u64 {
        // SAFETY: the contract of `Exchange`.
        unsafe { nonzero(self.attackers) }
    }

    #[inline(always)]
    unsafe fn of<const KIND: usize>(self) -> u64 {
        // SAFETY: the contract of `Exchange`. Each arm shifts the kind's bit to the sign.
        unsafe {
            let Pair(a, b) = self.attackers;
            signs(match KIND {
                0 => {
                    // Pawns of either side.
                    let both = |kinds| {
                        let white = _mm256_slli_epi16::<7>(kinds);
                        _mm256_or_si256(white, _mm256_slli_epi16::<6>(kinds))
                    };
                    Pair(both(a), both(b))
                }
                1 => Pair(_mm256_slli_epi16::<5>(a), _mm256_slli_epi16::<5>(b)),
                2 => Pair(_mm256_slli_epi16::<4>(a), _mm256_slli_epi16::<4>(b)),
                3 => Pair(_mm256_slli_epi16::<3>(a), _mm256_slli_epi16::<3>(b)),
                _ => Pair(_mm256_slli_epi16::<2>(a), _mm256_slli_epi16::<2>(b)),
            })
        }
    }

    #[inline(always)]
    unsafe fn white(self, rules: &Rules) -> u64 {
        // SAFETY: the contract of `Exchange`.
        unsafe { signs(self.codes.look_up(&rules.whites)) }
    }

    #[inline(always)]
    unsafe fn store_codes(self, to: *mut [u8; 64]) {
        // SAFETY: the contract of `Exchange`.
        unsafe {
            _mm256_storeu_si256(to.cast(), self.codes.0);
            _mm256_storeu_si256(to.cast::<u8>().add(32).cast(), self.codes.1);
        }
    }
}

/// The kinds of those pieces in a register that attack. `at` is the register's place in the
/// patterns.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn attacking(kinds: __m256i, at: usize) -> __m256i {
    // SAFETY: the caller's contract.
    unsafe {
        let on_rays = load(PATTERNS.attackers.as_ptr().add(at));
        let at_jumps = load(PATTERNS.knights.as_ptr().add(at));
        _mm256_and_si256(kinds, _mm256_or_si256(on_rays, at_jumps))
    }
}

/// The signs of 64 bytes.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn signs(Pair(low, high): Pair) -> u64 {
    // SAFETY: the caller's contract.
    unsafe {
        let (low, high) = (_mm256_movemask_epi8(low), _mm256_movemask_epi8(high));
        u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32
    }
}

/// Which of 64 bytes are not 0.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn nonzero(bytes: Pair) -> u64 {
    // SAFETY: the caller's contract.
    unsafe {
        let zero = _mm256_setzero_si256();
        !signs(Pair(_mm256_cmpeq_epi8(bytes.0, zero), _mm256_cmpeq_epi8(bytes.1, zero)))
    }
}

/// Orders the lanes by ray.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn in_order(Pair(a, b): Pair) -> Pair {
    // SAFETY: the caller's contract.
    unsafe {
        Pair(_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b))
    }
}
