//! Copies with non-temporal stores, one register at a time. The CPU combines the stores to one
//! cache line into a single write.
#![allow(
    clippy::cast_ptr_alignment,
    reason = "loads may be unaligned, and callers align the destination"
)]

use core::arch::x86_64::*;

use crate::kernels::generic::reentry::Streaming;

/// The streaming functions for AVX2.
pub(super) static YMM: Streaming = Streaming { copy: copy_ymm, prefetch, fence, peels: false };
/// The streaming functions for AVX-512.
pub(super) static ZMM: Streaming = Streaming { copy: copy_zmm, prefetch, fence, peels: true };

/// # Safety
/// The contract of [`Streaming::copy`]. The CPU has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn copy_ymm(from: *const u8, to: *mut u8, lines: usize) {
    for i in 0..2 * lines {
        // SAFETY: the caller's contract: 32 bytes are left, and the destination is aligned to 32.
        unsafe {
            let half = _mm256_loadu_si256(from.cast::<__m256i>().add(i));
            _mm256_stream_si256(to.cast::<__m256i>().add(i), half);
        }
    }
}

/// # Safety
/// The contract of [`Streaming::copy`]. The CPU has AVX-512.
#[target_feature(enable = "avx512f")]
unsafe fn copy_zmm(from: *const u8, to: *mut u8, lines: usize) {
    for i in 0..lines {
        // SAFETY: the caller's contract: a whole cache line is left, and the destination is aligned
        // to it.
        unsafe {
            let line = _mm512_loadu_si512(from.cast::<__m512i>().add(i));
            _mm512_stream_si512(to.cast::<__m512i>().add(i), line);
        }
    }
}

fn prefetch(address: *const u8) {
    // SAFETY: a prefetch is a hint, which never faults.
    unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) }
}

fn fence() {
    // SAFETY: `sfence` is part of SSE, which this file's targets have.
    unsafe { _mm_sfence() }
}
