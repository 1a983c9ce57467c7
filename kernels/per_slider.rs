//! Kernels that know the attacks from one square: sets are popped square by square.

use core::ffi::CStr;
use core::marker::PhantomData;

use super::Table;
use super::blocks::{self, Loop, Parts, RayLoop};
use super::chunks::Block;
use super::compass::Direction;
use super::line::{Line, line_of};
use super::table::{BatchFrom, BatchLineFrom, One2};

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

/// The table of a technique.
pub(super) const fn table<T: PerSlider>(name: &CStr) -> Table {
    blocks::table::<Popping<T>>(name)
}

/// The parts of a kernel that pops the sliders of a set.
struct Popping<T>(PhantomData<T>);

impl<T: PerSlider> Parts for Popping<T> {
    const RAY: RayLoop = ray::<T>;
    const FILL: RayLoop = fill::<T>;
    const ROOK: Loop = rook::<T>;
    const BISHOP: Loop = bishop::<T>;
    const QUEEN: Loop = queen::<T>;

    const ROOK_ONE: One2 = rook_one::<T>;
    const BISHOP_ONE: One2 = bishop_one::<T>;

    const ROOK_FROM: BatchFrom = rook_from::<T>;
    const BISHOP_FROM: BatchFrom = bishop_from::<T>;
    const QUEEN_FROM: BatchFrom = queen_from::<T>;
    const LINE_FROM: BatchLineFrom = line_from::<T>;
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

macro_rules! loops {
    ($($name:ident $(, $one:ident)?: $attacks:expr;)*) => { $(
        unsafe extern "C" fn $name<T: PerSlider>(
            sliders: &Block, occupied: &Block, attacks: &mut Block, eights: usize,
        ) {
            // SAFETY: the loop's contract.
            unsafe {
                blocks::map(sliders, occupied, attacks, eights, |sliders, occupied| {
                    each(sliders, |square| $attacks(square, occupied))
                });
            }
        }

        $(
            #[inline(never)]
            unsafe extern "C" fn $one<T: PerSlider>(sliders: u64, occupied: u64) -> u64 {
                each(sliders, |square| $attacks(square, occupied))
            }
        )?
    )* };
}
loops! {
    rook, rook_one: T::rook_attacks;
    bishop, bishop_one: T::bishop_attacks;
    queen: queen_attacks::<T>;
}

#[inline(always)]
fn queen_attacks<T: PerSlider>(square: u8, occupied: u64) -> u64 {
    T::rook_attacks(square, occupied) | T::bishop_attacks(square, occupied)
}

/// Half a line: the squares above the slider or those below.
unsafe extern "C" fn ray<T: PerSlider>(
    direction: Direction,
    sliders: &Block,
    occupied: &Block,
    attacks: &mut Block,
    eights: usize,
) {
    let line = Line::along(direction);
    let half_line = |square: u8, occupied: u64| {
        let above = !1_u64 << square;
        let half = if direction.offset() > 0 {
            above
        } else {
            !above
        };
        T::line_attacks(line, square, occupied) & half
    };
    // SAFETY: the loop's contract.
    unsafe {
        blocks::map(sliders, occupied, attacks, eights, |sliders, occupied| {
            each(sliders, |square| half_line(square, occupied))
        });
    }
}

/// What the rays reach through propagators: all that they attack but the blockers.
unsafe extern "C" fn fill<T: PerSlider>(
    direction: Direction,
    generators: &Block,
    propagators: &Block,
    filled: &mut Block,
    eights: usize,
) {
    #[inline(never)]
    unsafe extern "C" fn by(
        direction: Direction,
        generators: &Block,
        propagators: &Block,
        filled: &mut Block,
        eights: usize,
        ray: RayLoop,
    ) {
        let mut occupied = Block::UNSET;
        // SAFETY: the loop's contract.
        unsafe {
            occupied.set(eights, |i| !propagators.get(i));
            ray(direction, generators, &occupied, filled, eights);
            filled.update(eights, |reached, i| {
                generators.get(i) | (reached & propagators.get(i))
            });
        }
    }
    // SAFETY: the loop's contract.
    unsafe { by(direction, generators, propagators, filled, eights, ray::<T>) }
}

macro_rules! from_square {
    ($($name:ident $(($line:ident))?: |$square:ident, $occupied:ident| $attacks:expr;)*) => { $(
        unsafe extern "C" fn $name<T: PerSlider>(
            $($line: u8,)? squares: *const u8, occupied: *const u64, attacks: *mut u64, boards: usize,
        ) {
            $(let $line = Line::numbered($line);)?
            // SAFETY: the table's contract.
            unsafe { map_from(squares, occupied, attacks, boards, |$square, $occupied| $attacks) }
        }
    )* };
}
from_square! {
    rook_from: |square, occupied| T::rook_attacks(square, occupied);
    bishop_from: |square, occupied| T::bishop_attacks(square, occupied);
    queen_from: |square, occupied| queen_attacks::<T>(square, occupied);
    line_from(line): |square, occupied| T::line_attacks(line, square, occupied);
}

/// `attacks[i] = f(squares[i] & 63, occupied[i])`.
///
/// # Safety
/// As [`BatchFrom`].
#[inline(always)]
unsafe fn map_from(
    squares: *const u8,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    f: impl Fn(u8, u64) -> u64,
) {
    for i in 0..boards {
        // SAFETY: the caller's contract.
        unsafe {
            let square = squares.add(i).read() & 63;
            let occupied = occupied.add(i).read_unaligned();
            attacks.add(i).write_unaligned(f(square, occupied));
        }
    }
}
