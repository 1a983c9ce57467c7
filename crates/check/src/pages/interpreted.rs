//! For Miri, which has no memory protection: buffers of exactly the size asked for. Miri sees every access outside, and
//! every read of uninitialised memory.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr;
use std::slice;

/// Room for one buffer.
pub struct Pages {
    place: *mut u8,
    layout: Layout,
}

impl Pages {
    /// For any number of bytes.
    pub fn new(_bytes: usize) -> Pages {
        let (place, layout) = (ptr::without_provenance_mut(8), Layout::new::<[u64; 0]>());
        Pages { place, layout }
    }

    /// Copies data into a new buffer.
    pub fn place(&mut self, data: &[u8], _at_end: bool) -> &mut [u8] {
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
