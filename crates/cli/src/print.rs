//! Output to stdout and stderr. A closed pipe is an error, not a panic.

use std::io::{self, Write};
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

pub(crate) use setwise_positions::printable as escape;
use setwise_positions::printable_lines;

use crate::failure::Failure;

/// Writes text to stdout, without its colours if they are off.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    Ok(stdout.flush()?)
}

pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_vec_pretty(value).map_err(io::Error::from)?;
    text.push(b'\n');
    bytes(&text)
}

/// A file's name. Characters that would affect a terminal are escaped.
pub(crate) fn name(path: &Path) -> String {
    escape(&path.to_string_lossy())
}

/// Writes a message of one or more lines to stderr. Characters that would affect a terminal are
/// escaped again, in case a message quotes something from outside as it is. Errors are ignored.
pub(crate) fn note(message: &str) {
    styled_note(&printable_lines(message));
}

/// Writes a message with styles to stderr. It must contain nothing from outside.
pub(crate) fn styled_note(message: &str) {
    let _ = writeln!(anstream::stderr(), "{message}");
}

pub(crate) fn bar(bar: ProgressBar, template: &str) -> ProgressBar {
    bar.with_style(ProgressStyle::with_template(template).expect("a valid template"))
}

/// A board as `0x` and 16 hexadecimal digits.
pub(crate) fn hex(board: u64) -> String {
    format!("{board:#018x}")
}
