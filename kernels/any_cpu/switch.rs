//! The switch approach: generated code that tests the nearest squares of a line one by one, and has
//! the attacks as constants. `docs/techniques/switch.md` explains it, and
//! [`generate.rs`](switch/generate.rs) generates the code.
//!
//! One `match` on the square leads to both lines of a rook, another to both lines of a bishop. With
//! a `match` for each line, rooks took 1.32x the time and queens 1.59x (Zen 5).
//!
//! In x86-64 object code, a `match` becomes a jump through a table of 64 offsets, the only memory
//! that the kernel reads for a slider. `tools/objectcode.py switch` checks this.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "switch",
    description: "per slider, generated nested tests of the nearest squares of each line, with the attacks as constants",
    targets: feature = "techniques",
    features: [],
    imports: { any_cpu::switch::Switch, generic::each_board::EachSlider },
    driver: EachSlider<Switch>,
}

#[cfg(feature = "techniques")]
pub(crate) use compiled::Switch;

#[cfg(feature = "techniques")]
mod compiled {
    use crate::kernels::generic::per_slider::PerSlider;

    /// The functions `rook` and `bishop`.
    #[allow(clippy::all, clippy::pedantic, reason = "generated")]
    mod generated {
        #[inline(always)]
        fn has(occupied: u64, square: u32) -> bool {
            occupied & 1 << square != 0
        }

        include!(concat!(env!("OUT_DIR"), "/switch.rs"));
    }

    pub(crate) struct Switch;

    impl PerSlider for Switch {
        #[inline(always)]
        fn rook_attacks(square: u8, occupied: u64) -> u64 {
            generated::rook(square, occupied)
        }

        #[inline(always)]
        fn bishop_attacks(square: u8, occupied: u64) -> u64 {
            generated::bishop(square, occupied)
        }
    }
}

#[cfg(all(test, feature = "techniques"))]
mod tests {
    use std::cell::Cell;

    use crate::{Line, Square, board};

    /// A second copy of the generated source, which counts the bit tests that it executes.
    #[allow(clippy::all, clippy::pedantic, reason = "generated")]
    mod counted {
        fn has(occupied: u64, square: u32) -> bool {
            super::TESTS.set(super::TESTS.get() + 1);
            occupied >> square & 1 == 1
        }

        include!(concat!(env!("OUT_DIR"), "/switch.rs"));
    }

    thread_local! {
        static TESTS: Cell<u32> = const { Cell::new(0) };
    }

    /// The average over all squares, with every subset of the squares of both lines.
    #[test]
    fn tests_per_line() {
        type Attacks = fn(u8, u64) -> u64;
        let pieces: [(Attacks, [Line; 2]); 2] = [
            (counted::rook, [Line::Rank, Line::File]),
            (counted::bishop, [Line::Diagonal, Line::Antidiagonal]),
        ];
        let mut sum = 0.0;
        for (attacks, lines) in pieces {
            for square in 0..64 {
                let along = |line| board::line_attacks_from(line, Square::masked(square), 0);
                let all = along(lines[0]) | along(lines[1]);
                TESTS.set(0);
                let (mut subset, mut subsets) = (0_u64, 0);
                loop {
                    attacks(square, subset);
                    subsets += 1;
                    subset = subset.wrapping_sub(all) & all;
                    if subset == 0 {
                        break;
                    }
                }
                sum += f64::from(TESTS.get()) / f64::from(subsets);
            }
        }
        let average = sum / 256.0;
        println!("switch: {average} tests per line on average");
        assert!((2.325..2.335).contains(&average), "{average}");
    }
}
