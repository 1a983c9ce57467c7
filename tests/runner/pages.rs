//! Memory pages that tell who touches them.
//!
//! A read or write outside by one byte ends the test program with a segmentation fault.

use std::io::Error;
use std::ptr;
use std::slice;

/// Some readable pages between two that are not, cleared and unmapped at the end.
pub(crate) struct Pages {
    map: *mut libc::c_void,
    page: usize,
    bytes: usize,
}

impl Pages {
    /// Room for at least as many sets.
    pub(crate) fn new(sets: usize) -> Pages {
        // SAFETY: asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).expect("a size");
        let bytes = (8 * sets).next_multiple_of(page);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping, wherever there is room.
        let map = unsafe {
            libc::mmap(
                ptr::null_mut(),
                bytes + 2 * page,
                libc::PROT_NONE,
                flags,
                -1,
                0,
            )
        };
        assert!(map != libc::MAP_FAILED, "mmap: {}", Error::last_os_error());
        let pages = Pages { map, page, bytes };
        pages.protect(libc::PROT_READ | libc::PROT_WRITE);
        pages
    }

    /// The address range of the pages between the fences.
    #[cfg_attr(
        not(any(target_arch = "x86_64", target_arch = "aarch64")),
        allow(dead_code, reason = "for the check which code is hit")
    )]
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        let start = self.map.addr() + self.page;
        start..start + self.bytes
    }

    pub(crate) fn protect(&self, protection: libc::c_int) {
        // SAFETY: inside the mapping.
        let result =
            unsafe { libc::mprotect(self.map.byte_add(self.page), self.bytes, protection) };
        assert!(result == 0, "mprotect: {}", Error::last_os_error());
    }

    /// As many bytes, at the end of the pages or at their start.
    pub(crate) fn buffer(&mut self, length: usize, at_end: bool) -> &mut [u8] {
        let start = if at_end { self.bytes - length } else { 0 };
        // SAFETY: mapped, zeroed by the system, borrowed as `self` is.
        let bytes =
            unsafe { slice::from_raw_parts_mut(self.map.byte_add(self.page).cast(), self.bytes) };
        &mut bytes[start..start + length]
    }

    /// Puts data there.
    pub(crate) fn place(&mut self, data: &[u8], at_end: bool) -> &mut [u8] {
        let place = self.buffer(data.len(), at_end);
        place.copy_from_slice(data);
        place
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`, which nothing borrows any more.
        unsafe { libc::munmap(self.map, self.bytes + 2 * self.page) };
    }
}
