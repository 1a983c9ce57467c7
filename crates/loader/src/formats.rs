//! Files of records or games, cut into chunks as binpack is.

use std::fmt;
use std::io::{self, Cursor, Read, Seek};
use std::mem;
use std::path::Path;

use setwise_positions::binpack::{self, Entry};
use setwise_positions::{Detected, Format, Units};

/// The bytes of a chunk of records or games.
const CHUNK: usize = 128 * 1024;

/// The most bytes of a game.
const MOST: usize = 1 << 20;

/// The format of a file, and a stream of all its bytes. A file that is not training data counts as
/// binpack: its first chunk is then an error.
pub(crate) fn detect(
    path: &Path,
    mut stream: Box<dyn Read + Send>,
) -> io::Result<(Box<dyn Read + Send>, Format)> {
    let (detected, start) = Format::detect_file(&mut stream, path)?;
    let format = match detected {
        Detected::One(format) if format.units().is_some() => format,
        _ => Format::Binpack,
    };
    Ok((Box::new(Cursor::new(start).chain(stream)), format))
}

/// The chunks of a file.
pub(crate) enum Chunks<R> {
    Binpack(binpack::Chunks<R>),
    Cut(Cut<R>),
}

/// A file of records or games, which is cut between them.
pub(crate) struct Cut<R> {
    reader: R,
    units: &'static dyn Units,
    /// The number of chunks so far, and the offset of the next one.
    count: u64,
    offset: u64,
    /// What was read of the next chunk.
    rest: Vec<u8>,
    failure: Option<io::Error>,
}

impl<R: Read + Seek> Chunks<R> {
    /// Goes on with a file at a chunk, given the chunks and the bytes before it.
    pub(crate) fn at(reader: R, format: Format, count: u64, offset: u64) -> Chunks<R> {
        match format.units() {
            Some(units) => {
                let (rest, failure) = (Vec::new(), None);
                Chunks::Cut(Cut { reader, units, count, offset, rest, failure })
            }
            None => Chunks::Binpack(binpack::Chunks::at(reader, count, offset)),
        }
    }

    /// Reads the next payload in place of what `payload` holds. Returns false at the end.
    pub(crate) fn next(&mut self, payload: &mut Vec<u8>) -> io::Result<bool> {
        match self {
            Chunks::Binpack(chunks) => chunks.next(payload),
            Chunks::Cut(cut) => cut.next(payload),
        }
    }

    /// Passes over the next chunk. Returns false at the end.
    pub(crate) fn skip(&mut self) -> io::Result<bool> {
        match self {
            Chunks::Binpack(chunks) => chunks.skip(),
            // Where a game ends can only be seen by reading.
            Chunks::Cut(cut) => cut.next(&mut Vec::new()),
        }
    }

    pub(crate) fn count(&self) -> u64 {
        match self {
            Chunks::Binpack(chunks) => chunks.count(),
            Chunks::Cut(cut) => cut.count,
        }
    }

    /// The offset of the next chunk.
    pub(crate) fn offset(&self) -> u64 {
        match self {
            Chunks::Binpack(chunks) => chunks.offset(),
            Chunks::Cut(cut) => cut.offset,
        }
    }

    /// The entries of a payload.
    pub(crate) fn entries(&self, payload: Vec<u8>) -> Entries {
        match self {
            Chunks::Binpack(_) => Entries::Binpack(binpack::Entries::new(payload)),
            Chunks::Cut(cut) => Entries::Decoded(Decoded {
                payload,
                units: cut.units,
                end: 0,
                entries: Vec::new(),
                taken: 0,
                error: None,
            }),
        }
    }

    /// The bytes of a chunk before its payload.
    pub(crate) fn header(&self) -> u64 {
        match self {
            Chunks::Binpack(_) => 8,
            Chunks::Cut(_) => 0,
        }
    }

    pub(crate) fn get_ref(&self) -> &R {
        match self {
            Chunks::Binpack(chunks) => chunks.get_ref(),
            Chunks::Cut(cut) => &cut.reader,
        }
    }

    /// Takes the error that ended the last chunk early. Otherwise, the next call returns it.
    pub(crate) fn take_failure(&mut self) -> Option<io::Error> {
        match self {
            Chunks::Binpack(chunks) => chunks.take_failure(),
            Chunks::Cut(cut) => cut.failure.take(),
        }
    }
}

impl<R: Read> Cut<R> {
    fn next(&mut self, payload: &mut Vec<u8>) -> io::Result<bool> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        *payload = mem::take(&mut self.rest);
        let mut end = false;
        for size in [CHUNK, MOST] {
            let room = size.saturating_sub(payload.len());
            match self.reader.by_ref().take(room as u64).read_to_end(payload) {
                Ok(count) => end = count < room,
                Err(failure) => (self.failure, end) = (Some(failure), true),
            }
            if end || self.units.whole(payload, true).bytes > 0 {
                break;
            }
        }
        let whole = self.units.whole(payload, false).bytes;
        if self.failure.is_some() {
            payload.truncate(whole);
        } else if !end && whole > 0 {
            self.rest = payload.split_off(whole);
        }
        // The rest of a file, and a game that is too long, are errors of the entries.
        if payload.is_empty() {
            return self.failure.take().map_or(Ok(false), Err);
        }
        self.count += 1;
        self.offset += payload.len() as u64;
        Ok(true)
    }
}

/// What is wrong with a chunk, and at which byte of its payload.
#[derive(Debug)]
pub(crate) struct EntryError {
    byte: usize,
    reason: String,
}

impl EntryError {
    pub(crate) fn byte(&self) -> usize {
        self.byte
    }

    pub(crate) fn reason(&self) -> &str {
        &self.reason
    }
}

/// The entries of a chunk.
#[allow(clippy::large_enum_variant, reason = "one indirection less for binpack")]
pub(crate) enum Entries {
    Binpack(binpack::Entries<Vec<u8>>),
    Decoded(Decoded),
}

/// The entries of records or games, which are decoded one at a time.
pub(crate) struct Decoded {
    payload: Vec<u8>,
    units: &'static dyn Units,
    /// The bytes that were decoded.
    end: usize,
    entries: Vec<Entry>,
    /// The entries that were returned.
    taken: usize,
    error: Option<EntryError>,
}

impl fmt::Debug for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Entries")
    }
}

impl Entries {
    /// The bytes that were not decoded.
    pub(crate) fn bytes_left(&self) -> usize {
        match self {
            Entries::Binpack(entries) => entries.bytes_left(),
            Entries::Decoded(decoded) => decoded.payload.len() - decoded.end,
        }
    }

    #[inline(always)]
    pub(crate) fn next(&mut self) -> Result<Option<&Entry>, EntryError> {
        match self {
            Entries::Binpack(entries) => entries.next_inline().map_err(|error| EntryError {
                byte: error.byte(),
                reason: error.reason().to_owned(),
            }),
            Entries::Decoded(decoded) => decoded.next(),
        }
    }
}

impl Decoded {
    fn next(&mut self) -> Result<Option<&Entry>, EntryError> {
        while self.taken == self.entries.len() {
            if let Some(error) = self.error.take() {
                self.end = self.payload.len();
                return Err(error);
            }
            if self.end == self.payload.len() {
                return Ok(None);
            }
            self.decode();
        }
        self.taken += 1;
        Ok(Some(&self.entries[self.taken - 1]))
    }

    /// Decodes the next record or game.
    fn decode(&mut self) {
        self.entries.clear();
        self.taken = 0;
        let byte = self.end;
        let (length, error) = self.units.entries(&self.payload[byte..], &mut self.entries);
        self.error = error.map(|error| EntryError { byte, reason: error.to_string() });
        self.end += length;
    }
}
