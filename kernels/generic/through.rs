//! Rays through a blocker: x-rays and pins.
//!
//! Everything is said per ray. Where a ray's first occupied square is a given one, the same ray starts there
//! once more: that is an x-ray, and if what it meets is a slider that moves along
//! the line, a pin. As every occupied square has one nearest neighbour in each direction, no ray of a set is
//! taken for another's. On rank slices a sweep carries the first flood and the second side by side: two rays one behind the
//! other cost one pass.
//!
//! Source: "X-ray Attacks (Bitboards)" and "Checks and Pinned Pieces (Bitboards)", Chess Programming Wiki, for one slider;
//! the set-wise form is this project's.

use super::boards::Boards;
use super::lanes::{Lanes, westward};
use super::operation::Operation;
use super::technique::Technique;
use crate::kernels::geometry::direction::{
    EAST, NORTH, NORTH_EAST, NORTH_WEST, SOUTH, SOUTH_EAST, SOUTH_WEST, WEST,
};

/// The same for each direction and the one that leads back, as constants: a loop over them may stay one. Every other one is a rook's.
macro_rules! each_direction {
    (|$course:ident, $back:ident, $orthogonal:ident| $body:block) => {
        each_direction!(|$course, $back, $orthogonal| $body;
            NORTH SOUTH true, NORTH_EAST SOUTH_WEST false, EAST WEST true, SOUTH_EAST NORTH_WEST false,
            SOUTH NORTH true, SOUTH_WEST NORTH_EAST false, WEST EAST true, NORTH_WEST SOUTH_EAST false)
    };
    (|$course:ident, $back:ident, $is:ident| $body:block; $($there:ident $opposite:ident $orthogonal:literal),*) => { $({
        #[allow(unused_variables, reason = "x-rays do not look back")]
        let ($course, $back, $is) = ($there, $opposite, $orthogonal);
        $body
    })* };
}

/// What a ray has met, and what it has met beyond.
#[derive(Clone, Copy)]
struct Through<L> {
    first: L,
    second: L,
}

impl<L: Lanes> Through<L> {
    #[inline(always)]
    fn from(sliders: L) -> Self {
        Through {
            first: sliders,
            second: sliders.splat(0),
        }
    }

    /// Both floods pass a rank: the second begins where the first meets something transparent.
    #[inline(always)]
    fn flood(self, occupied: L, sliders: L, transparent: L) -> Self {
        Through {
            first: self.first.flood(occupied, sliders),
            second: self.second & !occupied | self.first & transparent,
        }
    }

    #[inline(always)]
    fn east(self) -> Self {
        Through {
            first: self.first.east(),
            second: self.second.east(),
        }
    }

    #[inline(always)]
    fn west(self) -> Self {
        Through {
            first: self.first.west::<1>(),
            second: self.second.west::<1>(),
        }
    }
}

/// What lies along a rank, met in one direction: first, and beyond something transparent.
#[inline(always)]
fn east_through<L: Lanes>(sliders: L, transparent: L, occupied: L) -> [L; 2] {
    let first = L::east_attacks(sliders, occupied);
    [first, L::east_attacks(first & transparent, occupied)]
}

#[inline(always)]
fn west_through<L: Lanes>(sliders: L, transparent: L, occupied: L) -> [L; 2] {
    let (sliders, west_occupied) = westward(sliders, occupied);
    let first = L::west_attacks(sliders, west_occupied);
    let (again, _) = westward(first & transparent, occupied);
    [first, L::west_attacks(again, west_occupied)]
}

/// X-rays of orthogonal sliders, of diagonal ones, or of both.
#[derive(Clone, Copy)]
pub(crate) struct Xray<const ORTHOGONAL: bool, const DIAGONAL: bool>;

pub(crate) const XRAY_ROOK: Xray<true, false> = Xray;
pub(crate) const XRAY_BISHOP: Xray<false, true> = Xray;
pub(crate) const XRAY_QUEEN: Xray<true, true> = Xray;

impl<const ORTHOGONAL: bool, const DIAGONAL: bool> Operation<3, 1> for Xray<ORTHOGONAL, DIAGONAL> {
    // Of four rays a block of slices takes little less time than the boards as loaded, and a lot of code.
    const SLICED: bool = ORTHOGONAL && DIAGONAL;
    const FEW: usize = 0;

    #[inline(always)]
    fn boards<B: Boards, T: Technique<B>>(self, [sliders, blockers, occupied]: [B; 3]) -> [B; 1] {
        let occupied = occupied | sliders;
        let transparent = blockers & occupied;
        let mut attacks = sliders.splat(0);
        each_direction!(|course, back, orthogonal| {
            if orthogonal && ORTHOGONAL || !orthogonal && DIAGONAL {
                let first = T::ray(course, sliders, occupied) & transparent;
                attacks = attacks | T::ray(course, first, occupied);
            }
        });
        [attacks]
    }

    #[inline(always)]
    fn slices<L: Lanes>(
        self,
        [sliders, mut transparent, mut occupied]: [[L; 8]; 3],
    ) -> [[L; 8]; 1] {
        let mut attacks = [occupied[0].splat(0); 8];
        for i in 0..8 {
            occupied[i] = occupied[i] | sliders[i];
            transparent[i] = transparent[i] & occupied[i];
            if ORTHOGONAL {
                let [_, east] = east_through(sliders[i], transparent[i], occupied[i]);
                let [_, west] = west_through(sliders[i], transparent[i], occupied[i]);
                attacks[i] = east | west;
            }
        }
        for north in [false, true] {
            let start = if north { 0 } else { 7 };
            let mut straight = Through::from(sliders[start]);
            let mut east = straight;
            let mut west = Through::from(westward(sliders[start], occupied[start]).0);
            for step in 1..8 {
                let i = if north { step } else { 7 - step };
                if ORTHOGONAL {
                    attacks[i] = attacks[i] | straight.second;
                    straight = straight.flood(occupied[i], sliders[i], transparent[i]);
                }
                if DIAGONAL {
                    (east, west) = (east.east(), west.west());
                    attacks[i] = attacks[i] | east.second | west.second;
                    east = east.flood(occupied[i], sliders[i], transparent[i]);
                    let (west_sliders, west_occupied) = westward(sliders[i], occupied[i]);
                    let (west_transparent, _) = westward(transparent[i], occupied[i]);
                    west = west.flood(west_occupied, west_sliders, west_transparent);
                }
            }
        }
        [attacks]
    }
}

/// Of kings, own, orthogonal, diagonal and occupied: pinned and pinners.
#[derive(Clone, Copy)]
pub(crate) struct Pins;

impl Operation<5, 2> for Pins {
    const SLICED: bool = true;
    const FEW: usize = 0;

    #[inline(always)]
    fn boards<B: Boards, T: Technique<B>>(
        self,
        [kings, own, orthogonal, diagonal, occupied]: [B; 5],
    ) -> [B; 2] {
        let occupied = occupied | kings | own | orthogonal | diagonal;
        let mut pinned = kings.splat(0);
        let mut pinners = pinned;
        each_direction!(|course, back, is_orthogonal| {
            let sliders = if is_orthogonal { orthogonal } else { diagonal };
            // First from the king on, and first from a slider back.
            let between = T::ray(course, kings, occupied) & T::ray(back, sliders, occupied) & own;
            pinned = pinned | between;
            pinners = pinners | T::ray(course, between, occupied) & sliders;
        });
        [pinned, pinners]
    }

    /// A slider is a pinner if a king's ray meets it beyond an own piece, which is carried as for x-rays. An own piece is pinned if it is
    /// met both from a king and, in the opposite direction, from a slider: so what sliders meet is noted first, a half rose at a time.
    #[inline(always)]
    fn slices<L: Lanes>(
        self,
        [kings, own, orthogonal, diagonal, mut occupied]: [[L; 8]; 5],
    ) -> [[L; 8]; 2] {
        let zero = kings[0].splat(0);
        let (mut pinned, mut pinners) = ([zero; 8], [zero; 8]);
        for i in 0..8 {
            occupied[i] = occupied[i] | kings[i] | own[i] | orthogonal[i] | diagonal[i];
            let [king_east, beyond_east] = east_through(kings[i], own[i], occupied[i]);
            let [king_west, beyond_west] = west_through(kings[i], own[i], occupied[i]);
            let slider_east = L::east_attacks(orthogonal[i], occupied[i]);
            let (west_sliders, west_occupied) = westward(orthogonal[i], occupied[i]);
            let slider_west = L::west_attacks(west_sliders, west_occupied);
            pinned[i] = (king_east & slider_west | king_west & slider_east) & own[i];
            pinners[i] = (beyond_east | beyond_west) & orthogonal[i];
        }
        /// Of sliders from rank 7 down and of kings from rank 0 up, or the other way round.
        macro_rules! sweep {
            ($($from:literal)*; $($to:literal)*) => {
                let [first, ..] = [$($from),*];
                let mut straight = orthogonal[first];
                let mut east = diagonal[first];
                let (mut west, _) = westward(diagonal[first], occupied[first]);
                // South, south-east, south-west for kings' rays to the north; or the other way round.
                let mut met = [[zero; 8]; 3];
                $(if $from != first {
                    (east, west) = (east.east(), west.west::<1>());
                    (met[0][$from], met[1][$from], met[2][$from]) = (straight, east, west);
                    let (west_diagonal, west_occupied) = westward(diagonal[$from], occupied[$from]);
                    straight = straight.flood(occupied[$from], orthogonal[$from]);
                    east = east.flood(occupied[$from], diagonal[$from]);
                    west = west.flood(west_occupied, west_diagonal);
                })*
                let _ = (straight, east, west);
                let [first, ..] = [$($to),*];
                let mut straight = Through::from(kings[first]);
                let mut east = straight;
                let mut west = Through::from(westward(kings[first], occupied[first]).0);
                $(if $to != first {
                    (east, west) = (east.east(), west.west());
                    // The opposite of an eastern ray is a western one.
                    let between = straight.first & met[0][$to]
                        | east.first & met[2][$to]
                        | west.first & met[1][$to];
                    pinned[$to] = pinned[$to] | between & own[$to];
                    pinners[$to] = pinners[$to]
                        | straight.second & orthogonal[$to]
                        | (east.second | west.second) & diagonal[$to];
                    let (west_kings, west_occupied) = westward(kings[$to], occupied[$to]);
                    let (west_own, _) = westward(own[$to], occupied[$to]);
                    straight = straight.flood(occupied[$to], kings[$to], own[$to]);
                    east = east.flood(occupied[$to], kings[$to], own[$to]);
                    west = west.flood(west_occupied, west_kings, west_own);
                })*
                let _ = (straight, east, west);
            };
        }
        sweep!(7 6 5 4 3 2 1 0; 0 1 2 3 4 5 6 7);
        sweep!(0 1 2 3 4 5 6 7; 7 6 5 4 3 2 1 0);
        [pinned, pinners]
    }
}
