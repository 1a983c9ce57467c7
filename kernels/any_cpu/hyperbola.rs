//! Hyperbola Quintessence: `o ^ (o - 2r)` for one slider on one line, forward and on the reversed
//! board. `docs/techniques/hyperbola.md` explains it.
//!
//! This kernel reverses files and diagonals with a byte swap, and reads ranks from a first-rank
//! table: the fastest form for general registers. `setwise::techniques::hyperbola` has all forms.

use crate::kernels::entry_points::kernel;
use crate::kernels::generic::one_square;
use crate::kernels::generic::per_slider::PerSlider;
use crate::kernels::geometry::Line;

kernel! {
    name: "hyperbola",
    description: "per slider, o^(o-2r) forward and in the reversed board: byte swap, and a table for the rank",
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
