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
//! What makes a kernel of it is the reversal. [`lines`] has the forms for one line with nothing but
//! general registers, [`one_square`] and [`four_squares`] several lines at once in vector registers, [`set_wise`] the
//! generalisation to sets of sliders on ranks, which needs a barrier against borrows from the next rank.
//!
//! The kernel takes file and diagonals by byte swap and the rank from the first-rank table. Measured on a
//! Zen 5 core (`cargo test --release --lib hyperbola -- --ignored --nocapture` prints it): for a rank the mapping to the
//! main diagonal takes 2.5 times as long as the table, and bit reversal, for which x86 has no instruction, 5.4; for a file
//! bit reversal takes 3.5 times as long as the byte swap. Of the vector forms, `pshufb` for the bishop takes 0.72 of the
//! byte swap's time and all lines in one AVX2 register 0.88; two VPPERMs in software 1.6.
//!
//! Source: Gerd Isenberg, Aleks Peshkov: "Hyperbola Quintessence", Chess Programming Wiki.

use super::line::{Line, line_of};
use super::per_slider::{self, PerSlider};
use super::{Kernel, Table};

#[cfg(target_arch = "x86_64")]
#[cfg_attr(
    not(test),
    allow(dead_code, reason = "a form that rank slices are faster than")
)]
mod four_squares;
pub(crate) mod lines;
#[cfg(target_arch = "x86_64")]
#[cfg_attr(
    not(test),
    allow(dead_code, reason = "forms that others are faster than")
)]
mod one_square;
#[cfg_attr(
    not(test),
    allow(dead_code, reason = "ranks alone: the borrow kernel has its east ray")
)]
mod set_wise;
#[cfg(test)]
mod tests;

pub(super) const KERNEL: Kernel = Kernel::new(
    c"hyperbola",
    "per slider, o^(o-2r) forward and in the reversed board: byte swap, and a table for the rank",
    &[],
    Some(TABLE),
);

pub(super) const TABLE: Table = per_slider::table::<Hyperbola>(c"hyperbola");

struct Hyperbola;

impl PerSlider for Hyperbola {
    #[inline(always)]
    fn rook_attacks(square: u8, occupied: u64) -> u64 {
        lines::rook_attacks(square, occupied)
    }

    #[inline(always)]
    fn bishop_attacks(square: u8, occupied: u64) -> u64 {
        lines::bishop_attacks(square, occupied)
    }

    #[inline(always)]
    fn line_attacks(line: Line, square: u8, occupied: u64) -> u64 {
        lines::line_attacks(line, square, occupied)
    }
}
