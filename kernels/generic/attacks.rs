//! The rank-sliced algorithm for rooks, bishops, queens, and both kinds of sliders together.
//!
//! Register i holds rank i of every board in the block. In pseudocode, the north ray is:
//!
//! ```text
//! flood = sliders[0]
//! for i in 1..8:
//!     attacks[i] |= flood                                 a step north is the next register
//!     flood = (flood & !occupied[i]) | sliders[i]         blocked by occupied[i], joined by sliders[i]
//! ```
//!
//! For a diagonal, the flood also moves one file at each step. Southern rays run from rank 7 down.
//! There are no doubling steps and no 64-bit masks. East and west rays stay within a byte
//! ([`RankBytes::east_attacks`], [`RankBytes::west_attacks`]).
//!
//! The sliders of one set need not be in `occupied`, unless the flood step is a bit select
//! ([`RankBytes::FLOOD_SELECTS`]). Across ranks, their squares join the flood anyway. Along ranks,
//! each slider's own ray covers the squares beyond it. Two sets of sliders must both be in
//! `occupied`, because each also blocks the other.
//!
//! Source: this project. The building blocks come from the texts named in each kernel.

use super::board_rays::BoardRays;
use super::board_vector::BoardVector;
use super::operation::{Operation, SlicedOperation, Sliders};
use super::rank_bytes::{RankBytes, along_rank, westward};

/// The union of the attacks of the `orthogonal` sliders (if `ORTHOGONAL`) and of the `diagonal`
/// sliders (if `DIAGONAL`).
///
/// A southward pass carries the three southern rays side by side, then a northward pass carries the
/// three northern rays. So at most three floods are live at once. East and west rays are computed
/// when the second pass reads the rank. Rejected: one pass per ray (1.06x the instructions, AVX2
/// queens); east and west in a loop between the passes (1.07x the instructions, 1.03x the time).
#[inline(always)]
pub(super) fn sliced<R: RankBytes, const ORTHOGONAL: bool, const DIAGONAL: bool>(
    orthogonal: [R; 8],
    diagonal: [R; 8],
    occupied: [R; 8],
) -> [R; 8] {
    across_and_along::<R, ORTHOGONAL, DIAGONAL, ORTHOGONAL>(orthogonal, diagonal, occupied)
}

/// The attacks across ranks (along files and diagonals) and, if `ALONG`, the attacks along ranks.
#[inline(always)]
pub(super) fn across_and_along<
    R: RankBytes,
    const ORTHOGONAL: bool,
    const DIAGONAL: bool,
    const ALONG: bool,
>(
    orthogonal: [R; 8],
    diagonal: [R; 8],
    occupied: [R; 8],
) -> [R; 8] {
    let mut attacks = [occupied[0].splat(0); 8];

    /// Moves the three rays of a pass to rank `$i`.
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
    /// Moves three rays from rank `$start` over the other ranks in order. Unrolled by hand, because
    /// in a loop the compiler may keep the arrays in memory.
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

/// Adds the sliders to the occupancy if the flood is a bit select. Otherwise this is unnecessary,
/// because a slider's own square joins the flood anyway.
#[inline(always)]
fn blocked_by<R: RankBytes>(mut occupied: [R; 8], sliders: [R; 8]) -> [R; 8] {
    if R::FLOOD_SELECTS {
        for i in 0..8 {
            occupied[i] = occupied[i] | sliders[i];
        }
    }
    occupied
}

/// Adds both sets of sliders to the occupancy, because each set also blocks the other.
#[inline(always)]
fn blocked_by_both<R: RankBytes>(mut occupied: [R; 8], a: [R; 8], b: [R; 8]) -> [R; 8] {
    for i in 0..8 {
        occupied[i] = occupied[i] | a[i] | b[i];
    }
    occupied
}

/// The attacks of sliders that move along ranks and files, along diagonals, or both.
#[derive(Clone, Copy)]
pub(crate) struct Attacks<const ORTHOGONAL: bool, const DIAGONAL: bool>;

pub(crate) const ROOK: Attacks<true, false> = Attacks;
pub(crate) const BISHOP: Attacks<false, true> = Attacks;
pub(crate) const QUEEN: Attacks<true, true> = Attacks;

impl<const ORTHOGONAL: bool, const DIAGONAL: bool> Operation<2, 1>
    for Attacks<ORTHOGONAL, DIAGONAL>
{
    #[inline(always)]
    fn boards<B: BoardVector, T: BoardRays<B>>(self, [sliders, occupied]: [B; 2]) -> [B; 1] {
        [match (ORTHOGONAL, DIAGONAL) {
            (true, false) => T::rook(sliders, occupied),
            (false, _) => T::bishop(sliders, occupied),
            (true, true) => T::queen(sliders, occupied | sliders),
        }]
    }
}

impl<const ORTHOGONAL: bool, const DIAGONAL: bool> SlicedOperation<2, 1>
    for Attacks<ORTHOGONAL, DIAGONAL>
{
    #[inline(always)]
    fn slices<R: RankBytes>(self, [sliders, occupied]: [[R; 8]; 2]) -> [[R; 8]; 1] {
        let occupied = blocked_by(occupied, sliders);
        [sliced::<R, ORTHOGONAL, DIAGONAL>(sliders, sliders, occupied)]
    }

    /// From counting AVX2 operations, and confirmed by timing.
    const MAX_UNSLICED_VECTORS: usize = match (ORTHOGONAL, DIAGONAL) {
        (true, false) => 4,
        (false, _) => 2,
        (true, true) => 3,
    };
    const ATTACKS: Option<Sliders> = Some(Sliders {
        orthogonal: if ORTHOGONAL { Some(0) } else { None },
        diagonal: if DIAGONAL { Some(0) } else { None },
    });
}

#[derive(Clone, Copy)]
pub(crate) struct Slider;

impl Operation<3, 1> for Slider {
    #[inline(always)]
    fn boards<B: BoardVector, T: BoardRays<B>>(
        self,
        [orthogonal, diagonal, occupied]: [B; 3],
    ) -> [B; 1] {
        let occupied = occupied | orthogonal | diagonal;
        [T::slider(orthogonal, diagonal, occupied)]
    }
}

impl SlicedOperation<3, 1> for Slider {
    #[inline(always)]
    fn slices<R: RankBytes>(self, [orthogonal, diagonal, occupied]: [[R; 8]; 3]) -> [[R; 8]; 1] {
        let occupied = blocked_by_both(occupied, orthogonal, diagonal);
        [sliced::<R, true, true>(orthogonal, diagonal, occupied)]
    }

    const MAX_UNSLICED_VECTORS: usize = 3;
    const ATTACKS: Option<Sliders> = Some(Sliders { orthogonal: Some(0), diagonal: Some(1) });
}

#[derive(Clone, Copy)]
pub(crate) struct SliderSplit;

impl Operation<3, 2> for SliderSplit {
    #[inline(always)]
    fn boards<B: BoardVector, T: BoardRays<B>>(
        self,
        [orthogonal, diagonal, occupied]: [B; 3],
    ) -> [B; 2] {
        let occupied = occupied | orthogonal | diagonal;
        [T::rook(orthogonal, occupied), T::bishop(diagonal, occupied)]
    }
}

impl SlicedOperation<3, 2> for SliderSplit {
    #[inline(always)]
    fn slices<R: RankBytes>(self, [orthogonal, diagonal, occupied]: [[R; 8]; 3]) -> [[R; 8]; 2] {
        let occupied = blocked_by_both(occupied, orthogonal, diagonal);
        [
            sliced::<R, true, false>(orthogonal, orthogonal, occupied),
            sliced::<R, false, true>(diagonal, diagonal, occupied),
        ]
    }

    const MAX_UNSLICED_VECTORS: usize = 3;
    const ATTACKS: Option<Sliders> = <Slider as SlicedOperation<3, 1>>::ATTACKS;
}
