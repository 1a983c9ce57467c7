//! Tries batches of every length at many misalignments, with guard words on both sides of every
//! buffer.

use std::sync::RwLock;

use setwise::Argument;
use setwise::Streaming;
use setwise_check::Batch;

use crate::check::{Checked, Plan, Prepared};

/// The number of boards in a block of the widest kernel.
const BLOCK: usize = 64;
/// The longest batch of [`every_length`]: four blocks and one board, so that every tail comes after
/// up to three blocks.
pub(crate) const LONGEST: usize = if cfg!(miri) { TAILS } else { 4 * BLOCK + 1 };
/// The length of a block and a vector, which is enough for every tail.
pub(crate) const TAILS: usize = BLOCK + 8;
/// The longest batch of [`long`].
const VERY_LONG: usize = 1100;

/// Tries every length at several misalignments. There are 512 ways to place three arguments on the
/// words of a cache line, and these determine the places of further arguments. The budget limits
/// how many ways are tried per length. Each length tries different ways.
pub(crate) fn every_length(plan: &Plan, prepared: &Prepared, batch: Batch<'_>) -> Checked {
    if plan.config.budget.misalignments == 0 {
        return Ok(0);
    }
    let _shared = STREAMING.read();
    let long = (TAILS + 1..=LONGEST).step_by(plan.config.budget.long_lengths_every);
    let lengths = (0..=TAILS).chain(long);
    misaligned(plan, prepared, batch, lengths, plan.config.budget.misalignments)
}

/// Guards the streaming threshold, which applies to all threads.
static STREAMING: RwLock<()> = RwLock::new(());

/// Tries long batches. With non-temporal stores (threshold 0), few boards are enough. With ordinary
/// stores, long batches are peeled.
pub(crate) fn long(plan: &Plan, prepared: &Prepared, batch: Batch<'_>) -> Checked {
    // Miri has no non-temporal stores.
    if cfg!(miri) {
        return Ok(0);
    }
    let _alone = STREAMING.write();
    let before = setwise::streaming_threshold();
    let budget = &plan.config.budget;
    let mut compared = 0;
    // Batches of 65 or more boards stream if there are two outputs, and batches of 129 or more if
    // there is one.
    let few: Vec<usize> = (60..=LONGEST).step_by(budget.long_lengths_every.min(13)).collect();
    let many = vec![1023, 1024, 1025, VERY_LONG];
    let ways = [
        (0, Streaming::Always, few.clone()),
        (0, Streaming::Never, few),
        (usize::MAX, Streaming::Measured, many),
    ];
    for (threshold, way, lengths) in ways {
        setwise::set_streaming_threshold(threshold);
        setwise::set_streaming(way);
        // Each length continues with the placements after those of the previous length.
        let misalignments = budget.misalignments.max(2);
        let checked = misaligned(plan, prepared, batch, lengths.into_iter(), misalignments);
        setwise::set_streaming(Streaming::Measured);
        setwise::set_streaming_threshold(before);
        compared += checked?;
    }
    Ok(compared)
}

/// Tries batches of the given lengths at `misalignments` misalignments each.
fn misaligned(
    plan: &Plan,
    prepared: &Prepared,
    batch: Batch<'_>,
    lengths: impl Iterator<Item = usize>,
    misalignments: usize,
) -> Checked {
    let operation = &prepared.operation;
    let (random, expected) = plan.random_cases(prepared);
    let lengths: Vec<usize> = lengths.collect();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let mut buffers = operation.guarded(longest);
    let (mut compared, mut calls) = (0, 0..);
    for length in lengths {
        for call_number in calls.by_ref().take(misalignments) {
            // Because 211 is odd, 512 consecutive calls try all placements on words. The second
            // term of the offset misaligns elements smaller than a word.
            let placement = call_number * 211 % 512;
            let offset = |(n, argument): (usize, &Argument)| {
                8 * ((placement >> (3 * (n % 3)) & 7) ^ (n / 3 * 5) & 7)
                    + call_number * argument.element().size() % 8
            };
            let offsets: Vec<usize> = operation.arguments().enumerate().map(offset).collect();
            let from = call_number * 31 % (random.len() - LONGEST);
            let number = |i: usize| (from + i) % random.len();
            let cases: Vec<_> = (0..length).map(|i| random[number(i)]).collect();

            let checked = operation.check_guarded(
                &cases,
                (&mut buffers, &offsets),
                (expected, number),
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
