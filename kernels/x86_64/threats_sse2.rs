//! Threats with SSE2: sets of squares by `pmovmskb`.

use core::arch::x86_64::*;

use crate::kernels::generic::threats::extract::{Codes, Extract, TESTS};
use crate::kernels::generic::threats::scan_all;
use crate::kernels::generic::threats::{Aligned, Entries};
use crate::kernels::geometry::Rules;
use crate::kernels::geometry::threats::kind;

/// Sixteen bytes of each code.
static SPLATS: Aligned<[[u8; 16]; 16]> = Aligned({
    let mut splats = [[0; 16]; 16];
    let mut i = 0;
    while i < 256 {
        splats[i / 16][i % 16] = (i / 16) as u8;
        i += 1;
    }
    splats
});

/// Every x86-64 CPU has SSE2.
struct Sse2;

impl Extract for Sse2 {
    #[inline(always)]
    fn planes(board: &[u8; 64], codes: &mut Codes) -> [u64; 4] {
        let mut planes = [0; 4];
        for i in 0..4 {
            // SAFETY: the target has SSE2, and both arrays have 64 bytes.
            let masks = unsafe {
                let bytes = _mm_loadu_si128(board.as_ptr().add(16 * i).cast());
                let low = _mm_and_si128(bytes, _mm_set1_epi8(15));
                _mm_store_si128(codes.0.as_mut_ptr().add(16 * i).cast(), low);
                [
                    _mm_movemask_epi8(_mm_slli_epi16::<7>(bytes)),
                    _mm_movemask_epi8(_mm_slli_epi16::<6>(bytes)),
                    _mm_movemask_epi8(_mm_slli_epi16::<5>(bytes)),
                    _mm_movemask_epi8(_mm_slli_epi16::<4>(bytes)),
                ]
            };
            for (plane, mask) in planes.iter_mut().zip(masks) {
                *plane |= u64::from(mask.cast_unsigned()) << (16 * i);
            }
        }
        planes
    }

    /// Compares with each code that is not a piece, then with those of the knights.
    #[inline(always)]
    fn two(board: &[u8; 64], rules: &Rules, codes: &mut Codes) -> [u64; 2] {
        // SAFETY: the target has SSE2, and the arrays have 64 and 16 bytes.
        unsafe {
            let low = _mm_set1_epi8(15);
            let load = |i: usize| {
                let bytes = _mm_loadu_si128(board.as_ptr().add(16 * i).cast());
                _mm_and_si128(bytes, low)
            };
            let bytes = [load(0), load(1), load(2), load(3)];
            for (i, bytes) in bytes.into_iter().enumerate() {
                _mm_store_si128(codes.0.as_mut_ptr().add(16 * i).cast(), bytes);
            }
            let any_of = |mut codes: u16| {
                let mut any = [_mm_setzero_si128(); 4];
                while codes != 0 {
                    let code = _mm_load_si128(
                        SPLATS.0[codes.trailing_zeros() as usize & 15].as_ptr().cast(),
                    );
                    codes &= codes - 1;
                    for i in 0..4 {
                        any[i] = _mm_or_si128(any[i], _mm_cmpeq_epi8(bytes[i], code));
                    }
                }
                let mask = |i: usize| u64::from(_mm_movemask_epi8(any[i]).cast_unsigned());
                (mask(0) | mask(1) << 16) | (mask(2) | mask(3) << 16) << 32
            };
            let kinds = _mm_loadu_si128(rules.kinds.as_ptr().cast());
            let knights = _mm_cmpeq_epi8(kinds, _mm_set1_epi8(kind::KNIGHT.cast_signed()));
            let knights = _mm_movemask_epi8(knights).cast_unsigned() as u16;
            [!any_of(!rules.pieces), any_of(knights)]
        }
    }

    #[inline(always)]
    fn upright(set: u64) -> u64 {
        set
    }

    #[inline(always)]
    fn test(kinds: [u64; 2]) -> [[u32; 2]; 3] {
        // SAFETY: the target has SSE2.
        unsafe {
            let [a, b] = kinds.map(|kinds| _mm_cvtsi64_si128(kinds.cast_signed()));
            let kinds = _mm_unpacklo_epi64(a, b);
            TESTS.map(|test| {
                let common = _mm_and_si128(kinds, _mm_set1_epi64x(test.cast_signed()));
                let none = _mm_movemask_epi8(_mm_cmpeq_epi8(common, _mm_setzero_si128()));
                let mask = !none.cast_unsigned();
                [mask & 0xff, mask >> 8 & 0xff]
            })
        }
    }
}

/// The threats of the kernels without AVX2.
pub(super) const SSE2_THREATS: Entries = scan_all::entries::<Sse2>();
