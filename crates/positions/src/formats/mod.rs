//! The formats of files: each is a file of this folder, and a line of the list below.
//!
//! The command line, the loader, the fuzz target, the tests and the table in `docs/data.md` use the
//! formats of the list. See "To add a format of files" in `CONTRIBUTING.md`.

mod binpack;
mod bullet;
#[cfg(feature = "tables")]
mod csv;
mod epd;
#[cfg(feature = "tables")]
mod jsonl;
mod marlin;
mod not_read;
mod plain;
mod viri;

use std::fmt;
use std::io::{self, Read};
use std::path::Path;

use crate::cut_records::Records;
use crate::error::FenError;
use crate::file_format::{FileFormat, Unit, Units, Value};
use crate::pending::read;
use crate::record::{RECORD, Record};
use crate::sample::{Fit, SAMPLE, Sample};

pub use not_read::PGN;
pub use viri::Game;

/// Makes the type [`Format`] from the list.
macro_rules! formats {
    ($($(#[doc = $doc:literal])* $(#[cfg($condition:meta)])? $name:ident: $format:expr;)*) => {
        /// A file format for positions.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Format {
            $($(#[doc = $doc])* $(#[cfg($condition)])? $name,)*
        }

        impl Format {
            /// All formats.
            pub const ALL: &'static [Format] = &[$($(#[cfg($condition)])? Format::$name),*];

            pub(crate) fn file_format(self) -> &'static dyn FileFormat {
                match self {
                    $($(#[cfg($condition)])? Format::$name => const { &$format },)*
                }
            }
        }
    };
}

formats! {
    /// FEN or EPD lines: see [`Fen`](crate::Fen).
    Text: epd::Epd;
    /// Bulletformat records: see [`Record`].
    Bullet: Records::<bullet::Bullet>::NEW;
    /// Marlinformat records: see [`Record`].
    Marlin: Records::<marlin::Marlin>::NEW;
    /// Viriformat games: see [`Game`].
    Viri: viri::Viri;
    /// Binpack: see [`binpack`](crate::binpack).
    Binpack: binpack::Binpack;
    /// The text form of Stockfish's training data: lines `fen`, `move`, `score`, `ply`, `result`
    /// and `e` for each position.
    Plain: plain::Plain;
    /// A table in CSV or TSV with a column of FENs.
    #[cfg(feature = "tables")]
    Csv: csv::Csv;
    /// A JSON object with a FEN on each line.
    #[cfg(feature = "tables")]
    JsonLines: jsonl::JsonLines;
}

#[allow(clippy::derivable_impls, reason = "the list marks no format as the default")]
impl Default for Format {
    fn default() -> Format {
        Format::Text
    }
}

/// Which formats fit the start of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detected {
    /// The only format that fits, or the one that the file's extension names.
    One(Format),
    /// Several formats fit, or none if the list is empty.
    Several(Vec<Format>),
    /// The file is of a known kind that is not read. The message says how to convert it.
    NotRead(String),
    /// More bytes are needed.
    More,
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
    pub const SAMPLE: usize = SAMPLE;

    /// The format's name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.file_format().about().name
    }

    /// The value of the command line's `--format`.
    #[must_use]
    pub fn option(self) -> &'static str {
        self.file_format().about().option
    }

    /// Other words for the value of `--format`.
    #[must_use]
    pub fn aliases(self) -> &'static [&'static str] {
        self.file_format().about().aliases
    }

    /// One line that says what the format is.
    #[must_use]
    pub fn help(self) -> &'static str {
        self.file_format().about().help
    }

    /// The extensions of file names, in lower case and without the dot.
    #[must_use]
    pub fn extensions(self) -> &'static [&'static str] {
        self.file_format().about().extensions
    }

    /// What the numbers of errors count.
    #[must_use]
    pub fn unit(self) -> Unit {
        self.file_format().about().unit
    }

    /// What the format says of a position, beside the position itself.
    ///
    /// ```
    /// use setwise_positions::{Format, Value};
    /// assert_eq!(Format::Bullet.values(), [Value::Score, Value::Result]);
    /// assert!(Format::Text.values().is_empty());
    /// ```
    #[must_use]
    pub fn values(self) -> &'static [Value] {
        self.file_format().about().values
    }

    /// Whether [`Blocks::sieve`](crate::Blocks::sieve) leaves out entries.
    #[must_use]
    pub fn is_sieved(self) -> bool {
        self.file_format().is_sieved()
    }

    /// The records or games of training data, if a file can be cut between any two of them.
    #[must_use]
    pub fn units(self) -> Option<&'static dyn Units> {
        self.file_format().units()
    }

    /// Detects the format from the first bytes of a file, or from the whole file if `is_whole`.
    ///
    /// A format is returned only if no other fits, never as a guess. A file that starts with `BINP`
    /// is binpack. The bytes fit bulletformat, marlinformat or viriformat if all their records or
    /// games are free of errors, and plausible. Other bytes are text if the first line is a FEN, or
    /// if the first 512 have no control characters except white space; NUL and 0x1A may be at the
    /// ends of lines. Text is plain training data if it starts with `fen` and a placement, and the
    /// next line does not. With the feature `tables`, text may also be a table or JSON lines, and
    /// other JSON is not read. All other text is FEN or EPD, and so is an empty file.
    ///
    /// ```
    /// use setwise_positions::{Detected, Format};
    /// let line = b"8/8/8/8/p7/8/8/R1k5 w - -\n";
    /// assert_eq!(Format::detect(line, false), Detected::One(Format::Text));
    /// assert_eq!(Format::detect(b"8/8/", false), Detected::More);
    /// assert_eq!(Format::detect(&[0; 32], true), Detected::Several(vec![]));
    /// assert!(matches!(Format::detect(b"1. e4 e5", true), Detected::NotRead(_)));
    /// ```
    #[must_use]
    pub fn detect(start: &[u8], is_whole: bool) -> Detected {
        detect(&Sample::new(start, is_whole, false, None))
    }

    /// Detects the format of a file. Also returns the bytes that were read from its stream.
    ///
    /// If the file's extension names a format that fits, it is of that format, even if others fit
    /// or its records are not plausible. A file named `.epd` or `.fen` is text if no other format
    /// fits.
    ///
    /// If the stream fails after bytes that fit exactly one format, that format is returned and the
    /// error is dropped. The next read of the stream must return the error again.
    ///
    /// ```
    /// use setwise_positions::{Detected, Format};
    /// let mut stream = &b"8/8/8/8/p7/8/8/R1k5 w - -\n"[..];
    /// let (detected, start) = Format::detect_file(&mut stream, "a.epd".as_ref())?;
    /// assert_eq!((detected, start.len() + stream.len()), (Detected::One(Format::Text), 26));
    /// # std::io::Result::Ok(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the stream fails before its format is clear.
    pub fn detect_file(mut stream: &mut impl Read, path: &Path) -> io::Result<(Detected, Vec<u8>)> {
        let (mut start, mut is_whole, extension) = (Vec::new(), false, extension(path));
        loop {
            let extension = extension.as_deref();
            match detect(&Sample::new(&start, is_whole, false, extension)) {
                Detected::More => match read(&mut stream, &mut start, SAMPLE, false) {
                    Ok(has_ended) => is_whole = has_ended,
                    Err(error) => match detect(&Sample::new(&start, false, true, extension)) {
                        Detected::One(format) if !start.is_empty() => {
                            return Ok((Detected::One(format), start));
                        }
                        _ => return Err(error),
                    },
                },
                detected => return Ok((detected, start)),
            }
        }
    }
}

fn detect(sample: &Sample<'_>) -> Detected {
    let fits = Format::ALL.iter().map(|format| (*format, format.file_format().fit(sample)));
    let fits: Vec<(Format, Fit)> = fits.collect();
    let of = |fit| fits.iter().filter(move |(_, found)| *found == fit).map(|(format, _)| *format);
    let found: Vec<Format> = of(Fit::Yes).collect();
    let is_named = |format: &&Format| sample.is_named(format.extensions());
    match &found[..] {
        [format] => Detected::One(*format),
        [_, ..] => match found.iter().find(is_named) {
            Some(format) => Detected::One(*format),
            None => Detected::Several(found),
        },
        [] if !sample.is_last && of(Fit::More).next().is_some() => Detected::More,
        [] => match (not_read::advice(sample), of(Fit::Otherwise).next()) {
            (Some(what), _) => Detected::NotRead(what),
            (None, Some(format)) => Detected::One(format),
            (None, None) => Detected::Several(found),
        },
    }
}

impl Record {
    /// Reads a record of 32 bytes, or the start of a viriformat game, which is a marlinformat
    /// record.
    ///
    /// # Errors
    ///
    /// The error names the first invalid field.
    ///
    /// # Panics
    ///
    /// If the format has no records of 32 bytes.
    pub fn read(format: Format, bytes: &[u8; RECORD]) -> Result<Record, FenError> {
        let record = format.file_format().record(bytes);
        record.unwrap_or_else(|| panic!("{format} has no records of 32 bytes"))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
