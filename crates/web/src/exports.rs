//! The functions of the module. One memory: the page writes inputs into columns, calls, and reads outputs from columns; text is JSON in a buffer.
//! The module has one thread, and a call ends before the next begins.

use core::cell::UnsafeCell;
use core::fmt::{self, Write};
use core::panic::PanicInfo;

use setwise::{Direction, Kernels, Line, Square};

use crate::operations::{BOARDS, COLUMNS, Column, OPERATIONS};
use crate::{steps, walk};

/// What the page and the functions share.
struct Memory {
    inputs: [Column; COLUMNS],
    outputs: [Column; COLUMNS],
    text: [u8; 32768],
}

struct Shared(UnsafeCell<Memory>);

// SAFETY: the module has one thread.
unsafe impl Sync for Shared {}

static MEMORY: Shared = Shared(UnsafeCell::new(Memory {
    inputs: [[0; BOARDS]; COLUMNS],
    outputs: [[0; BOARDS]; COLUMNS],
    text: [0; 32768],
}));

fn memory() -> &'static mut Memory {
    // SAFETY: each exported function takes it once, and none calls another.
    unsafe { &mut *MEMORY.0.get() }
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// Boards in a column.
#[unsafe(no_mangle)]
extern "C" fn boards() -> usize {
    BOARDS
}

/// The address of an input column.
#[unsafe(no_mangle)]
extern "C" fn input(column: usize) -> *mut u64 {
    memory().inputs[column].as_mut_ptr()
}

/// The address of an output column.
#[unsafe(no_mangle)]
extern "C" fn output(column: usize) -> *const u64 {
    memory().outputs[column].as_ptr()
}

/// The address of the text.
#[unsafe(no_mangle)]
extern "C" fn text() -> *const u8 {
    memory().text.as_ptr()
}

/// Writes the kernels that run here and the operations as JSON; returns the text's length, 0 if it has no room.
#[unsafe(no_mangle)]
extern "C" fn describe() -> usize {
    let mut to = Text {
        to: &mut memory().text,
        used: 0,
    };
    match description(&mut to) {
        Ok(()) => to.used,
        Err(fmt::Error) => 0,
    }
}

/// Evaluates the first boards of the input columns by the kernel of this number, counted as [`describe`] lists them.
#[unsafe(no_mangle)]
extern "C" fn evaluate(
    kernel: usize,
    operation: usize,
    index: usize,
    boards: usize,
    passes: usize,
) {
    let kernel = Kernels::available()
        .nth(kernel)
        .expect("a kernel that runs here");
    let memory = memory();
    for _ in 0..passes {
        OPERATIONS[operation].evaluate(kernel, index, &memory.inputs, &mut memory.outputs, boards);
    }
}

/// The first board of which the first output is not what walking square by square finds, for orthogonal and diagonal sliders and occupied squares in the
/// input columns 13 to 15; -1 if there is none.
#[unsafe(no_mangle)]
extern "C" fn check(boards: usize) -> i32 {
    let memory = memory();
    let [.., orthogonal, diagonal, occupied] = &memory.inputs;
    for i in 0..boards {
        if memory.outputs[0][i] != walk::slider_attacks(orthogonal[i], diagonal[i], occupied[i]) {
            return i as i32;
        }
    }
    -1
}

/// The steps of a technique by its number, of the sliders in the first input column and the occupied squares in the second; written to the first output
/// column, returns how many words. `argument` is a direction, or 64 times a line and a square.
#[unsafe(no_mangle)]
extern "C" fn steps(technique: usize, argument: usize) -> usize {
    let memory = memory();
    let (sliders, occupied) = (memory.inputs[0][0], memory.inputs[1][0]);
    let mut put = |words: &[u64]| {
        memory.outputs[0][..words.len()].copy_from_slice(words);
        words.len()
    };
    match technique {
        0 => put(&steps::dumb7fill(
            Direction::ALL[argument],
            sliders,
            occupied,
        )),
        1 => put(&steps::kogge_stone(
            Direction::ALL[argument],
            sliders,
            occupied,
        )),
        2 => put(&steps::borrow(sliders, occupied)),
        3 => put(&steps::borrow_bytewise(sliders, occupied)),
        4 => {
            let square = Square::new((argument % 64) as u8).expect("below 64");
            put(&steps::hyperbola(
                Line::ALL[argument / 64],
                square,
                occupied,
            ))
        }
        _ => {
            let eight = |column: &Column| core::array::from_fn(|i| column[i]);
            let rows = steps::rank_slices(eight(&memory.inputs[0]), eight(&memory.inputs[1]));
            put(rows.as_flattened())
        }
    }
}

fn description(to: &mut Text) -> fmt::Result {
    write!(
        to,
        r#"{{"active":"{}","kernels":["#,
        Kernels::active().name()
    )?;
    let mut comma = "";
    for kernel in Kernels::available() {
        let mut all = Kernels::catalogue().iter();
        let info = all
            .find(|info| info.name() == kernel.name())
            .ok_or(fmt::Error)?;
        write!(
            to,
            r#"{comma}{{"name":"{}","technique":"{}"}}"#,
            info.name(),
            info.technique()
        )?;
        comma = ",";
    }
    to.write_str(r#"],"operations":["#)?;
    comma = "";
    for operation in OPERATIONS {
        write!(
            to,
            r#"{comma}{{"name":"{}","indices":{:?}"#,
            operation.name, operation.indices
        )?;
        for (what, arguments) in [("inputs", operation.inputs), ("outputs", operation.outputs)] {
            write!(to, r#","{what}":["#)?;
            let mut comma = "";
            for (name, kind) in arguments {
                write!(to, r#"{comma}["{name}","{kind}"]"#)?;
                comma = ",";
            }
            to.write_str("]")?;
        }
        to.write_str("}")?;
        comma = ",";
    }
    to.write_str("]}")
}

/// A buffer to write text into.
struct Text<'a> {
    to: &'a mut [u8],
    used: usize,
}

impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self
            .to
            .get_mut(self.used..self.used + text.len())
            .ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.used += text.len();
        Ok(())
    }
}
