#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]
#![allow(clippy::precedence, reason = "`a & b << c` is usual for sets of squares")]

mod batch;
mod batches;
mod crew;
mod cut;
mod deck;
mod features;
mod fill;
mod filler;
mod formats;
mod huge_pages;
mod inputs;
mod lists;
mod order;
mod ordered;
mod pawn_pairs;
mod piece;
mod pieces;
mod policy;
mod prefetch;
mod record;
mod rules;
mod shards;
mod shuffle;
mod source;
mod summary;
mod table;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::{fmt, io};

pub use batch::Batch;
pub use batches::{Batches, Recycler, Statistics};
pub use features::{Features, threats, threats_by};
use filler::Filler;
pub use inputs::{Inputs, Part};
pub use lists::Lists;
pub use ordered::ordered;
pub use pieces::Pieces;
pub use policy::{MoveNumbers, Policy};
use record::Record;
pub use rules::{EVERY_PAIR, NAMES, named_rules, rules};
use setwise::Kernel;
use setwise_positions::binpack::Entry;
pub use setwise_positions::binpack::{Filter, PieceCounts, Reason, SoftEarly};
use source::Stream;
pub use table::Table;

/// What to load, and how. [`batches`](Loader::batches) starts it, each time from the beginning.
#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools, reason = "options")]
pub struct Loader {
    /// The files: binpack, viriformat, marlinformat or bulletformat, which their contents decide.
    /// Each may be compressed by gzip or Zstandard.
    pub paths: Vec<PathBuf>,
    /// The order in which the files are read.
    pub order: Order,
    /// The positions of a batch. The last batch may have fewer.
    pub batch_size: usize,
    /// The number of threads (0: one per CPU), at most 1024. The batches depend on it only with
    /// [`Order::Chunks`] and [`Filter::pieces`].
    pub threads: usize,
    /// Which entries to skip.
    pub filter: Filter,
    /// Skips entries by a function, after the filter: see [`Loader::keep`].
    pub keep: Option<Keep>,
    /// The positions of the shuffle buffer, 44 bytes each. A position is delayed by up to about
    /// twice as many, each delay with the same probability. 0 keeps the order of the files.
    pub shuffle: usize,
    /// The seed of the shuffle and of [`Order::Mixed`].
    pub seed: u64,
    /// The number of the pass. Each pass has its own order and its own random draws of the filter.
    pub pass: u64,
    /// Go on with the next pass after the last position, without an end. Batches may have positions
    /// of both passes.
    pub cycle: bool,
    /// Drop the last batch if it is not full.
    pub drop_last: bool,
    /// End after this many batches, so that several processes have the same number. With
    /// [`cycle`](Loader::cycle) there are always as many.
    pub limit: Option<u64>,
    /// Leave out this many batches, to resume after them: see [`Batches::taken`]. They are decoded
    /// and shuffled, but their features are not computed.
    pub resume: u64,
    /// What to compute.
    pub features: Features,
    /// How indices are arranged.
    pub layout: Layout,
    /// Whose views come first.
    pub views: Views,
    /// The other columns.
    pub columns: Columns,
    /// What to give of the played move and the legal ones.
    pub policy: Policy,
    /// What happens after a chunk or file that cannot be read.
    pub on_error: OnError,
    /// Read only the chunks whose number, divided by the second number, leaves the first. Chunks
    /// are counted over all files, or with [`Order::Mixed`] from the number of the file on.
    /// Processes that share files take a shard each.
    pub shard: (u64, u64),
}

/// The order in which files are read.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Order {
    /// One after another.
    #[default]
    Files,
    /// All at once, in small parts, so that every batch has positions of all files, in proportion
    /// to their sizes. The chunks of each file come in a random order, those of a compressed file
    /// in its order.
    Mixed,
    /// The same with a weight for each file: its share of the entries, until a file ends.
    Weighted(Vec<f64>),
    /// The chunks of all files in one random order, one for each thread at a time: as Stockfish's
    /// trainer reads them. The order depends on the number of threads.
    Chunks,
}

/// How the indices of [`Features::Indices`] are arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// In [`Batch::indices`]: lists with their offsets.
    #[default]
    Lists,
    /// In [`Batch::rows`]: rows of one width, padded with -1.
    Rows {
        /// The width, or else [`Inputs::width`].
        width: Option<usize>,
    },
}

/// The order of the two views of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Views {
    /// The view of the side to move, then the other side's.
    #[default]
    Movers,
    /// White's view, then Black's.
    Colours,
}

/// Which columns a [`Batch`] has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "one per group of columns")]
pub struct Columns {
    /// `boards`.
    pub boards: bool,
    /// `kings`, `sides`, `scores`, `results` and `plies`.
    pub basics: bool,
    /// `moves`, `rule50`, `castling` and `en_passant`.
    pub details: bool,
    /// [`Batch::floats`], and the numbers of pieces.
    pub floats: bool,
}

impl Default for Columns {
    /// Boards and basics.
    fn default() -> Columns {
        Columns { boards: true, basics: true, details: false, floats: false }
    }
}

/// What happens after a chunk or file that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnError {
    /// The batches end with the error.
    #[default]
    End,
    /// Loading goes on with the next chunk or, if the file has no more, the next file. The error is
    /// in the [`Statistics`].
    Skip,
}

/// A function that says which entries to keep.
#[derive(Clone)]
pub struct Keep(Arc<dyn Fn(&Entry) -> bool + Send + Sync>);

impl Keep {
    fn keeps(&self, entry: &Entry) -> bool {
        (self.0)(entry)
    }
}

impl fmt::Debug for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keep")
    }
}

impl Loader {
    /// Batches of 16,384 boards in the order of the files, on all CPUs.
    #[must_use]
    pub fn new(paths: Vec<PathBuf>) -> Loader {
        Loader {
            paths,
            order: Order::Files,
            batch_size: 16_384,
            threads: 0,
            filter: Filter::default(),
            keep: None,
            shuffle: 0,
            seed: 0,
            pass: 0,
            cycle: false,
            drop_last: false,
            limit: None,
            resume: 0,
            features: Features::Boards,
            layout: Layout::Lists,
            views: Views::Movers,
            columns: Columns::default(),
            policy: Policy::None,
            on_error: OnError::End,
            shard: (0, 1),
        }
    }

    /// Keeps only entries for which a function of the caller returns true. It runs on all threads.
    ///
    /// ```
    /// use setwise_loader::Loader;
    /// let loader = Loader::new(Vec::new()).keep(|entry| entry.board().halfmove_clock() < 80);
    /// assert_eq!(loader.batches()?.count(), 0);
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub fn keep(self, keep: impl Fn(&Entry) -> bool + Send + Sync + 'static) -> Loader {
        Loader { keep: Some(Keep(Arc::new(keep))), ..self }
    }

    /// Makes a batch of these entries, in their order. Files, filter and order are not used.
    ///
    /// ```
    /// use setwise_loader::{Features, Inputs, Loader};
    /// # use setwise_positions::{Fen, Side, binpack::{Board, Entry, Move}};
    /// let fen = Fen::parse(b"4k3/8/8/8/4P3/8/8/4K3 b")?;
    /// let board = Board::new(fen.placement(), Side::Black, [false; 4], None, 0)?;
    /// let features = Features::Indices(Inputs::named("768")?);
    /// let loader = Loader { features, ..Loader::new(Vec::new()) };
    /// let batch = loader.batch(&[Entry::new(board, Move::NONE, 20, 0, 1)])?;
    /// assert_eq!(batch.indices[0].get(0), [764, 420, 324]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a row is too narrow, if its width is not from 1 to 4096, or if the environment names a
    /// kernel that this CPU cannot run.
    pub fn batch(&self, entries: &[Entry]) -> io::Result<Batch> {
        let kernel = Kernel::try_active()
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error.to_string()))?;
        self.check_width()?;
        let records: Vec<Record> = entries.iter().map(Record::of).collect();
        Filler::new(kernel, self).fill(&AtomicBool::new(false), &records, Batch::default())
    }

    fn check_width(&self) -> io::Result<()> {
        match self.layout {
            Layout::Rows { width: Some(width) } if !(1..=4096).contains(&width) => {
                let what = "the width of rows must be from 1 to 4096";
                Err(io::Error::new(io::ErrorKind::InvalidInput, what))
            }
            _ => Ok(()),
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
        if self.threads > 1024 {
            return wrong("threads must be from 0 to 1024");
        }
        if self.shard.0 >= self.shard.1 {
            return wrong("the number of a shard must be less than the number of shards");
        }
        self.check_width()?;
        if let Order::Weighted(weights) = &self.order {
            if weights.len() != self.paths.len() {
                return wrong("there must be a weight for each file");
            }
            if !weights.iter().all(|weight| weight.is_finite() && *weight > 0.0) {
                return wrong("weights must be greater than 0");
            }
        }
        if let Err(what) = self.filter.check() {
            return wrong(&what);
        }
        let sizes: Result<Vec<u64>, _> = self.paths.iter().map(|path| size_of_file(path)).collect();
        if !matches!(self.policy, Policy::None) {
            for path in &self.paths {
                // What cannot be opened is an error later, or is skipped, as without a policy.
                let Ok((_, format)) = Stream::open(path) else { continue };
                self.policy.check(format).map_err(|error| with_path(path, &error))?;
            }
        }
        Batches::new(self, &sizes?)
    }
}

/// An error of the system and the file that it concerns: what an error of [`Loader::batches`] and
/// of [`Batches`] wraps if the system has a number for it.
///
/// ```
/// use setwise_loader::{FileError, Loader};
/// let error = Loader::new(vec!["missing.binpack".into()]).batches().unwrap_err();
/// let file: &FileError = error.get_ref().unwrap().downcast_ref().unwrap();
/// assert!(file.error.raw_os_error().is_some());
/// assert_eq!(file.path, std::path::Path::new("missing.binpack"));
/// ```
#[derive(Debug)]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// What the system reported.
    pub error: io::Error,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.error)
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// The bytes of a regular file. Nothing else could be read again, or passed over by size.
fn size_of_file(path: &std::path::Path) -> io::Result<u64> {
    let metadata = std::fs::metadata(path).map_err(|error| with_path(path, &error))?;
    if !metadata.is_file() {
        let what = format!("{}: not a regular file", path.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    Ok(metadata.len())
}

/// The error with the path before it.
fn with_path(path: &std::path::Path, error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(number) => {
            let error = io::Error::from_raw_os_error(number);
            io::Error::new(error.kind(), FileError { path: path.to_owned(), error })
        }
        None => io::Error::new(error.kind(), format!("{}: {error}", path.display())),
    }
}
