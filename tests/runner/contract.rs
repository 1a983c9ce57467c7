//! Slices of different lengths: a panic that names the argument, both lengths and the caller, before
//! anything is written.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};

use crate::check::Batch;
use crate::operations::Operation;

/// What a panic said.
#[derive(Clone, Default)]
struct Said {
    message: String,
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

fn panic_of(call: impl FnOnce()) -> Option<Said> {
    EXPECTED.set(Some(Said::default()));
    let result = panic::catch_unwind(AssertUnwindSafe(call));
    let said = EXPECTED.take();
    if result.is_err() { said } else { None }
}

/// Every input in turn longer and shorter than the output.
pub(crate) fn lengths_must_match(operation: &Operation, batch: Batch) -> Result<(), String> {
    for (number, (name, _)) in operation.inputs.iter().enumerate() {
        for (length, boards) in [(0, 1), (1, 0), (65, 64), (64, 257)] {
            let vectors: Vec<Vec<u64>> = (0..operation.inputs.len())
                .map(|n| vec![1; if n == number { length } else { boards }])
                .collect();
            let inputs: Vec<&[u64]> = vectors.iter().map(Vec::as_slice).collect();
            let mut output = vec![0xdead_beef; boards];
            let said = panic_of(|| batch(&inputs, &mut output));
            let place = format!(
                "{}: `{name}` of {length} boards, `{}` of {boards}",
                operation.title(),
                operation.output
            );
            let Some(Said { message, file }) = said else {
                return Err(format!("{place}: no panic"));
            };
            for part in [*name, operation.output] {
                if !message.contains(&format!("`{part}`")) {
                    return Err(format!(
                        "{place}: the panic does not name `{part}`: {message}"
                    ));
                }
            }
            for part in [length, boards] {
                if !message.contains(&part.to_string()) {
                    return Err(format!("{place}: the panic does not say {part}: {message}"));
                }
            }
            if !file.replace('\\', "/").contains("tests/runner/operations") {
                return Err(format!("{place}: the panic blames {file}, not its caller"));
            }
            if output.iter().any(|&board| board != 0xdead_beef) {
                return Err(format!("{place}: written to before the panic"));
            }
        }
    }
    Ok(())
}
