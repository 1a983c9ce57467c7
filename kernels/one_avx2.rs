//! One board on AVX2: four rays in a register, each lane shifted by its own number of squares.
//!
//! The four rays that run upward (north, north-east, east, north-west) are shifted left by 8, 9, 1 and 7,
//! the four opposite ones right by the same; both are Kogge-Stone fills. A rook has two lanes of each, a bishop
//! the other two; a queen all.

use core::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi128_si64, _mm_or_si128, _mm_unpackhi_epi64, _mm256_and_si256,
    _mm256_andnot_si256, _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_or_si256,
    _mm256_set_epi64x, _mm256_set1_epi64x, _mm256_sllv_epi64, _mm256_srlv_epi64,
};

use super::compass::Direction;
use super::{Table, borrow};

/// The single-board entries; the rest is a placeholder.
pub(super) const TABLE: Table = Table {
    rook_attacks_one,
    bishop_attacks_one,
    queen_attacks_one,
    slider_attacks_one,
    ..borrow::TABLE
};

/// The upward rays, by lane; the downward ray of a lane is the opposite one.
const UP: [Direction; 4] = [
    Direction::North,
    Direction::East,
    Direction::NorthEast,
    Direction::NorthWest,
];

/// What differs between the lanes; constants, because `array::map` in a function like these is a call through memory.
const SHIFTS: [u64; 4] = {
    let [a, b, c, d] = UP;
    [
        a.offset().unsigned_abs() as u64,
        b.offset().unsigned_abs() as u64,
        c.offset().unsigned_abs() as u64,
        d.offset().unsigned_abs() as u64,
    ]
};
const ENTER_UP: [u64; 4] = {
    let [a, b, c, d] = UP;
    [a.may_enter(), b.may_enter(), c.may_enter(), d.may_enter()]
};
const ENTER_DOWN: [u64; 4] = {
    let [a, b, c, d] = UP;
    [
        a.opposite().may_enter(),
        b.opposite().may_enter(),
        c.opposite().may_enter(),
        d.opposite().may_enter(),
    ]
};

#[inline]
#[target_feature(enable = "avx2")]
fn lanes([a, b, c, d]: [u64; 4]) -> __m256i {
    _mm256_set_epi64x(
        d.cast_signed(),
        c.cast_signed(),
        b.cast_signed(),
        a.cast_signed(),
    )
}

/// The union of all eight rays, those of lanes 0 and 1 from `orthogonal`, of 2 and 3 from `diagonal`.
#[inline]
#[target_feature(enable = "avx2")]
fn attacks(sliders: __m256i, occupied: u64) -> u64 {
    let shifts = lanes(SHIFTS);
    let enter_up = lanes(ENTER_UP);
    let enter_down = lanes(ENTER_DOWN);
    let occupied = _mm256_set1_epi64x(occupied.cast_signed());

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
            k = core::arch::x86_64::_mm256_add_epi64(k, k);
        }
    }
    let up = _mm256_and_si256(enter_up, _mm256_sllv_epi64(g, shifts));
    let down = _mm256_and_si256(enter_down, _mm256_srlv_epi64(h, shifts));
    unite(_mm256_or_si256(up, down))
}

/// The union of the four lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn unite(four: __m256i) -> u64 {
    let two: __m128i = _mm_or_si128(
        _mm256_castsi256_si128(four),
        _mm256_extracti128_si256::<1>(four),
    );
    _mm_cvtsi128_si64(_mm_or_si128(two, _mm_unpackhi_epi64(two, two))).cast_unsigned()
}

/// (All three by way of `slider_attacks_one`: a copy of the fills for each of them is 200 bytes.)
unsafe extern "C" fn rook_attacks_one(rooks: u64, occupied: u64) -> u64 {
    // SAFETY: the table's contract.
    unsafe { slider_attacks_one(rooks, 0, occupied) }
}

unsafe extern "C" fn bishop_attacks_one(bishops: u64, occupied: u64) -> u64 {
    // SAFETY: the table's contract.
    unsafe { slider_attacks_one(0, bishops, occupied) }
}

unsafe extern "C" fn queen_attacks_one(queens: u64, occupied: u64) -> u64 {
    // SAFETY: the table's contract.
    unsafe { slider_attacks_one(queens, queens, occupied) }
}

#[target_feature(enable = "avx2")]
unsafe extern "C" fn slider_attacks_one(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
    let sliders = lanes([orthogonal, orthogonal, diagonal, diagonal]);
    attacks(sliders, occupied | orthogonal | diagonal)
}
