//! The chunks of a file.

use std::io::{self, Read, Seek};

/// The most bytes that a chunk's payload may have.
pub const MAX_CHUNK: usize = 100 << 20;

/// The bytes before a payload: `BINP` and the length.
pub(crate) const HEADER: usize = 8;

/// The start of a chunk, and so of a file.
pub(crate) const MAGIC: &[u8; 4] = b"BINP";

/// Reads the payloads of a binpack file, one at a time.
#[derive(Debug)]
pub struct Chunks<R> {
    reader: R,
    /// The number of chunks so far.
    count: u64,
    /// The offset of the next chunk in the file.
    offset: u64,
    /// What ended the last chunk early: the file, or a failure to read it.
    failure: Option<io::Error>,
}

impl<R: Read> Chunks<R> {
    /// Makes a reader of the chunks of a file.
    pub fn new(reader: R) -> Chunks<R> {
        Chunks { reader, count: 0, offset: 0, failure: None }
    }

    /// Goes on with a file at a chunk, given the chunks and the bytes before it.
    pub fn at(reader: R, count: u64, offset: u64) -> Chunks<R> {
        Chunks { reader, count, offset, failure: None }
    }

    /// Takes the error that ended the last chunk early. Otherwise, the next call returns it.
    pub fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    /// The number of chunks read so far.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The offset in the file of the chunk that [`next`](Chunks::next) reads.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The file.
    pub fn get_ref(&self) -> &R {
        &self.reader
    }

    /// Reads the next payload in place of what `payload` holds. Returns `false` at the end of the
    /// file. If the file ends inside a chunk, the payload is what is there, and the next call
    /// returns the error.
    ///
    /// # Errors
    ///
    /// If reading fails, a chunk does not start with `BINP`, it is cut short, or it claims more
    /// than [`MAX_CHUNK`] bytes. The error names the chunk and its first byte.
    pub fn next(&mut self, payload: &mut Vec<u8>) -> io::Result<bool> {
        payload.clear();
        let Some(length) = self.length()? else {
            return Ok(false);
        };
        let read = self.reader.by_ref().take(length.into()).read_to_end(payload);
        self.failure = match read {
            Ok(count) if count < length as usize => {
                let count = format!("the file has {count} of its {length} bytes");
                Some(self.wrong(&count))
            }
            read => read.err(),
        };
        self.count += 1;
        self.offset += (HEADER + payload.len()) as u64;
        Ok(true)
    }

    fn wrong(&self, what: &str) -> io::Error {
        let (chunk, byte) = (self.count + 1, self.offset);
        let message = format!("chunk {chunk}, at byte {byte}: {what}");
        io::Error::new(io::ErrorKind::InvalidData, message)
    }

    /// Reads a header, and returns the length of the payload. `None` at the end of the file.
    fn length(&mut self) -> io::Result<Option<u32>> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let mut header = Vec::with_capacity(HEADER);
        self.reader.by_ref().take(HEADER as u64).read_to_end(&mut header)?;
        if header.is_empty() {
            return Ok(None);
        }
        if !header.starts_with(&MAGIC[..header.len().min(4)]) {
            return Err(self.wrong("it does not start with BINP"));
        }
        let Some(&length) = header.get(4..).and_then(<[u8]>::first_chunk) else {
            return Err(self.wrong("its header is cut short"));
        };
        let length = u32::from_le_bytes(length);
        if length as usize > MAX_CHUNK {
            let length = format!("{length} bytes, but a chunk has at most {MAX_CHUNK}");
            return Err(self.wrong(&length));
        }
        Ok(Some(length))
    }
}

impl<R: Read + Seek> Chunks<R> {
    /// Passes over the next chunk. Returns `false` at the end of the file.
    ///
    /// # Errors
    ///
    /// As [`next`](Chunks::next), but a chunk that is cut short goes unnoticed.
    pub fn skip(&mut self) -> io::Result<bool> {
        let Some(length) = self.length()? else {
            return Ok(false);
        };
        self.reader.seek_relative(length.into())?;
        self.count += 1;
        self.offset += HEADER as u64 + u64::from(length);
        Ok(true)
    }
}
