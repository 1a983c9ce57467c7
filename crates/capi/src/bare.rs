//! The definitions that every library without the standard library needs. None of them is ever
//! reached.

use core::panic::PanicInfo;

unsafe extern "C" {
    safe fn abort() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    abort()
}

// `core`'s unwinding tables refer to it; nothing here reads them. Weak, so that it does not clash
// with the real one of another Rust library in the same program.
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
core::arch::global_asm!(
    ".weak rust_eh_personality",
    ".hidden rust_eh_personality",
    ".type rust_eh_personality, %function",
    "rust_eh_personality:",
    "ret",
);

#[cfg(not(any(
    windows,
    all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    )
)))]
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}
