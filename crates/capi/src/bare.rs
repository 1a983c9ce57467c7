//! Definitions that every library without the standard library must have. They never run.

use core::panic::PanicInfo;

unsafe extern "C" {
    safe fn abort() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    abort()
}

// `core`'s unwinding tables refer to this symbol, but nothing here reads these tables. The symbol
// is weak, so it does not clash with the real one in another Rust library of the same program.
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
    target_env = "msvc",
    all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    )
)))]
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}
