//! Checks kernels on columns between guard words, which detect writes out of bounds.

use setwise::Kernel;
use setwise::reflection::{Column, ColumnMut};
use setwise_check::{Boards, Case, Expected, Operation};

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
    pub(crate) expected: Expected,
}

impl Check {
    /// Computes the expected results with the oracle.
    pub(crate) fn new(operation: Operation, cases: Vec<Case>) -> Check {
        let expected = Expected::new(&operation, cases.iter().copied());
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
    use super::{Check, Evaluator};
    use setwise::Kernel;
    use setwise::reflection::{Column, ColumnMut};
    use setwise_check::{Case, Operation};

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

    #[test]
    fn a_wrong_board_is_found_and_drawn() {
        for name in ["rook_attacks", "rook_attacks_one"] {
            let operation = Operation::named(name).unwrap();
            let cases = [1, 2, 4].map(|sliders| Case { sliders, ..Case::default() });
            let check = Check::new(operation, cases.into());
            assert_eq!(check.run(Kernel::active(), 5), Ok(3));

            let mismatch = check.run(&Faulty { operation, board: 2 }, 5).unwrap_err();
            assert!(mismatch.starts_with(&format!("faulty: {name} is wrong (3 boards")));
            assert!(mismatch.contains("board 2:") && mismatch.contains("difference"));
        }
    }

    #[test]
    fn a_write_next_to_the_output_is_found() {
        struct Overrun;
        impl Evaluator for Overrun {
            fn name(&self) -> &'static str {
                "overrun"
            }
            fn evaluate(&self, _: &Operation, _: &[Column<'_>], outputs: &mut [ColumnMut<'_>]) {
                let Some(ColumnMut::Sets(output)) = outputs.first_mut() else { unreachable!() };
                // SAFETY: the column lies between guard words, in a larger allocation.
                unsafe { *output.as_mut_ptr().add(output.len()) = 0 };
            }
        }
        let check = Check::new(Operation::named("rook_attacks").unwrap(), vec![]);
        let mismatch = check.run(&Overrun, 0).unwrap_err();
        assert!(mismatch.contains("wrote outside `attacks`"), "{mismatch}");
    }
}
