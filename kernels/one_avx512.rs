//! One board on AVX-512: all eight rays in one register, each lane rotated by its own number of squares.
//!
//! A rotation is a shift in either direction (Dumb7Fill's generalised rays, Chess Programming Wiki); what it
//! wraps round is masked off, which for the steps of a fill is part of the propagator.

use core::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_andnot_si512, _mm512_loadu_si512,
    _mm512_mask_blend_epi64, _mm512_or_si512, _mm512_reduce_or_epi64, _mm512_rolv_epi64,
    _mm512_set1_epi64,
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

/// The lanes of rook rays: `Direction` counts round the compass, so every other one.
const ROOK_LANES: u8 = 0b0101_0101;

/// The rotations, by direction, to the left.
static ROTATIONS: [i64; 8] = {
    let mut rotations = [0; 8];
    let mut i = 0;
    while i < 8 {
        rotations[i] = Direction::ALL[i].offset() as i64;
        i += 1;
    }
    rotations
};

/// The squares that one step in each direction can enter, neither round a side nor round the top or bottom.
static MAY_ENTER: [u64; 8] = {
    let mut squares = [0; 8];
    let mut i = 0;
    while i < 8 {
        squares[i] = Direction::ALL[i].step(!0);
        i += 1;
    }
    squares
};

#[inline]
#[target_feature(enable = "avx512f")]
fn attacks(sliders: __m512i, occupied: u64) -> u64 {
    // SAFETY: the tables are 64 bytes.
    let (rotations, may_enter) = unsafe {
        (
            _mm512_loadu_si512(ROTATIONS.as_ptr().cast()),
            _mm512_loadu_si512(MAY_ENTER.as_ptr().cast()),
        )
    };
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

#[target_feature(enable = "avx512f")]
unsafe extern "C" fn slider_attacks_one(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
    let sliders = _mm512_mask_blend_epi64(
        ROOK_LANES,
        _mm512_set1_epi64(diagonal.cast_signed()),
        _mm512_set1_epi64(orthogonal.cast_signed()),
    );
    attacks(sliders, occupied | orthogonal | diagonal)
}
