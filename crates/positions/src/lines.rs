//! Streams in blocks of whole lines, in memory that does not grow with the stream.

use std::io::{self, Read};

/// A longer line is no position; it is skipped without being kept.
pub const MAX_LINE: usize = 64 * 1024;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Whole lines of a stream; or records, or games.
#[derive(Debug, Default, Clone)]
pub struct Block {
    /// The number of the first line, record or position of a game, counted from 1.
    pub first_line: u64,
    /// The number of the first game, counted from 1, if there are games.
    pub first_game: u64,
    /// The records or games. Or the lines with their ends: line feed, carriage return or both. The last line of a stream may have none. A line longer than
    /// [`MAX_LINE`] is cut there, with a byte more, so that [`Lines`] knows.
    pub bytes: Vec<u8>,
}

/// Cuts a stream into blocks of whole lines.
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
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools)] // each is told where it is set
pub struct Blocks<R> {
    reader: R,
    /// Read, but not handed out before `start`: the beginning of a line, or more of them.
    pending: Vec<u8>,
    start: usize,
    /// From where on `pending` was not looked at for a line's end.
    searched: usize,
    line: u64,
    size: usize,
    waits: bool,
    single: bool,
    has_begun: bool,
    has_ended: bool,
    /// The last block ended with a carriage return: a line feed belongs to it.
    after_return: bool,
    /// In a line that was too long and was handed out already.
    skips: bool,
}

impl<R: Read> Blocks<R> {
    /// Blocks of about 128 KiB, fewer bytes only if the stream delivers fewer at once.
    pub fn new(reader: R) -> Blocks<R> {
        Blocks {
            reader,
            pending: Vec::new(),
            start: 0,
            searched: 0,
            line: 0,
            size: 128 * 1024,
            waits: false,
            single: false,
            has_begun: false,
            has_ended: false,
            after_return: false,
            skips: false,
        }
    }

    /// Fills every block, however long the stream makes one wait: for files, and what is decompressed from them.
    #[must_use]
    pub fn filled(mut self) -> Blocks<R> {
        self.waits = true;
        self
    }

    /// One line a block.
    #[must_use]
    pub fn single(mut self) -> Blocks<R> {
        self.single = true;
        self
    }

    /// The next lines, or `false` at the end of the stream.
    ///
    /// # Errors
    ///
    /// Those of the stream.
    pub fn next(&mut self, block: &mut Block) -> io::Result<bool> {
        loop {
            if let Some(end) = self.end_of_lines() {
                self.hand_out(end, block);
                return Ok(true);
            }
            if self.pending.len() - self.start > MAX_LINE {
                // No end in sight: the beginning is enough to say so.
                if !std::mem::replace(&mut self.skips, true) {
                    self.hand_out(self.start + MAX_LINE + 1, block);
                    self.drop_pending();
                    // Its end is still to come.
                    self.line -= 1;
                    return Ok(true);
                }
                self.drop_pending();
            }
            if self.has_ended {
                let rest = self.pending.len() - self.start;
                if rest == 0 || std::mem::take(&mut self.skips) {
                    return Ok(false);
                }
                self.hand_out(self.pending.len(), block);
                return Ok(true);
            }
            self.fill()?;
        }
    }

    /// Where the pending whole lines end, or the first of them.
    fn end_of_lines(&mut self) -> Option<usize> {
        loop {
            let fresh = &self.pending[self.searched..];
            let found = if self.single || self.skips {
                memchr::memchr2(b'\n', b'\r', fresh)
            } else {
                memchr::memrchr2(b'\n', b'\r', fresh)
            };
            let Some(mut end) = found.map(|at| self.searched + at + 1) else {
                self.searched = self.pending.len();
                return None;
            };
            // Both bytes of an end, if the second is there.
            if self.pending[end - 1] == b'\r' && self.pending.get(end) == Some(&b'\n') {
                end += 1;
            }
            if !std::mem::take(&mut self.skips) {
                return Some(end);
            }
            self.note_return(end);
            self.line += 1;
            (self.start, self.searched) = (end, end);
        }
    }

    fn note_return(&mut self, end: usize) {
        self.after_return = end == self.pending.len() && self.pending[end - 1] == b'\r';
    }

    fn hand_out(&mut self, end: usize, block: &mut Block) {
        let bytes = &self.pending[self.start..end];
        block.bytes.clear();
        block.bytes.extend_from_slice(bytes);
        block.first_line = self.line + 1;
        self.line += count_lines(bytes);
        self.note_return(end);
        (self.start, self.searched) = (end, end);
    }

    fn drop_pending(&mut self) {
        self.start = self.pending.len();
        self.searched = self.start;
    }

    /// Reads once, or until a block is full.
    fn fill(&mut self) -> io::Result<()> {
        self.pending.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        let before = self.pending.len();
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let wanted = self.size.max(before + MAX_LINE);
        loop {
            self.has_ended = read(&mut self.reader, &mut self.pending, wanted, self.waits)?;
            // Enough to know whether the stream begins with a mark.
            let may_be_mark = is_first
                && self.pending.len() < BYTE_ORDER_MARK.len()
                && BYTE_ORDER_MARK.starts_with(&self.pending);
            if self.has_ended || !may_be_mark {
                break;
            }
        }
        if is_first && self.pending.starts_with(BYTE_ORDER_MARK) {
            self.pending.drain(..BYTE_ORDER_MARK.len());
        }
        if std::mem::take(&mut self.after_return) && self.pending.get(before) == Some(&b'\n') {
            self.pending.remove(before);
        }
        Ok(())
    }
}

/// Appends what comes from a stream: by one read, or until there are so many bytes if it waits. Tells whether the stream has ended.
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

/// Lines in whole lines; the last may have no end.
fn count_lines(bytes: &[u8]) -> u64 {
    let feeds = memchr::memchr_iter(b'\n', bytes).count();
    let returns = memchr::memchr_iter(b'\r', bytes);
    let alone = returns
        .filter(|&at| bytes.get(at + 1) != Some(&b'\n'))
        .count();
    let is_open = !matches!(bytes.last(), None | Some(b'\n' | b'\r'));
    (feeds + alone) as u64 + u64::from(is_open)
}

/// Where a text's first line ends.
pub(crate) fn end_of_line(text: &[u8]) -> usize {
    memchr::memchr2(b'\n', b'\r', text).unwrap_or(text.len())
}

/// The lines of a block, without their ends; `None` for one longer than [`MAX_LINE`].
///
/// ```
/// use setwise_positions::Lines;
/// let lines: Vec<_> = Lines::new(b"a\r\nb\rc\n\nd").collect();
/// assert_eq!(lines, [Some(&b"a"[..]), Some(b"b"), Some(b"c"), Some(b""), Some(b"d")]);
/// ```
#[derive(Debug, Clone)]
pub struct Lines<'a> {
    bytes: &'a [u8],
}

impl<'a> Lines<'a> {
    /// Those of some bytes.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Lines<'a> {
        Lines { bytes }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Option<&'a [u8]>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.bytes.is_empty() {
            return None;
        }
        let end = end_of_line(self.bytes);
        let (line, rest) = self.bytes.split_at(end);
        self.bytes = match rest {
            [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => rest,
            [] => rest,
        };
        Some((line.len() <= MAX_LINE).then_some(line))
    }
}

#[cfg(test)]
mod tests {
    use super::{Block, Blocks, Lines, MAX_LINE};
    use std::io::{self, Read};

    /// Gives a few bytes at a time, and sometimes is interrupted.
    struct Drops<'a>(&'a [u8], fastrand::Rng);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.1.u8(..8) == 0 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let count = self.1.usize(1..8).min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    type Numbered = (u64, Option<Vec<u8>>);

    /// How many blocks, and numbers and bytes of all lines, `None` for one that is too long.
    fn all(mut blocks: Blocks<impl Read>) -> (usize, Vec<Numbered>) {
        let (mut block, mut found, mut count) = (Block::default(), Vec::new(), 0);
        while blocks.next(&mut block).unwrap() {
            assert!(!block.bytes.is_empty());
            count += 1;
            found.extend(
                (block.first_line..)
                    .zip(Lines::new(&block.bytes).map(|line| line.map(<[u8]>::to_vec))),
            );
        }
        (count, found)
    }

    #[test]
    fn lines_stay_whole_however_they_come() {
        let mut random = fastrand::Rng::with_seed(1);
        for seed in 0..if cfg!(miri) { 10 } else { 3000 } {
            let mut text = String::new();
            for _ in 0..random.usize(..30) {
                text += ["a", "bcd", "efghijkl", "\n", "\r", "\r\n", "\u{feff}"][random.usize(..7)];
            }
            // As a text editor sees it.
            let plain = text.strip_prefix('\u{feff}').unwrap_or(&text);
            let plain = plain.replace("\r\n", "\n").replace('\r', "\n");
            let mut lines: Vec<&str> = plain.split('\n').collect();
            if lines.last() == Some(&"") {
                lines.pop();
            }
            let right: Vec<_> = (1..)
                .zip(lines.iter().map(|line| Some(line.as_bytes().to_vec())))
                .collect();
            let drops = || Blocks::new(Drops(text.as_bytes(), fastrand::Rng::with_seed(seed)));
            assert_eq!(all(drops()).1, right, "{text:?}");
            let (count, found) = all(drops().filled());
            // A last line without an end stands alone.
            assert!(count <= 2 && found == right, "{text:?}");
            assert_eq!(all(drops().single()), (right.len(), right), "{text:?}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "the interpreter takes minutes for lines of 64 KiB")]
    fn a_long_line_is_skipped_whole() {
        for length in [
            MAX_LINE - 1,
            MAX_LINE,
            MAX_LINE + 1,
            2 * MAX_LINE,
            5 * MAX_LINE,
        ] {
            for end in ["\n", "\r", "\r\n"] {
                let text = format!("ab{end}{}{end}cd{end}", "x".repeat(length));
                let long = (length <= MAX_LINE).then(|| vec![b'x'; length]);
                let right = [
                    (1, Some(b"ab".to_vec())),
                    (2, long.clone()),
                    (3, Some(b"cd".to_vec())),
                ];
                for blocks in [
                    Blocks::new(text.as_bytes()),
                    Blocks::new(text.as_bytes()).single(),
                ] {
                    assert_eq!(all(blocks).1, right, "{length} {end:?}");
                }
                let drops = Drops(text.as_bytes(), fastrand::Rng::with_seed(7));
                assert_eq!(all(Blocks::new(drops)).1, right, "{length} {end:?}");
                let cut = &text[..text.len() - 2 - 2 * end.len()];
                assert_eq!(all(Blocks::new(cut.as_bytes())).1, right[..2], "{length}");
            }
        }
    }
}
