//! What a file of text holds, by its start.

use clap::ValueEnum;
use setwise_positions::{Fen, trim_line};

use crate::output::Column;

/// What a file of text holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// FEN or EPD, one per line.
    Lines,
    /// CSV or TSV, with a header that names a column of FENs.
    Table,
    /// A JSON object on each line.
    JsonLines,
    /// Another kind of file: the message for the user.
    Other(String),
}

/// What to do with PGN, for which there is no maintained reader under a permissive licence.
pub(crate) const PGN: &str =
    "PGN is not read; convert it: pgn-extract -s -Wepd FILE.pgn | setwise attacks";

impl Kind {
    /// Looks at the start of a text.
    pub(crate) fn of(start: &[u8]) -> Kind {
        let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        let mut lines = text.split(|&byte| matches!(byte, b'\n' | b'\r')).map(<[u8]>::trim_ascii);
        let Some(line) = lines.find(|line| !line.is_empty()) else { return Kind::Lines };
        if line.starts_with(b"#") || Fen::parse(line).is_ok() {
            return Kind::Lines;
        }
        let is_comment = matches!(line, [b';' | b'%', ..] | [b'/', b'/', ..]);
        let has = |what: &[u8]| line.windows(what.len()).any(|window| window == what);
        let is_whole = text.contains(&b'\n');
        let has_fen = |separator: u8| {
            let mut fields = line.split(|&byte| byte == separator);
            is_whole && line.contains(&separator) && fields.any(is_fen)
        };
        let what = match line {
            [b'{', ..] if has(b"\"side\":\"white\"") || has(b"\"white_") => OWN,
            [b'{', rest @ ..]
                if rest.trim_ascii_start().starts_with(b"\"")
                    && NAMES.iter().any(|name| has(format!("\"{name}\"").as_bytes())) =>
            {
                return Kind::JsonLines;
            }
            _ if is_pgn(text) => &format!("this looks like PGN: {PGN}"),
            _ if is_comment => return Kind::Lines,
            [b'{', ..] | [b'[', b'{', ..] | b"[" => {
                "this looks like JSON: write one object per line, with a value `fen` \
                 (jq -c '.[]' FILE)"
            }
            _ if line.split(|&byte| byte == b',').any(is_board_column) => OWN,
            _ => {
                if separator(line).is_some() {
                    return Kind::Table;
                }
                if !has_fen(b',') && !has_fen(b'\t') {
                    return Kind::Lines;
                }
                "this looks like CSV or TSV without a header: its first line must name a column fen"
            }
        };
        Kind::Other(format!("{what} (--format epd reads it as FEN or EPD)"))
    }
}

/// The names of a FEN in JSON lines.
const NAMES: [&str; 6] = ["fen", "FEN", "Fen", "epd", "EPD", "Epd"];

const OWN: &str =
    "this looks like the output of `setwise attacks`: evaluate the original file instead";

/// Whether this is the start of a PGN file: a tag or the first move, after any comments. A comment
/// alone does not suffice, because FENs may follow it.
fn is_pgn(text: &[u8]) -> bool {
    let mut text = text.trim_ascii_start();
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
        [b'[', b'A'..=b'Z', ..] => true,
        [b'1', b'.', next, ..] => next.is_ascii_alphabetic() || b" .\r\n".contains(next),
        _ => false,
    }
}

/// The separator of a header: names of columns, one of which is `fen` or `epd`, ignoring case. A
/// line that starts like a placement is not a header.
pub(crate) fn separator(line: &[u8]) -> Option<u8> {
    let is_header = |separator: &u8| line.split(|byte| byte == separator).any(is_fen_column);
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b",;".contains(byte);
    let first = line.split(is_end).next().unwrap_or_default();
    let is_placement =
        first.contains(&b'/') && first.iter().all(|byte| b"PNBRQKpnbrqk12345678/".contains(byte));
    b",\t;".iter().copied().find(is_header).filter(|_| !is_placement)
}

/// Whether a column of this name holds FENs. The name may be quoted.
pub(crate) fn is_fen_column(name: &[u8]) -> bool {
    let name = unquoted(name);
    name.eq_ignore_ascii_case(b"fen") || name.eq_ignore_ascii_case(b"epd")
}

/// Removes what [`trim_line`] does, and one pair of quotes.
pub(crate) fn unquoted(value: &[u8]) -> &[u8] {
    let value = trim_line(value);
    let inner = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\""));
    inner.unwrap_or(value)
}

fn is_fen(field: &[u8]) -> bool {
    field.contains(&b'/') && Fen::parse(field.trim_ascii()).is_ok()
}

/// Whether this is the name of a column of boards in the output of `setwise attacks`.
fn is_board_column(name: &[u8]) -> bool {
    let name = str::from_utf8(name).unwrap_or_default();
    let prefix = ["white_", "black_"].into_iter().find_map(|prefix| name.strip_prefix(prefix));
    let column = Column::from_str(prefix.unwrap_or(name), false);
    column.is_ok_and(|column| column.board().is_some())
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn a_byte_order_mark_hides_nothing() {
        for (text, kind) in [("fen,score\n", Kind::Table), ("{\"fen\": 1}\n", Kind::JsonLines)] {
            assert_eq!(Kind::of(text.as_bytes()), kind);
            assert_eq!(Kind::of(format!("\u{feff}{text}").as_bytes()), kind);
        }
    }
}
