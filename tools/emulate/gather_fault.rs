//! The smallest program that shows Bochs' fault in EVEX gathers: an index in one of the registers 16 to 31 is taken for an illegal instruction.
//! Exit code 0 where it is executed; where not, the program ends by SIGILL. Needs AVX-512 with VL.

use std::arch::asm;

fn main() {
    let (table, places) = ([1_u64, 2, 3, 4, 5, 6, 7, 8], [0_u32, 16, 32, 48]);
    let mut found = [0_u64; 4];
    // SAFETY: whoever runs this has AVX-512 with VL, or wants to know; the places are offsets inside the table.
    unsafe {
        asm!(
            "vmovdqu32 xmm17, [{places}]",
            "kxnorw k1, k1, k1",
            "vpgatherdq ymm2{{k1}}, [{table} + xmm17]",
            "vmovdqu [{found}], ymm2",
            "vzeroupper",
            table = in(reg) table.as_ptr(), places = in(reg) places.as_ptr(), found = in(reg) found.as_mut_ptr(),
            out("xmm2") _, out("xmm17") _, out("k1") _, options(nostack)
        );
    }
    assert_eq!(found, [1, 3, 5, 7]);
}
