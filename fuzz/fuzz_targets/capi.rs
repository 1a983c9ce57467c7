//! The C library as a C program sees it: the choice of a kernel by any strings, and the table's entries by their place in it, with arguments that no slice could
//! have: at any address, squares and directions beyond the last, an output that is one of the inputs.
//!
//! Input: a byte for what to call. For a choice flags and strings; for an entry a kernel, an operation, an index, bits, the number of
//! boards, the misalignment, and sets.
#![no_main]

// The C library's name for it.
extern crate setwise as kernels;

use std::ffi::{CStr, CString, c_char};
use std::ptr::{null, null_mut};
use std::sync::LazyLock;

use buffers::{Buffers, buffers};
use kernels::Kernels;
use libfuzzer_sys::{Corpus, fuzz_target};
use operations::{Operation, operations};
use words::Words;

mod buffers;
#[path = "../../crates/capi/src/lib.rs"]
#[allow(unused_attributes)]
mod capi;
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

/// The group and the name of each entry, in the table's order.
type Listed = (&'static str, &'static str);

macro_rules! list {
    ([] $($group:ident { $(
        $(#[$doc:meta])*
        $name:ident $([$index:ident: $Index:ident])? ($($input:ident: $In:ident),*) -> ($($output:ident: $Out:ident),*) = $body:ident;
    )* })*) => {
        const LIST: &[Listed] = &[$($((stringify!($group), stringify!($name)),)*)*];
    };
}
setwise::operations!(all list);

/// What is in the table before its entries.
const HEAD: usize = 16;
const LONGEST: usize = 200;
const AROUND: u8 = 0x5a;

static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(operations);

fuzz_target!(|data: &[u8]| -> Corpus {
    match data {
        [what, flags, strings @ ..] if what % 4 == 0 => choose(*flags, strings),
        [_, kernel, entry, index, bits, boards, shift, sets @ ..] => {
            let kernels = available();
            let kernel = kernels[usize::from(*kernel) % kernels.len()];
            let number = usize::from(*entry) % LIST.len();
            let boards = usize::from(*boards) % (LONGEST + 1);
            call_entry(kernel, number, *index, *bits, boards, *shift, &Words(sets));
        }
        _ => return Corpus::Reject,
    }
    Corpus::Keep
});

fn available() -> Vec<*const Kernels> {
    // SAFETY: a null list is only counted.
    let count = unsafe { capi::setwise_available(null_mut(), 0) };
    let mut list = vec![null(); count + 2];
    for capacity in [count - 1, count] {
        // SAFETY: there is room for more.
        assert_eq!(
            unsafe { capi::setwise_available(list.as_mut_ptr(), capacity) },
            count
        );
        assert!(!list[capacity - 1].is_null() && list[capacity].is_null());
    }
    list.truncate(count);
    list
}

/// Text of a few bytes: the first 32 are kernels' names.
fn text(bytes: &[u8]) -> Vec<u8> {
    let mut text = vec![];
    for &byte in bytes {
        match kernels::Kernels::catalogue().get(usize::from(byte)) {
            Some(info) if byte < 32 => text.extend(info.name().bytes()),
            _ => text.push(byte.max(1)),
        }
    }
    text
}

fn choose(flags: u8, strings: &[u8]) {
    let mut parts = strings.split(|&byte| byte == 0xff).map(text);
    let mut part = |wanted: bool| {
        let part = CString::new(parts.next().unwrap_or_default()).expect("no NUL");
        wanted.then_some(part)
    };
    let (force, exclude) = (part(flags & 1 != 0), part(flags & 2 != 0));
    for (name, wanted) in [
        (c"SETWISE_FORCE_KERNEL", flags & 4),
        (c"SETWISE_DISABLE", flags & 8),
    ] {
        // SAFETY: nothing else runs that looks at the environment.
        unsafe {
            match part(wanted != 0) {
                Some(value) => libc::setenv(name.as_ptr(), value.as_ptr(), 1),
                None => libc::unsetenv(name.as_ptr()),
            };
        }
    }
    let pointer = |text: &Option<CString>| text.as_ref().map_or(null(), |text| text.as_ptr());
    let before = capi::setwise_active();
    // SAFETY: null or strings.
    let chosen =
        unsafe { capi::setwise_init(u32::from(flags >> 4), pointer(&force), pointer(&exclude)) };
    // SAFETY: a string.
    let status = unsafe { CStr::from_ptr(capi::setwise_status()) }.to_bytes();
    assert!(status.len() < 512);
    if chosen.is_null() {
        assert!(!status.is_empty());
        assert_eq!(capi::setwise_active(), before);
    } else {
        assert_eq!(status, b"", "{}", status.escape_ascii());
        assert_eq!(capi::setwise_active(), chosen);
        assert!(available().contains(&chosen));
    }
    for text in [force, exclude].iter().flatten() {
        // SAFETY: a string.
        let found = unsafe { capi::setwise_by_name(text.as_ptr()) };
        // SAFETY: null, or a table, whose third member is its name.
        let name = unsafe { found.byte_add(8).cast::<*const c_char>().as_ref() };
        if !found.is_null() {
            // SAFETY: a string.
            assert_eq!(unsafe { CStr::from_ptr(*name.unwrap()) }, &**text);
        }
    }
}

/// Sizes of elements, and for each board what the outputs are.
struct Meaning<'a> {
    has_index: bool,
    sizes: Vec<usize>,
    inputs: usize,
    results: Box<dyn Fn(&[&[u8]]) -> Vec<Vec<u8>> + 'a>,
}

fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
}

fn meaning(name: &str, index: u8) -> Meaning<'static> {
    if let "attack_maps" | "checks" = name {
        let is_maps = name == "attack_maps";
        return Meaning {
            has_index: false,
            sizes: vec![96, if is_maps { 128 } else { 48 }],
            inputs: 1,
            results: Box::new(move |inputs| {
                let set = |i: usize| word(&inputs[0][8 * i..][..8]);
                let pieces = [0, 6].map(|from| std::array::from_fn(|kind| set(from + kind)));
                let words = if is_maps {
                    let (attacks, all, threats) = oracle_position::attack_maps(&pieces);
                    [attacks.as_flattened(), &all, &threats].concat()
                } else {
                    oracle_position::checks(&pieces).as_flattened().to_vec()
                };
                vec![words.iter().flat_map(|word| word.to_le_bytes()).collect()]
            }),
        };
    }
    // Of an index the low bits count.
    let operation = OPERATIONS
        .iter()
        .filter(|operation| operation.name == name)
        .find(|operation| {
            operation.index.is_none_or(|known| {
                let values = if matches!(known, operations::Index::Line(_)) {
                    4
                } else {
                    8
                };
                known.number() == index % values
            })
        })
        .unwrap_or_else(|| panic!("{name}({index})"));
    let inputs = operation.inputs.len();
    Meaning {
        has_index: operation.index.is_some(),
        sizes: operation
            .arguments()
            .map(|argument| argument.size)
            .collect(),
        inputs,
        results: Box::new(move |values| {
            let value = |(bytes, size): (&&[u8], usize)| match size {
                // Of a square, too.
                1 => u64::from(bytes[0] & 63),
                _ => word(bytes),
            };
            let sizes = operation.inputs.iter().map(|input| input.size);
            let values: Vec<u64> = values.iter().zip(sizes).map(value).collect();
            let results = (operation.oracle)(&values)
                .into_iter()
                .zip(&operation.outputs);
            results
                .map(|(result, output)| result.to_le_bytes()[..output.size].to_vec())
                .collect()
        }),
    }
}

fn call_entry(
    kernel: *const Kernels,
    number: usize,
    index: u8,
    bits: u8,
    boards: usize,
    shift: u8,
    words: &Words,
) {
    let (group, name) = LIST[number];
    // SAFETY: a table: its size, and at its place the entry.
    let entry = unsafe {
        assert_eq!(*kernel.cast::<u32>() as usize, HEAD + 8 * LIST.len());
        *kernel.byte_add(HEAD + 8 * number).cast::<*const ()>()
    };
    if group == "one" {
        let name = name.strip_suffix("_one").expect("its name says so");
        let meaning = meaning(name, 0);
        let sets: Vec<u64> = (0..meaning.inputs).map(|n| words.at(n)).collect();
        // SAFETY: the types of the table; the kernel is available.
        let got = unsafe {
            match sets[..] {
                [a, b] => {
                    std::mem::transmute::<*const (), extern "C" fn(u64, u64) -> u64>(entry)(a, b)
                }
                [a, b, c] => std::mem::transmute::<*const (), extern "C" fn(u64, u64, u64) -> u64>(
                    entry,
                )(a, b, c),
                _ => panic!("give the entries of {} sets a type", sets.len()),
            }
        };
        let bytes: Vec<_> = sets.iter().map(|set| set.to_le_bytes()).collect();
        let values: Vec<&[u8]> = bytes.iter().map(|bytes| &bytes[..]).collect();
        assert_eq!(
            got.to_le_bytes()[..],
            (meaning.results)(&values)[0][..],
            "{name} of one"
        );
        return;
    }
    let meaning = meaning(name, index);
    let boards = if meaning.sizes[0] == 96 {
        boards % 20
    } else {
        boards
    };
    let Buffers(pages) = &mut *buffers(2 * LONGEST);
    // Where each argument is: right before an unreadable page, or anywhere from a line's start on.
    let place = |n: usize, room: usize| {
        let length = meaning.sizes[n] * boards;
        let at = match bits >> n & 1 {
            0 => room - length,
            _ => usize::from(shift.rotate_left(3 * n as u32) & 63),
        };
        at..at + length
    };
    for (n, pages) in pages.iter_mut().enumerate().take(meaning.sizes.len()) {
        let room = pages.range().len();
        let bytes = pages.buffer(room, false);
        bytes.fill(AROUND);
        if n < meaning.inputs {
            let first = n * 1009;
            for (i, byte) in bytes[place(n, room)].iter_mut().enumerate() {
                *byte = words.at(first + i / 8).to_le_bytes()[i % 8];
            }
        }
    }
    // An output may be exactly an input of its type.
    let output = meaning.inputs;
    let input = usize::from(shift >> 6);
    let same = bits & 0x80 != 0
        && input < meaning.inputs
        && meaning.sizes[input] == meaning.sizes[output]
        && meaning.sizes[output] == 8;
    let stands_at = |n: usize| if same && n == output { input } else { n };
    let mut pointers = vec![];
    let mut before = vec![];
    for n in 0..meaning.sizes.len() {
        let room = pages[stands_at(n)].range().len();
        let range = place(stands_at(n), room);
        let bytes = pages[stands_at(n)].buffer(room, false);
        before.push(bytes[range.clone()].to_vec());
        pointers.push(bytes[range].as_mut_ptr());
    }
    // SAFETY: the types of the table, in which all pointers are alike to the machine; a kernel that is available; buffers of these lengths.
    unsafe { call(entry, meaning.has_index.then_some(index), &pointers, boards) };
    // SAFETY: a table, whose third member is its name.
    let of = unsafe { CStr::from_ptr(*kernel.byte_add(8).cast::<*const c_char>()) };
    let what = || format!("{name}({index}) of {of:?}, {boards} boards, output is an input: {same}");
    for board in 0..boards {
        let element = |n: usize| &before[n][meaning.sizes[n] * board..][..meaning.sizes[n]];
        let values: Vec<&[u8]> = (0..meaning.inputs).map(element).collect();
        for (m, expected) in (meaning.results)(&values).into_iter().enumerate() {
            let (n, size) = (output + m, meaning.sizes[output + m]);
            let room = pages[stands_at(n)].range().len();
            let range = place(stands_at(n), room);
            let got = &pages[stands_at(n)].buffer(room, false)[range][size * board..][..size];
            assert_eq!(
                *got,
                expected[..],
                "{}: board {board}, output {m}, {values:x?}",
                what()
            );
        }
    }
    for n in 0..meaning.sizes.len() {
        if same && n == output {
            continue;
        }
        let room = pages[n].range().len();
        let range = place(n, room);
        let bytes = &*pages[n].buffer(room, false);
        let around = bytes[..range.start].iter().chain(&bytes[range.end..]);
        assert!(
            around.copied().all(|byte| byte == AROUND),
            "{}: writes around argument {n}",
            what()
        );
        if n < meaning.inputs && !(same && n == input) {
            assert!(
                bytes[range] == before[n][..],
                "{}: writes to argument {n}",
                what()
            );
        }
    }
}

/// # Safety
/// The entry takes these arguments.
unsafe fn call(entry: *const (), index: Option<u8>, pointers: &[*mut u8], boards: usize) {
    type P = *mut u8;
    macro_rules! entry {
        ($($argument:ident: $Type:ty),*) => {
            // SAFETY: the caller's contract.
            unsafe { std::mem::transmute::<*const (), unsafe extern "C" fn($($Type),*)>(entry)($($argument),*) }
        };
    }
    match (index, pointers) {
        (None, &[a, b]) => entry!(a: P, b: P, boards: usize),
        (None, &[a, b, c]) => entry!(a: P, b: P, c: P, boards: usize),
        (None, &[a, b, c, d]) => entry!(a: P, b: P, c: P, d: P, boards: usize),
        (None, &[a, b, c, d, e]) => entry!(a: P, b: P, c: P, d: P, e: P, boards: usize),
        (None, &[a, b, c, d, e, f, g]) => {
            entry!(a: P, b: P, c: P, d: P, e: P, f: P, g: P, boards: usize)
        }
        (Some(index), &[a, b, c]) => entry!(index: u8, a: P, b: P, c: P, boards: usize),
        _ => panic!("give the entries of {} arguments a type", pointers.len()),
    }
}
