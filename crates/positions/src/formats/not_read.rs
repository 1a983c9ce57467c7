//! What is not read, and what to do with it.

use crate::Fen;
use crate::sample::Sample;
#[cfg(feature = "tables")]
use crate::{formats, rows};

/// What to do with PGN, for which there is no maintained reader under a permissive licence.
pub const PGN: &str =
    "PGN is not read; convert it: `pgn-extract -s -Wepd FILE.pgn | setwise attacks`";

#[cfg(feature = "tables")]
const OWN: &str =
    "this looks like the output of `setwise attacks`: evaluate the original file instead";

const PARQUET: &str = "Parquet: docs/recipes.md has programs that read it";
const ARROW: &str = "Arrow IPC: docs/recipes.md has programs that read it";

/// The first bytes of files that are not read, and what they are.
const MAGICS: &[(&[u8], &str)] = &[
    (b"\xfd7zXZ\0", "xz data: decompress it first: `xz -dc FILE`"),
    (b"BZh", "bzip2 data: decompress it first: `bzip2 -dc FILE`"),
    (b"\x04\x22\x4d\x18", "LZ4 data: decompress it first: `lz4 -dc FILE`"),
    (b"\x1f\x9d", "data of compress: decompress it first: `gzip -dc FILE`"),
    (b"PAR1", PARQUET),
    (b"PARE", PARQUET),
    (b"ARROW1\0\0", ARROW),
];

/// What a file is that no format fits, or only as bad lines, if it is known. The message says how
/// to read it.
pub(super) fn advice(sample: &Sample<'_>) -> Option<String> {
    if sample.fit_of_text().is_some() {
        return binary(sample.bytes).map(|what| format!("this is {what}"));
    }
    let what = text(sample)?;
    // The first position of a game, in a tag of PGN, does not count.
    let has_fens = sample.lines().any(|line| line[0] != b'[' && Fen::parse(line).is_ok());
    let advice = if has_fens { " (`--format epd` reads some lines as FEN or EPD)" } else { "" };
    Some(what + advice)
}

/// What a text is.
fn text(sample: &Sample<'_>) -> Option<String> {
    let line = sample.line?;
    if sample.is_pgn() {
        return Some(format!("this looks like PGN: {PGN}"));
    }
    #[cfg(feature = "tables")]
    {
        use formats::{csv, jsonl};
        match line {
            _ if jsonl::is_own(line) => return Some(OWN.into()),
            [b'{', ..] | [b'[', b'{' | b'"' | b'[', ..] | b"[" => {
                return Some(jsonl::advice(sample.text()));
            }
            _ if csv::is_own(line) => return Some(OWN.into()),
            _ => {}
        }
        let columns = csv::without_fens(sample.bytes)?;
        if !sample.lines().any(|line| Fen::parse(line).is_ok()) {
            let columns = rows::names(&columns);
            return Some(format!(
                "this looks like a table, but no column has FENs; its columns are {columns}"
            ));
        }
    }
    let _ = line;
    None
}

/// What other bytes are.
fn binary(start: &[u8]) -> Option<&'static str> {
    if let Some(&(_, what)) = MAGICS.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(what);
    }
    match start {
        // The stream format of Arrow: a marker and the length of the schema.
        [0xff, 0xff, 0xff, 0xff, length @ ..] if length.iter().take(4).any(|&byte| byte != 0) => {
            Some(ARROW)
        }
        _ if is_utf_16(start, 0) => {
            Some("UTF-16 without a byte order mark: convert it first: `iconv -f UTF-16BE FILE`")
        }
        _ if is_utf_16(start, 1) => {
            Some("UTF-16 without a byte order mark: convert it first: `iconv -f UTF-16LE FILE`")
        }
        _ if is_polyglot(start) => Some("a Polyglot book, which has hashes instead of positions"),
        _ => None,
    }
}

/// Whether every second byte from `first` on is zero, and no other byte.
fn is_utf_16(start: &[u8], first: usize) -> bool {
    let start = &start[..start.len().min(512) & !1];
    start.len() >= 16 && start.iter().enumerate().all(|(i, &byte)| (i % 2 != first) == (byte != 0))
}

/// Whether these are at least four entries of 16 bytes in the order of their hashes (eight bytes,
/// most significant first), with moves (the next two bytes) that are possible.
fn is_polyglot(start: &[u8]) -> bool {
    let entries = start.as_chunks::<16>().0;
    let hashes = entries.iter().map(|entry| &entry[..8]);
    entries.len() >= 4
        && hashes.is_sorted()
        && entries[0][..8] < entries[entries.len() - 1][..8]
        && entries.iter().all(|entry| entry[8] & 0x80 == 0 && entry[8..10] != [0, 0])
}
