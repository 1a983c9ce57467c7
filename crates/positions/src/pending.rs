//! A stream, and what was read of it but is not in a block yet.

use std::io::{self, Read};

use crate::file_format::Stream;
use crate::lines::MAX_LINE;

/// The size of a block, in bytes. Blocks are shorter if the stream delivers fewer bytes at once.
const BLOCK: usize = 128 * 1024;

/// A stream, and what was read of it but is not in a block yet.
pub(crate) struct Pending<'a> {
    stream: Stream<'a>,
    /// The bytes read. Those before `start` have been handed out in blocks.
    bytes: Vec<u8>,
    start: usize,
    has_ended: bool,
    /// The stream's error, kept until what was read before it has been handed out.
    failure: Option<io::Error>,
}

impl<'a> Pending<'a> {
    pub(crate) fn new(stream: Stream<'a>) -> Pending<'a> {
        Pending { stream, bytes: Vec::new(), start: 0, has_ended: false, failure: None }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Removes bytes from the start.
    pub(crate) fn pass(&mut self, count: usize) {
        self.start += count;
    }

    /// Whether the stream has no more bytes.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Reads from the stream once. If `waits`, reads until a block is full. If the stream fails,
    /// keeps the bytes read before the failure, and returns the error at the next call.
    pub(crate) fn fill(&mut self, waits: bool) -> io::Result<()> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        self.bytes.drain(..self.start);
        self.start = 0;
        let wanted = BLOCK.max(self.bytes.len() + MAX_LINE);
        match read(&mut self.stream, &mut self.bytes, wanted, waits) {
            Ok(has_ended) => self.has_ended = has_ended,
            Err(failure) => self.failure = Some(failure),
        }
        Ok(())
    }
}

/// Reads from a stream once, and appends the result to `bytes`. If `waits`, reads until `bytes` has
/// `wanted` bytes. Returns whether the stream has ended.
pub(crate) fn read(
    reader: &mut impl Read,
    bytes: &mut Vec<u8>,
    wanted: usize,
    waits: bool,
) -> io::Result<bool> {
    let mut length = bytes.len();
    bytes.resize(wanted, 0);
    let has_ended = loop {
        match reader.read(&mut bytes[length..]) {
            Ok(0) => break Ok(true),
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => break Err(error),
        }
        if !waits || length == wanted {
            break Ok(false);
        }
    };
    bytes.truncate(length);
    has_ended
}
