//! Cuts a text into blocks of whole lines.

use std::io;
use std::mem;

use crate::block::Block;
use crate::file_format::{Cut, How, Stream};
use crate::lines::{MAX_LINE, count_lines};
use crate::pending::Pending;

/// Finds the end of the last position in some bytes, or of the first one if the flag is set.
type FindEnd = fn(&[u8], bool) -> Option<usize>;

/// Cuts a text into blocks of whole lines.
pub(crate) struct CutLines<'a> {
    pending: Pending<'a>,
    /// For positions of several lines, which are kept together.
    find_end: Option<FindEnd>,
    /// `pending` has no line end before this offset.
    searched: usize,
    /// The number of lines in the blocks so far.
    lines: u64,
    /// Whether the last block ended with a carriage return. If a line feed follows, it is part of
    /// that line end.
    after_return: bool,
    /// Whether the rest of the current line is being skipped, because the line is too long. Its
    /// beginning was handed out before.
    skips: bool,
}

impl<'a> CutLines<'a> {
    pub(crate) fn new(stream: Stream<'a>, find_end: Option<FindEnd>) -> CutLines<'a> {
        CutLines {
            pending: Pending::new(stream),
            find_end,
            searched: 0,
            lines: 0,
            after_return: false,
            skips: false,
        }
    }

    /// Returns the end of the last complete line in `pending`. If `single`, returns the end of the
    /// first one.
    fn end_of_lines(&mut self, single: bool) -> Option<usize> {
        loop {
            let bytes = self.pending.bytes();
            if let Some(find_end) = self.find_end
                && !self.skips
            {
                let whole = find_end(bytes, single);
                if whole.is_some() || bytes.len() <= MAX_LINE {
                    return whole;
                }
            }
            let fresh = &bytes[self.searched..];
            let found = if single || self.skips {
                memchr::memchr2(b'\n', b'\r', fresh)
            } else {
                memchr::memrchr2(b'\n', b'\r', fresh)
            };
            let Some(mut end) = found.map(|line_end| self.searched + line_end + 1) else {
                self.searched = bytes.len();
                return None;
            };
            if bytes[end - 1] == b'\r' && bytes.get(end) == Some(&b'\n') {
                end += 1;
            }
            if !mem::take(&mut self.skips) {
                return Some(end);
            }
            self.lines += 1;
            self.pass(end);
        }
    }

    fn take(&mut self, end: usize, block: &mut Block) {
        let bytes = &self.pending.bytes()[..end];
        block.bytes.extend_from_slice(bytes);
        block.first_line = self.lines + 1;
        self.lines += count_lines(bytes);
        self.pass(end);
    }

    fn pass(&mut self, end: usize) {
        let bytes = self.pending.bytes();
        self.after_return = end == bytes.len() && bytes[end - 1] == b'\r';
        self.searched = 0;
        self.pending.pass(end);
    }
}

impl Cut for CutLines<'_> {
    fn next(&mut self, block: &mut Block, how: &mut How) -> io::Result<bool> {
        loop {
            if let Some(end) = self.end_of_lines(how.single) {
                self.take(end, block);
                return Ok(true);
            }
            let length = self.pending.bytes().len();
            if length > MAX_LINE {
                // The line is too long: hand out its beginning once, and skip the rest.
                let is_known = mem::replace(&mut self.skips, true);
                if !is_known {
                    self.take(MAX_LINE + 1, block);
                    // The line is counted when its end is found.
                    self.lines -= 1;
                }
                self.pending.pass(self.pending.bytes().len());
                self.searched = 0;
                if !is_known {
                    return Ok(true);
                }
            }
            if self.pending.has_ended() {
                let rest = self.pending.bytes().len();
                if rest == 0 || mem::take(&mut self.skips) {
                    return Ok(false);
                }
                self.take(rest, block);
                return Ok(true);
            }
            self.pending.fill(how.waits)?;
            // Nothing is before what was read if the last block ended with a line.
            if mem::take(&mut self.after_return) && self.pending.bytes().first() == Some(&b'\n') {
                self.pending.pass(1);
            }
        }
    }
}
