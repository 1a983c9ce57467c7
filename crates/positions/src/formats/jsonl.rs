//! JSON lines: objects with a FEN.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Cursor, Read};

use serde_json::Value;
use serde_json::value::RawValue;

use crate::block::Block;
use crate::file_format::{About, Cut, FileFormat, Stream, Unit};
use crate::lines::{MAX_LINE, is_comment, trim_line};
use crate::rows::{CutRows, MAX_ROW, Opened, Row, is_fen, is_fen_name, names, push};
use crate::sample::{Fit, Sample, lines};
use crate::{Batch, rows};

/// A JSON object on each line.
pub(crate) struct JsonLines;

const ABOUT: About = About {
    name: "JSON lines",
    option: "jsonl",
    aliases: &[],
    help: "JSON lines: objects with a value fen, or under the key of the first FEN",
    extensions: &["jsonl", "ndjson"],
    unit: Unit::Line,
    values: &[],
};

impl FileFormat for JsonLines {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    /// The first line is the start of an object, and an object on a line has a FEN.
    fn fit(&self, sample: &Sample<'_>) -> Fit {
        match (sample.fit_of_text(), sample.line) {
            (Some(fit), _) => fit,
            (None, Some(line @ [b'{', ..])) if !is_own(line) && !sample.is_pgn() => {
                match json_key(sample.text()) {
                    Some(_) => Fit::Yes,
                    None if sample.is_last => Fit::No,
                    None => Fit::More,
                }
            }
            (None, None) if !sample.is_last => Fit::More,
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

/// Finds the key.
#[allow(clippy::unnecessary_wraps, reason = "the function of another format may fail")]
fn open(mut stream: Stream<'_>) -> io::Result<Opened<'_>> {
    let is_clear = |sample: &Sample<'_>| sample.is_last || json_key(sample.text()).is_some();
    let start = rows::start(&mut stream, is_clear);
    let key = json_key(&start).unwrap_or_else(|| "fen".into());
    let stream: Stream<'_> = Box::new(Cursor::new(start).chain(stream));
    let row = Box::new(JsonRows { reader: BufReader::new(stream), line: 0, key, text: Vec::new() });
    Ok(Opened { row, note: None, failure: None })
}

/// The rows of JSON lines. The FENs are under `fen` or `epd`, or else under this key.
struct JsonRows<'a> {
    reader: BufReader<Stream<'a>>,
    line: u64,
    key: String,
    /// The memory of a row.
    text: Vec<u8>,
}

impl Row for JsonRows<'_> {
    fn next(&mut self, rows: &mut Block) -> io::Result<bool> {
        let JsonRows { reader, line, key, text } = self;
        text.clear();
        if reader.by_ref().take(MAX_ROW + 1).read_until(b'\n', text)? == 0 {
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
        let text = trim_line(text);
        match serde_json::from_slice::<BTreeMap<Cow<'_, str>, &RawValue>>(text) {
            _ if text.is_empty() || is_comment(text) => {}
            Ok(object) => {
                if let Some(fen) = fen_of(&object, key) {
                    push(rows, *line, fen.as_bytes());
                } else {
                    let (name, keys) = (names(&[&*key]), keys(text));
                    let why = format!("it has no string {name}; its {keys}");
                    rows.rows.push((*line, Err(why)));
                }
            }
            // Its error says that it is not a FEN.
            Err(_) => push(rows, *line, text),
        }
        Ok(true)
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

/// Whether the line was written by `setwise attacks`, with boards.
pub(super) fn is_own(line: &[u8]) -> bool {
    let has = |what: &[u8]| line.windows(what.len()).any(|window| window == what);
    line.starts_with(b"{") && (has(b"\"side\":\"white\"") || has(b"\"white_"))
}

/// The key of the FENs in lines of JSON: `fen` or `epd`, or the key of the first value that is a
/// FEN. `None` if there is none.
fn json_key(text: &[u8]) -> Option<String> {
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

/// How to read JSON that is not an object per line.
pub(super) fn advice(text: &[u8]) -> String {
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
fn json_keys(text: &[u8]) -> impl Iterator<Item = String> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binpack::{Filter, Sieve};
    use crate::file_format::How;

    #[test]
    fn long_fens_end_a_block() {
        let row = format!("{{\"fen\":\"{}\"}}\n", "x".repeat(50_000));
        let mut cut = JsonLines.cut(Box::new(Cursor::new(row.repeat(10))));
        let sieve = Sieve::new(Filter::ALL, 0);
        let mut how = How { waits: false, single: false, sieve, file: 0 };
        let (mut block, mut counts) = (Block::default(), Vec::new());
        while cut.next(&mut block, &mut how).unwrap() {
            counts.push(block.rows.len());
            block.clear();
        }
        assert_eq!(counts, [3, 3, 3, 1]);
    }
}
