//! Batches board by board, in loops that the compiler vectorises.

use core::mem::MaybeUninit;

use super::board_rays::{AnyCpu, BoardRays};
use super::board_vector::BoardVector;
use super::operation::Operation;

/// Boards per chunk. A chunk's results are collected in a local array and then copied to the
/// outputs. So an output may also be an input, yet the compiler knows that inputs and results do
/// not overlap.
const CHUNK: usize = 64;

/// One chunk of `N` columns of sets.
type Sets<const N: usize> = [[MaybeUninit<u64>; CHUNK]; N];

/// Computes attacks from squares, as sets of one square each.
///
/// # Safety
/// The contract of `Driver::squares`.
#[inline(always)]
pub(super) unsafe fn each_square<Op: Operation<2, 1>, T: BoardRays<u64> + AnyCpu>(
    op: Op,
    squares: *const u8,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
) {
    let mut sliders = [0; CHUNK];
    let mut done = 0;
    while done < boards {
        let count = CHUNK.min(boards - done);
        // SAFETY: the arrays have `count` boards from `done` on.
        unsafe {
            for i in 0..count {
                sliders[i] = 1 << (squares.add(done + i).read() & 63);
            }
            let inputs = [sliders.as_ptr(), occupied.add(done)];
            each_board::<_, T, 2, 1>(op, inputs, [attacks.add(done)], count);
        }
        done += count;
    }
}

/// Computes boards chunk by chunk.
///
/// # Safety
/// The contract of `Driver::boards`.
#[inline(always)]
pub(super) unsafe fn each_board<
    Op: Operation<N, M>,
    T: BoardRays<u64> + AnyCpu,
    const N: usize,
    const M: usize,
>(
    op: Op,
    inputs: [*const u64; N],
    outputs: [*mut u64; M],
    boards: usize,
) {
    // SAFETY: the arrays have `boards` boards; `chunk` receives a pointer to its operation.
    unsafe { chunks((&raw const op).cast(), inputs, outputs, boards, chunk::<Op, T, N, M>) }
}

/// Computes the boards of a chunk. Their number is a multiple of eight, so the vectorised loop has
/// no remainder.
///
/// # Safety
/// `op` points to an `Op`. The sets are readable for `boards` boards (of any alignment).
#[inline(never)]
unsafe fn chunk<Op: Operation<N, M>, T: BoardRays<u64>, const N: usize, const M: usize>(
    op: *const (),
    sets: [*const u64; N],
    results: &mut Sets<M>,
    boards: usize,
) {
    // SAFETY: `op` points to an `Op`.
    let op = unsafe { op.cast::<Op>().read() };
    for i in 0..8 * (boards / 8).min(CHUNK / 8) {
        let mut board = [0; N];
        for n in 0..N {
            // SAFETY: `i` is below `boards`.
            board[n] = unsafe { u64::load(sets[n].add(i)) };
        }
        let attacks = op.boards::<u64, T>(board);
        for m in 0..M {
            results[m][i].write(attacks[m]);
        }
    }
}

/// Calls `chunk` for each chunk and copies the results out. A last chunk whose length is not a
/// multiple of eight is first copied and padded. Operations with equally many sets and results
/// share this code, so it passes a pointer to the operation on.
///
/// # Safety
/// The contract of `Driver::boards`. `op` is what `chunk` needs.
#[inline(never)]
unsafe fn chunks<const N: usize, const M: usize>(
    op: *const (),
    inputs: [*const u64; N],
    outputs: [*mut u64; M],
    boards: usize,
    chunk: unsafe fn(*const (), [*const u64; N], &mut Sets<M>, usize),
) {
    let mut padded = [[MaybeUninit::<u64>::uninit(); CHUNK]; N];
    let mut results = [[MaybeUninit::uninit(); CHUNK]; M];
    let mut done = 0;
    while done < boards {
        let count = CHUNK.min(boards - done);
        // SAFETY: `count` boards are left; the copy has room for 64 boards, and its padding is
        // empty boards.
        unsafe {
            let mut sets = inputs.map(|set| set.add(done));
            if !count.is_multiple_of(8) {
                for n in 0..N {
                    let set = padded[n].as_mut_ptr();
                    let bytes = sets[n].cast::<u8>();
                    set.cast::<u8>().copy_from_nonoverlapping(bytes, 8 * count);
                    set.add(count).write_bytes(0, count.wrapping_neg() % 8);
                    sets[n] = set.cast();
                }
            }
            chunk(op, sets, &mut results, count.next_multiple_of(8));
            for m in 0..M {
                let to = outputs[m].add(done).cast::<u8>();
                to.copy_from_nonoverlapping(results[m].as_ptr().cast(), 8 * count);
            }
        }
        done += count;
    }
}
