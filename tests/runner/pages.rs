//! Memory pages that tell who touches them.
//!
//! A guard word shows a write outside a buffer, but not a read. So every length is run once more
//! with each buffer ending at an unreadable page, and once starting after one: a read
//! or write outside by one byte ends the test program with a segmentation fault. (Run with
//! `--test-threads=1` to see which trial it was.)

use std::io::Error;
use std::ptr;
use std::slice;

use crate::buffers::LONGEST;
use crate::check::{Batch, Checked, Plan, Prepared, arguments, call, compare};

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

/// Every length right before and right after unreadable pages.
pub(crate) fn every_length(plan: &Plan, prepared: &Prepared, batch: Batch) -> Checked {
    let operation = &prepared.operation;
    let (cases, expected) = plan.random_cases(prepared);
    let mut pages: Vec<Pages> = operation.arguments().map(|_| Pages::new(LONGEST)).collect();
    let longest = plan.config.budget.between_pages;
    let mut compared = 0;
    for (at_end, every) in [(true, 1), (false, plan.config.budget.after_page_every)] {
        for length in (0..=longest).step_by(every) {
            let columns = arguments(operation, &cases[..length]);
            let placed = pages.iter_mut().zip(&columns);
            let placed = placed.map(|(pages, column)| pages.place(column.bytes(), at_end));
            let outputs = call(operation, placed, batch);
            let results = compare(operation, &cases[..length], &outputs, |m, i| expected[m][i]);
            compared += results.map_err(|(at, drawn)| {
                format!("{}, board {at} of {length}:\n{drawn}", operation.title())
            })?;
        }
    }
    Ok(compared)
}
