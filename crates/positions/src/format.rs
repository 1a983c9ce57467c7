//! The file formats, and their detection.

use std::fmt;
use std::io::{self, Read};
use std::path::Path;

use crate::binpack::MAGIC;
use crate::blocks::read;
use crate::fen_fields::next_word;
use crate::game::{self, Game};
use crate::lines::{end_of_line, is_skipped, trim_line};
use crate::record::{RECORD, Record};
use crate::{Fen, Lines, Piece, foreign};

/// A file format for positions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// FEN or EPD lines: see [`Fen`].
    #[default]
    Text,
    /// Bulletformat records: see [`Record`].
    Bullet,
    /// Marlinformat records: see [`Record`].
    Marlin,
    /// Viriformat games: see [`Game`].
    Viri,
    /// Binpack: see [`binpack`](crate::binpack).
    Binpack,
    /// The text form of Stockfish's training data: lines `fen`, `move`, `score`, `ply`, `result`
    /// and `e` for each position.
    Plain,
}

/// Which formats fit the start of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detected {
    /// The only format that fits.
    One(Format),
    /// Several formats fit, or none if the list is empty.
    Several(Vec<Format>),
    /// More bytes are needed.
    More,
}

impl Detected {
    /// The format of the file. If several formats fit, its extension must name one of them.
    ///
    /// ```
    /// use setwise_positions::{Detected, Format};
    /// let detected = Detected::Several(vec![Format::Bullet, Format::Marlin]);
    /// assert_eq!(detected.of_file("a.bf.zst".as_ref()), Some(Format::Bullet));
    /// assert_eq!(detected.of_file("a.vf".as_ref()), None);
    /// ```
    #[must_use]
    pub fn of_file(&self, path: &Path) -> Option<Format> {
        let formats = match self {
            Detected::One(format) => return Some(*format),
            Detected::Several(formats) => &formats[..],
            Detected::More => &[],
        };
        let named = match extension(path)?.as_str() {
            "bullet" | "bf" | "data" => Format::Bullet,
            "marlin" => Format::Marlin,
            "viri" | "vf" => Format::Viri,
            _ => return None,
        };
        formats.contains(&named).then_some(named)
    }
}

/// The extension of a file name in lower case, ignoring a final `.gz` or `.zst`.
#[must_use]
pub fn extension(path: &Path) -> Option<String> {
    let last = path.extension()?;
    let is_compressed = last.eq_ignore_ascii_case("gz") || last.eq_ignore_ascii_case("zst");
    let path = if is_compressed { Path::new(path.file_stem()?) } else { path };
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

impl Format {
    /// The maximum number of bytes that [`detect`](Format::detect) needs.
    pub const SAMPLE: usize = 64 * 1024;

    /// The format's name in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Format::Text => "FEN or EPD",
            Format::Bullet => "bulletformat",
            Format::Marlin => "marlinformat",
            Format::Viri => "viriformat",
            Format::Binpack => "binpack",
            Format::Plain => "plain training data",
        }
    }

    /// Detects the format from the first bytes of a file, or from the whole file if `is_whole`.
    ///
    /// A file that starts with `BINP` is binpack.
    ///
    /// The bytes fit a binary format if all their records or games are free of errors. They are
    /// text if the first 512 have no control characters except white space, or if at least half of
    /// the lines are FENs. Bytes that fit no binary format may also have NUL and 0x1A at the ends
    /// of lines. Text is plain training data if it starts with `fen` and a placement, and the next
    /// line does not. The result is never a guess: a format is returned only if no other fits. An
    /// empty file is text without lines.
    ///
    /// ```
    /// use setwise_positions::{Detected, Format};
    /// let line = b"8/8/8/8/p7/8/8/R1k5 w - -\n";
    /// assert_eq!(Format::detect(line, false), Detected::One(Format::Text));
    /// assert_eq!(Format::detect(b"8/8/", false), Detected::More);
    /// assert_eq!(Format::detect(&[0; 32], true), Detected::Several(vec![]));
    /// ```
    #[must_use]
    pub fn detect(start: &[u8], is_whole: bool) -> Detected {
        if start.starts_with(MAGIC) {
            return Detected::One(Format::Binpack);
        }
        // The first bytes of a record never look like a FEN.
        let line = Lines::new(start).next().flatten().unwrap_or_default();
        if line.len() < start.len() && Fen::parse(line).is_ok() {
            return kind_of_text(start, is_whole);
        }
        if is_text(start) {
            // Every record has a result, which is a control character.
            return match kind_of_text(start, is_whole) {
                Detected::One(Format::Text) if !is_whole && start.len() < RECORD => Detected::More,
                kind => kind,
            };
        }
        if !is_whole && start.len() < Format::SAMPLE {
            return Detected::More;
        }
        match Format::detect_binary(start, is_whole) {
            Detected::Several(formats) if formats.is_empty() && has_text_lines(start) => {
                kind_of_text(start, is_whole)
            }
            // A tar archive starts with a name, but most of its lines may be FENs.
            Detected::Several(formats)
                if formats.is_empty() && foreign(start).is_none() && is_mostly_fens(start) =>
            {
                Detected::One(Format::Text)
            }
            detected => detected,
        }
    }

    fn detect_binary(start: &[u8], is_whole: bool) -> Detected {
        let mut found = vec![Format::Bullet, Format::Marlin, Format::Viri];
        found.retain(|format| match format {
            Format::Viri => are_games(start, is_whole),
            format => are_records(*format, start, is_whole),
        });
        match found[..] {
            [format] => Detected::One(format),
            _ => Detected::Several(found),
        }
    }

    /// Detects the format of a stream. Also returns the bytes that were read from the stream for
    /// the detection.
    ///
    /// If the stream fails after bytes that fit exactly one format, that format is returned and the
    /// error is dropped. The next read of the stream must return the error again.
    ///
    /// ```
    /// use setwise_positions::{Detected, Format};
    /// let mut stream = &b"8/8/8/8/p7/8/8/R1k5 w - -\n"[..];
    /// let (detected, start) = Format::detect_stream(&mut stream)?;
    /// assert_eq!((detected, start.len() + stream.len()), (Detected::One(Format::Text), 26));
    /// # std::io::Result::Ok(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the stream fails before its format is clear.
    pub fn detect_stream(stream: &mut impl Read) -> io::Result<(Detected, Vec<u8>)> {
        let (mut start, mut is_whole) = (Vec::new(), false);
        loop {
            match Format::detect(&start, is_whole) {
                Detected::More => match read(stream, &mut start, Format::SAMPLE, false) {
                    Ok(has_ended) => is_whole = has_ended,
                    Err(error) => {
                        let is_text = is_text(&start) && !start.is_empty();
                        let detected = match Format::detect_binary(&start, false) {
                            _ if is_text => kind_of_text(&start, true),
                            Detected::One(format) => Detected::One(format),
                            _ => return Err(error),
                        };
                        return Ok((detected, start));
                    }
                },
                detected => return Ok((detected, start)),
            }
        }
    }
}

/// Whether the bytes are records of this format without errors. Unless `is_whole`, the last one may
/// be incomplete.
fn are_records(format: Format, start: &[u8], is_whole: bool) -> bool {
    let (records, rest) = start.as_chunks::<RECORD>();
    let mut each = records.iter().map(|record| Record::read(format, record));
    !records.is_empty()
        && (rest.is_empty() || !is_whole)
        && each.all(|record| record.is_ok_and(|record| is_likely(&record)))
}

/// Whether the bytes are games without errors. Unless `is_whole`, the last one may be incomplete.
fn are_games(start: &[u8], is_whole: bool) -> bool {
    let (mut left, mut games) = (start, 0);
    while let Some((length, moves)) = game::length(left) {
        if moves.is_some() {
            if Game::new(&left[..length]).any(|position| position.is_err()) {
                return false;
            }
            games += 1;
        }
        left = &left[length..];
    }
    games > 0 && (left.is_empty() || !is_whole)
}

/// Whether a record has a plausible move number and en passant square. If a bulletformat record
/// is read as marlinformat, a king's square becomes the high byte of the move number. The
/// number is then at least 1024, unless the king is on a1, b1, c1 or d1.
fn is_likely(record: &Record) -> bool {
    let pawns = record.placement().pieces(record.side().other(), Piece::Pawn);
    // The pawn has passed the square, which is now behind it.
    let has_pawn = |square: u32| pawns >> (square ^ 8) & 1 == 1;
    record.fullmove_number < 1024 && record.en_passant.is_none_or(has_pawn)
}

/// Whether the first 512 bytes have no control characters except white space.
fn is_text(start: &[u8]) -> bool {
    start[..start.len().min(512)]
        .iter()
        .all(|byte| !byte.is_ascii_control() || (9..=13).contains(byte))
}

/// Whether the lines that start in the first 512 bytes are UTF-8 without control characters, except
/// white space, and NUL and 0x1A at their ends. At least one line is not blank.
fn has_text_lines(start: &[u8]) -> bool {
    let last = start.len().min(511);
    let lines = Lines::new(&start[..last + end_of_line(&start[last..])]).flatten();
    let mut lines = lines.map(trim_line).filter(|line| !line.is_empty()).peekable();
    lines.peek().is_some() && lines.all(|line| is_text(line) && str::from_utf8(line).is_ok())
}

/// The kind of a text: plain training data, or lines of another kind. In plain training data, `fen`
/// and a placement are followed by a line of another key.
fn kind_of_text(start: &[u8], is_whole: bool) -> Detected {
    let mut lines = Lines::new(start).flatten().map(trim_line).filter(|line| !line.is_empty());
    let Some(fen) = lines.next().and_then(|line| line.strip_prefix(b"fen ")) else {
        return Detected::One(Format::Text);
    };
    let (from, to) = next_word(fen, 0);
    match lines.next().unwrap_or_default() {
        _ if !fen[from..to].contains(&b'/') => Detected::One(Format::Text),
        second if second.starts_with(b"fen ") => Detected::One(Format::Text),
        // The second line may go on.
        [] | [_] | [_, _] | [_, _, _] if !is_whole && start.len() < Format::SAMPLE => {
            Detected::More
        }
        _ => Detected::One(Format::Plain),
    }
}

/// Whether at least half of the lines are FENs. A line may be bad because of a control character,
/// but that does not make the file binary.
fn is_mostly_fens(start: &[u8]) -> bool {
    let lines = Lines::new(start).flatten().map(trim_line).filter(|line| !is_skipped(line));
    let (fens, others): (Vec<_>, Vec<_>) = lines.partition(|line| Fen::parse(line).is_ok());
    !fens.is_empty() && fens.len() >= others.len()
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
