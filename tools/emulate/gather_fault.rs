//! A minimal program that shows Bochs' fault in EVEX gathers: an index register between 16 and 31
//! raises SIGILL. The program exits with 0 if the gather works; otherwise SIGILL ends it. Needs
//! AVX-512 with VL.

use std::arch::asm;

fn main() {
    let (table, offsets) = ([1_u64, 2, 3, 4, 5, 6, 7, 8], [0_u32, 16, 32, 48]);
    let mut found = [0_u64; 4];
    // SAFETY: without AVX-512 and VL, SIGILL ends the program; the indices are offsets in the
    // table.
    unsafe {
        asm!(
            "vmovdqu32 xmm17, [{offsets}]",
            "kxnorw k1, k1, k1",
            "vpgatherdq ymm2{{k1}}, [{table} + xmm17]",
            "vmovdqu [{found}], ymm2",
            "vzeroupper",
            table = in(reg) table.as_ptr(),
            offsets = in(reg) offsets.as_ptr(),
            found = in(reg) found.as_mut_ptr(),
            out("xmm2") _, out("xmm17") _, out("k1") _, options(nostack)
        );
    }
    assert_eq!(found, [1, 3, 5, 7]);
}
