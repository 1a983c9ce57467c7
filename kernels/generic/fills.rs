//! Occluded fills of one ray on a vector of boards.

use super::boards::Boards;
use crate::kernels::geometry::Towards;

/// Kogge-Stone: generators reach 1, then 3, then 7 squares, through propagators that come in ones, twos and fours.
///
/// As no propagator is where a step would wrap, the doubled ones are nowhere where two or four would.
///
/// Source: Steffan Westcott's suggestion, as told by Gerd Isenberg in the Computer Chess Club, 22 May 2005.
#[inline(always)]
pub(crate) fn kogge_stone<B: Boards, D: Towards>(course: D, generators: B, propagators: B) -> B {
    let p = propagators & propagators.same(course.may_enter());
    let g = generators | p & generators.steps(course, 1);
    let p = p & p.steps(course, 1);
    let g = g | p & g.steps(course, 2);
    let p = p & p.steps(course, 2);
    g | p & g.steps(course, 4)
}

/// Dumb7Fill: so many fills of one step.
///
/// Source: "Dumb7Fill", Chess Programming Wiki.
#[inline(always)]
pub(crate) fn dumb7<B: Boards, D: Towards>(
    course: D,
    generators: B,
    propagators: B,
    cycles: u32,
) -> B {
    let p = propagators & propagators.same(course.may_enter());
    let (mut flood, mut filled) = (generators, generators);
    for _ in 0..cycles {
        flood = flood.steps(course, 1) & p;
        filled = filled | flood;
    }
    filled
}
