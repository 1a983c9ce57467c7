//! Reads a table file as a stream and rejects invalid data.

use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::path::Path;

use super::{FileError, HEADER, MAGIC, VERSION, io_error};
use crate::legal::illegal_positions;
use crate::wins::{BARE_KINGS, Men, swapped_index};
use crate::{Bitmap, Ending, Table, Wins};

/// The longest payload that is accepted, in bytes, indexed by the number of men. The limit keeps a
/// forged file from exhausting the memory. The longest payload of a correct table has 48.7 million
/// bytes (KQKR).
const LONGEST_PAYLOAD: [u64; 5] = [0, 0, 128, 1 << 20, 1 << 26];
/// The longest compressed payload that is accepted, in bytes. Zstandard lengthens a payload that it
/// cannot compress by at most 1/256.
const LONGEST_COMPRESSED: u64 = LONGEST_PAYLOAD[4] / 256 * 257;
/// The maximum number of bitmaps for won or for lost positions in a section. The longest four-man
/// win takes 40 moves (KRKN).
const DEEPEST: u64 = 64;
/// The base-2 logarithm of the largest Zstandard window that is accepted, in bytes. This program
/// writes frames with a 2 MiB window.
const WINDOW_LOG: u32 = 23;

/// Reads a file of known length twice: first for its checksum, then for its contents. I/O errors
/// name `path`.
pub(super) fn read(
    file: &mut (impl BufRead + Seek),
    length: u64,
    path: &Path,
) -> Result<Table, FileError> {
    let refused = |source| io_error(path, source);
    let mut header = Vec::new();
    file.take(HEADER as u64).read_to_end(&mut header).map_err(refused)?;
    let known = header.len().min(MAGIC.len());
    if known == 0 || header[..known] != MAGIC[..known] {
        return Err(FileError::Foreign);
    }
    let wrong_length = |expected: u64| FileError::Length { found: length, expected };
    if header.len() < HEADER || length < HEADER as u64 + 4 {
        return Err(wrong_length(HEADER as u64 + 4));
    }
    let found = little_endian(&header[8..12]) as u32;
    if found != VERSION {
        return Err(FileError::Version { found });
    }
    let size = little_endian(&header[12..20]);
    let compressed = little_endian(&header[20..28]);
    let expected = compressed.saturating_add(HEADER as u64 + 4);
    if expected != length {
        return Err(wrong_length(expected));
    }
    // Check this before the checksum, which requires reading the whole file.
    if compressed > LONGEST_COMPRESSED {
        let reason = format!("a compressed payload of {compressed} bytes is too long");
        return Err(FileError::Content { reason, offset: 0 });
    }
    if !checksum_matches(file, length).map_err(refused)? {
        return Err(FileError::Checksum);
    }

    file.seek(SeekFrom::Start(HEADER as u64)).map_err(refused)?;
    let mut frame = file.take(compressed);
    let mut decoder = zstd::Decoder::with_buffer(&mut frame).map_err(refused)?.single_frame();
    decoder.window_log_max(WINDOW_LOG).map_err(refused)?;
    let table = Parser::new(decoder, size).table()?;
    if !frame.fill_buf().map_err(refused)?.is_empty() {
        return Err(FileError::Content {
            reason: "data follows the compressed payload".into(),
            offset: size as usize,
        });
    }
    Ok(table)
}

fn checksum_matches(file: &mut (impl BufRead + Seek), length: u64) -> io::Result<bool> {
    file.rewind()?;
    let mut hasher = crc32fast::Hasher::new();
    let mut checked = file.take(length - 4);
    loop {
        let bytes = checked.fill_buf()?;
        if bytes.is_empty() {
            break;
        }
        hasher.update(bytes);
        let count = bytes.len();
        checked.consume(count);
    }
    let mut sum = [0; 4];
    file.read_exact(&mut sum)?;
    Ok(hasher.finalize().to_le_bytes() == sum)
}

/// Decodes a little-endian number of at most eight bytes.
fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Parses a payload. Never reads beyond the length that the header gives.
pub(super) struct Parser<R> {
    payload: R,
    pub(super) at: u64,
    size: u64,
}

/// A section, and two sets of the positions that have a value in it. The first set holds positions
/// with the attacker to move, the second with the defender to move.
struct Section {
    wins: Wins,
    valued: [Vec<u64>; 2],
}

impl<R: Read> Parser<R> {
    pub(super) fn new(payload: R, size: u64) -> Self {
        Self { payload, at: 0, size }
    }

    pub(super) fn table(mut self) -> Result<Table, FileError> {
        let ending = self.name()?;
        if self.size > LONGEST_PAYLOAD[ending.men()] {
            let size = self.size;
            return Err(self.error(format!("a payload of {size} bytes is too long for {ending}")));
        }
        let white = self.section(&ending)?;
        let swapped = ending.swapped();
        let black = if swapped == ending { None } else { Some(self.section(&swapped)?) };
        let conversions = ending
            .conversions()
            .iter()
            .map(|three| Ok(self.section(three)?.wins))
            .collect::<Result<_, FileError>>()?;
        let mut rest = [0];
        if self.at != self.size || !matches!(self.payload.read(&mut rest), Ok(0)) {
            return Err(self.error("data follows the last section"));
        }
        let both = [&white, black.as_ref().unwrap_or(&white)];
        for [ours, theirs] in [both, [both[1], both[0]]] {
            if ours.wins.legal_attacker != theirs.wins.legal_defender {
                return Err(self.error("its two sides have different numbers of legal positions"));
            }
            // A side with a bare king wins no positions, so its section has no values.
            let valued = &ours.valued[0];
            let lost = theirs.wins.lost.iter().flat_map(Bitmap::positions);
            let twice = !valued.is_empty()
                && lost
                    .map(|index| swapped_index(&ours.wins.ending, index))
                    .any(|index| valued[index / 64] >> (index % 64) & 1 == 1);
            if twice {
                return Err(self.error("a position is both won and lost"));
            }
        }
        let white = white.wins;
        let black = black.map_or_else(|| white.clone(), |black| black.wins);
        Ok(Table { ending, sides: [white, black], conversions })
    }

    fn error(&self, reason: impl Into<String>) -> FileError {
        FileError::Content { reason: reason.into(), offset: self.at as usize }
    }

    /// Reads the next bytes of the payload into `bytes`.
    fn take(&mut self, bytes: &mut [u8]) -> Result<(), FileError> {
        let count = bytes.len() as u64;
        if self.size - self.at < count {
            return Err(self.error(format!("the payload ends where {count} bytes must follow")));
        }
        self.payload.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                self.error("the payload is shorter than the header says")
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
        let ending: Ending = name.parse().map_err(|error: crate::EndingError| {
            FileError::Content { reason: error.to_string(), offset }
        })?;
        if ending.to_string() != name {
            return Err(self.error(format!("the name must be {ending}, not {name}")));
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
            return Err(self.error(format!("the section must be of {expected}, not of {ending}")));
        }
        let (legal_attacker, legal_defender) = (self.number(8)?, self.number(8)?);
        let counts = [self.number(2)?, self.number(2)?];
        let men = Men::new(&ending);
        let blocks = men.map_or(0, Men::blocks);
        let mut taken = men.map_or_else(Default::default, illegal_positions);
        let legal = match men {
            Some(_) => [0, 1].map(|turn: usize| {
                let zeros = taken[turn].iter().map(|word| u64::from(word.count_zeros()));
                zeros.sum()
            }),
            // This side has a bare king. Its counts are checked against the other side's section.
            None if ending.men() > 2 => [legal_attacker, legal_defender],
            None => [BARE_KINGS; 2],
        };
        if [legal_attacker, legal_defender] != legal {
            let [attacker, defender] = legal;
            return Err(
                self.error(format!("{ending} has {attacker} and {defender} legal positions"))
            );
        }
        let illegal = taken.clone();
        let mut depths = [Vec::new(), Vec::new()];
        for turn in 0..2 {
            let count = counts[turn];
            if count == 0 || count > DEEPEST || blocks == 0 && count != 1 {
                return Err(self.error(format!("{count} depths are impossible")));
            }
            for depth in 0..count {
                let bitmap = self.bitmap(blocks, &mut taken[turn])?;
                if bitmap.is_empty() && depth + 1 == count && count > 1 {
                    return Err(self.error(format!("the deepest depth, {depth}, is empty")));
                }
                if !bitmap.is_empty() && turn == 0 && depth == 0 {
                    return Err(self.error("a win in no moves is impossible"));
                }
                depths[turn].push(bitmap);
            }
        }
        let mut valued = taken;
        for (valued, illegal) in valued.iter_mut().zip(&illegal) {
            for (valued, illegal) in valued.iter_mut().zip(illegal) {
                *valued &= !illegal;
            }
        }
        let [won, lost] = depths;
        Ok(Section { wins: Wins { ending, legal_attacker, legal_defender, won, lost }, valued })
    }

    /// Reads a bitmap, rejects it if one of its positions is in `taken`, and adds its positions to
    /// `taken`.
    pub(super) fn bitmap(&mut self, blocks: usize, taken: &mut [u64]) -> Result<Bitmap, FileError> {
        let directory = self.words(blocks)?;
        let count = directory.iter().map(|entry| entry.count_ones() as usize).sum();
        let words = self.words(count)?;
        let bitmap = Bitmap::from_parts(directory, &words)
            .ok_or_else(|| self.error("the directory names an empty word"))?;
        for (number, word) in bitmap.numbered_words() {
            if taken[number] & word != 0 {
                return Err(self.error("a position is illegal or already has a value"));
            }
            taken[number] |= word;
        }
        Ok(bitmap)
    }

    fn words(&mut self, count: usize) -> Result<Vec<u64>, FileError> {
        // No bitmap has more than 2 MiB of words, so this allocates little memory even for a forged
        // file.
        let mut bytes = vec![0; 8 * count];
        self.take(&mut bytes)?;
        Ok(bytes.chunks_exact(8).map(little_endian).collect())
    }
}
