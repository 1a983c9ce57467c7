//! Threats with WebAssembly's vectors: the changes of one move. Batches are portable.

use core::arch::wasm32::*;

use crate::kernels::generic::threats::Threats;
use crate::kernels::generic::threats::quad::{Quad, Sixteen};
use crate::kernels::generic::threats::view::view_entries;

/// Sixteen bytes.
#[derive(Clone, Copy)]
struct Simd128(v128);

impl Sixteen for Simd128 {
    #[inline(always)]
    unsafe fn load(bytes: *const u8) -> Self {
        // SAFETY: the contract of `Sixteen`.
        Simd128(unsafe { v128_load(bytes.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, bytes: *mut u8) {
        // SAFETY: as above.
        unsafe { v128_store(bytes.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        Simd128(u8x16_splat(byte))
    }
    #[inline(always)]
    unsafe fn splat_u32(element: u32) -> Self {
        Simd128(u32x4_splat(element))
    }
    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        Simd128(v128_and(self.0, other.0))
    }
    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        Simd128(v128_or(self.0, other.0))
    }
    #[inline(always)]
    unsafe fn without(self, mask: Self) -> Self {
        Simd128(v128_andnot(self.0, mask.0))
    }
    #[inline(always)]
    unsafe fn equals(self, other: Self) -> Self {
        Simd128(u8x16_eq(self.0, other.0))
    }
    /// `swizzle` returns 0 for every index above 15.
    #[inline(always)]
    unsafe fn shuffle(self, indices: Self) -> Self {
        Simd128(u8x16_swizzle(self.0, indices.0))
    }
    #[inline(always)]
    unsafe fn negate(self) -> Self {
        Simd128(i64x2_neg(self.0))
    }
    #[inline(always)]
    unsafe fn sum(self) -> Self {
        let pairs = u32x4_extadd_pairwise_u16x8(u16x8_extadd_pairwise_u8x16(self.0));
        let sums = i64x2_add(pairs, u64x2_shr(pairs, 32));
        Simd128(v128_and(sums, u64x2_splat(0xffff_ffff)))
    }
    #[inline(always)]
    unsafe fn shift_left_u32<const BITS: i32>(self) -> Self {
        Simd128(u32x4_shl(self.0, BITS.cast_unsigned()))
    }
    #[inline(always)]
    unsafe fn low_halves(self, other: Self) -> Self {
        Simd128(u32x4_shuffle::<0, 2, 4, 6>(self.0, other.0))
    }
    #[inline(always)]
    unsafe fn nonzero(lanes: [Self; 4]) -> u32 {
        let zero = u8x16_splat(0);
        let [a, b, c, d] = lanes.map(|lanes| u32::from(u64x2_bitmask(i64x2_ne(lanes.0, zero))));
        a | b << 2 | c << 4 | d << 6
    }
    #[inline(always)]
    unsafe fn codes(board: *const [u8; 64], squares: [Self; 4]) -> [Self; 4] {
        // SAFETY: the contract of `Sixteen`.
        let load = |first: usize| unsafe {
            v128_and(v128_load(board.cast::<u8>().add(first).cast()), u8x16_splat(15))
        };
        let (a, b, c, d) = (load(0), load(16), load(32), load(48));
        squares.map(|Simd128(squares)| {
            let of = |board, first| u8x16_swizzle(board, u8x16_sub(squares, u8x16_splat(first)));
            let low = v128_or(of(a, 0), of(b, 16));
            Simd128(v128_or(low, v128_or(of(c, 32), of(d, 48))))
        })
    }
}

type Bytes = Quad<Simd128>;

view_entries!(Bytes, "simd128");

/// Not measured against look-ups.
pub(super) const SIMD128_THREATS: Threats = Threats { entries: ENTRIES, gains: false };
