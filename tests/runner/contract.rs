//! Checks that calls with slices of different lengths panic before anything is written.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

use setwise_check::{BatchFn, Case, Operation, call};

thread_local! {
    /// The message of the last panic. `None` unless this thread expects a panic.
    static EXPECTED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Installs a panic hook that records the message of an expected panic instead of printing it.
pub(crate) fn install_hook() {
    let default = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let text = info.payload().downcast_ref::<String>().cloned().unwrap_or_default();
        let expected = EXPECTED.with_borrow_mut(|expected| expected.as_mut().map(|e| *e = text));
        if expected.is_none() {
            default(info);
        }
    }));
}

/// The panic message of a call, or `None` if it does not panic.
fn panic_of<T>(call: impl FnOnce() -> T) -> Option<String> {
    EXPECTED.set(Some(String::new()));
    let result = panic::catch_unwind(AssertUnwindSafe(call));
    let message = EXPECTED.take();
    if result.is_err() { message } else { None }
}

/// Makes each argument in turn shorter or longer than the others. The call must panic and write
/// nothing. The message must name the argument, the outputs that it is compared with, and both
/// lengths. Skips the first output, because the library compares the other arguments with it.
pub(crate) fn lengths_must_match(operation: &Operation, batch: BatchFn<'_>) -> Result<(), String> {
    let (inputs, outputs) = (operation.info.inputs().len(), operation.info.outputs());
    for (number, argument) in operation.arguments().enumerate() {
        if number == inputs {
            continue;
        }
        let name = argument.name();
        // Miri takes too long for the last two lengths.
        let lengths = [(0, 1), (1, 0), (65, 64), (64, 257)];
        for (length, boards) in lengths.into_iter().take(if cfg!(miri) { 2 } else { 4 }) {
            let mut columns = operation.columns(&vec![Case::A1; boards]);
            columns[number] = operation.columns(&vec![Case::A1; length]).swap_remove(number);
            let before = columns.clone();
            let message = panic_of(|| call(operation, &mut columns, batch));
            let title = operation.title();
            let place = format!("{title}: `{name}` of {length} boards, not {boards}");
            let Some(message) = message else {
                return Err(format!("{place}: no panic"));
            };
            // A message about an input names all outputs. A message about the second output names
            // the first output.
            let against = if number < inputs { outputs.len() } else { 1 };
            let names = outputs[..against].iter().map(|output| format!("`{}`", output.name()));
            let lengths = [format!("`{name}`"), length.to_string(), boards.to_string()];
            if let Some(part) = names.chain(lengths).find(|part| !message.contains(part)) {
                return Err(format!("{place}: the panic does not mention {part}: {message}"));
            }
            if columns != before {
                return Err(format!("{place}: wrote before the panic"));
            }
        }
    }
    Ok(())
}
