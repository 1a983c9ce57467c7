//! How the rays of whole boards are computed.

use super::boards::Boards;
use super::fills;
use super::lanes::by_borrows;
use super::one_square::Follows;
use crate::kernels::geometry::direction::{
    EAST, FILE, NORTH, NORTH_EAST, NORTH_WEST, RANK, SOUTH, SOUTH_EAST, SOUTH_WEST, WEST,
};
use crate::kernels::geometry::{Line, Towards};

/// A way to compute rays on vectors of boards. Only [`fill`](Technique::fill) is needed; all else follows from it, and is to be
/// overridden where the technique knows better.
pub(crate) trait Technique<B: Boards> {
    /// Whether it can be compiled for any CPU that has what `B` needs: it is no intrinsics of a greater one.
    const ANY_CPU: bool = true;

    /// Whether the compiler can make vectors of a loop over boards; else there is [`from_square`](Technique::from_square).
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
        both_rays::<B, Self>(line, sliders, occupied)
    }

    #[inline(always)]
    fn rook(rooks: B, occupied: B) -> B {
        Self::line(Line::File, rooks, occupied) | Self::line(Line::Rank, rooks, occupied)
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

    /// Attacks from one square below 64. Only if not [`VECTORISES`](Technique::VECTORISES).
    #[inline(always)]
    fn from_square<Op: Follows>(_op: Op, _square: u8, _occupied: u64) -> u64 {
        unreachable!()
    }

    /// Rooks of one set, bishops of another; `occupied` contains both.
    #[inline(always)]
    fn slider(orthogonal: B, diagonal: B, occupied: B) -> B {
        Self::rook(orthogonal, occupied) | Self::bishop(diagonal, occupied)
    }
}

#[inline(always)]
fn both_rays<B: Boards, T: Technique<B> + ?Sized>(line: Line, sliders: B, occupied: B) -> B {
    match line {
        Line::Rank => T::ray(EAST, sliders, occupied) | T::ray(WEST, sliders, occupied),
        Line::File => T::ray(NORTH, sliders, occupied) | T::ray(SOUTH, sliders, occupied),
        Line::Diagonal => {
            T::ray(NORTH_EAST, sliders, occupied) | T::ray(SOUTH_WEST, sliders, occupied)
        }
        Line::Antidiagonal => {
            T::ray(NORTH_WEST, sliders, occupied) | T::ray(SOUTH_EAST, sliders, occupied)
        }
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

/// Borrow eastward; westward where bytes are reversed in few operations, and along files where a board is turned in one; other rays
/// by Kogge-Stone.
pub(crate) struct Borrow;

impl<B: Boards> Technique<B> for Borrow {
    #[inline(always)]
    fn fill<D: Towards>(course: D, generators: B, propagators: B) -> B {
        fills::kogge_stone(course, generators, propagators)
    }

    #[inline(always)]
    fn ray<D: Towards>(course: D, sliders: B, occupied: B) -> B {
        match (D::ALONG, D::UP) {
            (RANK, true) => B::east_attacks(sliders, occupied),
            (RANK, false) if B::REVERSES => B::west_attacks(sliders, occupied),
            (FILE, false) if B::TURNS => B::east_attacks(sliders.turn(), occupied.turn()).turn(),
            (FILE, true) if B::TURNS => B::west_attacks(sliders.turn(), occupied.turn()).turn(),
            _ => fills::kogge_stone(course, sliders, !occupied).step(course),
        }
    }

    /// Both rays along a file are united before the board is turned back.
    #[inline(always)]
    fn line(line: Line, sliders: B, occupied: B) -> B {
        if B::TURNS && line == Line::File {
            let others = occupied & !sliders;
            return by_borrows(sliders.turn(), others.turn()).turn();
        }
        both_rays::<B, Self>(line, sliders, occupied)
    }
}
