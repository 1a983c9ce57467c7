//! The switch approach: generated code that tests the nearest squares of a line one by one, and has
//! the attacks as constants.
//!
//! For every square and each of its four lines, `build.rs` generates nested bit tests of the inner
//! squares of both rays, nearest first ([`generate.rs`](switch/generate.rs)).
//!
//! One `match` on the square leads to both lines of a rook, another to both lines of a bishop. With
//! a `match` for each line, rooks took 1.32x the time and queens 1.59x (Zen 5).
//!
//! In x86-64 object code, a `match` becomes a jump through a table of 64 offsets. The table is the
//! only memory that the kernel reads for a slider. The rest is bit tests, conditional jumps and
//! moves, and constants in the code. `tools/objectcode.py switch` checks this. The compiler cannot
//! make a table of attacks, because there is no `match` on the occupancy and each bit test has only
//! two outcomes.
//!
//! Each jump may be mispredicted, including the one through the table.
//!
//! Source: Dann Corbit's proposal, "The Switch Approach", Chess Programming Wiki.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "switch",
    technique: "per slider, generated nested tests of the nearest squares of each line, with the attacks as constants",
    on: feature = "techniques",
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

    use crate::{Line, Square, board, techniques};

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

    /// To print the average number of bit tests per line:
    /// `cargo test -p setwise --features switch --lib switch::tests -- --nocapture`
    #[test]
    fn at_most_two_and_a_half_tests_per_line() {
        const A_AND_H_FILE: u64 = 0x8181_8181_8181_8181;
        const RANKS_1_AND_8: u64 = 0xff00_0000_0000_00ff;
        type Attacks = fn(u8, u64) -> u64;
        let pieces: [(Attacks, [Line; 2]); 2] = [
            (counted::rook, [Line::Rank, Line::File]),
            (counted::bishop, [Line::Diagonal, Line::Antidiagonal]),
        ];
        let (mut sum, mut most) = (0.0, 0);
        for (attacks, lines) in pieces {
            for square in 0..64 {
                let walk = |line: Line, occupied| {
                    let [there, back] = line.directions();
                    board::ray_attacks(there, 1 << square, occupied)
                        | board::ray_attacks(back, 1 << square, occupied)
                };
                let inner = |line| {
                    walk(line, 0)
                        & !match line {
                            Line::Rank => A_AND_H_FILE,
                            Line::File => RANKS_1_AND_8,
                            Line::Diagonal | Line::Antidiagonal => A_AND_H_FILE | RANKS_1_AND_8,
                        }
                };
                let inner = lines.map(inner).into_iter().fold(0, |all, one| all | one);
                let mut subset = 0_u64;
                let (mut subsets, mut tests) = (0, 0);
                loop {
                    TESTS.set(0);
                    assert_eq!(
                        attacks(square, subset),
                        lines.map(|line| walk(line, subset)).into_iter().fold(0, |a, b| a | b),
                        "{lines:?} of square {square}, occupied {subset:#018x}"
                    );
                    subsets += 1;
                    tests += TESTS.get();
                    most = most.max(TESTS.get());
                    subset = subset.wrapping_sub(inner) & inner;
                    if subset == 0 {
                        break;
                    }
                }
                assert_eq!(subsets, 1 << inner.count_ones());
                sum += f64::from(tests) / f64::from(subsets);
            }
        }
        let average = sum / 256.0;
        println!("switch: {average} tests per line on average, {most} at most for two lines");
        assert!(
            (average - counted::TESTS_PER_LINE).abs() < 1e-9,
            "the generator counted {}",
            counted::TESTS_PER_LINE
        );
        assert!(average <= 2.5);
    }

    /// Compares the code with the 32 cases and 12 constants of Corbit's `diagonalAttacksE5`.
    #[test]
    fn the_diagonal_of_e5() {
        // Each pair is the nearest blocker and the resulting attacks. The blockers are f6 and g7,
        // or d4, c3 and b2; 0 stands for none.
        const NORTH_EAST: [(u64, u64); 3] = [
            (0x0000_2000_0000_0000, 0x0000_2000_0000_0000),
            (0x0040_0000_0000_0000, 0x0040_2000_0000_0000),
            (0, 0x8040_2000_0000_0000),
        ];
        const SOUTH_WEST: [(u64, u64); 4] = [
            (0x0800_0000, 0x0800_0000),
            (0x0004_0000, 0x0804_0000),
            (0x0000_0200, 0x0804_0200),
            (0, 0x0804_0201),
        ];
        const MASK: u64 = 0x0040_2000_0804_0200;
        let diagonal =
            |occupied| techniques::switch::line_attacks(Line::Diagonal, Square::E5, occupied);
        let nearest = |ray: &[(u64, u64)], occupied: u64| {
            let (_, attacks) =
                ray.iter().find(|(blocker, _)| *blocker == 0 || occupied & blocker != 0).unwrap();
            *attacks
        };
        let mut constants = std::collections::BTreeSet::new();
        let mut cases = 0;
        let mut case = MASK;
        loop {
            let attacks = nearest(&NORTH_EAST, case) | nearest(&SOUTH_WEST, case);
            for elsewhere in [0, !MASK] {
                assert_eq!(diagonal(case | elsewhere), attacks, "case {case:#018x}");
            }
            constants.insert(attacks);
            cases += 1;
            if case == 0 {
                break;
            }
            case = (case - 1) & MASK;
        }
        assert_eq!((cases, constants.len()), (32, 12));
        // The three examples printed in the proposal.
        assert_eq!(diagonal(0x0040_2000_0804_0200), 0x0000_2000_0800_0000);
        assert_eq!(diagonal(0x0040_2000_0804_0000), 0x0000_2000_0800_0000);
        assert_eq!(diagonal(0), 0x8040_2000_0804_0201);
    }

    #[test]
    fn the_documentation_shows_the_generated_source() {
        let generated = include_str!(concat!(env!("OUT_DIR"), "/switch.rs"));
        let page = include_str!("../../docs/techniques/switch.md");
        let (_, from) = generated.split_once("fn diagonal_e5(").unwrap();
        let (function, _) = from.split_once("\n}\n").unwrap();
        assert!(page.contains(&format!("fn diagonal_e5({function}\n}}\n")));
    }
}
