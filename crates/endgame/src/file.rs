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
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::legal::{Illegal, mirrored};
use crate::wins::Men;
use crate::{Bitmap, Color, Ending, Table, Wins};

const MAGIC: [u8; 8] = *b"SWENDGM\0";
const VERSION: u32 = 1;
const HEADER: usize = 28;
/// More than any table of so many men takes (48.7 million bytes, KQKR): a forged file must not exhaust the memory.
const LONGEST_PAYLOAD: [u64; 5] = [0, 0, 128, 1 << 20, 1 << 26];
/// More moves than any win of four men takes (40, KRKN).
const DEEPEST: u64 = 64;
/// More than the frames of this program look back: 2 MiB.
const WINDOW_LOG: u32 = 23;
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
            // A link stays a link: what it leads to is replaced.
            let target = match path.canonicalize() {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Err(_) if path.symlink_metadata().is_ok() => {
                    return Err(io::Error::other(
                        "it is a symbolic link to what is not there",
                    ));
                }
                Err(_) => path.to_owned(),
                Ok(target) => target,
            };
            let folder = target
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            let mut builder = tempfile::Builder::new();
            // As for any other new file, the process's mask decides who may read it.
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
            let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
            file.write_all(&self.to_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&target)?;
            Ok(())
        };
        write().map_err(|source| FileError::Io {
            path: path.to_owned(),
            source,
        })
    }

    /// Reads a table from a file, in little more memory than the table takes itself.
    ///
    /// What it returns has one value for every position, none for what is no legal position, and the right numbers of legal
    /// positions; whether the values are right, [`verify`](crate::verify) tells.
    ///
    /// # Errors
    ///
    /// If the system refuses, or the file is foreign, cut short or damaged.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        let refused = |source| FileError::Io {
            path: path.to_owned(),
            source,
        };
        let file = File::open(path).map_err(refused)?;
        let length = file.metadata().map_err(refused)?.len();
        read(&mut BufReader::with_capacity(1 << 16, file), length).map_err(|error| match error {
            FileError::Io { source, .. } => refused(source),
            other => other,
        })
    }

    /// The contents of its file.
    ///
    /// # Panics
    ///
    /// If there is no memory for the compression.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let payload = self.payload();
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

    fn payload(&self) -> Vec<u8> {
        let mut payload = Vec::new();
        put_name(&mut payload, &self.ending);
        for wins in self.sections() {
            put_wins(&mut payload, wins);
        }
        payload
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
        read(&mut Cursor::new(bytes), bytes.len() as u64)
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

/// Reads a file of a known length twice: for its checksum, then for what it says.
fn read(file: &mut (impl BufRead + Seek), length: u64) -> Result<Table, FileError> {
    let mut header = Vec::new();
    file.take(HEADER as u64)
        .read_to_end(&mut header)
        .map_err(refused)?;
    let known = header.len().min(MAGIC.len());
    if known == 0 || header[..known] != MAGIC[..known] {
        return Err(FileError::Foreign);
    }
    let wrong_length = |expected: u64| FileError::Length {
        found: length,
        expected,
    };
    if header.len() < HEADER || length < HEADER as u64 + 4 {
        return Err(wrong_length(HEADER as u64 + 4));
    }
    let found = little_endian(&header[8..12]) as u32;
    if found != VERSION {
        return Err(FileError::Version { found });
    }
    let (size, compressed) = (
        little_endian(&header[12..20]),
        little_endian(&header[20..28]),
    );
    let expected = compressed.saturating_add(HEADER as u64 + 4);
    if expected != length {
        return Err(wrong_length(expected));
    }
    check_sum(file, length)?;

    file.seek(SeekFrom::Start(HEADER as u64)).map_err(refused)?;
    let mut frame = file.take(compressed);
    let mut decoder = zstd::Decoder::with_buffer(&mut frame)
        .map_err(refused)?
        .single_frame();
    decoder.window_log_max(WINDOW_LOG).map_err(refused)?;
    let parser = Parser {
        payload: decoder,
        at: 0,
        size,
    };
    let table = parser.table()?;
    if !frame.fill_buf().map_err(refused)?.is_empty() {
        return Err(FileError::Content {
            reason: "something follows the compressed payload".into(),
            offset: size as usize,
        });
    }
    Ok(table)
}

fn check_sum(file: &mut (impl BufRead + Seek), length: u64) -> Result<(), FileError> {
    file.rewind().map_err(refused)?;
    let mut hasher = crc32fast::Hasher::new();
    let mut checked = file.take(length - 4);
    loop {
        let bytes = checked.fill_buf().map_err(refused)?;
        if bytes.is_empty() {
            break;
        }
        hasher.update(bytes);
        let count = bytes.len();
        checked.consume(count);
    }
    let mut sum = [0; 4];
    file.read_exact(&mut sum).map_err(refused)?;
    if hasher.finalize().to_le_bytes() == sum {
        Ok(())
    } else {
        Err(FileError::Checksum)
    }
}

/// The path is filled in by who knows it.
fn refused(source: io::Error) -> FileError {
    FileError::Io {
        path: PathBuf::new(),
        source,
    }
}

/// Reads a payload from the front, never past the size that the header says.
struct Parser<R> {
    payload: R,
    at: u64,
    size: u64,
}

/// What a section says, and which positions have a value in it, with the attacker and with the defender to move.
struct Section {
    wins: Wins,
    valued: [Vec<u64>; 2],
}

impl<R: Read> Parser<R> {
    fn table(mut self) -> Result<Table, FileError> {
        let ending = self.name()?;
        if self.size > LONGEST_PAYLOAD[ending.men()] {
            let size = self.size;
            return Err(self.error(format!(
                "a payload of {size} bytes is too long for {ending}"
            )));
        }
        let white = self.section(&ending)?;
        let swapped = ending.swapped();
        let black = if swapped == ending {
            None
        } else {
            Some(self.section(&swapped)?)
        };
        let conversions = ending
            .conversions()
            .iter()
            .map(|three| Ok(self.section(three)?.wins))
            .collect::<Result<_, FileError>>()?;
        let mut rest = [0];
        if self.at != self.size || !matches!(self.payload.read(&mut rest), Ok(0)) {
            return Err(self.error("something follows the last section"));
        }
        for (ours, theirs) in [
            (&white, black.as_ref().unwrap_or(&white)),
            (black.as_ref().unwrap_or(&white), &white),
        ] {
            if ours.wins.legal_attacker != theirs.wins.legal_defender {
                return Err(self.error("its two sides count other legal positions"));
            }
            let both = [Color::White, Color::Black].map(|color| !ending.pieces(color).is_empty());
            let twice = both == [true; 2]
                && theirs
                    .wins
                    .lost
                    .iter()
                    .flat_map(Bitmap::positions)
                    .map(mirrored)
                    .any(|index| ours.valued[0][index / 64] >> (index % 64) & 1 == 1);
            if twice {
                return Err(self.error("a position is won and lost"));
            }
        }
        let white = white.wins;
        let black = black.map_or_else(|| white.clone(), |black| black.wins);
        Ok(Table {
            ending,
            sides: [white, black],
            conversions,
        })
    }

    fn error(&self, reason: impl Into<String>) -> FileError {
        FileError::Content {
            reason: reason.into(),
            offset: self.at as usize,
        }
    }

    /// Fills some bytes.
    fn take(&mut self, bytes: &mut [u8]) -> Result<(), FileError> {
        let count = bytes.len() as u64;
        if self.size - self.at < count {
            return Err(self.error(format!("it ends where {count} more bytes should be")));
        }
        self.payload
            .read_exact(bytes)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => {
                    self.error("the payload has not the bytes that the header says")
                }
                _ => self.error(format!("it cannot be decompressed, {error}")),
            })?;
        self.at += count;
        Ok(())
    }

    fn name(&mut self) -> Result<Ending, FileError> {
        let length = self.number(1)? as usize;
        let offset = self.at as usize;
        let mut name = vec![0; length];
        self.take(&mut name)?;
        let name = String::from_utf8_lossy(&name);
        let ending: Ending =
            name.parse()
                .map_err(|error: crate::EndingError| FileError::Content {
                    reason: error.to_string(),
                    offset,
                })?;
        if ending.to_string() != name {
            return Err(self.error(format!("{ending} has another name")));
        }
        Ok(ending)
    }

    fn number(&mut self, bytes: usize) -> Result<u64, FileError> {
        let mut number = [0; 8];
        self.take(&mut number[..bytes])?;
        Ok(u64::from_le_bytes(number))
    }

    fn section(&mut self, expected: &Ending) -> Result<Section, FileError> {
        let ending = self.name()?;
        if ending != *expected {
            return Err(self.error(format!("the section of {expected} is one of {ending}")));
        }
        let (legal_attacker, legal_defender) = (self.number(8)?, self.number(8)?);
        let counts = [self.number(2)?, self.number(2)?];
        let men = Men::new(&ending);
        let blocks = men.map_or(0, Men::blocks);
        let illegal = men.map(|men| Illegal::new(&ending, men));
        let legal = match &illegal {
            Some(illegal) => illegal.legal(),
            // Who has a bare king: the other side's section counts.
            None if ending.men() > 2 => [legal_attacker, legal_defender],
            None => [3612; 2],
        };
        if [legal_attacker, legal_defender] != legal {
            let [attacker, defender] = legal;
            return Err(self.error(format!(
                "{ending} has {attacker} and {defender} legal positions"
            )));
        }
        let mut taken = illegal.map_or_else(Default::default, |illegal| illegal.positions);
        // What is taken after all: the legal positions with a value.
        let before = taken.clone();
        let mut depths = [Vec::new(), Vec::new()];
        for turn in 0..2 {
            let count = counts[turn];
            if count == 0 || count > DEEPEST || blocks == 0 && count != 1 {
                return Err(self.error(format!("{count} depths are impossible")));
            }
            for depth in 0..count {
                let bitmap = self.bitmap(blocks, &mut taken[turn])?;
                if bitmap.is_empty() && depth + 1 == count && count > 1 {
                    return Err(self.error(format!("the deepest depth, {depth}, has no position")));
                }
                if !bitmap.is_empty() && turn == 0 && depth == 0 {
                    return Err(self.error("it has wins in no move"));
                }
                depths[turn].push(bitmap);
            }
        }
        for (taken, before) in taken.iter_mut().zip(&before) {
            for (taken, before) in taken.iter_mut().zip(before) {
                *taken &= !before;
            }
        }
        let [won, lost] = depths;
        Ok(Section {
            wins: Wins {
                ending,
                legal_attacker,
                legal_defender,
                won,
                lost,
            },
            valued: taken,
        })
    }

    /// Reads a bitmap of positions none of which is taken, and takes them.
    fn bitmap(&mut self, blocks: usize, taken: &mut [u64]) -> Result<Bitmap, FileError> {
        let directory = self.words(blocks)?;
        let count = directory
            .iter()
            .map(|entry| entry.count_ones() as usize)
            .sum();
        let words = self.words(count)?;
        let bitmap = Bitmap::from_parts(&directory, &words)
            .ok_or_else(|| self.error("the directory names an empty word"))?;
        for (number, word) in bitmap.numbered_words() {
            if taken[number] & word != 0 {
                return Err(self.error("it has a position that is illegal or has a value already"));
            }
            taken[number] |= word;
        }
        Ok(bitmap)
    }

    fn words(&mut self, count: usize) -> Result<Vec<u64>, FileError> {
        // As many as the bitmap has, at most 2 MiB.
        let mut bytes = vec![0; 8 * count];
        self.take(&mut bytes)?;
        Ok(bytes.chunks_exact(8).map(little_endian).collect())
    }
}

#[cfg(test)]
#[path = "forged.rs"]
mod tests;
