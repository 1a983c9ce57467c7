//! NEON (AArch64, little-endian): 16 boards in rank slices.
//!
//! `bsl` makes a flood step one instruction, bytes shift without masks, `rbit` reverses for the
//! westward ray, and `uzp1`/`uzp2` cut the slices in three steps where unpacking takes four.

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
use core::arch::aarch64::{
    uint8x16_t, vandq_u8, vbicq_u8, vbslq_u8, vceqq_u8, vdupq_n_s64, vdupq_n_u8, vdupq_n_u64,
    veorq_u8, vld1q_u8, vmvnq_u8, vorrq_u8, vrbitq_u8, vreinterpretq_s8_u8, vreinterpretq_u8_u64,
    vreinterpretq_u64_u8, vshlq_n_u8, vshlq_u8, vshlq_u64, vshrq_n_u8, vst1q_u8, vsubq_u8,
    vuzp1q_u8, vuzp2q_u8, vzip1q_u8, vzip2q_u8,
};

use super::shells;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
use super::{
    lanes::{
        Deinterleave, Interleave, Lanes, Ranks, Squares, slice_by_deinterleaving,
        unslice_by_interleaving,
    },
    reversal::{self, Reverse},
};

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
#[derive(Clone, Copy)]
pub(super) struct Neon(uint8x16_t);

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
impl Ranks for Neon {
    const WEST_LEAKS: bool = false;
    const FLOOD_SELECTS: bool = true;

    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vdupq_n_u8(byte) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vorrq_u8(self.0, other.0) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { veorq_u8(self.0, other.0) })
    }
    #[inline(always)]
    fn without(self, mask: Self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vbicq_u8(self.0, mask.0) })
    }
    #[inline(always)]
    fn east(self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vshlq_n_u8::<1>(self.0) })
    }
    #[inline(always)]
    fn west<const FILES: i32>(self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vshrq_n_u8::<FILES>(self.0) })
    }
    #[inline(always)]
    fn flood(self, occupied: Self, sliders: Self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vbslq_u8(occupied.0, sliders.0, self.0) })
    }
    #[inline(always)]
    fn east_attacks(sliders: Self, occupied: Self) -> Self {
        let others = occupied.without(sliders);
        others.minus(sliders).xor(others).xor(sliders)
    }
    #[inline(always)]
    fn west_attacks(sliders: Self, occupied: Self) -> Self {
        reversal::west_attacks(sliders, occupied)
    }
}

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
impl Lanes for Neon {
    const BOARDS: usize = 2;

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller's contract; bytes need no alignment.
        Self(unsafe { vld1q_u8(from.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller's contract; bytes need no alignment.
        unsafe { vst1q_u8(to.cast(), self.0) }
    }
    #[inline(always)]
    fn shift_left(self, squares: u32) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe {
            vreinterpretq_u8_u64(vshlq_u64(
                vreinterpretq_u64_u8(self.0),
                vdupq_n_s64(i64::from(squares)),
            ))
        })
    }
    #[inline(always)]
    fn shift_right(self, squares: u32) -> Self {
        // SAFETY: a value of this type proves NEON; a negative count shifts to the right.
        Self(unsafe {
            vreinterpretq_u8_u64(vshlq_u64(
                vreinterpretq_u64_u8(self.0),
                vdupq_n_s64(-i64::from(squares)),
            ))
        })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vandq_u8(self.0, other.0) })
    }
    #[inline(always)]
    fn and_squares(self, squares: u64) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vandq_u8(self.0, vreinterpretq_u8_u64(vdupq_n_u64(squares))) })
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

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
impl Squares for Neon {
    #[inline(always)]
    fn differ(self, other: Self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vmvnq_u8(vceqq_u8(self.0, other.0)) })
    }
    /// Bytes shift by counts of their own.
    #[inline(always)]
    fn file_of_square(self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe {
            let file = vandq_u8(self.0, vdupq_n_u8(7));
            vshlq_u8(vdupq_n_u8(1), vreinterpretq_s8_u8(file))
        })
    }
    /// The order of boards in the slices is that in memory.
    #[inline(always)]
    unsafe fn slice_bytes(bytes: *const u8) -> Self {
        // SAFETY: the caller's contract.
        Self(unsafe { vld1q_u8(bytes) })
    }
}

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
impl Interleave for Neon {
    #[inline(always)]
    fn interleave(self, other: Self) -> (Self, Self) {
        // SAFETY: a value of this type proves NEON.
        unsafe {
            (
                Self(vzip1q_u8(self.0, other.0)),
                Self(vzip2q_u8(self.0, other.0)),
            )
        }
    }
}

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
impl Deinterleave for Neon {
    #[inline(always)]
    fn deinterleave(self, other: Self) -> (Self, Self) {
        // SAFETY: a value of this type proves NEON.
        unsafe {
            (
                Self(vuzp1q_u8(self.0, other.0)),
                Self(vuzp2q_u8(self.0, other.0)),
            )
        }
    }
}

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
impl Reverse for Neon {
    #[inline(always)]
    fn reverse(self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vrbitq_u8(self.0) })
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        // SAFETY: a value of this type proves NEON.
        Self(unsafe { vsubq_u8(self.0, other.0) })
    }
}

shells::base! {
    on: all(target_arch = "aarch64", target_endian = "little"),
    features: ["neon"],
    lanes: Neon, one: crate::kernels::borrow::TABLE,
}

shells::compound! {
    on: all(target_arch = "aarch64", target_endian = "little"),
    features: ["neon"],
    lanes: Neon,
}

shells::from_squares! {
    on: all(target_arch = "aarch64", target_endian = "little"),
    features: ["neon"],
    lanes: Neon, rest: compound,
}

shells::rank_sliced! {
    name: c"neon",
    technique: "rank slices of 16 boards in NEON registers: borrow both ways, westward in ranks reversed by rbit",
    on: all(target_arch = "aarch64", target_endian = "little"),
    features: ["neon"],
    lanes: Neon, few: super::base::FEW,
    own: [rook_attacks, bishop_attacks, queen_attacks, slider_attacks, slider_attacks_split],
    rest: from::TABLE,
}
