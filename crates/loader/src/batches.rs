//! The stages from files to batches, and who does the work.
//!
//! Threads read chunks, decode and filter them, shuffle and fill. Between these jobs, the stages
//! [`Order`], [`Shards`], [`Cut`] and [`Fill`] move what is done, behind a lock, without a look at
//! a position. The thread that takes the batches does nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{io, mem, process, thread};

use crossbeam_channel::{Receiver, Sender, bounded};
use setwise::Kernel;
use setwise_positions::binpack::{Reason, mix};

use crate::crew::{Crew, Plan};
use crate::cut::Cut;
use crate::deck::{Deck, Kind, Pile};
use crate::fill::Fill;
use crate::filler::Filler;
use crate::order::{FileOrder, Lane, Limits, Next, Weight};
use crate::piece::Piece;
use crate::record::Record;
use crate::shards::{self, Shards, Step};
use crate::shuffle::Shuffler;
use crate::source::{Chunk, Decoder, Files, Left, Mixed, PART, Part, Source, Stream};
use crate::{Batch, Loader, Order, with_path};

/// The entries of a chunk that may wait when they are decoded. Chunks of 1 MiB have fewer.
const WAITING: usize = 1 << 19;

/// The positions that follow one another from one of several files that are mixed, or in a shard of
/// a shuffle.
const SLICE: usize = 256;

/// The batches of a [`Loader`], in order. Dropping it ends its threads.
///
/// After an error, which names the file and where possible chunk and byte, it ends. The positions
/// before the error come first.
#[derive(Debug)]
pub struct Batches {
    /// `None` only while it is dropped.
    crew: Option<Crew<Loading>>,
    recycler: Sender<Batch>,
    /// Set to end batches that are being filled.
    is_over: Arc<AtomicBool>,
    /// The number of batches so far, kept here so that it can be read without the lock.
    taken: u64,
    process: u32,
}

/// What was read so far, also for batches that are still to come.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statistics {
    /// The entries that were decoded.
    pub entries: u64,
    /// Those that were kept.
    pub kept: u64,
    /// The chunks and files that could not be read to their end, with [`OnError::Skip`](crate::OnError::Skip).
    pub failures: u64,
    /// The first twenty errors.
    pub errors: Vec<String>,
    skipped: [u64; Reason::ALL.len()],
}

impl Statistics {
    pub(crate) fn add(&mut self, part: &Part) {
        self.entries += part.entries;
        self.kept += part.records.len() as u64;
        for (sum, count) in self.skipped.iter_mut().zip(part.skipped) {
            *sum += count;
        }
    }

    /// How many entries were skipped for a reason.
    #[must_use]
    pub fn skipped(&self, reason: Reason) -> u64 {
        self.skipped[reason as usize]
    }
}

/// Takes batches back, so that their memory is used again. A batch of padded rows then takes less
/// time, because most of its padding is there. Any thread may use it, also after the [`Batches`].
///
/// ```
/// use setwise_loader::Loader;
/// let batches = Loader::new(Vec::new()).batches()?;
/// let recycler = batches.recycler();
/// for batch in batches {
///     let batch = batch?;
///     // Train with it.
///     recycler.recycle(batch);
/// }
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug, Clone)]
pub struct Recycler(Sender<Batch>);

impl Recycler {
    /// Takes a batch back. Its memory is freed if there are enough others.
    pub fn recycle(&self, batch: Batch) {
        let _ = self.0.try_send(batch);
    }
}

impl Batches {
    pub(crate) fn new(loader: &Loader, sizes: &[u64]) -> io::Result<Batches> {
        let (pass, shard, seed) = (loader.pass, loader.shard, loader.seed);
        if loader.order == Order::Files {
            let files = Files::new(loader.paths.clone(), 0, pass, shard);
            return Batches::of(loader, vec![Lane::new(Box::new(files), Weight::Bytes(1.0))]);
        }
        let mut kinds = Vec::new();
        for (number, path) in (0..).zip(&loader.paths) {
            let opened = Stream::open(path).map_err(|error| with_path(path, &error))?;
            kinds.push(match opened {
                (Stream::File(_), format) => {
                    let file = (number, format);
                    Kind::File(Mixed::new(path.clone(), file, seed, pass, shard))
                }
                // Only what comes next can be read.
                (Stream::Compressed(..), _) => {
                    Kind::Stream(Files::new(vec![path.clone()], number, pass, shard))
                }
            });
        }
        let weights = match &loader.order {
            Order::Weighted(weights) => weights.iter().map(|w| Weight::Entries(*w)).collect(),
            _ => sizes.iter().map(|size| Weight::Bytes(*size as f64)).collect::<Vec<_>>(),
        };
        if loader.order == Order::Chunks {
            let piles = kinds.into_iter().zip(sizes).map(|(kind, size)| Pile::new(kind, *size));
            let hands = Deck::deal_to(threads(loader), piles.collect(), seed, pass);
            let lane = |hand| Lane::new(Box::new(hand), Weight::Entries(1.0));
            return Batches::of(loader, hands.into_iter().map(lane).collect());
        }
        let source = |kind| -> Box<dyn Source> {
            match kind {
                Kind::File(mixed) => Box::new(mixed),
                Kind::Stream(files) => Box::new(files),
            }
        };
        let lanes = kinds.into_iter().map(source).zip(weights);
        Batches::of(loader, lanes.map(|(source, weight)| Lane::new(source, weight)).collect())
    }

    /// Loads chunks of any sources. The loader's paths are not used.
    fn of(loader: &Loader, lanes: Vec<Lane>) -> io::Result<Batches> {
        let threads = threads(loader);
        let kernel = Kernel::try_active()
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error.to_string()))?;
        let (recycler, recycled) = bounded(2 * window(threads));
        let is_over = Arc::new(AtomicBool::new(false));
        let (loading, decoder) = Loading::new(loader, lanes, threads);
        let taken = loading.fill.taken();
        let crew = Crew::new(threads, loading, || {
            let mut worker = Worker {
                decoder: decoder.clone(),
                filler: Filler::new(kernel, loader),
                recycled: recycled.clone(),
                is_over: Arc::clone(&is_over),
            };
            move |job| worker.run(job)
        })?;
        Ok(Batches { crew: Some(crew), recycler, is_over, taken, process: process::id() })
    }

    fn crew(&self) -> &Crew<Loading> {
        self.crew.as_ref().expect("only taken by `drop`")
    }

    /// Whether this process is a fork of the one that has the threads: the lock may be taken for
    /// good.
    fn is_elsewhere(&self) -> bool {
        process::id() != self.process
    }

    /// Waits until the next batch, error or end is there, or the time is over. Returns whether
    /// [`next`](Iterator::next) will return without waiting.
    pub fn wait(&mut self, time: Duration) -> bool {
        let ready = |loading: &mut Loading| loading.is_ready().then_some(());
        let until = Instant::now().checked_add(time);
        self.is_elsewhere() || self.crew().wait(until, ready).is_some()
    }

    /// Where to give batches back.
    #[must_use]
    pub fn recycler(&self) -> Recycler {
        Recycler(self.recycler.clone())
    }

    /// What was read, and what was skipped and why. Nothing in a forked process, which has none of
    /// the threads.
    ///
    /// # Panics
    ///
    /// Never.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        if self.is_elsewhere() {
            return Statistics::default();
        }
        self.crew().with(|loading| loading.order.statistics.clone())
    }

    /// The number of batches so far, with those that were left out: a value for
    /// [`Loader::resume`], with which the same loader goes on after the last batch.
    ///
    /// # Panics
    ///
    /// Never.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.taken
    }
}

impl Iterator for Batches {
    type Item = io::Result<Batch>;

    fn next(&mut self) -> Option<io::Result<Batch>> {
        if self.is_elsewhere() {
            let what = "the loader was started before this process was forked: start it here";
            return Some(Err(io::Error::other(what)));
        }
        let take = |loading: &mut Loading| {
            loading.is_ready().then(|| (loading.take(), loading.fill.taken()))
        };
        let (batch, taken) = self.crew().wait(None, take)?;
        self.taken = taken;
        batch
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if self.is_elsewhere() {
            mem::forget(self.crew.take());
        }
    }
}

fn threads(loader: &Loader) -> usize {
    match loader.threads {
        0 => thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

/// The batches that were begun and not taken.
fn window(threads: usize) -> usize {
    2 * threads + 2
}

/// Work for a thread.
#[allow(clippy::large_enum_variant, reason = "a job is moved a few times for many positions")]
enum Job {
    /// With the number of the lane.
    Read(usize, Box<dyn Source>),
    /// With the numbers of the lane and the chunk.
    Decode(usize, u64, Chunk),
    /// With the number of the shard.
    Shuffle(usize, Box<Shuffler>, Vec<Step>),
    /// With the number of the batch.
    Fill(u64, Vec<Piece>),
}

/// Its result.
#[allow(clippy::large_enum_variant, reason = "a result is moved a few times for many positions")]
enum Done {
    Read(usize, Box<dyn Source>, io::Result<Option<Chunk>>),
    Decode(usize, u64, Part, Left),
    Shuffle(usize, Box<Shuffler>, Vec<Vec<Record>>),
    Fill(u64, io::Result<Batch>),
}

/// What a thread works with.
struct Worker {
    decoder: Decoder,
    filler: Filler,
    recycled: Receiver<Batch>,
    is_over: Arc<AtomicBool>,
}

impl Worker {
    fn run(&mut self, job: Job) -> Done {
        match job {
            Job::Read(lane, mut source) => {
                let read = source.next();
                Done::Read(lane, source, read)
            }
            Job::Decode(lane, number, chunk) => {
                let (part, left) = self.decoder.decode(chunk);
                Done::Decode(lane, number, part, left)
            }
            Job::Shuffle(number, mut shard, steps) => {
                let output = steps.iter().map(|step| shards::run(&mut shard, step)).collect();
                Done::Shuffle(number, shard, output)
            }
            Job::Fill(number, pieces) => {
                // Not before: with fewer batches, more of their memory stays in the cache.
                let batch = self.recycled.try_recv().unwrap_or_default();
                Done::Fill(number, self.filler.fill_unless(&self.is_over, &pieces, batch))
            }
        }
    }
}

/// How far reading is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    Goes,
    /// The shards output what they hold.
    Flushes,
    Over,
}

/// All stages.
struct Loading {
    order: FileOrder,
    shards: Shards,
    cut: Cut,
    fill: Fill,
    reading: Reading,
    drop_last: bool,
    cycle: bool,
    /// What comes after the last batch.
    failure: Option<io::Error>,
}

impl std::fmt::Debug for Loading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loading").field("reading", &self.reading).finish_non_exhaustive()
    }
}

impl Loading {
    /// The stages, and how chunks are decoded.
    fn new(loader: &Loader, lanes: Vec<Lane>, threads: usize) -> (Loading, Decoder) {
        // All lanes together have enough chunks and parts for the threads, and not many more.
        let count = lanes.len().max(1);
        // In one order of all chunks, positions of different lanes need not be near each other.
        let least = if loader.order == Order::Chunks { PART / 2 } else { PART / 16 };
        let part = (4 * PART / count).clamp(least, PART);
        let seed = match loader.pass {
            0 => loader.seed,
            pass => mix(loader.seed ^ mix(pass)),
        };
        let chunks = 1 + threads.div_ceil(count);
        let is_dealt = loader.order == Order::Chunks;
        let limits = Limits {
            chunks,
            // One thread has one count of pieces.
            sieves: if is_dealt || threads == 1 && loader.filter.pieces.is_some() {
                1
            } else {
                chunks
            },
            reads: if lanes.iter().any(Lane::waits) { 1 } else { usize::MAX },
            is_shard: loader.shard.1 > 1,
            parts: (WAITING / part / count).max(2),
            slice: if count > 1 || loader.shuffle > 1 { SLICE } else { usize::MAX },
        };
        let filter = loader.filter;
        let decoder = Decoder { filter, keep: loader.keep.clone(), part };
        let order = FileOrder::new(lanes, limits, filter, loader.pass, loader.cycle);
        let loading = Loading {
            order: order.on_error(loader.on_error),
            shards: Shards::new(loader.shuffle, seed),
            cut: Cut::new(loader.batch_size),
            fill: Fill::new(window(threads) as u64, loader.resume, loader.limit),
            reading: Reading::Goes,
            drop_last: loader.drop_last,
            cycle: loader.cycle,
            failure: None,
        };
        (loading, decoder)
    }

    /// Moves what is done from stage to stage, until a batch is there to be filled.
    fn advance(&mut self) {
        if self.fill.is_at_limit() {
            self.finish();
        }
        while self.cut.batches.is_empty() {
            if let Some(piece) = self.shards.pop() {
                self.cut.push(piece);
                continue;
            }
            match self.reading {
                Reading::Goes if self.shards.has_room() => match self.order.next() {
                    Next::Piece(piece) => self.shards.push(piece),
                    Next::Wait => return,
                    Next::End(failure) => {
                        self.failure = failure;
                        self.reading = Reading::Flushes;
                    }
                },
                Reading::Flushes if self.shards.is_over() => self.end(),
                Reading::Flushes if self.shards.flush() => {}
                _ => return,
            }
        }
    }

    /// After the last position.
    fn end(&mut self) {
        self.reading = Reading::Over;
        self.cut.finish(self.drop_last);
        let is_empty = self.cycle && self.order.statistics.kept == 0;
        let failure = self.failure.take().or_else(|| is_empty.then(|| self.order.nothing()));
        self.failure = failure.or_else(|| self.fill.check_resume(self.cut.batches.len()));
    }

    /// Makes no more batches.
    fn finish(&mut self) {
        self.order.end();
        self.shards.clear();
        self.cut.clear();
        self.failure = None;
        self.reading = Reading::Over;
    }

    /// Drops the batches that were not taken, and returns a failure next.
    fn stop(&mut self, failure: io::Error) {
        self.finish();
        self.failure = Some(failure);
        self.fill.clear();
    }

    /// Whether the next batch is there, or there is none.
    fn is_ready(&mut self) -> bool {
        self.advance();
        let is_over = self.reading == Reading::Over && self.cut.batches.is_empty();
        is_over && self.fill.is_idle() || self.fill.is_ready()
    }

    /// Takes the next batch or the failure, when it is ready.
    fn take(&mut self) -> Option<io::Result<Batch>> {
        match self.fill.take() {
            Some(Err(failure)) => {
                self.stop(failure);
                self.failure.take().map(Err)
            }
            Some(batch) => Some(batch),
            None => self.failure.take().map(Err),
        }
    }
}

impl Plan for Loading {
    type Job = Job;
    type Done = Done;

    /// What is nearest to the output comes first.
    fn next(&mut self) -> Option<Job> {
        self.advance();
        while self.fill.has_room()
            && let Some(pieces) = self.cut.batches.pop_front()
        {
            let number = self.fill.begin();
            self.advance();
            if let Some(number) = number {
                return Some(Job::Fill(number, pieces));
            }
        }
        if let Some((index, shard, steps)) = self.shards.next(true) {
            return Some(Job::Shuffle(index, shard, steps));
        }
        if let Some((index, source)) = self.order.next_read() {
            return Some(Job::Read(index, source));
        }
        if let Some((index, number, chunk)) = self.order.next_decode() {
            return Some(Job::Decode(index, number, chunk));
        }
        let (index, shard, steps) = self.shards.next(false)?;
        Some(Job::Shuffle(index, shard, steps))
    }

    fn receive(&mut self, done: Done) {
        match done {
            Done::Read(index, source, read) => self.order.receive_chunk(index, source, read),
            Done::Decode(index, number, part, left) => {
                self.order.receive_part(index, number, part, left);
            }
            Done::Shuffle(index, shard, output) => self.shards.receive(index, shard, output),
            Done::Fill(number, batch) => self.fill.receive(number, batch),
        }
    }

    fn panicked(&mut self, message: String) {
        // What a thread was working on is lost.
        self.stop(io::Error::other(format!("a thread of the loader panicked: {message}")));
    }

    fn is_ready(&mut self) -> bool {
        Loading::is_ready(self)
    }
}

#[cfg(test)]
mod model;
#[cfg(test)]
mod tests;
