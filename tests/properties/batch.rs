//! Batches of boards for an operation, which shrink to the fewest and emptiest boards.

use std::cell::RefCell;
use std::fmt;

use quickcheck::{Arbitrary, Gen};
use setwise::Kernel;
use setwise::reflection::{Argument, Element};
use setwise_check::{Case, Column, Operation, call, side_by_side, word_names};

use crate::{Law, Wrong};

thread_local! {
    /// The operations of the batches that this thread makes.
    pub(crate) static CHOSEN: RefCell<Vec<Operation>> = const { RefCell::new(vec![]) };
}

/// Boards for an operation.
#[derive(Clone)]
pub(crate) struct Batch {
    pub(crate) operation: Operation,
    /// The words of each board's inputs.
    pub(crate) rows: Vec<Vec<u64>>,
}

impl Arbitrary for Batch {
    /// Boards for one of the [`CHOSEN`] operations. There may be few, or more than a block has.
    fn arbitrary(g: &mut Gen) -> Batch {
        let operation = CHOSEN.with_borrow(|chosen| *g.choose(chosen).expect("an operation"));
        let longest = *g.choose(&[1, 8, 72, 140]).expect("a length");
        let boards = 1 + u64::arbitrary(g) % longest;
        let row = |_| Case::random(&mut || u64::arbitrary(g)).inputs(&operation);
        Batch { operation, rows: (0..boards).map(row).collect() }
    }

    /// First fewer boards, then boards with fewer pieces. A square loses bits of its number.
    fn shrink(&self) -> Box<dyn Iterator<Item = Batch>> {
        let (rows, boards) = (self.rows.clone(), self.rows.len());
        let alone = (0..boards).map(|i| i..i + 1);
        let halves = [0..boards / 2, boards / 2..boards, 0..boards - 1, 1..boards];
        let shorter =
            alone.chain(halves).filter(move |kept| !kept.is_empty() && kept.len() < boards);
        let shorter = shorter.map(move |kept| rows[kept].to_vec());
        let rows = self.rows.clone();
        let emptied = (0..boards).flat_map(move |i| {
            let rows = rows.clone();
            smaller(&rows[i]).map(move |row| {
                let mut rows = rows.clone();
                rows[i] = row;
                rows
            })
        });
        let operation = self.operation;
        Box::new(shorter.chain(emptied).map(move |rows| Batch { operation, rows }))
    }
}

/// A board with nothing on it, with one input less, with half of an input, and without one piece.
fn smaller(row: &[u64]) -> impl Iterator<Item = Vec<u64>> + use<> {
    let row = row.to_vec();
    let nothing = vec![0; row.len()];
    let all = row.clone();
    let words = (0..row.len()).flat_map(move |i| {
        let (row, word) = (row.clone(), row[i]);
        let halves = [0, word & !0 << 32, word & !0 >> 32, word & 0x0f0f_0f0f_0f0f_0f0f];
        let bits = (0..64).map(move |bit| word & !(1 << bit));
        halves.into_iter().chain(bits).filter(move |&less| less != word).map(move |less| {
            let mut row = row.clone();
            row[i] = less;
            row
        })
    });
    [nothing].into_iter().filter(move |row| *row != all).chain(words)
}

impl fmt::Debug for Batch {
    /// Draws the inputs of the first boards that are not empty.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (title, boards) = (self.operation.title(), self.rows.len());
        write!(f, "\n{title}, a batch of {boards}; its first boards that are not empty:")?;
        let rows = self.rows.iter().enumerate();
        for (number, row) in rows.filter(|(_, row)| row.iter().any(|&word| word != 0)).take(3) {
            write!(f, "\nboard {number}\n{}", drawn(self.operation.info.inputs(), row))?;
        }
        Ok(())
    }
}

/// Draws the words of one board.
fn drawn(arguments: &[Argument], words: &[u64]) -> String {
    let names = arguments.iter().flat_map(|argument| {
        word_names(argument).into_iter().map(|name| (name, argument.element()))
    });
    let boards = names.zip(words).map(|((name, element), &word)| {
        (name, if element == Element::Square { 1 << word } else { word })
    });
    side_by_side(&boards.collect::<Vec<_>>())
}

impl Batch {
    /// The words of the kernel's results for each board.
    pub(crate) fn run(&self, kernel: &Kernel) -> Result<Vec<Vec<u64>>, Wrong> {
        run(kernel, &self.operation, &self.rows)
    }

    /// The same boards, changed.
    pub(crate) fn map(&self, change: impl FnMut(&Vec<u64>) -> Vec<u64>) -> Batch {
        Batch { operation: self.operation, rows: self.rows.iter().map(change).collect() }
    }
}

/// The columns of the operation's inputs, and columns for its outputs.
pub(crate) fn columns(operation: &Operation, rows: &[Vec<u64>]) -> Vec<Column> {
    let mut first = 0;
    let inputs = operation.info.inputs().iter().map(|input| {
        let words = first..first + input.element().words();
        first = words.end;
        let column = rows.iter().flat_map(|row| row[words.clone()].iter().copied());
        Column::new(input.element(), column.collect())
    });
    let outputs = operation.info.outputs().iter().map(|output| {
        let words = vec![0xdead_beef_dead_beef; output.element().words() * rows.len()];
        Column::new(output.element(), words)
    });
    inputs.chain(outputs).collect()
}

/// Fills the columns of the outputs. Those of the inputs must stay as they are.
pub(crate) fn fill(kernel: &Kernel, operation: &Operation, columns: &mut [Column]) -> Law {
    let inputs = operation.info.inputs().len();
    let before = columns[..inputs].to_vec();
    call(operation, &mut *columns, &|inputs, outputs| {
        operation.info.call(kernel, operation.parameter, inputs, outputs);
    });
    if columns[..inputs] == before {
        Ok(())
    } else {
        Err(Wrong(format!("{}: {} writes to its inputs", kernel.name(), operation.title())))
    }
}

/// The words of the kernel's results for each board.
pub(crate) fn run(
    kernel: &Kernel,
    operation: &Operation,
    rows: &[Vec<u64>],
) -> Result<Vec<Vec<u64>>, Wrong> {
    let mut columns = columns(operation, rows);
    fill(kernel, operation, &mut columns)?;
    let outputs = operation.info.outputs().iter().zip(&columns[operation.info.inputs().len()..]);
    let mut results = vec![vec![]; rows.len()];
    for (output, column) in outputs {
        for (i, result) in results.iter_mut().enumerate() {
            Column::get(column.bytes(), output.element(), i, result);
        }
    }
    Ok(results)
}

/// Draws the first result that is not as expected.
pub(crate) fn equal(
    kernel: &Kernel,
    operation: &Operation,
    got: &[Vec<u64>],
    expected: &[Vec<u64>],
) -> Law {
    assert_eq!(got.len(), expected.len());
    let Some(board) = (0..got.len()).find(|&i| got[i] != expected[i]) else { return Ok(()) };
    let (got, expected) = (&got[board], &expected[board]);
    let word = (0..got.len()).find(|&i| got[i] != expected[i]).expect("a word that differs");
    let name = &operation.info.outputs().iter().flat_map(word_names).collect::<Vec<_>>()[word];
    let (got, expected) = (got[word], expected[word]);
    let boards = [("got", got), ("expected", expected), ("difference", got ^ expected)];
    let boards = boards.map(|(name, word)| (name.into(), word));
    let (kernel, title) = (kernel.name(), operation.title());
    let drawing = side_by_side(&boards);
    Err(Wrong(format!("{kernel}: {title}, {name} of board {board}:\n{drawing}")))
}
