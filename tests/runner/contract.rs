//! Slices of different lengths: a panic that names the argument, both lengths and the caller, before
//! anything is written.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

use crate::cases::Case;
use crate::check::{Batch, arguments, call};
use crate::operations::{Argument, Operation};

/// What a panic said.
#[derive(Clone, Default)]
pub(crate) struct Said {
    pub(crate) message: String,
    file: String,
}

thread_local! {
    /// While this thread expects a panic: what the last one said.
    static EXPECTED: RefCell<Option<Said>> = const { RefCell::new(None) };
}

/// Keeps expected panics quiet and notes what they say.
pub(crate) fn install_hook() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let text = info.payload().downcast_ref::<String>();
        let said = Said {
            message: text.cloned().unwrap_or_default(),
            file: info.location().map_or(String::new(), |l| l.file().into()),
        };
        let expected = EXPECTED.with_borrow_mut(|expected| expected.as_mut().map(|e| *e = said));
        if expected.is_none() {
            usual(info);
        }
    }));
}

pub(crate) fn panic_of<T>(call: impl FnOnce() -> T) -> Option<Said> {
    EXPECTED.set(Some(Said::default()));
    let result = panic::catch_unwind(AssertUnwindSafe(call));
    let said = EXPECTED.take();
    if result.is_err() { said } else { None }
}

/// Every argument in turn longer and shorter than the first output.
pub(crate) fn lengths_must_match(operation: &Operation, batch: Batch) -> Result<(), String> {
    let (inputs, outputs) = (operation.inputs.len(), &operation.outputs);
    for (number, Argument { name, .. }) in operation.arguments().enumerate() {
        if number == inputs {
            continue;
        }
        // (The interpreter takes long for the longer ones.)
        let lengths = [(0, 1), (1, 0), (65, 64), (64, 257)];
        for (length, boards) in lengths.into_iter().take(if cfg!(miri) { 2 } else { 4 }) {
            let mut columns = arguments(operation, &vec![Case::A1; boards]);
            columns[number] = arguments(operation, &vec![Case::A1; length]).swap_remove(number);
            let before = columns.clone();
            let said = panic_of(|| call(operation, &mut columns, batch));
            let title = operation.title();
            let place = format!("{title}: `{name}` of {length} boards, not {boards}");
            let Some(Said { message, file }) = said else {
                return Err(format!("{place}: no panic"));
            };
            // An input is held against all outputs, a further output against the first.
            let against = if number < inputs { outputs.len() } else { 1 };
            let names = outputs[..against]
                .iter()
                .map(|output| format!("`{}`", output.name));
            let lengths = [format!("`{name}`"), length.to_string(), boards.to_string()];
            if let Some(part) = names.chain(lengths).find(|part| !message.contains(part)) {
                return Err(format!("{place}: the panic does not say {part}: {message}"));
            }
            if !file.replace('\\', "/").contains("tests/runner/operations") {
                return Err(format!("{place}: the panic blames {file}, not its caller"));
            }
            if columns != before {
                return Err(format!("{place}: written to before the panic"));
            }
        }
    }
    Ok(())
}
