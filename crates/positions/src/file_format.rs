//! What a format of files is: the trait that each file in `formats` implements.

use std::io::{self, Read};

use crate::Batch;
use crate::binpack::{Entry, Sieve};
use crate::block::Block;
use crate::error::FenError;
use crate::record::{RECORD, Record};
use crate::sample::{Fit, Sample};

/// What the numbers of a format's errors count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// The lines of a text.
    Line,
    /// Records of a fixed size.
    Record,
    /// The positions of games.
    Position,
}

/// What a format may say of a position, beside the position itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// The score, in centipawns.
    Score,
    /// The result of the game.
    Result,
    /// The move that was played.
    Move,
    /// The number of half-moves since the start of the game.
    Ply,
}

/// A format in messages, options and documents.
#[derive(Debug)]
pub(crate) struct About {
    /// The name in messages.
    pub(crate) name: &'static str,
    /// The value of the command line's `--format`, and other words for it.
    pub(crate) option: &'static str,
    pub(crate) aliases: &'static [&'static str],
    /// One line of help.
    pub(crate) help: &'static str,
    /// The extensions of file names, in lower case and without the dot.
    pub(crate) extensions: &'static [&'static str],
    pub(crate) unit: Unit,
    pub(crate) values: &'static [Value],
}

/// A stream of a file's bytes.
pub(crate) type Stream<'a> = Box<dyn Read + Send + 'a>;

/// A format of files. Each is a file in `formats` and a line of the list in `formats/mod.rs`.
pub(crate) trait FileFormat: Sync {
    fn about(&self) -> &'static About;

    /// Whether the first bytes of a file fit.
    fn fit(&self, sample: &Sample<'_>) -> Fit;

    /// Cuts a stream into blocks.
    fn cut<'a>(&'static self, stream: Stream<'a>) -> Box<dyn Cut + 'a>;

    /// Appends the positions and errors of a block.
    fn read(&self, block: &Block, batch: &mut Batch);

    /// The record of these bytes, if records have this size.
    fn record(&self, _bytes: &[u8; RECORD]) -> Option<Result<Record, FenError>> {
        None
    }

    /// The records or games of training data that can be cut between any two of them.
    fn units(&'static self) -> Option<&'static dyn Units> {
        None
    }

    /// Whether a [`Sieve`] leaves out entries.
    fn is_sieved(&self) -> bool {
        false
    }
}

/// Cuts a stream into blocks.
pub(crate) trait Cut: Send {
    /// Reads the next block, whose fields are empty. Returns `false` at the end of the stream.
    fn next(&mut self, block: &mut Block, how: &mut How) -> io::Result<bool>;
}

/// How a stream is cut.
#[derive(Debug)]
pub(crate) struct How {
    /// Whether to wait until a block is full.
    pub(crate) waits: bool,
    /// Whether each block is one line, record or game.
    pub(crate) single: bool,
    pub(crate) sieve: Sieve,
    /// The place of the stream in a list of files, from 0.
    pub(crate) file: u64,
}

/// Records or games of training data: a file of them can be cut between any two.
pub trait Units: Sync {
    /// The whole records or games at the start of these bytes. At most one if `single`.
    fn whole(&self, bytes: &[u8], single: bool) -> Whole;

    /// Appends the entries of the first record or game, up to an error. Returns its length in
    /// bytes, and the error. What is not whole counts as one.
    fn entries(&self, bytes: &[u8], entries: &mut Vec<Entry>) -> (usize, Option<FenError>);
}

/// The size of some records or games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Whole {
    /// The number of bytes.
    pub bytes: usize,
    /// The number of positions.
    pub positions: u64,
    /// The number of games.
    pub games: u64,
}
