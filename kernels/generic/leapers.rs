//! Knights, kings and pawns on whole boards.

use super::board_rays::BoardRays;
use super::board_vector::BoardVector;
use super::operation::Operation;
use crate::kernels::geometry::Side;
use crate::kernels::geometry::direction::{
    EAST, NORTH, NORTH_EAST, NORTH_WEST, SOUTH, SOUTH_EAST, SOUTH_WEST, WEST,
};
use crate::kernels::geometry::leapers::{NOT_AB, NOT_GH};

/// The squares one file and two ranks away from each knight, or two files and one rank.
#[derive(Clone, Copy)]
pub(crate) struct Knight;

impl Operation<1, 1> for Knight {
    #[inline(always)]
    fn boards<B: BoardVector, T: BoardRays<B>>(self, [knights]: [B; 1]) -> [B; 1] {
        [knight_attacks(knights)]
    }
}

#[inline(always)]
pub(super) fn knight_attacks<B: BoardVector>(knights: B) -> B {
    let one = knights.step(EAST) | knights.step(WEST);
    let two = knights.steps(EAST, 2) & knights.splat_board(NOT_AB)
        | knights.steps(WEST, 2) & knights.splat_board(NOT_GH);
    one.steps(NORTH, 2) | one.steps(SOUTH, 2) | two.steps(NORTH, 1) | two.steps(SOUTH, 1)
}

/// The neighbours of each king. A king's own square is included only if another king attacks it.
#[derive(Clone, Copy)]
pub(crate) struct King;

impl Operation<1, 1> for King {
    #[inline(always)]
    fn boards<B: BoardVector, T: BoardRays<B>>(self, [kings]: [B; 1]) -> [B; 1] {
        [king_attacks(kings)]
    }
}

#[inline(always)]
pub(super) fn king_attacks<B: BoardVector>(kings: B) -> B {
    let sides = kings.step(EAST) | kings.step(WEST);
    let row = kings | sides;
    sides | row.steps(NORTH, 1) | row.steps(SOUTH, 1)
}

/// The two squares diagonally ahead of each pawn.
#[derive(Clone, Copy)]
pub(crate) struct Pawn(pub(crate) Side);

impl Operation<1, 1> for Pawn {
    #[inline(always)]
    fn boards<B: BoardVector, T: BoardRays<B>>(self, [pawns]: [B; 1]) -> [B; 1] {
        [match self.0 {
            Side::White => pawns.step(NORTH_EAST) | pawns.step(NORTH_WEST),
            Side::Black => pawns.step(SOUTH_EAST) | pawns.step(SOUTH_WEST),
        }]
    }
}
