//! Techniques for computing rays on whole boards.

use super::board_vector::{BoardVector, FlipAntidiagonal};
use super::fills;
use super::rank_bytes::{West, by_borrows};
use crate::kernels::geometry::direction::{
    EAST, FILE, NORTH, NORTH_EAST, NORTH_WEST, RANK, SOUTH, SOUTH_EAST, SOUTH_WEST, WEST,
};
use crate::kernels::geometry::{Line, RayDirection};

/// Computes rays on vectors of boards. Only [`fill`](BoardRays::fill) is required. The other
/// methods follow from it; a technique overrides those that it can speed up.
pub(crate) trait BoardRays<B: BoardVector> {
    /// The occluded fill: the generators, and every square that they reach in steps that all land
    /// on propagators.
    fn fill<D: RayDirection>(direction: D, generators: B, propagators: B) -> B;

    /// The attacks up to and including the first occupied square: one step beyond the fill. Sliders
    /// need not be in `occupied`, because each slider's own fill covers the squares beyond it.
    #[inline(always)]
    fn ray<D: RayDirection>(direction: D, sliders: B, occupied: B) -> B {
        Self::fill(direction, sliders, !occupied).step(direction)
    }

    /// Both rays along a line.
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

    /// The union of the rook attacks of one set and the bishop attacks of another. `occupied` must
    /// contain both sets.
    #[inline(always)]
    fn slider(orthogonal: B, diagonal: B, occupied: B) -> B {
        Self::rook(orthogonal, occupied) | Self::bishop(diagonal, occupied)
    }
}

/// A technique that needs no CPU features beyond those of its vectors.
pub(crate) trait AnyCpu {}

#[inline(always)]
fn both_rays<B: BoardVector, T: BoardRays<B> + ?Sized>(line: Line, sliders: B, occupied: B) -> B {
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

impl AnyCpu for KoggeStone {}

impl<B: BoardVector> BoardRays<B> for KoggeStone {
    #[inline(always)]
    fn fill<D: RayDirection>(direction: D, generators: B, propagators: B) -> B {
        fills::kogge_stone(direction, generators, propagators)
    }
}

/// Fills in seven steps. Six are enough for attacks: whether the outermost square is empty makes no
/// difference.
pub(crate) struct Dumb7Fill;

impl AnyCpu for Dumb7Fill {}

impl<B: BoardVector> BoardRays<B> for Dumb7Fill {
    #[inline(always)]
    fn fill<D: RayDirection>(direction: D, generators: B, propagators: B) -> B {
        fills::dumb7(direction, generators, propagators, 7)
    }

    #[inline(always)]
    fn ray<D: RayDirection>(direction: D, sliders: B, occupied: B) -> B {
        fills::dumb7(direction, sliders, !occupied, 6).step(direction)
    }
}

/// Borrow for eastward rays, [`RankBytes::West`](super::rank_bytes::RankBytes::West) for westward
/// rays, Kogge-Stone for the others.
pub(crate) struct Borrow;

impl AnyCpu for Borrow {}

impl<B: BoardVector> BoardRays<B> for Borrow {
    #[inline(always)]
    fn fill<D: RayDirection>(direction: D, generators: B, propagators: B) -> B {
        fills::kogge_stone(direction, generators, propagators)
    }

    #[inline(always)]
    fn ray<D: RayDirection>(direction: D, sliders: B, occupied: B) -> B {
        match (D::AXIS, D::UP) {
            (RANK, true) => B::east_attacks(sliders, occupied),
            (RANK, false) if B::West::ON_BOARDS => B::West::attacks(sliders, occupied),
            _ => KoggeStone::ray(direction, sliders, occupied),
        }
    }
}

/// Borrow along ranks and, on the flipped board, along files. Kogge-Stone along diagonals.
pub(crate) struct FlippedBorrow;

impl<B: FlipAntidiagonal> BoardRays<B> for FlippedBorrow {
    #[inline(always)]
    fn fill<D: RayDirection>(direction: D, generators: B, propagators: B) -> B {
        fills::kogge_stone(direction, generators, propagators)
    }

    #[inline(always)]
    fn ray<D: RayDirection>(direction: D, sliders: B, occupied: B) -> B {
        if D::AXIS != FILE {
            return Borrow::ray(direction, sliders, occupied);
        }
        let (sliders, occupied) = (sliders.flip_antidiagonal(), occupied.flip_antidiagonal());
        let attacks = if D::UP {
            B::west_attacks(sliders, occupied)
        } else {
            B::east_attacks(sliders, occupied)
        };
        attacks.flip_antidiagonal()
    }

    /// Combines both rays along a file before the board is flipped back.
    #[inline(always)]
    fn line(line: Line, sliders: B, occupied: B) -> B {
        if line != Line::File {
            return Borrow::line(line, sliders, occupied);
        }
        let others = occupied & !sliders;
        by_borrows(sliders.flip_antidiagonal(), others.flip_antidiagonal()).flip_antidiagonal()
    }
}
