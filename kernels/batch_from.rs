//! Blocks and tails of the operations on squares, as [`batch`](super::batch) has them for sets.

use super::batch::align_stack;
use super::lanes::{Lanes, MOST_BOARDS};
use super::sliced_squares::Lines;

/// The three buffers of a batch: the squares' numbers, the occupancies, the attacks.
#[derive(Clone, Copy)]
struct Batch {
    squares: *const u8,
    occupied: *const u64,
    attacks: *mut u64,
}

/// A batch of any length: whole blocks, the rest in one block, and what is less than one vector
/// board by board.
///
/// # Safety
/// The CPU has the features of `L` and what `one` needs; every pointer is valid for `boards` elements (of any
/// alignment); the squares are below 64; `attacks` may be exactly `occupied` but must not partly overlap an input.
#[inline(always)]
pub(super) unsafe fn run<Op: Lines, L: Lanes>(
    squares: *const u8,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    one: impl Fn(u8, u64) -> u64,
) {
    align_stack();
    let batch = Batch {
        squares,
        occupied,
        attacks,
    };
    // SAFETY: the caller's contract, and the bounds checked here.
    unsafe {
        let mut done = 0;
        while boards - done >= 8 * L::BOARDS {
            block::<Op, L>(batch, |v| done + v * L::BOARDS);
            done += 8 * L::BOARDS;
        }
        if boards - done >= L::BOARDS {
            // Vectors that would reach beyond the end are moved back onto the last boards, which
            // are computed twice with the same result.
            block::<Op, L>(batch, |v| (done + v * L::BOARDS).min(boards - L::BOARDS));
        } else {
            for board in done..boards {
                let square = squares.add(board).read();
                let occupied = occupied.add(board).read_unaligned();
                attacks.add(board).write_unaligned(one(square, occupied));
            }
        }
    }
}

/// Eight vectors, from the boards that `offset` says. All loads come before the first store.
///
/// # Safety
/// As [`run`]; `offset(v) + L::BOARDS <= boards` for each v in 0..8.
#[inline(always)]
unsafe fn block<Op: Lines, L: Lanes>(batch: Batch, offset: impl Fn(usize) -> usize) {
    let mut squares = [0; MOST_BOARDS];
    // SAFETY: the caller's contract, and no block has more boards than `MOST_BOARDS`.
    unsafe {
        let mut occupied = [L::load(batch.occupied.add(offset(0))); 8];
        for v in 0..8 {
            occupied[v] = L::load(batch.occupied.add(offset(v)));
            let to = squares.as_mut_ptr().add(v * L::BOARDS);
            to.copy_from_nonoverlapping(batch.squares.add(offset(v)), L::BOARDS);
        }
        let attacks = Op::sliced(L::slice_bytes(squares.as_ptr()), occupied);
        for v in 0..8 {
            attacks[v].store(batch.attacks.add(offset(v)));
        }
    }
}
