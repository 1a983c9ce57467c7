//! WebAssembly's 128-bit vectors: 16 boards in rank slices.
//!
//! A module with these instructions does not load at all where they are missing, so the kernel is
//! there only if the program is compiled for them (`-C target-feature=+simd128`).

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use core::arch::wasm32::{
    i8x16_ne, i8x16_shl, i8x16_shuffle, i8x16_sub, i8x16_swizzle, u8x16, u8x16_shr, u8x16_splat,
    u64x2_shl, u64x2_shr, u64x2_splat, v128, v128_and, v128_andnot, v128_bitselect, v128_load,
    v128_or, v128_store, v128_xor,
};

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::lanes::{
    Deinterleave, Interleave, Lanes, Ranks, Squares, slice_by_deinterleaving,
    unslice_by_interleaving,
};
use super::shells;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[derive(Clone, Copy)]
pub(super) struct Simd128(v128);

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
impl Ranks for Simd128 {
    const WEST_LEAKS: bool = false;
    const FLOOD_SELECTS: bool = true;

    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        Self(u8x16_splat(byte))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(v128_or(self.0, other.0))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(v128_xor(self.0, other.0))
    }
    #[inline(always)]
    fn without(self, mask: Self) -> Self {
        Self(v128_andnot(self.0, mask.0))
    }
    #[inline(always)]
    fn east(self) -> Self {
        Self(i8x16_shl(self.0, 1))
    }
    #[inline(always)]
    fn west<const FILES: i32>(self) -> Self {
        Self(u8x16_shr(self.0, FILES.cast_unsigned()))
    }
    #[inline(always)]
    fn flood(self, occupied: Self, sliders: Self) -> Self {
        Self(v128_bitselect(sliders.0, self.0, occupied.0))
    }
    #[inline(always)]
    fn east_attacks(sliders: Self, occupied: Self) -> Self {
        let others = occupied.without(sliders);
        Self(i8x16_sub(others.0, sliders.0))
            .xor(others)
            .xor(sliders)
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
impl Lanes for Simd128 {
    const BOARDS: usize = 2;

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller's contract; the load needs no alignment.
        Self(unsafe { v128_load(from.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller's contract; the store needs no alignment.
        unsafe { v128_store(to.cast(), self.0) }
    }
    #[inline(always)]
    fn shift_left(self, squares: u32) -> Self {
        Self(u64x2_shl(self.0, squares))
    }
    #[inline(always)]
    fn shift_right(self, squares: u32) -> Self {
        Self(u64x2_shr(self.0, squares))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(v128_and(self.0, other.0))
    }
    #[inline(always)]
    fn and_squares(self, squares: u64) -> Self {
        Self(v128_and(self.0, u64x2_splat(squares)))
    }
    #[inline(always)]
    fn slice(boards: [Self; 8]) -> [Self; 8] {
        slice_by_deinterleaving(boards)
    }
    #[inline(always)]
    fn unslice(ranks: [Self; 8]) -> [Self; 8] {
        unslice_by_interleaving(ranks)
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
impl Squares for Simd128 {
    #[inline(always)]
    fn differ(self, other: Self) -> Self {
        Self(i8x16_ne(self.0, other.0))
    }
    /// A look-up in a table of sixteen bytes.
    #[inline(always)]
    fn file_of_square(self) -> Self {
        let files = u8x16(1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0);
        Self(i8x16_swizzle(files, v128_and(self.0, u8x16_splat(7))))
    }
    /// The order of boards in the slices is that in memory.
    #[inline(always)]
    unsafe fn slice_bytes(bytes: *const u8) -> Self {
        // SAFETY: the caller's contract.
        Self(unsafe { v128_load(bytes.cast()) })
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
impl Interleave for Simd128 {
    #[inline(always)]
    fn interleave(self, other: Self) -> (Self, Self) {
        (
            Self(i8x16_shuffle::<
                0,
                16,
                1,
                17,
                2,
                18,
                3,
                19,
                4,
                20,
                5,
                21,
                6,
                22,
                7,
                23,
            >(self.0, other.0)),
            Self(i8x16_shuffle::<
                8,
                24,
                9,
                25,
                10,
                26,
                11,
                27,
                12,
                28,
                13,
                29,
                14,
                30,
                15,
                31,
            >(self.0, other.0)),
        )
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
impl Deinterleave for Simd128 {
    #[inline(always)]
    fn deinterleave(self, other: Self) -> (Self, Self) {
        (
            Self(i8x16_shuffle::<
                0,
                2,
                4,
                6,
                8,
                10,
                12,
                14,
                16,
                18,
                20,
                22,
                24,
                26,
                28,
                30,
            >(self.0, other.0)),
            Self(i8x16_shuffle::<
                1,
                3,
                5,
                7,
                9,
                11,
                13,
                15,
                17,
                19,
                21,
                23,
                25,
                27,
                29,
                31,
            >(self.0, other.0)),
        )
    }
}

shells::base! {
    on: all(target_arch = "wasm32", target_feature = "simd128"),
    features: ["simd128"],
    lanes: Simd128, one: crate::kernels::borrow::TABLE,
}

shells::compound! {
    on: all(target_arch = "wasm32", target_feature = "simd128"),
    features: ["simd128"],
    lanes: Simd128,
}

shells::from_squares! {
    on: all(target_arch = "wasm32", target_feature = "simd128"),
    features: ["simd128"],
    lanes: Simd128, rest: compound,
}

shells::rank_sliced! {
    name: c"simd128",
    technique: "rank slices of 16 boards in WebAssembly vectors: borrow eastward, Kogge-Stone westward",
    on: all(target_arch = "wasm32", target_feature = "simd128"),
    features: ["simd128"],
    lanes: Simd128, few: super::base::FEW,
    own: [rook_attacks, bishop_attacks, queen_attacks, slider_attacks, slider_attacks_split],
    rest: from::TABLE,
}
