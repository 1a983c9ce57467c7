//! Blocks and tails: how a batch of any length is cut into blocks of vectors.

use core::marker::PhantomData;

use super::lanes::{Lanes, MOST_BOARDS};
use super::rank_slices::Operation;
use super::sliced_squares::Lines;

/// One call of a batch operation: what to do with a block of boards and with a single one.
trait Batch {
    /// Eight vectors of boards; vector `v` starts at board `offset(v)`. All loads come before
    /// the first store.
    ///
    /// # Safety
    /// The CPU has the features of `L`, and `offset(v) + L::BOARDS` is at most the batch's length for each v in 0..8.
    unsafe fn block<L: Lanes>(&self, offset: impl Fn(usize) -> usize);

    /// # Safety
    /// `board` is less than the batch's length.
    unsafe fn one(&self, board: usize);
}

/// A batch of any length: whole blocks of `Wide`, then the rest in one block of `Narrow` if it fits
/// there, else of `Wide`; what is less than one vector goes board by board.
///
/// # Safety
/// The CPU has the features of `Wide` and `Narrow`, and `boards` is the batch's length.
#[inline(always)]
unsafe fn cut<Wide: Lanes, Narrow: Lanes>(batch: &impl Batch, boards: usize) {
    // SAFETY: the caller's contract, and the bounds checked here.
    unsafe {
        let mut done = 0;
        while boards - done >= 8 * Wide::BOARDS {
            batch.block::<Wide>(|v| done + v * Wide::BOARDS);
            done += 8 * Wide::BOARDS;
        }
        let left = boards - done;
        if left >= Wide::BOARDS && left > 8 * Narrow::BOARDS {
            last_block::<Wide>(batch, done, boards);
        } else if left >= ONE_BY_ONE.max(Narrow::BOARDS) {
            last_block::<Narrow>(batch, done, boards);
        } else {
            for board in done..boards {
                batch.one(board);
            }
        }
    }
}

/// Fewer boards than this go one by one.
const ONE_BY_ONE: usize = 3;

/// Does at least one vector and at most one block of boards, from `done` to `boards`. Vectors that
/// would reach beyond the end are moved back onto the last boards, which are then computed
/// twice with the same result: nothing outside is touched, and all is read before anything is written,
/// so that output and input may be the same. No copies, no masks.
///
/// # Safety
/// As [`cut`], and `L::BOARDS <= boards - done <= 8 * L::BOARDS`.
#[inline(always)]
unsafe fn last_block<L: Lanes>(batch: &impl Batch, done: usize, boards: usize) {
    let last = boards - L::BOARDS;
    // SAFETY: each vector starts between `done` and `boards - L::BOARDS`.
    unsafe { batch.block::<L>(|v| (done + v * L::BOARDS).min(last)) };
}

/// An operation on sets of boards.
///
/// # Safety
/// The CPU has the features of `Wide` and `Narrow` and what `one` needs; every pointer is valid for `boards` boards (of any
/// alignment); `output` may be exactly one of the inputs but must not partly overlap one.
#[inline(always)]
pub(super) unsafe fn run<Op: Operation<N>, Wide: Lanes, Narrow: Lanes, const N: usize>(
    inputs: [*const u64; N],
    output: *mut u64,
    boards: usize,
    one: impl Fn([u64; N]) -> u64,
) {
    struct Sets<Op, F, const N: usize> {
        inputs: [*const u64; N],
        output: *mut u64,
        one: F,
        operation: PhantomData<Op>,
    }

    impl<Op: Operation<N>, F: Fn([u64; N]) -> u64, const N: usize> Batch for Sets<Op, F, N> {
        #[inline(always)]
        unsafe fn block<L: Lanes>(&self, offset: impl Fn(usize) -> usize) {
            // SAFETY: the caller's contract.
            unsafe {
                let mut loaded = [[L::load(self.inputs[0].add(offset(0))); 8]; N];
                for n in 0..N {
                    for v in 0..8 {
                        loaded[n][v] = L::load(self.inputs[n].add(offset(v)));
                    }
                }
                let attacks = Op::block(loaded);
                for v in 0..8 {
                    attacks[v].store(self.output.add(offset(v)));
                }
            }
        }

        #[inline(always)]
        unsafe fn one(&self, board: usize) {
            let mut sets = [0; N];
            // SAFETY: the caller's contract.
            unsafe {
                for n in 0..N {
                    sets[n] = self.inputs[n].add(board).read_unaligned();
                }
                self.output.add(board).write_unaligned((self.one)(sets));
            }
        }
    }

    let operation = PhantomData::<Op>;
    // SAFETY: the caller's contract.
    unsafe {
        cut::<Wide, Narrow>(
            &Sets {
                inputs,
                output,
                one,
                operation,
            },
            boards,
        );
    }
}

/// An operation on one square of each board.
///
/// # Safety
/// As [`run`]; the squares are below 64.
#[inline(always)]
pub(super) unsafe fn run_from<Op: Lines, Wide: Lanes, Narrow: Lanes>(
    squares: *const u8,
    occupied: *const u64,
    output: *mut u64,
    boards: usize,
    one: impl Fn(u8, u64) -> u64,
) {
    struct Squares<Op, F> {
        numbers: *const u8,
        occupied: *const u64,
        output: *mut u64,
        one: F,
        operation: PhantomData<Op>,
    }

    impl<Op: Lines, F: Fn(u8, u64) -> u64> Batch for Squares<Op, F> {
        #[inline(always)]
        unsafe fn block<L: Lanes>(&self, offset: impl Fn(usize) -> usize) {
            let mut squares = [0; MOST_BOARDS];
            // SAFETY: the caller's contract, and no block has more boards than `MOST_BOARDS`.
            unsafe {
                let mut occupied = [L::load(self.occupied.add(offset(0))); 8];
                for v in 0..8 {
                    occupied[v] = L::load(self.occupied.add(offset(v)));
                    let to = squares.as_mut_ptr().add(v * L::BOARDS);
                    to.copy_from_nonoverlapping(self.numbers.add(offset(v)), L::BOARDS);
                }
                let attacks = L::attacks_from::<Op>(squares.as_ptr(), occupied);
                for v in 0..8 {
                    attacks[v].store(self.output.add(offset(v)));
                }
            }
        }

        #[inline(always)]
        unsafe fn one(&self, board: usize) {
            // SAFETY: the caller's contract.
            unsafe {
                let square = self.numbers.add(board).read();
                let occupied = self.occupied.add(board).read_unaligned();
                let attacks = (self.one)(square, occupied);
                self.output.add(board).write_unaligned(attacks);
            }
        }
    }

    let operation = PhantomData::<Op>;
    let batch = Squares {
        numbers: squares,
        occupied,
        output,
        one,
        operation,
    };
    // SAFETY: the caller's contract.
    unsafe { cut::<Wide, Narrow>(&batch, boards) };
}
