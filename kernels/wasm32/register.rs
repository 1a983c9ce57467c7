//! WebAssembly vectors: 2 whole boards, or one rank of 16 boards.

use core::arch::wasm32::{
    i8x16_ne, i8x16_popcnt, i8x16_shl, i8x16_shuffle, i8x16_splat, i8x16_sub, i8x16_swizzle,
    i64x2_shuffle, u8x16, u8x16_add_sat, u8x16_splat, u16x8_shr, u64x2_shl, u64x2_shr, u64x2_splat,
    v128, v128_and, v128_load, v128_load64_zero, v128_or, v128_store, v128_store64_lane, v128_xor,
};

use crate::kernels::generic::board_vector::{BoardVector, Register};
use crate::kernels::generic::operators::operators;
use crate::kernels::generic::rank_bytes::{RankBytes, Shifted};
use crate::kernels::generic::transpose::{
    Interleave, slice_by_interleaving, unslice_by_interleaving,
};

/// Sixteen bytes.
#[derive(Clone, Copy)]
pub(super) struct Simd128(v128);

impl Simd128 {
    /// Unsafe only because [`operators!`] requires it.
    ///
    /// # Safety
    /// No requirements.
    #[inline(always)]
    unsafe fn new(bytes: v128) -> Self {
        Simd128(bytes)
    }
}

operators!(Simd128: v128_and, v128_or, v128_xor, i8x16_splat);

impl RankBytes for Simd128 {
    /// True, because `west` shifts 16-bit words. V8 has to emulate byte shifts on x86, which has
    /// none.
    const WEST_WRAPS: bool = true;
    type West = Shifted;

    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        Self(u8x16_splat(byte))
    }
    #[inline(always)]
    fn sub_bytes(self, other: Self) -> Self {
        Self(i8x16_sub(self.0, other.0))
    }
    #[inline(always)]
    fn east(self) -> Self {
        Self(i8x16_shl(self.0, 1))
    }
    #[inline(always)]
    fn west<const FILES: i32>(self) -> Self {
        Self(u16x8_shr(self.0, FILES.cast_unsigned()))
    }
}

impl BoardVector for Simd128 {
    const BOARDS: usize = 2;

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the boards are readable; the load needs no alignment.
        Self(unsafe { v128_load(from.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the boards are writable; the store needs no alignment.
        unsafe { v128_store(to.cast(), self.0) }
    }
    #[inline(always)]
    fn splat_board(self, squares: u64) -> Self {
        Self(u64x2_splat(squares))
    }
    #[inline(always)]
    fn shift(self, up: bool, squares: u32) -> Self {
        Self(if up { u64x2_shl(self.0, squares) } else { u64x2_shr(self.0, squares) })
    }
}

impl Register for Simd128 {
    type Four = Self;
    type Two = Self;

    /// Interleaves, because V8 compiles an interleaving to one x86 instruction, but a
    /// deinterleaving to three or more.
    #[inline(always)]
    fn slice(boards: [Self; 8]) -> [Self; 8] {
        slice_by_interleaving(boards)
    }
    #[inline(always)]
    fn unslice(ranks: [Self; 8]) -> [Self; 8] {
        unslice_by_interleaving(ranks)
    }
    #[inline(always)]
    unsafe fn load_first(from: *const u64, _one: usize) -> Self {
        // SAFETY: the boards are readable; the load needs no alignment.
        Self(unsafe { v128_load64_zero(from) })
    }
    #[inline(always)]
    unsafe fn store_first(self, to: *mut u64, _one: usize) {
        // SAFETY: the boards are writable; the store needs no alignment.
        unsafe { v128_store64_lane::<0>(self.0, to) }
    }
    #[inline(always)]
    fn transpose_lanes(self, other: Self) -> (Self, Self) {
        (Self(i64x2_shuffle::<0, 2>(self.0, other.0)), Self(i64x2_shuffle::<1, 3>(self.0, other.0)))
    }

    #[inline(always)]
    fn add_saturating(self, other: Self) -> Self {
        Self(u8x16_add_sat(self.0, other.0))
    }
    #[inline(always)]
    fn count_bits(self) -> Self {
        Self(i8x16_popcnt(self.0))
    }
    #[inline(always)]
    fn ne_mask(self, other: Self) -> Self {
        Self(i8x16_ne(self.0, other.0))
    }
    /// Looks the file up in a table of sixteen bytes.
    #[inline(always)]
    fn file_of_square(self) -> Self {
        let files = u8x16(1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0);
        Self(i8x16_swizzle(files, v128_and(self.0, u8x16_splat(7))))
    }
}

impl Interleave for Simd128 {
    #[inline(always)]
    #[rustfmt::skip]
    fn interleave(self, other: Self) -> (Self, Self) {
        (
            Self(i8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(self.0, other.0)),
            Self(i8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(self.0, other.0)),
        )
    }
}
