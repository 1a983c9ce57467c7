//! What the first bytes of a file show, computed once for all formats.

use crate::Fen;
use crate::lines::{Lines, end_of_line, is_comment, is_rule, trim_line};
use crate::uci::has_moves;

/// The separators of tables.
pub(crate) const SEPARATORS: [u8; 4] = *b",\t;|";

/// The most bytes of a file by which its format is detected.
pub(crate) const SAMPLE: usize = 64 * 1024;

/// Fewer bytes than this do not show that a file is text.
const LEAST: usize = 32;

/// Whether a file's first bytes are of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    No,
    /// More bytes are needed.
    More,
    /// They are if they are of no other format.
    Otherwise,
    Yes,
}

/// The first bytes of a file.
#[allow(clippy::struct_excessive_bools, reason = "four independent facts")]
pub(crate) struct Sample<'a> {
    pub(crate) bytes: &'a [u8],
    /// Whether these are all bytes of the file.
    pub(crate) is_whole: bool,
    /// Whether there are no more bytes to ask for.
    pub(crate) is_last: bool,
    /// The extension of the file's name.
    extension: Option<&'a str>,
    /// The first line that is neither blank nor a comment, nor rules a table, trimmed.
    pub(crate) line: Option<&'a [u8]>,
    /// Whether that line is whole.
    is_complete: bool,
    /// Whether that line is whole, and a FEN.
    pub(crate) is_fen: bool,
}

impl<'a> Sample<'a> {
    /// The file ends with these bytes if `is_whole`; it has failed after them if `has_failed`.
    pub(crate) fn new(
        bytes: &'a [u8],
        is_whole: bool,
        has_failed: bool,
        extension: Option<&'a str>,
    ) -> Sample<'a> {
        let is_last = is_whole || has_failed || bytes.len() >= SAMPLE;
        let mut sample = Sample {
            bytes,
            is_whole,
            is_last,
            extension,
            line: None,
            is_complete: false,
            is_fen: false,
        };
        if let Some(line) = sample.lines().find(|line| !is_comment(line) && !is_rule(line)) {
            // Both are parts of `bytes`.
            let end = line.as_ptr() as usize - bytes.as_ptr() as usize + line.len();
            let has_end = bytes[end..].iter().any(|byte| matches!(byte, b'\n' | b'\r'));
            sample.line = Some(line);
            sample.is_complete = is_last || has_end;
            sample.is_fen = sample.is_complete && (has_moves(line) || Fen::parse(line).is_ok());
        }
        sample
    }

    /// Whether the file's name has one of these extensions.
    pub(crate) fn is_named(&self, extensions: &[&str]) -> bool {
        self.extension.is_some_and(|extension| extensions.contains(&extension))
    }

    /// The text without a byte order mark.
    pub(crate) fn text(&self) -> &'a [u8] {
        self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(self.bytes)
    }

    /// The lines that are not blank, trimmed.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        lines(self.text())
    }

    /// What every format of text says before it looks further. `None` if the bytes are text.
    pub(crate) fn fit_of_text(&self) -> Option<Fit> {
        if self.is_fen {
            return None;
        }
        let is_enough = self.is_last || self.bytes.len() >= LEAST;
        match is_text(self.bytes) {
            true if is_enough => None,
            false if self.is_last && has_text_lines(self.bytes) => None,
            false if self.is_last => Some(Fit::No),
            _ => Some(Fit::More),
        }
    }

    /// Whether more bytes of a text would not change what it is: its first line is a FEN, or it
    /// cannot be JSON, and has two rows if it can be a table.
    pub(crate) fn is_clear(&self) -> bool {
        self.is_last
            || self.is_fen
            || self.is_complete
                && match self.line {
                    Some([b'[', b'A'..=b'Z' | b'a'..=b'z', ..]) => true,
                    None | Some([b'{' | b'[', ..]) => false,
                    // The second row may show which column has FENs. A value in quotes may have
                    // several lines.
                    Some(line) if line.iter().any(|byte| SEPARATORS.contains(byte)) => {
                        let text = self.text();
                        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
                        let end = text.iter().rposition(is_end).unwrap_or(0);
                        let mut is_open = false;
                        let ends_row = |line: &&[u8]| {
                            let is_comment = !is_open && is_comment(line);
                            is_open ^=
                                !is_comment && memchr::memchr_iter(b'"', line).count() % 2 == 1;
                            !is_comment && !is_open && !is_rule(line)
                        };
                        lines(&text[..end]).filter(ends_row).nth(1).is_some()
                    }
                    Some(_) => true,
                }
    }

    /// Whether this is the start of a PGN file: a tag or the first move, after any comments. A
    /// comment alone does not suffice, because FENs may follow it.
    pub(crate) fn is_pgn(&self) -> bool {
        let mut text = self.text().trim_ascii_start();
        loop {
            let end = match text {
                [b'%' | b';', ..] => b'\n',
                // A comment. In JSON, a quote or a closing brace follows the opening brace.
                [b'{', rest @ ..] if !matches!(rest.trim_ascii_start(), [b'"' | b'}', ..]) => b'}',
                _ => break,
            };
            let Some(length) = text.iter().position(|&byte| byte == end) else {
                return false;
            };
            text = text[length + 1..].trim_ascii_start();
        }
        match text {
            // A tag has a value in quotes. Logs of servers start with a date in brackets. Names of
            // other characters than letters, digits and `_` are not of the standard, but occur.
            [b'[', b'A'..=b'Z' | b'a'..=b'z', rest @ ..] => {
                let is_name = |byte: &u8| !byte.is_ascii_whitespace() && !b"[]\"{},".contains(byte);
                let name = rest.iter().take_while(|byte| is_name(byte)).count();
                rest[name..].trim_ascii_start().starts_with(b"\"")
            }
            [b'1', b'.', next, ..] => next.is_ascii_alphabetic() || b" .\r\n".contains(next),
            _ => false,
        }
    }
}

/// The lines of a text that are not blank, trimmed.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split(|&byte| matches!(byte, b'\n' | b'\r')).map(trim_line);
    lines.filter(|line| !line.is_empty())
}

/// Whether the first 512 bytes have no control characters except white space.
fn is_text(start: &[u8]) -> bool {
    start[..start.len().min(512)]
        .iter()
        .all(|byte| !byte.is_ascii_control() || (9..=13).contains(byte))
}

/// Whether the lines that start in the first 512 bytes are UTF-8 without control characters, except
/// white space, and NUL and 0x1A at their ends. At least one line is not blank.
fn has_text_lines(start: &[u8]) -> bool {
    let last = start.len().min(511);
    let lines = Lines::new(&start[..last + end_of_line(&start[last..])]).flatten();
    let mut lines = lines.map(trim_line).filter(|line| !line.is_empty()).peekable();
    lines.peek().is_some() && lines.all(|line| is_text(line) && str::from_utf8(line).is_ok())
}
