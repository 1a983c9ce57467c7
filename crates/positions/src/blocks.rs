//! Cuts streams into blocks of whole lines, records, games or entries. Memory use does not grow
//! with the length of the stream.

use std::io::{self, Read};
use std::mem;

use crate::binpack::{Chunks, Context, Entries, Entry, Filter, HEADER, Sieve};
use crate::error::{FenError, Field, LineError};
use crate::lines::{MAX_LINE, count_lines, trim_line};
use crate::record::RECORD;
use crate::{Format, game};

/// The size of a block, in bytes. Blocks are shorter if the stream delivers fewer bytes at once.
const BLOCK: usize = 128 * 1024;

/// The entries of a block of binpack.
const ENTRIES: usize = 2048;

/// The maximum length of a game, in bytes. A longer game is an error.
const MAX_GAME: usize = 1 << 20;

/// A block of whole lines, records or games, or of decoded entries of binpack.
#[derive(Debug, Default, Clone)]
pub struct Block {
    /// The number of the first line or record, counted from 1. In a block of games, the number of
    /// the first position.
    pub first_line: u64,
    /// The number of the first game, counted from 1. Only meaningful in a block of games.
    pub first_game: u64,
    /// The records or games, or the lines with their ends: line feed, carriage return or both. The
    /// last line of a stream may have no end. A line longer than [`MAX_LINE`] may be cut, but still
    /// has more than `MAX_LINE` bytes, so [`Lines`](crate::Lines) reports it as too long.
    pub bytes: Vec<u8>,
    /// The entries of binpack, which has no bytes here, with their numbers.
    pub entries: Vec<(u64, Entry)>,
    /// What is wrong with a chunk of binpack after these entries. The rest of that chunk is lost.
    pub error: Option<LineError>,
}

/// Cuts a stream into blocks of whole lines, records or games.
///
/// ```
/// use setwise_positions::{Block, Blocks};
/// let mut blocks = Blocks::new("8/8/8/8/8/8/8/8 w\n# a comment\r\n".as_bytes());
/// let mut block = Block::default();
/// while blocks.next(&mut block)? {
///     assert_eq!((block.first_line, block.bytes.len()), (1, 31));
/// }
/// # std::io::Result::Ok(())
/// ```
///
/// If the stream ends inside a record or game, the last block contains only that incomplete part.
/// [`Batch::read_block`](crate::Batch::read_block) reports it as an error.
///
/// ```
/// use setwise_positions::{Block, Blocks, Format};
/// let mut blocks = Blocks::of(Format::Marlin, &[0; 70][..]);
/// let mut block = Block::default();
/// assert!(blocks.next(&mut block)?);
/// assert_eq!((block.first_line, block.bytes.len()), (1, 64));
/// assert!(blocks.next(&mut block)?);
/// assert_eq!((block.first_line, block.bytes.len()), (3, 6));
/// assert!(!blocks.next(&mut block)?);
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "two options, and a state that is not an enum")]
pub struct Blocks<R> {
    /// The stream, by chunks if it is binpack.
    chunks: Chunks<R>,
    /// The chunk being decoded, and the offset of its payload in the stream.
    entries: Entries<Vec<u8>>,
    payload_offset: u64,
    sieve: Sieve,
    context: Context,
    /// The place of the stream in a list of files, from 0.
    file: u64,
    format: Format,
    waits: bool,
    single: bool,
    /// The bytes read. Those before `start` have been handed out in blocks.
    pending: Vec<u8>,
    start: usize,
    /// `pending` has no line end between `start` and this offset.
    searched: usize,
    /// The number of lines, records or game positions in the blocks so far.
    lines: u64,
    /// The number of games in the blocks so far.
    games: u64,
    has_ended: bool,
    /// The stream's error, kept until the lines or records before it have been returned.
    failure: Option<io::Error>,
    /// Whether the last block ended with a carriage return. If a line feed follows, it is part of
    /// that line end.
    after_return: bool,
    /// Whether the rest of the current line is being skipped, because the line is too long. Its
    /// beginning was handed out before.
    skips: bool,
}

impl<R: Read> Blocks<R> {
    /// Divides a stream of FEN or EPD lines into blocks of about 128 KiB. Blocks are shorter if the
    /// stream delivers fewer bytes at once.
    pub fn new(reader: R) -> Blocks<R> {
        Blocks::of(Format::Text, reader)
    }

    /// Divides a stream of any format into blocks.
    pub fn of(format: Format, reader: R) -> Blocks<R> {
        Blocks {
            chunks: Chunks::new(reader),
            entries: Entries::new(Vec::new()),
            payload_offset: 0,
            sieve: Sieve::new(Filter::ALL, 0),
            context: Context::default(),
            file: 0,
            format,
            waits: false,
            single: false,
            pending: Vec::new(),
            start: 0,
            searched: 0,
            lines: 0,
            games: 0,
            has_ended: false,
            failure: None,
            after_return: false,
            skips: false,
        }
    }

    /// Makes [`next`](Blocks::next) wait until a block is full. Use this for files, including
    /// compressed ones, but not for interactive input.
    #[must_use]
    pub fn filled(mut self) -> Blocks<R> {
        self.waits = true;
        self
    }

    /// Leaves out entries of binpack. Other formats are not affected. The place of the stream in a
    /// list of files is a number from 0. [`into_sieve`](Blocks::into_sieve) gives the sieve back,
    /// for the next file.
    #[must_use]
    pub fn sieve(mut self, sieve: Sieve, file: u64) -> Blocks<R> {
        (self.sieve, self.file) = (sieve, file);
        self
    }

    /// The sieve as it is after what was read.
    #[must_use]
    pub fn into_sieve(self) -> Sieve {
        self.sieve
    }

    /// Makes each block contain one line, record or game.
    #[must_use]
    pub fn single(mut self) -> Blocks<R> {
        self.single = true;
        self
    }

    /// Reads the next block. Returns `false` at the end of the stream.
    ///
    /// # Errors
    ///
    /// If the stream fails. Earlier calls have already returned all whole lines, records or games
    /// before the failure. A game longer than 1 MiB is also an error, and so is what is not a chunk
    /// of binpack.
    pub fn next(&mut self, block: &mut Block) -> io::Result<bool> {
        match self.format {
            Format::Text | Format::Plain => self.next_lines(block),
            Format::Binpack => self.next_entries(block),
            _ => self.next_records(block),
        }
    }

    fn next_lines(&mut self, block: &mut Block) -> io::Result<bool> {
        loop {
            if let Some(end) = self.end_of_lines() {
                self.take_lines(end, block);
                return Ok(true);
            }
            if self.pending.len() - self.start > MAX_LINE {
                // The line is too long: hand out its beginning once, and skip the rest.
                let is_known = mem::replace(&mut self.skips, true);
                if !is_known {
                    self.take_lines(self.start + MAX_LINE + 1, block);
                    // The line is counted when its end is found.
                    self.lines -= 1;
                }
                self.start = self.pending.len();
                self.searched = self.start;
                if !is_known {
                    return Ok(true);
                }
            }
            if self.has_ended {
                let rest = self.pending.len() - self.start;
                if rest == 0 || mem::take(&mut self.skips) {
                    return Ok(false);
                }
                self.take_lines(self.pending.len(), block);
                return Ok(true);
            }
            self.fill()?;
        }
    }

    /// Returns the end of the last complete line in `pending`. If `single`, returns the end of the
    /// first one.
    fn end_of_lines(&mut self) -> Option<usize> {
        loop {
            if self.format == Format::Plain && !self.skips {
                let whole = self.end_of_plain();
                if whole.is_some() || self.pending.len() - self.start <= MAX_LINE {
                    return whole;
                }
            }
            let fresh = &self.pending[self.searched..];
            let found = if self.single || self.skips {
                memchr::memchr2(b'\n', b'\r', fresh)
            } else {
                memchr::memrchr2(b'\n', b'\r', fresh)
            };
            let Some(mut end) = found.map(|line_end| self.searched + line_end + 1) else {
                self.searched = self.pending.len();
                return None;
            };
            if self.pending[end - 1] == b'\r' && self.pending.get(end) == Some(&b'\n') {
                end += 1;
            }
            if !mem::take(&mut self.skips) {
                return Some(end);
            }
            self.lines += 1;
            self.pass(end);
        }
    }

    /// Returns the end of the last complete position of plain training data in `pending`. Its last
    /// line is `e`. If `single`, returns the end of the first one.
    fn end_of_plain(&self) -> Option<usize> {
        let bytes = &self.pending[self.start..];
        let ends_position = |&end: &usize| {
            let start =
                memchr::memrchr2(b'\n', b'\r', &bytes[..end]).map_or(0, |line_end| line_end + 1);
            trim_line(&bytes[start..end]) == b"e"
        };
        let mut ends = memchr::memchr2_iter(b'\n', b'\r', bytes);
        let end = if self.single { ends.find(ends_position) } else { ends.rfind(ends_position) }?;
        let is_pair = bytes[end..].starts_with(b"\r\n");
        Some(self.start + end + 1 + usize::from(is_pair))
    }

    fn take_lines(&mut self, end: usize, block: &mut Block) {
        let bytes = &self.pending[self.start..end];
        block.bytes.clear();
        block.bytes.extend_from_slice(bytes);
        block.first_line = self.lines + 1;
        self.lines += count_lines(bytes);
        self.pass(end);
    }

    fn pass(&mut self, end: usize) {
        self.after_return = end == self.pending.len() && self.pending[end - 1] == b'\r';
        (self.start, self.searched) = (end, end);
    }

    fn next_records(&mut self, block: &mut Block) -> io::Result<bool> {
        loop {
            let pending = &self.pending[self.start..];
            let (mut length, mut positions, games) = self.whole_records(pending);
            if length == 0 && self.has_ended {
                // An incomplete record or game counts as one position.
                (length, positions) = (pending.len(), 1);
            }
            if length > 0 {
                block.bytes.clear();
                block.bytes.extend_from_slice(&pending[..length]);
                (block.first_line, block.first_game) = (self.lines + 1, self.games + 1);
                self.start += length;
                self.lines += positions;
                self.games += games;
                return Ok(true);
            }
            if self.has_ended {
                return Ok(false);
            }
            if pending.len() >= MAX_GAME {
                let game = self.games + 1;
                let message = format!("game {game} does not end within {MAX_GAME} bytes");
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            self.fill()?;
        }
    }

    fn next_entries(&mut self, block: &mut Block) -> io::Result<bool> {
        let most = if self.single { 1 } else { ENTRIES };
        block.entries.clear();
        block.error = None;
        block.first_line = self.lines + 1;
        loop {
            while block.entries.len() < most {
                match self.entries.next() {
                    Ok(Some(entry)) => {
                        self.lines += 1;
                        if self.sieve.skips(entry, &mut self.context).is_none() {
                            block.entries.push((self.lines, *entry));
                        }
                    }
                    Ok(None) => break,
                    Err(error) => {
                        let (chunk, byte) = (self.chunks.count(), error.byte() as u64);
                        let byte = self.payload_offset + byte;
                        let reason = format!("number {chunk}, byte {byte}: {}", error.reason());
                        // What is lost counts as one position.
                        self.lines += 1;
                        let error = FenError::new(Field::Chunk, reason);
                        block.error = Some(LineError { line: self.lines, error });
                        return Ok(true);
                    }
                }
            }
            if !block.entries.is_empty() {
                return Ok(true);
            }
            self.payload_offset = self.chunks.offset() + HEADER as u64;
            // One buffer for all chunks, which may have 100 MiB.
            let entries = mem::replace(&mut self.entries, Entries::new(Vec::new()));
            let mut payload = entries.into_payload();
            if !self.chunks.next(&mut payload)? {
                return Ok(false);
            }
            self.entries = Entries::new(payload);
            self.context = self.sieve.context(self.file, self.chunks.count() - 1);
        }
    }

    /// Returns the total length of the complete records or games in `bytes`, the number of their
    /// positions, and the number of games. If `single`, only the first record or game counts.
    fn whole_records(&self, bytes: &[u8]) -> (usize, u64, u64) {
        if self.format != Format::Viri {
            let most = if self.single { 1 } else { usize::MAX };
            let count = (bytes.len() / RECORD).min(most);
            return (count * RECORD, count as u64, 0);
        }
        let (mut end, mut positions, mut games) = (0, 0, 0);
        while let Some((length, moves)) = game::length(&bytes[end..]) {
            end += length;
            positions += moves.unwrap_or_default();
            games += u64::from(moves.is_some());
            if self.single {
                break;
            }
        }
        (end, positions, games)
    }

    /// Reads from the stream once. If `waits`, reads until a block is full. If the stream fails,
    /// keeps the bytes read before the failure, and returns the error at the next call.
    fn fill(&mut self) -> io::Result<()> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        self.pending.drain(..self.start);
        self.searched = self.searched.saturating_sub(self.start);
        self.start = 0;
        let before = self.pending.len();
        let wanted = BLOCK.max(before + MAX_LINE);
        match read(self.chunks.reader(), &mut self.pending, wanted, self.waits) {
            Ok(has_ended) => self.has_ended = has_ended,
            Err(failure) => self.failure = Some(failure),
        }
        if mem::take(&mut self.after_return) && self.pending.get(before) == Some(&b'\n') {
            self.pending.remove(before);
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
