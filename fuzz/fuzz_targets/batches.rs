//! Every operation of every kernel that this CPU can run, against the oracle of the tests. All buffers lie between unreadable pages, most
//! right at one of them; what is around them on their own pages must stay as it is, and so must the inputs.
//!
//! Input: a kernel, an operation, bits (which buffers end at a page, whether batches are written past the caches), two
//! bytes for the number of boards, and sets.
#![no_main]

use std::sync::LazyLock;

use buffers::{Buffers, buffers};
use libfuzzer_sys::{Corpus, fuzz_target};
use operations::{Operation, operations};
use setwise::{AttackMaps, Checks, Kernels, Position};
use words::Words;

mod buffers;
#[path = "../../tests/runner/column.rs"]
#[allow(dead_code)]
mod column;
#[path = "../../tests/runner/operations.rs"]
#[allow(dead_code)]
mod operations;
#[path = "../../crates/measure/src/walk.rs"]
mod oracle;
#[path = "../../tests/oracle/position.rs"]
mod oracle_position;
#[path = "../../tests/runner/pages.rs"]
#[allow(dead_code)]
mod pages;
mod words;

/// More than four blocks of the widest kernel.
const LONGEST: usize = 300;
/// Where nothing may be written.
const AROUND: u8 = 0xa5;

static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(operations);
static KERNELS: LazyLock<Vec<&'static Kernels>> = LazyLock::new(|| Kernels::available().collect());

fuzz_target!(|data: &[u8]| -> Corpus {
    let [kernel, operation, bits, low, high, sets @ ..] = data else {
        return Corpus::Reject;
    };
    let kernel = KERNELS[usize::from(*kernel) % KERNELS.len()];
    let boards = usize::from(u16::from_le_bytes([*low, *high])) % (LONGEST + 1);
    let words = Words(sets);
    let threshold = if bits & 1 == 0 { usize::MAX } else { 0 };
    setwise::set_streaming_threshold(threshold);
    // After the operations of the list whole positions.
    let number = usize::from(*operation) % (OPERATIONS.len() + 1);
    match OPERATIONS.get(number) {
        Some(operation) => check(kernel, operation, *bits, boards, &words),
        None => check_positions(kernel, boards % 40, &words),
    }
    Corpus::Keep
});

fn check(kernel: &'static Kernels, operation: &Operation, bits: u8, boards: usize, words: &Words) {
    let Buffers(pages) = &mut *buffers(LONGEST);
    let value = |input: usize, board: usize| {
        let word = words.at(board * operation.inputs.len() + input);
        if operation.inputs[input].size == 1 {
            word & 63
        } else {
            word
        }
    };
    let columns: Vec<column::Column> = operation
        .arguments()
        .enumerate()
        .map(|(n, argument)| {
            let of_board = |i| {
                if n < operation.inputs.len() {
                    value(n, i)
                } else {
                    !0
                }
            };
            column::Column::new(argument.size, (0..boards).map(of_board))
        })
        .collect();
    let at_end = |n: usize| bits >> (1 + n) & 1 == 0;
    for (n, (pages, column)) in pages.iter_mut().zip(&columns).enumerate() {
        let room = pages.range().len();
        pages.buffer(room, false).fill(AROUND);
        pages.place(column.bytes(), at_end(n));
    }
    {
        let mut all: Vec<&mut [u8]> = pages
            .iter_mut()
            .zip(&columns)
            .enumerate()
            .map(|(n, (pages, column))| pages.buffer(column.bytes().len(), at_end(n)))
            .collect();
        let mut outputs = all.split_off(operation.inputs.len());
        let inputs: Vec<&[u8]> = all.into_iter().map(|input| &*input).collect();
        (operation.batch)(kernel, &inputs, &mut outputs);
    }
    let what = || {
        format!(
            "{} of {}, {boards} boards",
            operation.title(),
            kernel.name()
        )
    };
    for (n, (pages, column)) in pages.iter_mut().zip(&columns).enumerate() {
        let (room, length) = (pages.range().len(), column.bytes().len());
        let around = room - length;
        let around =
            pages.buffer(room, false)[if at_end(n) { 0..around } else { length..room }].iter();
        assert!(
            around.copied().all(|byte| byte == AROUND),
            "{}: writes around argument {n}",
            what()
        );
        if n < operation.inputs.len() {
            let now = &*pages.buffer(length, at_end(n));
            assert_eq!(now, column.bytes(), "{}: writes to argument {n}", what());
        }
    }
    for board in 0..boards {
        let values: Vec<u64> = (0..operation.inputs.len())
            .map(|n| value(n, board))
            .collect();
        let expected = (operation.oracle)(&values);
        if board == 0 {
            assert_eq!(
                (operation.board)(&values),
                expected,
                "board::{}",
                operation.title()
            );
            if let Some(one) = operation.one {
                assert_eq!(
                    one(kernel, operation.index, &values),
                    expected,
                    "{}, one",
                    what()
                );
            }
        }
        for (m, (output, expected)) in operation.outputs.iter().zip(expected).enumerate() {
            let n = operation.inputs.len() + m;
            let bytes = &*pages[n].buffer(output.size * boards, at_end(n));
            let got = column::get(bytes, output.size, board);
            assert_eq!(got, expected, "{}: board {board}, {values:#x?}", what());
        }
    }
}

fn check_positions(kernel: &Kernels, count: usize, words: &Words) {
    let positions: Vec<Position> = (0..count)
        .map(|i| {
            let set = |n| words.at(12 * i + n);
            Position {
                pieces: [0, 6].map(|from| std::array::from_fn(|kind| set(from + kind))),
            }
        })
        .collect();
    let mut maps = vec![AttackMaps::default(); count];
    let mut checks = vec![Checks::default(); count];
    kernel.attack_maps(&positions, &mut maps);
    kernel.checks(&positions, &mut checks);
    for (position, (maps, checks)) in positions.iter().zip(maps.iter().zip(&checks)) {
        let (attacks, all, threats) = oracle_position::attack_maps(&position.pieces);
        assert_eq!(
            *maps,
            AttackMaps {
                attacks,
                all,
                threats
            },
            "{} {position:x?}",
            kernel.name()
        );
        assert_eq!(*maps, kernel.attack_maps_one(position));
        let [checkers, pinned, pinners] = oracle_position::checks(&position.pieces);
        assert_eq!(
            *checks,
            Checks {
                checkers,
                pinned,
                pinners
            },
            "{} {position:x?}",
            kernel.name()
        );
        assert_eq!(*checks, kernel.checks_one(position));
    }
}
