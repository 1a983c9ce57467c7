//! AMD XOP (Bulldozer to Excavator): real VPPERM for the bit reversal and the cut into slices, `vpcmov` for the flood step,
//! `vpshlb` for shifts of bytes.
//!
//! Rust has no intrinsics for XOP, so its instructions are inline assembly; `xop-emulated` does
//! the same permutation in software, and both must agree on every input.

#[cfg(target_arch = "x86_64")]
use core::arch::{
    asm,
    x86_64::{
        __m128i, _mm_and_si128, _mm_andnot_si128, _mm_cvtsi32_si128, _mm_loadu_si128, _mm_or_si128,
        _mm_set1_epi8, _mm_set1_epi64x, _mm_sll_epi64, _mm_srl_epi64, _mm_storeu_si128,
        _mm_sub_epi8, _mm_unpackhi_epi8, _mm_unpacklo_epi8, _mm_xor_si128,
    },
};

use super::shells;
#[cfg(target_arch = "x86_64")]
use super::{
    lanes::{
        Deinterleave, Interleave, Lanes, Ranks, slice_by_deinterleaving, unslice_by_interleaving,
    },
    reversal::{self, Reverse},
    vpperm::REVERSE_BITS,
};

#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct Xop(__m128i);

/// A three-operand XOP instruction.
#[cfg(target_arch = "x86_64")]
macro_rules! xop {
    ($instruction:literal, $($operand:expr),*) => {{
        let result: __m128i;
        asm!(
            xop!(@template $instruction, $($operand),*),
            $(in(xmm_reg) $operand,)*
            out_result = lateout(xmm_reg) result,
            options(pure, nomem, nostack, preserves_flags),
        );
        result
    }};
    (@template $instruction:literal, $a:expr, $b:expr) => {
        concat!($instruction, " {out_result}, {0}, {1}")
    };
    (@template $instruction:literal, $a:expr, $b:expr, $c:expr) => {
        concat!($instruction, " {out_result}, {0}, {1}, {2}")
    };
}

/// The selectors of [`vpperm`](super::vpperm): bytes in place with their bits reversed, and even or odd places of both sources.
#[cfg(target_arch = "x86_64")]
const fn selector(first: u8, step: u8, operation: u8) -> [u8; 16] {
    let mut selector = [0; 16];
    let mut i = 0;
    while i < 16 {
        selector[i] = operation | (first + step * i as u8);
        i += 1;
    }
    selector
}
#[cfg(target_arch = "x86_64")]
static REVERSE: [u8; 16] = selector(0, 1, REVERSE_BITS);
#[cfg(target_arch = "x86_64")]
static EVEN: [u8; 16] = selector(0, 2, 0);
#[cfg(target_arch = "x86_64")]
static ODD: [u8; 16] = selector(1, 2, 0);

#[cfg(target_arch = "x86_64")]
impl Xop {
    #[inline(always)]
    fn vpperm(self, other: Self, selector: &'static [u8; 16]) -> Self {
        // SAFETY: a value of this type proves XOP; the selector is 16 bytes.
        Self(unsafe {
            let selector = _mm_loadu_si128(selector.as_ptr().cast());
            xop!("vpperm", self.0, other.0, selector)
        })
    }
}

#[cfg(target_arch = "x86_64")]
impl Ranks for Xop {
    const WEST_LEAKS: bool = false;
    const FLOOD_SELECTS: bool = true;

    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        // SAFETY: a value of this type proves SSE2.
        Self(unsafe { _mm_set1_epi8(byte.cast_signed()) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: a value of this type proves SSE2.
        Self(unsafe { _mm_or_si128(self.0, other.0) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: a value of this type proves SSE2.
        Self(unsafe { _mm_xor_si128(self.0, other.0) })
    }
    #[inline(always)]
    fn without(self, mask: Self) -> Self {
        // SAFETY: a value of this type proves SSE2.
        Self(unsafe { _mm_andnot_si128(mask.0, self.0) })
    }
    #[inline(always)]
    fn east(self) -> Self {
        // SAFETY: a value of this type proves SSE2.
        Self(unsafe { core::arch::x86_64::_mm_add_epi8(self.0, self.0) })
    }
    /// `vpshlb` shifts each byte by its own signed count; a negative one is to the right.
    #[inline(always)]
    fn west<const FILES: i32>(self) -> Self {
        // SAFETY: a value of this type proves XOP.
        Self(unsafe {
            let count = _mm_set1_epi8(-(FILES as i8));
            xop!("vpshlb", self.0, count)
        })
    }
    /// `vpcmov`: the first source where the selector's bits are set, the second elsewhere.
    #[inline(always)]
    fn flood(self, occupied: Self, sliders: Self) -> Self {
        // SAFETY: a value of this type proves XOP.
        Self(unsafe { xop!("vpcmov", sliders.0, self.0, occupied.0) })
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

#[cfg(target_arch = "x86_64")]
impl Lanes for Xop {
    const BOARDS: usize = 2;

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller's contract; the load is an unaligned one.
        Self(unsafe { _mm_loadu_si128(from.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller's contract; the store is an unaligned one.
        unsafe { _mm_storeu_si128(to.cast(), self.0) }
    }
    #[inline(always)]
    fn shift_left(self, squares: u32) -> Self {
        // SAFETY: a value of this type proves SSE2.
        Self(unsafe { _mm_sll_epi64(self.0, _mm_cvtsi32_si128(squares.cast_signed())) })
    }
    #[inline(always)]
    fn shift_right(self, squares: u32) -> Self {
        // SAFETY: a value of this type proves SSE2.
        Self(unsafe { _mm_srl_epi64(self.0, _mm_cvtsi32_si128(squares.cast_signed())) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: a value of this type proves SSE2.
        Self(unsafe { _mm_and_si128(self.0, other.0) })
    }
    #[inline(always)]
    fn and_squares(self, squares: u64) -> Self {
        // SAFETY: a value of this type proves SSE2.
        Self(unsafe { _mm_and_si128(self.0, _mm_set1_epi64x(squares.cast_signed())) })
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

#[cfg(target_arch = "x86_64")]
impl Interleave for Xop {
    #[inline(always)]
    fn interleave(self, other: Self) -> (Self, Self) {
        // SAFETY: a value of this type proves SSE2.
        unsafe {
            (
                Self(_mm_unpacklo_epi8(self.0, other.0)),
                Self(_mm_unpackhi_epi8(self.0, other.0)),
            )
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Deinterleave for Xop {
    #[inline(always)]
    fn deinterleave(self, other: Self) -> (Self, Self) {
        (self.vpperm(other, &EVEN), self.vpperm(other, &ODD))
    }
}

#[cfg(target_arch = "x86_64")]
impl Reverse for Xop {
    #[inline(always)]
    fn reverse(self) -> Self {
        self.vpperm(self, &REVERSE)
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        // SAFETY: a value of this type proves SSE2.
        Self(unsafe { _mm_sub_epi8(self.0, other.0) })
    }
}

shells::rank_sliced! {
    name: c"xop",
    technique: "rank slices of 16 boards in XMM registers: borrow both ways, westward in ranks reversed by VPPERM; vpcmov, vpshlb",
    on: target_arch = "x86_64",
    features: ["avx"] and ["xop"],
    lanes: Xop, few: crate::kernels::sse2::base::FEW,
    own: [rook_attacks, bishop_attacks, queen_attacks as_sliders, slider_attacks, slider_attacks_split],
    rest: crate::kernels::sse2::TABLE,
}
