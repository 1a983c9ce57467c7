//! Tables in CSV, TSV, Markdown or as databases print them, with a column of FENs.

use std::collections::VecDeque;
use std::io::{self, Cursor, ErrorKind, Read};

use heck::ToSnakeCase as _;

use crate::block::Block;
use crate::file_format::{About, Cut, FileFormat, Stream, Unit};
use crate::lines::{is_comment, is_rule, trim_line};
use crate::rows::{CutRows, MAX_ROW, Opened, Row, is_fen, is_fen_name, names, push, unquoted};
use crate::sample::{Fit, SEPARATORS, Sample};
use crate::{Batch, rows};

/// Tables separated by commas, tabs, semicolons or vertical bars.
pub(crate) struct Csv;

const ABOUT: About = About {
    name: "CSV or TSV",
    option: "csv",
    aliases: &["tsv"],
    help: "CSV or TSV with a column of FENs: one named fen, or that of the first FEN",
    extensions: &["csv", "tsv"],
    unit: Unit::Line,
    values: &[],
};

impl FileFormat for Csv {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    /// The first row has a FEN, or the names of the columns: see [`Table::of`].
    fn fit(&self, sample: &Sample<'_>) -> Fit {
        match (sample.fit_of_text(), sample.line) {
            (Some(fit), _) => fit,
            (None, Some([b'{', ..] | [b'[', b'{' | b'"' | b'[', ..] | b"[")) => Fit::No,
            (None, _) if sample.is_fen || sample.is_pgn() => Fit::No,
            (None, Some(_)) if !sample.is_clear() => Fit::More,
            (None, Some(line)) if !is_own(line) && Table::find(sample.bytes).is_some() => Fit::Yes,
            _ => Fit::No,
        }
    }

    fn cut<'a>(&'static self, stream: Stream<'a>) -> Box<dyn Cut + 'a> {
        Box::new(CutRows::new(stream, open))
    }

    fn read(&self, block: &Block, batch: &mut Batch) {
        rows::read(block, batch);
    }
}

/// Finds the column, and reads the header.
fn open(mut stream: Stream<'_>) -> io::Result<Opened<'_>> {
    let start = rows::start(&mut stream, is_clear);
    let table = Table::of(&start).map_err(|columns| {
        let what = format!("no column has FENs; its columns are {}", names(&columns));
        io::Error::new(ErrorKind::InvalidData, what)
    })?;
    let note = match &table.name {
        Some(name) if is_fen_name(name) => None,
        Some(name) => Some(format!(", {}", names(&[name]))),
        None => Some(String::new()),
    };
    let note = note.map(|name| format!("the FENs are in column {}{name}", table.number));
    let (row, failure) = TableRows::new(&table, &start, stream);
    Ok(Opened { row: Box::new(row), note, failure })
}

/// [`Sample::is_clear`], for samples of any lifetime.
fn is_clear(sample: &Sample<'_>) -> bool {
    sample.is_clear()
}

/// Whether the line is the header of a table that `setwise attacks` wrote, with boards.
pub(super) fn is_own(line: &[u8]) -> bool {
    line.split(|&byte| byte == b',').any(|name| {
        let name = str::from_utf8(name).unwrap_or_default();
        let prefix = ["white_", "black_"].into_iter().find_map(|prefix| name.strip_prefix(prefix));
        let name = prefix.unwrap_or(name);
        let kinds = ["slider", "pawn", "knight", "bishop", "rook", "queen", "king"];
        name.strip_suffix("_attacks").is_some_and(|kind| kinds.contains(&kind))
            || ["orthogonal", "diagonal", "occupied", "attacks", "by_lesser"].contains(&name)
    })
}

/// The layout of a table.
#[derive(Debug, PartialEq, Eq)]
struct Table {
    separator: u8,
    /// The column of the FENs, from 0.
    column: usize,
    /// Its number for users, from 1: the bar at the start of a row does not begin a column.
    number: usize,
    /// The column's name, if the table has a header.
    name: Option<String>,
    /// The length of what is before the first row: a byte order mark, comments and blank lines.
    skip: usize,
}

const BAR: u8 = b'|';

impl Table {
    /// Looks for the column of FENs at the start of a text. `None` if there is none, or if the
    /// first line starts like a FEN with an error.
    fn find(text: &[u8]) -> Option<Table> {
        if starts_with_placement(text) { None } else { Table::of(text).ok() }
    }

    /// Finds the column of FENs. The first row has a FEN, or the names of the columns: one of them
    /// is `fen` or `epd`, or the second row has a FEN, or one is like `fen_before` or `position`.
    /// Otherwise, returns the names.
    fn of(text: &[u8]) -> Result<Table, Vec<String>> {
        let skip = before_rows(text);
        let rows = SEPARATORS.map(|separator| (separator, first_rows(&text[skip..], separator)));
        // Tabs separate values, also the empty one at the start of a row.
        let find_in = |row: &csv::ByteRecord, is: &dyn Fn(&[u8]) -> bool| {
            row.iter().position(|value| !value.contains(&b'\t') && is(value))
        };
        let table = |separator, column, first: &csv::ByteRecord, is_header: bool| {
            let name = is_header.then(|| text_of(&first[column]));
            let is_framed = separator == BAR && is_framed(&text[skip..]);
            let number = column + usize::from(!is_framed);
            Table { separator, column, number, name, skip }
        };
        let find = |is: &dyn Fn(&csv::ByteRecord, &csv::ByteRecord) -> Option<usize>| {
            rows.iter().find_map(|(separator, [first, second])| {
                is(first, second).map(|column| (*separator, column, first))
            })
        };
        if let Some((separator, column, first)) = find(&|first, _| find_in(first, &is_fen)) {
            return Ok(table(separator, column, first, false));
        }
        let is_called = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            move |name: &[u8]| {
                let name = unquoted(name).to_ascii_lowercase();
                names.iter().any(|known| known.as_bytes() == name)
            }
        };
        let found = find(&|first, _| find_in(first, &is_called(&["fen", "epd"])))
            .or_else(|| {
                find(&|first, second| {
                    let column = find_in(second, &is_fen)?;
                    (first.len() > 1 && column < first.len()).then_some(column)
                })
            })
            .or_else(|| find(&|first, _| find_in(first, &is_like_fen)));
        let found = found.map(|(separator, column, header)| table(separator, column, header, true));
        found.ok_or_else(|| {
            let header = rows.iter().map(|(_, [first, _])| first).max_by_key(|row| row.len());
            header.into_iter().flat_map(names_of).collect()
        })
    }
}

/// The names of the columns of a table without FENs: its first two rows have the same number of
/// columns, at least two. `None` if it does not look like a table.
pub(super) fn without_fens(text: &[u8]) -> Option<Vec<String>> {
    if starts_with_placement(text) {
        return None;
    }
    let rows = SEPARATORS.map(|separator| first_rows(&text[before_rows(text)..], separator));
    let is_table =
        |[first, second]: &[csv::ByteRecord; 2]| first.len() > 1 && first.len() == second.len();
    let [header, _] = rows.into_iter().filter(is_table).max_by_key(|[first, _]| first.len())?;
    Some(names_of(&header).collect())
}

/// Whether the first line starts like a FEN.
fn starts_with_placement(text: &[u8]) -> bool {
    let line = first_line(&text[before_rows(text)..]);
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b",;".contains(byte);
    let first = line.split(is_end).next().unwrap_or_default();
    first.contains(&b'/') && first.iter().all(|byte| b"PNBRQKpnbrqk12345678/".contains(byte))
}

/// The length of what is before the first row.
fn before_rows(text: &[u8]) -> usize {
    let mut rest = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    // White space at the start of a row stays: a tab there ends an empty value.
    while !rest.is_empty() {
        let line = first_line(rest);
        let row = line.trim_ascii();
        if !row.is_empty() && !is_comment(row) && !is_rule(row) {
            break;
        }
        rest = &rest[line.len()..];
        rest = rest.strip_prefix(b"\r").unwrap_or(rest);
        rest = rest.strip_prefix(b"\n").unwrap_or(rest);
    }
    text.len() - rest.len()
}

fn first_line(text: &[u8]) -> &[u8] {
    text.split(|&byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default()
}

/// Whether the first row starts and ends with a bar, as in Markdown. Then quotes are text.
fn is_framed(text: &[u8]) -> bool {
    matches!(trim_line(first_line(text)), [BAR, .., BAR])
}

/// A reader of tables with this separator, of which this is the start.
fn reader<R: Read>(separator: u8, start: &[u8], stream: R) -> csv::Reader<R> {
    csv::ReaderBuilder::new()
        .delimiter(separator)
        .quoting(separator != b'\t' && !(separator == BAR && is_framed(start)))
        .flexible(true)
        .has_headers(false)
        .from_reader(stream)
}

/// The first two rows, empty if there are fewer.
fn first_rows(text: &[u8], separator: u8) -> [csv::ByteRecord; 2] {
    let rows = reader(separator, text, text).into_byte_records();
    let mut rows = rows.map_while(Result::ok).filter(|row| !is_layout(row, separator));
    [(); 2].map(|()| rows.next().unwrap_or_default())
}

/// Whether a row only rules the table, or is the number of rows that psql prints after it.
fn is_layout(row: &csv::ByteRecord, separator: u8) -> bool {
    if row.len() == 1 && (is_rule(&row[0]) || is_row_count(&row[0])) {
        return true;
    }
    if separator != BAR {
        return false;
    }
    // Markdown needs one dash for each column.
    let is_dashes = |cell: &[u8]| {
        let cell = cell.trim_ascii();
        cell.contains(&b'-') && cell.iter().all(|byte| b"-:".contains(byte))
    };
    // If the row starts and ends with a bar, nothing is before the first and after the last.
    let is_blank = |cell: usize| row[cell].trim_ascii().is_empty();
    let outer = usize::from(row.len() > 2 && is_blank(0) && is_blank(row.len() - 1));
    row.iter().skip(outer).take(row.len() - 2 * outer).all(is_dashes)
}

/// Whether this is `(2 rows)`, which psql prints after a table.
fn is_row_count(cell: &[u8]) -> bool {
    let inner = cell.trim_ascii().strip_prefix(b"(").and_then(|cell| cell.strip_suffix(b")"));
    let number =
        inner.and_then(|cell| cell.strip_suffix(b" rows").or_else(|| cell.strip_suffix(b" row")));
    number.is_some_and(|number| number.iter().all(u8::is_ascii_digit))
}

/// The names of a header's columns that have one.
fn names_of(header: &csv::ByteRecord) -> impl Iterator<Item = String> {
    header.iter().map(text_of).filter(|name| !name.is_empty())
}

fn text_of(name: &[u8]) -> String {
    String::from_utf8_lossy(unquoted(name)).into_owned()
}

/// Whether a name is like `fen_before`, `startFEN` or `position`.
fn is_like_fen(name: &[u8]) -> bool {
    let name = text_of(name);
    let is_name = name.chars().all(|c| c.is_alphanumeric() || "_-. ".contains(c));
    let is_whole = ["position", "positions", "board"].contains(&&*name.to_lowercase());
    // Otherwise, snake case would be `fe_ns`.
    let words = name.replace("FENs", "Fens").to_snake_case();
    is_name && (is_whole || words.split('_').any(|word| ["fen", "fens", "epd"].contains(&word)))
}

/// The rows of a table.
struct TableRows<'a> {
    reader: csv::Reader<Limited<'a>>,
    separator: u8,
    column: usize,
    /// The memory of a row.
    row: csv::ByteRecord,
}

impl<'a> TableRows<'a> {
    /// Reads a table of this layout. The stream goes on after the text. Also returns why the header
    /// cannot be read.
    fn new(table: &Table, text: &[u8], stream: Stream<'a>) -> (TableRows<'a>, Option<io::Error>) {
        let (before, text) = text.split_at(table.skip);
        let mut lines = LineStarts::default();
        lines.see(before);
        let lines = LineStarts { line: lines.line, ..LineStarts::default() };
        let stream: Stream<'a> = Box::new(Cursor::new(text.to_vec()).chain(stream));
        let mut reader = reader(table.separator, text, Limited { stream, left: MAX_ROW, lines });
        let header = table.name.is_some();
        let header = header.then(|| reader.read_byte_record(&mut csv::ByteRecord::new()));
        let failure = header.and_then(Result::err).map(io::Error::from);
        let (separator, column, row) = (table.separator, table.column, csv::ByteRecord::new());
        (TableRows { reader, separator, column, row }, failure)
    }
}

impl Row for TableRows<'_> {
    fn next(&mut self, rows: &mut Block) -> io::Result<bool> {
        let TableRows { reader, separator, column, row } = self;
        reader.get_mut().left = MAX_ROW;
        let start = reader.position().byte();
        let found = reader.read_byte_record(row)?;
        // DOS programs wrote 0x1A at the end. A comment may contain the separator.
        let is_end = row.len() == 1 && matches!(row.as_slice(), [0 | 0x1a]);
        let is_skipped = is_end
            || is_comment(trim_line(row.get(0).unwrap_or_default()))
            || is_layout(row, *separator);
        if found && !is_skipped {
            let line = reader.get_mut().lines.first_from(start);
            push(rows, line, unquoted(row.get(*column).unwrap_or_default()));
        }
        Ok(found)
    }
}

/// A stream that fails in a row that is too long.
struct Limited<'a> {
    stream: Stream<'a>,
    /// The number of bytes that may still be read for the current row.
    left: u64,
    lines: LineStarts,
}

impl Read for Limited<'_> {
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
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match (self.last, byte) {
                (b'\r', b'\n') => {}
                (_, b'\n' | b'\r') => self.line += 1,
                (b'\n' | b'\r', _) => self.starts.push_back((self.offset + at as u64, self.line)),
                _ => {}
            }
            self.last = byte;
            at += 1;
            if !matches!(byte, b'\n' | b'\r') {
                let rest = &bytes[at..];
                at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            }
        }
        self.offset += bytes.len() as u64;
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

    /// Each short text, read in two parts.
    #[test]
    fn lines_start_where_a_slow_count_says() {
        for number in 0..3_usize.pow(7) {
            let text: Vec<u8> = (0..7).map(|at| b"a\n\r"[number / 3_usize.pow(at) % 3]).collect();
            let (mut expected, mut line, mut at) = (Vec::new(), 1, 0);
            while at < text.len() {
                let length = first_line(&text[at..]).len();
                if length > 0 {
                    expected.push((at as u64, line));
                }
                at += length + if text[at + length..].starts_with(b"\r\n") { 2 } else { 1 };
                line += 1;
            }
            for middle in 0..=text.len() {
                let mut lines = LineStarts::default();
                lines.see(&text[..middle]);
                lines.see(&text[middle..]);
                assert!(lines.starts.iter().eq(&expected), "{text:?} {middle}: {:?}", lines.starts);
            }
        }
    }

    #[test]
    fn the_column_is_found_by_value_or_name() {
        const FEN: &str = "8/8/8/8/p7/8/8/R1k5 w - - 0 1";
        for (text, expected) in [
            // These are lines.
            ("FEN,20,400\n", None),
            ("1,FEN,20\n", Some((b',', 1, None, 0))),
            ("1\t\"FEN\"\t20\n", Some((b'\t', 1, None, 0))),
            ("1;FEN;e4\n", Some((b';', 1, None, 0))),
            ("# a\n\n// fen\n1,FEN\n", Some((b',', 1, None, 12))),
            ("\u{feff}; a\r\n1,FEN\n", Some((b',', 1, None, 8))),
            ("fen_after,fen\nFEN,FEN\n", Some((b',', 1, Some("fen"), 0))),
            ("a,\"EPD \"\n1,8/8\n", Some((b',', 1, Some("EPD"), 0))),
            ("position,b\n12,FEN\n", Some((b',', 1, Some("b"), 0))),
            ("ply;fen_before;fen_after\n1;FEN;FEN\n", Some((b';', 1, Some("fen_before"), 0))),
            ("id,startFen\n1,8/8\n", Some((b',', 1, Some("startFen"), 0))),
            ("position\nFEN\n", Some((b',', 0, Some("position"), 0))),
            ("id\tPosition\n", Some((b'\t', 1, Some("Position"), 0))),
            ("a | FEN | 3\n", Some((b'|', 1, None, 0))),
            ("| a | FEN |\n", Some((b'|', 2, None, 0))),
            ("| a | `fen` |\n|-|:-:|\n| b | `FEN` |\n", Some((b'|', 2, Some("fen"), 0))),
            ("| a, b | c |\n|---|---|\n| d, e | FEN |\n", Some((b'|', 2, Some("c"), 0))),
            (" a |  c  \n---+-----\n 1 | FEN\n(1 row)\n", Some((b'|', 1, Some("c"), 0))),
            ("+---+---+\n| c | a |\n+---+---+\n| FEN | 1 |\n", Some((b'|', 1, Some("c"), 10))),
            ("\tfen\n0\tFEN\n", Some((b'\t', 1, Some("fen"), 0))),
            ("\t\n\n\tfen\n0\tFEN\n", Some((b'\t', 1, Some("fen"), 3))),
            ("fen | score\nFEN | 12\n", Some((b'|', 0, Some("fen"), 0))),
            ("\"a\nb\",c\n\"d\ne\",FEN\n", Some((b',', 1, Some("c"), 0))),
            ("a,defend\n1,8/8\n", None),
            ("a,b\n1,2\n", None),
            ("A title\nFEN\n", None),
            ("8/8 w - -,fen\nFEN\n", None),
            ("Which move?,Which fen?\n1,8/8\n", None),
            ("", None),
        ] {
            let found = Table::find(text.replace("FEN", FEN).as_bytes());
            let expected = expected.map(|(separator, column, name, skip)| Table {
                separator,
                column,
                number: column + usize::from(!text.contains("| a") && !text.contains("| c |")),
                name: name.map(str::to_owned),
                skip,
            });
            assert_eq!(found, expected, "{text}");
        }
        for name in ["gameFENs", "FENs", "FENsBefore", "fen.before", "FEN 1", "Fens", "EPD"] {
            assert!(is_like_fen(name.as_bytes()), "{name}");
        }
        assert!(!is_like_fen(b"defends"));
    }

    /// The blocks of a table.
    fn blocks(table: &Table, text: &[u8], stream: Stream<'_>, single: bool) -> Vec<Block> {
        let (mut row, failure) = TableRows::new(table, text, stream);
        assert!(failure.is_none());
        let (mut blocks, most) = (vec![], if single { 1 } else { usize::MAX });
        let mut block = Block::default();
        while row.next(&mut block).unwrap() {
            if block.rows.len() == most {
                blocks.push(std::mem::take(&mut block));
            }
        }
        blocks.push(block);
        blocks
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
                    let blocks = blocks(&table, start, Box::new(rest), true);
                    let found: Vec<u64> = blocks
                        .iter()
                        .flat_map(|block| &block.rows)
                        .map(|(line, _)| *line)
                        .collect();
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
        let stream = Box::new(Cursor::new(long.repeat(rows_of_1_mib - 1)));
        let blocks = blocks(&table, long.as_bytes(), stream, false);
        assert_eq!(blocks[0].rows.len(), rows_of_1_mib);
    }
}
