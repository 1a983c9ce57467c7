//! Drivers that run board by board, or slider by slider.

use core::marker::PhantomData;

use super::board_rays::{AnyCpu, BoardRays};
use super::board_vector::BoardVector;
use super::driver::Driver;
use super::from_square::FromSquare;
use super::one_board::General;
use super::per_slider::{PerSlider, Popped};
use super::rays::{LineAttacks, for_line};

/// A driver that runs board by board, with a technique that the compiler can vectorise.
pub(crate) struct EachBoard<T>(PhantomData<T>);

impl<T: BoardRays<u64> + AnyCpu> Driver for EachBoard<T> {
    type One = General;
    type Rays = T;
}

/// A driver that runs slider by slider, with a technique for the attacks from one square.
pub(crate) struct EachSlider<T>(PhantomData<T>);

impl<T: PerSlider> Driver for EachSlider<T> {
    type One = General;
    type Rays = Popped<T>;

    #[inline(always)]
    unsafe fn squares<Op: FromSquare>(
        op: Op,
        squares: *const u8,
        occupied: *const u64,
        attacks: *mut u64,
        boards: usize,
    ) {
        for i in 0..boards {
            // SAFETY: the arrays have a board `i`.
            unsafe {
                let (square, occupied) = (squares.add(i).read() & 63, u64::load(occupied.add(i)));
                op.by::<T>(square, occupied).store(attacks.add(i));
            }
        }
    }

    #[inline(always)]
    unsafe fn line_squares(
        line: LineAttacks,
        squares: *const u8,
        occupied: *const u64,
        attacks: *mut u64,
        boards: usize,
    ) {
        // SAFETY: the arrays are valid for `boards` boards.
        unsafe {
            for_line!(line, |along| for i in 0..boards {
                let (square, occupied) = (squares.add(i).read() & 63, u64::load(occupied.add(i)));
                T::line_attacks(along.line(), square, occupied).store(attacks.add(i));
            });
        }
    }
}
