//! NEON registers: 2 whole boards, or one rank of 16 boards.

use core::arch::aarch64::{
    uint8x16_t, vandq_u8, vbslq_u8, vceqq_u8, vcntq_u8, vcombine_u8, vdup_n_u8, vdupq_n_s64,
    vdupq_n_u8, vdupq_n_u64, veorq_u8, vget_low_u8, vld1_u8, vld1q_u8, vmvnq_u8, vorrq_u8,
    vqaddq_u8, vrbitq_u8, vreinterpretq_s8_u8, vreinterpretq_u8_u64, vreinterpretq_u64_u8,
    vshlq_n_u8, vshlq_u8, vshlq_u64, vshrq_n_u8, vst1_u8, vst1q_u8, vsubq_u8, vuzp1q_u8, vuzp2q_u8,
    vzip1q_u8, vzip1q_u64, vzip2q_u8, vzip2q_u64,
};

use crate::kernels::generic::board_vector::{BoardVector, Register};
use crate::kernels::generic::operators::operators;
use crate::kernels::generic::rank_bytes::{RankBytes, ReverseBits, Reversed};
use crate::kernels::generic::transpose::{
    Deinterleave, Interleave, slice_by_deinterleaving, unslice_by_interleaving,
};

/// Sixteen bytes. A value proves that the CPU has NEON.
#[derive(Clone, Copy)]
pub(super) struct Neon(uint8x16_t);

impl Neon {
    /// # Safety
    /// The CPU has NEON.
    #[inline(always)]
    unsafe fn new(bytes: uint8x16_t) -> Self {
        Neon(bytes)
    }
}

operators!(Neon: vandq_u8, vorrq_u8, veorq_u8, splat);

#[inline]
#[target_feature(enable = "neon")]
fn splat(byte: i8) -> uint8x16_t {
    vdupq_n_u8(byte.cast_unsigned())
}

impl RankBytes for Neon {
    const WEST_WRAPS: bool = false;
    const FLOOD_SELECTS: bool = true;
    type West = Reversed;

    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        // SAFETY: a value of this type proves that the CPU has NEON.
        Self(unsafe { vdupq_n_u8(byte) })
    }
    #[inline(always)]
    fn sub_bytes(self, other: Self) -> Self {
        // SAFETY: a value of this type proves that the CPU has NEON.
        Self(unsafe { vsubq_u8(self.0, other.0) })
    }
    #[inline(always)]
    fn east(self) -> Self {
        // SAFETY: a value of this type proves that the CPU has NEON.
        Self(unsafe { vshlq_n_u8::<1>(self.0) })
    }
    #[inline(always)]
    fn west<const FILES: i32>(self) -> Self {
        // SAFETY: a value of this type proves that the CPU has NEON.
        Self(unsafe { vshrq_n_u8::<FILES>(self.0) })
    }
    #[inline(always)]
    fn flood(self, occupied: Self, sliders: Self) -> Self {
        // SAFETY: a value of this type proves that the CPU has NEON.
        Self(unsafe { vbslq_u8(occupied.0, sliders.0, self.0) })
    }
}

impl ReverseBits for Neon {
    #[inline(always)]
    fn reverse(self) -> Self {
        // SAFETY: a value of this type proves that the CPU has NEON.
        Self(unsafe { vrbitq_u8(self.0) })
    }
}

impl BoardVector for Neon {
    const BOARDS: usize = 2;

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: two boards are readable; `vld1q_u8` needs no alignment.
        Self(unsafe { vld1q_u8(from.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: two boards are writable; `vst1q_u8` needs no alignment.
        unsafe { vst1q_u8(to.cast(), self.0) }
    }
    #[inline(always)]
    fn splat_board(self, squares: u64) -> Self {
        // SAFETY: a value of this type proves that the CPU has NEON.
        Self(unsafe { vreinterpretq_u8_u64(vdupq_n_u64(squares)) })
    }
    /// A negative count shifts to the right.
    #[inline(always)]
    fn shift(self, up: bool, squares: u32) -> Self {
        let count = if up { i64::from(squares) } else { -i64::from(squares) };
        // SAFETY: a value of this type proves that the CPU has NEON.
        Self(unsafe {
            let words = vreinterpretq_u64_u8(self.0);
            vreinterpretq_u8_u64(vshlq_u64(words, vdupq_n_s64(count)))
        })
    }
}

impl Register for Neon {
    type Four = Self;
    type Two = Self;

    #[inline(always)]
    fn slice(boards: [Self; 8]) -> [Self; 8] {
        slice_by_deinterleaving(boards)
    }
    #[inline(always)]
    fn unslice(ranks: [Self; 8]) -> [Self; 8] {
        unslice_by_interleaving(ranks)
    }
    #[inline(always)]
    unsafe fn load_first(from: *const u64, _one: usize) -> Self {
        // SAFETY: one board is readable; `vld1_u8` needs no alignment.
        Self(unsafe { vcombine_u8(vld1_u8(from.cast()), vdup_n_u8(0)) })
    }
    #[inline(always)]
    unsafe fn store_first(self, to: *mut u64, _one: usize) {
        // SAFETY: one board is writable; `vst1_u8` needs no alignment.
        unsafe { vst1_u8(to.cast(), vget_low_u8(self.0)) }
    }
    #[inline(always)]
    fn transpose_lanes(self, other: Self) -> (Self, Self) {
        // SAFETY: a value of this type proves that the CPU has NEON.
        unsafe {
            let (a, b) = (vreinterpretq_u64_u8(self.0), vreinterpretq_u64_u8(other.0));
            (
                Self(vreinterpretq_u8_u64(vzip1q_u64(a, b))),
                Self(vreinterpretq_u8_u64(vzip2q_u64(a, b))),
            )
        }
    }

    #[inline(always)]
    fn add_saturating(self, other: Self) -> Self {
        // SAFETY: a value of this type proves that the CPU has NEON.
        Self(unsafe { vqaddq_u8(self.0, other.0) })
    }
    #[inline(always)]
    fn count_bits(self) -> Self {
        // SAFETY: a value of this type proves that the CPU has NEON.
        Self(unsafe { vcntq_u8(self.0) })
    }
    #[inline(always)]
    fn ne_mask(self, other: Self) -> Self {
        // SAFETY: a value of this type proves that the CPU has NEON.
        Self(unsafe { vmvnq_u8(vceqq_u8(self.0, other.0)) })
    }
    /// Shifts 1 left by the file number in each byte.
    #[inline(always)]
    fn file_of_square(self) -> Self {
        // SAFETY: a value of this type proves that the CPU has NEON.
        Self(unsafe {
            let file = vandq_u8(self.0, vdupq_n_u8(7));
            vshlq_u8(vdupq_n_u8(1), vreinterpretq_s8_u8(file))
        })
    }
}

impl Interleave for Neon {
    #[inline(always)]
    fn interleave(self, other: Self) -> (Self, Self) {
        // SAFETY: a value of this type proves that the CPU has NEON.
        unsafe { (Self(vzip1q_u8(self.0, other.0)), Self(vzip2q_u8(self.0, other.0))) }
    }
}

impl Deinterleave for Neon {
    #[inline(always)]
    fn deinterleave(self, other: Self) -> (Self, Self) {
        // SAFETY: a value of this type proves that the CPU has NEON.
        unsafe { (Self(vuzp1q_u8(self.0, other.0)), Self(vuzp2q_u8(self.0, other.0))) }
    }
}
