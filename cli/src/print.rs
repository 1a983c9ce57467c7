//! Output to people and programs: stdout, without a panic when nobody reads it.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Writes a finished text to stdout; colours only where they are wanted.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

/// Writes bytes to stdout as they are.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
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

/// Writes a line to stderr. One that cannot be shown is nobody's concern.
pub(crate) fn note(line: &str) {
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// A board as programs read it: `0x` and 16 hexadecimal digits.
pub(crate) fn hex(board: u64) -> String {
    format!("{board:#018x}")
}
