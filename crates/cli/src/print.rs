//! Output to stdout and stderr. A closed pipe is an error, not a panic.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

pub(crate) use setwise_measure::printable::printable as escape;

use crate::failure::Failure;
use crate::signals;

/// Writes text to stdout, without its colours if they are off.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    check_stdout()?;
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

/// Writes bytes to stdout.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    check_stdout()?;
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    Ok(stdout.flush()?)
}

/// Writes a value as indented JSON to stdout.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_vec_pretty(value).map_err(io::Error::from)?;
    text.push(b'\n');
    bytes(&text)
}

fn check_stdout() -> Result<(), Failure> {
    if signals::stdout_is_closed() {
        return Err(Failure::closed_stdout());
    }
    Ok(())
}

/// A file's name. Characters that would affect a terminal are escaped.
pub(crate) fn name(path: &Path) -> String {
    escape(&path.to_string_lossy())
}

/// Writes a line to stderr. Errors are ignored.
pub(crate) fn note(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// A board as `0x` and 16 hexadecimal digits.
pub(crate) fn hex(board: u64) -> String {
    format!("{board:#018x}")
}
