//! XMM registers: 2 whole boards, or one rank of 16 boards.

use core::arch::x86_64::*;
use core::marker::PhantomData;

use super::byte_shifts::{ByteShifts, Flip, Reverse};
use super::registers::register;
use crate::kernels::generic::board_vector::Register;
use crate::kernels::generic::rank_bytes::RankBytes as _;
use crate::kernels::generic::transpose::{self, Interleave};

register! {
    /// Sixteen bytes. A value proves that the CPU has what `W` needs.
    Xmm: __m128i, 2 boards;
    bits: _mm_and_si128 _mm_or_si128 _mm_xor_si128;
    splat: _mm_set1_epi8 _mm_set1_epi64x;
    bytes: _mm_add_epi8 _mm_sub_epi8;
    memory: _mm_loadu_si128 _mm_storeu_si128;
    shift: _mm_sll_epi64 _mm_srl_epi64 |squares| _mm_cvtsi32_si128(squares.cast_signed());
    ranks: {}
}

impl<W: ByteShifts<Self>> Register for Xmm<W> {
    type Four = Self;
    type Two = Self;

    #[inline(always)]
    fn slice(boards: [Self; 8]) -> [Self; 8] {
        W::slice(boards)
    }
    #[inline(always)]
    fn unslice(ranks: [Self; 8]) -> [Self; 8] {
        transpose::unslice_by_interleaving(ranks)
    }

    #[inline(always)]
    unsafe fn load_first(from: *const u64, _one: usize) -> Self {
        // SAFETY: one board is readable; `movq` needs no alignment.
        unsafe { Self::new(_mm_loadl_epi64(from.cast())) }
    }
    #[inline(always)]
    unsafe fn store_first(self, to: *mut u64, _one: usize) {
        // SAFETY: one board is writable; `movq` needs no alignment.
        unsafe { _mm_storel_epi64(to.cast(), self.0) }
    }

    #[inline(always)]
    fn transpose_lanes(self, other: Self) -> (Self, Self) {
        // SAFETY: a value of this type proves that the CPU has the features.
        unsafe {
            (
                Self::new(_mm_unpacklo_epi64(self.0, other.0)),
                Self::new(_mm_unpackhi_epi64(self.0, other.0)),
            )
        }
    }

    #[inline(always)]
    fn add_saturating(self, other: Self) -> Self {
        // SAFETY: a value of this type proves that the CPU has the features.
        unsafe { Self::new(_mm_adds_epu8(self.0, other.0)) }
    }
    #[inline(always)]
    fn ne_mask(self, other: Self) -> Self {
        // SAFETY: a value of this type proves that the CPU has the features.
        unsafe { !Self::new(_mm_cmpeq_epi8(self.0, other.0)) }
    }
    /// Moves a bit from the a-file to the east: by 1, 2 and 4 files if bits 0, 1 and 2 of the
    /// square number are set, respectively.
    #[inline(always)]
    fn file_of_square(self) -> Self {
        let mut file = self.splat(0x01);
        for (bit, moved) in [(1, 1), (2, 2), (4, 4)] {
            let stays = (self & self.splat(bit)).ne_mask(self.splat(bit));
            let mut to = file;
            for _ in 0..moved {
                to = to.east();
            }
            file = file & stays | to & !stays;
        }
        file
    }
}

impl<W: ByteShifts<Self>> Interleave for Xmm<W> {
    #[inline(always)]
    fn interleave(self, other: Self) -> (Self, Self) {
        // SAFETY: a value of this type proves that the CPU has the features.
        unsafe {
            (
                Self::new(_mm_unpacklo_epi8(self.0, other.0)),
                Self::new(_mm_unpackhi_epi8(self.0, other.0)),
            )
        }
    }
}
