//! What a file of text holds, by its start.

use clap::ValueEnum;
use serde_json::Value;
use setwise_positions::{Fen, trim_line};

use crate::output::Column;
use crate::print;
use crate::table::{Table, is_comment, is_fen};

/// What a file of text holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// FEN or EPD, one per line.
    Lines,
    /// CSV or TSV with a column of FENs.
    Table(Table),
    /// A JSON object on each line. FENs are under this key, or under `fen` or `epd`.
    JsonLines(String),
    /// Another kind of file: the message for the user.
    Other(String),
}

/// What to do with PGN, for which there is no maintained reader under a permissive licence.
pub(crate) const PGN: &str =
    "PGN is not read; convert it: `pgn-extract -s -Wepd FILE.pgn | setwise attacks`";

const OWN: &str =
    "this looks like the output of `setwise attacks`: evaluate the original file instead";

impl Kind {
    pub(crate) fn of(start: &[u8]) -> Kind {
        let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
        let Some(line) = lines(text).find(|line| !is_comment(line)) else { return Kind::Lines };
        if !is_pgn(text) && Fen::parse(line).is_ok() {
            return Kind::Lines;
        }
        let has = |what: &[u8]| line.windows(what.len()).any(|window| window == what);
        let what = match line {
            _ if is_pgn(text) => format!("this looks like PGN: {PGN}"),
            [b'{', ..] if has(b"\"side\":\"white\"") || has(b"\"white_") => OWN.into(),
            [b'{', ..] => match json_key(text) {
                Some(key) => return Kind::JsonLines(key),
                None => json_advice(text),
            },
            [b'[', b'{' | b'"' | b'[', ..] | b"[" => json_advice(text),
            _ if line.split(|&byte| byte == b',').any(is_board_column) => OWN.into(),
            _ => match (Table::find(start), Table::without_fens(start)) {
                (Some(table), _) => return Kind::Table(table),
                (None, Some(columns)) if !lines(text).any(|line| Fen::parse(line).is_ok()) => {
                    let columns = names(&columns);
                    format!(
                        "this looks like a table, but no column has FENs; its columns are {columns}"
                    )
                }
                _ => return Kind::Lines,
            },
        };
        // The first position of a game, in a tag of PGN, does not count.
        let has_fens = lines(text).any(|line| line[0] != b'[' && Fen::parse(line).is_ok());
        let advice = if has_fens { " (`--format epd` reads some lines as FEN or EPD)" } else { "" };
        Kind::Other(what + advice)
    }
}

/// Whether [`Kind::of`] needs no more of a text: its first line that is not a comment is a FEN, or
/// an object with a FEN, or the lines after it do not matter.
pub(crate) fn is_clear(start: &[u8]) -> bool {
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let end = text.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(0);
    let mut lines = lines(&text[..end]).filter(|line| !is_comment(line));
    match lines.next() {
        Some(line) if Fen::parse(line).is_ok() => true,
        Some([b'{', ..]) => json_key(text).is_some(),
        Some([b'[', b'A'..=b'Z', ..]) => true,
        None | Some([b'[', ..]) => false,
        // The second row may show which column has FENs.
        Some(line) if line.iter().any(|byte| b",\t;".contains(byte)) => lines.next().is_some(),
        Some(_) => true,
    }
}

/// The lines of a text that are not blank.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split(|&byte| matches!(byte, b'\n' | b'\r')).map(trim_line);
    lines.filter(|line| !line.is_empty())
}

/// The key of the FENs in lines of JSON: `fen` or `epd`, or the key of the first value that is a
/// FEN. `None` if there is none.
pub(crate) fn json_key(text: &[u8]) -> Option<String> {
    let is_named = |key: &String| is_fen_name(key);
    lines(text).find_map(|line| match serde_json::from_slice(line) {
        Ok(Value::Object(object)) => {
            let key = object.keys().find(|key| is_named(key)).cloned();
            let mut fields = object.into_iter();
            let is_fen = |value: &Value| value.as_str().is_some_and(|text| is_fen(text.as_bytes()));
            key.or_else(|| fields.find(|(_, value)| is_fen(value)).map(|(key, _)| key))
        }
        // Of an object that is longer than `text`, only the first keys are known.
        Err(error) if error.is_eof() && line.len() > 1 => json_keys(line).find(is_named),
        _ => None,
    })
}

/// Whether this is `fen` or `epd`, in upper or lower case.
pub(crate) fn is_fen_name(name: &str) -> bool {
    name.eq_ignore_ascii_case("fen") || name.eq_ignore_ascii_case("epd")
}

/// How to read JSON that is not an object per line.
fn json_advice(text: &[u8]) -> String {
    let (mut keys, mut key) = (Vec::new(), None);
    for (string, is_key, _) in json_strings(text) {
        if is_key {
            if !keys.contains(&string) {
                keys.push(string.clone());
            }
            key = Some(string);
        } else if is_fen(string.as_bytes()) {
            let is_plain =
                |key: &&String| key.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
            let select = match key.as_ref().filter(is_plain) {
                Some(key) => format!("objects | .\"{key}\" // empty"),
                None => "strings".into(),
            };
            return format!(
                "this looks like JSON; write its FENs as lines: \
                 `jq -r '.. | {select}' FILE | setwise attacks`"
            );
        } else {
            key = None;
        }
    }
    let looks = "this looks like JSON, but none of its first values is a FEN";
    if keys.is_empty() { looks.into() } else { format!("{looks}; its keys are {}", names(&keys)) }
}

/// The keys of the object with which a JSON text starts, without those of objects in it.
pub(crate) fn json_keys(text: &[u8]) -> impl Iterator<Item = String> {
    let is_outer = |(string, is_key, depth)| (is_key && depth == 1).then_some(string);
    json_strings(text).filter_map(is_outer)
}

/// The strings of a JSON text, whether each is a key, and the number of objects and lists around
/// it.
fn json_strings(text: &[u8]) -> impl Iterator<Item = (String, bool, u32)> {
    let (mut rest, mut depth) = (text, 0_u32);
    std::iter::from_fn(move || {
        let start = rest.iter().position(|&byte| byte == b'"')?;
        for byte in &rest[..start] {
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        let mut is_escaped = false;
        let length = rest[start + 1..].iter().position(|&byte| {
            let ends = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            ends
        })?;
        let (string, after) = rest[start..].split_at(length + 2);
        rest = after;
        let is_key = after.trim_ascii_start().starts_with(b":");
        Some((serde_json::from_slice(string).unwrap_or_default(), is_key, depth))
    })
}

/// Lists names for messages: quoted, at most eight.
pub(crate) fn names<T: AsRef<str>>(names: &[T]) -> String {
    const MOST: usize = 8;
    let quote = |name: &T| format!("`{}`", print::escape(name.as_ref()));
    let mut list: Vec<String> = names.iter().take(MOST).map(quote).collect();
    if names.len() > MOST {
        list.push("and others".into());
    }
    list.join(", ")
}

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
        // A tag has a value in quotes. Logs of servers start with a date in brackets.
        [b'[', b'A'..=b'Z', rest @ ..] => {
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            let name = rest.iter().take_while(|byte| is_name(byte)).count();
            rest[name..].trim_ascii_start().starts_with(b"\"")
        }
        [b'1', b'.', next, ..] => next.is_ascii_alphabetic() || b" .\r\n".contains(next),
        _ => false,
    }
}

/// Whether this is the name of a column of boards in the output of `setwise attacks`.
fn is_board_column(name: &[u8]) -> bool {
    let name = str::from_utf8(name).unwrap_or_default();
    let prefix = ["white_", "black_"].into_iter().find_map(|prefix| name.strip_prefix(prefix));
    let column = Column::from_str(prefix.unwrap_or(name), false);
    column.is_ok_and(Column::has_boards)
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn a_byte_order_mark_hides_nothing() {
        for mark in ["", "\u{feff}"] {
            let kind = |text: &str| Kind::of(format!("{mark}{text}").as_bytes());
            assert!(matches!(kind("fen,score\n"), Kind::Table(_)));
            assert!(matches!(kind("1. e4\n"), Kind::Other(_)));
            assert_eq!(kind("8/8/8/8/8/8/8/8\n"), Kind::Lines);
            assert_eq!(kind("{\"fen\": 1}\n"), Kind::JsonLines("fen".into()));
        }
    }

    #[test]
    fn logs_of_servers_are_not_pgn() {
        let is_pgn = |text: &str| matches!(Kind::of(text.as_bytes()), Kind::Other(what) if what.contains("PGN"));
        for text in ["[Event \"a\"]\n", "[White_Elo\t\"1\"]\n", "; a\n[Event  \"?\"]\n1. e4\n"] {
            assert!(is_pgn(text), "{text}");
        }
        for text in [
            "[Wed Oct 11 14:32:52 2023] [error] [client ::1] File does not exist\n",
            "[INFO] ready\n",
            "[Nov 28 10:00:00] \"GET /\" 200\n",
            "127.0.0.1 - - [10/Oct/2023:13:55:36 -0700] \"GET / HTTP/1.0\" 200 2326\n",
        ] {
            assert!(!is_pgn(text), "{text}");
        }
    }

    #[test]
    fn a_table_without_fens_names_its_columns() {
        for (text, columns) in [
            ("a,b\n1,2\n", Some("`a`, `b`")),
            ("# x\n\"White name\";Elo;Result\nA;1;2\n", Some("`White name`, `Elo`, `Result`")),
            ("a\tb\n1\t2\n", Some("`a`, `b`")),
            // Lines: bad ones are reported one by one.
            ("a\n1\n", None),
            ("a,b\n1\n", None),
            ("a,b\n", None),
            ("a,b\n1,2\n8/8/8/8/8/8/8/8\n", None),
            ("8/8 w,1\n8/8 w,2\n", None),
        ] {
            let expected = columns.map_or(Kind::Lines, |columns| {
                let what = "this looks like a table, but no column has FENs; its columns are ";
                Kind::Other(format!("{what}{columns}"))
            });
            assert_eq!(Kind::of(text.as_bytes()), expected, "{text}");
        }
    }
}
