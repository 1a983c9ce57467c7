//! Threats with NEON: the changes of one move. `tbl` permutes the 64 bytes of a board. Batches are
//! portable.

use core::arch::aarch64::*;

use crate::kernels::generic::threats::Threats;
use crate::kernels::generic::threats::quad::{Quad, Sixteen};
use crate::kernels::generic::threats::view::view_entries;

/// Sixteen bytes.
#[derive(Clone, Copy)]
struct Neon(uint8x16_t);

impl Sixteen for Neon {
    #[inline(always)]
    unsafe fn load(bytes: *const u8) -> Self {
        // SAFETY: the contract of `Sixteen`, as in all methods.
        Neon(unsafe { vld1q_u8(bytes) })
    }
    #[inline(always)]
    unsafe fn store(self, bytes: *mut u8) {
        // SAFETY: as above.
        unsafe { vst1q_u8(bytes, self.0) }
    }
    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        // SAFETY: as above.
        Neon(unsafe { vdupq_n_u8(byte) })
    }
    #[inline(always)]
    unsafe fn splat_u32(element: u32) -> Self {
        // SAFETY: as above.
        Neon(unsafe { vreinterpretq_u8_u32(vdupq_n_u32(element)) })
    }
    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        Neon(unsafe { vandq_u8(self.0, other.0) })
    }
    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: as above.
        Neon(unsafe { vorrq_u8(self.0, other.0) })
    }
    #[inline(always)]
    unsafe fn without(self, mask: Self) -> Self {
        // SAFETY: as above.
        Neon(unsafe { vbicq_u8(self.0, mask.0) })
    }
    #[inline(always)]
    unsafe fn equals(self, other: Self) -> Self {
        // SAFETY: as above.
        Neon(unsafe { vceqq_u8(self.0, other.0) })
    }
    /// `tbl` returns 0 for every index above 15.
    #[inline(always)]
    unsafe fn shuffle(self, indices: Self) -> Self {
        // SAFETY: as above.
        Neon(unsafe { vqtbl1q_u8(self.0, indices.0) })
    }
    #[inline(always)]
    unsafe fn negate(self) -> Self {
        // SAFETY: as above.
        Neon(unsafe { vreinterpretq_u8_s64(vnegq_s64(vreinterpretq_s64_u8(self.0))) })
    }
    #[inline(always)]
    unsafe fn sum(self) -> Self {
        // SAFETY: as above.
        Neon(unsafe { vreinterpretq_u8_u64(vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(self.0)))) })
    }
    #[inline(always)]
    unsafe fn shift_left_u32<const BITS: i32>(self) -> Self {
        // SAFETY: as above.
        Neon(unsafe { vreinterpretq_u8_u32(vshlq_n_u32::<BITS>(vreinterpretq_u32_u8(self.0))) })
    }
    #[inline(always)]
    unsafe fn low_halves(self, other: Self) -> Self {
        // SAFETY: as above.
        Neon(unsafe {
            let (a, b) = (vreinterpretq_u32_u8(self.0), vreinterpretq_u32_u8(other.0));
            vreinterpretq_u8_u32(vuzp1q_u32(a, b))
        })
    }
    #[inline(always)]
    unsafe fn nonzero([a, b, c, d]: [Self; 4]) -> u32 {
        // SAFETY: as above.
        unsafe {
            const BITS: [u16; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
            let any = |lanes: Neon| {
                let lanes = vreinterpretq_u64_u8(lanes.0);
                Neon(vreinterpretq_u8_u64(vtstq_u64(lanes, lanes)))
            };
            let first = vreinterpretq_u16_u8(any(a).low_halves(any(b)).0);
            let second = vreinterpretq_u16_u8(any(c).low_halves(any(d)).0);
            let all = vuzp1q_u16(first, second);
            u32::from(vaddvq_u16(vandq_u16(all, vld1q_u16(BITS.as_ptr()))))
        }
    }
    #[inline(always)]
    unsafe fn codes(board: *const [u8; 64], squares: [Self; 4]) -> [Self; 4] {
        // SAFETY: as above.
        unsafe {
            let load =
                |first: usize| vandq_u8(vld1q_u8(board.cast::<u8>().add(first)), vdupq_n_u8(15));
            let board = uint8x16x4_t(load(0), load(16), load(32), load(48));
            squares.map(|squares| Neon(vqtbl4q_u8(board, squares.0)))
        }
    }
}

type Bytes = Quad<Neon>;

view_entries!(Bytes, "neon");

/// Not measured against look-ups.
pub(super) const NEON_THREATS: Threats = Threats { entries: ENTRIES, gains: false };
