//! Blocks and tails: how a batch of any length is cut into blocks of vectors.

use super::lanes::Lanes;
use super::rank_slices::Operation;

/// A batch of any length: whole blocks, then the rest in one block, or, if few boards are left, vector by
/// vector without slices; what is less than one vector goes board by board.
///
/// # Safety
/// The CPU has the features of `L` and what `one` needs; every pointer is valid for `boards` boards (of any
/// alignment); `output` may be exactly one of the inputs but must not partly overlap one.
#[inline(always)]
pub(super) unsafe fn run<Op: Operation<N>, L: Lanes, const N: usize>(
    inputs: [*const u64; N],
    output: *mut u64,
    boards: usize,
    one: impl Fn([u64; N]) -> u64,
) {
    align_stack();
    // SAFETY: the caller's contract, and the bounds checked here.
    unsafe {
        let done = whole_blocks::<Op, L, N>(inputs, output, boards);
        let left = boards - done;
        if left == 0 {
            // The common case of a round number of boards.
        } else if left < ONE_BY_ONE || (left < L::BOARDS && !L::MASKED) {
            for i in done..boards {
                let mut sets = [0; N];
                for n in 0..N {
                    sets[n] = inputs[n].add(i).read_unaligned();
                }
                output.add(i).write_unaligned(one(sets));
            }
        } else if left <= Op::SHORT * L::BOARDS {
            short_batch::<Op, L, N>(inputs, output, done, boards);
        } else {
            last_block::<Op, L, N>(inputs, output, done, boards);
        }
    }
}

/// Fewer boards than this go one by one.
const ONE_BY_ONE: usize = 2;

/// Makes the compiler align the stack of the function this is inlined into, for the vectors that it spills. Where
/// nothing else asks for it, spills may straddle cache lines, at up to twice the time, by the
/// caller's stack pointer.
#[inline(always)]
pub(super) fn align_stack() {
    #[repr(align(64))]
    struct Line;
    core::hint::black_box(&Line);
}

/// Does the boards from `done` to `boards` vector by vector. The last vector is moved back onto the last boards, some of
/// which it computes again: it is loaded first, so that output and input may be the same.
///
/// # Safety
/// As [`run`]; without masks, at least `L::BOARDS` are left.
#[inline(always)]
unsafe fn short_batch<Op: Operation<N>, L: Lanes, const N: usize>(
    inputs: [*const u64; N],
    output: *mut u64,
    done: usize,
    boards: usize,
) {
    // SAFETY: every vector starts at or after `done` and ends at or before `boards`.
    unsafe {
        if L::MASKED {
            let mut start = done;
            while start < boards {
                let count = (boards - start).min(L::BOARDS);
                let mut loaded = [L::load_first(inputs[0], 0); N];
                for n in 0..N {
                    loaded[n] = L::load_first(inputs[n].add(start), count);
                }
                Op::vector(loaded).store_first(output.add(start), count);
                start += count;
            }
        } else {
            let last = boards - L::BOARDS;
            let mut loaded = [L::load(inputs[0].add(last)); N];
            for n in 0..N {
                loaded[n] = L::load(inputs[n].add(last));
            }
            let mut start = done;
            while start < last {
                let mut loaded = [L::load(inputs[0].add(start)); N];
                for n in 0..N {
                    loaded[n] = L::load(inputs[n].add(start));
                }
                Op::vector(loaded).store(output.add(start));
                start += L::BOARDS;
            }
            Op::vector(loaded).store(output.add(last));
        }
    }
}

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
