//! Cuts streams into blocks of whole lines, records, games or entries. Memory use does not grow
//! with the length of the stream.

use std::fmt;
use std::io::{self, Read};

use crate::binpack::{Filter, Sieve};
use crate::file_format::{Cut, How};
use crate::{Batch, Block, Format};

/// Cuts a stream into blocks of whole lines, records or games.
///
/// ```
/// use setwise_positions::{Block, Blocks};
/// let mut blocks = Blocks::new("8/8/8/8/8/8/8/8 w\n# a comment\r\n".as_bytes());
/// let mut block = Block::default();
/// while blocks.next(&mut block)? {
///     assert_eq!((block.first_line, block.bytes.len()), (1, 31));
/// }
/// # std::io::Result::Ok(())
/// ```
///
/// If the stream ends inside a record or game, the last block contains only that incomplete part.
/// [`Batch::read_block`](crate::Batch::read_block) reports it as an error.
///
/// ```
/// use setwise_positions::{Block, Blocks, Format};
/// let mut blocks = Blocks::of(Format::Marlin, &[0; 70][..]);
/// let mut block = Block::default();
/// assert!(blocks.next(&mut block)?);
/// assert_eq!((block.first_line, block.bytes.len()), (1, 64));
/// assert!(blocks.next(&mut block)?);
/// assert_eq!((block.first_line, block.bytes.len()), (3, 6));
/// assert!(!blocks.next(&mut block)?);
/// # std::io::Result::Ok(())
/// ```
pub struct Blocks<'a> {
    cut: Box<dyn Cut + 'a>,
    how: How,
}

impl<'a> Blocks<'a> {
    /// Divides a stream of FEN or EPD lines into blocks of about 128 KiB. Blocks are shorter if the
    /// stream delivers fewer bytes at once.
    pub fn new(reader: impl Read + Send + 'a) -> Blocks<'a> {
        Blocks::of(Format::Text, reader)
    }

    /// Divides a stream of any format into blocks.
    pub fn of(format: Format, reader: impl Read + Send + 'a) -> Blocks<'a> {
        let sieve = Sieve::new(Filter::ALL, 0);
        let how = How { waits: false, single: false, sieve, file: 0 };
        Blocks { cut: format.file_format().cut(Box::new(reader)), how }
    }

    /// Makes [`next`](Blocks::next) wait until a block is full. Use this for files, including
    /// compressed ones, but not for interactive input.
    #[must_use]
    pub fn filled(mut self) -> Blocks<'a> {
        self.how.waits = true;
        self
    }

    /// Leaves out entries of binpack. Other formats are not affected. The place of the stream in a
    /// list of files is a number from 0. [`into_sieve`](Blocks::into_sieve) gives the sieve back,
    /// for the next file.
    #[must_use]
    pub fn sieve(mut self, sieve: Sieve, file: u64) -> Blocks<'a> {
        (self.how.sieve, self.how.file) = (sieve, file);
        self
    }

    /// The sieve as it is after what was read.
    #[must_use]
    pub fn into_sieve(self) -> Sieve {
        self.how.sieve
    }

    /// Makes each block contain one line, record or game.
    #[must_use]
    pub fn single(mut self) -> Blocks<'a> {
        self.how.single = true;
        self
    }

    /// Reads the next block. Returns `false` at the end of the stream.
    ///
    /// # Errors
    ///
    /// If the stream fails. Earlier calls have already returned all whole lines, records or games
    /// before the failure. A game longer than 1 MiB is also an error, and so is what is not a chunk
    /// of binpack.
    pub fn next(&mut self, block: &mut Block) -> io::Result<bool> {
        block.clear();
        self.cut.next(block, &mut self.how)
    }
}

impl fmt::Debug for Blocks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blocks").field("how", &self.how).finish_non_exhaustive()
    }
}

impl Batch {
    /// Appends the positions and errors of a block. An invalid move ends its game: later positions
    /// of that game are numbered, but not appended. An error in a chunk of binpack ends the chunk.
    ///
    /// ```
    /// use setwise_positions::{Batch, Block, Blocks, Format};
    /// let mut bytes = [0; 64];
    /// bytes[..9].copy_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0, 3]); // a white rook on a1
    /// bytes[24] = 64;
    /// bytes[28..31].copy_from_slice(&[0xf4, 0x01, 2]); // score and result
    /// let mut blocks = Blocks::of(Format::Marlin, &bytes[..]);
    /// let (mut block, mut batch) = (Block::default(), Batch::default());
    /// while blocks.next(&mut block)? {
    ///     batch.read_block(Format::Marlin, &block);
    /// }
    /// assert_eq!(batch.fens().next(), Some("8/8/8/8/8/8/8/R7 w - - 0 1"));
    /// assert_eq!((batch.scores(), batch.results()), (&[500][..], &[2][..]));
    /// let error = batch.errors()[0].to_string();
    /// assert_eq!(error, "2: occupancy: 0 pieces, but a record has 1 to 32");
    /// # std::io::Result::Ok(())
    /// ```
    pub fn read_block(&mut self, format: Format, block: &Block) {
        format.file_format().read(block, self);
    }
}
