//! Kernels that know the attacks from one square: sets are popped square by square.

use core::marker::PhantomData;

use super::compass::Direction;
use super::elementwise::Technique;
use super::line::{Line, line_of};

/// Attacks from one square below 64.
pub(super) trait PerSlider {
    fn rook_attacks(square: u8, occupied: u64) -> u64;
    fn bishop_attacks(square: u8, occupied: u64) -> u64;

    #[inline(always)]
    fn line_attacks(line: Line, square: u8, occupied: u64) -> u64 {
        let attacks = match line {
            Line::Rank | Line::File => Self::rook_attacks(square, occupied),
            Line::Diagonal | Line::Antidiagonal => Self::bishop_attacks(square, occupied),
        };
        attacks & line_of(line, square)
    }
}

/// The operations on sets by popping the sliders.
pub(super) struct Popping<T>(PhantomData<T>);

impl<T: PerSlider> Technique for Popping<T> {
    /// What the rays reach through propagators: all that they attack but the blockers.
    #[inline(always)]
    fn occluded_fill(direction: Direction, generators: u64, propagators: u64) -> u64 {
        let reached = Self::ray_attacks(direction, generators, !propagators);
        generators | (reached & propagators)
    }

    /// Half a line: the squares above the slider or those below.
    #[inline(always)]
    fn ray_attacks(direction: Direction, sliders: u64, occupied: u64) -> u64 {
        each(sliders, |square| {
            let above = !1 << square;
            let half = if direction.offset() > 0 {
                above
            } else {
                !above
            };
            T::line_attacks(Line::along(direction), square, occupied) & half
        })
    }

    #[inline(always)]
    fn rook_attacks(rooks: u64, occupied: u64) -> u64 {
        each(rooks, |square| T::rook_attacks(square, occupied))
    }

    #[inline(always)]
    fn bishop_attacks(bishops: u64, occupied: u64) -> u64 {
        each(bishops, |square| T::bishop_attacks(square, occupied))
    }

    #[inline(always)]
    fn queen_attacks(queens: u64, occupied: u64) -> u64 {
        each(queens, |square| Self::queen_attacks_from(square, occupied))
    }

    #[inline(always)]
    fn line_attacks_from(line: Line, square: u8, occupied: u64) -> u64 {
        T::line_attacks(line, square, occupied)
    }

    #[inline(always)]
    fn rook_attacks_from(square: u8, occupied: u64) -> u64 {
        T::rook_attacks(square, occupied)
    }

    #[inline(always)]
    fn bishop_attacks_from(square: u8, occupied: u64) -> u64 {
        T::bishop_attacks(square, occupied)
    }
}

/// The union over all squares of a set.
///
/// That a slider looks through others outside `occupied` changes nothing: behind them go their own rays.
#[inline(always)]
fn each(mut squares: u64, attacks: impl Fn(u8) -> u64) -> u64 {
    let mut union = 0;
    while squares != 0 {
        union |= attacks(squares.trailing_zeros() as u8);
        squares &= squares - 1;
    }
    union
}
