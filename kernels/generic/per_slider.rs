//! Techniques that compute the attacks from one square. The sliders of a set are popped one at a
//! time.

use core::marker::PhantomData;

use super::board_rays::{AnyCpu, BoardRays};
use crate::kernels::geometry::line::line_of;
use crate::kernels::geometry::{Line, RayDirection};

/// Computes attacks from one square below 64.
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

/// A technique that pops the sliders of a set one at a time and computes each with `T`.
pub(crate) struct Popped<T>(PhantomData<T>);

/// The union of an expression over all squares of a set.
///
/// Sliders need not be in `occupied`. A ray passes through a slider that is not in `occupied`, but
/// that slider's own ray covers the squares beyond.
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

/// Any function may call these techniques, whatever its target features. They use inline assembly
/// for instructions beyond the build's target.
impl<T: PerSlider> AnyCpu for Popped<T> {}

impl<T: PerSlider> BoardRays<u64> for Popped<T> {
    /// The generators, and all attacked squares that are propagators. Blockers are attacked but are
    /// not propagators.
    #[inline(always)]
    fn fill<D: RayDirection>(direction: D, generators: u64, propagators: u64) -> u64 {
        generators | Self::ray(direction, generators, !propagators) & propagators
    }

    /// The attacks of each slider along one half of its line: above the slider if `D::UP`, else
    /// below.
    #[inline(always)]
    fn ray<D: RayDirection>(direction: D, sliders: u64, occupied: u64) -> u64 {
        each!(sliders, |square| {
            let above = !1_u64 << square;
            let half = if D::UP { above } else { !above };
            T::line_attacks(Line::along(direction.direction()), square, occupied) & half
        })
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
