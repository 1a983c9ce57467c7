//! Where a table in CSV or TSV has its FENs.

use heck::ToSnakeCase as _;
use setwise_positions::{Fen, trim_line};

/// The layout of a table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) separator: u8,
    /// The column of the FENs, from 0.
    pub(crate) column: usize,
    /// The column's name, if the table has a header.
    pub(crate) name: Option<String>,
    /// The length of what is before the first row: a byte order mark, comments and blank lines.
    pub(crate) skip: usize,
}

const SEPARATORS: [u8; 3] = *b",\t;";

impl Table {
    /// Looks for the column of FENs at the start of a text. `None` if there is none, or if the
    /// first line starts like a FEN with an error.
    pub(crate) fn find(text: &[u8]) -> Option<Table> {
        if starts_with_placement(text) { None } else { Table::of(text).ok() }
    }

    /// The names of the columns of a table without FENs: its first two rows have the same number of
    /// columns, at least two. `None` if it does not look like a table.
    pub(crate) fn without_fens(text: &[u8]) -> Option<Vec<String>> {
        if starts_with_placement(text) {
            return None;
        }
        let rows = SEPARATORS.map(|separator| first_rows(&text[before_rows(text)..], separator));
        let is_table =
            |[first, second]: &[csv::ByteRecord; 2]| first.len() > 1 && first.len() == second.len();
        let [header, _] = rows.into_iter().filter(is_table).max_by_key(|[first, _]| first.len())?;
        Some(header.iter().map(text_of).collect())
    }

    /// Finds the column of FENs. The first row has a FEN, or the names of the columns: one of them
    /// is `fen` or `epd`, or the second row has a FEN, or one is like `fen_before` or `position`.
    /// Otherwise, returns the names.
    pub(crate) fn of(text: &[u8]) -> Result<Table, Vec<String>> {
        let skip = before_rows(text);
        let rows = SEPARATORS.map(|separator| (separator, first_rows(&text[skip..], separator)));
        let table = |separator, column, header: Option<&csv::ByteRecord>| {
            let name = header.map(|names| text_of(&names[column]));
            Table { separator, column, name, skip }
        };
        let find = |is: &dyn Fn(&csv::ByteRecord, &csv::ByteRecord) -> Option<usize>| {
            rows.iter().find_map(|(separator, [first, second])| {
                is(first, second).map(|column| (*separator, column, first))
            })
        };
        if let Some((separator, column, _)) = find(&|first, _| first.iter().position(is_fen)) {
            return Ok(table(separator, column, None));
        }
        let is_called = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            move |name: &[u8]| {
                let name = unquoted(name).to_ascii_lowercase();
                names.iter().any(|known| known.as_bytes() == name)
            }
        };
        let found = find(&|first, _| first.iter().position(is_called(&["fen", "epd"])))
            .or_else(|| {
                find(&|first, second| {
                    let column = second.iter().position(is_fen)?;
                    (first.len() > 1 && column < first.len()).then_some(column)
                })
            })
            .or_else(|| find(&|first, _| first.iter().position(is_like_fen)));
        let found = found.map(|(separator, column, header)| table(separator, column, Some(header)));
        found.ok_or_else(|| {
            let header = rows.iter().map(|(_, [first, _])| first).max_by_key(|row| row.len());
            header.into_iter().flatten().map(text_of).collect()
        })
    }
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
    let mut rest = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start();
    while is_comment(rest) {
        rest = rest[first_line(rest).len()..].trim_ascii_start();
    }
    text.len() - rest.len()
}

fn first_line(text: &[u8]) -> &[u8] {
    text.split(|&byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default()
}

/// A reader of tables with this separator.
pub(crate) fn reader<R: std::io::Read>(separator: u8, stream: R) -> csv::Reader<R> {
    csv::ReaderBuilder::new()
        .delimiter(separator)
        .quoting(separator != b'\t')
        .flexible(true)
        .has_headers(false)
        .from_reader(stream)
}

/// The first two rows, empty if there are fewer.
fn first_rows(text: &[u8], separator: u8) -> [csv::ByteRecord; 2] {
    let mut rows = reader(separator, text).into_byte_records();
    [(); 2].map(|()| rows.next().and_then(Result::ok).unwrap_or_default())
}

fn text_of(name: &[u8]) -> String {
    String::from_utf8_lossy(unquoted(name)).into_owned()
}

/// Whether a line, without white space around it, is a comment.
pub(crate) fn is_comment(line: &[u8]) -> bool {
    matches!(line, [b'#' | b';' | b'%', ..] | [b'/', b'/', ..])
}

/// Removes what [`trim_line`] does, and one pair of quotes.
pub(crate) fn unquoted(value: &[u8]) -> &[u8] {
    let value = trim_line(value);
    let inner = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\""));
    inner.unwrap_or(value)
}

/// Whether a value is a FEN and nothing else.
pub(crate) fn is_fen(value: &[u8]) -> bool {
    let value = unquoted(value);
    let Ok(fen) = Fen::parse(value) else { return false };
    let words = value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let last = fen.fields().last().unwrap_or_default();
    words.count() == fen.fields().len() && value.ends_with(last.as_bytes())
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
