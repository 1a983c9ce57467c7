//! Batches longer than any buffer of a kernel's own, of whole blocks and a tail, and whether their inputs stay.

use setwise_check::{Batch, Column, call, compare};

use crate::check::{Checked, Plan, Prepared};

/// Beyond 1,024 boards, 4,096 and 65,536, none a multiple of a block.
const LENGTHS: [usize; 3] = [1_027, 4_099, 65_606];

/// Every length that the budget allows, with the random boards over and over.
pub(crate) fn batches(plan: &Plan, prepared: &Prepared, batch: Batch<'_>) -> Checked {
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
        if let Some(name) = operation.changed_input(&before, columns.iter().map(Column::bytes)) {
            return Err(format!("{}: wrote to `{name}`", place()));
        }
    }
    Ok(compared)
}
