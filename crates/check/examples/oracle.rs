//! The oracle as a C library, for tests in other languages such as Python.

use std::ffi::{CStr, c_char};
use std::slice;

use setwise::reflection::{Argument, OperationInfo};
use setwise_check::Operation;

/// Writes the expected results of an operation on `boards` boards. `inputs` has all
/// [words](setwise::reflection::Element::words) of the first board in argument order, then those of
/// the next board, and so on. `results` has the same order. Returns false if the operation does not
/// exist.
///
/// # Safety
/// `name` is a C string; `inputs` and `results` hold the words of `boards` boards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn setwise_oracle(
    name: *const c_char,
    parameter: u8,
    boards: usize,
    inputs: *const u64,
    results: *mut u64,
) -> bool {
    // SAFETY: the caller's contract.
    let name = unsafe { CStr::from_ptr(name) };
    let Some(info) = name.to_str().ok().and_then(OperationInfo::by_name) else {
        return false;
    };
    let operation = Operation { info, parameter };
    let words = |arguments: &[Argument]| -> usize {
        arguments.iter().map(|argument| argument.element().words()).sum()
    };
    let (from, to) = (words(info.inputs()), words(info.outputs()));
    // SAFETY: the caller's contract.
    let inputs = unsafe { slice::from_raw_parts(inputs, from * boards) };
    // SAFETY: the caller's contract.
    let results = unsafe { slice::from_raw_parts_mut(results, to * boards) };
    for (input, result) in inputs.chunks_exact(from).zip(results.chunks_exact_mut(to)) {
        result.copy_from_slice(&operation.oracle(input));
    }
    true
}
