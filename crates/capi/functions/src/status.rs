//! The error message of the last choice of a kernel; empty if the choice succeeded.

use core::ffi::c_char;
use core::fmt::{self, Write};
use core::sync::atomic::{AtomicU8, Ordering};

use kernels::error::ChoiceError;

/// The message, terminated by NUL. The last byte is always 0. Threads that race at the first use
/// write the same bytes.
static TEXT: [AtomicU8; CAPACITY] = [const { AtomicU8::new(0) }; CAPACITY];
const CAPACITY: usize = 512;

pub(super) fn set(error: Option<&ChoiceError>) {
    let mut room = Room(&TEXT[..CAPACITY - 1]);
    // The part of the message that does not fit is cut off.
    let _ = error.map(|error| write!(room, "{error}"));
    let _ = room.write_str("\0");
}

pub(super) fn text() -> *const c_char {
    TEXT.as_ptr().cast()
}

/// The part of [`TEXT`] that is not yet written.
struct Room(&'static [AtomicU8]);

impl Write for Room {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for (to, byte) in self.0.iter().zip(text.bytes()) {
            to.store(byte, Ordering::Relaxed);
        }
        self.0 = self.0.get(text.len()..).unwrap_or_default();
        Ok(())
    }
}
