//! The FENs of CSV, TSV and JSON lines: a column or a value `fen`, in upper or lower case.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};

use serde::Deserialize;
use setwise_positions::{Batch, MAX_LINE, trim_line};

use crate::kind::{is_fen_column, separator, unquoted};

/// The maximum number of rows per chunk.
const AT_ONCE: usize = 4096;

/// The number of bytes of FENs that end a chunk.
const TEXT: usize = 128 * 1024;

/// The maximum length of a row, in bytes.
const MAX_ROW: u64 = 16 << 20;

/// The FENs of some rows, one after the other.
#[derive(Default)]
pub(crate) struct Rows {
    text: Vec<u8>,
    /// For each row, its line number, and the offset in `text` at which its FEN ends.
    ends: Vec<(u64, usize)>,
}

impl Rows {
    /// Appends the positions and errors of the rows.
    pub(crate) fn read(&self, batch: &mut Batch) {
        let mut start = 0;
        for &(line, end) in &self.ends {
            batch.read_line(&self.text[start..end], line);
            start = end;
        }
    }

    fn push(&mut self, line: u64, fen: &[u8]) {
        // A longer text is an error at any length.
        self.text.extend_from_slice(&fen[..fen.len().min(MAX_LINE + 1)]);
        self.ends.push((line, self.text.len()));
    }
}

/// A file of rows.
pub(crate) enum RowReader {
    Table { reader: csv::Reader<Limited>, column: usize },
    Json { reader: BufReader<Box<dyn Read + Send>>, line: u64 },
}

impl RowReader {
    /// Reads the header of a table, which starts with these bytes.
    pub(crate) fn table(start: &[u8], stream: Box<dyn Read + Send>) -> Result<RowReader, String> {
        let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
        let header = start.split(|&byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        let separator = separator(header).ok_or("its header names no column fen or epd")?;
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(separator)
            .quoting(separator != b'\t')
            .flexible(true)
            .from_reader(Limited { stream, left: MAX_ROW });
        let names = reader.byte_headers().map_err(|error| error.to_string())?;
        let column = names.iter().position(is_fen_column);
        let column = column.ok_or("its header names no column fen or epd")?;
        Ok(RowReader::Table { reader, column })
    }

    pub(crate) fn json_lines(stream: Box<dyn Read + Send>) -> RowReader {
        RowReader::Json { reader: BufReader::new(stream), line: 0 }
    }

    /// Replaces the rows with the next ones, or with one if `single`. Returns `false` at the end.
    pub(crate) fn next(&mut self, rows: &mut Rows, single: bool) -> Result<bool, String> {
        rows.text.clear();
        rows.ends.clear();
        let most = if single { 1 } else { AT_ONCE };
        while rows.ends.len() < most
            && rows.text.len() < TEXT
            && self.next_row(rows).map_err(|error| error.to_string())?
        {}
        Ok(!rows.ends.is_empty())
    }

    fn next_row(&mut self, rows: &mut Rows) -> io::Result<bool> {
        match self {
            RowReader::Table { reader, column } => {
                reader.get_mut().left = MAX_ROW;
                let mut row = csv::ByteRecord::new();
                let found = reader.read_byte_record(&mut row)?;
                // DOS programs wrote 0x1A at the end.
                if found && !(row.len() == 1 && matches!(row.as_slice(), [0 | 0x1a])) {
                    let line = row.position().map_or(0, csv::Position::line);
                    rows.push(line, unquoted(row.get(*column).unwrap_or_default()));
                }
                Ok(found)
            }
            RowReader::Json { reader, line } => {
                let mut text = Vec::new();
                if reader.by_ref().take(MAX_ROW + 1).read_until(b'\n', &mut text)? == 0 {
                    return Ok(false);
                }
                *line += 1;
                if text.len() as u64 > MAX_ROW && !text.ends_with(b"\n") {
                    reader.skip_until(b'\n')?;
                    rows.push(*line, &text);
                    return Ok(true);
                }
                let text = trim_line(&text);
                match serde_json::from_slice::<Object>(text) {
                    _ if text.is_empty() => {}
                    Ok(object) => {
                        let fen = object.fen.or(object.epd).unwrap_or_default();
                        rows.push(*line, fen.as_bytes());
                    }
                    // Its error says that it is not a FEN.
                    Err(_) => rows.push(*line, text),
                }
                Ok(true)
            }
        }
    }
}

#[derive(Deserialize)]
struct Object<'a> {
    #[serde(borrow, alias = "FEN", alias = "Fen")]
    fen: Option<Cow<'a, str>>,
    #[serde(borrow, alias = "EPD", alias = "Epd")]
    epd: Option<Cow<'a, str>>,
}

/// A stream that fails in a row that is too long.
pub(crate) struct Limited {
    stream: Box<dyn Read + Send>,
    /// The number of bytes that may still be read for the current row.
    left: u64,
}

impl Read for Limited {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            let message = format!("a row is longer than {MAX_ROW} bytes");
            return Err(io::Error::new(ErrorKind::InvalidData, message));
        }
        let count = (&mut self.stream).take(self.left).read(buffer)?;
        self.left -= count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_fens_end_a_chunk() {
        let row = format!("{{\"fen\":\"{}\"}}\n", "x".repeat(50_000));
        let stream = io::Cursor::new(row.repeat(10));
        let (mut reader, mut rows) = (RowReader::json_lines(Box::new(stream)), Rows::default());
        let mut counts = Vec::new();
        while reader.next(&mut rows, false).unwrap() {
            counts.push(rows.ends.len());
        }
        assert_eq!(counts, [3, 3, 3, 1]);
    }
}
