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
    let mut writer = Writer { at: 0 };
    if let Some(error) = error {
        // The part of the message that does not fit is cut off.
        let _ = write!(writer, "{error}");
    }
    writer.bytes(b"\0");
}

pub(super) fn text() -> *const c_char {
    TEXT.as_ptr().cast()
}

struct Writer {
    at: usize,
}

impl Writer {
    fn bytes(&mut self, bytes: &[u8]) {
        // Excludes the last byte of `TEXT`, which stays 0.
        let room = TEXT.iter().take(CAPACITY - 1).skip(self.at);
        for (to, &byte) in room.zip(bytes) {
            to.store(byte, Ordering::Relaxed);
        }
        self.at = self.at.saturating_add(bytes.len());
    }
}

impl Write for Writer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}
