//! Memory that is used in a random order, on pages of 2 MB where the system has them. With pages of
//! 4 KB, the CPU would search for the place of most of them.

/// An empty vector with room for so many values.
pub(crate) fn with_capacity<T>(count: usize) -> Vec<T> {
    let vector = Vec::with_capacity(count);
    #[cfg(target_os = "linux")]
    advise(&vector);
    vector
}

/// Asks the system for huge pages.
#[cfg(target_os = "linux")]
fn advise<T>(vector: &Vec<T>) {
    use rustix::mm::{Advice, madvise};
    const PAGE: usize = 4096;
    let before = vector.as_ptr().addr().next_multiple_of(PAGE) - vector.as_ptr().addr();
    let bytes = (vector.capacity() * size_of::<T>()).saturating_sub(before) / PAGE * PAGE;
    let start = vector.as_ptr().cast_mut().wrapping_byte_add(before);
    #[allow(unsafe_code)]
    // SAFETY: the pages belong to the vector, and this advice does not change what they hold.
    let result = unsafe { madvise(start.cast(), bytes, Advice::LinuxHugepage) };
    // Systems without huge pages refuse. Smaller pages only take longer.
    let _ = result;
}
