//! How the rays of whole boards are computed.

use super::boards::Boards;
use super::fills;
use crate::kernels::geometry::direction::{
    EAST, NORTH, NORTH_EAST, NORTH_WEST, SOUTH, SOUTH_EAST, SOUTH_WEST, WEST,
};
use crate::kernels::geometry::{Line, Towards};

/// A way to compute rays on vectors of boards. Only [`fill`](Technique::fill) is needed; all else follows from it, and is to be
/// overridden where the technique knows better.
pub(crate) trait Technique<B: Boards> {
    /// Whether it needs nothing of the CPU but what `B` does.
    const ANY_CPU: bool = true;

    /// Whether the compiler can make vectors of a loop over boards.
    const VECTORISES: bool = true;

    /// The smallest set that contains the generators, and with a square the next one if that is a propagator.
    fn fill<D: Towards>(course: D, generators: B, propagators: B) -> B;

    /// Up to and with the first occupied square: one step beyond the fill. (A slider outside `occupied` need not be added,
    /// for the fill begins anew on its square.)
    #[inline(always)]
    fn ray<D: Towards>(course: D, sliders: B, occupied: B) -> B {
        Self::fill(course, sliders, !occupied).step(course)
    }

    /// Both ways along a line.
    #[inline(always)]
    fn line(line: Line, sliders: B, occupied: B) -> B {
        match line {
            Line::Rank => Self::ray(EAST, sliders, occupied) | Self::ray(WEST, sliders, occupied),
            Line::File => Self::ray(NORTH, sliders, occupied) | Self::ray(SOUTH, sliders, occupied),
            Line::Diagonal => {
                Self::ray(NORTH_EAST, sliders, occupied) | Self::ray(SOUTH_WEST, sliders, occupied)
            }
            Line::Antidiagonal => {
                Self::ray(NORTH_WEST, sliders, occupied) | Self::ray(SOUTH_EAST, sliders, occupied)
            }
        }
    }

    #[inline(always)]
    fn rook(rooks: B, occupied: B) -> B {
        Self::line(Line::Rank, rooks, occupied) | Self::line(Line::File, rooks, occupied)
    }

    #[inline(always)]
    fn bishop(bishops: B, occupied: B) -> B {
        Self::line(Line::Diagonal, bishops, occupied)
            | Self::line(Line::Antidiagonal, bishops, occupied)
    }

    #[inline(always)]
    fn queen(queens: B, occupied: B) -> B {
        Self::slider(queens, queens, occupied)
    }

    /// Rooks of one set, bishops of another; `occupied` contains both.
    #[inline(always)]
    fn slider(orthogonal: B, diagonal: B, occupied: B) -> B {
        Self::rook(orthogonal, occupied) | Self::bishop(diagonal, occupied)
    }
}

/// Fills in three doubling steps.
pub(crate) struct KoggeStone;

impl<B: Boards> Technique<B> for KoggeStone {
    #[inline(always)]
    fn fill<D: Towards>(course: D, generators: B, propagators: B) -> B {
        fills::kogge_stone(course, generators, propagators)
    }
}

/// Fills in seven steps; for attacks six, as it does not matter whether the outermost square is empty.
pub(crate) struct Dumb7Fill;

impl<B: Boards> Technique<B> for Dumb7Fill {
    #[inline(always)]
    fn fill<D: Towards>(course: D, generators: B, propagators: B) -> B {
        fills::dumb7(course, generators, propagators, 7)
    }

    #[inline(always)]
    fn ray<D: Towards>(course: D, sliders: B, occupied: B) -> B {
        fills::dumb7(course, sliders, !occupied, 6).step(course)
    }
}

/// Borrow eastward, and westward where bytes are reversed in one instruction; other rays by Kogge-Stone.
pub(crate) struct Borrow;

impl<B: Boards> Technique<B> for Borrow {
    #[inline(always)]
    fn fill<D: Towards>(course: D, generators: B, propagators: B) -> B {
        fills::kogge_stone(course, generators, propagators)
    }

    #[inline(always)]
    fn ray<D: Towards>(course: D, sliders: B, occupied: B) -> B {
        if D::RANK && D::UP {
            B::east_attacks(sliders, occupied)
        } else if D::RANK && B::REVERSES {
            B::west_attacks(sliders, occupied)
        } else {
            fills::kogge_stone(course, sliders, !occupied).step(course)
        }
    }
}
