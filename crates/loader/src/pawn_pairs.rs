//! Pairs of pawns on the same file or neighbouring ones.

use crate::summary::{E_TO_H, PIECES, Summary};

/// The numbers of pawns.
const PAWNS: u32 = 96;

/// The number of inputs.
pub(crate) const COUNT: u32 = PAWNS * (PAWNS - 1) / 2;

/// The most pairs, and room for a block after them.
const MOST: usize = PIECES * (PIECES - 1) / 2 + VECTOR;

/// The pairs of a pawn that are written at once.
const BLOCK: usize = 4;

/// The numbers of a vector.
const VECTOR: usize = 8;

/// The room that the pairs of this many pawns need.
#[inline(always)]
pub(crate) fn room(pawns: usize) -> usize {
    pawns * pawns.saturating_sub(1) / 2 + VECTOR
}

/// By file: it and its neighbours.
const NEAR: [u64; 8] = {
    let (mut near, mut file) = ([0; 8], 0);
    while file < 8 {
        // Shifted to the left, so that the a-file's left neighbour is off the board.
        near[file] = ((0b111 << file) >> 1 & 0xff) * 0x0101_0101_0101_0101;
        file += 1;
    }
    near
};

/// Memory for the pairs of a position. Numbers of White's and of Black's view are one word: White's
/// is in the low half.
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    /// By square.
    numbers: [u32; 64],
    /// Both pawns of each pair.
    upper: [u32; MOST],
    lower: [u32; MOST],
}

impl Memory {
    pub(crate) const EMPTY: Memory =
        Memory { numbers: [0; 64], upper: [0; MOST], lower: [0; MOST] };
}

/// Writes the indices of White's and of Black's view, from `start` on. Returns their number, which
/// is that of both views.
#[inline(always)]
pub(crate) fn append(
    start: u32,
    summary: &Summary,
    memory: &mut Memory,
    [white, black]: [&mut [u32]; 2],
) -> usize {
    let Memory { numbers, upper, lower } = memory;
    let [white_flip, black_flip] = summary.flips(E_TO_H).map(u32::from);
    let flips = white_flip | black_flip << 16;
    // A pawn's number is its square minus 8, plus 48 if it is the other side's. Squares are at
    // least 8, so the halves do not affect each other.
    let others = [48_u32, 48 << 16];
    let (mut left, mut count) = (summary.pawns, 0);
    while left != 0 {
        let square = left.trailing_zeros() & 63;
        left &= left - 1;
        let other = others[(summary.white_pawns >> square & 1) as usize];
        let number = ((square * 0x1_0001) ^ flips) + other - 0x8_0008;
        numbers[square as usize] = number;
        let mut near = summary.pawns & NEAR[square as usize & 7] & ((1 << square) - 1);
        let (all, mut at) = (near.count_ones() as usize, count);
        // More than a few are rare, so how often this loop runs is easy to predict.
        while near != 0 {
            upper[at..at + BLOCK].fill(number);
            for pair in &mut lower[at..at + BLOCK] {
                *pair = numbers[(near.trailing_zeros() & 63) as usize];
                near &= near.wrapping_sub(1);
            }
            at += BLOCK;
        }
        count += all;
    }
    let room = count.next_multiple_of(VECTOR);
    let (upper, lower) = (&upper[..room], &lower[..room]);
    for (view, room) in [white, black].into_iter().enumerate() {
        let shift = 16 * view;
        let pairs = upper.iter().zip(lower);
        for (index, (upper, lower)) in room[..upper.len()].iter_mut().zip(pairs) {
            let [upper, lower] = [upper, lower].map(|number| number >> shift & 0xffff);
            let (high, low) = (upper.max(lower), upper.min(lower));
            *index = start + high * high.wrapping_sub(1) / 2 + low;
        }
    }
    count
}
