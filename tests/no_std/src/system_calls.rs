//! System calls for bare-metal targets, which have no C library. An emulator runs programs for
//! these targets as Linux programs.

use core::arch::asm;

unsafe extern "C" {
    safe fn main() -> i32;
}

#[unsafe(no_mangle)]
extern "C" fn _start() -> ! {
    exit(main())
}

pub(super) fn abort() -> ! {
    exit(134)
}

/// # Safety
/// `bytes` points to `length` bytes.
pub(super) unsafe fn write(file: i32, bytes: *const u8, length: usize) {
    // SAFETY: the call reads `length` bytes.
    unsafe { system_call(WRITE, file as usize, bytes as usize, length) };
}

fn exit(code: i32) -> ! {
    loop {
        // SAFETY: the call touches no memory.
        unsafe { system_call(EXIT, code as usize, 0, 0) };
    }
}

const WRITE: usize = 1;
const EXIT: usize = 60;

/// # Safety
/// The arguments must be valid for the call.
unsafe fn system_call(number: usize, a: usize, b: usize, c: usize) {
    // SAFETY: Linux changes only the registers named here.
    unsafe {
        asm!("syscall", inlateout("rax") number => _, in("rdi") a, in("rsi") b, in("rdx") c,
            out("rcx") _, out("r11") _);
    }
}
