//! Tables on disk.
//!
//! # Format
//!
//! All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `SWENDGM` and a zero byte |
//! | 4 | version of the format, 1 |
//! | 8 | length of the payload |
//! | 8 | length of the compressed payload |
//! | ... | the payload, one Zstandard frame |
//! | 4 | CRC-32 (IEEE) of all bytes before it |
//!
//! The payload is the name of the ending, then a section for each [`Wins`]: white's, black's unless the ending is its
//! own colour-swapped one, and the three-men endings that captures lead to, strongest piece first.
//!
//! | bytes | what |
//! |---|---|
//! | 1 + n | length of a name and the name; of a section the ending with the attacker as white |
//! | 8, 8 | legal positions with the attacker, with the defender to move |
//! | 2, 2 | how many bitmaps of won, of lost positions follow; their order is the number of moves to mate |
//!
//! A bitmap is stored as it is kept in memory: its directory of 4096 words for four men, 64 for three, none for an attacker with
//! a bare king; then the non-empty words, one for each bit of the directory. See [`Bitmap`] and [`Wins`] for what the bits mean.

use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::bitmap::bits;
use crate::wins::Men;
use crate::{Bitmap, Ending, Table, Wins};

const MAGIC: [u8; 8] = *b"SWENDGM\0";
const VERSION: u32 = 1;
const HEADER: usize = 28;
/// More than any table takes: a wrong length must not exhaust the memory.
const LONGEST_PAYLOAD: u64 = 1 << 30;
/// The compression's speed and ratio; a higher level saves little.
const LEVEL: i32 = 3;

/// Why a file is no table, or could not be read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum FileError {
    /// The system refused to read or write.
    Io {
        /// What was to be read or written.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file does not start as a table does.
    Foreign,
    /// A version that this program does not know.
    Version {
        /// The version in the file.
        found: u32,
    },
    /// The file is longer or shorter than it says itself.
    Length {
        /// Bytes in the file.
        found: u64,
        /// Bytes there should be.
        expected: u64,
    },
    /// The checksum does not fit: some byte was changed.
    Checksum,
    /// The checksum fits, but the contents make no sense.
    Content {
        /// What is wrong.
        reason: String,
        /// Where in the payload, in bytes.
        offset: usize,
    },
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Foreign => {
                f.write_str("not a table of this program: it does not start with SWENDGM")
            }
            Self::Version { found } => {
                write!(
                    f,
                    "a table of format version {found}; this program reads version {VERSION}"
                )
            }
            Self::Length { found, expected } if found < expected => {
                write!(
                    f,
                    "the table is cut short: {found} bytes instead of {expected}"
                )
            }
            Self::Length { found, expected } => {
                write!(
                    f,
                    "something follows the table: {found} bytes instead of {expected}"
                )
            }
            Self::Checksum => f.write_str("the table is damaged: its checksum does not fit"),
            Self::Content { reason, offset } => {
                write!(
                    f,
                    "the table makes no sense: {reason} (byte {offset} of the payload)"
                )
            }
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl Table {
    /// Writes the table to a file, by way of a temporary file in the same folder: the file is there as a whole
    /// or not at all.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    ///
    /// ```
    /// use setwise_endgame::{Options, Table, generate};
    /// let folder = tempfile::tempdir().unwrap();
    /// let path = folder.path().join("KRK.swe");
    /// let table = generate(&"KRK".parse().unwrap(), &Options::default());
    /// table.save(&path).unwrap();
    /// assert_eq!(Table::load(&path).unwrap(), table);
    /// ```
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        let write = || -> io::Result<()> {
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            let mut builder = tempfile::Builder::new();
            // As for any other new file, the process's mask decides who may read it.
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
            let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
            file.write_all(&self.to_bytes())?;
            file.as_file().sync_all()?;
            file.persist(path)?;
            Ok(())
        };
        write().map_err(|source| FileError::Io {
            path: path.to_owned(),
            source,
        })
    }

    /// Reads a table from a file.
    ///
    /// # Errors
    ///
    /// If the system refuses, or the file is foreign, cut short or damaged.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        let bytes = std::fs::read(path).map_err(|source| FileError::Io {
            path: path.to_owned(),
            source,
        })?;
        Self::from_bytes(&bytes)
    }

    /// The contents of its file.
    ///
    /// # Panics
    ///
    /// If there is no memory for the compression.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut payload = Vec::new();
        put_name(&mut payload, &self.ending);
        for wins in self.sections() {
            put_wins(&mut payload, wins);
        }
        let compressed = zstd::bulk::compress(&payload, LEVEL).expect("compression in memory");
        let mut bytes = Vec::with_capacity(HEADER + compressed.len() + 4);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((payload.len() as u64).to_le_bytes());
        bytes.extend((compressed.len() as u64).to_le_bytes());
        bytes.extend(compressed);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// Reads the contents of a file.
    ///
    /// # Errors
    ///
    /// If they are foreign, cut short or damaged.
    ///
    /// ```
    /// use setwise_endgame::{FileError, Table};
    /// assert!(matches!(Table::from_bytes(b"PK\x03\x04"), Err(FileError::Foreign)));
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        let known = bytes.len().min(MAGIC.len());
        if known == 0 || bytes[..known] != MAGIC[..known] {
            return Err(FileError::Foreign);
        }
        let length = |expected: u64| FileError::Length {
            found: bytes.len() as u64,
            expected,
        };
        if bytes.len() < HEADER + 4 {
            return Err(length(HEADER as u64 + 4));
        }
        let found = little_endian(&bytes[8..12]) as u32;
        if found != VERSION {
            return Err(FileError::Version { found });
        }
        let expected = little_endian(&bytes[20..28]).saturating_add(HEADER as u64 + 4);
        if expected != bytes.len() as u64 {
            return Err(length(expected));
        }
        let (checked, sum) = bytes.split_at(bytes.len() - 4);
        if crc32fast::hash(checked).to_le_bytes() != sum {
            return Err(FileError::Checksum);
        }
        let content = |reason: String| FileError::Content { reason, offset: 0 };
        let size = little_endian(&bytes[12..20]);
        if size > LONGEST_PAYLOAD {
            return Err(content(format!("a payload of {size} bytes is too long")));
        }
        let mut payload = Vec::new();
        zstd::Decoder::with_buffer(&checked[HEADER..])
            .and_then(|decoder| decoder.take(size + 1).read_to_end(&mut payload))
            .map_err(|error| content(format!("it cannot be decompressed, {error}")))?;
        if payload.len() as u64 != size {
            return Err(content(format!(
                "the payload has not the {size} bytes that the header says"
            )));
        }
        Parser {
            payload: &payload,
            at: 0,
        }
        .table()
    }

    /// What a file stores, in its order.
    fn sections(&self) -> impl Iterator<Item = &Wins> {
        let [white, black] = &self.sides;
        let black = (black.ending != white.ending).then_some(black);
        std::iter::once(white).chain(black).chain(&self.conversions)
    }
}

fn put_name(payload: &mut Vec<u8>, ending: &Ending) {
    let name = ending.to_string();
    payload.push(name.len() as u8);
    payload.extend(name.as_bytes());
}

fn put_wins(payload: &mut Vec<u8>, wins: &Wins) {
    put_name(payload, &wins.ending);
    payload.extend(wins.legal_attacker.to_le_bytes());
    payload.extend(wins.legal_defender.to_le_bytes());
    payload.extend((wins.won.len() as u16).to_le_bytes());
    payload.extend((wins.lost.len() as u16).to_le_bytes());
    for bitmap in wins.won.iter().chain(&wins.lost) {
        for word in bitmap
            .directory()
            .iter()
            .copied()
            .chain(bitmap.stored_words())
        {
            payload.extend(word.to_le_bytes());
        }
    }
}

/// A number of at most eight bytes.
fn little_endian(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Reads a payload from the front, never past its end.
struct Parser<'a> {
    payload: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn table(mut self) -> Result<Table, FileError> {
        let ending = self.name()?;
        let white = self.wins(&ending)?;
        let swapped = ending.swapped();
        let black = if swapped == ending {
            white.clone()
        } else {
            self.wins(&swapped)?
        };
        let conversions = ending
            .conversions()
            .iter()
            .map(|three| self.wins(three))
            .collect::<Result<_, _>>()?;
        if self.at != self.payload.len() {
            return Err(self.error("something follows the last section"));
        }
        for (ours, theirs) in [(&white, &black), (&black, &white)] {
            let count = |depths: &[Bitmap]| depths.iter().map(Bitmap::count).sum::<u64>();
            if ours.legal_attacker != theirs.legal_defender
                || count(&ours.won) + count(&theirs.lost) > ours.legal_attacker
            {
                return Err(
                    self.error("it has other numbers of legal positions than of won and lost ones")
                );
            }
        }
        Ok(Table {
            ending,
            sides: [white, black],
            conversions,
        })
    }

    fn error(&self, reason: impl Into<String>) -> FileError {
        FileError::Content {
            reason: reason.into(),
            offset: self.at,
        }
    }

    fn take(&mut self, count: usize) -> Result<&[u8], FileError> {
        let end = self
            .at
            .checked_add(count)
            .filter(|&end| end <= self.payload.len());
        let Some(end) = end else {
            return Err(self.error(format!("it ends where {count} more bytes should be")));
        };
        let taken = &self.payload[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn name(&mut self) -> Result<Ending, FileError> {
        let length = self.take(1)?[0];
        let at = self.at;
        let name = String::from_utf8_lossy(self.take(length.into())?).into_owned();
        name.parse()
            .map_err(|error: crate::EndingError| FileError::Content {
                reason: error.to_string(),
                offset: at,
            })
    }

    fn number(&mut self, bytes: usize) -> Result<u64, FileError> {
        Ok(little_endian(self.take(bytes)?))
    }

    fn wins(&mut self, expected: &Ending) -> Result<Wins, FileError> {
        let ending = self.name()?;
        if ending != *expected {
            return Err(self.error(format!("the section of {expected} is one of {ending}")));
        }
        let (legal_attacker, legal_defender) = (self.number(8)?, self.number(8)?);
        let (won, lost) = (self.number(2)?, self.number(2)?);
        let blocks = Men::new(&ending).map_or(0, Men::blocks);
        let won = (0..won)
            .map(|_| self.bitmap(blocks))
            .collect::<Result<Vec<_>, _>>()?;
        let lost = (0..lost)
            .map(|_| self.bitmap(blocks))
            .collect::<Result<Vec<_>, _>>()?;
        if won.first().is_some_and(|mates| !mates.is_empty()) {
            return Err(self.error("it has wins in no move"));
        }
        if !won
            .iter()
            .chain(&lost)
            .all(|bitmap| keeps_men_apart(bitmap, blocks))
        {
            return Err(self.error("it has positions with two men on one square"));
        }
        Ok(Wins {
            ending,
            legal_attacker,
            legal_defender,
            won,
            lost,
        })
    }

    fn bitmap(&mut self, blocks: usize) -> Result<Bitmap, FileError> {
        let directory = self.words(blocks)?;
        let count = directory
            .iter()
            .map(|entry| entry.count_ones() as usize)
            .sum();
        let words = self.words(count)?;
        Bitmap::from_parts(&directory, &words)
            .ok_or_else(|| self.error("the directory names an empty word"))
    }

    fn words(&mut self, count: usize) -> Result<Vec<u64>, FileError> {
        let words = self.take(count.saturating_mul(8))?.chunks_exact(8);
        Ok(words.map(little_endian).collect())
    }
}

/// Whether the men of every position stand on different squares.
fn keeps_men_apart(bitmap: &Bitmap, blocks: usize) -> bool {
    let mut words = bitmap.stored_words();
    bitmap
        .directory()
        .iter()
        .enumerate()
        .all(|(block, &entry)| {
            let (first, second) = if blocks == 64 {
                (block, block)
            } else {
                (block / 64, block % 64)
            };
            let pieces = 1u64 << first | 1 << second;
            let apart = entry == 0 || (entry & pieces == 0 && (blocks == 64 || first != second));
            apart
                && bits(entry)
                    .zip(words.by_ref().take(entry.count_ones() as usize))
                    .all(|(king, word)| word & (pieces | 1 << king) == 0)
        })
}
