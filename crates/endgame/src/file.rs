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
use std::io;
use std::path::Path;

use crate::{Ending, Table, Wins};

const MAGIC: [u8; 8] = *b"SWENDGM\0";
const VERSION: u32 = 1;
const HEADER: usize = 28;
/// Zstandard compression level. Higher levels save little space.
const COMPRESSION_LEVEL: i32 = 3;

impl Table {
    /// Reads a table from a file. Reading takes little more memory than the table and its file.
    ///
    /// A loaded table has at most one value for each legal position, no value for any other
    /// position, and correct numbers of legal positions. Only [`verify`](crate::verify) checks the
    /// values themselves.
    ///
    /// # Errors
    ///
    /// The operating system's error if the file cannot be read, or
    /// [`InvalidData`](io::ErrorKind::InvalidData) if it is not a table, or is cut short or
    /// damaged.
    ///
    /// ```
    /// use setwise_endgame::{Options, Table, generate};
    /// let folder = tempfile::tempdir().unwrap();
    /// let path = folder.path().join("KRK.swe");
    /// let table = generate(&"KRK".parse().unwrap(), &Options::default());
    /// std::fs::write(&path, table.to_bytes()).unwrap();
    /// assert_eq!(Table::load(&path).unwrap(), table);
    /// ```
    pub fn load(path: &Path) -> io::Result<Self> {
        let read = |file: File| reader::read(&file, file.metadata()?.len());
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        File::open(path).and_then(read).map_err(named)
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
    /// [`InvalidData`](io::ErrorKind::InvalidData) if the bytes are not a table, or are cut short
    /// or damaged.
    ///
    /// ```
    /// let error = setwise_endgame::Table::from_bytes(b"PK\x03\x04").unwrap_err();
    /// assert!(error.to_string().starts_with("not an endgame table"));
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        reader::read(bytes, bytes.len() as u64)
    }

    /// The sections of the table's file, in order.
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
        let directory = bitmap.directory().iter().copied();
        for word in directory.chain(bitmap.stored_words()) {
            payload.extend(word.to_le_bytes());
        }
    }
}
