//! Few boards: fills on a vector of boards as loaded, for tails and for single rays.
//!
//! A block of rank slices costs the same however few boards are in it; up to a number of vectors
//! ([`Operation::SHORT`](super::rank_slices::Operation::SHORT)) this is cheaper. A single ray does not repay slices at all.

use super::compass::Direction;
use super::lanes::Lanes;
use super::rank_slices::{BishopAttacks, RookAttacks, SliderAttacks};

/// An operation on one vector of boards as loaded: `N` sets in, one out.
///
/// A type and not a function argument, because the shim by which a function is called as
/// an argument is not `inline(always)`.
pub(super) trait Vectorwise<const N: usize> {
    fn vector<L: Lanes>(sets: [L; N]) -> L;
}

#[inline(always)]
fn shift<L: Lanes>(boards: L, squares: i32) -> L {
    if squares >= 0 {
        boards.shift_left(squares.unsigned_abs())
    } else {
        boards.shift_right(squares.unsigned_abs())
    }
}

/// The squares that a step in a direction may enter, of a set.
#[inline(always)]
fn enterable<L: Lanes>(direction: Direction, squares: L) -> L {
    match direction {
        Direction::North | Direction::South => squares,
        _ => squares.and_squares(direction.may_enter()),
    }
}

/// The fill, as [`kogge_stone::occluded_fill`](super::kogge_stone::occluded_fill) has it.
#[inline(always)]
fn occluded_fill<L: Lanes>(direction: Direction, generators: L, propagators: L) -> L {
    let k = direction.offset();
    let mut g = generators;
    let mut p = enterable(direction, propagators);
    g = g.or(shift(g, k).and(p));
    p = p.and(shift(p, k));
    g = g.or(shift(g, 2 * k).and(p));
    p = p.and(shift(p, 2 * k));
    g.or(shift(g, 4 * k).and(p))
}

/// One step beyond the fill of the empty squares.
#[inline(always)]
fn ray_attacks<L: Lanes>(direction: Direction, sliders: L, empty: L) -> L {
    let filled = occluded_fill(direction, sliders, empty);
    enterable(direction, shift(filled, direction.offset()))
}

#[inline(always)]
fn not<L: Lanes>(set: L) -> L {
    set.splat(0xff).without(set)
}

/// One direction's fill, of generators through propagators.
pub(super) struct Fill<const DIRECTION: usize>;

impl<const DIRECTION: usize> Vectorwise<2> for Fill<DIRECTION> {
    #[inline(always)]
    fn vector<L: Lanes>([generators, propagators]: [L; 2]) -> L {
        let direction = const { Direction::ALL[DIRECTION] };
        occluded_fill(direction, generators, propagators)
    }
}

/// One direction's attacks, of sliders on an occupancy.
pub(super) struct Ray<const DIRECTION: usize>;

impl<const DIRECTION: usize> Vectorwise<2> for Ray<DIRECTION> {
    #[inline(always)]
    fn vector<L: Lanes>([sliders, occupied]: [L; 2]) -> L {
        match const { Direction::ALL[DIRECTION] } {
            Direction::East => L::east_attacks(sliders, occupied),
            direction => ray_attacks(direction, sliders, not(occupied)),
        }
    }
}

impl Vectorwise<2> for RookAttacks {
    #[inline(always)]
    fn vector<L: Lanes>([rooks, occupied]: [L; 2]) -> L {
        let empty = not(occupied);
        L::east_attacks(rooks, occupied)
            .or(ray_attacks(Direction::North, rooks, empty))
            .or(ray_attacks(Direction::South, rooks, empty))
            .or(ray_attacks(Direction::West, rooks, empty))
    }
}

impl Vectorwise<2> for BishopAttacks {
    #[inline(always)]
    fn vector<L: Lanes>([bishops, occupied]: [L; 2]) -> L {
        let empty = not(occupied);
        ray_attacks(Direction::NorthEast, bishops, empty)
            .or(ray_attacks(Direction::SouthEast, bishops, empty))
            .or(ray_attacks(Direction::SouthWest, bishops, empty))
            .or(ray_attacks(Direction::NorthWest, bishops, empty))
    }
}

impl Vectorwise<3> for SliderAttacks {
    #[inline(always)]
    fn vector<L: Lanes>([orthogonal, diagonal, occupied]: [L; 3]) -> L {
        let occupied = occupied.or(orthogonal).or(diagonal);
        RookAttacks::vector([orthogonal, occupied]).or(BishopAttacks::vector([diagonal, occupied]))
    }
}
