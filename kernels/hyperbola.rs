//! Hyperbola Quintessence: one slider, one line, `o ^ (o - 2r)` forward and in the reversed board.
//!
//! On a line without the slider, `o - r` borrows a one from the next blocker above and changes every square up
//! to it (`o - 2r` if the slider is counted among the blockers: the first r removes it). The squares below
//! come from the same subtraction in the reversed board. The two rays are disjoint and
//! reversal distributes over xor, so both cost one union:
//!
//! ```text
//!                          line    reversed                  line       reversed
//!  occupied without r    11000101  10100011     changed    01110000     00001000 ->
//!  the slider r          00010000  00001000     back                    00010000
//!  o - r                 10110101  10011011     together   01101100 after removing r's double
//! ```
//!
//! What makes a kernel of it is the reversal. [`lines`] has the forms for one line with nothing but
//! general registers, [`vectors`] several lines at once in vector registers, [`set_wise`] the
//! generalisation to sets of sliders on ranks, which needs a barrier against borrows from the next rank.
//!
//! The kernel takes file and diagonals by byte swap and the rank from the first-rank table: PLACEHOLDER
//!
//! Source: Gerd Isenberg, Aleks Peshkov: "Hyperbola Quintessence", Chess Programming Wiki.

use super::compass::Direction;
use super::elementwise::{self, Technique};
use super::line::{Line, line_of};
use super::{Kernel, Table};

pub(crate) mod lines;

pub(super) const KERNEL: Kernel = Kernel::new(
    c"hyperbola",
    "per slider, o^(o-2r) forward and in the reversed board: byte swap, and a table for the rank",
    &[],
    Some(TABLE),
);

pub(super) const TABLE: Table = elementwise::table::<Hyperbola>(c"hyperbola");

struct Hyperbola;

impl Technique for Hyperbola {
    /// The squares that a ray reaches through propagators: all that it attacks but the blocker.
    #[inline(always)]
    fn occluded_fill(direction: Direction, generators: u64, propagators: u64) -> u64 {
        let reached = Self::ray_attacks(direction, generators, !propagators);
        generators | (reached & propagators)
    }

    #[inline(always)]
    fn ray_attacks(direction: Direction, sliders: u64, occupied: u64) -> u64 {
        each(sliders, |square| lines::ray(direction, square, occupied))
    }

    #[inline(always)]
    fn rook_attacks(rooks: u64, occupied: u64) -> u64 {
        each(rooks, |square| lines::rook_attacks(square, occupied))
    }

    #[inline(always)]
    fn bishop_attacks(bishops: u64, occupied: u64) -> u64 {
        each(bishops, |square| lines::bishop_attacks(square, occupied))
    }

    #[inline(always)]
    fn queen_attacks(queens: u64, occupied: u64) -> u64 {
        each(queens, |square| lines::queen_attacks(square, occupied))
    }

    #[inline(always)]
    fn line_attacks_from(line: Line, square: u8, occupied: u64) -> u64 {
        lines::line_attacks(line, square, occupied)
    }
}

/// The union over all squares of a set.
///
/// That a slider looks through others outside `occupied` changes nothing: behind them go their own rays.
#[inline(always)]
pub(super) fn each(mut squares: u64, attacks: impl Fn(u8) -> u64) -> u64 {
    let mut union = 0;
    while squares != 0 {
        union |= attacks(squares.trailing_zeros() as u8);
        squares &= squares - 1;
    }
    union
}
