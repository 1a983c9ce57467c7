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
use crate::check::{Batch, Checked, Plan, Prepared, columns, drawn};

/// Some readable pages between two that are not, cleared and unmapped at the end.
pub(crate) struct Pages {
    map: *mut libc::c_void,
    page: usize,
    bytes: usize,
}

impl Pages {
    /// Room for at least `boards` boards.
    pub(crate) fn new(boards: usize) -> Pages {
        // SAFETY: asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).expect("a size");
        let bytes = (8 * boards).next_multiple_of(page);
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

    /// All words of the pages.
    pub(crate) fn words(&mut self) -> &mut [u64] {
        // SAFETY: mapped, zeroed by the system, aligned to a page, borrowed as `self` is.
        unsafe { slice::from_raw_parts_mut(self.map.byte_add(self.page).cast(), self.bytes / 8) }
    }

    /// As many words, at the end of the pages or at their start.
    fn buffer(&mut self, length: usize, at_end: bool) -> &mut [u64] {
        let words = self.words();
        let start = if at_end { words.len() - length } else { 0 };
        &mut words[start..start + length]
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
    let columns = columns(operation, &cases[..LONGEST]);
    let mut pages: Vec<Pages> = columns.iter().map(|_| Pages::new(LONGEST)).collect();
    let mut output = Pages::new(LONGEST);
    let longest = plan.config.budget.between_pages;
    let mut boards = 0;
    for (at_end, every) in [(true, 1), (false, plan.config.budget.after_page_every)] {
        for length in (0..=longest).step_by(every) {
            let filled = pages.iter_mut().zip(&columns).map(|(pages, column)| {
                let buffer = pages.buffer(length, at_end);
                buffer.copy_from_slice(&column[..length]);
                &*buffer
            });
            let inputs: Vec<&[u64]> = filled.collect();
            let output = output.buffer(length, at_end);
            output.fill(0xdead_beef_dead_beef);
            batch(&inputs, output);
            if let Some(at) = (0..length).find(|&at| output[at] != expected[at]) {
                let inputs: Vec<u64> = inputs.iter().map(|input| input[at]).collect();
                let drawn = drawn(operation, &inputs, output[at], expected[at]);
                let title = operation.title();
                return Err(format!("{title}, board {at} of {length}:\n{drawn}"));
            }
            boards += length as u64;
        }
    }
    Ok(boards)
}
