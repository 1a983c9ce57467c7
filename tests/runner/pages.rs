//! Tries batches of every length next to inaccessible memory pages.
//!
//! A guard word reveals writes outside a buffer, but not reads. So every length is tried again with
//! buffers that end right before an inaccessible page, and with buffers that start right after one.

use setwise_check::{BatchFn, Pages, call, compare};

use crate::buffers::{LONGEST, TAILS};
use crate::check::{Checked, Plan, Prepared};

/// The only lengths to try under Miri, which is slow: zero, lengths below a vector of eight boards,
/// one vector, and lengths with a remainder.
const LENGTHS_UNDER_MIRI: [usize; 6] = [0, 1, 7, 8, 13, 69];

/// Tries every length right before and right after inaccessible pages.
pub(crate) fn every_length(plan: &Plan, prepared: &Prepared, batch: BatchFn<'_>) -> Checked {
    let operation = &prepared.operation;
    let (boards, expected, random) = plan.random_boards(prepared);
    let size = |argument: &setwise::reflection::Argument| argument.element().size() * LONGEST;
    let mut pages: Vec<Pages> =
        operation.arguments().map(|argument| Pages::new(size(argument))).collect();
    let longest = if plan.config.budget.long_batches { LONGEST } else { TAILS };
    let mut compared = 0;
    for (at_end, every) in [(true, 1), (false, plan.config.budget.after_page_every)] {
        let lengths = (0..=longest).step_by(every);
        for length in lengths.filter(|length| !cfg!(miri) || LENGTHS_UNDER_MIRI.contains(length)) {
            let placed = pages.iter_mut().zip(boards.memory(operation, 0..length));
            let placed = placed.map(|(pages, data)| pages.place(data, at_end));
            let outputs = call(operation, placed, batch);
            let cases = &boards.cases()[..length];
            let results = compare(operation, cases, &outputs, expected, |i| i % random);
            compared += results.map_err(|mismatch| {
                format!("{}, {length} boards, {mismatch}", operation.title())
            })?;
        }
    }
    Ok(compared)
}
