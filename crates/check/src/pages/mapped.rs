//! Memory between inaccessible pages. An access outside it, even by one byte, causes a segmentation
//! fault.

use std::io::Error;
use std::ptr;
use std::slice;

/// Readable and writable pages between two inaccessible pages.
pub struct Pages {
    map: *mut libc::c_void,
    page: usize,
    bytes: usize,
}

impl Pages {
    /// Maps pages for at least `bytes` bytes.
    pub fn new(bytes: usize) -> Pages {
        // SAFETY: `sysconf` only returns a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page = usize::try_from(page).expect("a page size");
        let bytes = bytes.next_multiple_of(page);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: this makes a new mapping, at an address that the system chooses.
        let map =
            unsafe { libc::mmap(ptr::null_mut(), bytes + 2 * page, libc::PROT_NONE, flags, -1, 0) };
        assert!(map != libc::MAP_FAILED, "mmap: {}", Error::last_os_error());
        let pages = Pages { map, page, bytes };
        pages.protect(libc::PROT_READ | libc::PROT_WRITE);
        pages
    }

    /// The addresses of the readable pages.
    pub fn range(&self) -> std::ops::Range<usize> {
        let start = self.map.addr() + self.page;
        start..start + self.bytes
    }

    /// Changes the protection of the readable pages.
    pub fn protect(&self, protection: libc::c_int) {
        // SAFETY: the readable pages are inside the mapping.
        let result =
            unsafe { libc::mprotect(self.map.byte_add(self.page), self.bytes, protection) };
        assert!(result == 0, "mprotect: {}", Error::last_os_error());
    }

    /// A buffer of `length` bytes at the end of the pages if `at_end`, else at their start.
    pub fn buffer(&mut self, length: usize, at_end: bool) -> &mut [u8] {
        let start = if at_end { self.bytes - length } else { 0 };
        // SAFETY: the pages are mapped, were zeroed by the system, and stay borrowed for as long as
        // `self`.
        let bytes =
            unsafe { slice::from_raw_parts_mut(self.map.byte_add(self.page).cast(), self.bytes) };
        &mut bytes[start..start + length]
    }

    /// Copies data to the end of the pages if `at_end`, else to their start.
    pub fn place(&mut self, data: &[u8], at_end: bool) -> &mut [u8] {
        let place = self.buffer(data.len(), at_end);
        place.copy_from_slice(data);
        place
    }
}

// SAFETY: only this value refers to the mapping.
unsafe impl Send for Pages {}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: this mapping was made in `new`, and nothing borrows it any more.
        unsafe { libc::munmap(self.map, self.bytes + 2 * self.page) };
    }
}
