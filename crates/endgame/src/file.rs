//! Table files.
//!
//! # Format
//!
//! All numbers are little-endian.
//!
//! | bytes | contents |
//! |---|---|
//! | 8 | `SWENDGM` and a zero byte |
//! | 4 | version of the format, 1 |
//! | 8 | length of the payload |
//! | 8 | length of the compressed payload |
//! | ... | the payload, one Zstandard frame |
//! | 4 | CRC-32 (IEEE) of all bytes before it |
//!
//! The payload is the name of the ending, then one section for each [`Wins`]. White's section comes
//! first. Black's follows, unless the ending is the same with the colours swapped. Last come the
//! three-man endings that captures lead to, strongest piece first.
//!
//! | bytes | contents |
//! |---|---|
//! | 1 + n | length of a name, and the name. A section names its ending with the attacker as white |
//! | 8, 8 | numbers of legal positions with the attacker and with the defender to move |
//! | 2, 2 | numbers of bitmaps that follow: first those of won positions, then those of lost positions. Bitmap n has the positions with n moves to mate |
//!
//! A bitmap is stored as its directory, then its non-empty words, one for each bit that is set in
//! the directory. The directory has 4096 words, or 64 with three men, or none if the attacker has a
//! bare king. See [`Bitmap`](crate::Bitmap) and [`Wins`] for the meaning of the bits.

mod reader;

#[cfg(test)]
mod forged;

use std::fs::File;
use std::io::{self, BufReader, Cursor};
use std::path::{Path, PathBuf};

use crate::{Ending, Table, Wins};

const MAGIC: [u8; 8] = *b"SWENDGM\0";
const VERSION: u32 = 1;
const HEADER: usize = 28;
/// Zstandard compression level. Higher levels save little space.
const COMPRESSION_LEVEL: i32 = 3;

/// The reason why a table file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The operating system could not read or write the file.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The file does not start with the signature of a table.
    #[error("not an endgame table: it must start with SWENDGM")]
    Foreign,
    /// The file has a format version that this program does not support.
    #[error("format version {found} is unknown; this program reads version {VERSION}")]
    Version {
        /// The version in the file.
        found: u32,
    },
    /// The file is longer or shorter than its header says.
    #[error("{}: {found} bytes instead of {expected}", wrong_length(*.found, *.expected))]
    Length {
        /// The file's length, in bytes.
        found: u64,
        /// The length according to the header, in bytes.
        expected: u64,
    },
    /// The checksum does not match: the file is damaged.
    #[error("the table is damaged: its checksum does not match")]
    Checksum,
    /// The checksum matches, but the contents are not a valid table.
    #[error("invalid table: {reason} (byte {offset} of the payload)")]
    Content {
        /// What is wrong.
        reason: String,
        /// The offset in the payload, in bytes.
        offset: usize,
    },
}

fn wrong_length(found: u64, expected: u64) -> &'static str {
    if found < expected { "the table is cut short" } else { "data follows the table" }
}

impl Table {
    /// Writes the table to a file.
    ///
    /// An existing file is overwritten, not replaced atomically: an interrupted write leaves a
    /// partial file, which [`load`](Self::load) rejects. If `path` is a device or a FIFO, the table
    /// is written into it. To avoid both, write [`to_bytes`](Self::to_bytes) to a temporary file
    /// and rename it, as `setwise endgame --output` does.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
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
        std::fs::write(path, self.to_bytes()).map_err(|source| io_error(path, source))
    }

    /// Reads a table from a file. Reading takes little more memory than the table itself.
    ///
    /// A loaded table has at most one value for each legal position, no value for any other
    /// position, and correct numbers of legal positions. Only [`verify`](crate::verify) checks the
    /// values themselves.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is not a table, or is cut short or damaged.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        let refused = |source| io_error(path, source);
        let file = File::open(path).map_err(refused)?;
        let length = file.metadata().map_err(refused)?.len();
        reader::read(&mut BufReader::with_capacity(1 << 16, file), length, path)
    }

    /// Returns the contents of the table's file.
    ///
    /// # Panics
    ///
    /// If the compression runs out of memory.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let payload = self.payload();
        let compressed =
            zstd::bulk::compress(&payload, COMPRESSION_LEVEL).expect("compression in memory");
        let mut bytes = Vec::with_capacity(HEADER + compressed.len() + 4);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((payload.len() as u64).to_le_bytes());
        bytes.extend((compressed.len() as u64).to_le_bytes());
        bytes.extend(compressed);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    fn payload(&self) -> Vec<u8> {
        let mut payload = Vec::new();
        put_name(&mut payload, &self.ending);
        for wins in self.sections() {
            put_wins(&mut payload, wins);
        }
        payload
    }

    /// Reads a table from the contents of its file.
    ///
    /// # Errors
    ///
    /// If the bytes are not a table, or are cut short or damaged.
    ///
    /// ```
    /// use setwise_endgame::{FileError, Table};
    /// assert!(matches!(Table::from_bytes(b"PK\x03\x04"), Err(FileError::Foreign)));
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        reader::read(&mut Cursor::new(bytes), bytes.len() as u64, Path::new(""))
    }

    /// The sections of the table's file, in order.
    fn sections(&self) -> impl Iterator<Item = &Wins> {
        let [white, black] = &self.sides;
        let black = (black.ending != white.ending).then_some(black);
        std::iter::once(white).chain(black).chain(&self.conversions)
    }
}

fn io_error(path: &Path, source: io::Error) -> FileError {
    let path = path.to_owned();
    FileError::Io { path, source }
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
        let directory = bitmap.directory().iter().copied();
        for word in directory.chain(bitmap.stored_words()) {
            payload.extend(word.to_le_bytes());
        }
    }
}
