//! Reads a table file and rejects invalid data.

use std::io::{self, ErrorKind, Read};

use super::{HEADER, MAGIC, VERSION};
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

/// Reads a file of this length.
pub(super) fn read(mut file: impl Read, length: u64) -> io::Result<Table> {
    let mut header = Vec::new();
    file.by_ref().take(HEADER as u64).read_to_end(&mut header)?;
    let known = header.len().min(MAGIC.len());
    if known == 0 || header[..known] != MAGIC[..known] {
        return Err(invalid("not an endgame table: it must start with SWENDGM"));
    }
    let wrong_length = |expected: u64| {
        let short = length < expected;
        let what = if short { "the table is cut short" } else { "data follows the table" };
        Err(invalid(format!("{what}: {length} bytes instead of {expected}")))
    };
    if header.len() < HEADER || length < HEADER as u64 + 4 {
        return wrong_length(HEADER as u64 + 4);
    }
    let version = little_endian(&header[8..12]);
    if version != u64::from(VERSION) {
        let reason =
            format!("format version {version} is unknown; this program reads version {VERSION}");
        return Err(invalid(reason));
    }
    let size = little_endian(&header[12..20]);
    let compressed = little_endian(&header[20..28]);
    let expected = compressed.saturating_add(HEADER as u64 + 4);
    if expected != length {
        return wrong_length(expected);
    }
    // Check this before the rest of the file is read.
    if compressed > LONGEST_COMPRESSED {
        let reason = format!("a compressed payload of {compressed} bytes is too long");
        return Err(invalid_content(reason, 0));
    }
    let mut frame = vec![0; compressed as usize];
    file.read_exact(&mut frame)?;
    let mut sum = [0; 4];
    file.read_exact(&mut sum)?;
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&header);
    hasher.update(&frame);
    if hasher.finalize().to_le_bytes() != sum {
        return Err(invalid("the table is damaged: its checksum does not match"));
    }

    let mut rest = &*frame;
    let mut decoder = zstd::Decoder::with_buffer(&mut rest)?.single_frame();
    decoder.window_log_max(WINDOW_LOG)?;
    let table = Parser::new(decoder, size).table()?;
    if !rest.is_empty() {
        return Err(invalid_content("data follows the compressed payload", size));
    }
    Ok(table)
}

fn invalid(reason: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, reason.into())
}

/// The error for a payload that is not a table although the checksum matches. `offset` is in bytes.
fn invalid_content(reason: impl std::fmt::Display, offset: u64) -> io::Error {
    invalid(format!("invalid table: {reason} (byte {offset} of the payload)"))
}

/// Decodes a little-endian number of at most eight bytes.
fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Parses a payload. Never reads beyond the length that the header gives.
pub(super) struct Parser<R> {
    payload: R,
    at: u64,
    size: u64,
}

impl<R: Read> Parser<R> {
    pub(super) fn new(payload: R, size: u64) -> Self {
        Self { payload, at: 0, size }
    }

    pub(super) fn table(mut self) -> io::Result<Table> {
        let ending = self.name()?;
        if self.size > LONGEST_PAYLOAD[ending.men()] {
            let size = self.size;
            return Err(self.error(format!("a payload of {size} bytes is too long for {ending}")));
        }
        let (white, won) = self.section(&ending)?;
        let swapped = ending.swapped();
        let (black, won_by_black) =
            if swapped == ending { (white.clone(), won.clone()) } else { self.section(&swapped)? };
        let conversions = ending.conversions();
        let conversions = conversions.iter().map(|three| Ok(self.section(three)?.0));
        let conversions = conversions.collect::<io::Result<_>>()?;
        if self.at != self.size || !matches!(self.payload.read(&mut [0]), Ok(0)) {
            return Err(self.error("data follows the last section"));
        }
        let [ours, theirs] =
            [&white, &black].map(|wins| [wins.legal_attacker, wins.legal_defender]);
        if ours != [theirs[1], theirs[0]] {
            return Err(self.error("its two sides have different numbers of legal positions"));
        }
        for (ours, won, theirs) in [(&white, won, &black), (&black, won_by_black, &white)] {
            let mut lost = theirs.lost.iter().flat_map(Bitmap::positions);
            let is_won = |index| won[index / 64] >> (index % 64) & 1 == 1;
            // A side with a bare king wins no position.
            if !won.is_empty() && lost.any(|index| is_won(swapped_index(&ours.ending, index))) {
                return Err(self.error("a position is both won and lost"));
            }
        }
        Ok(Table { ending, sides: [white, black], conversions })
    }

    fn error(&self, reason: impl std::fmt::Display) -> io::Error {
        invalid_content(reason, self.at)
    }

    /// Reads the next bytes of the payload into `bytes`.
    fn take(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        let count = bytes.len() as u64;
        if self.size - self.at < count {
            return Err(self.error(format!("the payload ends where {count} bytes must follow")));
        }
        self.payload.read_exact(bytes).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => self.error("the payload is shorter than the header says"),
            _ => self.error(format!("it cannot be decompressed, {error}")),
        })?;
        self.at += count;
        Ok(())
    }

    fn name(&mut self) -> io::Result<Ending> {
        let length = self.number(1)? as usize;
        let offset = self.at;
        let mut name = vec![0; length];
        self.take(&mut name)?;
        let name = String::from_utf8_lossy(&name);
        let not_a_name = |error: crate::EndingError| invalid_content(error, offset);
        let ending: Ending = name.parse().map_err(not_a_name)?;
        if ending.to_string() != name {
            return Err(self.error(format!("the name must be {ending}, not {name}")));
        }
        Ok(ending)
    }

    fn number(&mut self, bytes: usize) -> io::Result<u64> {
        let mut number = [0; 8];
        self.take(&mut number[..bytes])?;
        Ok(u64::from_le_bytes(number))
    }

    /// Reads a section. Returns the attacker's wins, and the positions that it wins to move.
    fn section(&mut self, expected: &Ending) -> io::Result<(Wins, Vec<u64>)> {
        let ending = self.name()?;
        if ending != *expected {
            return Err(self.error(format!("the section must be of {expected}, not of {ending}")));
        }
        let (legal_attacker, legal_defender) = (self.number(8)?, self.number(8)?);
        let counts = [self.number(2)?, self.number(2)?];
        let men = Men::new(&ending);
        let blocks = men.map_or(0, Men::blocks);
        let illegal = men.map_or_else(Default::default, illegal_positions);
        let legal = match men {
            Some(_) => [0, 1].map(|turn: usize| {
                let zeros = illegal[turn].iter().map(|word| u64::from(word.count_zeros()));
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
        let mut taken = illegal.clone();
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
        let [won, lost] = depths;
        let [taken, _] = taken;
        let legal_wins = taken.iter().zip(&illegal[0]).map(|(taken, illegal)| taken & !illegal);
        let legal_wins = legal_wins.collect();
        Ok((Wins { ending, legal_attacker, legal_defender, won, lost }, legal_wins))
    }

    /// Reads a bitmap, rejects it if one of its positions is in `taken`, and adds its positions to
    /// `taken`.
    fn bitmap(&mut self, blocks: usize, taken: &mut [u64]) -> io::Result<Bitmap> {
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

    fn words(&mut self, count: usize) -> io::Result<Vec<u64>> {
        // No bitmap has more than 2 MiB of words, so this allocates little memory even for a forged
        // file.
        let mut bytes = vec![0; 8 * count];
        self.take(&mut bytes)?;
        Ok(bytes.chunks_exact(8).map(little_endian).collect())
    }
}
