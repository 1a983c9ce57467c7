//! Calls on legal moves as a C library, which `crates/python/bench.py` compares with Python's.
//!
//! The results are in memory that a call allocates, as in Python.

use std::hint::black_box;
use std::slice;

use setwise::moves::{GamePosition, Move, legal_counts, legal_moves};

/// The sum of the legal moves of the positions.
///
/// # Safety
/// `positions` holds `count` positions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rust_legal_counts(positions: *const GamePosition, count: usize) -> u64 {
    // SAFETY: the caller's contract.
    let positions = unsafe { slice::from_raw_parts(positions, count) };
    let (mut moves, mut checks) = (vec![0; count], vec![0; count]);
    legal_counts(positions, &mut moves, &mut checks);
    black_box(checks);
    moves.iter().map(|&moves| u64::from(moves)).sum()
}

/// The same from lists of the moves. The positions have at most 64 moves on average.
///
/// # Safety
/// `positions` holds `count` positions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rust_legal_moves(positions: *const GamePosition, count: usize) -> u64 {
    // SAFETY: the caller's contract.
    let positions = unsafe { slice::from_raw_parts(positions, count) };
    let (mut offsets, mut moves) = (vec![0; count + 1], vec![Move::default(); 64 * count]);
    let done = legal_moves(positions, &mut offsets, &mut moves);
    black_box(moves);
    if done == count { offsets[count].into() } else { 0 }
}
