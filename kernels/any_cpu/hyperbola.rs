//! Hyperbola Quintessence: `o ^ (o - 2r)` for one slider on one line, forward and on the reversed
//! board.
//!
//! Let `o` be the occupied squares of the line without the slider `r`. Then `o - r` borrows from
//! the next blocker above the slider and changes every square up to that blocker. (If `o` contains
//! the slider, the formula is `o - 2r`: the first `r` removes the slider.) The same subtraction on
//! the reversed board gives the squares below. If both rays are combined by xor, the two `o` cancel
//! out. What remains is the xor of the two differences:
//!
//! ```text
//!                          line      reversed
//! others o (without r)   11000101   10100011
//! the slider r           00010000   00001000
//! o - r                  10110101   10011011      and reversed back 11011001
//! xor of both                       01101100      the attacks
//! ```
//!
//! This kernel reverses files and diagonals with a byte swap, and reads ranks from a first-rank
//! table. This is the fastest form for general registers. `setwise::techniques::hyperbola` has all
//! forms.
//!
//! Source: Gerd Isenberg, Aleks Peshkov: "Hyperbola Quintessence", Chess Programming Wiki.

use crate::kernels::entry_points::kernel;
use crate::kernels::generic::one_square;
use crate::kernels::generic::per_slider::PerSlider;
use crate::kernels::geometry::Line;

kernel! {
    name: "hyperbola",
    technique: "per slider, o^(o-2r) forward and in the reversed board: byte swap, and a table for the rank",
    targets: feature = "techniques",
    features: [],
    imports: { any_cpu::hyperbola::Hyperbola, generic::each_board::EachSlider },
    driver: EachSlider<Hyperbola>,
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
