//! A minimal program that shows QEMU 7.2's fault in VPMASKMOVQ (AVX2): the instruction reads
//! masked-off elements, even from unreadable memory. The program exits with 0 if the instruction
//! works or the CPU lacks it; otherwise a signal ends it.

use std::arch::x86_64::{_mm256_maskload_epi64, _mm256_setzero_si256, _mm256_testz_si256};

unsafe extern "C" {
    fn mmap(
        address: *mut u8,
        size: usize,
        access: i32,
        flags: i32,
        file: i32,
        offset: i64,
    ) -> *mut u8;
}

#[target_feature(enable = "avx2")]
fn nothing_is_read(unreadable: *const i64) -> bool {
    // The mask is opaque, because the compiler would remove a load with a constant zero mask.
    let mask = std::hint::black_box(_mm256_setzero_si256());
    // SAFETY: all elements are masked off.
    let loaded = unsafe { _mm256_maskload_epi64(unreadable, mask) };
    _mm256_testz_si256(loaded, loaded) == 1
}

fn main() {
    if !is_x86_feature_detected!("avx2") {
        println!("vpmaskmovq: not checked, this CPU lacks it");
        return;
    }
    let (no_access, private_anonymous) = (0, 0x22);
    // SAFETY: maps a new page; the assertion below checks that this succeeds.
    let page = unsafe { mmap(std::ptr::null_mut(), 4096, no_access, private_anonymous, -1, 0) };
    assert!(page.addr() != usize::MAX, "mmap");
    // SAFETY: AVX2 was detected above.
    let right = unsafe { nothing_is_read(page.cast()) };
    println!("vpmaskmovq: {}", if right { "as the manual says" } else { "WRONG" });
    std::process::exit(i32::from(!right));
}
