//! Tries batches that are longer than any internal buffer of a kernel. Also checks that the kernels
//! do not change their inputs.

use setwise_check::{BatchFn, Column, call, compare};

use crate::check::{Checked, Plan, Prepared};

/// Slightly more than 1,024, 4,096 and 65,536 boards, so that each batch ends in a tail.
const LENGTHS: [usize; 3] = [1_027, 4_099, 65_606];

/// Tries every length that the budget allows, with the random boards repeated.
pub(crate) fn batches(plan: &Plan, prepared: &Prepared, batch: BatchFn<'_>) -> Checked {
    let operation = &prepared.operation;
    let (random, expected) = plan.random_cases(prepared);
    let longest = plan.config.budget.longest_batch;
    let mut compared = 0;
    for length in LENGTHS.into_iter().take_while(|&length| length <= longest) {
        let cases: Vec<_> = random.iter().copied().cycle().take(length).collect();
        let before = operation.columns(&cases);
        let mut columns = before.clone();
        let outputs = call(operation, &mut columns, batch);
        let results = compare(operation, &cases, &outputs, expected, |i| i % random.len());
        let place = || format!("{}, {length} boards", operation.title());
        compared += results.map_err(|mismatch| format!("{}, {mismatch}", place()))?;
        if let Some(name) = operation
            .changed_input(before.iter().map(Column::bytes), columns.iter().map(Column::bytes))
        {
            return Err(format!("{}: wrote to the input `{name}`", place()));
        }
    }
    Ok(compared)
}
