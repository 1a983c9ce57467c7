//! Techniques that know the attacks from one square: sets are popped square by square.

use core::marker::PhantomData;

use crate::kernels::generic::one_square::Follows;
use crate::kernels::generic::technique::Technique;
use crate::kernels::geometry::line::line_of;
use crate::kernels::geometry::{Line, Towards};

/// Attacks from one square below 64.
pub(crate) trait PerSlider {
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

/// The sliders of a set one by one.
pub(in crate::kernels) struct Popped<T>(PhantomData<T>);

/// The union over all squares of a set.
///
/// That a slider looks through others outside `occupied` changes nothing: behind them go their own rays.
macro_rules! each {
    ($sliders:expr, |$square:ident| $attacks:expr) => {{
        let (mut squares, mut union): (u64, u64) = ($sliders, 0);
        while squares != 0 {
            let $square = squares.trailing_zeros() as u8;
            union |= $attacks;
            squares &= squares - 1;
        }
        union
    }};
}

impl<T: PerSlider> Technique<u64> for Popped<T> {
    const VECTORISES: bool = false;

    /// What the rays reach through propagators: all that they attack but the blockers.
    #[inline(always)]
    fn fill<D: Towards>(course: D, generators: u64, propagators: u64) -> u64 {
        generators | Self::ray(course, generators, !propagators) & propagators
    }

    /// Half a line: the squares above the slider or those below.
    #[inline(always)]
    fn ray<D: Towards>(course: D, sliders: u64, occupied: u64) -> u64 {
        each!(sliders, |square| {
            let above = !1_u64 << square;
            let half = if D::UP { above } else { !above };
            T::line_attacks(Line::along(course.direction()), square, occupied) & half
        })
    }

    #[inline(always)]
    fn from_square<Op: Follows>(op: Op, square: u8, occupied: u64) -> u64 {
        let follows = Line::ALL.map(|line| op.follows(line));
        match follows {
            [true, true, false, false] => T::rook_attacks(square, occupied),
            [false, false, true, true] => T::bishop_attacks(square, occupied),
            [true, true, true, true] => {
                T::rook_attacks(square, occupied) | T::bishop_attacks(square, occupied)
            }
            _ => {
                let line = Line::ALL.into_iter().find(|&line| op.follows(line));
                line.map_or(0, |line| T::line_attacks(line, square, occupied))
            }
        }
    }

    #[inline(always)]
    fn line(line: Line, sliders: u64, occupied: u64) -> u64 {
        each!(sliders, |square| T::line_attacks(line, square, occupied))
    }

    #[inline(always)]
    fn rook(rooks: u64, occupied: u64) -> u64 {
        each!(rooks, |square| T::rook_attacks(square, occupied))
    }

    #[inline(always)]
    fn bishop(bishops: u64, occupied: u64) -> u64 {
        each!(bishops, |square| T::bishop_attacks(square, occupied))
    }

    #[inline(always)]
    fn queen(queens: u64, occupied: u64) -> u64 {
        each!(queens, |square| T::rook_attacks(square, occupied)
            | T::bishop_attacks(square, occupied))
    }
}
