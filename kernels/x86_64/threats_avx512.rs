//! Threats with AVX-512 of the Ice Lake class: a view is one ZMM register.
//!
//! The squares of a view come from arithmetic, not from a table: in numbers with a gap between file
//! and rank (0x88), a step is an addition and a square off the board has one of the bits in the
//! gaps. `gf2p8affineqb` removes the gaps.

use core::arch::asm;
use core::arch::x86_64::*;

use crate::kernels::generic::threats::view::{Bytes, IN_ORDER, Patterns, View, patterns};
use crate::kernels::generic::threats::{JUMPS, RAYS};
use crate::kernels::geometry::Rules;

/// The constants of a view, in one block.
#[repr(C, align(64))]
struct Constants {
    /// What each byte of a view adds to a square's number with gaps.
    steps: [u8; 64],
    /// By byte: 1 on a ray, 0 at a jump.
    on_rays: [u8; 64],
    /// For the bytes of entries: byte 0 of each lane, and a zero byte for the jumps.
    distances: [u8; 64],
    /// For the bytes of entries: byte 0 of their lane, and bit 6 for the squares.
    places: [u8; 64],
    patterns: Patterns,
}

static CONSTANTS: Constants = {
    let mut constants = Constants {
        steps: [0; 64],
        on_rays: [0; 64],
        distances: [0; 64],
        places: [0; 64],
        patterns: patterns(IN_ORDER),
    };
    let mut i = 0;
    while i < 64 {
        let ((files, ranks), times) =
            if i % 8 == 0 { (JUMPS[i / 8], 1) } else { (RAYS[i / 8], i % 8) };
        constants.steps[i] = (times as i8 * (16 * ranks + files)).cast_unsigned();
        constants.on_rays[i] = (i % 8 != 0) as u8;
        constants.distances[i] = if i < 32 { i as u8 / 4 * 8 } else { 1 };
        constants.places[i] = (i / 4 * 8 % 64 + i % 2 * 64) as u8;
        i += 1;
    }
    constants
};

/// The bits of a square number with gaps that are set only off the board.
pub(super) const GAPS: i8 = 0x88_u8.cast_signed();

/// Byte `7 - i` of the matrix selects bit `i` of the result: bits 0 to 2, then 4 to 6.
pub(super) const WITHOUT_GAPS: i64 = i64::from_be_bytes([1, 2, 4, 16, 32, 64, 0, 0]);

/// 64 bytes.
#[derive(Clone, Copy)]
pub(super) struct Whole(__m512i);

/// # Safety
/// The CPU has AVX-512, and the bytes are aligned.
#[inline(always)]
pub(super) unsafe fn aligned(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: the caller's contract.
    unsafe { _mm512_load_si512(bytes.as_ptr().cast()) }
}

/// All 128-bit quarters are the table.
///
/// # Safety
/// The CPU has AVX-512, and the bytes are aligned.
#[inline(always)]
pub(super) unsafe fn table(bytes: &[u8; 16]) -> __m512i {
    // SAFETY: the caller's contract.
    unsafe { _mm512_broadcast_i32x4(_mm_load_si128(bytes.as_ptr().cast())) }
}

/// The low four bits of a board's codes.
///
/// # Safety
/// The CPU has AVX-512.
#[inline(always)]
pub(super) unsafe fn codes(board: *const [u8; 64]) -> __m512i {
    // SAFETY: the caller's contract.
    unsafe { opaque(_mm512_and_si512(_mm512_loadu_si512(board.cast()), _mm512_set1_epi8(15))) }
}

/// The same value, of which LLVM knows nothing. Otherwise it masks codes after each permutation,
/// not once before.
#[inline]
#[target_feature(enable = "avx512f")]
fn opaque(mut vector: __m512i) -> __m512i {
    // SAFETY: no instruction.
    unsafe {
        asm!("/* {0} */", inout(zmm_reg) vector, options(pure, nomem, nostack, preserves_flags));
    }
    vector
}

/// Compressed threats of a piece, and on it.
#[derive(Clone, Copy)]
pub(super) struct Direct {
    outgoing: __m256i,
    incoming: __m512i,
    counts: [u32; 2],
}

impl Bytes for Whole {
    const STORE_LAST: bool = true;

    /// Sixteen 32-bit elements, the nearest piece of each ray in order, then the jumps in order:
    /// code, square, code, square.
    type Entries = __m512i;
    type Direct = Direct;
    type Through = (__m256i, u32);

    #[inline(always)]
    unsafe fn view(board: *const [u8; 64], square: u8, rules: &Rules) -> View<Self> {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let with_gaps = (square + (square & 0x38)).cast_signed();
            let with_gaps = _mm512_add_epi8(aligned(&CONSTANTS.steps), _mm512_set1_epi8(with_gaps));
            let on_board = _mm512_testn_epi8_mask(with_gaps, _mm512_set1_epi8(GAPS));
            // Off the board, a byte gets the number of another square, but its kind is 0.
            let matrix = _mm512_set1_epi64(WITHOUT_GAPS);
            let squares = _mm512_gf2p8affine_epi64_epi8::<0>(with_gaps, matrix);
            let codes = _mm512_permutexvar_epi8(squares, codes(board));
            let kinds = _mm512_maskz_shuffle_epi8(on_board, table(&rules.kinds), codes);
            View { squares: Whole(squares), codes: Whole(codes), kinds: Whole(kinds) }
        }
    }

    /// May put the byte off the board, too, where it is beyond all pieces.
    #[inline(always)]
    unsafe fn put(self, squares: Self, square: u8, byte: u8) -> Self {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let square = _mm512_set1_epi8(square.cast_signed());
            let there = _mm512_cmpeq_epi8_mask(squares.0, square);
            Whole(_mm512_mask_mov_epi8(self.0, there, _mm512_set1_epi8(byte.cast_signed())))
        }
    }

    #[inline(always)]
    unsafe fn nearest(self) -> Self {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            // The subtraction leaves byte 0 and all bits above the lowest of the ray as they are.
            Whole(_mm512_andnot_si512(_mm512_sub_epi64(self.0, _mm512_set1_epi64(0x100)), self.0))
        }
    }

    #[inline(always)]
    unsafe fn entries(view: View<Self>, _: Self) -> Self::Entries {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let kinds = view.kinds.0;
            // All bits up to the lowest of a ray, so its distance is the number of bytes with
            // bit 0. Shorter than sums of the nearest codes and of their squares.
            let up_to = _mm512_ternarylogic_epi64::<0x28>(
                _mm512_sub_epi64(kinds, _mm512_set1_epi64(0x100)),
                kinds,
                aligned(&CONSTANTS.on_rays),
            );
            let distances = _mm512_sad_epu8(up_to, _mm512_setzero_si512());
            let places = _mm512_permutexvar_epi8(aligned(&CONSTANTS.distances), distances);
            let places = _mm512_or_si512(places, aligned(&CONSTANTS.places));
            _mm512_permutex2var_epi8(view.codes.0, places, view.squares.0)
        }
    }

    #[inline(always)]
    unsafe fn direct<const FILTER: bool>(
        View { kinds, .. }: View<Self>,
        nearest: Self,
        entries: Self::Entries,
        (code, square): (u8, u8),
        rules: &Rules,
    ) -> Self::Direct {
        // SAFETY: the contract of `Bytes`. `code` is below 16, so all indices are in bounds.
        unsafe {
            let own = *rules.kinds.get_unchecked(usize::from(code));
            let attacked =
                CONSTANTS.patterns.attacked.get_unchecked(own.trailing_zeros() as usize & 7);
            let jumps = _mm512_and_si512(kinds.0, _mm512_set1_epi64(0xff));
            let mut outgoing = _mm512_kunpackb(
                _mm512_test_epi64_mask(jumps, aligned(attacked)).into(),
                _mm512_test_epi64_mask(nearest.0, aligned(attacked)).into(),
            );
            let mut incoming = _mm512_kunpackb(
                _mm512_test_epi64_mask(kinds.0, aligned(&CONSTANTS.patterns.knights)).into(),
                _mm512_test_epi64_mask(nearest.0, aligned(&CONSTANTS.patterns.attackers)).into(),
            );
            if FILTER {
                // Here, for sixteen entries, and not for the 64 bytes of the view.
                let counts = |mask, codes| {
                    let counts = _mm512_shuffle_epi8(table(codes), entries);
                    _mm512_mask_test_epi32_mask(mask, counts, _mm512_set1_epi32(0xff))
                };
                outgoing = counts(outgoing, rules.victims.get_unchecked(usize::from(code)));
                incoming = counts(incoming, rules.attackers.get_unchecked(usize::from(code)));
            }
            let piece = (u16::from(code) | u16::from(square) << 8).cast_signed();
            let (piece, low) = (_mm512_set1_epi16(piece), _mm512_set1_epi32(0xffff));
            let threats = _mm512_ternarylogic_epi64::<0xca>(low, piece, entries);
            let threats_on = _mm512_ternarylogic_epi64::<0xca>(low, entries, piece);
            Direct {
                // At most eight.
                outgoing: _mm512_castsi512_si256(_mm512_maskz_compress_epi32(outgoing, threats)),
                incoming: _mm512_maskz_compress_epi32(incoming, threats_on),
                counts: [outgoing.count_ones(), incoming.count_ones()],
            }
        }
    }

    #[inline(always)]
    unsafe fn through<const FILTER: bool>(
        nearest: Self,
        entries: Self::Entries,
        rules: &Rules,
    ) -> Self::Through {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let sliders = _mm512_test_epi64_mask(nearest.0, aligned(&CONSTANTS.patterns.sliders));
            let pieces = _mm512_test_epi64_mask(nearest.0, aligned(&CONSTANTS.patterns.pieces));
            let mut mask = sliders & pieces.rotate_left(4);
            let attackers = _mm512_castsi512_si256(entries);
            let victims = _mm256_permute4x64_epi64::<0x4e>(attackers);
            if FILTER {
                // `vpermw` uses the low four bits of an index, here the code.
                let pairs = _mm256_loadu_si256(rules.pairs.as_ptr().cast());
                let rows = _mm256_permutexvar_epi16(attackers, pairs);
                let codes = _mm256_and_si256(victims, _mm256_set1_epi32(15));
                let bits = _mm256_sllv_epi32(_mm256_set1_epi32(1), codes);
                mask = _mm256_mask_test_epi32_mask(mask, rows, bits);
            }
            let threats = _mm256_blend_epi16::<0xaa>(attackers, victims);
            (_mm256_maskz_compress_epi32(mask, threats), mask.count_ones())
        }
    }

    #[inline(always)]
    unsafe fn store_direct(threats: Self::Direct, list: *mut u32) -> usize {
        // SAFETY: the contract of `Bytes`.
        unsafe {
            let [outgoing, incoming] = threats.counts.map(|count| count as usize);
            _mm256_storeu_si256(list.cast(), threats.outgoing);
            _mm512_storeu_si512(list.add(outgoing).cast(), threats.incoming);
            outgoing + incoming
        }
    }

    #[inline(always)]
    unsafe fn store_through((threats, count): Self::Through, list: *mut u32) -> usize {
        // SAFETY: the contract of `Bytes`.
        unsafe { _mm256_storeu_si256(list.cast(), threats) };
        count as usize
    }
}
