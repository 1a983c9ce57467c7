//! Memory for the arguments of an operation, made once.

use std::sync::{Mutex, MutexGuard};

use crate::pages::Pages;

/// A buffer between unreadable pages for each argument, of seven at most.
pub(crate) struct Buffers(pub(crate) Vec<Pages>);

// SAFETY: the pages belong to whoever has the buffers.
unsafe impl Send for Buffers {}

static BUFFERS: Mutex<Buffers> = Mutex::new(Buffers(Vec::new()));

/// All of them, each with room for as many words as the first caller wanted.
pub(crate) fn buffers(words: usize) -> MutexGuard<'static, Buffers> {
    let mut buffers = BUFFERS.lock().unwrap();
    if buffers.0.is_empty() {
        buffers.0.extend((0..7).map(|_| Pages::new(words)));
    }
    buffers
}
