//! VPPERM, as an XOP instruction or in software on SSSE3, and the rank slices that use it.
//!
//! `setwise::techniques::hyperbola::vpperm` explains the instruction, and the tests compare the
//! software version with it. In the software version, bit 5 of a selector byte inverts the result,
//! and bits 6 and 7 choose one of four results.
//!
//! Source: AMD's manual, as described in "Hyperbola Quintessence", Chess Programming Wiki.

use core::arch::asm;
use core::arch::x86_64::*;
use core::marker::PhantomData;

use super::byte_shifts::{ByteShifts, Reverse};
use super::xmm::Xmm;
use crate::kernels::generic::rank_bytes::Reversed;
use crate::kernels::generic::transpose::{self, Deinterleave};

/// The operation "bits reversed" in a selector byte.
pub(crate) const REVERSE_BITS: u8 = 2 << 5;

/// Maps a nibble to its reverse in the low half of a byte.
static REVERSED_LOW: [u8; 16] = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15];
/// Maps a nibble to its reverse in the high half of a byte.
static REVERSED_HIGH: [u8; 16] = [
    0x00, 0x80, 0x40, 0xc0, 0x20, 0xa0, 0x60, 0xe0, 0x10, 0x90, 0x50, 0xd0, 0x30, 0xb0, 0x70, 0xf0,
];

/// Reverses the bits of each byte with two look-ups, which swap the nibbles and reverse each one.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn reverse_bits(bytes: __m128i) -> __m128i {
    // SAFETY: the tables are 16 bytes; the loads may be unaligned.
    let (to_low, to_high) = unsafe {
        (
            _mm_loadu_si128((&raw const REVERSED_LOW).cast()),
            _mm_loadu_si128((&raw const REVERSED_HIGH).cast()),
        )
    };
    let nibble = _mm_set1_epi8(0x0f);
    let low = _mm_and_si128(bytes, nibble);
    let high = _mm_and_si128(_mm_srli_epi16::<4>(bytes), nibble);
    _mm_or_si128(_mm_shuffle_epi8(to_high, low), _mm_shuffle_epi8(to_low, high))
}

/// VPPERM in software.
#[target_feature(enable = "ssse3")]
#[allow(
    improper_ctypes_definitions,
    reason = "only Rust calls it; with this ABI, vectors stay in registers"
)]
extern "C" fn vpperm_in_software(first: __m128i, second: __m128i, selector: __m128i) -> __m128i {
    let bit_is_set = |bit: i8| {
        let bit = _mm_set1_epi8(bit);
        _mm_cmpeq_epi8(_mm_and_si128(selector, bit), bit)
    };
    let index = _mm_and_si128(selector, _mm_set1_epi8(0x0f));
    let byte =
        select(bit_is_set(0x10), _mm_shuffle_epi8(second, index), _mm_shuffle_epi8(first, index));
    let zero = _mm_setzero_si128();
    let sign = _mm_cmpgt_epi8(zero, byte);
    let (bit6, bit7) = (bit_is_set(0x40), _mm_cmpgt_epi8(zero, selector));
    let direct = select(bit6, reverse_bits(byte), byte);
    let constant = _mm_and_si128(bit6, sign);
    _mm_xor_si128(select(bit7, constant, direct), bit_is_set(0x20))
}

#[inline]
#[target_feature(enable = "ssse3")]
fn select(mask: __m128i, yes: __m128i, no: __m128i) -> __m128i {
    _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no))
}

/// Executes XOP instructions.
pub(crate) trait XopExecutor: Copy {
    /// `vpperm`.
    ///
    /// # Safety
    /// The CPU has what the executor needs.
    unsafe fn permute(first: __m128i, second: __m128i, selector: __m128i) -> __m128i;
    /// `vpcmov`: `yes` where the mask's bits are set, `no` elsewhere.
    ///
    /// # Safety
    /// The CPU has what the executor needs.
    unsafe fn select(mask: __m128i, yes: __m128i, no: __m128i) -> __m128i;
    /// `vpshlb` with a negative count, which shifts each byte right.
    ///
    /// # Safety
    /// The CPU has what the executor needs.
    unsafe fn shift_right<const BITS: i32>(bytes: __m128i) -> __m128i;
}

/// The CPU's own instructions, in inline assembly, because Rust has no intrinsics for XOP.
#[derive(Clone, Copy)]
pub(crate) struct Hardware;

/// An XOP instruction with two or three sources.
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

impl XopExecutor for Hardware {
    #[inline(always)]
    unsafe fn permute(first: __m128i, second: __m128i, selector: __m128i) -> __m128i {
        // SAFETY: the executor's CPU has XOP.
        unsafe { xop!("vpperm", first, second, selector) }
    }
    #[inline(always)]
    unsafe fn select(mask: __m128i, yes: __m128i, no: __m128i) -> __m128i {
        // SAFETY: as above.
        unsafe { xop!("vpcmov", yes, no, mask) }
    }
    #[inline(always)]
    unsafe fn shift_right<const BITS: i32>(bytes: __m128i) -> __m128i {
        // SAFETY: as above.
        unsafe { xop!("vpshlb", bytes, _mm_set1_epi8(-(BITS as i8))) }
    }
}

/// Emulates the XOP instructions, each with several SSSE3 instructions.
#[derive(Clone, Copy)]
pub(crate) struct Software;

impl XopExecutor for Software {
    /// Calls an address that is opaque to the compiler, which therefore cannot optimise the
    /// function for a constant selector. Like the instruction, the function computes all eight
    /// operations.
    #[inline(always)]
    unsafe fn permute(first: __m128i, second: __m128i, selector: __m128i) -> __m128i {
        let mut address: unsafe extern "C" fn(__m128i, __m128i, __m128i) -> __m128i =
            vpperm_in_software;
        // SAFETY: the assembly is empty; the executor's CPU has SSSE3.
        unsafe {
            // Miri cannot run assembly.
            if !cfg!(miri) {
                asm!("/* {0} */", inout(reg) address,
                    options(pure, readonly, nostack, preserves_flags));
            }
            address(first, second, selector)
        }
    }
    #[inline(always)]
    unsafe fn select(mask: __m128i, yes: __m128i, no: __m128i) -> __m128i {
        // SAFETY: the executor's CPU has SSSE3.
        unsafe { select(mask, yes, no) }
    }
    #[inline(always)]
    unsafe fn shift_right<const BITS: i32>(bytes: __m128i) -> __m128i {
        // SAFETY: as above.
        unsafe {
            _mm_and_si128(
                _mm_srli_epi16::<BITS>(bytes),
                _mm_set1_epi8((0xff_u8 >> BITS).cast_signed()),
            )
        }
    }
}

/// AMD XOP: VPPERM for bit reversal and slicing, `vpcmov` for flood steps, `vpshlb` for byte
/// shifts. Executed by [`Hardware`] or [`Software`].
#[derive(Clone, Copy)]
pub(super) struct Xop<Executor>(PhantomData<Executor>);

/// A selector that takes every `step`-th source byte, starting at `first`, with the same operation
/// for all.
const fn selector(first: u8, step: u8, operation: u8) -> [u8; 16] {
    let mut selector = [0; 16];
    let mut i = 0;
    while i < 16 {
        selector[i] = operation | (first + step * i as u8);
        i += 1;
    }
    selector
}
static REVERSE: [u8; 16] = selector(0, 1, REVERSE_BITS);
static EVEN: [u8; 16] = selector(0, 2, 0);
static ODD: [u8; 16] = selector(1, 2, 0);

/// # Safety
/// The CPU has what the executor needs.
#[inline(always)]
unsafe fn permute<Executor: XopExecutor>(
    a: __m128i,
    b: __m128i,
    selector: &'static [u8; 16],
) -> __m128i {
    // SAFETY: the CPU has what the executor needs; the selector is 16 bytes, the load may be
    // unaligned.
    unsafe { Executor::permute(a, b, _mm_loadu_si128(selector.as_ptr().cast())) }
}

impl<Executor: XopExecutor> ByteShifts<Xmm<Self>> for Xop<Executor> {
    const WEST_WRAPS: bool = false;
    const FLOOD_SELECTS: bool = true;
    type West = Reversed;

    #[inline(always)]
    fn west<const FILES: i32>(ranks: Xmm<Self>) -> Xmm<Self> {
        // SAFETY: a value of the register type proves that the CPU has what the executor needs.
        unsafe { Xmm::new(Executor::shift_right::<FILES>(ranks.0)) }
    }
    #[inline(always)]
    fn flood(flood: Xmm<Self>, occupied: Xmm<Self>, sliders: Xmm<Self>) -> Xmm<Self> {
        // SAFETY: as above.
        unsafe { Xmm::new(Executor::select(occupied.0, sliders.0, flood.0)) }
    }
    #[inline(always)]
    fn slice(boards: [Xmm<Self>; 8]) -> [Xmm<Self>; 8] {
        transpose::slice_by_deinterleaving(boards)
    }
}

impl<Executor: XopExecutor> Reverse<Xmm<Self>> for Xop<Executor> {
    #[inline(always)]
    fn reverse(ranks: Xmm<Self>) -> Xmm<Self> {
        // SAFETY: as above.
        unsafe { Xmm::new(permute::<Executor>(ranks.0, ranks.0, &REVERSE)) }
    }
}

impl<Executor: XopExecutor> Deinterleave for Xmm<Xop<Executor>> {
    #[inline(always)]
    fn deinterleave(self, other: Self) -> (Self, Self) {
        // SAFETY: as above.
        unsafe {
            (
                Self::new(permute::<Executor>(self.0, other.0, &EVEN)),
                Self::new(permute::<Executor>(self.0, other.0, &ODD)),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::techniques::hyperbola::vpperm;

    #[allow(clippy::missing_transmute_annotations, reason = "the types are visible")]
    fn check(first: [u8; 16], second: [u8; 16], selector: [u8; 16]) {
        let load = |bytes: [u8; 16]| u128::from_le_bytes(bytes);
        // SAFETY: the callers checked for SSSE3; a vector is 16 plain bytes.
        let result = unsafe {
            let vector = |bytes| core::mem::transmute::<u128, __m128i>(load(bytes));
            core::mem::transmute::<__m128i, [u8; 16]>(Software::permute(
                vector(first),
                vector(second),
                vector(selector),
            ))
        };
        assert_eq!(result, vpperm(first, second, selector), "{first:?} {second:?} {selector:?}");
    }

    #[test]
    fn random_sources_and_selectors() {
        if !std::arch::is_x86_feature_detected!("ssse3") {
            println!("not run: this CPU has no SSSE3");
            return;
        }
        let mut random = fastrand::Rng::with_seed(2009);
        for _ in 0..100_000 {
            let [first, second, selector] = core::array::from_fn(|_| random.u128(..).to_le_bytes());
            check(first, second, selector);
        }
    }
}
