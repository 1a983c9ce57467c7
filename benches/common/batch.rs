//! The boards of one operation in chosen places of memory, and their right answers.

use super::boards::Boards;
use super::column::{Column, Columns};
use super::operation::Operation;

/// Each column starts this many bytes further into its page than the one before, so that
/// streams never share the low twelve bits of their addresses, whatever the allocator does.
const STAGGER: usize = 1024;

/// The inputs of one operation, its outputs, and how a pass cuts them into calls.
pub(crate) struct Batch {
    pub(crate) operation: Operation,
    pub(crate) order: Order,
    pub(crate) columns: Columns,
    /// The boards from which the inputs are filled, one vector an input, and the right outputs of each.
    supply: Vec<Vec<u64>>,
    answers: Vec<Vec<u64>>,
    /// Input `i` is board `step * i` of the supply, cyclically.
    step: usize,
}

/// Whether every pass meets the boards in the same order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Same,
    /// A new one for every pass.
    New,
}

/// The right output of a contender.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Computes {
    Attacks,
    /// The exclusive or of the inputs: the roof reads and writes the same bytes and does no chess.
    Xor,
}

impl Batch {
    /// One call of `pool` boards, `offset` bytes off alignment, filled with `boards` again and again.
    ///
    /// # Panics
    /// If the number of boards is not a power of two.
    pub(crate) fn new(
        operation: Operation,
        boards: &Boards,
        order: Order,
        pool: usize,
        offset: usize,
    ) -> Batch {
        assert!(boards.len().is_power_of_two());
        let supply: Vec<Vec<u64>> = operation
            .inputs
            .iter()
            .map(|(name, _)| boards.column(name))
            .collect();
        let answer = |i| operation.answer(supply.iter().map(|words| words[i]));
        let answers = (0..boards.len()).map(answer).collect();
        let mut places = (offset..).step_by(STAGGER);
        let mut column = |size| Column::new(size, pool, places.next().expect("a place"));
        let outputs = operation.outputs.iter().map(|&size| column(size)).collect();
        let inputs = operation
            .inputs
            .iter()
            .map(|&(_, size)| column(size))
            .collect();
        let columns = Columns {
            inputs,
            outputs,
            boards: pool,
            boards_a_call: pool,
        };
        let mut batch = Batch {
            operation,
            order,
            columns,
            supply,
            answers,
            step: 1,
        };
        batch.fill();
        batch
    }

    /// The same in calls of so many boards.
    pub(crate) fn in_calls_of(mut self, boards: usize) -> Batch {
        self.columns.boards_a_call = boards;
        self
    }

    /// Puts the boards into a new order. An odd step meets all of them, their number being a power of two.
    pub(crate) fn reorder(&mut self) {
        self.step = 2 * fastrand::usize(..self.answers.len()) + 1;
        self.fill();
    }

    fn fill(&mut self) {
        for (input, supply) in self.columns.inputs.iter_mut().zip(&self.supply) {
            input.fill(supply, self.step);
        }
    }

    /// Boards computed in one pass.
    pub(crate) fn boards(&self) -> usize {
        self.columns.windows().count() * self.columns.boards_a_call
    }

    /// Compares all of what a pass writes: right answers inside the windows, and nothing between them.
    ///
    /// # Panics
    /// At the first wrong board.
    pub(crate) fn check(
        &mut self,
        contender: &str,
        computes: Computes,
        pass: impl FnOnce(&mut Columns),
    ) {
        let columns = &mut self.columns;
        columns.outputs.iter_mut().for_each(Column::poison);
        let poison: Vec<u64> = columns
            .outputs
            .iter()
            .map(|output| output.word(0))
            .collect();
        pass(columns);
        let mut inside = vec![false; columns.boards];
        columns
            .windows()
            .for_each(|window| inside[window].fill(true));
        for (i, inside) in inside.into_iter().enumerate() {
            let answer = &self.answers[self.step * i % self.answers.len()];
            for ((output, &right), &poison) in columns.outputs.iter().zip(answer).zip(&poison) {
                let expected = match computes {
                    _ if !inside => poison,
                    Computes::Attacks => right,
                    Computes::Xor => columns.inputs.iter().fold(0, |xor, set| xor ^ set.word(i)),
                };
                let found = output.word(i);
                assert!(
                    found == expected,
                    "{contender}, {}: board {i} is {found:#018x}, expected {expected:#018x}",
                    self.operation.title()
                );
            }
        }
    }
}
