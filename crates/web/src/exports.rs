//! The functions that the WebAssembly module exports. They exchange words with the page through one
//! buffer. Another buffer holds the text that the page reads.

use std::cell::RefCell;

use setwise::moves::Move;
use setwise::position::Position;
use setwise::reflection::{Argument, OPERATIONS, OperationInfo};
use setwise::{Direction, Kernel, Line, Square, board};
use setwise_check::{Operation, word_names};

use crate::batch::{Arguments, words};
use crate::{moves, steps};

/// The number of boards in the largest batch.
const BOARDS: usize = 4096;

struct State {
    buffer: Vec<u64>,
    text: String,
    batch: Option<Arguments>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State {
        buffer: vec![0; BOARDS * widest()],
        text: description(),
        batch: None,
    });
}

/// The largest number of words per board in an operation's inputs or outputs.
fn widest() -> usize {
    let sides = OPERATIONS.iter().flat_map(|info| [info.inputs(), info.outputs()]);
    sides.map(words).max().unwrap_or(0)
}

/// The number of boards in the largest batch.
#[unsafe(no_mangle)]
extern "C" fn boards() -> usize {
    BOARDS
}

/// The address of the buffer of words.
#[unsafe(no_mangle)]
extern "C" fn buffer() -> *mut u64 {
    STATE.with_borrow_mut(|state| state.buffer.as_mut_ptr())
}

/// The address of the JSON description.
#[unsafe(no_mangle)]
extern "C" fn text() -> *const u8 {
    STATE.with_borrow(|state| state.text.as_ptr())
}

/// The length of the JSON description in bytes.
#[unsafe(no_mangle)]
extern "C" fn text_length() -> usize {
    STATE.with_borrow(|state| state.text.len())
}

/// Replaces the batch. For each board, the buffer must hold the words of all inputs.
#[unsafe(no_mangle)]
extern "C" fn load(operation: usize, parameter: u8, boards: usize) {
    let info = &OPERATIONS[operation];
    STATE.with_borrow_mut(|state| {
        let rows = &state.buffer[..boards * words(info.inputs())];
        state.batch = Some(Arguments::new(Operation { info, parameter }, rows));
    });
}

/// Replaces the batch with random boards. The same seed always gives the same boards.
#[unsafe(no_mangle)]
extern "C" fn randomize(operation: usize, parameter: u8, seed: u64) {
    let info = &OPERATIONS[operation];
    let batch = Arguments::random(Operation { info, parameter }, BOARDS, seed);
    STATE.with_borrow_mut(|state| state.batch = Some(batch));
}

/// Computes the batch `passes` times. `kernel` is an index into the description's list of kernels.
#[unsafe(no_mangle)]
extern "C" fn run(kernel: usize, passes: usize) {
    let kernel = Kernel::available().nth(kernel).expect("an available kernel");
    with_batch(|batch, _| batch.run(kernel, passes));
}

/// Writes the results to the buffer: the words of all outputs of the first board, then those of
/// the second, and so on.
#[unsafe(no_mangle)]
extern "C" fn results() {
    with_batch(|batch, buffer| {
        let results = batch.results();
        buffer[..results.len()].copy_from_slice(&results);
    });
}

/// The index of the first board whose outputs differ from the oracle's, or -1.
#[unsafe(no_mangle)]
extern "C" fn first_wrong() -> i32 {
    with_batch(|batch, _| batch.first_wrong().map_or(-1, |board| board.cast_signed() as i32))
}

fn with_batch<T>(act: impl FnOnce(&mut Arguments, &mut [u64]) -> T) -> T {
    STATE.with_borrow_mut(|state| {
        let batch = state.batch.as_mut().expect("a batch");
        act(batch, &mut state.buffer)
    })
}

/// Writes the steps of a technique to the buffer and returns the number of words. The buffer must
/// hold eight words of sliders, then eight of occupied squares. All techniques but `rank_slices`
/// read only the first word of each. `argument` is the index of a direction, or 64 times the index
/// of a line plus a square.
#[unsafe(no_mangle)]
extern "C" fn steps(technique: usize, argument: usize) -> usize {
    STATE.with_borrow_mut(|state| {
        let eight = |from: usize| std::array::from_fn(|i| state.buffer[from + i]);
        let (boards, blockers) = (eight(0), eight(8));
        let (sliders, occupied) = (boards[0], blockers[0]);
        let direction = || Direction::ALL[argument];
        let line = || Line::ALL[argument / 64];
        let square = || Square::new((argument % 64) as u8).expect("below 64");
        let words = match technique {
            0 => steps::dumb7fill(direction(), sliders, occupied).to_vec(),
            1 => steps::adder(sliders, occupied).to_vec(),
            2 => steps::kogge_stone(direction(), sliders, occupied).to_vec(),
            3 => steps::borrow(sliders, occupied).to_vec(),
            4 => steps::borrow_bytewise(sliders, occupied).to_vec(),
            5 => steps::hyperbola(line(), square(), occupied).to_vec(),
            6 => steps::vpperm(square(), occupied).to_vec(),
            7 => steps::switch(line(), square(), occupied).to_vec(),
            8 => steps::rank_slices(boards, blockers).concat(),
            9 => steps::turned(sliders, occupied).to_vec(),
            10 => steps::mailbox(square(), occupied).to_vec(),
            _ => panic!("there is no technique {technique}"),
        };
        state.buffer[..words.len()].copy_from_slice(&words);
        words.len()
    })
}

/// Replaces a position in the buffer, the twelve words of its pieces, with the legal moves of a
/// side (0 White, 1 Black): the number of pieces that give check, then the moves. Returns the
/// number of moves. Kings and rooks on the squares of the start position may castle.
#[unsafe(no_mangle)]
extern "C" fn legal_moves(side: u8) -> usize {
    STATE.with_borrow_mut(|state| {
        let pieces =
            std::array::from_fn(|side| std::array::from_fn(|kind| state.buffer[6 * side + kind]));
        let position = moves::of_side(Position { pieces }, side);
        let (_, checks) = board::legal_counts(&position);
        let mut list = vec![Move::default(); BOARDS - 1];
        let count = board::legal_moves(&position, &mut list).min(list.len());
        state.buffer[0] = checks.into();
        for (word, one) in state.buffer[1..].iter_mut().zip(&list[..count]) {
            *word = one.bits().into();
        }
        count
    })
}

/// The available kernels and the operations, as JSON.
fn description() -> String {
    let kernels = list(Kernel::available().map(|kernel| {
        let mut all = Kernel::catalogue().iter();
        let info = all.find(|info| info.name() == kernel.name());
        let about = info.expect("in the catalogue").description();
        format!(r#"{{"name":{:?},"description":{about:?}}}"#, kernel.name())
    }));
    let operations = list(OPERATIONS.iter().map(operation));
    format!(
        r#"{{"active":{:?},"kernels":{kernels},"operations":{operations}}}"#,
        Kernel::active().name()
    )
}

fn operation(info: &OperationInfo) -> String {
    let parameter = info.parameter().map_or("null".into(), |parameter| {
        format!(r#"{{"name":{:?},"values":{:?}}}"#, parameter.name(), parameter.names())
    });
    format!(
        r#"{{"name":{:?},"summary":{:?},"byValue":{},"parameter":{parameter},"inputs":{},"outputs":{}}}"#,
        info.name(),
        info.summary().to_string(),
        info.by_value(),
        list(info.inputs().iter().map(argument)),
        list(info.outputs().iter().map(argument)),
    )
}

fn argument(argument: &Argument) -> String {
    let role = argument.role();
    format!(r#"{{"role":"{role:?}","words":{:?}}}"#, word_names(argument))
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}
