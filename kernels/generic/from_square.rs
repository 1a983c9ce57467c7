//! Attacks of one slider per board, given as a square, on rank slices.
//!
//! The square numbers are bytes, one per board, as in a slice. The slider's slices need no
//! transposition: slice i is the slider's file if the slider is on rank i, else it is empty. A
//! slider attacks along only one rank. So the occupancy of that rank is selected from the eight
//! slices, and the rays along the rank are computed once.

use super::attacks::Attacks;
use super::board_vector::Register;
use super::one_square::SliderLines;
use super::operation::Operation;
use super::per_slider::PerSlider;
use super::rank_bytes::{along_rank, westward};
use super::rays::Along;
use crate::kernels::geometry::Line;

/// An operation on one square per board, which is also an operation on sets of one square each.
pub(crate) trait FromSquare: SliderLines + Operation<2, 1> {
    /// The same operation for one square, computed with the technique `T`.
    fn by<T: PerSlider>(self, square: u8, occupied: u64) -> u64;
}

/// The attacks from each board's square, in rank slices.
#[inline(always)]
pub(crate) fn attacks<Op: FromSquare, R: Register>(op: Op, squares: R, occupied: [R; 8]) -> [R; 8] {
    let squares = squares & squares.splat(0x3f);
    let file = squares.file_of_square();
    let (west_file, _) = westward(file, file);
    let rank = squares & squares.splat(0x38);
    macro_rules! each_rank {
        ($($number:literal)*) => { [$(rank.ne_mask(squares.splat($number))),*] };
    }
    let elsewhere = each_rank!(0 8 16 24 32 40 48 56);
    let mut attacks = [squares.splat(0); 8];

    let mut south = [file & !elsewhere[7]; 3];
    south[2] = west_file & !elsewhere[7];
    let mut north = [file & !elsewhere[0]; 3];
    north[2] = west_file & !elsewhere[0];

    /// Moves the three southern or the three northern rays to rank `$i`.
    macro_rules! step {
        ($half:ident, $east_line:ident, $west_line:ident, $i:literal) => {
            let slider = file & !elsewhere[$i];
            let mut occupied = occupied[$i];
            if R::FLOOD_SELECTS {
                occupied = occupied | slider;
            }
            let [straight, east, west] = &mut $half;
            if op.follows(Line::File) {
                attacks[$i] = attacks[$i] | *straight;
                *straight = straight.flood(occupied, slider);
            }
            if op.follows(Line::$east_line) {
                *east = east.east();
                attacks[$i] = attacks[$i] | *east;
                *east = east.flood(occupied, slider);
            }
            if op.follows(Line::$west_line) {
                let (_, west_occupied) = westward(slider, occupied);
                *west = west.west::<1>();
                attacks[$i] = attacks[$i] | *west;
                *west = west.flood(west_occupied, west_file & !elsewhere[$i]);
            }
        };
    }
    /// Runs the southern and the northern rays, with alternating steps for more instruction-level
    /// parallelism.
    macro_rules! sweep {
        ($($to_south:literal $to_north:literal),*) => { $(
            step!(south, Antidiagonal, Diagonal, $to_south);
            step!(north, Diagonal, Antidiagonal, $to_north);
        )* };
    }
    sweep!(6 1, 5 2, 4 3, 3 4, 2 5, 1 6, 0 7);

    if op.follows(Line::Rank) {
        let mut on_rank = occupied[0] & !elsewhere[0];
        for i in 1..8 {
            on_rank = on_rank | occupied[i] & !elsewhere[i];
        }
        if R::FLOOD_SELECTS {
            on_rank = on_rank | file;
        }
        let along = along_rank(file, on_rank);
        for i in 0..8 {
            attacks[i] = attacks[i] | along & !elsewhere[i];
        }
    }
    attacks
}

impl<const ORTHOGONAL: bool, const DIAGONAL: bool> SliderLines for Attacks<ORTHOGONAL, DIAGONAL> {
    #[inline(always)]
    fn follows(self, line: Line) -> bool {
        ORTHOGONAL && matches!(line, Line::Rank | Line::File)
            || DIAGONAL && matches!(line, Line::Diagonal | Line::Antidiagonal)
    }
}

impl<const ORTHOGONAL: bool, const DIAGONAL: bool> FromSquare for Attacks<ORTHOGONAL, DIAGONAL> {
    #[inline(always)]
    fn by<T: PerSlider>(self, square: u8, occupied: u64) -> u64 {
        match (ORTHOGONAL, DIAGONAL) {
            (true, false) => T::rook_attacks(square, occupied),
            (false, _) => T::bishop_attacks(square, occupied),
            (true, true) => T::rook_attacks(square, occupied) | T::bishop_attacks(square, occupied),
        }
    }
}

impl<const LINE: usize> SliderLines for Along<LINE> {
    #[inline(always)]
    fn follows(self, line: Line) -> bool {
        line == self.line()
    }
}
