//! Blocks and tails: how a batch of any length is cut into blocks of vectors.

use super::lanes::Lanes;
use super::rank_slices::Operation;

/// A batch of any length: whole blocks of `Wide`, then the rest in one block of `Narrow` if it fits
/// there, else of `Wide`; what is less than one vector goes board by board.
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
    // SAFETY: the caller's contract, and the bounds checked here.
    unsafe {
        let done = whole_blocks::<Op, Wide, N>(inputs, output, boards);
        let left = boards - done;
        if left == 0 {
            // The common case of a round number of boards.
        } else if left > 8 * Narrow::BOARDS && (Wide::MASKED || left >= Wide::BOARDS) {
            last_block::<Op, Wide, N>(inputs, output, done, boards);
        } else if left >= ONE_BY_ONE && (Narrow::MASKED || left >= Narrow::BOARDS) {
            last_block::<Op, Narrow, N>(inputs, output, done, boards);
        } else {
            for i in done..boards {
                let mut sets = [0; N];
                for n in 0..N {
                    sets[n] = inputs[n].add(i).read_unaligned();
                }
                output.add(i).write_unaligned(one(sets));
            }
        }
    }
}

/// Fewer boards than this go one by one.
const ONE_BY_ONE: usize = 3;

/// Runs as many whole blocks as there are, and returns the number of boards done.
///
/// # Safety
/// As [`run`].
#[inline(always)]
unsafe fn whole_blocks<Op: Operation<N>, L: Lanes, const N: usize>(
    inputs: [*const u64; N],
    output: *mut u64,
    boards: usize,
) -> usize {
    let mut done = 0;
    while boards - done >= 8 * L::BOARDS {
        // SAFETY: the eight vectors from `done` on are inside; offsets of consecutive vectors.
        unsafe { at_offsets::<Op, L, N>(inputs, output, |v| done + v * L::BOARDS) };
        done += 8 * L::BOARDS;
    }
    done
}

/// Does at most one block of boards, from `done` to `boards`: all that are left. All is read before anything is written, so that
/// output and input may be the same.
///
/// # Safety
/// As [`run`]; `0 < boards - done <= 8 * L::BOARDS`; without masks, at least `L::BOARDS` are left.
#[inline(always)]
unsafe fn last_block<Op: Operation<N>, L: Lanes, const N: usize>(
    inputs: [*const u64; N],
    output: *mut u64,
    done: usize,
    boards: usize,
) {
    if L::MASKED {
        // SAFETY: vector v's first board is not beyond the end, and its count ends there.
        unsafe {
            let start = |v: usize| (done + v * L::BOARDS).min(boards);
            let count = |v: usize| (boards - start(v)).min(L::BOARDS);
            let mut loaded = [[L::load_first(inputs[0], 0); 8]; N];
            for n in 0..N {
                for v in 0..8 {
                    loaded[n][v] = L::load_first(inputs[n].add(start(v)), count(v));
                }
            }
            let attacks = Op::block(loaded);
            for v in 0..8 {
                attacks[v].store_first(output.add(start(v)), count(v));
            }
        }
    } else {
        // Vectors that would reach beyond the end are moved back onto the last boards, which are
        // then computed twice with the same result: nothing outside is touched, and nothing copied.
        let last = boards - L::BOARDS;
        // SAFETY: each vector starts between `done` and `boards - L::BOARDS`.
        unsafe {
            at_offsets::<Op, L, N>(inputs, output, |v| (done + v * L::BOARDS).min(last));
        }
    }
}

/// # Safety
/// As [`run`]; `offset(v) + L::BOARDS <= boards` for each v in 0..8.
#[inline(always)]
unsafe fn at_offsets<Op: Operation<N>, L: Lanes, const N: usize>(
    inputs: [*const u64; N],
    output: *mut u64,
    offset: impl Fn(usize) -> usize,
) {
    // SAFETY: the caller's contract; all loads come before the first store.
    unsafe {
        let mut loaded = [[L::load(inputs[0].add(offset(0))); 8]; N];
        for n in 0..N {
            for v in 0..8 {
                loaded[n][v] = L::load(inputs[n].add(offset(v)));
            }
        }
        let attacks = Op::block(loaded);
        for v in 0..8 {
            attacks[v].store(output.add(offset(v)));
        }
    }
}
