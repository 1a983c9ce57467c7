//! The FENs of tables and of JSON lines: blocks of rows.

use std::io;

use crate::block::Block;
use crate::error::{Field, LineError};
use crate::file_format::{Cut, How, Stream};
use crate::lines::{MAX_LINE, trim_line};
use crate::printable::printable;
use crate::sample::{SAMPLE, Sample};
use crate::{Batch, Fen, pending};

const AT_ONCE: usize = 4096;

/// The number of bytes of FENs that end a block.
const TEXT: usize = 128 * 1024;

/// The most bytes of a row.
pub(crate) const MAX_ROW: u64 = 16 << 20;

/// Reads rows.
pub(crate) trait Row: Send {
    /// Appends the next row to the block, unless it is a comment. Returns `false` at the end.
    fn next(&mut self, rows: &mut Block) -> io::Result<bool>;
}

/// A file of rows whose layout is known.
pub(crate) struct Opened<'a> {
    pub(crate) row: Box<dyn Row + 'a>,
    /// What the user should know of the layout.
    pub(crate) note: Option<String>,
    /// Why the header cannot be read.
    pub(crate) failure: Option<io::Error>,
}

/// Finds the layout of a file.
type Open<'a> = fn(Stream<'a>) -> io::Result<Opened<'a>>;

/// Cuts a file into blocks of rows.
pub(crate) struct CutRows<'a> {
    /// The file, until its layout is known.
    unopened: Option<(Stream<'a>, Open<'a>)>,
    row: Option<Box<dyn Row + 'a>>,
    /// Why the file cannot be read further, until the rows before have been returned.
    failure: Option<io::Error>,
}

impl<'a> CutRows<'a> {
    pub(crate) fn new(stream: Stream<'a>, open: Open<'a>) -> CutRows<'a> {
        CutRows { unopened: Some((stream, open)), row: None, failure: None }
    }
}

impl Cut for CutRows<'_> {
    /// If the file fails, earlier calls have returned all rows before the failure.
    fn next(&mut self, block: &mut Block, how: &mut How) -> io::Result<bool> {
        if let Some((stream, open)) = self.unopened.take() {
            let opened = open(stream)?;
            (self.row, self.failure) = (Some(opened.row), opened.failure);
            block.note = opened.note;
        }
        let most = if how.single { 1 } else { AT_ONCE };
        while let Some(row) = &mut self.row
            && self.failure.is_none()
            && block.rows.len() < most
            && block.bytes.len() < TEXT
        {
            match row.next(block) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => self.failure = Some(error),
            }
        }
        block.first_line = block.rows.first().map_or(0, |(line, _)| *line);
        match self.failure.take_if(|_| block.rows.is_empty()) {
            Some(failure) => Err(failure),
            None => Ok(!block.rows.is_empty()),
        }
    }
}

/// Whether this stands for a missing value, as pandas, R and databases write it.
fn is_missing(value: &[u8]) -> bool {
    let words: [&[u8]; 6] = [b"na", b"n/a", b"nan", b"null", b"none", b"\\n"];
    words.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Appends a row's FEN. One that is missing is a bad row.
pub(crate) fn push(rows: &mut Block, line: u64, fen: &[u8]) {
    let fen = if is_missing(fen) { b"" } else { fen };
    // A longer text is an error at any length.
    rows.bytes.extend_from_slice(&fen[..fen.len().min(MAX_LINE + 1)]);
    rows.rows.push((line, Ok(rows.bytes.len())));
}

/// Appends the positions and errors of rows.
pub(crate) fn read(block: &Block, batch: &mut Batch) {
    let mut start = 0;
    for (line, row) in &block.rows {
        match row {
            Ok(end) => {
                batch.read_line(&block.bytes[start..*end], *line);
                start = *end;
            }
            Err(why) => batch.push_error(LineError::new(*line, Field::Line, why)),
        }
    }
}

/// Reads the start of a file, until it shows the layout. A read that fails will fail again.
pub(crate) fn start(stream: &mut Stream<'_>, is_clear: fn(&Sample<'_>) -> bool) -> Vec<u8> {
    let mut start = Vec::new();
    while !is_clear(&Sample::new(&start, false, false, None))
        && matches!(pending::read(stream, &mut start, SAMPLE, false), Ok(false))
    {}
    start
}

/// Whether this is `fen` or `epd`, in upper or lower case.
pub(crate) fn is_fen_name(name: &str) -> bool {
    name.eq_ignore_ascii_case("fen") || name.eq_ignore_ascii_case("epd")
}

/// Removes what [`trim_line`] does, and one pair of quotes or, as in Markdown, back quotes.
pub(crate) fn unquoted(value: &[u8]) -> &[u8] {
    let value = trim_line(value);
    match value {
        [b'"', inner @ .., b'"'] | [b'`', inner @ .., b'`'] | [b'\'', inner @ .., b'\''] => inner,
        _ => value,
    }
}

/// Whether a value is a FEN and nothing else.
pub(crate) fn is_fen(value: &[u8]) -> bool {
    let value = unquoted(value);
    let Ok(fen) = Fen::parse(value) else { return false };
    let words = value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let last = fen.fields().last().unwrap_or_default();
    words.count() == fen.fields().len() && value.ends_with(last.as_bytes())
}

/// Lists names for messages: quoted, at most eight.
pub(crate) fn names<T: AsRef<str>>(names: &[T]) -> String {
    const MOST: usize = 8;
    let quote = |name: &T| format!("`{}`", printable(name.as_ref()));
    let mut list: Vec<String> = names.iter().take(MOST).map(quote).collect();
    if names.len() > MOST {
        list.push("and others".into());
    }
    list.join(", ")
}
