//! Occluded fills in one direction, on a vector of boards.

use super::board_vector::BoardVector;
use crate::kernels::geometry::RayDirection;

/// Kogge-Stone: in three steps, generators reach 1, 3 and 7 squares through runs of 1, 2 and 4
/// propagators.
///
/// Masking single steps is enough: if no propagator lies where one step would wrap, no run of
/// propagators crosses the edge.
///
/// Source: Steffan Westcott, quoted by Gerd Isenberg, Computer Chess Club, 22 May 2005.
#[inline(always)]
pub(crate) fn kogge_stone<B: BoardVector, D: RayDirection>(
    direction: D,
    generators: B,
    propagators: B,
) -> B {
    let p = propagators & propagators.splat_board(direction.wrap_mask());
    let g = generators | p & generators.steps(direction, 1);
    let p = p & p.steps(direction, 1);
    let g = g | p & g.steps(direction, 2);
    let p = p & p.steps(direction, 2);
    g | p & g.steps(direction, 4)
}

/// Dumb7Fill: `cycles` one-step fills.
///
/// Source: "Dumb7Fill", Chess Programming Wiki.
#[inline(always)]
pub(crate) fn dumb7<B: BoardVector, D: RayDirection>(
    direction: D,
    generators: B,
    propagators: B,
    cycles: u32,
) -> B {
    let p = propagators & propagators.splat_board(direction.wrap_mask());
    let (mut flood, mut filled) = (generators, generators);
    for _ in 0..cycles {
        flood = flood.steps(direction, 1) & p;
        filled = filled | flood;
    }
    filled
}
