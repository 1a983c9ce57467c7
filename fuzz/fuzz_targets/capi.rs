//! Calls the C library in every way that a C program may. Arbitrary strings choose a kernel. Table
//! entries get arguments that Rust's types exclude: misaligned pointers, out-of-range squares and
//! parameters, and an output that is also an input.
//!
//! The first byte selects what to call:
//!
//! - The functions that choose a kernel. A byte of flags follows, then strings, separated by 0xff.
//! - A table entry. Six bytes follow (kernel, operation, parameter, flags, number of boards,
//!   misalignment), then the words of the boards. In the flags of a table entry, bit n moves
//!   argument n to an offset of 0 to 63 bytes. Without it, the argument ends at the end of its
//!   pages. Bit 7 makes the first output share the memory of an input, if both are sets. The two
//!   high bits of the misalignment byte select this input.
#![no_main]

use std::ffi::{CStr, CString, c_char};
use std::ptr::{self, null};
use std::sync::{LazyLock, Mutex};

use libfuzzer_sys::{Corpus, fuzz_target};
use setwise::Kernel;
use setwise::reflection::{Element, OPERATIONS, TABLE_OFFSETS};
use setwise_capi_functions::{
    setwise_active, setwise_available, setwise_by_name, setwise_init, setwise_status,
};
use setwise_check::{Column, Operation, Pages, draw};

const LONGEST: usize = 200;
/// Maximum batch size for positions, which the oracle checks more slowly.
const MOST_POSITIONS: usize = 20;
/// Size of the longest column (attack maps) plus the largest misalignment, in bytes.
const ROOM: usize = 128 * MOST_POSITIONS + 64;
/// The byte that fills the memory around buffers, to detect stray writes.
const AROUND: u8 = 0x5a;

/// The memory for each argument.
static PAGES: LazyLock<Mutex<Vec<Pages>>> = LazyLock::new(|| {
    let arguments = |operation: Operation| operation.arguments().count();
    let most = Operation::all().map(arguments).max().unwrap_or(0);
    Mutex::new((0..most).map(|_| Pages::new(ROOM)).collect())
});

fuzz_target!(|data: &[u8]| -> Corpus {
    match data {
        [what, flags, strings @ ..] if what % 4 == 0 => choose(*flags, strings),
        [_, kernel, number, parameter, flags, boards, shift, data @ ..] => {
            let kernels = available();
            let call = Call {
                kernel: kernels[usize::from(*kernel) % kernels.len()],
                number: usize::from(*number) % OPERATIONS.len(),
                parameter: *parameter,
                flags: *flags,
                boards: usize::from(*boards) % (LONGEST + 1),
                shift: *shift,
            };
            call.check(words(data));
        }
        _ => return Corpus::Reject,
    }
    Corpus::Keep
});

fn available() -> Vec<*const Kernel> {
    let mut list = vec![null(); 64];
    // SAFETY: the list has length 64.
    let count = unsafe { setwise_available(list.as_mut_ptr(), list.len()) };
    list.truncate(count);
    list
}

/// An endless sequence that repeats the words of the input, rotated one bit further in each pass.
fn words(data: &[u8]) -> impl FnMut() -> u64 {
    let chunks = data.chunks(8).map(|chunk| {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(bytes)
    });
    let words: Vec<u64> = chunks.collect();
    let (mut next, mut rotation) = (0, 0);
    move || {
        if next == words.len() {
            (next, rotation) = (0, (rotation + 1) % 64);
        }
        next += 1;
        words.get(next - 1).copied().unwrap_or(0).rotate_left(rotation)
    }
}

/// Converts input bytes to a string. Bytes below 32 become names of kernels.
fn text(bytes: &[u8]) -> Vec<u8> {
    let mut text = vec![];
    for &byte in bytes {
        match Kernel::catalogue().get(usize::from(byte)) {
            Some(info) if byte < 32 => text.extend(info.name().bytes()),
            _ => text.push(byte.max(1)),
        }
    }
    text
}

fn choose(flags: u8, strings: &[u8]) {
    let mut parts = strings.split(|&byte| byte == 0xff).map(text);
    let mut part = |is_given: bool| {
        let part = CString::new(parts.next().unwrap_or_default()).expect("no NUL");
        is_given.then_some(part)
    };
    let (force, exclude) = (part(flags & 1 != 0), part(flags & 2 != 0));
    for (name, is_set) in
        [(c"SETWISE_FORCE_KERNEL", flags & 4 != 0), (c"SETWISE_DISABLE", flags & 8 != 0)]
    {
        // SAFETY: no other thread reads the environment.
        unsafe {
            match part(is_set) {
                Some(value) => libc::setenv(name.as_ptr(), value.as_ptr(), 1),
                None => libc::unsetenv(name.as_ptr()),
            };
        }
    }
    let pointer = |text: &Option<CString>| text.as_ref().map_or(null(), |text| text.as_ptr());
    let before = setwise_active();
    // SAFETY: each pointer is null or points to a C string.
    let chosen = unsafe { setwise_init(u32::from(flags >> 4), pointer(&force), pointer(&exclude)) };
    // SAFETY: `setwise_status` returns a C string.
    let status = unsafe { CStr::from_ptr(setwise_status()) }.to_bytes();
    assert!(status.len() < 512);
    if let Some(chosen) = chosen {
        assert_eq!(status, b"", "{}", status.escape_ascii());
        assert_eq!(setwise_active(), chosen);
        assert!(available().contains(&ptr::from_ref(chosen)));
    } else {
        assert!(!status.is_empty());
        assert_eq!(setwise_active(), before);
    }
    for text in [force, exclude].iter().flatten() {
        // SAFETY: `text` is a C string.
        let found = unsafe { setwise_by_name(text.as_ptr()) };
        if let Some(found) = found {
            assert_eq!(found.name().as_bytes(), text.as_bytes());
        }
    }
}

/// The kernel name in a table.
fn name(kernel: *const Kernel) -> &'static CStr {
    // SAFETY: the third member of a table, 8 bytes from the start, points to the kernel's name, a
    // static C string.
    unsafe { CStr::from_ptr(*kernel.byte_add(8).cast::<*const c_char>()) }
}

/// A call of a table entry.
struct Call {
    kernel: *const Kernel,
    /// The operation's index in `OPERATIONS`.
    number: usize,
    parameter: u8,
    flags: u8,
    boards: usize,
    shift: u8,
}

impl Call {
    fn check(mut self, mut words: impl FnMut() -> u64) {
        let info = &OPERATIONS[self.number];
        // The library ignores the high bits of a parameter.
        let parameters = info.parameter().map_or(1, |values| values.names().len()) as u8;
        let operation = Operation { info, parameter: self.parameter % parameters };
        let field = TABLE_OFFSETS.iter().find(|(name, _)| *name == info.name());
        let (_, offset) = field.expect("an operation has an entry");
        // SAFETY: a table starts with its size, and the entry of the operation is within it.
        let entry = unsafe {
            assert!(offset + 8 <= *self.kernel.cast::<u32>() as usize);
            *self.kernel.byte_add(*offset).cast::<*const ()>()
        };
        if info.inputs()[0].element() == Element::Position {
            self.boards %= MOST_POSITIONS + 1;
        }
        if info.by_value() {
            let sets: Vec<u64> = info.inputs().iter().map(|_| words()).collect();
            let mut results = vec![0; info.outputs().len()];
            let arguments = operation.arguments_by_value(&sets, &mut results);
            // SAFETY: the entry takes these arguments; the kernel is available.
            let returned = unsafe { call_one(entry, &arguments) };
            if let [result] = &mut results[..] {
                *result = returned;
            }
            assert_eq!(results, operation.oracle(&sets), "{}", self.title(&operation));
        } else {
            self.check_batch(entry, &operation, words);
        }
    }

    fn title(&self, operation: &Operation) -> String {
        let (title, kernel) = (operation.title(), name(self.kernel));
        format!("{title}, kernel {kernel:?}, {} boards", self.boards)
    }

    fn check_batch(&self, entry: *const (), operation: &Operation, mut words: impl FnMut() -> u64) {
        let arguments: Vec<_> = operation.arguments().collect();
        let elements: Vec<Element> = arguments.iter().map(|argument| argument.element()).collect();
        let inputs = operation.info.inputs().len();

        // The first output may be the same buffer as an input if both consist of sets.
        let shared = usize::from(self.shift >> 6);
        let is_shared = self.flags & 0x80 != 0
            && shared < inputs
            && (elements[shared], elements[inputs]) == (Element::Set, Element::Set);
        let memory_of = |n: usize| if is_shared && n == inputs { shared } else { n };
        // The range of argument `n` in its pages: at the end, or misaligned.
        let place = |n: usize, room: usize| {
            let length = elements[n].size() * self.boards;
            let start = match self.flags >> n & 1 {
                0 => room - length,
                _ => usize::from(self.shift.rotate_left(3 * n as u32) & 63),
            };
            start..start + length
        };

        let mut pages = PAGES.lock().unwrap();
        for (n, pages) in pages.iter_mut().enumerate().take(elements.len()) {
            let room = pages.range().len();
            let bytes = pages.buffer(room, false);
            bytes.fill(AROUND);
            if n < inputs {
                for bytes in bytes[place(n, room)].chunks_mut(8) {
                    bytes.copy_from_slice(&words().to_ne_bytes()[..bytes.len()]);
                }
            }
        }
        let (mut pointers, mut before) = (vec![], vec![]);
        for n in 0..elements.len() {
            let n = memory_of(n);
            let room = pages[n].range().len();
            let bytes = &mut pages[n].buffer(room, false)[place(n, room)];
            before.push(bytes.to_vec());
            pointers.push(bytes.as_mut_ptr());
        }
        let parameter = operation.info.parameter().map(|_| self.parameter);
        // SAFETY: a batch entry takes its parameter, a pointer for each column, and the number of
        // boards. The kernel is available, and the buffers hold that number of boards.
        unsafe { call_batch(entry, parameter, &pointers, self.boards) };

        for board in 0..self.boards {
            let mut values = vec![];
            for (&element, bytes) in elements[..inputs].iter().zip(&before) {
                Column::get(bytes, element, board, &mut values);
                // The library ignores the high bits of a square.
                if let (Element::Square, Some(square)) = (element, values.last_mut()) {
                    *square %= 64;
                }
            }
            let results = operation.oracle(&values);
            let mut results = &results[..];
            for n in inputs..elements.len() {
                let expected = results.split_off(..elements[n].words()).expect("all results");
                let m = memory_of(n);
                let room = pages[m].range().len();
                let mut got = vec![];
                let bytes = &pages[m].buffer(room, false)[place(m, room)];
                Column::get(bytes, elements[n], board, &mut got);
                assert!(
                    got == expected,
                    "{}, output is an input: {is_shared}, board {board}:\n{}",
                    self.title(operation),
                    draw(operation, &values, arguments[n], &got, expected)
                );
            }
        }
        for n in (0..elements.len()).filter(|&n| memory_of(n) == n) {
            let room = pages[n].range().len();
            let range = place(n, room);
            let bytes = &*pages[n].buffer(room, false);
            let mut around = bytes[..range.start].iter().chain(&bytes[range.end..]);
            assert!(
                around.all(|&byte| byte == AROUND),
                "{}: writes around argument {n}",
                self.title(operation)
            );
            if n < inputs && !(is_shared && n == shared) {
                assert_eq!(
                    bytes[range],
                    before[n],
                    "{}: writes to argument {n}",
                    self.title(operation)
                );
            }
        }
    }
}

macro_rules! call_entry {
    ($entry:ident($($argument:ident: $Type:ty),*) $(-> $Result:ty)?) => {
        // SAFETY: the caller's contract.
        unsafe {
            let entry: unsafe extern "C" fn($($Type),*) $(-> $Result)? =
                std::mem::transmute($entry);
            entry($($argument),*)
        }
    };
}

/// # Safety
/// `entry` takes these words, and returns one word or nothing.
unsafe fn call_one(entry: *const (), words: &[u64]) -> u64 {
    type W = u64;
    match *words {
        [a, b] => call_entry!(entry(a: W, b: W) -> W),
        [a, b, c] => call_entry!(entry(a: W, b: W, c: W) -> W),
        [a, b, c, d] => call_entry!(entry(a: W, b: W, c: W, d: W) -> W),
        [a, b, c, d, e] => call_entry!(entry(a: W, b: W, c: W, d: W, e: W) -> W),
        _ => panic!("call_one lacks a case for {} words", words.len()),
    }
}

/// # Safety
/// `entry` takes these arguments.
unsafe fn call_batch(entry: *const (), parameter: Option<u8>, columns: &[*mut u8], n: usize) {
    type P = *mut u8;
    match (parameter, columns) {
        (None, &[a, b]) => call_entry!(entry(a: P, b: P, n: usize)),
        (None, &[a, b, c]) => call_entry!(entry(a: P, b: P, c: P, n: usize)),
        (None, &[a, b, c, d]) => call_entry!(entry(a: P, b: P, c: P, d: P, n: usize)),
        (None, &[a, b, c, d, e]) => call_entry!(entry(a: P, b: P, c: P, d: P, e: P, n: usize)),
        (None, &[a, b, c, d, e, f, g]) => {
            call_entry!(entry(a: P, b: P, c: P, d: P, e: P, f: P, g: P, n: usize))
        }
        (Some(p), &[a, b]) => call_entry!(entry(p: u8, a: P, b: P, n: usize)),
        (Some(p), &[a, b, c]) => call_entry!(entry(p: u8, a: P, b: P, c: P, n: usize)),
        _ => panic!("call_batch lacks a case for {} columns", columns.len()),
    }
}
