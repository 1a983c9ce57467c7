//! VPPERM in software, on SSSE3.
//!
//! AMD's XOP instruction `vpperm dest, first, second, selector` makes each of its 16 result bytes from one
//! of 32 source bytes and one of eight operations. A selector byte is `ooo iiiii`: bits 0 to 4
//! choose the source byte (0 to 15 from `first`, 16 to 31 from `second`), bits 5 to 7 the operation.
//!
//! | ooo | result |
//! |---|---|
//! | 0, 1 | the byte; inverted |
//! | 2, 3 | its bits reversed; reversed and inverted |
//! | 4, 5 | 0x00; 0xff |
//! | 6, 7 | its most significant bit in all eight; that inverted |
//!
//! So bit 5 inverts, and bits 6 and 7 choose one of four; that is how it is computed here.
//! Source: the AMD manual's instruction as described in "Hyperbola Quintessence", Chess Programming Wiki.

use core::arch::asm;
use core::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_andnot_si128, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_loadu_si128,
    _mm_or_si128, _mm_set1_epi8, _mm_setzero_si128, _mm_shuffle_epi8, _mm_srli_epi16,
    _mm_xor_si128,
};

use super::westward::Westward;
use super::xmm::Xmm;

/// The operation "bits reversed" in a selector byte.
pub(in crate::kernels) const REVERSE_BITS: u8 = 2 << 5;

/// The four-bit numbers, each with its bits reversed into the low half...
static LOW: [u8; 16] = [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15];
/// ... and into the high half.
static HIGH: [u8; 16] = [
    0x00, 0x80, 0x40, 0xc0, 0x20, 0xa0, 0x60, 0xe0, 0x10, 0x90, 0x50, 0xd0, 0x30, 0xb0, 0x70, 0xf0,
];

/// The bits of each byte reversed, by two look-ups: each nibble, reversed, goes to the other's place.
#[inline]
#[target_feature(enable = "ssse3")]
pub(super) fn reverse_bits(bytes: __m128i) -> __m128i {
    // SAFETY: the tables are 16 bytes; the loads are unaligned ones.
    let (to_low, to_high) = unsafe {
        (
            _mm_loadu_si128((&raw const LOW).cast()),
            _mm_loadu_si128((&raw const HIGH).cast()),
        )
    };
    let nibble = _mm_set1_epi8(0x0f);
    let low = _mm_and_si128(bytes, nibble);
    let high = _mm_and_si128(_mm_srli_epi16::<4>(bytes), nibble);
    _mm_or_si128(
        _mm_shuffle_epi8(to_high, low),
        _mm_shuffle_epi8(to_low, high),
    )
}

/// `vpperm` of two sources by a selector.
#[inline]
#[target_feature(enable = "ssse3")]
pub(in crate::kernels) fn vpperm(first: __m128i, second: __m128i, selector: __m128i) -> __m128i {
    let bit_is_set = |bit: i8| {
        let bit = _mm_set1_epi8(bit);
        _mm_cmpeq_epi8(_mm_and_si128(selector, bit), bit)
    };
    let index = _mm_and_si128(selector, _mm_set1_epi8(0x0f));
    let byte = select(
        bit_is_set(0x10),
        _mm_shuffle_epi8(second, index),
        _mm_shuffle_epi8(first, index),
    );
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

/// AMD XOP: real VPPERM for the bit reversal and the cut into slices, `vpcmov` for the flood step, `vpshlb` for
/// shifts of bytes. Rust has no intrinsics for XOP, so its instructions are inline assembly.
#[derive(Clone, Copy)]
pub(super) struct Xop;

/// A three-operand XOP instruction.
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

/// Selectors: bytes in place with their bits reversed, and even or odd places of both sources.
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
/// The CPU has XOP.
#[inline(always)]
unsafe fn hardware(a: __m128i, b: __m128i, selector: &'static [u8; 16]) -> __m128i {
    // SAFETY: the caller's contract; the selector is 16 bytes, the load an unaligned one.
    unsafe {
        let selector = _mm_loadu_si128(selector.as_ptr().cast());
        xop!("vpperm", a, b, selector)
    }
}

impl Westward<Xmm<Self>> for Xop {
    const LEAKS: bool = false;
    const REVERSES: bool = true;
    const SELECTS: bool = true;
    const DEINTERLEAVES: bool = true;

    /// `vpshlb` shifts each byte by its own signed count; a negative one is to the right.
    #[inline(always)]
    fn west<const FILES: i32>(ranks: Xmm<Self>) -> Xmm<Self> {
        // SAFETY: a value of the register type proves XOP.
        unsafe {
            let count = _mm_set1_epi8(-(FILES as i8));
            Xmm::new(xop!("vpshlb", ranks.0, count))
        }
    }
    #[inline(always)]
    fn reverse(ranks: Xmm<Self>) -> Xmm<Self> {
        // SAFETY: a value of the register type proves XOP.
        unsafe { Xmm::new(hardware(ranks.0, ranks.0, &REVERSE)) }
    }
    /// `vpcmov`: the first source where the selector's bits are set, the second elsewhere.
    #[inline(always)]
    fn select(mask: Xmm<Self>, yes: Xmm<Self>, no: Xmm<Self>) -> Xmm<Self> {
        // SAFETY: a value of the register type proves XOP.
        unsafe { Xmm::new(xop!("vpcmov", yes.0, no.0, mask.0)) }
    }
    #[inline(always)]
    fn deinterleave(a: Xmm<Self>, b: Xmm<Self>) -> (Xmm<Self>, Xmm<Self>) {
        // SAFETY: a value of the register type proves XOP.
        unsafe {
            (
                Xmm::new(hardware(a.0, b.0, &EVEN)),
                Xmm::new(hardware(a.0, b.0, &ODD)),
            )
        }
    }
}

/// VPPERM in software for the bit reversal; shifts of words.
#[derive(Clone, Copy)]
pub(super) struct Emulated;

impl Westward<Xmm<Self>> for Emulated {
    const LEAKS: bool = true;
    const REVERSES: bool = true;

    #[inline(always)]
    fn west<const FILES: i32>(ranks: Xmm<Self>) -> Xmm<Self> {
        // SAFETY: a value of the register type proves SSSE3.
        unsafe { Xmm::new(_mm_srli_epi16::<FILES>(ranks.0)) }
    }
    #[inline(always)]
    fn reverse(ranks: Xmm<Self>) -> Xmm<Self> {
        // SAFETY: a value of the register type proves SSSE3; the selector is 16 bytes, the load an unaligned one.
        unsafe {
            // No instruction, but without it the compiler may make one function of this kernel's and those of `ssse3`.
            let mut ranks = ranks.0;
            asm!("/* {0} */", inout(xmm_reg) ranks, options(pure, nomem, nostack, preserves_flags));
            let selector = _mm_loadu_si128(REVERSE.as_ptr().cast());
            Xmm::new(vpperm(ranks, ranks, selector))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The instruction byte by byte, as its description has it.
    fn model(first: [u8; 16], second: [u8; 16], selector: [u8; 16]) -> [u8; 16] {
        selector.map(|s| {
            let index = usize::from(s % 32);
            let byte = if index < 16 {
                first[index]
            } else {
                second[index - 16]
            };
            match s / 32 {
                0 => byte,
                1 => !byte,
                2 => byte.reverse_bits(),
                3 => !byte.reverse_bits(),
                4 => 0x00,
                5 => 0xff,
                6 => byte.cast_signed().wrapping_shr(7).cast_unsigned(),
                _ => (!byte).cast_signed().wrapping_shr(7).cast_unsigned(),
            }
        })
    }

    #[allow(
        clippy::missing_transmute_annotations,
        reason = "the types are in sight"
    )]
    fn check(first: [u8; 16], second: [u8; 16], selector: [u8; 16]) {
        let load = |bytes: [u8; 16]| u128::from_le_bytes(bytes);
        // SAFETY: the callers have checked for SSSE3; a vector is 16 plain bytes.
        let result = unsafe {
            let vector = |bytes| core::mem::transmute::<u128, __m128i>(load(bytes));
            core::mem::transmute::<__m128i, [u8; 16]>(vpperm(
                vector(first),
                vector(second),
                vector(selector),
            ))
        };
        assert_eq!(
            result,
            model(first, second, selector),
            "{first:?} {second:?} {selector:?}"
        );
    }

    fn no_ssse3() -> bool {
        let missing = !std::arch::is_x86_feature_detected!("ssse3");
        if missing {
            println!("not run: this CPU has no SSSE3");
        }
        missing
    }

    #[test]
    fn every_selector_byte_with_every_source_byte() {
        if no_ssse3() {
            return;
        }
        for selector in 0..=255 {
            for byte in 0..=255u8 {
                // The chosen byte differs from all others, so that a wrong index shows.
                let (mut first, mut second) = ([!byte; 16], [byte.wrapping_add(1); 16]);
                match usize::from(selector % 32) {
                    i @ 0..16 => first[i] = byte,
                    i => second[i - 16] = byte,
                }
                check(first, second, [selector; 16]);
            }
        }
    }

    #[test]
    fn random_sources_and_selectors() {
        if no_ssse3() {
            return;
        }
        let mut random = fastrand::Rng::with_seed(2009);
        for _ in 0..100_000 {
            let [first, second, selector] = core::array::from_fn(|_| random.u128(..).to_le_bytes());
            check(first, second, selector);
        }
    }
}
