//! Tables for techniques that work on one board at a time: the batch is a plain loop over them,
//! written so that the compiler can vectorise it where the technique allows.

use core::ffi::CStr;

use super::compass::Direction;
use super::line::Line;
use super::{ABI_VERSION, Table, between, compound, counts};

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

    #[inline(always)]
    fn queen_attacks(queens: u64, occupied: u64) -> u64 {
        Self::rook_attacks(queens, occupied) | Self::bishop_attacks(queens, occupied)
    }

    #[inline(always)]
    fn slider_attacks(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
        let occupied = occupied | orthogonal | diagonal;
        Self::rook_attacks(orthogonal, occupied) | Self::bishop_attacks(diagonal, occupied)
    }

    // One slider on a square below 64.

    #[inline(always)]
    fn line_attacks_from(line: Line, square: u8, occupied: u64) -> u64 {
        let [there, back] = line.directions();
        let slider = 1 << square;
        Self::ray_attacks(there, slider, occupied) | Self::ray_attacks(back, slider, occupied)
    }

    #[inline(always)]
    fn rook_attacks_from(square: u8, occupied: u64) -> u64 {
        Self::line_attacks_from(Line::Rank, square, occupied)
            | Self::line_attacks_from(Line::File, square, occupied)
    }

    #[inline(always)]
    fn bishop_attacks_from(square: u8, occupied: u64) -> u64 {
        Self::line_attacks_from(Line::Diagonal, square, occupied)
            | Self::line_attacks_from(Line::Antidiagonal, square, occupied)
    }

    #[inline(always)]
    fn queen_attacks_from(square: u8, occupied: u64) -> u64 {
        Self::rook_attacks_from(square, occupied) | Self::bishop_attacks_from(square, occupied)
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
    Table {
        size: size_of::<Table>() as u32,
        abi_version: ABI_VERSION,
        name: name.as_ptr(),
        rook_attacks: rook::<T>,
        bishop_attacks: bishop::<T>,
        queen_attacks: queen::<T>,
        slider_attacks: slider::<T>,
        ray_attacks: [
            ray::<T, 0>,
            ray::<T, 1>,
            ray::<T, 2>,
            ray::<T, 3>,
            ray::<T, 4>,
            ray::<T, 5>,
            ray::<T, 6>,
            ray::<T, 7>,
        ],
        occluded_fill: [
            fill::<T, 0>,
            fill::<T, 1>,
            fill::<T, 2>,
            fill::<T, 3>,
            fill::<T, 4>,
            fill::<T, 5>,
            fill::<T, 6>,
            fill::<T, 7>,
        ],
        rook_attacks_one: rook_one::<T>,
        bishop_attacks_one: bishop_one::<T>,
        queen_attacks_one: queen_one::<T>,
        slider_attacks_one: slider_one::<T>,
        slider_attacks_split: split::<T>,
        xray_rook_attacks: xray_rook::<T>,
        xray_bishop_attacks: xray_bishop::<T>,
        xray_queen_attacks: xray_queen::<T>,
        pins: pins::<T>,
        between: between::batch_between,
        line_through: between::batch_line_through,
        intersection_counts: counts::batch,
        rook_attacks_from: rook_from::<T>,
        bishop_attacks_from: bishop_from::<T>,
        queen_attacks_from: queen_from::<T>,
        line_attacks_from: [
            line_from::<T, 0>,
            line_from::<T, 1>,
            line_from::<T, 2>,
            line_from::<T, 3>,
        ],
        rook_attacks_from_one: rook_from_one::<T>,
        bishop_attacks_from_one: bishop_from_one::<T>,
        queen_attacks_from_one: queen_from_one::<T>,
        line_attacks_from_one: [
            line_from_one::<T, 0>,
            line_from_one::<T, 1>,
            line_from_one::<T, 2>,
            line_from_one::<T, 3>,
        ],
    }
}

/// `output[i] = f(a[i], b[i])`.
///
/// # Safety
/// As [`Batch2`](super::table::Batch2).
#[inline(always)]
pub(super) unsafe fn map2(
    a: *const u64,
    b: *const u64,
    output: *mut u64,
    boards: usize,
    f: impl Fn(u64, u64) -> u64,
) {
    for i in 0..boards {
        // SAFETY: `i < boards`, for which all pointers are valid; alignment is not assumed.
        unsafe {
            output
                .add(i)
                .write_unaligned(f(a.add(i).read_unaligned(), b.add(i).read_unaligned()));
        }
    }
}

macro_rules! batch2 {
    ($name:ident, $one:ident, $operation:ident) => {
        unsafe extern "C" fn $name<T: Technique>(
            sliders: *const u64,
            occupied: *const u64,
            attacks: *mut u64,
            boards: usize,
        ) {
            // SAFETY: the table's contract.
            unsafe { map2(sliders, occupied, attacks, boards, T::$operation) }
        }

        unsafe extern "C" fn $one<T: Technique>(sliders: u64, occupied: u64) -> u64 {
            T::$operation(sliders, occupied)
        }
    };
}
batch2!(rook, rook_one, rook_attacks);
batch2!(bishop, bishop_one, bishop_attacks);
batch2!(queen, queen_one, queen_attacks);

unsafe extern "C" fn slider<T: Technique>(
    orthogonal: *const u64,
    diagonal: *const u64,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
) {
    for i in 0..boards {
        // SAFETY: `i < boards`, for which all pointers are valid; alignment is not assumed.
        unsafe {
            attacks.add(i).write_unaligned(T::slider_attacks(
                orthogonal.add(i).read_unaligned(),
                diagonal.add(i).read_unaligned(),
                occupied.add(i).read_unaligned(),
            ));
        }
    }
}

unsafe extern "C" fn slider_one<T: Technique>(
    orthogonal: u64,
    diagonal: u64,
    occupied: u64,
) -> u64 {
    T::slider_attacks(orthogonal, diagonal, occupied)
}

unsafe extern "C" fn ray<T: Technique, const DIRECTION: usize>(
    sliders: *const u64,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
) {
    // SAFETY: the table's contract.
    unsafe {
        map2(sliders, occupied, attacks, boards, |s, o| {
            T::ray_attacks(Direction::ALL[DIRECTION], s, o)
        });
    }
}

unsafe extern "C" fn fill<T: Technique, const DIRECTION: usize>(
    generators: *const u64,
    propagators: *const u64,
    filled: *mut u64,
    boards: usize,
) {
    // SAFETY: the table's contract.
    unsafe {
        map2(generators, propagators, filled, boards, |g, p| {
            T::occluded_fill(Direction::ALL[DIRECTION], g, p)
        });
    }
}

macro_rules! compound {
    ($name:ident, $operation:ty, [$($set:ident),*] -> [$($result:ident),*]) => {
        unsafe extern "C" fn $name<T: Technique>(
            $($set: *const u64,)* $($result: *mut u64,)* boards: usize,
        ) {
            // SAFETY: the table's contract.
            unsafe {
                compound::one_by_one::<$operation, T, _, _>([$($set),*], [$($result),*], 0..boards);
            }
        }
    };
}
compound!(split, compound::Split, [orthogonal, diagonal, occupied] -> [straight, oblique]);
compound!(xray_rook, compound::Xray<true, false>, [rooks, blockers, occupied] -> [attacks]);
compound!(xray_bishop, compound::Xray<false, true>, [bishops, blockers, occupied] -> [attacks]);
compound!(xray_queen, compound::Xray<true, true>, [queens, blockers, occupied] -> [attacks]);
compound!(pins, compound::Pins, [kings, own, orthogonal, diagonal, occupied] -> [pinned, pinners]);

/// `attacks[i] = f(squares[i], occupied[i])`.
///
/// # Safety
/// As [`BatchFrom`](super::table::BatchFrom).
#[inline(always)]
pub(super) unsafe fn map_from(
    squares: *const u8,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    f: impl Fn(u8, u64) -> u64,
) {
    for i in 0..boards {
        // SAFETY: `i < boards`, for which all pointers are valid; alignment is not assumed.
        unsafe {
            attacks
                .add(i)
                .write_unaligned(f(squares.add(i).read(), occupied.add(i).read_unaligned()));
        }
    }
}

macro_rules! from_square {
    ($name:ident, $one:ident, $operation:ident) => {
        unsafe extern "C" fn $name<T: Technique>(
            squares: *const u8,
            occupied: *const u64,
            attacks: *mut u64,
            boards: usize,
        ) {
            // SAFETY: the table's contract.
            unsafe { map_from(squares, occupied, attacks, boards, T::$operation) }
        }

        unsafe extern "C" fn $one<T: Technique>(square: u8, occupied: u64) -> u64 {
            T::$operation(square, occupied)
        }
    };
}
from_square!(rook_from, rook_from_one, rook_attacks_from);
from_square!(bishop_from, bishop_from_one, bishop_attacks_from);
from_square!(queen_from, queen_from_one, queen_attacks_from);

unsafe extern "C" fn line_from<T: Technique, const LINE: usize>(
    squares: *const u8,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
) {
    // SAFETY: the table's contract.
    unsafe {
        map_from(squares, occupied, attacks, boards, |s, o| {
            T::line_attacks_from(Line::ALL[LINE], s, o)
        });
    }
}

unsafe extern "C" fn line_from_one<T: Technique, const LINE: usize>(
    square: u8,
    occupied: u64,
) -> u64 {
    T::line_attacks_from(Line::ALL[LINE], square, occupied)
}
