//! PEXT look-ups: one BMI2 instruction gathers the relevant occupied squares into a table index.
//!
//! On AMD and Hygon processors before family 19h (Zen 3), `pext` is microcoded and takes tens to
//! hundreds of cycles.
//!
//! Source: "BMI2, PEXT Bitboards", Chess Programming Wiki.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "pext",
    description: "per slider, a look-up with BMI2's pext; tables of 841 KiB",
    targets: all(feature = "lookup", target_arch = "x86_64"),
    features: ["bmi2"],
    imports: { generic::each_board::EachSlider, x86_64::{SSE2_MOVES, SSE2_THREATS, pext::Pext} },
    threats: SSE2_THREATS,
    moves: SSE2_MOVES,
    driver: EachSlider<Pext>,
}

#[cfg(all(feature = "lookup", target_arch = "x86_64"))]
pub(crate) use compiled::Pext;

#[cfg(all(feature = "lookup", target_arch = "x86_64"))]
mod compiled {
    use core::arch::asm;

    use crate::kernels::any_cpu::lookup::{
        Attacks, BISHOP_BYTES, DIAGONALS, ROOK_BYTES, Relevant, STRAIGHT, relevant, table,
    };
    use crate::kernels::generic::per_slider::PerSlider;

    static ROOK: Attacks<ROOK_BYTES> = table!("pext_rook");
    static BISHOP: Attacks<BISHOP_BYTES> = table!("pext_bishop");
    static ROOK_SQUARES: [Relevant; 64] = relevant(STRAIGHT, ROOK_BYTES);
    static BISHOP_SQUARES: [Relevant; 64] = relevant(DIAGONALS, BISHOP_BYTES);

    pub(crate) struct Pext;

    impl PerSlider for Pext {
        #[inline(always)]
        fn rook_attacks(square: u8, occupied: u64) -> u64 {
            ROOK.at(index(ROOK_SQUARES[usize::from(square)], occupied))
        }

        #[inline(always)]
        fn bishop_attacks(square: u8, occupied: u64) -> u64 {
            BISHOP.at(index(BISHOP_SQUARES[usize::from(square)], occupied))
        }
    }

    #[inline(always)]
    fn index(Relevant { mask, first }: Relevant, occupied: u64) -> usize {
        first + pext(occupied, mask) as usize
    }

    /// Packs the masked bits of a set. `_pext_u64` is inlined only into functions with the feature
    /// `bmi2`. The loops over sliders are shared by all techniques and lack that feature, so there
    /// `_pext_u64` would be a call. Inline assembly avoids the call.
    #[inline(always)]
    fn pext(set: u64, mask: u64) -> u64 {
        let bits;
        // SAFETY: the kernel's table is handed out only if the CPU has BMI2.
        unsafe {
            asm!("pext {}, {}, {}", lateout(reg) bits, in(reg) set, in(reg) mask,
                options(pure, nomem, nostack, preserves_flags));
        }
        bits
    }
}
