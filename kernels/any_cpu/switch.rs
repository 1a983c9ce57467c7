//! The switch approach: a `match` on the occupied squares of a line that returns constants.
//!
//! `build.rs` generates, for every square and each of its four lines, a `match` on the inner squares that
//! are occupied, with one arm for each distinct set of attacked squares: occupancies with the same
//! nearest blockers share an arm. No table, no arithmetic; the compiler makes comparisons and
//! jumps of it, which the CPU must predict. Behind the feature `switch`, because it adds 98 KB of code to a program.
//!
//! Source: Dann Corbit's proposal, "The Switch Approach", Chess Programming Wiki.

use crate::kernels::shells::kernel;

kernel! {
    name: c"switch",
    technique: "per slider, a generated match on the occupied squares of each line",
    on: feature = "switch",
    features: [],
    driver: EachBoard<per_slider::Popped<switch::Switch>>,
}

#[cfg(feature = "switch")]
pub(in crate::kernels) use compiled::Switch;

#[cfg(feature = "switch")]
mod compiled {
    use crate::kernels::any_cpu::per_slider::PerSlider;
    use crate::kernels::geometry::Line;

    /// `rank`, `file`, `diagonal` and `antidiagonal`, of square and occupancy.
    #[allow(clippy::all, clippy::pedantic, reason = "generated")]
    mod generated {
        include!(concat!(env!("OUT_DIR"), "/switch.rs"));
    }

    pub(crate) struct Switch;

    impl PerSlider for Switch {
        #[inline(always)]
        fn rook_attacks(square: u8, occupied: u64) -> u64 {
            generated::rank(square, occupied) | generated::file(square, occupied)
        }

        #[inline(always)]
        fn bishop_attacks(square: u8, occupied: u64) -> u64 {
            generated::diagonal(square, occupied) | generated::antidiagonal(square, occupied)
        }

        #[inline(always)]
        fn line_attacks(line: Line, square: u8, occupied: u64) -> u64 {
            match line {
                Line::Rank => generated::rank(square, occupied),
                Line::File => generated::file(square, occupied),
                Line::Diagonal => generated::diagonal(square, occupied),
                Line::Antidiagonal => generated::antidiagonal(square, occupied),
            }
        }
    }
}
