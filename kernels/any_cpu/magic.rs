//! Magic look-ups: a multiplication gathers the relevant occupied squares into a table index.
//!
//! With a suitable factor, the product's highest bits differ for any two occupancies with different
//! attacks. The factors are in `magic/numbers.rs`.
//!
//! Source: Pradu Kannan's "Fancy Magic Bitboards", Chess Programming Wiki.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "magic",
    description: "per slider, a look-up by a multiplication; tables of 841 KiB",
    targets: feature = "lookup",
    features: [],
    imports: { any_cpu::magic::Magic, generic::each_board::EachSlider },
    driver: EachSlider<Magic>,
}

#[cfg(feature = "lookup")]
mod numbers;
#[cfg(feature = "lookup")]
pub(crate) use compiled::Magic;

#[cfg(feature = "lookup")]
mod compiled {
    use super::numbers;
    use crate::kernels::any_cpu::lookup::{
        Attacks, BISHOP_BYTES, DIAGONALS, ROOK_BYTES, STRAIGHT, relevant, table,
    };
    use crate::kernels::generic::per_slider::PerSlider;
    use crate::kernels::geometry::Line;

    static ROOK: Attacks<ROOK_BYTES> = table!("magic_rook");
    static BISHOP: Attacks<BISHOP_BYTES> = table!("magic_bishop");
    static ROOK_SQUARES: [Square; 64] = squares(STRAIGHT, ROOK_BYTES, &numbers::ROOK);
    static BISHOP_SQUARES: [Square; 64] = squares(DIAGONALS, BISHOP_BYTES, &numbers::BISHOP);

    /// Everything that a look-up needs to find the table entry for one square. The shift is stored,
    /// because without `popcnt` a population count of the mask takes a dozen instructions.
    #[derive(Clone, Copy)]
    struct Square {
        mask: u64,
        factor: u64,
        /// The index of the first entry.
        first: u32,
        /// 64 minus the number of inner squares.
        shift: u32,
    }

    const fn squares(lines: [Line; 2], bytes: usize, factors: &[u64; 64]) -> [Square; 64] {
        let relevant = relevant(lines, bytes);
        let mut squares = [Square { mask: 0, factor: 0, first: 0, shift: 0 }; 64];
        let mut square = 0;
        while square < 64 {
            let mask = relevant[square].mask;
            let shift = 64 - mask.count_ones();
            let (factor, first) = (factors[square], relevant[square].first as u32);
            squares[square] = Square { mask, factor, first, shift };
            square += 1;
        }
        squares
    }

    pub(crate) struct Magic;

    impl PerSlider for Magic {
        #[inline(always)]
        fn rook_attacks(square: u8, occupied: u64) -> u64 {
            ROOK.at(ROOK_SQUARES[usize::from(square)].index(occupied))
        }

        #[inline(always)]
        fn bishop_attacks(square: u8, occupied: u64) -> u64 {
            BISHOP.at(BISHOP_SQUARES[usize::from(square)].index(occupied))
        }
    }

    impl Square {
        #[inline(always)]
        fn index(self, occupied: u64) -> usize {
            let product = (occupied & self.mask).wrapping_mul(self.factor);
            // The shift is always below 64. The mask makes this known to the compiler.
            self.first as usize + (product >> (self.shift & 63)) as usize
        }
    }
}
