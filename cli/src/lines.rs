//! Lines of a stream, one at a time, in memory that does not grow with the stream.

use std::io::{self, BufRead};

/// A longer line is no position; it is skipped without being kept.
pub(crate) const MAX_LINE: usize = 64 * 1024;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Reads lines and counts them from 1.
pub(crate) struct Lines<R> {
    reader: R,
    line: Vec<u8>,
    number: u64,
}

/// A line with its number.
pub(crate) struct Line<'a> {
    pub(crate) number: u64,
    /// Without the line feed, with a carriage return if there is one; `None` if it is longer
    /// than [`MAX_LINE`].
    pub(crate) bytes: Option<&'a [u8]>,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(reader: R) -> Lines<R> {
        Lines {
            reader,
            line: Vec::new(),
            number: 0,
        }
    }

    /// The next line, or `None` at the end of the stream.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        let (mut any, mut too_long) = (false, false);
        loop {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                break;
            }
            any = true;
            let end = memchr::memchr(b'\n', available);
            let part = &available[..end.unwrap_or(available.len())];
            too_long |= self.line.len() + part.len() > MAX_LINE;
            if !too_long {
                self.line.extend_from_slice(part);
            }
            let consumed = part.len() + usize::from(end.is_some());
            self.reader.consume(consumed);
            if end.is_some() {
                break;
            }
        }
        if !any {
            return Ok(None);
        }
        self.number += 1;
        let mut bytes = self.line.as_slice();
        if self.number == 1 {
            bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        }
        Ok(Some(Line {
            number: self.number,
            bytes: (!too_long).then_some(bytes),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, MAX_LINE};
    use std::io::BufReader;

    /// Each line's length, `None` for one that is too long.
    fn lengths(text: &[u8]) -> Vec<(u64, Option<usize>)> {
        // A tiny buffer, so that lines are put together from many parts.
        let mut lines = Lines::new(BufReader::with_capacity(3, text));
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push((line.number, line.bytes.map(<[u8]>::len)));
        }
        found
    }

    #[test]
    fn counts_and_joins() {
        assert_eq!(lengths(b""), []);
        assert_eq!(lengths(b"\n"), [(1, Some(0))]);
        assert_eq!(
            lengths(b"abcdefg\r\n\nxy"),
            [(1, Some(8)), (2, Some(0)), (3, Some(2))]
        );
        assert_eq!(
            lengths("\u{feff}ab\n\u{feff}".as_bytes()),
            [(1, Some(2)), (2, Some(3))]
        );
    }

    #[test]
    fn a_long_line_is_skipped_whole() {
        let mut text = vec![b'x'; MAX_LINE + 1];
        text.extend_from_slice(b"\nab\n");
        assert_eq!(lengths(&text), [(1, None), (2, Some(2))]);
        assert_eq!(lengths(&text[1..]), [(1, Some(MAX_LINE)), (2, Some(2))]);
    }
}
