//! Hyperbola Quintessence: one slider, one line, `o ^ (o - 2r)` forward and in the reversed board.
//!
//! On a line without the slider, `o - r` borrows a one from the next blocker above and changes every square up
//! to it (`o - 2r` if the slider is counted among the blockers: the first r removes it). The squares below
//! come from the same subtraction in the reversed board. The two rays are disjoint and
//! reversal distributes over xor, so both cost one union:
//!
//! ```text
//!                          line      reversed
//! others o (without r)   11000101   10100011
//! the slider r           00010000   00001000
//! o - r                  10110101   10011011      and reversed back 11011001
//! xor of both                       01101100      the attacks
//! ```
//!
//! What makes a kernel of it is the reversal. [`one_square`] has the forms for one line with nothing but
//! general registers, [`one_square_vectors`] and [`four_squares`] several lines at once in vector registers, [`set_wise`] the
//! generalisation to sets of sliders on ranks, which needs a barrier against borrows from the next rank.
//!
//! The kernel takes file and diagonals by byte swap and the rank from the first-rank table. Measured on a
//! Zen 5 core (`cargo test --release --lib hyperbola -- --ignored --nocapture` prints it): for a rank the mapping to the
//! main diagonal takes 2.5 times as long as the table, and bit reversal, for which x86 has no instruction, 5.4; for a file
//! bit reversal takes 3.5 times as long as the byte swap. Of the vector forms, `pshufb` for the bishop takes 0.72 of the
//! byte swap's time and all lines in one AVX2 register 0.88; two VPPERMs in software 1.6.
//!
//! Source: Gerd Isenberg, Aleks Peshkov: "Hyperbola Quintessence", Chess Programming Wiki.

use super::per_slider::PerSlider;
use crate::kernels::generic::one_square;
use crate::kernels::geometry::Line;
use crate::kernels::shells::kernel;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[cfg_attr(
    not(test),
    allow(dead_code, reason = "a form that rank slices are faster than")
)]
mod four_squares;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[cfg_attr(
    not(test),
    allow(dead_code, reason = "forms that others are faster than")
)]
mod one_square_vectors;
#[cfg_attr(
    not(test),
    allow(dead_code, reason = "ranks alone: the borrow kernel has its east ray")
)]
mod set_wise;
#[cfg(test)]
mod tests;

kernel! {
    name: c"hyperbola",
    technique: "per slider, o^(o-2r) forward and in the reversed board: byte swap, and a table for the rank",
    on: all(),
    features: [],
    driver: EachBoard<per_slider::Popped<hyperbola::Hyperbola>>,
}

pub(super) struct Hyperbola;

impl PerSlider for Hyperbola {
    #[inline(always)]
    fn rook_attacks(square: u8, occupied: u64) -> u64 {
        one_square::rook_attacks(square, occupied)
    }

    #[inline(always)]
    fn bishop_attacks(square: u8, occupied: u64) -> u64 {
        one_square::bishop_attacks(square, occupied)
    }

    #[inline(always)]
    fn line_attacks(line: Line, square: u8, occupied: u64) -> u64 {
        one_square::line_attacks(line, square, occupied)
    }
}
