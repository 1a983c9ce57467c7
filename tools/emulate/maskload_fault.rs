//! The smallest program that shows what QEMU 7.2 gets wrong in VPMASKMOVQ (AVX2). Exit code 0: as the manual says; killed by a signal: not.
//!
//! Elements that are masked off are not read, so their memory need not be readable. Without AVX2 there is nothing to show.

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
    // The compiler would not load by a mask that it knows.
    let nothing = std::hint::black_box(_mm256_setzero_si256());
    // SAFETY: all elements are masked off.
    let loaded = unsafe { _mm256_maskload_epi64(unreadable, nothing) };
    _mm256_testz_si256(loaded, loaded) == 1
}

fn main() {
    if !is_x86_feature_detected!("avx2") {
        println!("vpmaskmovq: not checked, this CPU lacks it");
        return;
    }
    let (nothing, private_anonymous) = (0, 0x22);
    // SAFETY: a new mapping somewhere; the program ends here if there is none.
    let page = unsafe {
        mmap(
            std::ptr::null_mut(),
            4096,
            nothing,
            private_anonymous,
            -1,
            0,
        )
    };
    assert!(page.addr() != usize::MAX, "mmap");
    // SAFETY: AVX2 is there.
    let right = unsafe { nothing_is_read(page.cast()) };
    println!(
        "vpmaskmovq: {}",
        if right { "as the manual says" } else { "WRONG" }
    );
    std::process::exit(i32::from(!right));
}
