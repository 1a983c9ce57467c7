//! Compares results with the oracle's, and draws boards with wrong results.

use std::fmt::{self, Write as _};
use std::ops::Range;

use setwise::reflection::{Argument, Element};

use crate::case::pieces_before;
use crate::column::{BatchFn, Column, call};
use crate::{Case, Operation};

/// The results of an operation for a list of cases, usually the expected ones.
#[derive(Debug, PartialEq)]
pub struct Results(Vec<Column>);

impl Results {
    /// Computes the expected results with the operation's oracle.
    pub fn new(operation: &Operation, cases: impl IntoIterator<Item = Case>) -> Results {
        Results::by(operation, cases, |inputs| operation.oracle(inputs))
    }

    /// Computes the results with `compute`, a function from the words of a board's inputs to the
    /// words of its results.
    pub fn by(
        operation: &Operation,
        cases: impl IntoIterator<Item = Case>,
        compute: impl Fn(&[u64]) -> Vec<u64>,
    ) -> Results {
        let outputs = operation.info.outputs();
        let mut columns = vec![vec![]; outputs.len()];
        for case in cases {
            let results = compute(&case.inputs(operation));
            let mut results = &results[..];
            for (words, output) in columns.iter_mut().zip(outputs) {
                let result = results.split_off(..output.element().words());
                words.extend(result.expect("the words of all results"));
            }
            assert!(results.is_empty(), "more words than the results have");
        }
        let columns = outputs.iter().zip(columns);
        Results(columns.map(|(output, words)| Column::new(output.element(), words)).collect())
    }

    /// The memory of each output.
    pub fn columns(&self) -> &[Column] {
        &self.0
    }
}

/// A wrong result.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// The board's index in the batch.
    pub board: usize,
    /// A drawing of the inputs, the result and the expected result.
    pub drawing: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "board {}:\n{}", self.board, self.drawing)
    }
}

/// Compares `outputs`, the memory of the output columns, with the expected results. `number` maps a
/// board's index to the index of its results in `expected`. Returns the number of results compared.
/// An error is the first wrong board.
pub fn compare(
    operation: &Operation,
    cases: &[Case],
    outputs: &[impl AsRef<[u8]>],
    expected: &Results,
    number: impl Fn(usize) -> usize,
) -> Result<u64, Mismatch> {
    for ((output, bytes), expected) in operation.info.outputs().iter().zip(outputs).zip(&expected.0)
    {
        let size = output.element().size();
        let (bytes, expected) = (bytes.as_ref(), expected.bytes());
        for (board, case) in cases.iter().enumerate() {
            let right = &expected[size * number(board)..][..size];
            if bytes[size * board..][..size] != *right {
                let words = |bytes: &[u8], index: usize| {
                    let mut words = vec![];
                    Column::get(bytes, output.element(), index, &mut words);
                    words
                };
                let (got, right) = (words(bytes, board), words(expected, number(board)));
                let drawing = draw(operation, &case.inputs(operation), output, &got, &right);
                return Err(Mismatch { board, drawing });
            }
        }
    }
    Ok((outputs.len() * cases.len()) as u64)
}

/// Test boards, and the memory of all arguments of an operation for them.
pub struct Boards {
    pub(crate) cases: Vec<Case>,
    columns: Vec<Column>,
}

impl Boards {
    /// Makes the columns of all arguments for these cases.
    pub fn new(operation: &Operation, cases: Vec<Case>) -> Boards {
        Boards { columns: operation.columns(&cases), cases }
    }

    /// The test boards.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// The memory of each argument for the boards in `range`. A fixed pattern fills the outputs.
    pub fn memory(&self, operation: &Operation, range: Range<usize>) -> Vec<&[u8]> {
        let sizes = operation.arguments().map(|argument| argument.element().size());
        let columns = sizes.zip(&self.columns);
        columns.map(|(size, c)| &c.bytes()[size * range.start..size * range.end]).collect()
    }
}

impl Operation {
    /// Makes the columns of all arguments for these cases. A fixed pattern fills the outputs, so an
    /// unwritten result is unlikely to equal the expected one.
    pub fn columns(&self, cases: &[Case]) -> Vec<Column> {
        let inputs = self.info.inputs().iter().enumerate().map(|(number, input)| {
            let mut words = Vec::with_capacity(input.element().words() * cases.len());
            let before = pieces_before(self, number);
            for case in cases {
                case.input(input.role(), before, &mut words);
            }
            Column::new(input.element(), words)
        });
        let outputs = self.info.outputs().iter().map(|output| {
            let words = vec![0xdead_beef_dead_beef; output.element().words() * cases.len()];
            Column::new(output.element(), words)
        });
        inputs.chain(outputs).collect()
    }

    /// Runs a batch function on these cases and compares its results with the oracle's. An error is
    /// the first wrong board.
    pub fn check(&self, cases: &[Case], batch: BatchFn<'_>) -> Result<u64, Mismatch> {
        let expected = Results::new(self, cases.iter().copied());
        let mut columns = self.columns(cases);
        let outputs = call(self, &mut columns, batch);
        compare(self, cases, &outputs, &expected, |board| board)
    }
}

/// Draws the inputs of one board, and the first wrong word of the result beside the expected word.
/// All are shown as numbers and as boards.
pub fn draw(
    operation: &Operation,
    inputs: &[u64],
    output: &Argument,
    got: &[u64],
    expected: &[u64],
) -> String {
    let inputs_of = |input| word_names(input).into_iter().map(move |name| (name, input.element()));
    let mut boards: Vec<(String, u64)> = (operation.info.inputs().iter().flat_map(inputs_of))
        .zip(inputs)
        .map(|((name, element), &word)| {
            (name, if element == Element::Square { 1 << word } else { word })
        })
        .collect();
    let wrong = (0..got.len()).find(|&i| got[i] != expected[i]).unwrap_or(0);
    let text = format!("  got {}:\n", word_names(output)[wrong]);
    let (got, expected) = (got[wrong], expected[wrong]);
    let results = [("got", got), ("expected", expected), ("difference", got ^ expected)];
    boards.extend(results.map(|(name, word)| (name.into(), word)));
    text + &side_by_side(&boards)
}

/// Draws boards beside each other, after a list of their names and numbers.
pub fn side_by_side(boards: &[(String, u64)]) -> String {
    let mut text = String::new();
    for (name, board) in boards {
        let _ = writeln!(text, "  {name:15} {board:#018x}");
    }
    for boards in boards.chunks(6) {
        let names =
            boards.iter().fold(" ".to_owned(), |row, (name, _)| row + &format!("  {name:<16}"));
        let _ = writeln!(text, "{names}");
        for rank in (0..8).rev() {
            let square = |board: u64, file: i32| {
                if board >> (8 * rank + file) & 1 == 1 { " x" } else { " ." }
            };
            let row = |(_, board): &(_, u64)| {
                (0..8).fold("  ".to_owned(), |row, file| row + square(*board, file))
            };
            let _ = writeln!(text, "{}{}", rank + 1, boards.iter().map(row).collect::<String>());
        }
    }
    text
}

/// A name for each word of one element of an argument.
pub fn word_names(argument: &Argument) -> Vec<String> {
    const KINDS: [&str; 6] = ["pawns", "knights", "bishops", "rooks", "queens", "kings"];
    let by_side = |names: &[&str]| -> Vec<String> {
        let named = |side| names.iter().map(move |name| format!("{side} {name}"));
        ["white", "black"].into_iter().flat_map(named).collect()
    };
    let by_name = |names: &[&str]| -> Vec<String> {
        names.iter().flat_map(|name| by_side(&[name])).collect()
    };
    match argument.element() {
        Element::Position => by_side(&KINDS),
        Element::AttackMaps => [by_side(&KINDS), by_name(&["all", "by_lesser"])].concat(),
        Element::Checks => by_name(&["checkers", "pinned", "pinners"]),
        _ => vec![argument.name().into()],
    }
}

#[cfg(test)]
mod tests {
    use setwise::Kernel;
    use setwise::reflection::ColumnMut;

    use crate::{Case, Operation};

    fn cases() -> Vec<Case> {
        let mut state = 1_u64;
        let mut word = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            state ^ state >> 29
        };
        (0..100).map(|_| Case::random(&mut word)).collect()
    }

    #[test]
    fn a_wrong_bit_is_found() {
        let cases = cases();
        for operation in Operation::all() {
            let kernel = Kernel::active();
            let right = operation.check(&cases, &|inputs, outputs| {
                operation.info.call(kernel, operation.parameter, inputs, outputs);
            });
            right.unwrap_or_else(|mismatch| panic!("{}: {mismatch}", operation.title()));
            let wrong = operation.check(&cases, &|inputs, outputs| {
                operation.info.call(kernel, operation.parameter, inputs, outputs);
                match outputs.last_mut() {
                    Some(ColumnMut::Sets(sets)) => sets[98] ^= 1 << 27,
                    Some(ColumnMut::Counts(counts)) => counts[98] ^= 1,
                    Some(ColumnMut::AttackMaps(maps)) => maps[98].by_lesser[1] ^= 1 << 27,
                    Some(ColumnMut::Checks(checks)) => checks[98].pinners[1] ^= 1 << 27,
                    _ => unreachable!("every operation has an output"),
                }
            });
            let mismatch = wrong.unwrap_err();
            assert_eq!(mismatch.board, 98, "{}", operation.title());
            assert!(mismatch.drawing.contains("difference"), "{}", mismatch.drawing);
        }
    }
}
