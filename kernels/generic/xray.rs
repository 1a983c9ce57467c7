//! Rays through a blocker: x-rays and pins.
//!
//! Both are defined per ray. In an x-ray, the first occupied square of the ray is a blocker, and
//! the ray starts again from there. In a pin, a king's ray starts again from an own piece and meets
//! a slider that moves along the ray. Each occupied square has only one nearest occupied square in
//! each direction, so the rays of different pieces cannot be confused. On rank slices, one pass
//! carries two floods: before and beyond the blocker.
//!
//! Source: "X-ray Attacks (Bitboards)" and "Checks and Pinned Pieces (Bitboards)", Chess
//! Programming Wiki, for one slider. The set-wise form is this project's own.

use super::board_rays::BoardRays;
use super::board_vector::BoardVector;
use super::operation::{Operation, SlicedOperation};
use super::rank_bytes::{RankBytes, westward};
use crate::kernels::geometry::direction::{
    EAST, NORTH, NORTH_EAST, NORTH_WEST, SOUTH, SOUTH_EAST, SOUTH_WEST, WEST,
};

/// Evaluates a body for each direction. The body receives the direction, its opposite, and whether
/// a rook moves that way. Unrolled by hand, because the compiler may keep a loop.
macro_rules! each_direction {
    (|$there:ident, $back:ident, $orthogonal:ident| $body:block) => {
        each_direction!(|$there, $back, $orthogonal| $body;
            NORTH SOUTH true, NORTH_EAST SOUTH_WEST false, EAST WEST true, SOUTH_EAST NORTH_WEST false,
            SOUTH NORTH true, SOUTH_WEST NORTH_EAST false, WEST EAST true, NORTH_WEST SOUTH_EAST false)
    };
    (|$there:ident, $back:ident, $is:ident| $body:block; $($to:ident $opposite:ident $orthogonal:literal),*) => { $({
        #[allow(unused_variables, reason = "x-rays do not use the opposite direction")]
        let ($there, $back, $is) = ($to, $opposite, $orthogonal);
        $body
    })* };
}

/// A flood, and a second one that starts where the first meets a blocker.
#[derive(Clone, Copy)]
struct TwoFloods<R> {
    first: R,
    second: R,
}

impl<R: RankBytes> TwoFloods<R> {
    #[inline(always)]
    fn from(sliders: R) -> Self {
        TwoFloods { first: sliders, second: sliders.splat(0) }
    }

    /// Moves both floods through a rank. The second starts where the first meets a transparent
    /// square: a piece through which the rays continue.
    #[inline(always)]
    fn flood(self, occupied: R, sliders: R, transparent: R) -> Self {
        TwoFloods {
            first: self.first.flood(occupied, sliders),
            second: self.second & !occupied | self.first & transparent,
        }
    }

    #[inline(always)]
    fn east(self) -> Self {
        TwoFloods { first: self.first.east(), second: self.second.east() }
    }

    #[inline(always)]
    fn west(self) -> Self {
        TwoFloods { first: self.first.west::<1>(), second: self.second.west::<1>() }
    }
}

/// Two sets of eastward attacks along a rank: those up to the first occupied square, and those
/// beyond it if it is transparent.
#[inline(always)]
fn east_through<R: RankBytes>(sliders: R, transparent: R, occupied: R) -> [R; 2] {
    let first = R::east_attacks(sliders, occupied);
    [first, R::east_attacks(first & transparent, occupied)]
}

/// Like [`east_through`], to the west.
#[inline(always)]
fn west_through<R: RankBytes>(sliders: R, transparent: R, occupied: R) -> [R; 2] {
    let (sliders, west_occupied) = westward(sliders, occupied);
    let first = R::west_attacks(sliders, west_occupied);
    let (again, _) = westward(first & transparent, occupied);
    [first, R::west_attacks(again, west_occupied)]
}

/// X-rays of orthogonal sliders, of diagonal ones, or of both.
#[derive(Clone, Copy)]
pub(crate) struct Xray<const ORTHOGONAL: bool, const DIAGONAL: bool>;

pub(crate) const XRAY_ROOK: Xray<true, false> = Xray;
pub(crate) const XRAY_BISHOP: Xray<false, true> = Xray;
pub(crate) const XRAY_QUEEN: Xray<true, true> = Xray;

impl<const ORTHOGONAL: bool, const DIAGONAL: bool> Operation<3, 1> for Xray<ORTHOGONAL, DIAGONAL> {
    #[inline(always)]
    fn boards<B: BoardVector, T: BoardRays<B>>(
        self,
        [sliders, blockers, occupied]: [B; 3],
    ) -> [B; 1] {
        let occupied = occupied | sliders;
        let transparent = blockers & occupied;
        let mut attacks = sliders.splat(0);
        each_direction!(|there, back, orthogonal| {
            if orthogonal && ORTHOGONAL || !orthogonal && DIAGONAL {
                let first = T::ray(there, sliders, occupied) & transparent;
                attacks = attacks | T::ray(there, first, occupied);
            }
        });
        [attacks]
    }
}

/// Only x-rays of queens are sliced. For the four rays of rooks or bishops, slicing saves little
/// time and adds much code.
impl SlicedOperation<3, 1> for Xray<true, true> {
    const MAX_UNSLICED_VECTORS: usize = 2;

    #[inline(always)]
    fn slices<R: RankBytes>(
        self,
        [sliders, mut transparent, mut occupied]: [[R; 8]; 3],
    ) -> [[R; 8]; 1] {
        let mut attacks = [occupied[0]; 8];
        for i in 0..8 {
            occupied[i] = occupied[i] | sliders[i];
            transparent[i] = transparent[i] & occupied[i];
            let [_, east] = east_through(sliders[i], transparent[i], occupied[i]);
            let [_, west] = west_through(sliders[i], transparent[i], occupied[i]);
            attacks[i] = east | west;
        }
        for north in [false, true] {
            let start = if north { 0 } else { 7 };
            let mut straight = TwoFloods::from(sliders[start]);
            let mut east = straight;
            let mut west = TwoFloods::from(westward(sliders[start], occupied[start]).0);
            for step in 1..8 {
                let i = if north { step } else { 7 - step };
                attacks[i] = attacks[i] | straight.second;
                straight = straight.flood(occupied[i], sliders[i], transparent[i]);
                (east, west) = (east.east(), west.west());
                attacks[i] = attacks[i] | east.second | west.second;
                east = east.flood(occupied[i], sliders[i], transparent[i]);
                let (west_sliders, west_occupied) = westward(sliders[i], occupied[i]);
                let (west_transparent, _) = westward(transparent[i], occupied[i]);
                west = west.flood(west_occupied, west_sliders, west_transparent);
            }
        }
        [attacks]
    }
}

/// The operation that finds pins. Inputs: kings, own pieces, orthogonal sliders, diagonal sliders
/// and the occupancy. Results: pinned pieces and pinners.
#[derive(Clone, Copy)]
pub(crate) struct Pins;

impl Operation<5, 2> for Pins {
    #[inline(always)]
    fn boards<B: BoardVector, T: BoardRays<B>>(
        self,
        [kings, own, orthogonal, diagonal, occupied]: [B; 5],
    ) -> [B; 2] {
        let occupied = occupied | kings | own | orthogonal | diagonal;
        let mut pinned = kings.splat(0);
        let mut pinners = pinned;
        each_direction!(|there, back, is_orthogonal| {
            let sliders = if is_orthogonal { orthogonal } else { diagonal };
            // Own pieces that are the first piece both on a king's ray and on the opposite ray of a
            // slider.
            let between = T::ray(there, kings, occupied) & T::ray(back, sliders, occupied) & own;
            pinned = pinned | between;
            pinners = pinners | T::ray(there, between, occupied) & sliders;
        });
        [pinned, pinners]
    }
}

impl SlicedOperation<5, 2> for Pins {
    const MAX_UNSLICED_VECTORS: usize = 2;

    /// A slider is a pinner if a king's x-ray through an own piece meets the slider. An own piece
    /// is pinned if a king's ray meets it and, from the opposite direction, a slider's ray does
    /// too. So the first half of each sweep records the sliders' rays on each rank, in three
    /// directions.
    #[inline(always)]
    fn slices<R: RankBytes>(
        self,
        [kings, own, orthogonal, diagonal, mut occupied]: [[R; 8]; 5],
    ) -> [[R; 8]; 2] {
        let zero = kings[0].splat(0);
        let (mut pinned, mut pinners) = ([zero; 8], [zero; 8]);
        for i in 0..8 {
            occupied[i] = occupied[i] | kings[i] | own[i] | orthogonal[i] | diagonal[i];
            let [king_east, beyond_east] = east_through(kings[i], own[i], occupied[i]);
            let [king_west, beyond_west] = west_through(kings[i], own[i], occupied[i]);
            let slider_east = R::east_attacks(orthogonal[i], occupied[i]);
            let (west_sliders, west_occupied) = westward(orthogonal[i], occupied[i]);
            let slider_west = R::west_attacks(west_sliders, west_occupied);
            pinned[i] = (king_east & slider_west | king_west & slider_east) & own[i];
            pinners[i] = (beyond_east | beyond_west) & orthogonal[i];
        }
        /// Moves the sliders' rays from rank 7 down and then the kings' rays from rank 0 up. The
        /// second call does the reverse: sliders' rays up, kings' rays down.
        macro_rules! sweep {
            ($($from:literal)*; $($to:literal)*) => {
                let [first, ..] = [$($from),*];
                let mut straight = orthogonal[first];
                let mut east = diagonal[first];
                let (mut west, _) = westward(diagonal[first], occupied[first]);
                // For each rank, the squares of the rank that southern, south-eastern and
                // south-western rays of sliders attack (or northern, north-eastern and
                // north-western rays).
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
                let mut straight = TwoFloods::from(kings[first]);
                let mut east = straight;
                let mut west = TwoFloods::from(westward(kings[first], occupied[first]).0);
                $(if $to != first {
                    (east, west) = (east.east(), west.west());
                    // The indices 1 and 2 are swapped, because the opposite of an eastern ray is a
                    // western ray.
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
