//! Few boards: Kogge-Stone fills on a vector of boards as loaded.
//!
//! A block of rank slices costs the same however few boards are in it; up to a number of vectors
//! ([`Operation::SHORT`](super::rank_slices::Operation::SHORT)) this is cheaper.

use super::compass::Direction;
use super::lanes::Lanes;

#[inline(always)]
fn shift<L: Lanes>(boards: L, squares: i32) -> L {
    if squares >= 0 {
        boards.shift_left(squares.unsigned_abs())
    } else {
        boards.shift_right(squares.unsigned_abs())
    }
}

/// One ray, as [`kogge_stone::ray_attacks`](super::kogge_stone::ray_attacks) has it.
#[inline(always)]
fn ray_attacks<L: Lanes>(direction: Direction, sliders: L, empty: L) -> L {
    let k = direction.offset();
    let wraps = direction.may_enter() != !0;
    let mut g = sliders;
    let mut p = if wraps {
        empty.and_squares(direction.may_enter())
    } else {
        empty
    };
    g = g.or(shift(g, k).and(p));
    p = p.and(shift(p, k));
    g = g.or(shift(g, 2 * k).and(p));
    p = p.and(shift(p, 2 * k));
    g = g.or(shift(g, 4 * k).and(p));
    let reached = shift(g, k);
    if wraps {
        reached.and_squares(direction.may_enter())
    } else {
        reached
    }
}

/// Rook attacks, eastward by bytewise borrow.
#[inline(always)]
pub(super) fn rook_attacks<L: Lanes>(rooks: L, occupied: L) -> L {
    let empty = occupied.splat(0xff).without(occupied);
    L::east_attacks(rooks, occupied)
        .or(ray_attacks(Direction::North, rooks, empty))
        .or(ray_attacks(Direction::South, rooks, empty))
        .or(ray_attacks(Direction::West, rooks, empty))
}

/// Bishop attacks.
#[inline(always)]
pub(super) fn bishop_attacks<L: Lanes>(bishops: L, occupied: L) -> L {
    let empty = occupied.splat(0xff).without(occupied);
    ray_attacks(Direction::NorthEast, bishops, empty)
        .or(ray_attacks(Direction::SouthEast, bishops, empty))
        .or(ray_attacks(Direction::SouthWest, bishops, empty))
        .or(ray_attacks(Direction::NorthWest, bishops, empty))
}
