//! Every length from every misalignment, with guard words on both sides of every buffer.

use std::ops::Range;
use std::sync::{LazyLock, RwLock};

use crate::check::{Batch, Checked, Plan, Prepared, arguments, call, compare};
use crate::operations::{Argument, Role};

/// The boards in one block of the widest kernel.
const BLOCK: usize = 64;
/// Lengths up to four blocks and one board more: every tail after every number of blocks.
pub(crate) const LONGEST: usize = if cfg!(miri) { TAILS } else { 4 * BLOCK + 1 };
/// Lengths up to a block and a vector: every tail.
pub(crate) const TAILS: usize = BLOCK + 8;
/// A line: the start of a buffer is tried on each of its places for an element. (A slice is never
/// misaligned by less than that.)
const LINE: usize = 64;
/// The longest batch of [`long`].
const VERY_LONG: usize = 1100;
/// What may be written wrongly beyond either end: a block.
const MARGIN: usize = 8 * BLOCK;

/// A buffer of bytes, with data somewhere between guards.
struct Guarded {
    words: Vec<u64>,
    data: Range<usize>,
}

/// What the words are where there is no data: no two in a neighbourhood are alike.
static GUARDS: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let guard = |n: u64| (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bytes = LINE + MARGIN + LINE + 8 * VERY_LONG + MARGIN;
    (0..bytes as u64 / 8).map(guard).collect()
});

impl Guarded {
    fn new() -> Guarded {
        Guarded {
            words: GUARDS.clone(),
            data: 0..0,
        }
    }

    /// Puts the data `offset` bytes after the start of a line, and guards everywhere else.
    fn place(&mut self, offset: usize, data: &[u8]) -> &mut [u8] {
        self.words.copy_from_slice(&GUARDS);
        let line = 8 * self.words.as_ptr().align_offset(LINE);
        assert!(line < LINE, "a vector of words starts on a word");
        let start = line + MARGIN + offset;
        self.data = start..start + data.len();
        let place = &mut bytemuck::cast_slice_mut(&mut self.words)[self.data.clone()];
        place.copy_from_slice(data);
        place
    }

    fn data(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[self.data.clone()]
    }

    /// Where a guard was written over, in bytes from the data's start.
    fn written_outside(&self) -> Option<isize> {
        let (bytes, guards): (&[u8], &[u8]) = (
            bytemuck::cast_slice(&self.words),
            bytemuck::cast_slice(&GUARDS),
        );
        let Range { start, end } = self.data;
        if bytes[..start] == guards[..start] && bytes[end..] == guards[end..] {
            return None;
        }
        let differs = |&i: &usize| bytes[i] != guards[i];
        let at = (0..start).chain(end..bytes.len()).find(differs)?;
        Some(at.cast_signed() - start.cast_signed())
    }
}

/// Every length, each from some misalignments: of the 512 ways to place three arguments on the words of a line (others
/// go with them), as many as the budget says, others at each length.
pub(crate) fn every_length(plan: &Plan, prepared: &Prepared, batch: Batch) -> Checked {
    if plan.config.budget.misalignments == 0 {
        return Ok(0);
    }
    let _shared = STREAMING.read();
    let long = (TAILS + 1..=LONGEST).step_by(plan.config.budget.long_lengths_every);
    let lengths = (0..=TAILS).chain(long);
    misaligned(
        plan,
        prepared,
        batch,
        lengths,
        plan.config.budget.misalignments,
    )
}

/// For how batches are written one setting holds for all threads.
static STREAMING: RwLock<()> = RwLock::new(());

/// Long batches: written past the caches, from a few boards on; and by ordinary stores, when a first step makes the rest aligned.
pub(crate) fn long(plan: &Plan, prepared: &Prepared, batch: Batch) -> Checked {
    // Stores past the caches are assembly, which the interpreter has not.
    if cfg!(miri) {
        return Ok(0);
    }
    let _alone = STREAMING.write();
    let before = setwise::streaming_threshold();
    let budget = &plan.config.budget;
    let mut compared = 0;
    // With two outputs from 65 boards on, with one from 129.
    let few = (60..=LONGEST).step_by(budget.long_lengths_every.min(13));
    let many = [1023, 1024, 1025, VERY_LONG];
    let lengths: [(usize, Vec<usize>); 2] = [(0, few.collect()), (usize::MAX, many.to_vec())];
    for (threshold, lengths) in lengths {
        setwise::set_streaming_threshold(threshold);
        // (Each length goes on where the last one stopped in the ways to place buffers.)
        let misalignments = budget.misalignments.max(2);
        let checked = misaligned(plan, prepared, batch, lengths.into_iter(), misalignments);
        setwise::set_streaming_threshold(before);
        compared += checked?;
    }
    Ok(compared)
}

/// Batches of some lengths, each from so many misalignments.
fn misaligned(
    plan: &Plan,
    prepared: &Prepared,
    batch: Batch,
    lengths: impl Iterator<Item = usize>,
    misalignments: usize,
) -> Checked {
    let operation = &prepared.operation;
    let (cases, expected) = plan.random_cases(prepared);
    let mut buffers: Vec<Guarded> = operation.arguments().map(|_| Guarded::new()).collect();
    let (mut compared, mut calls) = (0, 0..);
    for length in lengths {
        for call_number in calls.by_ref().take(misalignments) {
            // 211 is odd, so 512 calls in a row go through all placements on words; and there on an element.
            let placement = call_number * 211 % 512;
            let offset = |(n, argument): (usize, &Argument)| {
                8 * ((placement >> (3 * (n % 3)) & 7) ^ (n / 3 * 5) & 7)
                    + call_number * argument.size % 8
            };
            let offsets: Vec<usize> = operation.arguments().enumerate().map(offset).collect();
            let from = call_number * 31 % (cases.len() - LONGEST);
            // Round and round the random boards, of which there may be fewer.
            let number = |i: usize| (from + i) % cases.len();
            let cases: Vec<_> = (0..length).map(|i| cases[number(i)]).collect();

            let columns = arguments(operation, &cases);
            let placed = buffers.iter_mut().zip(&offsets).zip(&columns);
            let placed = placed.map(|((buffer, &at), column)| buffer.place(at, column.bytes()));
            let outputs = call(operation, placed, batch);
            let results = compare(operation, &cases, &outputs, |m, i| expected[m][number(i)]);

            let title = operation.title();
            let place =
                || format!("{title}, {length} boards, {offsets:?} bytes into 64-byte lines");
            for ((argument, buffer), column) in operation.arguments().zip(&buffers).zip(&columns) {
                let input = argument.role != Role::Output;
                let kept = !input || buffer.data() == column.bytes();
                if let Some(at) = buffer.written_outside().or((!kept).then_some(0)) {
                    let (name, place) = (argument.name, place());
                    return Err(format!("{place}: wrote to or around `{name}` at byte {at}"));
                }
            }
            compared +=
                results.map_err(|(at, drawn)| format!("{}, board {at}:\n{drawn}", place()))?;
        }
    }
    Ok(compared)
}
