//! Lanes of x86-64: 16 bytes in an XMM register, 32 in a YMM register.

#[allow(
    clippy::wildcard_imports,
    reason = "the intrinsics are named once, in the lists below"
)]
use core::arch::x86_64::*;

use super::lanes::{Interleave, Lanes, slice_by_interleaving, unslice_by_interleaving};

/// Implements [`Lanes`] for a register type from its intrinsics.
///
/// A value of the type exists only where the CPU has its features (see [`Lanes`]), which is
/// what makes the calls of intrinsics sound.
macro_rules! x86_lanes {
    (
        $lanes:ident($register:ty), boards: $boards:literal,
        $load:ident, $store:ident, $splat:ident, $or:ident, $xor:ident, $andnot:ident,
        $add:ident, $sub:ident, $srl:ident, $unpacklo:ident, $unpackhi:ident
    ) => {
        #[derive(Clone, Copy)]
        pub(super) struct $lanes($register);

        impl Lanes for $lanes {
            const BOARDS: usize = $boards;
            const WEST_LEAKS: bool = true;

            #[inline(always)]
            unsafe fn load(from: *const u64) -> Self {
                // SAFETY: the caller's contract; the load is an unaligned one.
                Self(unsafe { $load(from.cast()) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut u64) {
                // SAFETY: the caller's contract; the store is an unaligned one.
                unsafe { $store(to.cast(), self.0) }
            }
            #[inline(always)]
            fn splat(self, byte: u8) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { $splat(byte.cast_signed()) })
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { $or(self.0, other.0) })
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { $xor(self.0, other.0) })
            }
            #[inline(always)]
            fn without(self, mask: Self) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { $andnot(mask.0, self.0) })
            }
            /// `paddb` of a byte to itself: the h-file drops out.
            #[inline(always)]
            fn east(self) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { $add(self.0, self.0) })
            }
            /// x86 has no shift of bytes: `psrlw` shifts words, and leaks.
            #[inline(always)]
            fn west<const FILES: i32>(self) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { $srl::<FILES>(self.0) })
            }
            /// `pandn`, `psubb`, `pxor` (Isenberg 2005). A slider bit of the difference tells
            /// that the slider was *not* reached, so the sliders are changed back too.
            #[inline(always)]
            fn east_attacks(sliders: Self, occupied: Self) -> Self {
                let others = occupied.without(sliders);
                // SAFETY: a value of this type proves the features.
                let borrowed = Self(unsafe { $sub(others.0, sliders.0) });
                borrowed.xor(others).xor(sliders)
            }
            #[inline(always)]
            fn slice(boards: [Self; 8]) -> [Self; 8] {
                slice_by_interleaving(boards)
            }
            #[inline(always)]
            fn unslice(ranks: [Self; 8]) -> [Self; 8] {
                unslice_by_interleaving(ranks)
            }
        }

        impl Interleave for $lanes {
            #[inline(always)]
            fn interleave(self, other: Self) -> (Self, Self) {
                // SAFETY: a value of this type proves the features.
                unsafe {
                    (
                        Self($unpacklo(self.0, other.0)),
                        Self($unpackhi(self.0, other.0)),
                    )
                }
            }
        }
    };
}

x86_lanes! {
    Sse2(__m128i), boards: 2,
    _mm_loadu_si128, _mm_storeu_si128, _mm_set1_epi8, _mm_or_si128, _mm_xor_si128, _mm_andnot_si128,
    _mm_add_epi8, _mm_sub_epi8, _mm_srli_epi16, _mm_unpacklo_epi8, _mm_unpackhi_epi8
}
x86_lanes! {
    Avx2(__m256i), boards: 4,
    _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi8, _mm256_or_si256, _mm256_xor_si256, _mm256_andnot_si256,
    _mm256_add_epi8, _mm256_sub_epi8, _mm256_srli_epi16, _mm256_unpacklo_epi8, _mm256_unpackhi_epi8
}
