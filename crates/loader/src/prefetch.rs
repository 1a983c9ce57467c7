//! Memory that is needed soon, where the CPU does not foresee it: rows that are filled in part, and
//! buckets in a random order.

/// The bytes of a cache line.
pub(crate) const LINE: usize = 64;

/// Fetches a slice into the cache.
#[inline]
pub(crate) fn prefetch<T>(slice: &[T]) {
    for offset in (0..size_of_val(slice)).step_by(LINE) {
        prefetch_line(slice, offset);
    }
}

/// Fetches the cache line that is some bytes after the start of a slice, perhaps beyond its end.
#[inline(always)]
pub(crate) fn prefetch_line<T>(slice: &[T], bytes: usize) {
    let place = slice.as_ptr().wrapping_byte_add(bytes);
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    // SAFETY: it reads no value, and any address is allowed.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    // Other CPUs have no stable instruction for it.
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
