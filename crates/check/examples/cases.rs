//! Writes cases with the oracle's results to the files `operations` and `threats`, for tests in
//! other languages. `crates/capi/tests/c/cases.h` reads them. Writes the calls in C to `calls.h`.
//!
//!     cargo run -p setwise-check --example cases FOLDER

use std::path::Path;
use std::{env, fs};

use setwise::Square;
use setwise::reflection::{OPERATIONS, OperationInfo};
use setwise::threats::Threat;
use setwise_check::threats::{self, Codes, Meaning};
use setwise_check::{Case, Column, Operation};

const BOARDS: usize = 500;
const RANDOM: usize = 1500;
const MOVES: usize = 500;

fn number(file: &mut Vec<u8>, number: usize) {
    file.extend((number as u32).to_ne_bytes());
}

/// For each operation: its name in 40 bytes; the parameter, the number of boards, inputs and
/// outputs, and the size of an element of each column; the columns, inputs first.
fn operations(random: &mut dyn FnMut() -> u64) -> Vec<u8> {
    let mut file = vec![];
    for operation in Operation::all() {
        let cases: Vec<Case> = (0..BOARDS).map(|_| Case::random(random)).collect();
        let outputs = operation.info.outputs();
        let mut words = vec![vec![]; outputs.len()];
        for case in &cases {
            let results = operation.oracle(&case.inputs(&operation));
            let mut results = results.into_iter();
            for (words, output) in words.iter_mut().zip(outputs) {
                words.extend(results.by_ref().take(output.element().words()));
            }
        }
        let mut columns = operation.columns(&cases);
        columns.truncate(operation.info.inputs().len());
        columns.extend(outputs.iter().zip(words).map(|(o, words)| Column::new(o.element(), words)));
        let mut name = operation.info.name().as_bytes().to_vec();
        name.resize(40, 0);
        file.extend(name);
        for n in [operation.parameter.into(), BOARDS, columns.len() - outputs.len(), outputs.len()]
        {
            number(&mut file, n);
        }
        let sizes = operation.arguments().map(|argument| argument.element().size());
        for size in sizes.chain([0; 20]).take(18) {
            number(&mut file, size);
        }
        for column in columns {
            file.extend(column.bytes());
            file.resize(file.len().next_multiple_of(8), 0);
        }
    }
    file
}

/// A line for each operation on batches: its call in C on the columns `c`.
fn calls() -> String {
    let batches = OPERATIONS.iter().filter(|operation| !operation.by_value());
    let call = |operation: &OperationInfo| {
        let parameter = if operation.parameter().is_some() { "p, " } else { "" };
        let columns = 0..operation.inputs().len() + operation.outputs().len();
        let columns: Vec<String> = columns.map(|column| format!("c[{column}]")).collect();
        format!("ENTRY({}, {parameter}{}, n)\n", operation.name(), columns.join(", "))
    };
    batches.map(call).collect()
}

fn list(file: &mut Vec<u8>, list: &[Threat]) {
    number(file, list.len());
    file.extend(list.iter().flat_map(|t| [t.attacker, t.from, t.victim, t.to]));
}

/// For each case: the board, the meaning of the codes, the pairs; the move and the edits in 16
/// bytes; the threats of the board, and those that the move and the edits add and remove.
fn threats(random: &mut dyn FnMut() -> u64) -> Vec<u8> {
    let mut file = vec![];
    let mut add = |(case, edits, meaning): (threats::Case, Vec<(Square, u8)>, Meaning)| {
        file.extend(case.codes);
        file.extend(meaning.codes.map(|piece| piece.map_or(0, |(side, piece)| piece.code(side))));
        file.extend(meaning.pairs.iter().flat_map(|pairs| pairs.to_ne_bytes()));
        let mut row = vec![case.from.index() as u8, case.to.index() as u8, case.placed];
        row.push(edits.len() as u8);
        row.extend(edits.iter().flat_map(|&(square, code)| [square.index() as u8, code]));
        row.resize(16, 0);
        file.extend(row);
        list(&mut file, &threats::all(&case.codes, &meaning));
        let moved = threats::moved(&case.codes, case.from, case.to, case.placed, &meaning);
        for lists in [moved, threats::edited(&case.codes, &edits, &meaning)] {
            list(&mut file, &lists.added);
            list(&mut file, &lists.removed);
        }
    };
    (0..RANDOM).for_each(|_| add(threats::random(&mut *random)));
    // Boards as in games: the start, then any moves of any pieces.
    let mut codes: Codes = [0; 64];
    for i in 0..MOVES {
        if i % 50 == 0 {
            codes = [0; 64];
            for (file, kind) in [4, 2, 3, 5, 6, 3, 2, 4].into_iter().enumerate() {
                for (rank, code) in [kind, 1, 7, kind + 6].into_iter().enumerate() {
                    codes[8 * [0, 1, 6, 7][rank] + file] = code;
                }
            }
        }
        let (mut case, edits, _) = threats::random(&mut *random);
        while codes[case.from.index()] == 0 {
            case.from = threats::random(&mut *random).0.from;
        }
        case.placed = codes[case.from.index()];
        case.codes = codes;
        (codes[case.from.index()], codes[case.to.index()]) = (0, case.placed);
        add((case, edits, Meaning::usual()));
    }
    file
}

fn main() {
    let folder = env::args_os().nth(1).expect("the argument FOLDER");
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        state >> 32 ^ state
    };
    let write = |name: &str, bytes: Vec<u8>| {
        fs::write(Path::new(&folder).join(name), bytes).expect("the folder is writable");
    };
    write("calls.h", calls().into());
    write("operations", operations(&mut random));
    write("threats", threats(&mut random));
}
