//! Checks kernels on columns between guard words, which detect writes out of bounds.

use setwise::Kernel;
use setwise::reflection::{Column, ColumnMut};
use setwise_check::{Boards, Case, Operation, Results};

/// The code to be checked: a kernel or, in tests, a deliberately faulty one.
pub(crate) trait Evaluator {
    fn name(&self) -> &str;

    fn evaluate(&self, operation: &Operation, inputs: &[Column<'_>], outputs: &mut [ColumnMut<'_>]);
}

impl Evaluator for Kernel {
    fn name(&self) -> &str {
        Kernel::name(self)
    }

    fn evaluate(
        &self,
        operation: &Operation,
        inputs: &[Column<'_>],
        outputs: &mut [ColumnMut<'_>],
    ) {
        operation.info.call(self, operation.parameter, inputs, outputs);
    }
}

/// An operation, its input boards, and the expected results.
pub(crate) struct Check {
    pub(crate) operation: Operation,
    pub(crate) boards: Boards,
    pub(crate) expected: Results,
}

impl Check {
    /// Computes the expected results with the oracle.
    pub(crate) fn new(operation: Operation, cases: Vec<Case>) -> Check {
        let expected = Results::new(&operation, cases.iter().copied());
        Check { boards: Boards::new(&operation, cases), operation, expected }
    }

    /// Evaluates all boards as one batch. The columns start at various distances from a cache line;
    /// `offset` shifts these distances. Returns the number of results compared, or a description of
    /// the mismatch with a drawing.
    pub(crate) fn run(&self, evaluator: &dyn Evaluator, offset: usize) -> Result<u64, String> {
        let Check { operation, boards, expected } = self;
        let count = boards.cases().len();
        let arguments = operation.arguments().enumerate();
        let offsets: Vec<usize> = arguments
            .map(|(i, argument)| (offset + 3 * i) % 8 * argument.element().size().min(8))
            .collect();
        let checked = operation.check_guarded(
            (boards, 0..count),
            (&mut operation.guarded(count), &offsets),
            (expected, |board| board),
            &|inputs, outputs| evaluator.evaluate(operation, inputs, outputs),
        );
        checked.map_err(|what| {
            let (name, title) = (evaluator.name(), operation.title());
            format!("{name}: {title} is wrong ({count} boards at offset {offset}): {what}\n")
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::Evaluator;
    use setwise::Kernel;
    use setwise::reflection::{Column, ColumnMut};
    use setwise_check::Operation;

    /// A kernel that is wrong in one place: the last output of `operation`, for board `board`.
    pub(crate) struct Faulty {
        pub(crate) operation: Operation,
        pub(crate) board: usize,
    }

    impl Evaluator for Faulty {
        fn name(&self) -> &'static str {
            "faulty"
        }

        fn evaluate(
            &self,
            operation: &Operation,
            inputs: &[Column<'_>],
            outputs: &mut [ColumnMut<'_>],
        ) {
            Kernel::active().evaluate(operation, inputs, outputs);
            if operation.title() != self.operation.title() {
                return;
            }
            let board = self.board;
            match outputs.last_mut() {
                Some(ColumnMut::Sets(sets)) if board < sets.len() => sets[board] ^= 1 << 27,
                Some(ColumnMut::Counts(counts)) if board < counts.len() => counts[board] ^= 1,
                Some(ColumnMut::AttackMaps(maps)) if board < maps.len() => {
                    maps[board].by_lesser[1] ^= 1 << 27;
                }
                Some(ColumnMut::Checks(checks)) if board < checks.len() => {
                    checks[board].pinners[1] ^= 1 << 27;
                }
                _ => {}
            }
        }
    }
}
