//! The FENs of CSV, TSV and JSON lines.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};

use serde_json::value::RawValue;
use setwise_positions::{Batch, Field, LineError, MAX_LINE, trim_line};

use crate::kind::{is_fen_name, json_keys, names};
use crate::table::{self, Table, is_comment, unquoted};

const AT_ONCE: usize = 4096;

/// The number of bytes of FENs that end a chunk.
const TEXT: usize = 128 * 1024;

const MAX_ROW: u64 = 16 << 20;

/// The FENs of some rows, one after the other.
#[derive(Default)]
pub(crate) struct Rows {
    text: Vec<u8>,
    /// For each row, its line number, and the offset in `text` at which its FEN ends, or why it has
    /// none.
    rows: Vec<(u64, Result<usize, String>)>,
}

impl Rows {
    /// Appends the positions and errors of the rows.
    pub(crate) fn read(&self, batch: &mut Batch) {
        let mut start = 0;
        for (line, row) in &self.rows {
            match row {
                Ok(end) => {
                    batch.read_line(&self.text[start..*end], *line);
                    start = *end;
                }
                Err(why) => batch.push_error(LineError::new(*line, Field::Line, why)),
            }
        }
    }

    fn push(&mut self, line: u64, fen: &[u8]) {
        // A longer text is an error at any length.
        self.text.extend_from_slice(&fen[..fen.len().min(MAX_LINE + 1)]);
        self.rows.push((line, Ok(self.text.len())));
    }
}

pub(crate) struct RowReader {
    format: Format,
    /// Why the file cannot be read further, until the rows before have been returned.
    failure: Option<String>,
}

enum Format {
    Table {
        reader: csv::Reader<Limited>,
        column: usize,
    },
    /// The FENs are under `fen` or `epd`, or else under this key.
    Json {
        reader: BufReader<Box<dyn Read + Send>>,
        line: u64,
        key: String,
    },
}

impl RowReader {
    /// Reads a table of this layout. The stream goes on after the text.
    pub(crate) fn table(
        table: &Table,
        text: &[u8],
        stream: impl Read + Send + 'static,
    ) -> RowReader {
        let (before, text) = text.split_at(table.skip);
        let mut lines = LineStarts::default();
        lines.see(before);
        let lines = LineStarts { line: lines.line, ..LineStarts::default() };
        let stream: Box<dyn Read + Send> = Box::new(io::Cursor::new(text.to_vec()).chain(stream));
        let mut reader = table::reader(table.separator, Limited { stream, left: MAX_ROW, lines });
        let failure = if table.name.is_some() {
            let header = reader.read_byte_record(&mut csv::ByteRecord::new());
            header.err().map(|error| error.to_string())
        } else {
            None
        };
        RowReader { format: Format::Table { reader, column: table.column }, failure }
    }

    pub(crate) fn json_lines(key: String, stream: impl Read + Send + 'static) -> RowReader {
        let reader = BufReader::new(Box::new(stream) as Box<dyn Read + Send>);
        RowReader { format: Format::Json { reader, line: 0, key }, failure: None }
    }

    /// Replaces the rows with the next ones, or with one if `single`. Returns `false` at the end.
    /// If the file fails, earlier calls have returned all rows before the failure.
    pub(crate) fn next(&mut self, rows: &mut Rows, single: bool) -> Result<bool, String> {
        rows.text.clear();
        rows.rows.clear();
        let most = if single { 1 } else { AT_ONCE };
        while self.failure.is_none() && rows.rows.len() < most && rows.text.len() < TEXT {
            match self.format.next_row(rows) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => self.failure = Some(error.to_string()),
            }
        }
        match self.failure.take_if(|_| rows.rows.is_empty()) {
            Some(failure) => Err(failure),
            None => Ok(!rows.rows.is_empty()),
        }
    }
}

impl Format {
    fn next_row(&mut self, rows: &mut Rows) -> io::Result<bool> {
        match self {
            Format::Table { reader, column } => {
                reader.get_mut().left = MAX_ROW;
                let start = reader.position().byte();
                let mut row = csv::ByteRecord::new();
                let found = reader.read_byte_record(&mut row)?;
                // DOS programs wrote 0x1A at the end. A comment may contain the separator.
                let is_end = row.len() == 1 && matches!(row.as_slice(), [0 | 0x1a]);
                if found && !is_end && !is_comment(trim_line(row.get(0).unwrap_or_default())) {
                    let line = reader.get_mut().lines.first_from(start);
                    rows.push(line, unquoted(row.get(*column).unwrap_or_default()));
                }
                Ok(found)
            }
            Format::Json { reader, line, key } => {
                let mut text = Vec::new();
                if reader.by_ref().take(MAX_ROW + 1).read_until(b'\n', &mut text)? == 0 {
                    return Ok(false);
                }
                *line += 1;
                if text.len() as u64 > MAX_ROW && !text.ends_with(b"\n") {
                    let keys = keys(&text[..MAX_LINE]);
                    let why = format!("it is longer than {MAX_ROW} bytes; its first {keys}");
                    rows.rows.push((*line, Err(why)));
                    reader.skip_until(b'\n')?;
                    return Ok(true);
                }
                let text = trim_line(&text);
                match serde_json::from_slice::<BTreeMap<Cow<'_, str>, &RawValue>>(text) {
                    _ if text.is_empty() || is_comment(text) => {}
                    Ok(object) => {
                        if let Some(fen) = fen_of(&object, key) {
                            rows.push(*line, fen.as_bytes());
                        } else {
                            let (name, keys) = (names(&[&*key]), keys(text));
                            let why = format!("it has no string {name}; its {keys}");
                            rows.rows.push((*line, Err(why)));
                        }
                    }
                    // Its error says that it is not a FEN.
                    Err(_) => rows.push(*line, text),
                }
                Ok(true)
            }
        }
    }
}

/// The FEN of an object: its `fen`, its `epd` or its value under this key.
fn fen_of<'a>(object: &BTreeMap<Cow<'_, str>, &'a RawValue>, key: &str) -> Option<Cow<'a, str>> {
    let named = object.iter().rev().filter(|(name, _)| is_fen_name(name)).map(|(_, value)| value);
    let mut values = named.chain(object.get(key));
    values.find_map(|value| serde_json::from_str::<Text<'a>>(value.get()).ok()).map(|text| text.0)
}

#[derive(serde::Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The keys of an object, for messages.
fn keys(text: &[u8]) -> String {
    let keys: Vec<String> = json_keys(text).take(9).collect();
    format!("keys are {}", names(&keys))
}

/// A stream that fails in a row that is too long.
pub(crate) struct Limited {
    stream: Box<dyn Read + Send>,
    /// The number of bytes that may still be read for the current row.
    left: u64,
    lines: LineStarts,
}

impl Read for Limited {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            let message = format!("a row is longer than {MAX_ROW} bytes; is a quote missing?");
            return Err(io::Error::new(ErrorKind::InvalidData, message));
        }
        let count = (&mut self.stream).take(self.left).read(buffer)?;
        self.left -= count as u64;
        self.lines.see(&buffer[..count]);
        Ok(count)
    }
}

/// Where the lines of a table start that are not blank. The reader of tables counts line feeds, and
/// takes what ends a row, or a blank line, for the start of the next row.
struct LineStarts {
    /// Offsets in the table, and the numbers of the lines that start there.
    starts: VecDeque<(u64, u64)>,
    offset: u64,
    /// The number of the line at this offset.
    line: u64,
    /// The byte before this offset, or a line end.
    last: u8,
}

impl Default for LineStarts {
    fn default() -> LineStarts {
        LineStarts { starts: VecDeque::new(), offset: 0, line: 1, last: b'\n' }
    }
}

impl LineStarts {
    /// Goes on over these bytes.
    fn see(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match (self.last, byte) {
                (b'\r', b'\n') => {}
                (_, b'\n' | b'\r') => self.line += 1,
                (b'\n' | b'\r', _) => self.starts.push_back((self.offset, self.line)),
                _ => {}
            }
            self.offset += 1;
            self.last = byte;
        }
    }

    /// The number of the first line that starts at this offset or later, which never decreases.
    fn first_from(&mut self, offset: u64) -> u64 {
        while let Some(&(start, line)) = self.starts.front() {
            if start >= offset {
                return line;
            }
            self.starts.pop_front();
        }
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_fens_end_a_chunk() {
        let row = format!("{{\"fen\":\"{}\"}}\n", "x".repeat(50_000));
        let stream = io::Cursor::new(row.repeat(10));
        let mut reader = RowReader::json_lines("fen".into(), stream);
        let (mut rows, mut counts) = (Rows::default(), Vec::new());
        while reader.next(&mut rows, false).unwrap() {
            counts.push(rows.rows.len());
        }
        assert_eq!(counts, [3, 3, 3, 1]);
    }

    #[test]
    fn rows_have_the_numbers_of_their_lines() {
        for end in ["\n", "\r\n", "\r"] {
            for (text, numbers) in [
                ("id,fen~1,8/8~2,x~", &[2, 3][..]),
                ("\u{feff}# a~~ # b~ id,fen~1,8/8~~~2,x", &[5, 8]),
                ("id,\"fen\"~\"a~b\",8/8~# a~\"c~~d\",\"8/8\"~3,x~", &[2, 5, 8]),
                ("1,8/8/8/8/8/8/8/8~~2,x~~", &[1, 3]),
                ("id;fen~1;8/8~2;x~\x1a", &[2, 3]),
                ("id\tfen~1\t8/8~2\tx~", &[2, 3]),
            ] {
                let text = text.replace('~', end);
                let table = Table::of(text.as_bytes()).unwrap();
                // The line ends also fall between two reads.
                for split in table.skip..=text.len() {
                    let (start, rest) = text.as_bytes().split_at(split);
                    let stream = io::Cursor::new(rest.to_vec());
                    let mut reader = RowReader::table(&table, start, stream);
                    let (mut rows, mut found) = (Rows::default(), vec![]);
                    while reader.next(&mut rows, true).unwrap() {
                        found.extend(rows.rows.iter().map(|(line, _)| *line));
                    }
                    assert_eq!(found, numbers, "{text:?} at {split}");
                }
            }
        }
    }

    /// The limit is that of a row, not of a file.
    #[test]
    fn long_tables_are_read() {
        let long = format!("8/8/8/8/8/8/8/8,{}\n", "x".repeat(1 << 20));
        let rows_of_1_mib = MAX_ROW as usize / (1 << 20) + 4;
        let table = Table::of(long.as_bytes()).unwrap();
        let stream = io::Cursor::new(long.repeat(rows_of_1_mib - 1));
        let mut reader = RowReader::table(&table, long.as_bytes(), stream);
        let (mut rows, mut count) = (Rows::default(), 0);
        while reader.next(&mut rows, false).unwrap() {
            count += rows.rows.len();
        }
        assert_eq!(count, rows_of_1_mib);
    }
}
