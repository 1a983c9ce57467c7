//! Tries batches of every length at many misalignments. Guard words on both sides of every buffer
//! reveal stray writes.

use setwise::reflection::Argument;
use setwise_check::{BatchFn, call, compare};

use crate::check::{Checked, Plan, Prepared};

/// The number of boards in a block of the widest kernel.
const BLOCK: usize = 64;
/// The longest batch of [`every_length`]: four blocks and one board, so that every length of tail
/// is tried after 0, 1, 2 and 3 full blocks.
pub(crate) const LONGEST: usize = if cfg!(miri) { TAILS } else { 4 * BLOCK + 1 };
/// One block and one vector of the widest kernel, in boards. This covers every length of tail.
pub(crate) const TAILS: usize = BLOCK + 8;
/// The longest batch of [`long`], which Miri does not try.
pub(crate) const VERY_LONG: usize = if cfg!(miri) { LONGEST } else { 1100 };

/// Tries every length at several alignments. Each of the first three arguments can start at any of
/// the eight words of a cache line, which makes 512 combinations. The offsets of further arguments
/// follow from those three. The budget limits how many combinations are tried per length, and
/// successive lengths try different ones.
pub(crate) fn every_length(plan: &Plan, prepared: &Prepared, batch: BatchFn<'_>) -> Checked {
    if plan.config.budget.misalignments == 0 {
        return Ok(0);
    }
    let long = (TAILS + 1..=LONGEST).step_by(plan.config.budget.long_lengths_every);
    let lengths = (0..=TAILS).chain(long);
    misaligned(plan, prepared, batch, lengths, plan.config.budget.misalignments)
}

/// Tries batches that are longer than any internal buffer of a kernel.
pub(crate) fn long(plan: &Plan, prepared: &Prepared, batch: BatchFn<'_>) -> Checked {
    // Miri is too slow.
    if cfg!(miri) {
        return Ok(0);
    }
    let lengths = [1023, 1024, 1025, VERY_LONG].into_iter();
    let checked = misaligned(plan, prepared, batch, lengths, plan.config.budget.misalignments)?;
    if !plan.config.budget.long_batches {
        return Ok(checked);
    }
    let operation = &prepared.operation;
    let (random, expected) = plan.random_cases(prepared);
    let cases: Vec<_> = random.iter().copied().cycle().take(65_606).collect();
    let mut columns = operation.columns(&cases);
    let outputs = call(operation, &mut columns, batch);
    let compared = compare(operation, &cases, &outputs, expected, |i| i % random.len());
    let failed = |mismatch| format!("{}, {} boards, {mismatch}", operation.title(), cases.len());
    Ok(checked + compared.map_err(failed)?)
}

/// Tries batches of the given lengths at `misalignments` misalignments each.
fn misaligned(
    plan: &Plan,
    prepared: &Prepared,
    batch: BatchFn<'_>,
    lengths: impl Iterator<Item = usize>,
    misalignments: usize,
) -> Checked {
    let operation = &prepared.operation;
    let (boards, expected, random) = plan.random_boards(prepared);
    let lengths: Vec<usize> = lengths.collect();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let mut buffers = operation.guarded(longest);
    let (mut compared, mut calls) = (0, 0..);
    for length in lengths {
        for call_number in calls.by_ref().take(misalignments) {
            // Because 211 is odd, 512 consecutive calls try all combinations of word offsets. The
            // second term of the offset misaligns elements that are smaller than a word.
            let placement = call_number * 211 % 512;
            let offset = |(n, argument): (usize, &Argument)| {
                8 * ((placement >> (3 * (n % 3)) & 7) ^ (n / 3 * 5) & 7)
                    + call_number * argument.element().size() % 8
            };
            let offsets: Vec<usize> = operation.arguments().enumerate().map(offset).collect();
            let from = call_number * 31 % random;
            let checked = operation.check_guarded(
                (boards, from..from + length),
                (&mut buffers, &offsets),
                (expected, |i| (from + i) % random),
                batch,
            );
            compared += checked.map_err(|what| {
                let title = operation.title();
                format!("{title}, {length} boards, {offsets:?} bytes into 64-byte lines: {what}")
            })?;
        }
    }
    Ok(compared)
}
