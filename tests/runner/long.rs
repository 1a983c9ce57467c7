//! Batches longer than any buffer of a kernel's own, of whole blocks and a tail, and what becomes of their inputs.

use crate::check::{Batch, Checked, Plan, Prepared, arguments, call, compare};
use crate::operations::Role;

/// Beyond 1,024 boards, 4,096 and 65,536, none a multiple of a block.
const LENGTHS: [usize; 3] = [1_027, 4_099, 65_606];

/// Every length that the budget allows, the random boards over and over.
pub(crate) fn batches(plan: &Plan, prepared: &Prepared, batch: Batch) -> Checked {
    let operation = &prepared.operation;
    let (random, expected) = plan.random_cases(prepared);
    let mut compared = 0;
    for length in LENGTHS
        .into_iter()
        .take_while(|&length| length <= plan.config.budget.longest_batch)
    {
        let cases: Vec<_> = random.iter().copied().cycle().take(length).collect();
        let before = arguments(operation, &cases);
        let mut columns = before.clone();
        let outputs = call(operation, &mut columns, batch);
        let results = compare(operation, &cases, &outputs, |m, i| {
            expected[m][i % random.len()]
        });
        compared += results.map_err(|(at, drawn)| {
            format!("{}, board {at} of {length}:\n{drawn}", operation.title())
        })?;
        for ((argument, before), after) in operation.arguments().zip(&before).zip(&columns) {
            if argument.role != Role::Output && before != after {
                return Err(format!(
                    "{}, {length} boards: wrote to `{}`",
                    operation.title(),
                    argument.name
                ));
            }
        }
    }
    Ok(compared)
}
