//! Pawns, knights and kings: pieces that move by fixed steps.

use super::direction::Direction;
use super::position::Side;

pub(crate) const NOT_A: u64 = !0x0101_0101_0101_0101;
pub(crate) const NOT_H: u64 = !0x8080_8080_8080_8080;
pub(crate) const NOT_AB: u64 = NOT_A & NOT_A << 1;
pub(crate) const NOT_GH: u64 = NOT_H & NOT_H >> 1;

/// The two squares diagonally ahead of each pawn.
#[inline(always)]
pub(crate) const fn pawn_attacks(side: Side, pawns: u64) -> u64 {
    // Branch-free: a search alternates between the sides, so a branch on the side could be
    // mispredicted.
    let white = pawns & (side as u64).wrapping_sub(1);
    let black = pawns ^ white;
    Direction::NorthEast.step(white)
        | Direction::NorthWest.step(white)
        | Direction::SouthEast.step(black)
        | Direction::SouthWest.step(black)
}

/// The squares one file and two ranks away from each knight, or two files and one rank.
#[inline(always)]
pub(crate) const fn knight_attacks(knights: u64) -> u64 {
    let one = knights << 1 & NOT_A | knights >> 1 & NOT_H;
    let two = knights << 2 & NOT_AB | knights >> 2 & NOT_GH;
    one << 16 | one >> 16 | two << 8 | two >> 8
}

/// The neighbours of each king. A king's own square is included only if another king attacks it.
#[inline(always)]
pub(crate) const fn king_attacks(kings: u64) -> u64 {
    let beside = kings << 1 & NOT_A | kings >> 1 & NOT_H;
    let row = kings | beside;
    beside | row << 8 | row >> 8
}
