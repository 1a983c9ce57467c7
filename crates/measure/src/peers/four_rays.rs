//! Peer: computes one board at a time with AVX2. A register holds four rays, and variable shifts
//! move each of them by its own count.
//!
//! One `vpsllvq` shifts the rays to the north-east, north, north-west and east. One `vpsrlvq`
//! shifts the four opposite rays. Each lane is a Kogge-Stone fill. If a board has only rooks or
//! only bishops, half of the lanes are idle.

use std::arch::x86_64::{
    __m256i, _mm_cvtsi128_si64, _mm_or_si128, _mm_unpackhi_epi64, _mm256_and_si256,
    _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_or_si256, _mm256_set_epi64x,
    _mm256_set1_epi64x, _mm256_sllv_epi64, _mm256_srlv_epi64,
};

use super::looped::looped;
use crate::contender::Contender;
use crate::operation::Operation;

pub(super) fn contenders(operation: Operation) -> Vec<Contender> {
    looped! { operation; ["four-rays", "avx2"] => {
        rook_attacks(rooks, occupied) = slider(rooks, 0, occupied);
        bishop_attacks(bishops, occupied) = slider(0, bishops, occupied);
        queen_attacks(queens, occupied) = slider(queens, queens, occupied);
        slider_attacks(orthogonal, diagonal, occupied) = slider(orthogonal, diagonal, occupied);
    } }
}

const NOT_A: i64 = 0xfefe_fefe_fefe_fefe_u64.cast_signed();
const NOT_H: i64 = 0x7f7f_7f7f_7f7f_7f7f;

/// Packs one value per ray into a register. The rays are, from the low lane, north, east,
/// north-east and north-west, or their opposites.
#[target_feature(enable = "avx2")]
#[inline]
fn lanes(rays: [i64; 4]) -> __m256i {
    _mm256_set_epi64x(rays[3], rays[2], rays[1], rays[0])
}

#[target_feature(enable = "avx2")]
#[inline]
fn slider(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
    let blocked = (occupied | orthogonal | diagonal).cast_signed();
    let (orthogonal, diagonal) = (orthogonal.cast_signed(), diagonal.cast_signed());
    let sliders = lanes([orthogonal, orthogonal, diagonal, diagonal]);
    let empty = _mm256_set1_epi64x(!blocked);
    let up = rays::<true>(sliders, empty, lanes([!0, NOT_A, NOT_A, NOT_H]));
    let down = rays::<false>(sliders, empty, lanes([!0, NOT_H, NOT_H, NOT_A]));
    let both = _mm256_or_si256(up, down);
    let half = _mm_or_si128(_mm256_castsi256_si128(both), _mm256_extracti128_si256::<1>(both));
    _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))).cast_unsigned()
}

/// Computes the attacks along four rays, upward or downward. `reachable` has the wrap mask of each
/// ray.
#[target_feature(enable = "avx2")]
#[inline]
fn rays<const UP: bool>(sliders: __m256i, empty: __m256i, reachable: __m256i) -> __m256i {
    let mut propagators = _mm256_and_si256(empty, reachable);
    let mut generators = sliders;
    for steps in [1, 2, 4] {
        let squares = [8 * steps, steps, 9 * steps, 7 * steps];
        let reached = _mm256_and_si256(propagators, shifted::<UP>(generators, squares));
        generators = _mm256_or_si256(generators, reached);
        propagators = _mm256_and_si256(propagators, shifted::<UP>(propagators, squares));
    }
    _mm256_and_si256(reachable, shifted::<UP>(generators, [8, 1, 9, 7]))
}

#[target_feature(enable = "avx2")]
#[inline]
fn shifted<const UP: bool>(sets: __m256i, squares: [i64; 4]) -> __m256i {
    if UP {
        _mm256_sllv_epi64(sets, lanes(squares))
    } else {
        _mm256_srlv_epi64(sets, lanes(squares))
    }
}
