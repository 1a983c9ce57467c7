//! One batch function against the oracle, and what is shown when they differ.

use std::fmt::Write as _;
use std::sync::OnceLock;

use quickcheck::Arbitrary as _;

use crate::cases::{self, Case, List};
use crate::column::{Column, get, set};
use crate::config::Config;
use crate::operations::{Argument, Operation, operations, step_of};
use crate::oracle::Step;
use crate::positions::Cases;

/// Everything that the trials share.
pub(crate) struct Plan {
    pub(crate) config: Config,
    lists: Vec<List>,
    pub(crate) operations: Vec<Prepared>,
    positions: OnceLock<Cases>,
}

/// An operation with the oracle's results for each list, which all kernels share.
pub(crate) struct Prepared {
    pub(crate) operation: Operation,
    /// For each list the values of each output.
    expected: Vec<OnceLock<Vec<Vec<u64>>>>,
}

/// The function under test: the inputs and the outputs, all of the same length.
pub(crate) type Batch<'a> = &'a dyn Fn(&[&[u8]], &mut [&mut [u8]]);

/// The number of results compared, or the failure for people to read.
pub(crate) type Checked = Result<u64, String>;

impl Plan {
    pub(crate) fn new(config: Config) -> Plan {
        let lists = cases::lists(&config);
        let prepared = |operation| Prepared {
            operation,
            expected: lists.iter().map(|_| OnceLock::new()).collect(),
        };
        Plan {
            operations: operations().into_iter().map(prepared).collect(),
            config,
            lists,
            positions: OnceLock::new(),
        }
    }

    /// Whole positions, with what the oracle says of each.
    pub(crate) fn positions(&self) -> &Cases {
        self.positions.get_or_init(|| Cases::new(&self.config))
    }

    /// The names of the operations, each once.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        let operations = self.operations.iter();
        let mut names: Vec<_> = operations.map(|prepared| prepared.operation.name).collect();
        names.dedup();
        names
    }

    /// A function of batches against the oracle, on every list that concerns the operation: in batches of
    /// any length up to a thousand, most of which end in a tail; and again in batches of a few
    /// boards, for which kernels may have other ways.
    pub(crate) fn in_batches(&self, prepared: &Prepared, batch: Batch) -> Checked {
        let few = self.config.budget.few_boards_every;
        if few == usize::MAX {
            return Ok(0);
        }
        Ok(self.every_list(prepared, batch, 1000, 1)?
            + self.every_list(prepared, batch, 32, few)?)
    }

    /// A function of one board against the oracle, on every list that concerns the operation.
    pub(crate) fn board_by_board(
        &self,
        prepared: &Prepared,
        one: impl Fn(&[u64]) -> Vec<u64>,
    ) -> Checked {
        let (inputs, outputs) = (&prepared.operation.inputs, &prepared.operation.outputs);
        let batch = |columns: &[&[u8]], results: &mut [&mut [u8]]| {
            for i in 0..results[0].len() / outputs[0].size {
                let columns = inputs.iter().zip(columns);
                let values = columns.map(|(input, column)| get(column, input.size, i));
                let values = one(&values.collect::<Vec<u64>>());
                for ((output, result), value) in outputs.iter().zip(&mut *results).zip(values) {
                    set(result, output.size, i, value);
                }
            }
        };
        let checked = self.every_list(prepared, &batch, 1000, 1);
        checked.map_err(|failure| format!("for one board, {failure}"))
    }

    /// The random cases and the oracle's results for them.
    pub(crate) fn random_cases<'a>(&self, prepared: &'a Prepared) -> (Vec<Case>, &'a [Vec<u64>]) {
        let cases = self.cases(&prepared.operation, 0).collect();
        (cases, self.expected(prepared, 0))
    }

    /// The cases of each list that concern sliders with these steps.
    pub(crate) fn every_case(&self, steps: &[Step]) -> impl Iterator<Item = Vec<Case>> {
        self.lists
            .iter()
            .map(|list| list.cases(steps, &[]).collect())
    }

    fn cases<'a>(
        &'a self,
        operation: &Operation,
        list: usize,
    ) -> impl Iterator<Item = Case> + use<'a> {
        let steps = |rays: &[_]| rays.iter().copied().map(step_of).collect::<Vec<_>>();
        self.lists[list].cases(&steps(&operation.rays), &steps(&operation.other_rays))
    }

    fn expected<'a>(&self, prepared: &'a Prepared, list: usize) -> &'a [Vec<u64>] {
        let operation = &prepared.operation;
        prepared.expected[list].get_or_init(|| oracle(operation, self.cases(operation, list)))
    }

    /// Every how-manieth case of every list, in batches of up to so many boards.
    fn every_list(
        &self,
        prepared: &Prepared,
        batch: Batch,
        longest: usize,
        every: usize,
    ) -> Checked {
        let operation = &prepared.operation;
        let mut rng = fastrand::Rng::with_seed(self.config.seed);
        let mut compared = 0;
        for (number, list) in self.lists.iter().enumerate() {
            let expected = self.expected(prepared, number);
            let mut cases = self.cases(operation, number).enumerate().step_by(every);
            loop {
                let chunk = cases.by_ref().take(rng.usize(1..=longest));
                let (places, chunk): (Vec<usize>, Vec<Case>) = chunk.unzip();
                if chunk.is_empty() {
                    break;
                }
                let outputs = run(operation, &chunk, batch);
                let expected = |output: usize, board: usize| expected[output][places[board]];
                let compared_now = compare(operation, &chunk, &outputs, expected);
                compared += compared_now.map_err(|_| {
                    let failure = describe(operation, &smallest(operation, chunk, batch), batch);
                    format!("list `{}`: {failure}", list.name)
                })?;
            }
        }
        Ok(compared)
    }
}

/// The meaning of these boards: for each output its values.
fn oracle(operation: &Operation, cases: impl Iterator<Item = Case>) -> Vec<Vec<u64>> {
    let mut expected = vec![vec![]; operation.outputs.len()];
    for case in cases {
        let results = (operation.oracle)(&case.inputs(operation));
        for (values, result) in expected.iter_mut().zip(results) {
            values.push(result);
        }
    }
    expected
}

/// All arguments for these boards: the inputs, and outputs to be written. Those are neither empty nor full, so that a
/// board that is not written is not right by chance.
pub(crate) fn arguments(operation: &Operation, cases: &[Case]) -> Vec<Column> {
    let column = |argument: &Argument| {
        let value = |case: &Case| case.input(argument.role);
        Column::new(argument.size, cases.iter().map(value))
    };
    operation.arguments().map(column).collect()
}

/// Calls a batch with all arguments, and returns the outputs.
pub(crate) fn call<'a, C: Into<&'a mut [u8]>>(
    operation: &Operation,
    arguments: impl IntoIterator<Item = C>,
    batch: Batch,
) -> Vec<&'a mut [u8]> {
    let mut inputs: Vec<&mut [u8]> = arguments.into_iter().map(Into::into).collect();
    let mut outputs = inputs.split_off(operation.inputs.len());
    let inputs: Vec<&[u8]> = inputs.into_iter().map(|input| &*input).collect();
    batch(&inputs, &mut outputs);
    outputs
}

/// The outputs for these boards.
fn run(operation: &Operation, cases: &[Case], batch: Batch) -> Vec<Column> {
    let mut columns = arguments(operation, cases);
    call(operation, &mut columns, batch);
    columns.split_off(operation.inputs.len())
}

/// The number of results that are the expected ones; or the first board with a wrong one, and that drawn.
pub(crate) fn compare(
    operation: &Operation,
    cases: &[Case],
    outputs: &[impl AsRef<[u8]>],
    expected: impl Fn(usize, usize) -> u64,
) -> Result<u64, (usize, String)> {
    for (m, (output, column)) in operation.outputs.iter().zip(outputs).enumerate() {
        for (board, case) in cases.iter().enumerate() {
            let got = get(column.as_ref(), output.size, board);
            if got != expected(m, board) {
                let inputs = case.inputs(operation);
                let drawn = drawn(operation, output.name, &inputs, got, expected(m, board));
                return Err((board, drawn));
            }
        }
    }
    Ok((outputs.len() * cases.len()) as u64)
}

/// The first wrong board, if there is one.
fn wrong(operation: &Operation, cases: &[Case], batch: Batch) -> Option<(usize, String)> {
    let expected = oracle(operation, cases.iter().copied());
    let outputs = run(operation, cases, batch);
    compare(operation, cases, &outputs, |m, board| expected[m][board]).err()
}

/// Shrinks a failing batch as long as it fails, within reason.
fn smallest(operation: &Operation, mut batch: Vec<Case>, run: Batch) -> Vec<Case> {
    let fails = |batch: &[Case]| wrong(operation, batch, run).is_some();
    // Before quickcheck's general way, what mostly works: the wrong board alone; or, if it is wrong
    // for its place in the batch, the shortest end of the batch, and nothing on the other boards.
    if let Some((number, ..)) = wrong(operation, &batch, run) {
        let alone = vec![batch[number]];
        let ends = (1..batch.len()).map(|length| batch[batch.len() - length..].to_vec());
        if let Some(shorter) = std::iter::once(alone).chain(ends).find(|end| fails(end)) {
            batch = shorter;
        }
    }
    if let Some((number, ..)) = wrong(operation, &batch, run) {
        let mut cleared = vec![Case::default(); batch.len()];
        cleared[number] = batch[number];
        if fails(&cleared) {
            batch = cleared;
        }
    }
    let mut boards_left = 2_000_000_usize;
    'smaller: loop {
        for candidate in batch.shrink() {
            boards_left = boards_left.saturating_sub(1 + candidate.len());
            if boards_left == 0 {
                return batch;
            }
            if fails(&candidate) {
                batch = candidate;
                continue 'smaller;
            }
        }
        return batch;
    }
}

fn describe(operation: &Operation, batch: &[Case], run: Batch) -> String {
    let (title, length) = (operation.title(), batch.len());
    match wrong(operation, batch, run) {
        Some((board, drawn)) => format!("{title}, board {board} of a batch of {length}:\n{drawn}"),
        None => format!("{title}: it failed once and then no more"),
    }
}

/// The inputs, an output, what is expected and the difference as numbers and side by side as boards.
fn drawn(operation: &Operation, output: &str, inputs: &[u64], got: u64, expected: u64) -> String {
    let names = operation.inputs.iter().map(|input| input.name);
    let mut boards: Vec<(&str, u64)> = names.zip(inputs.iter().copied()).collect();
    boards.extend([
        ("got", got),
        ("expected", expected),
        ("difference", got ^ expected),
    ]);
    let mut text = format!("  got {output}:\n");
    for (name, board) in &boards {
        let _ = writeln!(text, "  {name:12} {board:#018x}");
    }
    text.push(' ');
    for (name, _) in &boards {
        let _ = write!(text, "  {name:<16}");
    }
    text.push('\n');
    for rank in (0..8).rev() {
        let _ = write!(text, "{}", rank + 1);
        for &(_, board) in &boards {
            let square = |file: i32| {
                let there = board >> (8 * rank + file) & 1 == 1;
                if there { " x" } else { " ." }
            };
            let squares: String = (0..8).map(square).collect();
            let _ = write!(text, "  {squares}");
        }
        text.push('\n');
    }
    text
}
