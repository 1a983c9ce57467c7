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

const WRITE: usize = by_target(1, 4, 64);
const EXIT: usize = by_target(60, 1, 93);

/// Selects the number of a system call for the compilation target.
const fn by_target(x86_64: usize, arm: usize, riscv: usize) -> usize {
    if cfg!(target_arch = "x86_64") {
        x86_64
    } else if cfg!(target_arch = "arm") {
        arm
    } else {
        riscv
    }
}

/// # Safety
/// The arguments must be valid for the call.
unsafe fn system_call(number: usize, a: usize, b: usize, c: usize) {
    // SAFETY: Linux changes only the registers named here.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        asm!("syscall", inlateout("rax") number => _, in("rdi") a, in("rsi") b, in("rdx") c,
            out("rcx") _, out("r11") _);
        // The number must be in r7, which Rust reserves.
        #[cfg(target_arch = "arm")]
        asm!("mov {saved}, r7", "mov r7, {number}", "svc 0", "mov r7, {saved}",
            number = in(reg) number, saved = out(reg) _,
            inlateout("r0") a => _, in("r1") b, in("r2") c);
        #[cfg(target_arch = "riscv32")]
        asm!("ecall", in("a7") number, inlateout("a0") a => _, in("a1") b, in("a2") c);
    }
}
