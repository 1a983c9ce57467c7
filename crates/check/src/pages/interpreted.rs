//! Buffers for Miri, which has no memory protection. A buffer has exactly the requested size, so
//! Miri reports every access outside it. Miri also reports reads of uninitialised memory.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr;
use std::slice;

/// A buffer of exactly the size of its data.
pub struct Pages {
    place: *mut u8,
    layout: Layout,
}

impl Pages {
    /// Makes an empty buffer, which [`place`](Pages::place) replaces.
    pub fn new(_bytes: usize) -> Pages {
        let (place, layout) = (ptr::without_provenance_mut(8), Layout::new::<[u64; 0]>());
        Pages { place, layout }
    }

    /// Copies data into a new buffer of exactly its size.
    pub fn place(&mut self, data: &[u8], _at_end: bool) -> &mut [u8] {
        *self = Pages::new(0);
        if !data.is_empty() {
            self.layout = Layout::from_size_align(data.len(), 8).expect("a valid size");
            // SAFETY: the layout's size is not zero.
            self.place = unsafe { alloc(self.layout) };
            assert!(!self.place.is_null(), "out of memory");
            // SAFETY: the new buffer is as long as the data.
            unsafe { ptr::copy_nonoverlapping(data.as_ptr(), self.place, data.len()) };
        }
        // SAFETY: the buffer is empty or was initialised above. The returned slice borrows `self`,
        // so the buffer is neither freed nor accessed otherwise while the slice lives.
        unsafe { slice::from_raw_parts_mut(self.place, data.len()) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if self.layout.size() != 0 {
            // SAFETY: the buffer was allocated with this layout, and nothing borrows it any more.
            unsafe { dealloc(self.place, self.layout) };
        }
    }
}
