//! Magic look-ups: a multiplication gathers the relevant occupied squares into a table index.
//!
//! With a suitable factor, the product's highest bits differ for any two occupancies with different
//! attacks. The factors are in `magic/numbers.rs`. The tests contain the search for them and check
//! each one.
//!
//! Source: Pradu Kannan's "Fancy Magic Bitboards", Chess Programming Wiki.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "magic",
    technique: "per slider, a look-up by a multiplication; tables of 841 KiB",
    on: feature = "lookup",
    features: [],
    driver: EachSlider<magic::Magic>,
}

#[cfg(feature = "lookup")]
mod numbers;
#[cfg(feature = "lookup")]
pub(in crate::kernels) use compiled::Magic;

#[cfg(feature = "lookup")]
mod compiled {
    use super::numbers;
    use crate::kernels::any_cpu::lookup::{
        Attacks, BISHOP_BYTES, DIAGONALS, ROOK_BYTES, Relevant, STRAIGHT, table,
    };
    use crate::kernels::generic::per_slider::PerSlider;

    static ROOK: Attacks<ROOK_BYTES> = table!("magic_rook", STRAIGHT);
    static BISHOP: Attacks<BISHOP_BYTES> = table!("magic_bishop", DIAGONALS);

    pub(crate) struct Magic;

    impl PerSlider for Magic {
        #[inline(always)]
        fn rook_attacks(square: u8, occupied: u64) -> u64 {
            let square = usize::from(square);
            ROOK.at(index(ROOK.squares[square], numbers::ROOK[square], occupied))
        }

        #[inline(always)]
        fn bishop_attacks(square: u8, occupied: u64) -> u64 {
            let square = usize::from(square);
            BISHOP.at(index(BISHOP.squares[square], numbers::BISHOP[square], occupied))
        }
    }

    #[inline(always)]
    fn index(Relevant { mask, first }: Relevant, factor: u64, occupied: u64) -> usize {
        let product = (occupied & mask).wrapping_mul(factor);
        first + (product >> (64 - mask.count_ones())) as usize
    }
}

#[cfg(all(test, feature = "lookup"))]
mod tests;
