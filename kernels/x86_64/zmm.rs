//! ZMM registers: 8 whole boards, or one rank of 64 boards.

use core::arch::asm;
use core::arch::x86_64::*;
use core::marker::PhantomData;

use super::byte_shifts::{ByteShifts, Flip, Reverse};
use super::registers::register;
use super::xmm::Xmm;
use super::ymm::Ymm;
use crate::kernels::generic::board_vector::Register;

register! {
    /// Sixty-four bytes. A value proves that the CPU has what `W` needs.
    Zmm: __m512i, 8 boards;
    bits: _mm512_and_si512 _mm512_or_si512 _mm512_xor_si512;
    splat: _mm512_set1_epi8 _mm512_set1_epi64;
    bytes: _mm512_add_epi8 _mm512_sub_epi8;
    memory: _mm512_loadu_si512 _mm512_storeu_si512;
    shift: _mm512_sllv_epi64 _mm512_srlv_epi64 |squares| _mm512_set1_epi64(squares.into());
    ranks: {
        /// Uses one `vpternlog`, which the compiler does not find by itself.
        #[inline(always)]
        fn either_differs(a: Self, b: Self, from: Self) -> Self {
            // SAFETY: a value of this type proves that the CPU has the features.
            unsafe { Self::new(_mm512_ternarylogic_epi64::<0x7e>(a.0, b.0, from.0)) }
        }
        #[inline(always)]
        fn select(mask: Self, a: Self, b: Self) -> Self {
            // SAFETY: a value of this type proves that the CPU has the features.
            unsafe { Self::new(_mm512_ternarylogic_epi64::<0xca>(mask.0, a.0, b.0)) }
        }
        /// Uses two `vpternlog`; with `xor` it would be three instructions.
        #[inline(always)]
        fn exchange(mask: Self, a: Self, b: Self) -> [Self; 2] {
            [Self::select(mask, b, a), Self::select(mask, a, b)]
        }
        /// Uses two `vpternlog`.
        #[inline(always)]
        fn full_add(a: Self, b: Self, c: Self) -> [Self; 2] {
            // SAFETY: a value of this type proves that the CPU has the features.
            unsafe {
                [
                    Self::new(_mm512_ternarylogic_epi64::<0x96>(a.0, b.0, c.0)),
                    Self::new(_mm512_ternarylogic_epi64::<0xe8>(a.0, b.0, c.0)),
                ]
            }
        }
    }
}

impl<W: ByteShifts<Self> + ByteShifts<Ymm<W>> + ByteShifts<Xmm<W>>> Register for Zmm<W> {
    type Four = Ymm<W>;
    type Two = Xmm<W>;

    #[inline(always)]
    fn slice(boards: [Self; 8]) -> [Self; 8] {
        exchange(boards)
    }
    #[inline(always)]
    fn unslice(ranks: [Self; 8]) -> [Self; 8] {
        exchange(ranks)
    }

    #[inline(always)]
    unsafe fn load_first(from: *const u64, boards: usize) -> Self {
        // SAFETY: the first boards are readable; masked-off elements are not read.
        unsafe { Self::new(_mm512_maskz_loadu_epi64(first(boards), from.cast())) }
    }
    #[inline(always)]
    unsafe fn store_first(self, to: *mut u64, boards: usize) {
        // SAFETY: the first boards are writable; masked-off elements are not written.
        unsafe { _mm512_mask_storeu_epi64(to.cast(), first(boards), self.0) }
    }

    #[inline(always)]
    unsafe fn load_lanes(from: *const u64, stride: usize) -> Self {
        // SAFETY: the lanes are readable; the loads may be unaligned.
        unsafe {
            let lane = |i: usize| _mm_loadu_si128(from.add(i * stride).cast());
            let lanes = _mm512_castsi128_si512(lane(0));
            let lanes = _mm512_inserti32x4::<1>(lanes, lane(1));
            let lanes = _mm512_inserti32x4::<2>(lanes, lane(2));
            Self::new(_mm512_inserti32x4::<3>(lanes, lane(3)))
        }
    }
    #[inline(always)]
    unsafe fn store_lanes(self, to: *mut u64, stride: usize) {
        // SAFETY: the lanes are writable; the stores may be unaligned.
        unsafe {
            _mm_storeu_si128(to.cast(), _mm512_extracti32x4_epi32::<0>(self.0));
            _mm_storeu_si128(to.add(stride).cast(), _mm512_extracti32x4_epi32::<1>(self.0));
            _mm_storeu_si128(to.add(2 * stride).cast(), _mm512_extracti32x4_epi32::<2>(self.0));
            _mm_storeu_si128(to.add(3 * stride).cast(), _mm512_extracti32x4_epi32::<3>(self.0));
        }
    }
    #[inline(always)]
    fn transpose_lanes(self, other: Self) -> (Self, Self) {
        // SAFETY: a value of this type proves that the CPU has the features.
        unsafe {
            (
                Self::new(_mm512_unpacklo_epi64(self.0, other.0)),
                Self::new(_mm512_unpackhi_epi64(self.0, other.0)),
            )
        }
    }

    #[inline(always)]
    unsafe fn of_squares(squares: *const u8) -> Self {
        // SAFETY: eight square numbers are readable.
        unsafe {
            let squares = _mm_and_si128(_mm_loadl_epi64(squares.cast()), _mm_set1_epi8(63));
            let squares = _mm512_cvtepu8_epi64(squares);
            Self::new(_mm512_sllv_epi64(_mm512_set1_epi64(1), squares))
        }
    }

    /// Reorders the square numbers into the slices' order of boards. A board's number within a
    /// block has the bits `vvvqqq` (v: vector, q: quadword). The board's place in a slice has the
    /// bits `qqqvvv`. A 16-byte lane holds the boards of two vectors. The first shuffle pairs
    /// boards of the same quadword, and the second orders the pairs.
    #[inline(always)]
    unsafe fn slice_bytes(bytes: *const u8) -> Self {
        static PAIRS: [u8; 16] = [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15];
        static BY_QUADWORD: [u16; 32] = {
            let mut places = [0; 32];
            let mut i = 0;
            while i < 32 {
                places[i] = (i % 4 * 8 + i / 4) as u16;
                i += 1;
            }
            places
        };
        // SAFETY: 64 square numbers are readable; the tables are 16 and 64 bytes; the loads may be
        // unaligned.
        unsafe {
            let pairs = _mm512_broadcast_i32x4(_mm_loadu_si128(PAIRS.as_ptr().cast()));
            let places = _mm512_loadu_si512(BY_QUADWORD.as_ptr().cast());
            let bytes = _mm512_loadu_si512(bytes.cast());
            Self::new(_mm512_permutexvar_epi16(places, _mm512_shuffle_epi8(bytes, pairs)))
        }
    }
    /// The inverse of the two shuffles in `slice_bytes`.
    #[inline(always)]
    unsafe fn unslice_bytes(self, bytes: *mut u8) {
        static PARTS: [u8; 16] = [0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15];
        static BY_VECTOR: [u16; 32] = {
            let mut places = [0; 32];
            let mut i = 0;
            while i < 32 {
                places[i] = (i % 8 * 4 + i / 8) as u16;
                i += 1;
            }
            places
        };
        // SAFETY: the bytes are writable; the tables are 16 and 64 bytes; the loads and the store
        // may be unaligned.
        unsafe {
            let parts = _mm512_broadcast_i32x4(_mm_loadu_si128(PARTS.as_ptr().cast()));
            let places = _mm512_loadu_si512(BY_VECTOR.as_ptr().cast());
            let pairs = _mm512_permutexvar_epi16(places, self.0);
            _mm512_storeu_si512(bytes.cast(), _mm512_shuffle_epi8(pairs, parts));
        }
    }
    /// Without `vpopcntb`, looks up both halves of each byte.
    #[inline(always)]
    fn count_bits(self) -> Self {
        static COUNTS: [u8; 16] = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];
        // SAFETY: a value of this type proves that the CPU has the features; the table is 16 bytes.
        unsafe {
            if <W as ByteShifts<Self>>::BITALG {
                return Self::new(_mm512_popcnt_epi8(self.0));
            }
            let counts = _mm512_broadcast_i32x4(_mm_loadu_si128(COUNTS.as_ptr().cast()));
            let low = _mm512_set1_epi8(15);
            let high = _mm512_and_si512(_mm512_srli_epi16::<4>(self.0), low);
            let low = _mm512_shuffle_epi8(counts, _mm512_and_si512(self.0, low));
            Self::new(_mm512_add_epi8(low, _mm512_shuffle_epi8(counts, high)))
        }
    }
    #[inline(always)]
    fn add_saturating(self, other: Self) -> Self {
        // SAFETY: a value of this type proves that the CPU has the features.
        unsafe { Self::new(_mm512_adds_epu8(self.0, other.0)) }
    }
    #[inline(always)]
    fn ne_mask(self, other: Self) -> Self {
        // SAFETY: a value of this type proves that the CPU has the features.
        unsafe { Self::new(_mm512_movm_epi8(_mm512_cmpneq_epi8_mask(self.0, other.0))) }
    }
    /// Looks the file up: `vpshufb` uses four bits of the index, so the table repeats its eight
    /// bytes.
    #[inline(always)]
    fn file_of_square(self) -> Self {
        // SAFETY: a value of this type proves that the CPU has the features.
        unsafe {
            let files = _mm512_set1_epi64(super::FILES);
            Self::new(_mm512_shuffle_epi8(files, self.0))
        }
    }
}

/// Slices or unslices a block. In each 64-bit lane, the eight registers hold a matrix of 8x8 bytes,
/// which is transposed. Three steps exchange units of 4, 2 and 1 bytes. In each step, two masked
/// shuffles of one micro-op each exchange the units of a pair of registers.
///
/// The masks are opaque to the compiler. If it knew them, it would merge a masked shuffle into a
/// two-register one (`vpermt2b`), which takes two or three micro-ops.
#[inline(always)]
fn exchange<W: ByteShifts<Zmm<W>>>(mut v: [Zmm<W>; 8]) -> [Zmm<W>; 8] {
    // Masks of the odd units of 4, 2 and 1 bytes.
    let fours = opaque(0xf0f0_f0f0_f0f0_f0f0);
    let twos = opaque(0xcccc_cccc_cccc_cccc);
    let ones = opaque(0xaaaa_aaaa_aaaa_aaaa);
    macro_rules! pairs {
        ($mask:ident, $up:ident, $down:ident: $($a:literal $b:literal),*) => {
            // SAFETY: values of the register type prove that the CPU has the features.
            unsafe {
                let (up, down) = (control(&$up), control(&$down));
                $(
                    let (a, b) = (v[$a].0, v[$b].0);
                    v[$a] = Zmm::new(_mm512_mask_shuffle_epi8(a, $mask, b, up));
                    v[$b] = Zmm::new(_mm512_mask_shuffle_epi8(b, !$mask, a, down));
                )*
            }
        };
    }
    pairs!(fours, UP_4, DOWN_4: 0 4, 1 5, 2 6, 3 7);
    pairs!(twos, UP_2, DOWN_2: 0 2, 1 3, 4 6, 5 7);
    pairs!(ones, UP_1, DOWN_1: 0 1, 2 3, 4 5, 6 7);
    v
}

/// Hides the value of a mask from the compiler.
#[inline(always)]
fn opaque(mut mask: u64) -> u64 {
    // SAFETY: the assembly is empty.
    unsafe {
        asm!("/* {0} */", inout(reg) mask, options(pure, nomem, nostack, preserves_flags));
    }
    mask
}

/// The control of a byte shuffle that rotates 16 bytes down by `bytes` places.
const fn rotation(bytes: usize) -> [u8; 16] {
    let mut control = [0; 16];
    let mut i = 0;
    while i < 16 {
        control[i] = ((i + bytes) % 16) as u8;
        i += 1;
    }
    control
}
static UP_4: [u8; 16] = rotation(16 - 4);
static UP_2: [u8; 16] = rotation(16 - 2);
static UP_1: [u8; 16] = rotation(16 - 1);
static DOWN_4: [u8; 16] = rotation(4);
static DOWN_2: [u8; 16] = rotation(2);
static DOWN_1: [u8; 16] = rotation(1);

/// Loads the control of a byte shuffle and hides its value from the compiler.
///
/// # Safety
/// The CPU has AVX-512.
#[inline(always)]
unsafe fn control(bytes: &'static [u8; 16]) -> __m512i {
    // SAFETY: the CPU has AVX-512; the control is 16 bytes; the load may be unaligned; the assembly
    // is empty.
    unsafe {
        let mut control = _mm_loadu_si128(bytes.as_ptr().cast());
        asm!("/* {0} */", inout(xmm_reg) control, options(pure, nomem, nostack, preserves_flags));
        _mm512_broadcast_i32x4(control)
    }
}

/// The mask of the first `boards` (at most 8) elements.
#[inline(always)]
fn first(boards: usize) -> u8 {
    ((1u32 << boards) - 1) as u8
}
