//! Another Rust library in the same program: with the standard library, it catches its own panic.

use std::panic;

/// Panics and catches the panic. Returns 0.
#[unsafe(no_mangle)]
pub extern "C" fn other(count: i32) -> i32 {
    panic::set_hook(Box::new(|_| {}));
    i32::from(panic::catch_unwind(|| assert!(count < 0, "caught")).is_ok())
}
