//! Lines written past the caches: non-temporal stores of a register each, of which those of a line go to memory as one.

use core::arch::x86_64::{
    _MM_HINT_T1, _mm_prefetch, _mm_sfence, _mm_stream_si128, _mm256_stream_si256,
    _mm512_stream_si512,
};

use super::westward::Westward;
use super::xmm::Xmm;
use super::ymm::Ymm;
use super::zmm::Zmm;
use crate::kernels::generic::boards::Boards;
use crate::kernels::generic::long::Lines;

macro_rules! lines {
    ($($Register:ident: $stream:ident, streams $streams:literal, aligns $aligns:literal;)*) => { $(
        impl<W: Westward<Self>> Lines for $Register<W> {
            const STREAMS: bool = $streams;
            const ALIGNS: bool = $aligns;

            #[inline(always)]
            unsafe fn copy(from: *const u8, to: *mut u8, lines: usize) {
                let (from, to) = (from.cast::<[u8; 8]>(), to.cast::<[u8; 8]>());
                let mut i = 0;
                while i < 8 * lines {
                    // SAFETY: the caller's contract; a register is a part of a line, or one, and so aligned.
                    unsafe { $stream(to.add(i).cast(), Self::load(from.add(i).cast()).0) }
                    i += Self::BOARDS;
                }
            }
            fn fetch(address: *const u8) {
                // SAFETY: a hint, which no address makes fault.
                unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) }
            }
            fn fence() {
                // SAFETY: every x86-64 with vectors has it.
                unsafe { _mm_sfence() }
            }
        }
    )* };
}
lines! {
    Xmm: _mm_stream_si128, streams false, aligns false;
    Ymm: _mm256_stream_si256, streams true, aligns false;
    Zmm: _mm512_stream_si512, streams true, aligns true;
}
