//! The attackers of a square, and exchanges on it, with AVX2.

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::threats_avx2::{PATTERNS, Pair, load};
use crate::kernels::generic::threats::exchange::Slots;
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

/// The view of an exchange without the pieces on two squares.
///
/// # Safety
/// The table's contract, and the CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn slots(
    board: *const [u8; 64],
    square: u8,
    gone: [u8; 2],
    rules: &Rules,
) -> Slots {
    // SAFETY: the caller's contract.
    unsafe {
        let View { squares, codes, kinds } = Pair::view(board, square, rules);
        let kinds = kinds.put(squares, gone[0], 0).put(squares, gone[1], 0);
        let [on_rays, at_jumps] = [&PATTERNS.attackers, &PATTERNS.knights]
            .map(|pattern| Pair(load(pattern.as_ptr()), load(pattern.as_ptr().add(32))));
        let attackers = Pair(
            _mm256_and_si256(kinds.0, _mm256_or_si256(on_rays.0, at_jumps.0)),
            _mm256_and_si256(kinds.1, _mm256_or_si256(on_rays.1, at_jumps.1)),
        );
        let (kinds, attackers, codes) = (in_order(kinds), in_order(attackers), in_order(codes));
        let signs = |Pair(low, high)| {
            let [low, high] = [low, high].map(|half| _mm256_movemask_epi8(half).cast_unsigned());
            u64::from(low) | u64::from(high) << 32
        };
        let zero = _mm256_setzero_si256();
        let empty = Pair(_mm256_cmpeq_epi8(kinds.0, zero), _mm256_cmpeq_epi8(kinds.1, zero));
        let mut in_memory = MaybeUninit::<[u8; 64]>::uninit();
        _mm256_storeu_si256(in_memory.as_mut_ptr().cast(), codes.0);
        _mm256_storeu_si256(in_memory.as_mut_ptr().cast::<u8>().add(32).cast(), codes.1);
        // Each kind's bit, shifted to the sign.
        macro_rules! of {
            ($bit:literal) => {
                signs(Pair(
                    _mm256_slli_epi16::<{ 7 - $bit }>(attackers.0),
                    _mm256_slli_epi16::<{ 7 - $bit }>(attackers.1),
                ))
            };
        }
        Slots {
            occupied: !signs(empty),
            attackers: [of!(0) | of!(1), of!(2), of!(3), of!(4), of!(5), of!(6)],
            white: signs(codes.look_up(&rules.whites)),
            codes: in_memory,
        }
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
