//! Checks a batch function against the oracle on all lists of cases.

use std::sync::OnceLock;

use setwise_check::oracle::{Step, Steps};
use setwise_check::{BatchFn, Boards, Case, Operation, Results, call, compare};

use crate::buffers::VERY_LONG;
use crate::config::Config;
use crate::lists::{self, List};

/// The data that all trials share.
pub(crate) struct Plan {
    pub(crate) config: Config,
    lists: Vec<List>,
    pub(crate) operations: Vec<Prepared>,
}

/// An operation with the oracle's results for each list, shared by all kernels.
pub(crate) struct Prepared {
    pub(crate) operation: Operation,
    /// The steps of the operation's first kind of sliders, then the additional steps of its other
    /// sliders.
    steps: [Vec<Step>; 2],
    expected: Vec<OnceLock<Results>>,
    random: OnceLock<Boards>,
}

/// The number of results compared, or a readable description of the failure.
pub(crate) type Checked = Result<u64, String>;

impl Plan {
    pub(crate) fn new(config: Config) -> Plan {
        let lists = lists::lists(&config);
        let prepared = |operation| Prepared {
            operation,
            steps: steps(&operation),
            expected: lists.iter().map(|_| OnceLock::new()).collect(),
            random: OnceLock::new(),
        };
        Plan { operations: Operation::all().map(prepared).collect(), config, lists }
    }

    /// The distinct names of the operations, ignoring parameters.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        let operations = self.operations.iter();
        let mut names: Vec<_> = operations.map(|prepared| prepared.operation.info.name()).collect();
        names.dedup();
        names
    }

    /// Checks a batch function on every list that applies to the operation. It tries batches of up
    /// to 1,000 boards, most of which end in a tail. It also tries short batches, for which kernels
    /// may use other code.
    pub(crate) fn in_batches(&self, prepared: &Prepared, batch: BatchFn<'_>) -> Checked {
        let few = self.config.budget.few_boards_every;
        if few == usize::MAX {
            // Under Miri, the other checks cover batches, but not calls by value.
            let by_value = prepared.operation.info.by_value();
            return if by_value { self.every_list(prepared, batch, 32, 64) } else { Ok(0) };
        }
        Ok(self.every_list(prepared, batch, 1000, 1)?
            + self.every_list(prepared, batch, 32, few)?)
    }

    /// Checks the operation's function in the module `board` on every list that applies to the
    /// operation.
    pub(crate) fn on_board(&self, prepared: &Prepared) -> Checked {
        let operation = &prepared.operation;
        let mut compared = 0;
        for number in 0..self.lists.len() {
            let cases: Vec<Case> = self.cases(prepared, number).collect();
            let got = Results::by(operation, cases.iter().copied(), |inputs| {
                operation.on_board(inputs).expect("a batch operation")
            });
            let expected = self.expected(prepared, number);
            let results = compare(operation, &cases, got.columns(), expected, |i| i);
            compared += results.map_err(|mismatch| {
                let list = self.lists[number].name;
                format!("list `{list}`: board::{}, {mismatch}", operation.title())
            })?;
        }
        Ok(compared)
    }

    /// The random cases and the oracle's results for them.
    pub(crate) fn random_cases<'a>(&self, prepared: &'a Prepared) -> (Vec<Case>, &'a Results) {
        (self.cases(prepared, 0).collect(), self.expected(prepared, 0))
    }

    /// The memory of the operation's arguments for the random cases, which are repeated at the end,
    /// so that a batch of up to [`VERY_LONG`] boards can start at any of them. Also the oracle's
    /// results for the cases, and their number.
    pub(crate) fn random_boards<'a>(
        &self,
        prepared: &'a Prepared,
    ) -> (&'a Boards, &'a Results, usize) {
        let boards = prepared.random.get_or_init(|| {
            let cases: Vec<Case> = self.cases(prepared, 0).collect();
            let length = cases.len() + VERY_LONG;
            let repeated = cases.iter().copied().cycle().take(length).collect();
            Boards::new(&prepared.operation, repeated)
        });
        (boards, self.expected(prepared, 0), boards.cases().len() - VERY_LONG)
    }

    /// For each list, the cases that apply to sliders that move by `steps`.
    pub(crate) fn every_case(&self, steps: &[Step]) -> impl Iterator<Item = Vec<Case>> {
        self.lists.iter().map(|list| list.cases(steps, &[]).collect())
    }

    fn cases<'a>(
        &'a self,
        prepared: &Prepared,
        list: usize,
    ) -> impl Iterator<Item = Case> + use<'a> {
        let [steps, others] = &prepared.steps;
        self.lists[list].cases(steps, others)
    }

    fn expected<'a>(&self, prepared: &'a Prepared, list: usize) -> &'a Results {
        let expected = || Results::new(&prepared.operation, self.cases(prepared, list));
        prepared.expected[list].get_or_init(expected)
    }

    /// Checks every `every`-th case of each list, in batches of random lengths up to `longest`
    /// boards.
    fn every_list(
        &self,
        prepared: &Prepared,
        batch: BatchFn<'_>,
        longest: usize,
        every: usize,
    ) -> Checked {
        let operation = &prepared.operation;
        let mut rng = fastrand::Rng::with_seed(self.config.seed);
        let mut compared = 0;
        for (number, list) in self.lists.iter().enumerate() {
            let expected = self.expected(prepared, number);
            let mut cases = self.cases(prepared, number).enumerate().step_by(every);
            loop {
                let chunk = cases.by_ref().take(rng.usize(1..=longest));
                let (numbers, chunk): (Vec<usize>, Vec<Case>) = chunk.unzip();
                if chunk.is_empty() {
                    break;
                }
                let mut columns = operation.columns(&chunk);
                let outputs = call(operation, &mut columns, batch);
                let results = compare(operation, &chunk, &outputs, expected, |i| numbers[i]);
                compared += results.map_err(|mismatch| {
                    let alone = operation.check(&[chunk[mismatch.board]], batch);
                    format!(
                        "list `{}`: {}, in a batch of {} (alone it is {}), {mismatch}",
                        list.name,
                        operation.title(),
                        chunk.len(),
                        if alone.is_ok() { "right" } else { "wrong" }
                    )
                })?;
            }
        }
        Ok(compared)
    }
}

/// The steps of an operation's first kind of sliders, then the additional steps of its other
/// sliders.
fn steps(operation: &Operation) -> [Vec<Step>; 2] {
    let mut steps = [vec![], vec![]];
    for input in operation.info.inputs() {
        let directions = operation.directions(input).into_iter();
        let moves: Vec<Step> = directions.flat_map(Steps::steps).collect();
        if steps[0].is_empty() {
            steps[0] = moves;
        } else {
            let further = moves.into_iter().filter(|step| !steps[0].contains(step));
            let further: Vec<Step> = further.collect();
            steps[1].extend(further);
        }
    }
    steps
}

/// The batch function that runs an operation with a kernel.
pub(crate) fn batch<'a>(
    operation: &'a Operation,
    kernel: &'a setwise::Kernel,
) -> impl Fn(&[setwise::reflection::Column<'_>], &mut [setwise::reflection::ColumnMut<'_>]) + 'a {
    move |inputs, outputs| {
        operation.info.call(kernel, operation.parameter, inputs, outputs);
    }
}
