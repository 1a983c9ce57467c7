//! A batch of boards for one operation.

use setwise::Kernel;
use setwise::reflection::{Argument, Element};
use setwise_check::{Case, Column, Operation, call};

/// The inputs and outputs of an operation on a batch of boards.
pub struct Arguments {
    operation: Operation,
    boards: usize,
    /// The inputs, then the outputs.
    columns: Vec<Column>,
}

impl Arguments {
    /// Creates a batch. For each board, `rows` holds the [words](Element::words) of all inputs.
    ///
    /// # Panics
    /// If a square is above 63.
    #[must_use]
    pub fn new(operation: Operation, rows: &[u64]) -> Arguments {
        let width = words(operation.info.inputs());
        let boards = rows.len() / width;
        let mut before = 0;
        let inputs = operation.info.inputs().iter().map(|input| {
            let element = input.element();
            let part = before..before + element.words();
            before = part.end;
            let rows = rows.chunks_exact(width);
            let words: Vec<u64> = rows.flat_map(|row| &row[part.clone()]).copied().collect();
            assert!(
                element != Element::Square || words.iter().all(|&square| square < 64),
                "a square must be below 64"
            );
            Column::new(element, words)
        });
        let outputs = operation.info.outputs().iter().map(|output| {
            let element = output.element();
            Column::new(element, vec![0; element.words() * boards])
        });
        Arguments { operation, boards, columns: inputs.chain(outputs).collect() }
    }

    /// Creates a batch of random boards. Each has two sets of one to three sliders, and a quarter
    /// of its squares are occupied on average.
    #[must_use]
    pub fn random(operation: Operation, boards: usize, seed: u64) -> Arguments {
        let mut word = random_words(seed);
        let case = || {
            let [sliders, others] = [(); 2].map(|()| {
                let squares = word();
                let count = 1 + (squares >> 32) % 3;
                (0..count).fold(0, |set, i| set | 1 << (squares >> (6 * i) & 63))
            });
            let occupied = word() & word();
            Case { sliders, others, occupied }
        };
        let cases: Vec<Case> = std::iter::repeat_with(case).take(boards).collect();
        Arguments { operation, boards, columns: operation.columns(&cases) }
    }

    /// Computes the outputs `passes` times.
    pub fn run(&mut self, kernel: &Kernel, passes: usize) {
        let Operation { info, parameter } = self.operation;
        call(&self.operation, &mut self.columns, &|inputs, outputs| {
            for _ in 0..passes {
                info.call(kernel, parameter, inputs, outputs);
            }
        });
    }

    /// Returns the words of all outputs of the first board, then those of the second, and so on.
    #[must_use]
    pub fn results(&self) -> Vec<u64> {
        (0..self.boards).flat_map(|i| self.outputs(i)).collect()
    }

    /// The index of the first board whose outputs differ from the oracle's.
    #[must_use]
    pub fn first_wrong(&self) -> Option<usize> {
        (0..self.boards).find(|&i| self.outputs(i) != self.operation.oracle(&self.inputs(i)))
    }

    fn inputs(&self, board: usize) -> Vec<u64> {
        row(self.operation.info.inputs(), &self.columns, board)
    }

    fn outputs(&self, board: usize) -> Vec<u64> {
        let info = self.operation.info;
        row(info.outputs(), &self.columns[info.inputs().len()..], board)
    }
}

/// The number of words that all these arguments have per board.
pub fn words(arguments: &[Argument]) -> usize {
    let elements = arguments.iter().map(Argument::element);
    elements.map(Element::words).sum()
}

fn row(arguments: &[Argument], columns: &[Column], board: usize) -> Vec<u64> {
    let mut words = vec![];
    for (argument, column) in arguments.iter().zip(columns) {
        Column::get(column.bytes(), argument.element(), board, &mut words);
    }
    words
}

/// Returns a `SplitMix64` generator of random words.
pub fn random_words(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_bit_is_found() {
        for operation in Operation::all() {
            let mut batch = Arguments::random(operation, 100, 1);
            assert_eq!(batch.first_wrong(), Some(0), "{}", operation.title());
            batch.run(Kernel::active(), 1);
            assert_eq!(batch.first_wrong(), None, "{}", operation.title());
            let last = batch.columns.last_mut().unwrap().bytes_mut();
            last[last.len() / 100 * 98] ^= 1;
            assert_eq!(batch.first_wrong(), Some(98), "{}", operation.title());
        }
    }
}
