//! Fills on one board as kernels: loops that the compiler vectorises.

use core::ffi::CStr;
use core::marker::PhantomData;

use super::Table;
use super::blocks::{self, Loop, Parts, RayLoop};
use super::chunks::Block;
use super::compass::Direction;
use super::table::One2;

/// A technique for one board.
pub(super) trait Technique {
    /// For a direction that the compiler knows.
    fn ray_attacks(direction: Direction, sliders: u64, occupied: u64) -> u64;

    /// For one of which it knows no more than the side to shift to: the fill in steps of so many squares, with
    /// propagators only where a step does not wrap.
    fn fill(
        shift: impl Fn(u64, u32) -> u64,
        squares: u32,
        generators: u64,
        propagators: u64,
    ) -> u64;

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
    const RAY: RayLoop = ray::<T>;
    const FILL: RayLoop = fill::<T>;
    const ROOK: Loop = rook::<T>;
    const BISHOP: Loop = bishop::<T>;

    const ROOK_ONE: One2 = rook_one::<T>;
    const BISHOP_ONE: One2 = bishop_one::<T>;
}

macro_rules! loops {
    ($($name:ident: |$a:ident, $b:ident| $f:expr;)*) => { $(
        #[inline(never)]
        unsafe extern "C" fn $name<T: Technique>(a: &Block, b: &Block, output: &mut Block, eights: usize) {
            // SAFETY: the loop's contract.
            unsafe { blocks::map(a, b, output, eights, |$a, $b| $f) }
        }
    )* };
}
loops! {
    rook: |rooks, occupied| T::rook_attacks(rooks, occupied);
    bishop: |bishops, occupied| T::bishop_attacks(bishops, occupied);
}

/// Two loops, for shifts to the left and to the right. (By rotation it would be one,
/// of three times the shifts: SSE2 cannot rotate.)
macro_rules! ray_loops {
    ($($name:ident: |$shift:ident, $squares:ident, $enter:ident, $a:ident, $b:ident| $f:expr;)*) => { $(
        #[inline(never)]
        unsafe extern "C" fn $name<T: Technique>(
            direction: Direction, a: &Block, b: &Block, output: &mut Block, eights: usize,
        ) {
            let ($squares, $enter) = (direction.offset().unsigned_abs(), direction.may_enter());
            // SAFETY: the loop's contract.
            unsafe {
                if direction.offset() > 0 {
                    let $shift = |board: u64, squares: u32| board << squares;
                    blocks::map(a, b, output, eights, |$a, $b| $f);
                } else {
                    let $shift = |board: u64, squares: u32| board >> squares;
                    blocks::map(a, b, output, eights, |$a, $b| $f);
                }
            }
        }
    )* };
}
ray_loops! {
    // A slider outside `occupied` need not be added: the fill regenerates on its square.
    ray: |shift, k, enter, sliders, occupied| shift(T::fill(shift, k, sliders, !occupied & enter), k) & enter;
    fill: |shift, k, enter, generators, propagators| T::fill(shift, k, generators, propagators & enter);
}

#[inline(never)]
unsafe extern "C" fn rook_one<T: Technique>(rooks: u64, occupied: u64) -> u64 {
    T::rook_attacks(rooks, occupied)
}

#[inline(never)]
unsafe extern "C" fn bishop_one<T: Technique>(bishops: u64, occupied: u64) -> u64 {
    T::bishop_attacks(bishops, occupied)
}
