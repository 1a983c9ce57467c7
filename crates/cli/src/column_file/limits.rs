//! Limits on the memory that reading a file takes, whatever sizes the file claims.

use std::io::{self, Read};

use arrow_schema::ArrowError;

/// The maximum number of rows per chunk.
pub(super) const ROWS: usize = 2048;

/// The maximum size in bytes of Parquet's metadata, or of a footer or message of Arrow IPC. A
/// footer or message is a flatbuffer, in which a shared part counts once for each reference to it.
pub(super) const MAX_METADATA: usize = 16 << 20;

/// The message for a file that exceeds a limit.
pub(super) fn exceeds(what: &str, size: u64, limit: u64) -> String {
    format!("{what}: {size} bytes exceed the limit of {limit}")
}

pub(super) fn check(what: &str, size: u64, limit: u64) -> Result<(), ArrowError> {
    if size > limit { Err(ArrowError::SchemaError(exceeds(what, size, limit))) } else { Ok(()) }
}

/// Whether a stream has more than `length` bytes.
pub(super) fn longer_than(stream: impl Read, length: u64) -> io::Result<bool> {
    let mut stream = stream.take(length.saturating_add(1));
    io::copy(&mut stream, &mut io::sink())?;
    Ok(stream.limit() == 0)
}
