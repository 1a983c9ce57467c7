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
//! ([`Ranks::east_attacks`], [`Ranks::west_attacks`]). A slider passed outside `occupied` matters to
//! east and west alone: elsewhere its own square joins the flood anyway.
//!
//! Source: this project's; the pieces are from the texts named at each kernel.

use core::hint::black_box;

use super::lanes::{Lanes, Ranks};

/// Occupancy and sliders as the west-moving rays need them: where the shift carries a file across
/// a byte's edge, a-file sliders, which attack nothing westward, are removed, and every a-file
/// square blocks. Then no flood ever holds a square that could be carried, and no result needs a mask.
#[inline(always)]
pub(super) fn westward<R: Ranks>(sliders: R, occupied: R) -> (R, R) {
    if R::WEST_LEAKS {
        let a_file = sliders.splat(0x01);
        (sliders.without(a_file), occupied.or(a_file))
    } else {
        (sliders, occupied)
    }
}

/// Attacks along the rank, both ways. Needs no slices: a rank is a byte in any order of bytes.
#[inline(always)]
pub(super) fn along_rank<R: Ranks>(sliders: R, occupied: R) -> R {
    let (west_sliders, west_occupied) = westward(sliders, occupied);
    R::east_attacks(sliders, occupied).or(R::west_attacks(west_sliders, west_occupied))
}

/// The attacks on rank slices: of `orthogonal` sliders if `ORTHOGONAL`, of `diagonal` ones if `DIAGONAL`,
/// and along the ranks if `ALONG`.
///
/// One pass southward with the three southern rays side by side, then one northward with the
/// northern three: so at most three floods are alive at once, next to what a rank needs. (Ray after
/// ray, each over all ranks, took 1.06 times the instructions for avx2 queens.)
#[inline(always)]
pub(super) fn sliced<R: Ranks, const ORTHOGONAL: bool, const DIAGONAL: bool, const ALONG: bool>(
    orthogonal: &[R; 8],
    diagonal: &[R; 8],
    occupied: &[R; 8],
) -> [R; 8] {
    let mut attacks = [occupied[0].xor(occupied[0]); 8];

    /// One step of the three rays of a half rose onto rank `$i`.
    macro_rules! step {
        ($straight:ident, $east:ident, $west:ident, $i:literal) => {
            if ORTHOGONAL {
                attacks[$i] = attacks[$i].or($straight);
                $straight = $straight.flood(occupied[$i], orthogonal[$i]);
            }
            if DIAGONAL {
                let (west_sliders, west_occupied) = westward(diagonal[$i], occupied[$i]);
                $east = $east.east();
                $west = $west.west::<1>();
                attacks[$i] = attacks[$i].or($east).or($west);
                $east = $east.flood(occupied[$i], diagonal[$i]);
                $west = $west.flood(west_occupied, west_sliders);
            }
        };
    }
    /// Three rays from rank `$start` over the others in order. Unrolled by hand: what is left
    /// to the compiler may stay a loop over arrays in memory.
    macro_rules! sweep {
        ($start:literal: $($i:literal)*) => {
            let mut straight = orthogonal[$start];
            let mut east = diagonal[$start];
            let (mut west, _) = westward(diagonal[$start], occupied[$start]);
            $(step!(straight, east, west, $i);)*
            let _ = (straight, east, west);
        };
    }
    macro_rules! along {
        ($($i:literal)*) => { $(
            attacks[$i] = attacks[$i].or(along_rank(orthogonal[$i], occupied[$i]));
        )* };
    }
    sweep!(7: 6 5 4 3 2 1 0);
    if ORTHOGONAL && ALONG {
        if R::ROLLED {
            for i in 0..black_box(8) {
                attacks[i % 8] = attacks[i % 8].or(along_rank(orthogonal[i % 8], occupied[i % 8]));
            }
        } else {
            along!(0 1 2 3 4 5 6 7);
        }
    }
    sweep!(0: 1 2 3 4 5 6 7);
    attacks
}

/// The attacks on a block of boards; the sets and flags as for [`sliced`], and `TWO_SETS` if the sliders
/// are not one and the same set, so that each also blocks the other.
#[inline(always)]
fn attacks<L: Lanes, const ORTHOGONAL: bool, const DIAGONAL: bool, const TWO_SETS: bool>(
    orthogonal_boards: [L; 8],
    diagonal_boards: [L; 8],
    occupied_boards: [L; 8],
) -> [L; 8] {
    let mut occupied = L::slice(occupied_boards);
    let orthogonal = L::slice(orthogonal_boards);
    let diagonal = L::slice(diagonal_boards);
    for i in 0..8 {
        if TWO_SETS {
            occupied[i] = occupied[i].or(orthogonal[i]).or(diagonal[i]);
        } else if L::FLOOD_SELECTS {
            occupied[i] = occupied[i].or(orthogonal[i]);
        }
    }
    L::unslice(sliced::<L, ORTHOGONAL, DIAGONAL, true>(
        &orthogonal,
        &diagonal,
        &occupied,
    ))
}

/// An operation on one block: `N` sets of boards in, attacks out.
///
/// A type and not a function argument, because the shim by which a function is called as
/// an argument is not `inline(always)`.
pub(super) trait Operation<const N: usize> {
    /// Up to so many vectors, the boards as loaded are faster than a block of slices. By counting
    /// operations for avx2, confirmed by timing.
    const SHORT: usize;

    fn block<L: Lanes>(sets: [[L; 8]; N]) -> [L; 8];
}

pub(super) struct RookAttacks;

impl Operation<2> for RookAttacks {
    const SHORT: usize = 4;

    #[inline(always)]
    fn block<L: Lanes>([rooks, occupied]: [[L; 8]; 2]) -> [L; 8] {
        attacks::<L, true, false, false>(rooks, rooks, occupied)
    }
}

pub(super) struct BishopAttacks;

impl Operation<2> for BishopAttacks {
    const SHORT: usize = 2;

    #[inline(always)]
    fn block<L: Lanes>([bishops, occupied]: [[L; 8]; 2]) -> [L; 8] {
        attacks::<L, false, true, false>(bishops, bishops, occupied)
    }
}

pub(super) struct QueenAttacks;

impl Operation<2> for QueenAttacks {
    const SHORT: usize = 3;

    #[inline(always)]
    fn block<L: Lanes>([queens, occupied]: [[L; 8]; 2]) -> [L; 8] {
        attacks::<L, true, true, false>(queens, queens, occupied)
    }
}

pub(super) struct SliderAttacks;

impl Operation<3> for SliderAttacks {
    const SHORT: usize = 3;

    #[inline(always)]
    fn block<L: Lanes>([orthogonal, diagonal, occupied]: [[L; 8]; 3]) -> [L; 8] {
        attacks::<L, true, true, true>(orthogonal, diagonal, occupied)
    }
}
