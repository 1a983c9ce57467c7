//! ZMM registers: 8 boards, or a rank of 64.

use core::arch::x86_64::{
    __m512i, _mm512_add_epi8, _mm512_and_si512, _mm512_cmpneq_epi8_mask, _mm512_loadu_si512,
    _mm512_mask_storeu_epi64, _mm512_maskz_loadu_epi64, _mm512_movm_epi8, _mm512_or_si512,
    _mm512_permutexvar_epi16, _mm512_set1_epi8, _mm512_set1_epi64, _mm512_shuffle_epi8,
    _mm512_sllv_epi64, _mm512_srlv_epi64, _mm512_storeu_si512, _mm512_sub_epi8,
    _mm512_unpackhi_epi8, _mm512_unpacklo_epi8, _mm512_xor_si512,
};
use core::marker::PhantomData;

use super::westward::Westward;
use crate::kernels::generic::boards::{Boards, Register};
use crate::kernels::generic::lanes::Lanes;
use crate::kernels::generic::transpose::{self, Interleave};
use crate::kernels::generic::operators::operators;

/// Sixty-four bytes, on CPUs that have `W`.
#[derive(Clone, Copy)]
pub(super) struct Zmm<W>(pub(super) __m512i, PhantomData<W>);

impl<W: Westward<Self>> Zmm<W> {
    /// # Safety
    /// The CPU has what `W` needs.
    #[inline(always)]
    pub(super) unsafe fn new(bytes: __m512i) -> Self {
        Zmm(bytes, PhantomData)
    }
}

operators!(Zmm<W: Westward>: _mm512_and_si512, _mm512_or_si512, _mm512_xor_si512, _mm512_set1_epi8);

impl<W: Westward<Self>> Lanes for Zmm<W> {
    const WEST_LEAKS: bool = W::LEAKS;
    const REVERSES: bool = W::REVERSES;

    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        // SAFETY: a value of this type proves the features.
        unsafe { Self::new(_mm512_set1_epi8(byte.cast_signed())) }
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        // SAFETY: a value of this type proves the features.
        unsafe { Self::new(_mm512_sub_epi8(self.0, other.0)) }
    }
    /// `paddb` of a byte to itself.
    #[inline(always)]
    fn east(self) -> Self {
        // SAFETY: a value of this type proves the features.
        unsafe { Self::new(_mm512_add_epi8(self.0, self.0)) }
    }
    #[inline(always)]
    fn west<const FILES: i32>(self) -> Self {
        W::west::<FILES>(self)
    }
    #[inline(always)]
    fn reverse(self) -> Self {
        W::reverse(self)
    }
}

impl<W: Westward<Self>> Boards for Zmm<W> {
    const BOARDS: usize = 8;

    const TURNS: bool = W::TURNS;

    #[inline(always)]
    fn turn(self) -> Self {
        W::turn(self)
    }
    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller's contract; the load is an unaligned one.
        unsafe { Self::new(_mm512_loadu_si512(from.cast())) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller's contract; the store is an unaligned one.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }
    #[inline(always)]
    fn same(self, squares: u64) -> Self {
        // SAFETY: a value of this type proves the features.
        unsafe { Self::new(_mm512_set1_epi64(squares.cast_signed())) }
    }
    #[inline(always)]
    fn shift(self, up: bool, squares: u32) -> Self {
        // SAFETY: a value of this type proves the features.
        unsafe {
            let count = _mm512_set1_epi64(squares.into());
            Self::new(if up {
                _mm512_sllv_epi64(self.0, count)
            } else {
                _mm512_srlv_epi64(self.0, count)
            })
        }
    }
}

impl<W: Westward<Self>> Register for Zmm<W> {
    #[inline(always)]
    fn slice(boards: [Self; 8]) -> [Self; 8] {
        transpose::slice_by_interleaving(boards)
    }
    #[inline(always)]
    fn unslice(ranks: [Self; 8]) -> [Self; 8] {
        transpose::unslice_by_interleaving(ranks)
    }

    #[inline(always)]
    unsafe fn load_first(from: *const u64, boards: usize) -> Self {
        // SAFETY: the caller's contract; masked-off elements are not read.
        unsafe { Self::new(_mm512_maskz_loadu_epi64(first(boards), from.cast())) }
    }
    #[inline(always)]
    unsafe fn store_first(self, to: *mut u64, boards: usize) {
        // SAFETY: the caller's contract; masked-off elements are not written.
        unsafe { _mm512_mask_storeu_epi64(to.cast(), first(boards), self.0) }
    }

    /// As loaded, a block has its boards as `vvvlln` (v: vector, l: which 16-byte lane), a slice has them as `llvvvn`.
    #[inline(always)]
    unsafe fn slice_bytes(bytes: *const u8) -> Self {
        static PAIRS_BY_LANE: [u16; 32] = {
            let mut pairs = [0; 32];
            let mut i = 0;
            while i < 32 {
                pairs[i] = (i % 8 * 4 + i / 8) as u16;
                i += 1;
            }
            pairs
        };
        // SAFETY: the caller's contract; the indices are 64 bytes; the loads are unaligned ones.
        unsafe {
            let pairs = _mm512_loadu_si512((&raw const PAIRS_BY_LANE).cast());
            let bytes = _mm512_loadu_si512(bytes.cast());
            Self::new(_mm512_permutexvar_epi16(pairs, bytes))
        }
    }
    #[inline(always)]
    fn differ(self, other: Self) -> Self {
        // SAFETY: a value of this type proves the features.
        unsafe { Self::new(_mm512_movm_epi8(_mm512_cmpneq_epi8_mask(self.0, other.0))) }
    }
    /// A look-up: `vpshufb` looks at four bits of an index, and both halves of the table are alike.
    #[inline(always)]
    fn file_of_square(self) -> Self {
        // SAFETY: a value of this type proves the features.
        unsafe {
            let files = _mm512_set1_epi64(super::FILES);
            Self::new(_mm512_shuffle_epi8(files, self.0))
        }
    }
}

impl<W: Westward<Self>> Interleave for Zmm<W> {
    #[inline(always)]
    fn interleave(self, other: Self) -> (Self, Self) {
        // SAFETY: a value of this type proves the features.
        unsafe {
            (
                Self::new(_mm512_unpacklo_epi8(self.0, other.0)),
                Self::new(_mm512_unpackhi_epi8(self.0, other.0)),
            )
        }
    }
}

/// The mask of the first `boards` (at most 8) elements.
#[inline(always)]
fn first(boards: usize) -> u8 {
    ((1u32 << boards) - 1) as u8
}
