//! [`ByteShifts`] with GFNI instructions.

use core::arch::x86_64::*;

use super::byte_shifts::{ByteShifts, Flip, Reverse};
use super::xmm::Xmm;
use super::ymm::Ymm;
use super::zmm::Zmm;
use crate::kernels::generic::rank_bytes::Reversed;

/// Byte operations with `gf2p8affineqb`, which multiplies each byte by an 8x8 bit matrix. So a byte
/// shift or a bit reversal is one instruction.
#[derive(Clone, Copy)]
pub(super) struct Gfni;

macro_rules! byte_operations {
    ($($Register:ident: $affine:ident, $set1:ident, BITALG: $bitalg:literal;)*) => { $(
        impl ByteShifts<$Register<Self>> for Gfni {
            const WEST_WRAPS: bool = false;
            const BITALG: bool = $bitalg;
            type West = Reversed;

            #[inline(always)]
            fn west<const FILES: i32>(ranks: $Register<Self>) -> $Register<Self> {
                // SAFETY: a value of the register type proves that the CPU has these instructions.
                unsafe { $Register::new($affine::<0>(ranks.0, $set1(const { west(FILES) }))) }
            }
        }

        impl Reverse<$Register<Self>> for Gfni {
            #[inline(always)]
            fn reverse(ranks: $Register<Self>) -> $Register<Self> {
                // SAFETY: as above.
                unsafe { $Register::new($affine::<0>(ranks.0, $set1(REVERSE))) }
            }
        }

        impl Flip<$Register<Self>> for Gfni {
            /// Multiplies a constant by each board, which serves as the matrix.
            #[inline(always)]
            fn flip_antidiagonal(boards: $Register<Self>) -> $Register<Self> {
                // SAFETY: as above.
                unsafe { $Register::new($affine::<0>($set1(FLIP), boards.0)) }
            }
        }
    )* };
}
byte_operations! {
    Xmm: _mm_gf2p8affine_epi64_epi8, _mm_set1_epi64x, BITALG: false;
    Ymm: _mm256_gf2p8affine_epi64_epi8, _mm256_set1_epi64x, BITALG: false;
    Zmm: _mm512_gf2p8affine_epi64_epi8, _mm512_set1_epi64, BITALG: true;
}

/// The matrix that sets result bit `i` to source bit `from[i]`, or to 0 if `from[i]` is outside 0
/// to 7.
///
/// Result bit `i` is the parity of the source bits that row `i` selects. The instruction reads row
/// `i` from byte `7 - i`.
const fn matrix(from: [i32; 8]) -> i64 {
    let mut rows = [0; 8];
    let mut i = 0;
    while i < 8 {
        if 0 <= from[i] && from[i] < 8 {
            rows[7 - i] = 1 << from[i];
        }
        i += 1;
    }
    i64::from_le_bytes(rows)
}

/// One byte per file, from h to a: the bytes that are multiplied by the board.
const FLIP: i64 = i64::from_le_bytes([0x80, 0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01]);

/// The matrix that reverses the bits of each byte.
const REVERSE: i64 = matrix([7, 6, 5, 4, 3, 2, 1, 0]);

/// The matrix that shifts each byte right by `files`, which moves each rank west.
const fn west(files: i32) -> i64 {
    let mut from = [0, 1, 2, 3, 4, 5, 6, 7];
    let mut i = 0;
    while i < 8 {
        from[i] += files;
        i += 1;
    }
    matrix(from)
}
