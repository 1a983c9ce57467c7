//! The FENs of CSV, TSV and JSON lines: a column or a value `fen`, in upper or lower case.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read};

use serde::Deserialize;
use setwise_positions::{Batch, MAX_LINE};

use crate::kind::{is_fen_column, separator};

/// Rows per chunk.
const AT_ONCE: usize = 4096;

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
    Table { reader: csv::Reader<Box<dyn Read + Send>>, column: usize },
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
            .from_reader(stream);
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
        while rows.ends.len() < most && self.next_row(rows).map_err(|error| error.to_string())? {}
        Ok(!rows.ends.is_empty())
    }

    fn next_row(&mut self, rows: &mut Rows) -> std::io::Result<bool> {
        match self {
            RowReader::Table { reader, column } => {
                let mut row = csv::ByteRecord::new();
                let found = reader.read_byte_record(&mut row)?;
                if found {
                    let line = row.position().map_or(0, csv::Position::line);
                    rows.push(line, row.get(*column).unwrap_or_default());
                }
                Ok(found)
            }
            RowReader::Json { reader, line } => {
                let mut text = Vec::new();
                if reader.read_until(b'\n', &mut text)? == 0 {
                    return Ok(false);
                }
                *line += 1;
                let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text).trim_ascii();
                match serde_json::from_slice::<Object>(text) {
                    _ if text.is_empty() => {}
                    Ok(object) => rows.push(*line, object.fen.unwrap_or_default().as_bytes()),
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
    #[serde(borrow, alias = "FEN", alias = "Fen", alias = "epd", alias = "EPD")]
    fen: Option<Cow<'a, str>>,
}
