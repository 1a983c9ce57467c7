//! Blocks and tails: how a batch of any length is cut into blocks of vectors, and what is too few for a block.

use core::hint::black_box;

use super::lanes::Lanes;
use super::rank_slices::Operation;
use super::short::Vectorwise;
use super::table::{Batch2, Batch3};

/// The operations on few boards, to which a kernel leaves what is not worth a block.
pub(super) struct Few {
    pub(super) rooks: Batch2,
    pub(super) bishops: Batch2,
    /// Queens too, passed twice.
    pub(super) sliders: Batch3,
}

/// Does whole blocks, and a rest of more than [`Operation::SHORT`] vectors in one more; returns the number of boards done.
///
/// There is one copy of a block's code. In the last block, vectors that would reach beyond the end are moved
/// back onto the last boards, which are then computed twice with the same result: nothing outside is
/// touched, and nothing copied.
///
/// # Safety
/// The CPU has the features of `L`; every pointer is valid for `boards` boards (of any
/// alignment); `output` may be exactly one of the inputs but must not partly overlap one.
#[inline(always)]
pub(super) unsafe fn blocks<Op: Operation<N>, L: Lanes, const N: usize>(
    inputs: [*const u64; N],
    output: *mut u64,
    boards: usize,
) -> usize {
    align_stack();
    let least = Op::SHORT * L::BOARDS + 1;
    let mut offsets = offsets::<L>(8 * L::BOARDS);
    let mut left = boards;
    while left >= least {
        if left < 8 * L::BOARDS {
            offsets = self::offsets::<L>(left);
        }
        let done = boards - left;
        // SAFETY: the caller's contract; every vector starts at or after `done` and ends at or before
        // `boards`, and all loads come before the first store.
        unsafe {
            let mut loaded = [[L::load(inputs[0].add(done)); 8]; N];
            for n in 0..N {
                for v in 0..8 {
                    loaded[n][v] = L::load(inputs[n].add(done).add(offsets[v]));
                }
            }
            let attacks = Op::block(loaded);
            for v in 0..8 {
                attacks[v].store(output.add(done).add(offsets[v]));
            }
        }
        left = left.saturating_sub(8 * L::BOARDS);
    }
    boards - left
}

/// Where the eight vectors of a block start, if `left` boards are left, at least one vector of them.
#[inline(always)]
pub(super) fn offsets<L: Lanes>(left: usize) -> [usize; 8] {
    let mut offsets = [0; 8];
    for v in 0..8 {
        offsets[v] = (v * L::BOARDS).min(left - L::BOARDS);
    }
    offsets
}

/// Makes the compiler align the stack of the function this is inlined into, for the vectors that it spills. Where
/// nothing else asks for it, spills may straddle cache lines, at up to twice the time, by the
/// caller's stack pointer.
#[inline(always)]
pub(super) fn align_stack() {
    #[repr(align(64))]
    struct Line(#[allow(dead_code, reason = "it takes up room")] [u8; 64]);
    // A variable of the function: a constant, or nothing at all, would not be on its stack.
    let line = core::mem::MaybeUninit::<Line>::uninit();
    black_box(line.as_ptr());
}

/// Does all boards vector by vector without slices; where that cannot be, board by board.
///
/// # Safety
/// As [`blocks`]; and the CPU has what `one` needs.
#[inline(always)]
pub(super) unsafe fn few<Op: Vectorwise<N>, L: Lanes, const N: usize>(
    inputs: [*const u64; N],
    output: *mut u64,
    boards: usize,
    one: impl Fn([u64; N]) -> u64,
) {
    // SAFETY: the caller's contract; every vector starts at or after 0 and ends at or before `boards`.
    unsafe {
        if boards < ONE_BY_ONE || (boards < L::BOARDS && !L::MASKED) {
            // More than one, a number that the compiler does not know: else it unrolls the loop.
            let several = L::BOARDS > ONE_BY_ONE && !L::MASKED;
            for i in 0..if several { black_box(boards) } else { boards } {
                let mut sets = [0; N];
                for n in 0..N {
                    sets[n] = inputs[n].add(i).read_unaligned();
                }
                output.add(i).write_unaligned(one(sets));
            }
        } else if L::MASKED {
            let mut start = 0;
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
            overlapping::<Op, L, N>(inputs, output, boards);
        }
    }
}

/// Fewer boards than this go one by one.
const ONE_BY_ONE: usize = 2;

/// Vector by vector; the last one is moved back onto the last boards, some of which it computes again: it
/// is loaded first, so that output and input may be the same.
///
/// # Safety
/// As [`blocks`]; and there is at least one vector of boards.
#[inline(always)]
pub(super) unsafe fn overlapping<Op: Vectorwise<N>, L: Lanes, const N: usize>(
    inputs: [*const u64; N],
    output: *mut u64,
    boards: usize,
) {
    let last = boards - L::BOARDS;
    // SAFETY: the caller's contract; no vector starts after `last`.
    unsafe {
        let mut at_end = [L::load(inputs[0].add(last)); N];
        for n in 1..N {
            at_end[n] = L::load(inputs[n].add(last));
        }
        let mut start = 0;
        loop {
            let mut loaded = at_end;
            if start < last {
                for n in 0..N {
                    loaded[n] = L::load(inputs[n].add(start));
                }
            }
            Op::vector(loaded).store(output.add(start.min(last)));
            if start >= last {
                return;
            }
            start += L::BOARDS;
        }
    }
}

/// As many whole vectors as there are; returns the number of boards done.
///
/// # Safety
/// As [`blocks`].
#[inline(always)]
pub(super) unsafe fn vectors<Op: Vectorwise<N>, L: Lanes, const N: usize>(
    inputs: [*const u64; N],
    output: *mut u64,
    boards: usize,
) -> usize {
    let whole = boards - boards % L::BOARDS;
    let mut start = 0;
    while start < whole {
        // SAFETY: the caller's contract; the vector ends at or before `whole`.
        unsafe {
            let mut loaded = [L::load(inputs[0].add(start)); N];
            for n in 1..N {
                loaded[n] = L::load(inputs[n].add(start));
            }
            Op::vector(loaded).store(output.add(start));
        }
        start += L::BOARDS;
    }
    whole
}
