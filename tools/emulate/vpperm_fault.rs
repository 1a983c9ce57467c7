//! The smallest program that shows what Bochs 2.7 and 3.0 get wrong in VPPERM (AMD XOP). Exit code 0: as the manual says, 1: not.
//!
//! `vpperm result, first, second, selector`: the selector's bits 4-0 name one of 32 bytes; 0 to 15 are those of `first`.
//! The form with the selector in a register has XOP.W = 0, the one with the selector in memory XOP.W = 1.

fn main() {
    // All sixteen bytes of an operand are the same, so only "which operand" can go wrong.
    let cases = [
        (
            "which source do indices 0-15 name? (the selector equals the second source)",
            0x11,
            0x00,
            0x00,
        ),
        (
            "which operand is the selector?     (the sources are equal)",
            0x01,
            0x01,
            0x00,
        ),
    ];
    let mut right = true;
    for (question, first, second, selector) in cases {
        println!(
            "{question}\n  first = {first:02x}.., second = {second:02x}.., selector = {selector:02x}..: expected {first:02x}"
        );
        let (first, second, selector) = ([first; 16], [second; 16], [selector; 16]);
        let mut result = [[0_u8; 16]; 2];
        // SAFETY: AVX and XOP are there, or the program ends here; all addresses are of 16 bytes.
        unsafe {
            std::arch::asm!(
                "vmovdqu xmm1, [{first}]",
                "vmovdqu xmm2, [{second}]",
                "vmovdqu xmm3, [{selector}]",
                "vpperm xmm0, xmm1, xmm2, xmm3",
                "vmovdqu [{result}], xmm0",
                "vpperm xmm0, xmm1, xmm2, [{selector}]",
                "vmovdqu [{result} + 16], xmm0",
                first = in(reg) first.as_ptr(), second = in(reg) second.as_ptr(), selector = in(reg) selector.as_ptr(),
                result = in(reg) result.as_mut_ptr(),
                out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
            );
        }
        println!("  selector in a register (W=0): got {:02x}", result[0][0]);
        println!("  selector in memory     (W=1): got {:02x}", result[1][0]);
        right &= result == [first; 2];
    }
    println!(
        "vpperm: {}",
        if right { "as the manual says" } else { "WRONG" }
    );
    std::process::exit(i32::from(!right));
}
