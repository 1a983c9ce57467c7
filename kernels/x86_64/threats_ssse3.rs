//! Threats with SSSE3: the changes of one move, in four XMM registers. Batches are portable.

use core::arch::x86_64::*;

use crate::kernels::generic::threats::Threats;
use crate::kernels::generic::threats::quad::{Quad, Sixteen};
use crate::kernels::generic::threats::view::view_entries;

/// Sixteen bytes.
#[derive(Clone, Copy)]
struct Xmm(__m128i);

impl Sixteen for Xmm {
    const ALWAYS_FILTER: bool = true;

    #[inline(always)]
    unsafe fn load(bytes: *const u8) -> Self {
        // SAFETY: the contract of `Sixteen`, as in all methods.
        Xmm(unsafe { _mm_loadu_si128(bytes.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, bytes: *mut u8) {
        // SAFETY: as above.
        unsafe { _mm_storeu_si128(bytes.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn splat(byte: u8) -> Self {
        // SAFETY: as above.
        Xmm(unsafe { _mm_set1_epi8(byte.cast_signed()) })
    }
    #[inline(always)]
    unsafe fn splat_u32(element: u32) -> Self {
        // SAFETY: as above.
        Xmm(unsafe { _mm_set1_epi32(element.cast_signed()) })
    }
    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        Xmm(unsafe { _mm_and_si128(self.0, other.0) })
    }
    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        // SAFETY: as above.
        Xmm(unsafe { _mm_or_si128(self.0, other.0) })
    }
    #[inline(always)]
    unsafe fn without(self, mask: Self) -> Self {
        // SAFETY: as above.
        Xmm(unsafe { _mm_andnot_si128(mask.0, self.0) })
    }
    #[inline(always)]
    unsafe fn equals(self, other: Self) -> Self {
        // SAFETY: as above.
        Xmm(unsafe { _mm_cmpeq_epi8(self.0, other.0) })
    }
    #[inline(always)]
    unsafe fn shuffle(self, indices: Self) -> Self {
        // SAFETY: as above.
        Xmm(unsafe { _mm_shuffle_epi8(self.0, indices.0) })
    }
    #[inline(always)]
    unsafe fn negate(self) -> Self {
        // SAFETY: as above.
        Xmm(unsafe { _mm_sub_epi64(_mm_setzero_si128(), self.0) })
    }
    #[inline(always)]
    unsafe fn sum(self) -> Self {
        // SAFETY: as above.
        Xmm(unsafe { _mm_sad_epu8(self.0, _mm_setzero_si128()) })
    }
    #[inline(always)]
    unsafe fn shift_left_u32<const BITS: i32>(self) -> Self {
        // SAFETY: as above.
        Xmm(unsafe { _mm_slli_epi32::<BITS>(self.0) })
    }
    #[inline(always)]
    unsafe fn low_halves(self, other: Self) -> Self {
        // SAFETY: as above.
        Xmm(unsafe {
            let (a, b) = (_mm_castsi128_ps(self.0), _mm_castsi128_ps(other.0));
            _mm_castps_si128(_mm_shuffle_ps::<0x88>(a, b))
        })
    }
    #[inline(always)]
    unsafe fn nonzero([a, b, c, d]: [Self; 4]) -> u32 {
        // SAFETY: as above. The sums are below 2^15.
        unsafe {
            let zero = _mm_setzero_si128();
            let first = a.sum().low_halves(b.sum());
            let second = c.sum().low_halves(d.sum());
            let words = _mm_packs_epi32(first.0, second.0);
            // A sum above 127 saturates, which is not 0 either.
            let none = _mm_cmpeq_epi8(_mm_packs_epi16(words, zero), zero);
            !_mm_movemask_epi8(none).cast_unsigned() & 0xff
        }
    }
    /// Packs two squares into a byte, so that two look-ups suffice.
    #[inline(always)]
    unsafe fn codes(board: *const [u8; 64], squares: [Self; 4]) -> [Self; 4] {
        // SAFETY: as above.
        unsafe {
            let (board, low) = (board.cast::<u8>(), Xmm::splat(15));
            let packed = |first: usize| {
                let upper = _mm_slli_epi16::<4>(Xmm::load(board.add(first + 32)).0);
                Xmm::load(board.add(first)).and(low).or(Xmm(upper).without(low))
            };
            let (first, second) = (packed(0), packed(16));
            let [a, b, c, d] = squares;
            let pairs = [first, second];
            [unpacked(pairs, a), unpacked(pairs, b), unpacked(pairs, c), unpacked(pairs, d)]
        }
    }
}

/// The codes on these squares, from a board with two squares per byte.
///
/// # Safety
/// The CPU has SSSE3.
#[inline(always)]
unsafe fn unpacked([first, second]: [Xmm; 2], squares: Xmm) -> Xmm {
    // SAFETY: the caller's contract.
    unsafe {
        let zero = Xmm::splat(0);
        let in_first = squares.and(Xmm::splat(16)).equals(zero);
        let pairs = first.shuffle(squares).and(in_first);
        let pairs = pairs.or(second.shuffle(squares).without(in_first));
        let in_low = squares.and(Xmm::splat(32)).equals(zero);
        let upper = Xmm(_mm_srli_epi16::<4>(pairs.0)).without(in_low);
        pairs.and(in_low).or(upper).and(Xmm::splat(15))
    }
}

type Bytes = Quad<Xmm>;

view_entries!(Bytes, "ssse3");

/// Not faster than look-ups.
pub(super) const SSSE3_THREATS: Threats = Threats { entries: ENTRIES, gains: false };
