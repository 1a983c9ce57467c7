//! The formats, and how they are told apart.

use std::fmt;
use std::io::{self, Read};

use crate::game::{self, Game};
use crate::lines::read;
use crate::record::{RECORD, Record};
use crate::{Fen, Lines};

/// A format of files of positions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// FEN or EPD, a position a line: see [`Fen`](crate::Fen).
    #[default]
    Text,
    /// Records of bulletformat: see [`Record`](crate::Record).
    Bullet,
    /// Records of marlinformat: see [`Record`](crate::Record).
    Marlin,
    /// Games of viriformat: see [`Game`](crate::Game).
    Viri,
}

/// What the beginning of a file says of its format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detected {
    /// It can be nothing else.
    One(Format),
    /// It can be each of these, or none.
    Several(Vec<Format>),
    /// It takes more bytes to tell.
    More,
}

impl Format {
    /// All.
    pub const ALL: [Format; 4] = [Format::Text, Format::Bullet, Format::Marlin, Format::Viri];

    /// So many bytes are enough to tell.
    pub const SAMPLE: usize = 64 * 1024;

    /// As messages name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Format::Text => "FEN or EPD",
            Format::Bullet => "bulletformat",
            Format::Marlin => "marlinformat",
            Format::Viri => "viriformat",
        }
    }

    /// Tells the format by the first bytes of a file, or all of them.
    ///
    /// Text has no control characters in its first 512 bytes. Of the others, all records or games in the bytes must be free of errors. Nothing is
    /// guessed: it is one format only if it can be no other. An empty file is text without lines.
    ///
    /// ```
    /// use setwise_positions::{Detected, Format};
    /// assert_eq!(Format::detect(b"8/8/8/8/p7/8/8/R1k5 w - -\n", false), Detected::One(Format::Text));
    /// assert_eq!(Format::detect(b"8/8/", false), Detected::More);
    /// assert_eq!(Format::detect(&[0; 32], true), Detected::Several(vec![]));
    /// ```
    #[must_use]
    pub fn detect(start: &[u8], is_whole: bool) -> Detected {
        let line = Lines::new(start).next().flatten().unwrap_or_default();
        if is_text(start) {
            // A record may begin with a few bytes that are letters by chance. A position as text is none by chance.
            let is_line = line.len() < start.len() && Fen::parse(line).is_ok();
            let may_be_more = start.len() < RECORD && !is_line;
            return if is_whole || !may_be_more {
                Detected::One(Format::Text)
            } else {
                Detected::More
            };
        }
        if !is_whole && start.len() < Format::SAMPLE {
            return Detected::More;
        }
        let fits = |format: &Format| format.fits(start, is_whole);
        let found: Vec<Format> = [Format::Bullet, Format::Marlin, Format::Viri]
            .into_iter()
            .filter(fits)
            .collect();
        match found[..] {
            [format] => Detected::One(format),
            _ => Detected::Several(found),
        }
    }

    /// Tells the format of a stream, as [`detect`](Format::detect) does; also returns what was read of it, which is no more than it takes to tell.
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
    /// Those of the stream.
    pub fn detect_stream(stream: &mut impl Read) -> io::Result<(Detected, Vec<u8>)> {
        let (mut start, mut is_whole) = (Vec::new(), false);
        loop {
            match Format::detect(&start, is_whole) {
                Detected::More => {
                    is_whole = read(stream, &mut start, Format::SAMPLE, false)?;
                }
                detected => return Ok((detected, start)),
            }
        }
    }

    /// Whether the bytes are without errors, but for a last record or game that they do not have to the end.
    fn fits(self, start: &[u8], is_whole: bool) -> bool {
        match self {
            Format::Text => is_text(start),
            Format::Bullet | Format::Marlin => {
                let (records, rest) = start.as_chunks::<RECORD>();
                let mut each = records.iter().map(|record| Record::read(self, record));
                !records.is_empty()
                    && (rest.is_empty() || !is_whole)
                    && each.all(|record| record.is_ok_and(|record| self.is_likely(&record)))
            }
            Format::Viri => {
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
        }
    }

    /// A record of bulletformat that is read as one of marlinformat has such move numbers: its king's square is their high byte.
    fn is_likely(self, record: &Record) -> bool {
        self == Format::Bullet || record.fullmove_number < 1024
    }
}

/// No control characters but white space in the beginning.
fn is_text(start: &[u8]) -> bool {
    let beginning = &start[..start.len().min(512)];
    beginning
        .iter()
        .all(|byte| !byte.is_ascii_control() || (9..=13).contains(byte))
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
