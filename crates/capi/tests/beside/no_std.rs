//! Another Rust library in the same program: without the standard library, with its own panic
//! handler.
#![no_std]

unsafe extern "C" {
    safe fn _exit(code: i32) -> !;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    _exit(0)
}

/// `core`'s unwinding tables refer to this symbol.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

/// Panics, so that the handler ends the program with 0.
#[unsafe(no_mangle)]
pub extern "C" fn other(count: i32) -> i32 {
    assert!(count < 0, "handled");
    1
}
