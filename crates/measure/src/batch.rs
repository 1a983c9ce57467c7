//! The boards of one operation in chosen places of memory, and their right answers.

use std::cell::OnceCell;

use setwise::{Argument, Element};

use crate::boards::Boards;
use crate::column::{Column, Columns};
use crate::operation::Operation;

/// Each column starts this many bytes further into its page than the one before, so that
/// streams never share the low twelve bits of their addresses, whatever the allocator does.
const STAGGER: usize = 1024;

/// The inputs of one operation, its outputs, and how a pass cuts them into calls.
pub struct Batch {
    /// What is computed.
    pub operation: Operation,
    /// Whether the boards are reordered between passes.
    pub order: Order,
    pub(crate) columns: Columns,
    /// The boards from which the inputs are filled, one vector an input, and the right outputs of each.
    supply: Vec<Vec<u64>>,
    answers: OnceCell<Vec<Vec<u64>>>,
    /// Input `i` is board `step * i` of the supply, cyclically.
    step: usize,
}

/// Whether every pass meets the boards in the same order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// It does: branch predictors learn up to ten thousand of them by heart.
    Same,
    /// A new one for every pass.
    New,
}

/// The right output of a contender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Computes {
    /// What the operation means.
    Attacks,
    /// The exclusive or of the inputs: the roof reads and writes the same bytes and does no chess.
    Xor,
}

impl Batch {
    /// One call of `pool` boards, `offset` bytes off alignment, filled with `boards` again and again.
    ///
    /// # Panics
    /// If the number of `boards` is not a power of two, or they lack an input of the operation.
    #[must_use]
    pub fn new(
        operation: Operation,
        boards: &Boards,
        order: Order,
        pool: usize,
        offset: usize,
    ) -> Batch {
        assert!(
            boards.len().is_power_of_two(),
            "{} boards are no power of two",
            boards.len()
        );
        let inputs = operation.inputs;
        let squares = |end: usize| {
            inputs[..end]
                .iter()
                .filter(|input| input.element() == Element::Square)
                .count()
        };
        let supply = inputs.iter().enumerate();
        let supply: Vec<Vec<u64>> = supply
            .map(|(n, input)| boards.column(input.role(), squares(n)))
            .collect();
        let mut places = (offset..).step_by(STAGGER);
        let mut column = |argument: &Argument| {
            Column::new(
                argument.element().size(),
                pool,
                places.next().expect("a place"),
            )
        };
        let outputs = operation.outputs.iter().map(&mut column).collect();
        let inputs = operation.inputs.iter().map(column).collect();
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
            answers: OnceCell::new(),
            step: 1,
        };
        batch.fill();
        batch
    }

    /// The same in calls of so many boards. Short calls lie 32 boards apart.
    #[must_use]
    pub fn in_calls_of(mut self, boards: usize) -> Batch {
        self.call(boards);
        self
    }

    /// From now on in calls of so many boards.
    pub fn call(&mut self, boards: usize) {
        self.columns.boards_a_call = boards;
    }

    /// Puts the boards into a new order. An odd step meets all of them, their number being a power of two.
    pub(crate) fn reorder(&mut self) {
        self.step = 2 * fastrand::usize(..self.supply[0].len()) + 1;
        self.fill();
    }

    fn fill(&mut self) {
        for (input, supply) in self.columns.inputs.iter_mut().zip(&self.supply) {
            input.fill(supply, self.step);
        }
    }

    /// Boards computed in one pass.
    #[must_use]
    pub fn boards(&self) -> usize {
        self.columns.windows().count() * self.columns.boards_a_call
    }

    /// Compares all of what a pass writes: right answers inside the windows, and nothing between them.
    ///
    /// # Errors
    /// The first wrong board.
    pub(crate) fn check(
        &mut self,
        contender: &str,
        computes: Computes,
        pass: impl FnOnce(&mut Columns),
    ) -> Result<(), String> {
        let (operation, supply) = (self.operation, &self.supply);
        let answer = |i| operation.answer(supply.iter().map(|words| words[i]));
        let answers = self
            .answers
            .get_or_init(|| (0..supply[0].len()).map(answer).collect());
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
        let mask = answers.len() - 1;
        for (i, inside) in inside.into_iter().enumerate() {
            let answer = &answers[self.step.wrapping_mul(i) & mask];
            for ((output, &right), &poison) in columns.outputs.iter().zip(answer).zip(&poison) {
                let expected = match computes {
                    _ if !inside => poison,
                    Computes::Attacks => right,
                    Computes::Xor => columns.inputs.iter().fold(0, |xor, set| xor ^ set.word(i)),
                };
                let found = output.word(i);
                if found != expected {
                    return Err(format!(
                        "{contender}, {}: board {i} is {found:#018x}, expected {expected:#018x}",
                        self.operation.title()
                    ));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Batch, Order};
    use crate::boards::Boards;
    use crate::contender::{self, Contender};
    use crate::operation::Operation;

    /// Right kernels pass in every order and call; a wrong board, and a write between the calls, do not.
    #[test]
    fn a_wrong_board_is_told() {
        let rooks = Operation::named("rook_attacks").unwrap();
        let scalar = setwise::Kernels::by_name("scalar").unwrap();
        let boards = Boards::random(128);
        let mut batch = Batch::new(rooks, &boards, Order::New, 256, 8);
        for boards_a_call in [1, 31, 32, 256] {
            batch.call(boards_a_call);
            batch.reorder();
            for kernel in contender::kernels(rooks) {
                kernel.check(&mut batch).unwrap();
            }
        }
        batch.call(31);
        for board in [33, 31, 255] {
            let wrong = Contender::new("wrong", move |columns| {
                rooks.pass(scalar, columns);
                columns.outputs[0].slice_mut::<u64>()[board] ^= 1;
            });
            let told_of = wrong.check(&mut batch).unwrap_err();
            let place = format!("wrong, rook_attacks: board {board} is ");
            assert!(told_of.starts_with(&place), "{told_of}");
        }
    }
}
