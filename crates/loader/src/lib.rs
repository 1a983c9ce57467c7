#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![allow(clippy::precedence, reason = "`a & b << c` is usual for sets of squares")]

mod batches;
mod features;
mod inputs;
mod pool;
mod shuffle;
mod source;

use std::io;
use std::path::PathBuf;

pub use batches::Batches;
pub use features::{
    EVERY_PAIR, Features, NAMES, Table, codes, named_rules, rules, threats, threats_by,
};
pub use inputs::{Inputs, Part, Pieces};
use setwise::threats::Threat;
use setwise_positions::binpack::Entry;
pub use setwise_positions::binpack::Filter;
use setwise_positions::{Piece, Side};

/// What to load, and how. [`batches`](Loader::batches) starts it, each time from the beginning.
#[derive(Debug, Clone)]
pub struct Loader {
    /// The files, which are read in this order.
    pub paths: Vec<PathBuf>,
    /// The positions of a batch. The last batch may have fewer.
    pub batch_size: usize,
    /// The number of threads (0: one per CPU). The batches do not depend on it.
    pub threads: usize,
    /// Which entries to skip.
    pub filter: Filter,
    /// The positions of the shuffle buffer: each position that is read takes the place of a random
    /// one in the buffer, which is output. 0 keeps the order of the files.
    pub shuffle: usize,
    /// The seed of the shuffle. Change it for each pass.
    pub seed: u64,
    /// What to compute.
    pub features: Features,
    /// Read only the chunks whose number, divided by the second number, leaves the first. Chunks
    /// are counted over all files. Processes that share files take a shard each.
    pub shard: (u64, u64),
}

impl Loader {
    /// Batches of 16,384 boards in the order of the files, on all CPUs.
    #[must_use]
    pub fn new(paths: Vec<PathBuf>) -> Loader {
        Loader {
            paths,
            batch_size: 16_384,
            threads: 0,
            filter: Filter::default(),
            shuffle: 0,
            seed: 0,
            features: Features::Boards,
            shard: (0, 1),
        }
    }

    /// Starts threads that load batches.
    ///
    /// # Errors
    ///
    /// If a file does not exist or a setting is impossible, or if the environment names a kernel
    /// that this CPU cannot run.
    pub fn batches(&self) -> io::Result<Batches> {
        let wrong = |what: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        if !(1..=1 << 24).contains(&self.batch_size) {
            return wrong("batch_size must be from 1 to 16,777,216");
        }
        if self.shard.0 >= self.shard.1 {
            return wrong("the number of a shard must be less than the number of shards");
        }
        for path in &self.paths {
            let metadata = std::fs::metadata(path).map_err(|error| with_path(path, &error))?;
            if !metadata.is_file() {
                return wrong(&format!("{}: not a regular file", path.display()));
            }
        }
        Batches::new(self)
    }
}

/// The error with the path before it.
fn with_path(path: &std::path::Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Positions, column by column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// The piece on each square, a1 first: see [`codes`].
    pub boards: Vec<[u8; 64]>,
    /// The squares of White's and of Black's king.
    pub kings: Vec<[u8; 2]>,
    /// 0 if White is to move, 1 if Black is.
    pub sides: Vec<u8>,
    /// The score from the point of view of the side to move.
    pub scores: Vec<i16>,
    /// The result for the side to move: 1 won, 0 drawn, -1 lost.
    pub results: Vec<i8>,
    /// The number of moves since the start of the game.
    pub plies: Vec<u16>,
    /// The threats of each position, for [`Features::Threats`].
    pub threats: Lists<Threat>,
    /// The indices as the side to move sees the position, and as the other side does, for
    /// [`Features::Indices`].
    pub indices: [Lists<u32>; 2],
}

impl Batch {
    /// The number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.boards.len()
    }

    /// Whether there are no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.boards.is_empty()
    }

    fn with_capacity(capacity: usize) -> Batch {
        Batch {
            boards: Vec::with_capacity(capacity),
            kings: Vec::with_capacity(capacity),
            sides: Vec::with_capacity(capacity),
            scores: Vec::with_capacity(capacity),
            results: Vec::with_capacity(capacity),
            plies: Vec::with_capacity(capacity),
            ..Batch::default()
        }
    }

    fn push(&mut self, position: &Position) {
        self.boards.push(position.board);
        self.kings.push(position.kings);
        self.sides.push(position.side);
        self.scores.push(position.score);
        self.results.push(position.result);
        self.plies.push(position.ply);
    }
}

/// A list for each position, in one vector.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lists<T> {
    /// The start of each list, and the end of the last one. Empty if the lists were not computed.
    pub offsets: Vec<u32>,
    /// All lists.
    pub values: Vec<T>,
}

impl<T> Lists<T> {
    /// The list of a position.
    ///
    /// # Panics
    ///
    /// If there is no such position, or the lists were not computed.
    #[must_use]
    pub fn get(&self, position: usize) -> &[T] {
        &self.values[self.offsets[position] as usize..self.offsets[position + 1] as usize]
    }
}

/// What is kept of an entry.
#[derive(Clone, Copy)]
struct Position {
    board: [u8; 64],
    kings: [u8; 2],
    side: u8,
    result: i8,
    score: i16,
    ply: u16,
}

impl Position {
    #[inline]
    fn of(entry: &Entry) -> Position {
        let board = entry.board();
        let king = |side| board.placement().pieces(side, Piece::King);
        Position {
            board: *board.codes(),
            kings: Side::BOTH.map(|side| king(side).trailing_zeros() as u8),
            side: board.side() as u8,
            result: entry.result(),
            score: entry.score(),
            ply: entry.ply(),
        }
    }
}
