//! Compares every operation of every available kernel with the oracle. Every buffer lies between
//! unreadable pages. A call must not write to its inputs or outside its buffers.
//!
//! The input starts with five bytes: kernel, operation, flags, and two bytes for the number of
//! boards. The words of the boards follow. Bit 0 of the flags requests non-temporal stores. Bit
//! 1 + n puts arguments n and n + 7 at the start of their pages instead of the end.
#![no_main]

use std::sync::{LazyLock, Mutex};

use libfuzzer_sys::{Corpus, fuzz_target};
use setwise::Kernel;
use setwise::reflection::Element;
use setwise_check::{Case, Expected, Operation, Pages, call, compare};
use words::words;

mod words;

/// Maximum batch size: more than four blocks of the widest kernel.
const LONGEST: usize = 300;
/// Maximum batch size for positions, which the oracle checks more slowly.
const MOST_POSITIONS: usize = 40;
/// Size of the longest column (attack maps), in bytes.
const ROOM: usize = 128 * MOST_POSITIONS;
/// The byte that fills the memory around buffers, to detect stray writes.
const AROUND: u8 = 0xa5;

static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| Operation::all().collect());
static KERNELS: LazyLock<Vec<&'static Kernel>> = LazyLock::new(|| Kernel::available().collect());
/// The memory for each argument.
static PAGES: LazyLock<Mutex<Vec<Pages>>> = LazyLock::new(|| {
    let most = OPERATIONS.iter().map(|operation| operation.arguments().count()).max();
    let pages = (0..most.unwrap_or(0)).map(|_| Pages::new(ROOM));
    Mutex::new(pages.collect())
});

fuzz_target!(|data: &[u8]| -> Corpus {
    let [kernel, operation, flags, low, high, data @ ..] = data else {
        return Corpus::Reject;
    };
    let kernel = KERNELS[usize::from(*kernel) % KERNELS.len()];
    let operation = &OPERATIONS[usize::from(*operation) % OPERATIONS.len()];
    let mut boards = usize::from(u16::from_le_bytes([*low, *high])) % (LONGEST + 1);
    if operation.info.inputs()[0].element() == Element::Position {
        boards %= MOST_POSITIONS + 1;
    }
    let mut words = words(data);
    let cases: Vec<Case> = (0..boards)
        .map(|_| Case { sliders: words(), others: words(), occupied: words() })
        .collect();
    setwise::stream_above(if flags & 1 == 0 { usize::MAX } else { 0 });
    check_batch(kernel, operation, *flags, &cases);
    if let Some(case) = cases.first() {
        check_board(operation, *case);
    }
    Corpus::Keep
});

fn check_batch(kernel: &Kernel, operation: &Operation, flags: u8, cases: &[Case]) {
    let what = || {
        let (title, boards) = (operation.title(), cases.len());
        format!("{title}, kernel {}, {boards} boards", kernel.name())
    };
    let columns = operation.columns(cases);
    let mut pages = PAGES.lock().unwrap();
    let at_end = |n: usize| flags >> (1 + n % 7) & 1 == 0;
    for (n, (pages, column)) in pages.iter_mut().zip(&columns).enumerate() {
        let room = pages.range().len();
        pages.buffer(room, false).fill(AROUND);
        pages.place(column.bytes(), at_end(n));
    }

    let buffers = pages.iter_mut().zip(&columns).enumerate();
    let buffers = buffers.map(|(n, (pages, column))| pages.buffer(column.bytes().len(), at_end(n)));
    let outputs = call(operation, buffers, &|inputs, outputs| {
        operation.info.call(kernel, operation.parameter, inputs, outputs);
    });
    let expected = Expected::new(operation, cases.iter().copied());
    compare(operation, cases, &outputs, &expected, |board| board)
        .unwrap_or_else(|mismatch| panic!("{}: {mismatch}", what()));

    for (n, (pages, column)) in pages.iter_mut().zip(&columns).enumerate() {
        let (room, length) = (pages.range().len(), column.bytes().len());
        let start = if at_end(n) { room - length } else { 0 };
        let bytes = &*pages.buffer(room, false);
        let mut around = bytes[..start].iter().chain(&bytes[start + length..]);
        assert!(around.all(|&byte| byte == AROUND), "{}: writes around argument {n}", what());
        if n < operation.info.inputs().len() {
            assert_eq!(
                bytes[start..][..length],
                *column.bytes(),
                "{}: writes to argument {n}",
                what()
            );
        }
    }
}

/// Checks the operation's function in `setwise::board`, if it has one.
fn check_board(operation: &Operation, case: Case) {
    let inputs = case.inputs(operation);
    let expected = operation.oracle(&inputs);
    if let Some(results) = operation.on_board(&inputs) {
        assert_eq!(results, expected, "board::{} of {inputs:#x?}", operation.title());
    }
}
