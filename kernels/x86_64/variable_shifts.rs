//! One board: several rays side by side in a register, each lane shifted by its own number of squares.
//!
//! With AVX2 four rays run upward (north, north-east, east, north-west), shifted left by 8, 9, 1 and 7, and the four opposite ones
//! down. With AVX-512 all eight are lanes of one register: a rotation is a shift in either direction (Dumb7Fill's generalised
//! rays, Chess Programming Wiki), and what it wraps round is masked off as part of the propagator. Both are Kogge-Stone fills.

use core::arch::x86_64::{
    __m256i, __m512i, _mm_cvtsi128_si64, _mm_or_si128, _mm_unpackhi_epi64, _mm256_add_epi64,
    _mm256_and_si256, _mm256_andnot_si256, _mm256_castsi256_si128, _mm256_extracti128_si256,
    _mm256_loadu_si256, _mm256_or_si256, _mm256_set_epi64x, _mm256_set1_epi64x, _mm256_sllv_epi64,
    _mm256_srlv_epi64, _mm512_add_epi64, _mm512_and_si512, _mm512_andnot_si512, _mm512_loadu_si512,
    _mm512_mask_blend_epi64, _mm512_or_si512, _mm512_reduce_or_epi64, _mm512_rolv_epi64,
    _mm512_set1_epi64,
};

use crate::kernels::generic::fills;
use crate::kernels::generic::technique::Technique;
use crate::kernels::geometry::{Direction, Towards};

/// AVX2; the rest of the technique is Kogge-Stone.
pub(super) struct FourRays;

impl Technique<u64> for FourRays {
    const ANY_CPU: bool = false;

    #[inline(always)]
    fn fill<D: Towards>(course: D, generators: u64, propagators: u64) -> u64 {
        fills::kogge_stone(course, generators, propagators)
    }

    #[inline(always)]
    fn rook(rooks: u64, occupied: u64) -> u64 {
        Self::slider(rooks, 0, occupied)
    }

    #[inline(always)]
    fn bishop(bishops: u64, occupied: u64) -> u64 {
        Self::slider(0, bishops, occupied)
    }

    #[inline(always)]
    fn slider(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
        // SAFETY: the technique of kernels with AVX2.
        unsafe { four_rays(orthogonal, diagonal, occupied) }
    }
}

/// AVX-512; the rest of the technique is Kogge-Stone.
pub(super) struct EightRays;

impl Technique<u64> for EightRays {
    const ANY_CPU: bool = false;

    #[inline(always)]
    fn fill<D: Towards>(course: D, generators: u64, propagators: u64) -> u64 {
        fills::kogge_stone(course, generators, propagators)
    }

    #[inline(always)]
    fn rook(rooks: u64, occupied: u64) -> u64 {
        Self::slider(rooks, 0, occupied)
    }

    #[inline(always)]
    fn bishop(bishops: u64, occupied: u64) -> u64 {
        Self::slider(0, bishops, occupied)
    }

    #[inline(always)]
    fn slider(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
        // SAFETY: the technique of kernels with AVX-512.
        unsafe { eight_rays(orthogonal, diagonal, occupied) }
    }
}

/// The upward rays, by lane: first a rook's, then a bishop's. The downward ray of a lane is the opposite one.
const UP: [Direction; 4] = [
    Direction::North,
    Direction::East,
    Direction::NorthEast,
    Direction::NorthWest,
];

/// What differs between the lanes of some rays: by how many squares they move, and which squares they may enter, neither
/// round a side nor round the top or bottom.
const fn lanes<const N: usize>(rays: [Direction; N], back: bool) -> ([i64; N], [u64; N]) {
    let (mut squares, mut may_enter) = ([0; N], [0; N]);
    let mut i = 0;
    while i < N {
        let ray = if back { rays[i].opposite() } else { rays[i] };
        squares[i] = ray.offset() as i64;
        may_enter[i] = ray.step(!0);
        i += 1;
    }
    (squares, may_enter)
}

static UPWARD: ([i64; 4], [u64; 4]) = lanes(UP, false);
static DOWNWARD: ([i64; 4], [u64; 4]) = lanes(UP, true);
static ROUND: ([i64; 8], [u64; 8]) = lanes(Direction::ALL, false);

/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn four_rays(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
    // SAFETY: the caller's contract; the tables are 32 bytes, the loads unaligned ones.
    unsafe {
        let [r, b] = [orthogonal.cast_signed(), diagonal.cast_signed()];
        let sliders = _mm256_set_epi64x(b, b, r, r);
        let occupied = _mm256_set1_epi64x(occupied.cast_signed());
        let shifts = _mm256_loadu_si256(UPWARD.0.as_ptr().cast());
        let enter_up = _mm256_loadu_si256(UPWARD.1.as_ptr().cast());
        let enter_down = _mm256_loadu_si256(DOWNWARD.1.as_ptr().cast());

        let (mut g, mut h) = (sliders, sliders);
        let mut p = _mm256_andnot_si256(occupied, enter_up);
        let mut q = _mm256_andnot_si256(occupied, enter_down);
        let mut k = shifts;
        for step in 0..3 {
            g = _mm256_or_si256(g, _mm256_and_si256(p, _mm256_sllv_epi64(g, k)));
            h = _mm256_or_si256(h, _mm256_and_si256(q, _mm256_srlv_epi64(h, k)));
            if step < 2 {
                p = _mm256_and_si256(p, _mm256_sllv_epi64(p, k));
                q = _mm256_and_si256(q, _mm256_srlv_epi64(q, k));
                k = _mm256_add_epi64(k, k);
            }
        }
        let up = _mm256_and_si256(enter_up, _mm256_sllv_epi64(g, shifts));
        let down = _mm256_and_si256(enter_down, _mm256_srlv_epi64(h, shifts));
        let four: __m256i = _mm256_or_si256(up, down);
        let two = _mm_or_si128(
            _mm256_castsi256_si128(four),
            _mm256_extracti128_si256::<1>(four),
        );
        _mm_cvtsi128_si64(_mm_or_si128(two, _mm_unpackhi_epi64(two, two))).cast_unsigned()
    }
}

/// The lanes of rook rays: `Direction` counts round the compass, so every other one.
const ROOK_LANES: u8 = 0b0101_0101;

/// # Safety
/// The CPU has AVX-512.
#[inline(always)]
unsafe fn eight_rays(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
    // SAFETY: the caller's contract; the tables are 64 bytes, the loads unaligned ones.
    unsafe {
        let sliders: __m512i = _mm512_mask_blend_epi64(
            ROOK_LANES,
            _mm512_set1_epi64(diagonal.cast_signed()),
            _mm512_set1_epi64(orthogonal.cast_signed()),
        );
        let rotations = _mm512_loadu_si512(ROUND.0.as_ptr().cast());
        let may_enter = _mm512_loadu_si512(ROUND.1.as_ptr().cast());
        let mut g = sliders;
        let mut p = _mm512_andnot_si512(_mm512_set1_epi64(occupied.cast_signed()), may_enter);
        let mut k = rotations;
        for step in 0..3 {
            g = _mm512_or_si512(g, _mm512_and_si512(p, _mm512_rolv_epi64(g, k)));
            if step < 2 {
                p = _mm512_and_si512(p, _mm512_rolv_epi64(p, k));
                k = _mm512_add_epi64(k, k);
            }
        }
        let reached = _mm512_and_si512(may_enter, _mm512_rolv_epi64(g, rotations));
        _mm512_reduce_or_epi64(reached).cast_unsigned()
    }
}
