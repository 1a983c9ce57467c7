//! One batch function against the oracle, and what is shown when they differ.

use std::fmt::Write as _;
use std::sync::OnceLock;

use quickcheck::Arbitrary as _;

use crate::cases::{self, Case, List};
use crate::config::Config;
use crate::operations::{self, Operation, step_of};

/// Everything that the trials share.
pub(crate) struct Plan {
    pub(crate) config: Config,
    lists: Vec<List>,
    pub(crate) operations: Vec<Prepared>,
}

/// An operation with the oracle's results for each list, which all kernels share.
pub(crate) struct Prepared {
    pub(crate) operation: Operation,
    expected: Vec<OnceLock<Vec<u64>>>,
}

/// The function under test: the inputs and the output, all of the same length.
pub(crate) type Batch<'a> = &'a dyn Fn(&[&[u64]], &mut [u64]);

/// The number of boards compared, or the failure for people to read.
pub(crate) type Checked = Result<u64, String>;

impl Plan {
    pub(crate) fn new(config: Config) -> Plan {
        let lists = cases::lists(&config);
        let prepared = |operation| Prepared {
            operation,
            expected: lists.iter().map(|_| OnceLock::new()).collect(),
        };
        Plan {
            operations: operations::operations().into_iter().map(prepared).collect(),
            config,
            lists,
        }
    }

    /// A function of batches against the oracle, on every list that concerns the operation: in batches of
    /// any length up to a thousand, most of which end in a tail; and again in batches of a few
    /// boards, for which kernels may have other ways.
    pub(crate) fn in_batches(&self, prepared: &Prepared, batch: Batch) -> Checked {
        let few = self.config.budget.few_boards_every;
        Ok(self.every_list(prepared, batch, 1000, 1)?
            + self.every_list(prepared, batch, 32, few)?)
    }

    /// A function of one board against the oracle, on every list that concerns the operation.
    pub(crate) fn board_by_board(
        &self,
        prepared: &Prepared,
        one: impl Fn(&[u64]) -> u64,
    ) -> Checked {
        let batch = |inputs: &[&[u64]], output: &mut [u64]| {
            let mut sets = vec![0; inputs.len()];
            for (i, board) in output.iter_mut().enumerate() {
                for (set, input) in sets.iter_mut().zip(inputs) {
                    *set = input[i];
                }
                *board = one(&sets);
            }
        };
        let checked = self.every_list(prepared, &batch, 1000, 1);
        checked.map_err(|failure| format!("for one board, {failure}"))
    }

    /// The random cases and the oracle's results for them.
    pub(crate) fn random_cases<'a>(&self, prepared: &'a Prepared) -> (Vec<Case>, &'a [u64]) {
        let cases = self.cases(&prepared.operation, 0).collect();
        (cases, self.expected(prepared, 0))
    }

    fn cases<'a>(
        &'a self,
        operation: &Operation,
        list: usize,
    ) -> impl Iterator<Item = Case> + use<'a> {
        let steps = |rays: &[_]| rays.iter().copied().map(step_of).collect::<Vec<_>>();
        self.lists[list].cases(&steps(&operation.rays), &steps(&operation.other_rays))
    }

    fn expected<'a>(&self, prepared: &'a Prepared, list: usize) -> &'a [u64] {
        let operation = &prepared.operation;
        let oracle = |case: Case| (operation.oracle)((), &case.inputs(operation));
        prepared.expected[list].get_or_init(|| self.cases(operation, list).map(oracle).collect())
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
        let mut boards = 0;
        for (number, list) in self.lists.iter().enumerate() {
            let expected = self.expected(prepared, number).iter().copied();
            let mut cases = self.cases(operation, number).zip(expected).step_by(every);
            loop {
                let chunk = cases.by_ref().take(rng.usize(1..=longest));
                let (chunk, expected): (Vec<Case>, Vec<u64>) = chunk.unzip();
                if chunk.is_empty() {
                    break;
                }
                if run(operation, &chunk, batch) != expected {
                    let failure = describe(operation, &smallest(operation, chunk, batch), batch);
                    return Err(format!("list `{}`: {failure}", list.name));
                }
                boards += chunk.len() as u64;
            }
        }
        Ok(boards)
    }
}

/// The inputs of an operation, one vector each.
pub(crate) fn columns(operation: &Operation, cases: &[Case]) -> Vec<Vec<u64>> {
    let roles = operation.inputs.iter().map(|&(_, role)| role);
    let column = |role| cases.iter().map(|case| case.input(role)).collect();
    roles.map(column).collect()
}

fn run(operation: &Operation, cases: &[Case], batch: Batch) -> Vec<u64> {
    let columns = columns(operation, cases);
    let inputs: Vec<&[u64]> = columns.iter().map(Vec::as_slice).collect();
    // Neither empty nor full, so that a board that is not written is not right by chance.
    let mut output = vec![0xdead_beef_dead_beef; cases.len()];
    batch(&inputs, &mut output);
    output
}

/// The first board that is wrong: its number, what came out, and what should have.
fn first_wrong(operation: &Operation, cases: &[Case], batch: Batch) -> Option<(usize, u64, u64)> {
    let got = run(operation, cases, batch);
    let oracle = |case: &Case| (operation.oracle)((), &case.inputs(operation));
    let wrong = |(number, (&got, case))| (number, got, oracle(case));
    let results = got.iter().zip(cases).enumerate().map(wrong);
    results
        .into_iter()
        .find(|(_, got, expected)| got != expected)
}

/// Shrinks a failing batch as long as it fails, within reason.
fn smallest(operation: &Operation, mut batch: Vec<Case>, run: Batch) -> Vec<Case> {
    let fails = |batch: &[Case]| first_wrong(operation, batch, run).is_some();
    // Before quickcheck's general way, what mostly works: the wrong board alone; or, if it is wrong
    // for its place in the batch, the shortest end of the batch, and nothing on the other boards.
    if let Some((number, ..)) = first_wrong(operation, &batch, run) {
        let alone = vec![batch[number]];
        let ends = (1..batch.len()).map(|length| batch[batch.len() - length..].to_vec());
        if let Some(shorter) = std::iter::once(alone).chain(ends).find(|end| fails(end)) {
            batch = shorter;
        }
    }
    if let Some((number, ..)) = first_wrong(operation, &batch, run) {
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
    let Some((number, got, expected)) = first_wrong(operation, batch, run) else {
        return format!("{}: it failed once and then no more", operation.title());
    };
    format!(
        "{}, board {number} of a batch of {}:\n{}",
        operation.title(),
        batch.len(),
        drawn(operation, &batch[number].inputs(operation), got, expected)
    )
}

/// The inputs, the result, the expected one and the difference as numbers and side by side as
/// boards.
pub(crate) fn drawn(operation: &Operation, inputs: &[u64], got: u64, expected: u64) -> String {
    let names = operation.inputs.iter().map(|&(name, _)| name);
    let mut boards: Vec<(&str, u64)> = names.zip(inputs.iter().copied()).collect();
    boards.extend([
        ("got", got),
        ("expected", expected),
        ("difference", got ^ expected),
    ]);
    let mut text = String::new();
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
                if (board >> (8 * rank + file)) & 1 == 1 {
                    " x"
                } else {
                    " ."
                }
            };
            let squares: String = (0..8).map(square).collect();
            let _ = write!(text, "  {squares}");
        }
        text.push('\n');
    }
    text
}
