//! What a Rust program without the standard library must bring along.

use core::panic::PanicInfo;

#[cfg(target_os = "none")]
#[path = "system_calls.rs"]
mod system;

#[cfg(not(target_os = "none"))]
mod system {
    // Only for the start-up code, these two and the memory functions that every Rust program needs.
    #[link(name = "c")]
    unsafe extern "C" {
        pub(super) safe fn abort() -> !;
        pub(super) fn write(file: i32, bytes: *const u8, length: usize) -> isize;
    }
}

pub fn print(text: &str) {
    // SAFETY: the bytes are those of the string; 1 is the standard output.
    unsafe { system::write(1, text.as_ptr(), text.len()) };
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    system::abort()
}

/// The compiled `core` names it in its unwinding tables, which a program that aborts never reads.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}
