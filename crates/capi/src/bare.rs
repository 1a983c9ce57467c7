//! Definitions that every library without the standard library must have. They never run.

use core::panic::PanicInfo;

// Names the C library, so that the dynamic library lists it among the libraries that it needs.
#[cfg_attr(target_vendor = "apple", link(name = "System"))]
#[cfg_attr(all(unix, not(target_vendor = "apple")), link(name = "c"))]
unsafe extern "C" {
    safe fn abort() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    abort()
}

// `core`'s unwinding tables refer to `rust_eh_personality`, but nothing here reads these tables. It
// is written in assembly, so that no dynamic library exports it.

// Weak, so it does not clash with the real one in another Rust library of the same program.
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

#[cfg(all(windows, target_env = "gnu", target_arch = "x86_64"))]
core::arch::global_asm!(".globl rust_eh_personality", "rust_eh_personality:", "ret");

#[cfg(not(any(
    target_env = "msvc",
    all(windows, target_env = "gnu", target_arch = "x86_64"),
    all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    )
)))]
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}
