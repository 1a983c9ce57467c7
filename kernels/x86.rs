//! Lanes of x86-64: 16 bytes in an XMM register, 32 in a YMM register, 64 in a ZMM register.
//!
//! The types themselves are defined where the kernels are, each with what its instruction set does better.

/// Implements [`Lanes`](super::lanes::Lanes) for a register type from its intrinsics.
///
/// A value of the type exists only where the CPU has its features (see there), which is
/// what makes the calls of intrinsics sound.
macro_rules! x86_lanes {
    (
        $lanes:ident($register:ident), boards: $boards:literal,
        $load:ident, $store:ident, $splat:ident, $or:ident, $xor:ident, $andnot:ident,
        $add:ident, $sub:ident, $unpacklo:ident, $unpackhi:ident,
        $sll:ident, $srl:ident by $count:ident, $and:ident, $set1:ident, westward: { $($westward:tt)* }, registers: { $($registers:tt)* }
    ) => {
        #[derive(Clone, Copy)]
        pub(super) struct $lanes(core::arch::x86_64::$register);

        impl $crate::kernels::lanes::Ranks for $lanes {
            $($westward)*

            #[inline(always)]
            fn splat(self, byte: u8) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { core::arch::x86_64::$splat(byte.cast_signed()) })
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { core::arch::x86_64::$or(self.0, other.0) })
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { core::arch::x86_64::$xor(self.0, other.0) })
            }
            #[inline(always)]
            fn without(self, mask: Self) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { core::arch::x86_64::$andnot(mask.0, self.0) })
            }
            /// `paddb` of a byte to itself: the h-file drops out.
            #[inline(always)]
            fn east(self) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { core::arch::x86_64::$add(self.0, self.0) })
            }
            /// `pandn`, `psubb`, `pxor` (Isenberg 2005). A slider bit of the difference tells
            /// that the slider was *not* reached, so the sliders are changed back too.
            #[inline(always)]
            fn east_attacks(sliders: Self, occupied: Self) -> Self {
                let others = occupied.without(sliders);
                // SAFETY: a value of this type proves the features.
                let borrowed = Self(unsafe { core::arch::x86_64::$sub(others.0, sliders.0) });
                borrowed.xor(others).xor(sliders)
            }
        }

        impl $crate::kernels::lanes::Lanes for $lanes {
            const BOARDS: usize = $boards;

            #[inline(always)]
            unsafe fn load(from: *const u64) -> Self {
                // SAFETY: the caller's contract; the load is an unaligned one.
                Self(unsafe { core::arch::x86_64::$load(from.cast()) })
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut u64) {
                // SAFETY: the caller's contract; the store is an unaligned one.
                unsafe { core::arch::x86_64::$store(to.cast(), self.0) }
            }
            #[inline(always)]
            fn shift_left(self, squares: u32) -> Self {
                // SAFETY: a value of this type proves the features.
                unsafe {
                    Self(core::arch::x86_64::$sll(self.0, core::arch::x86_64::$count(squares.into())))
                }
            }
            #[inline(always)]
            fn shift_right(self, squares: u32) -> Self {
                // SAFETY: a value of this type proves the features.
                unsafe {
                    Self(core::arch::x86_64::$srl(self.0, core::arch::x86_64::$count(squares.into())))
                }
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                // SAFETY: a value of this type proves the features.
                Self(unsafe { core::arch::x86_64::$and(self.0, other.0) })
            }
            #[inline(always)]
            fn and_squares(self, squares: u64) -> Self {
                // SAFETY: a value of this type proves the features.
                unsafe {
                    let squares = core::arch::x86_64::$set1(squares.cast_signed());
                    Self(core::arch::x86_64::$and(self.0, squares))
                }
            }
            $($registers)*
        }

        impl $crate::kernels::lanes::Interleave for $lanes {
            #[inline(always)]
            fn interleave(self, other: Self) -> (Self, Self) {
                // SAFETY: a value of this type proves the features.
                unsafe {
                    (
                        Self(core::arch::x86_64::$unpacklo(self.0, other.0)),
                        Self(core::arch::x86_64::$unpackhi(self.0, other.0)),
                    )
                }
            }
        }
    };
}

/// Lanes in an XMM register; the braces say how files move west.
macro_rules! xmm_lanes {
    ($lanes:ident { $($westward:tt)* }) => {
        $crate::kernels::x86::x86_lanes! {
            $lanes(__m128i), boards: 2,
            _mm_loadu_si128, _mm_storeu_si128, _mm_set1_epi8, _mm_or_si128, _mm_xor_si128, _mm_andnot_si128,
            _mm_add_epi8, _mm_sub_epi8, _mm_unpacklo_epi8, _mm_unpackhi_epi8,
            _mm_sll_epi64, _mm_srl_epi64 by _mm_cvtsi64_si128, _mm_and_si128, _mm_set1_epi64x,
            westward: { $($westward)* },
            registers: { $crate::kernels::x86::slices_by_interleaving!(); }
        }
    };
}

/// Lanes in a YMM register.
macro_rules! ymm_lanes {
    ($lanes:ident { $($westward:tt)* } $($registers:tt)*) => {
        $crate::kernels::x86::x86_lanes! {
            $lanes(__m256i), boards: 4,
            _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi8, _mm256_or_si256, _mm256_xor_si256, _mm256_andnot_si256,
            _mm256_add_epi8, _mm256_sub_epi8, _mm256_unpacklo_epi8, _mm256_unpackhi_epi8,
            _mm256_sllv_epi64, _mm256_srlv_epi64 by _mm256_set1_epi64x, _mm256_and_si256, _mm256_set1_epi64x,
            westward: {
                $($westward)*
            },
            registers: {
                $crate::kernels::x86::slices_by_interleaving!();
                $($registers)*
            }
        }
    };
}

/// Westward by a shift of words: x86 has no shift of bytes before GFNI, so it leaks.
macro_rules! west_by_words {
    ($srl:ident) => {
        const WEST_LEAKS: bool = true;

        #[inline(always)]
        fn west<const FILES: i32>(self) -> Self {
            // SAFETY: a value of this type proves the features.
            Self(unsafe { core::arch::x86_64::$srl::<FILES>(self.0) })
        }
    };
}

/// Rank slices by unpacking bytes.
macro_rules! slices_by_interleaving {
    () => {
        #[inline(always)]
        fn slice(boards: [Self; 8]) -> [Self; 8] {
            $crate::kernels::lanes::slice_by_interleaving(boards)
        }
        #[inline(always)]
        fn unslice(ranks: [Self; 8]) -> [Self; 8] {
            $crate::kernels::lanes::unslice_by_interleaving(ranks)
        }
    };
}

/// Westward rays by reversal of bits.
macro_rules! west_by_reversal {
    () => {
        #[inline(always)]
        fn west_attacks(sliders: Self, occupied: Self) -> Self {
            $crate::kernels::reversal::west_attacks(sliders, occupied)
        }
    };
}

pub(super) use {
    slices_by_interleaving, west_by_reversal, west_by_words, x86_lanes, xmm_lanes, ymm_lanes,
};
