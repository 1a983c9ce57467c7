//! Rooks, bishops, queens, and sliders of both kinds: the rank-sliced algorithm.
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

use super::boards::Boards;
use super::lanes::{Lanes, along_rank, westward};
use super::operation::{Operation, Sliders};
use super::technique::Technique;

/// The attacks on rank slices: of `orthogonal` sliders if `ORTHOGONAL`, of `diagonal` ones if `DIAGONAL`.
///
/// One pass southward with the three southern rays side by side, then one northward with the
/// northern three: so at most three floods are alive at once, next to what a rank needs. East and west of a rank are
/// computed where the second pass reads it. (Ray after ray, each over all ranks, took 1.06 times the instructions for avx2 queens; the ranks in a loop
/// of their own between the passes 1.07, and 1.03 of the time.)
#[inline(always)]
fn sliced<L: Lanes, const ORTHOGONAL: bool, const DIAGONAL: bool>(
    orthogonal: [L; 8],
    diagonal: [L; 8],
    occupied: [L; 8],
) -> [L; 8] {
    swept::<L, ORTHOGONAL, DIAGONAL, ORTHOGONAL>(orthogonal, diagonal, occupied)
}

/// The attacks across the ranks, and if `ALONG` those along them.
#[inline(always)]
pub(super) fn swept<L: Lanes, const ORTHOGONAL: bool, const DIAGONAL: bool, const ALONG: bool>(
    orthogonal: [L; 8],
    diagonal: [L; 8],
    occupied: [L; 8],
) -> [L; 8] {
    let mut attacks = [occupied[0].splat(0); 8];

    /// One step of the three rays of a half rose onto rank `$i`.
    macro_rules! step {
        ($straight:ident, $east:ident, $west:ident, $i:literal, $along:expr) => {
            if $along {
                attacks[$i] = attacks[$i] | along_rank(orthogonal[$i], occupied[$i]);
            }
            if ORTHOGONAL {
                attacks[$i] = attacks[$i] | $straight;
                $straight = $straight.flood(occupied[$i], orthogonal[$i]);
            }
            if DIAGONAL {
                let (west_sliders, west_occupied) = westward(diagonal[$i], occupied[$i]);
                $east = $east.east();
                $west = $west.west::<1>();
                attacks[$i] = attacks[$i] | $east | $west;
                $east = $east.flood(occupied[$i], diagonal[$i]);
                $west = $west.flood(west_occupied, west_sliders);
            }
        };
    }
    /// Three rays from rank `$start` over the others in order. Unrolled by hand: what is left
    /// to the compiler may stay a loop over arrays in memory.
    macro_rules! sweep {
        ($start:literal: $($i:literal)*, $along:expr) => {
            if $along {
                attacks[$start] = attacks[$start] | along_rank(orthogonal[$start], occupied[$start]);
            }
            let mut straight = orthogonal[$start];
            let mut east = diagonal[$start];
            let (mut west, _) = westward(diagonal[$start], occupied[$start]);
            $(step!(straight, east, west, $i, $along);)*
            let _ = (straight, east, west);
        };
    }
    sweep!(7: 6 5 4 3 2 1 0, false);
    sweep!(0: 1 2 3 4 5 6 7, ALONG);
    attacks
}

/// Each slider blocks; where it is not occupied, only a flood that selects needs to be told.
#[inline(always)]
fn blocked_by<L: Lanes>(mut occupied: [L; 8], sliders: [L; 8]) -> [L; 8] {
    if L::FLOOD_SELECTS {
        for i in 0..8 {
            occupied[i] = occupied[i] | sliders[i];
        }
    }
    occupied
}

/// Each of two sets of sliders also blocks the other.
#[inline(always)]
fn blocked_by_both<L: Lanes>(mut occupied: [L; 8], a: [L; 8], b: [L; 8]) -> [L; 8] {
    for i in 0..8 {
        occupied[i] = occupied[i] | a[i] | b[i];
    }
    occupied
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Rook;

impl Operation<2, 1> for Rook {
    #[inline(always)]
    fn boards<B: Boards, T: Technique<B>>(self, [rooks, occupied]: [B; 2]) -> [B; 1] {
        [T::rook(rooks, occupied)]
    }

    const SLICED: bool = true;
    #[inline(always)]
    fn slices<L: Lanes>(self, [rooks, occupied]: [[L; 8]; 2]) -> [[L; 8]; 1] {
        let occupied = blocked_by(occupied, rooks);
        [sliced::<L, true, false>(rooks, rooks, occupied)]
    }

    // This one and those of bishops and queens by counting operations for avx2, confirmed by timing.
    const FEW: usize = 4;
    const ATTACKS: Option<Sliders> = Some(Sliders {
        orthogonal: Some(0),
        diagonal: None,
    });
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Bishop;

impl Operation<2, 1> for Bishop {
    #[inline(always)]
    fn boards<B: Boards, T: Technique<B>>(self, [bishops, occupied]: [B; 2]) -> [B; 1] {
        [T::bishop(bishops, occupied)]
    }

    const SLICED: bool = true;
    #[inline(always)]
    fn slices<L: Lanes>(self, [bishops, occupied]: [[L; 8]; 2]) -> [[L; 8]; 1] {
        let occupied = blocked_by(occupied, bishops);
        [sliced::<L, false, true>(bishops, bishops, occupied)]
    }

    const FEW: usize = 2;
    const ATTACKS: Option<Sliders> = Some(Sliders {
        orthogonal: None,
        diagonal: Some(0),
    });
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Queen;

impl Operation<2, 1> for Queen {
    #[inline(always)]
    fn boards<B: Boards, T: Technique<B>>(self, [queens, occupied]: [B; 2]) -> [B; 1] {
        [T::queen(queens, occupied | queens)]
    }

    const SLICED: bool = true;
    #[inline(always)]
    fn slices<L: Lanes>(self, [queens, occupied]: [[L; 8]; 2]) -> [[L; 8]; 1] {
        let occupied = blocked_by(occupied, queens);
        [sliced::<L, true, true>(queens, queens, occupied)]
    }

    const FEW: usize = 3;
    const ATTACKS: Option<Sliders> = Some(Sliders {
        orthogonal: Some(0),
        diagonal: Some(0),
    });
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Slider;

impl Operation<3, 1> for Slider {
    #[inline(always)]
    fn boards<B: Boards, T: Technique<B>>(
        self,
        [orthogonal, diagonal, occupied]: [B; 3],
    ) -> [B; 1] {
        let occupied = occupied | orthogonal | diagonal;
        [T::slider(orthogonal, diagonal, occupied)]
    }

    const SLICED: bool = true;
    #[inline(always)]
    fn slices<L: Lanes>(self, [orthogonal, diagonal, occupied]: [[L; 8]; 3]) -> [[L; 8]; 1] {
        let occupied = blocked_by_both(occupied, orthogonal, diagonal);
        [sliced::<L, true, true>(orthogonal, diagonal, occupied)]
    }

    const FEW: usize = 3;
    const ATTACKS: Option<Sliders> = Some(Sliders {
        orthogonal: Some(0),
        diagonal: Some(1),
    });
}

#[derive(Clone, Copy)]
pub(crate) struct SliderSplit;

impl Operation<3, 2> for SliderSplit {
    #[inline(always)]
    fn boards<B: Boards, T: Technique<B>>(
        self,
        [orthogonal, diagonal, occupied]: [B; 3],
    ) -> [B; 2] {
        let occupied = occupied | orthogonal | diagonal;
        [T::rook(orthogonal, occupied), T::bishop(diagonal, occupied)]
    }

    const SLICED: bool = true;
    #[inline(always)]
    fn slices<L: Lanes>(self, [orthogonal, diagonal, occupied]: [[L; 8]; 3]) -> [[L; 8]; 2] {
        let occupied = blocked_by_both(occupied, orthogonal, diagonal);
        [
            sliced::<L, true, false>(orthogonal, orthogonal, occupied),
            sliced::<L, false, true>(diagonal, diagonal, occupied),
        ]
    }

    const FEW: usize = 0;
    const ATTACKS: Option<Sliders> = Slider::ATTACKS;
}
