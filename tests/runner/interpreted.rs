//! In the interpreter, in place of memory pages that tell who touches them: buffers of just the size asked for.
//! It sees every access outside, and every read of what was not written.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr;
use std::slice;

/// Room for one buffer.
pub(crate) struct Pages {
    place: *mut u8,
    layout: Layout,
}

impl Pages {
    /// For any length.
    pub(crate) fn new(_sets: usize) -> Pages {
        let (place, layout) = (ptr::without_provenance_mut(8), Layout::new::<[u64; 0]>());
        Pages { place, layout }
    }

    /// Puts data into a new buffer. (Nothing is before it and nothing behind.)
    pub(crate) fn place(&mut self, data: &[u8], _at_end: bool) -> &mut [u8] {
        *self = Pages::new(0);
        if !data.is_empty() {
            self.layout = Layout::from_size_align(data.len(), 8).expect("a size");
            // SAFETY: its size is not zero.
            self.place = unsafe { alloc(self.layout) };
            assert!(!self.place.is_null(), "no memory");
            // SAFETY: the new buffer is as long as the data.
            unsafe { ptr::copy_nonoverlapping(data.as_ptr(), self.place, data.len()) };
        }
        // SAFETY: written, and borrowed as `self` is; or of no length.
        unsafe { slice::from_raw_parts_mut(self.place, data.len()) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if self.layout.size() != 0 {
            // SAFETY: allocated with this layout, and nothing borrows it any more.
            unsafe { dealloc(self.place, self.layout) };
        }
    }
}
