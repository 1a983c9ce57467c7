//! Few boards: fills on a vector of boards as loaded, for tails.
//!
//! A block of rank slices costs the same however few boards are in it; up to a number of vectors
//! ([`Operation::SHORT`](super::rank_slices::Operation::SHORT)) this is cheaper.

use super::compass::Direction;
use super::lanes::Lanes;
use super::rank_slices::{BishopAttacks, RookAttacks, SliderAttacks};
use super::rays::Ray;

/// An operation on one vector of boards as loaded: `N` sets in, one out.
///
/// A type and not a function argument, because the shim by which a function is called as
/// an argument is not `inline(always)`.
pub(super) trait Vectorwise<const N: usize> {
    fn vector<L: Lanes>(sets: [L; N]) -> L;
}

/// One step beyond the fill of the empty squares.
#[inline(always)]
fn ray<L: Lanes>(direction: Direction, sliders: L, empty: L) -> L {
    Ray::new(direction).attacks_through(sliders, empty)
}

#[inline(always)]
pub(super) fn not<L: Lanes>(set: L) -> L {
    set.splat(0xff).without(set)
}

/// The ray eastward, which alone needs no fill.
pub(super) struct East;

impl Vectorwise<2> for East {
    #[inline(always)]
    fn vector<L: Lanes>([sliders, occupied]: [L; 2]) -> L {
        L::east_attacks(sliders, occupied)
    }
}

impl Vectorwise<2> for RookAttacks {
    #[inline(always)]
    fn vector<L: Lanes>([rooks, occupied]: [L; 2]) -> L {
        let empty = not(occupied);
        L::east_attacks(rooks, occupied)
            .or(ray(Direction::North, rooks, empty))
            .or(ray(Direction::South, rooks, empty))
            .or(ray(Direction::West, rooks, empty))
    }
}

impl Vectorwise<2> for BishopAttacks {
    #[inline(always)]
    fn vector<L: Lanes>([bishops, occupied]: [L; 2]) -> L {
        let empty = not(occupied);
        ray(Direction::NorthEast, bishops, empty)
            .or(ray(Direction::SouthEast, bishops, empty))
            .or(ray(Direction::SouthWest, bishops, empty))
            .or(ray(Direction::NorthWest, bishops, empty))
    }
}

impl Vectorwise<3> for SliderAttacks {
    #[inline(always)]
    fn vector<L: Lanes>([orthogonal, diagonal, occupied]: [L; 3]) -> L {
        let occupied = occupied.or(orthogonal).or(diagonal);
        RookAttacks::vector([orthogonal, occupied]).or(BishopAttacks::vector([diagonal, occupied]))
    }
}
