//! Fills on one board as kernels: loops that the compiler vectorises.

use core::ffi::CStr;
use core::marker::PhantomData;

use super::Table;
use super::blocks::{self, Block, Loop, Parts};
use super::compass::Direction;
use super::line::Line;
use super::table::{One2, OneFrom};

/// A technique for one board. Only the fill is required; override what it does better.
pub(super) trait Technique {
    fn occluded_fill(direction: Direction, generators: u64, propagators: u64) -> u64;

    #[inline(always)]
    fn ray_attacks(direction: Direction, sliders: u64, occupied: u64) -> u64 {
        // A slider outside `occupied` need not be added: the fill regenerates on its square.
        direction.step(Self::occluded_fill(direction, sliders, !occupied))
    }

    #[inline(always)]
    fn rook_attacks(rooks: u64, occupied: u64) -> u64 {
        union::<Self>(Direction::ORTHOGONAL, rooks, occupied)
    }

    #[inline(always)]
    fn bishop_attacks(bishops: u64, occupied: u64) -> u64 {
        union::<Self>(Direction::DIAGONAL, bishops, occupied)
    }
}

#[inline(always)]
fn union<T: Technique + ?Sized>(directions: [Direction; 4], sliders: u64, occupied: u64) -> u64 {
    let [a, b, c, d] = directions;
    T::ray_attacks(a, sliders, occupied)
        | T::ray_attacks(b, sliders, occupied)
        | T::ray_attacks(c, sliders, occupied)
        | T::ray_attacks(d, sliders, occupied)
}

/// The table of a technique.
pub(super) const fn table<T: Technique>(name: &CStr) -> Table {
    blocks::table::<Filling<T>>(name)
}

/// The parts of a kernel by fills.
pub(super) struct Filling<T>(PhantomData<T>);

impl<T: Technique> Parts for Filling<T> {
    const RAYS: [Loop; 8] = [
        ray::<T, 0>,
        ray::<T, 1>,
        ray::<T, 2>,
        ray::<T, 3>,
        ray::<T, 4>,
        ray::<T, 5>,
        ray::<T, 6>,
        ray::<T, 7>,
    ];
    const FILLS: [Loop; 8] = [
        fill::<T, 0>,
        fill::<T, 1>,
        fill::<T, 2>,
        fill::<T, 3>,
        fill::<T, 4>,
        fill::<T, 5>,
        fill::<T, 6>,
        fill::<T, 7>,
    ];
    const ROOK: Loop = rook::<T>;
    const BISHOP: Loop = bishop::<T>;

    const ROOK_ONE: One2 = rook_one::<T>;
    const BISHOP_ONE: One2 = bishop_one::<T>;
    const LINE_FROM_ONE: [OneFrom; 4] = [
        line_from_one::<T, 0>,
        line_from_one::<T, 1>,
        line_from_one::<T, 2>,
        line_from_one::<T, 3>,
    ];
}

macro_rules! loops {
    ($($name:ident $(<$direction:ident>)?: |$a:ident, $b:ident| $f:expr;)*) => { $(
        #[inline(never)]
        unsafe extern "C" fn $name<T: Technique $(, const $direction: usize)?>(
            a: &Block, b: &Block, output: &mut Block, fours: usize,
        ) {
            // SAFETY: the loop's contract.
            unsafe { blocks::map(a, b, output, fours, |$a, $b| $f) }
        }
    )* };
}
loops! {
    rook: |rooks, occupied| T::rook_attacks(rooks, occupied);
    bishop: |bishops, occupied| T::bishop_attacks(bishops, occupied);
    ray<DIRECTION>: |sliders, occupied| T::ray_attacks(Direction::ALL[DIRECTION], sliders, occupied);
    fill<DIRECTION>: |generators, propagators| T::occluded_fill(Direction::ALL[DIRECTION], generators, propagators);
}

#[inline(never)]
unsafe extern "C" fn rook_one<T: Technique>(rooks: u64, occupied: u64) -> u64 {
    T::rook_attacks(rooks, occupied)
}

#[inline(never)]
unsafe extern "C" fn bishop_one<T: Technique>(bishops: u64, occupied: u64) -> u64 {
    T::bishop_attacks(bishops, occupied)
}

unsafe extern "C" fn line_from_one<T: Technique, const LINE: usize>(
    square: u8,
    occupied: u64,
) -> u64 {
    let [there, back] = Line::ALL[LINE].directions();
    let slider = 1 << (square & 63);
    T::ray_attacks(there, slider, occupied) | T::ray_attacks(back, slider, occupied)
}
