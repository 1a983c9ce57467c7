//! Limits of the memory that a file takes, whatever it says about its sizes.

use std::io::{self, Read};

use arrow_schema::ArrowError;

/// Rows per chunk.
pub(super) const ROWS: usize = 2048;

/// The maximum size of the descriptions in a file: Parquet's metadata, or a footer or a message of
/// Arrow IPC after shared parts have been copied.
pub(super) const MAX_METADATA: usize = 16 << 20;

/// The message for a file that exceeds a limit.
pub(super) fn exceeds(what: &str, size: u64, limit: u64) -> String {
    format!("{what}: {size} bytes exceed the limit of {limit}")
}

pub(super) fn check(what: &str, size: u64, limit: u64) -> Result<(), ArrowError> {
    if size > limit { Err(ArrowError::SchemaError(exceeds(what, size, limit))) } else { Ok(()) }
}

/// Whether a stream has more than this number of bytes.
pub(super) fn longer_than(stream: impl Read, length: u64) -> io::Result<bool> {
    let mut stream = stream.take(length.saturating_add(1));
    io::copy(&mut stream, &mut io::sink())?;
    Ok(stream.limit() == 0)
}
