//! The inputs and outputs of one operation at chosen addresses, and the expected outputs.

use setwise::reflection::{Argument, Element};

use crate::boards::{Answers, BoardSet};
use crate::buffers::{Buffer, Buffers};
use crate::operation::Operation;

/// Each buffer starts this many bytes further into its page than the previous one. So the addresses
/// of four successive buffers differ in their low twelve bits, wherever the allocator places them.
const STAGGER: usize = 1024;

/// The inputs and outputs of one operation, divided into calls. One iteration makes each call once.
pub struct Workload {
    /// The operation to compute.
    pub operation: Operation,
    /// Whether the boards are reordered between iterations.
    pub order: Order,
    pub(crate) buffers: Buffers,
    /// The words that fill the inputs: one vector per input, with one word per board.
    supply: Vec<Vec<u64>>,
    /// The expected outputs for each board of the supply.
    answers: Answers,
    /// Board `i` of the inputs is board `step * i` of the supply, modulo its length.
    step: usize,
}

/// The order of the boards from one iteration to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Always the same order. A branch predictor can memorise up to ten thousand boards.
    Same,
    /// A new order in every iteration.
    New,
}

impl Workload {
    /// Makes a workload of `pool` boards that is computed in one call. Repeats `boards` to fill it.
    /// All buffers start `offset` bytes after an aligned address.
    ///
    /// # Panics
    /// If the number of `boards` is not a power of two, or if they lack an input of the operation.
    #[must_use]
    pub fn new(
        operation: Operation,
        boards: &BoardSet,
        order: Order,
        pool: usize,
        offset: usize,
    ) -> Workload {
        assert!(
            boards.len().is_power_of_two(),
            "the number of boards must be a power of two, not {}",
            boards.len()
        );
        let inputs = operation.inputs;
        let squares = |end: usize| {
            inputs[..end].iter().filter(|input| input.element() == Element::Square).count()
        };
        let supply = inputs.iter().enumerate();
        let supply: Vec<Vec<u64>> =
            supply.map(|(n, input)| boards.words(input.role(), squares(n))).collect();
        let mut places = (offset..).step_by(STAGGER);
        let mut buffer = |argument: &Argument| {
            Buffer::new(argument.element().size(), pool, places.next().expect("a place"))
        };
        let outputs = operation.outputs.iter().map(&mut buffer).collect();
        let inputs = operation.inputs.iter().map(buffer).collect();
        let buffers = Buffers { inputs, outputs, boards: pool, boards_a_call: pool };
        let answers = boards.answers(operation.title());
        let mut workload = Workload { operation, order, buffers, supply, answers, step: 1 };
        workload.fill();
        workload
    }

    /// Divides the workload into calls of `boards` boards. Calls of fewer than 32 boards start 32
    /// boards apart.
    pub fn call(&mut self, boards: usize) {
        self.buffers.boards_a_call = boards;
    }

    /// Puts the boards into a new order. The number of boards is a power of two, so an odd step
    /// reaches all of them.
    pub(crate) fn reorder(&mut self) {
        self.step = 2 * fastrand::usize(..self.supply[0].len()) + 1;
        self.fill();
    }

    fn fill(&mut self) {
        for (input, supply) in self.buffers.inputs.iter_mut().zip(&self.supply) {
            input.fill(supply, self.step);
        }
    }

    /// The number of boards computed per iteration.
    #[must_use]
    pub fn boards(&self) -> usize {
        self.buffers.windows().count() * self.buffers.boards_a_call
    }

    /// Checks everything that an iteration writes. Calls must write the expected outputs, and
    /// nothing to the boards between calls. A roof writes the exclusive or of the inputs.
    ///
    /// # Errors
    /// The first wrong board.
    pub(crate) fn check(
        &mut self,
        contender: &str,
        is_roof: bool,
        compute: impl FnOnce(&mut Buffers),
    ) -> Result<(), String> {
        let (operation, supply, buffers) = (self.operation, &self.supply, &mut self.buffers);
        let answer = |i| operation.answer(supply.iter().map(|words| words[i]));
        let answers = self.answers.get_or_init(|| (0..supply[0].len()).map(answer).collect());
        buffers.outputs.iter_mut().for_each(Buffer::poison);
        let poison: Vec<u64> = buffers.outputs.iter().map(|output| output.word(0)).collect();
        compute(buffers);
        let mut inside = vec![false; buffers.boards];
        buffers.windows().for_each(|window| inside[window].fill(true));
        for (i, inside) in inside.into_iter().enumerate() {
            let answer = &answers[self.step.wrapping_mul(i) & (answers.len() - 1)];
            for (n, output) in buffers.outputs.iter().enumerate() {
                let expected = match (inside, is_roof) {
                    (false, _) => poison[n],
                    (_, true) => buffers.inputs.iter().fold(0, |xor, set| xor ^ set.word(i)),
                    _ => answer[n],
                };
                let found = output.word(i);
                if found != expected {
                    let title = operation.title();
                    return Err(format!(
                        "{contender}, {title}: board {i} is {found:#018x}, expected {expected:#018x}"
                    ));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Order, Workload};
    use crate::boards::BoardSet;
    use crate::contender::{self, Contender};
    use crate::figures::Kind;
    use crate::operation::Operation;

    /// Correct kernels pass with every order and call size. A wrong board, or a write to a board
    /// between two calls, is an error.
    #[test]
    fn wrong_boards_are_reported() {
        let rooks = Operation::named("rook_attacks").unwrap();
        let scalar = setwise::Kernel::by_name("scalar").unwrap();
        let boards = BoardSet::random(128);
        let mut workload = Workload::new(rooks, &boards, Order::New, 256, 8);
        for boards_a_call in [1, 31, 32, 256] {
            workload.call(boards_a_call);
            workload.reorder();
            for kernel in contender::kernels(rooks) {
                kernel.check(&mut workload).unwrap();
            }
        }
        workload.call(31);
        for board in [33, 31, 255] {
            let wrong = Contender::new("wrong", Kind::Kernel, move |buffers| {
                rooks.pass(scalar, buffers);
                buffers.outputs[0].slice_mut::<u64>()[board] ^= 1;
            });
            let error = wrong.check(&mut workload).unwrap_err();
            let place = format!("wrong, rook_attacks: board {board} is ");
            assert!(error.starts_with(&place), "{error}");
        }
    }
}
