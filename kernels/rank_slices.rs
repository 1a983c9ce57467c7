//! The rank-sliced algorithm, generic over the lane trait.
//!
//! Register i holds rank i of every board in the block. Then, in pseudocode for one ray north:
//!
//! ```text
//! flood = sliders[0]
//! for i in 1..8:
//!     attacks[i] |= flood                                 a step north is the next register
//!     flood = (flood & !occupied[i]) | sliders[i]         blocked by occupied[i], joined by sliders[i]
//! ```
//!
//! A diagonal is the same with the flood moved one file at each step, and south runs from rank 7
//! down. No doubling steps and no 64-bit masks. East and west stay within a byte
//! ([`Lanes::east_attacks`], [`Lanes::west_attacks`]). A slider passed outside `occupied` matters to
//! east and west alone: elsewhere its own square joins the flood anyway.
//!
//! Source: this project's; the pieces are from the texts named at each kernel.

use super::lanes::Lanes;

/// Occupancy and sliders as the shifting rays need them: where a shift carries a file across
/// a byte's edge, sliders on the last file before the edge attack nothing that way and are
/// removed, and every square of that file blocks. Then no flood ever holds a square that could
/// be carried, and no result needs a mask.
#[derive(Clone, Copy)]
struct Side<L> {
    sliders: [L; 8],
    occupied: [L; 8],
}

impl<L: Lanes> Side<L> {
    #[inline(always)]
    fn new(sliders: [L; 8], occupied: [L; 8], leaks: bool, edge: u8) -> Self {
        if !leaks {
            return Side { sliders, occupied };
        }
        let edge = sliders[0].splat(edge);
        let mut side = Side { sliders, occupied };
        for i in 0..8 {
            side.sliders[i] = sliders[i].without(edge);
            side.occupied[i] = occupied[i].or(edge);
        }
        side
    }

    #[inline(always)]
    fn west(sliders: [L; 8], occupied: [L; 8]) -> Self {
        Side::new(sliders, occupied, L::WEST_LEAKS, 0x01)
    }

    #[inline(always)]
    fn east(sliders: [L; 8], occupied: [L; 8]) -> Self {
        Side::new(sliders, occupied, L::EAST_LEAKS, 0x80)
    }
}

/// Floods one ray from rank to rank and unites it with the attacks: `NORTHWARD` or southward,
/// moved `EAST` files (-1, 0 or 1) at each rank.
#[inline(always)]
fn sweep<L: Lanes, const NORTHWARD: bool, const EAST: i32>(side: &Side<L>, attacks: &mut [L; 8]) {
    let rank = |i: usize| if NORTHWARD { i } else { 7 - i };
    let mut flood = side.sliders[rank(0)];
    for i in 1..8 {
        let i = rank(i);
        let reached = match EAST {
            1 => flood.east(),
            -1 => flood.west::<1>(),
            _ => flood,
        };
        attacks[i] = attacks[i].or(reached);
        flood = reached.flood(side.occupied[i], side.sliders[i]);
    }
}

#[inline(always)]
fn sweep_diagonals<L: Lanes, const NORTHWARD: bool>(
    east: &Side<L>,
    west: &Side<L>,
    attacks: &mut [L; 8],
) {
    sweep::<L, NORTHWARD, 1>(east, attacks);
    sweep::<L, NORTHWARD, -1>(west, attacks);
}

#[inline(always)]
fn rook<L: Lanes>(rooks: [L; 8], occupied: [L; 8], attacks: &mut [L; 8]) {
    let side = Side {
        sliders: rooks,
        occupied,
    };
    let west = Side::west(rooks, occupied);
    sweep::<L, false, 0>(&side, attacks);
    for i in 0..8 {
        attacks[i] = attacks[i]
            .or(L::east_attacks(rooks[i], occupied[i]))
            .or(L::west_attacks(west.sliders[i], west.occupied[i]));
    }
    sweep::<L, true, 0>(&side, attacks);
}

#[inline(always)]
fn bishop<L: Lanes>(bishops: [L; 8], occupied: [L; 8], attacks: &mut [L; 8]) {
    let east = Side::east(bishops, occupied);
    let west = Side::west(bishops, occupied);
    sweep_diagonals::<L, false>(&east, &west, attacks);
    sweep_diagonals::<L, true>(&east, &west, attacks);
}

#[inline(always)]
fn nothing<L: Lanes>(like: L) -> [L; 8] {
    [like.xor(like); 8]
}

/// An operation on one block: `N` sets of boards in, attacks out.
///
/// A type and not a function argument, because the shim by which a function is called as
/// an argument is not `inline(always)`.
pub(super) trait Operation<const N: usize> {
    fn block<L: Lanes>(sets: [[L; 8]; N]) -> [L; 8];
}

pub(super) struct RookAttacks;

impl Operation<2> for RookAttacks {
    #[inline(always)]
    fn block<L: Lanes>([rooks, occupied]: [[L; 8]; 2]) -> [L; 8] {
        let mut attacks = nothing(rooks[0]);
        rook(L::slice(rooks), L::slice(occupied), &mut attacks);
        L::unslice(attacks)
    }
}

pub(super) struct BishopAttacks;

impl Operation<2> for BishopAttacks {
    #[inline(always)]
    fn block<L: Lanes>([bishops, occupied]: [[L; 8]; 2]) -> [L; 8] {
        let mut attacks = nothing(bishops[0]);
        bishop(L::slice(bishops), L::slice(occupied), &mut attacks);
        L::unslice(attacks)
    }
}

pub(super) struct QueenAttacks;

impl Operation<2> for QueenAttacks {
    #[inline(always)]
    fn block<L: Lanes>([queens, occupied]: [[L; 8]; 2]) -> [L; 8] {
        let mut attacks = nothing(queens[0]);
        let (queens, occupied) = (L::slice(queens), L::slice(occupied));
        bishop(queens, occupied, &mut attacks);
        rook(queens, occupied, &mut attacks);
        L::unslice(attacks)
    }
}

pub(super) struct SliderAttacks;

impl Operation<3> for SliderAttacks {
    #[inline(always)]
    fn block<L: Lanes>([orthogonal, diagonal, occupied]: [[L; 8]; 3]) -> [L; 8] {
        let mut attacks = nothing(occupied[0]);
        let (orthogonal, diagonal) = (L::slice(orthogonal), L::slice(diagonal));
        let mut occupied = L::slice(occupied);
        for i in 0..8 {
            occupied[i] = occupied[i].or(orthogonal[i]).or(diagonal[i]);
        }
        bishop(diagonal, occupied, &mut attacks);
        rook(orthogonal, occupied, &mut attacks);
        L::unslice(attacks)
    }
}
