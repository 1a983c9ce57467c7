//! Memory that is used in a random order, on huge pages where the system has them. With pages of
//! 4 KB, the CPU would search for the place of most of them.

/// An empty vector with this capacity.
pub(crate) fn with_capacity<T>(count: usize) -> Vec<T> {
    let vector = Vec::with_capacity(count);
    // A system without huge pages refuses. Smaller pages only take longer.
    #[cfg(target_os = "linux")]
    let _ = advise(&vector);
    vector
}

/// Asks the system for huge pages.
#[cfg(target_os = "linux")]
fn advise<T>(vector: &Vec<T>) -> rustix::io::Result<()> {
    use rustix::mm::{Advice, madvise};
    let (start, page) = (vector.as_ptr().addr(), rustix::param::page_size());
    let before = start.next_multiple_of(page) - start;
    let bytes = (vector.capacity() * size_of::<T>()).saturating_sub(before) / page * page;
    let start = vector.as_ptr().cast_mut().wrapping_byte_add(before);
    #[allow(unsafe_code)]
    // SAFETY: the pages belong to the vector, and this advice does not change what they hold.
    unsafe {
        madvise(start.cast(), bytes, Advice::LinuxHugepage)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::advise;

    /// Of any number of bytes, from less than a page on. The system refuses a wrong alignment.
    #[test]
    fn the_system_takes_the_advice() {
        if !std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
            eprintln!("skipped: this system has no huge pages");
            return;
        }
        for count in [0, 1, 4096, 5000, 1 << 20, (22 << 20) + 1] {
            let vector: Vec<u8> = Vec::with_capacity(count);
            assert_eq!(advise(&vector), Ok(()), "{count}");
        }
    }
}
