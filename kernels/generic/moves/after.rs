//! The positions after moves, in columns.

use super::list::{planes, state};
use super::play::play;
use crate::kernels::geometry::{AfterColumns, Move, PlaneColumns, State};

/// Writes the position after each move of positions `from` to `count`. See
/// [`successors_in_planes`](crate::Kernel::successors_in_planes).
///
/// # Safety
/// The columns are valid for `count` positions, `offsets` for one more, `moves` and the results for
/// the last offset.
#[inline(always)]
pub(crate) unsafe fn successors<P: Play>(
    vectors: P,
    columns: &PlaneColumns,
    count: usize,
    offsets: *const u32,
    moves: *const Move,
    after: &AfterColumns,
) {
    for i in 0..count {
        // SAFETY: the columns have a position `i`, and the others its moves.
        unsafe {
            let (first, end) = (offsets.add(i).read() as usize, offsets.add(i + 1).read() as usize);
            let (planes, state) = (planes(columns, i), state(columns, i));
            let done = vectors.play(planes, state, moves, first, end, after);
            for n in done..end {
                one(planes, state, moves, n, after);
            }
        }
    }
}

/// The position after move `n`.
///
/// # Safety
/// As [`successors`].
#[inline(always)]
pub(crate) unsafe fn one(
    planes: [u64; 4],
    state: State,
    moves: *const Move,
    n: usize,
    after: &AfterColumns,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let (planes, state) = play(planes, state, moves.add(n).read_unaligned());
        for i in 0..4 {
            after.planes[i].add(n).write_unaligned(planes[i]);
        }
        after.side.add(n).write(state.side);
        after.en_passant.add(n).write(state.en_passant);
        after.castling[0].add(n).write(state.castling[0]);
        after.castling[1].add(n).write(state.castling[1]);
    }
}

/// Makes several moves of a position at once.
pub(crate) trait Play: Copy {
    /// Writes the positions after moves from `first` on, and returns the first that is left.
    ///
    /// # Safety
    /// As [`successors`].
    unsafe fn play(
        self,
        planes: [u64; 4],
        state: State,
        moves: *const Move,
        first: usize,
        end: usize,
        after: &AfterColumns,
    ) -> usize;
}

/// One move after the other.
#[derive(Clone, Copy)]
pub(crate) struct Singly;

impl Play for Singly {
    #[inline(always)]
    unsafe fn play(
        self,
        _: [u64; 4],
        _: State,
        _: *const Move,
        first: usize,
        _: usize,
        _: &AfterColumns,
    ) -> usize {
        first
    }
}
