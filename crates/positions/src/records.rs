//! Streams of records or games in blocks, in memory that does not grow with the stream.

use std::io::{self, Read};

use crate::game;
use crate::lines::read;
use crate::record::RECORD;
use crate::{Block, Format};

/// A block, unless the stream delivers fewer bytes at once.
const BLOCK: usize = 128 * 1024;

/// A longer game is none.
const MAX_GAME: usize = 1 << 20;

/// Cuts a stream into blocks of whole records or games.
///
/// The last block has what is left at the end of the stream, even if that is no whole one: [`Batch::read_block`](crate::Batch::read_block) says so.
///
/// ```
/// use setwise_positions::{Block, Format, Records};
/// let mut records = Records::new(Format::Marlin, &[0; 70][..]);
/// let mut block = Block::default();
/// assert!(records.next(&mut block)?);
/// assert_eq!((block.first_line, block.bytes.len()), (1, 64));
/// assert!(records.next(&mut block)?);
/// assert_eq!((block.first_line, block.bytes.len()), (3, 6));
/// assert!(!records.next(&mut block)?);
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug)]
pub struct Records<R> {
    reader: R,
    format: Format,
    pending: Vec<u8>,
    /// Records, or positions of games, that were handed out; and games.
    positions: u64,
    games: u64,
    waits: bool,
    single: bool,
    has_ended: bool,
}

impl<R: Read> Records<R> {
    /// Blocks of about 128 KiB of a format that is not text, fewer bytes only if the stream delivers fewer at once.
    ///
    /// # Panics
    ///
    /// If the format is text, which [`Blocks`](crate::Blocks) reads.
    pub fn new(format: Format, reader: R) -> Records<R> {
        assert!(format != Format::Text, "text is read by Blocks");
        Records {
            reader,
            format,
            pending: Vec::new(),
            positions: 0,
            games: 0,
            waits: false,
            single: false,
            has_ended: false,
        }
    }

    /// Fills every block, however long the stream makes one wait: for files, and what is decompressed from them.
    #[must_use]
    pub fn filled(mut self) -> Records<R> {
        self.waits = true;
        self
    }

    /// One record or game a block.
    #[must_use]
    pub fn single(mut self) -> Records<R> {
        self.single = true;
        self
    }

    /// The next records or games, or `false` at the end of the stream.
    ///
    /// # Errors
    ///
    /// Those of the stream, and a game that does not end within a mebibyte.
    pub fn next(&mut self, block: &mut Block) -> io::Result<bool> {
        loop {
            let (mut end, mut positions, games) = self.whole();
            if end == 0 && self.has_ended {
                // What is left is no whole one, and counts as one.
                (end, positions) = (self.pending.len(), 1);
            }
            if end > 0 {
                block.bytes.clear();
                block.bytes.extend_from_slice(&self.pending[..end]);
                (block.first_line, block.first_game) = (self.positions + 1, self.games + 1);
                self.pending.drain(..end);
                self.positions += positions;
                self.games += games;
                return Ok(true);
            }
            if self.has_ended {
                return Ok(false);
            }
            if self.pending.len() >= MAX_GAME {
                let message = format!(
                    "game {} does not end within {MAX_GAME} bytes",
                    self.games + 1
                );
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            // A block that is filled before it is looked at is looked through once.
            let wanted = (self.pending.len() + 4096).max(BLOCK);
            self.has_ended = read(&mut self.reader, &mut self.pending, wanted, self.waits)?;
        }
    }

    /// Where the whole records or games end that were read, or the first of them; and how many positions and games that are.
    fn whole(&self) -> (usize, u64, u64) {
        if self.format != Format::Viri {
            let most = if self.single { 1 } else { usize::MAX };
            let count = (self.pending.len() / RECORD).min(most);
            return (count * RECORD, count as u64, 0);
        }
        let (mut end, mut positions, mut games) = (0, 0, 0);
        while let Some((length, moves)) = game::length(&self.pending[end..]) {
            end += length;
            positions += moves.unwrap_or_default();
            games += u64::from(moves.is_some());
            if self.single {
                break;
            }
        }
        (end, positions, games)
    }
}
