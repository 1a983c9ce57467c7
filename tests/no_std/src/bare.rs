//! Items that every Rust program without the standard library must define.

use core::panic::PanicInfo;

#[cfg(target_os = "none")]
#[path = "system_calls.rs"]
mod system;

#[cfg(not(target_os = "none"))]
mod system {
    // The C library also has the start-up code, and memory functions such as `memcpy`, which every
    // Rust program needs.
    #[link(name = "c")]
    unsafe extern "C" {
        pub(super) safe fn abort() -> !;
        pub(super) fn write(file: i32, bytes: *const u8, length: usize) -> isize;
    }
}

pub fn print(text: &str) {
    // SAFETY: the pointer and the length describe `text`; 1 is standard output.
    unsafe { system::write(1, text.as_ptr(), text.len()) };
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    system::abort()
}

/// The unwinding tables in `core` refer to this function. A program that aborts never calls it.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}
