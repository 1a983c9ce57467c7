//! Blocks and tails of the operations on squares, as [`batch`](super::batch) has them for sets.

use super::batch::{align_stack, offsets};
use super::lanes::{MOST_BOARDS, Squares};
use super::sliced_squares::Lines;
use super::table::BatchFrom;

/// Whole blocks, the rest in one block, and what is less than one vector by `few`.
///
/// # Safety
/// The CPU has the features of `L` and what `few` needs; every pointer is valid for `boards` elements (of any
/// alignment); `attacks` may be exactly `occupied` but must not partly overlap an input.
#[inline(always)]
pub(super) unsafe fn run<Op: Lines, L: Squares>(
    squares: *const u8,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    few: BatchFrom,
) {
    align_stack();
    let mut offsets = offsets::<L>(8 * L::BOARDS);
    let mut done = 0;
    loop {
        let left = boards - done;
        // SAFETY: the caller's contract; every vector starts at or after `done` and ends at or before
        // `boards`, all loads come before the first store, and no block has more boards than `MOST_BOARDS`.
        unsafe {
            let (squares, occupied, attacks) =
                (squares.add(done), occupied.add(done), attacks.add(done));
            if left < 8 * L::BOARDS {
                if left < L::BOARDS {
                    few(squares, occupied, attacks, left);
                    return;
                }
                offsets = self::offsets::<L>(left);
            }
            let mut numbers = [0; MOST_BOARDS];
            let mut loaded = [L::load(occupied); 8];
            for v in 0..8 {
                loaded[v] = L::load(occupied.add(offsets[v]));
                let to = numbers.as_mut_ptr().add(v * L::BOARDS);
                to.copy_from_nonoverlapping(squares.add(offsets[v]), L::BOARDS);
            }
            let results = Op::sliced(L::slice_bytes(numbers.as_ptr()), loaded);
            for v in 0..8 {
                results[v].store(attacks.add(offsets[v]));
            }
        }
        if left <= 8 * L::BOARDS {
            return;
        }
        done += 8 * L::BOARDS;
    }
}
