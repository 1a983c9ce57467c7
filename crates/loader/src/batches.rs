//! What is read, decoded and computed next, and the order of the results. All of it is decided by
//! the thread that takes the batches. Parts of chunks enter the shuffle buffer in an order that
//! depends on the files and settings alone, so the batches do not depend on the number of threads.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};
use std::{io, mem, process, thread};

use crossbeam_channel::{Receiver, Sender, bounded};
use setwise::Kernel;
use setwise_positions::binpack::{PieceCounter, Reason, mix};

use crate::filler::Filler;
use crate::pool::Pool;
use crate::record::Record;
use crate::shuffle::Shuffler;
use crate::source::{Chunk, Decoder, Files, Mixed, PART, Part, Source, Stream};
use crate::{Batch, Loader, OnError, Order, with_path};

/// The parts of a chunk that may wait. Chunks of 1 MiB have fewer.
const PARTS: usize = 128;

/// The positions that follow one another from one of several files that are mixed.
const SLICE: usize = 256;

/// The errors that [`Statistics`] keeps.
const ERRORS: usize = 20;

/// The batches of a [`Loader`], in order. Dropping it ends its threads.
///
/// After an error, which names the file and where possible chunk and byte, it ends. The positions
/// before the error come first.
#[derive(Debug)]
pub struct Batches {
    /// `None` only while it is dropped.
    loading: Option<Loading>,
    process: u32,
}

/// What was read so far, also for batches that are still to come.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statistics {
    /// The entries that were decoded.
    pub entries: u64,
    /// Those that were kept.
    pub kept: u64,
    /// The chunks and files that could not be read to their end, with [`OnError::Skip`].
    pub failures: u64,
    /// The first twenty errors.
    pub errors: Vec<String>,
    skipped: [u64; Reason::ALL.len()],
}

impl Statistics {
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
        let (pass, shard) = (loader.pass, loader.shard);
        let weights = match &loader.order {
            Order::Files => {
                let files = Files::new(loader.paths.clone(), 0, pass, shard);
                return Batches::of(loader, vec![Lane::new(Box::new(files), Weight::Bytes(1.0))]);
            }
            Order::Mixed => sizes.iter().map(|size| Weight::Bytes(*size as f64)).collect(),
            Order::Weighted(weights) => {
                weights.iter().map(|weight| Weight::Entries(*weight)).collect::<Vec<_>>()
            }
        };
        let mut lanes = Vec::new();
        for ((number, path), weight) in (0..).zip(&loader.paths).zip(weights) {
            let stream = Stream::open(path).map_err(|error| with_path(path, &error))?;
            let source: Box<dyn Source> = match stream {
                Stream::File(_) => {
                    Box::new(Mixed::new(path.clone(), number, loader.seed, pass, shard))
                }
                // Only what comes next can be read.
                Stream::Compressed(..) => {
                    Box::new(Files::new(vec![path.clone()], number, pass, shard))
                }
            };
            lanes.push(Lane::new(source, weight));
        }
        Batches::of(loader, lanes)
    }

    /// Loads chunks of any sources. The loader's paths are not used.
    fn of(loader: &Loader, lanes: Vec<Lane>) -> io::Result<Batches> {
        let loading = Some(Loading::new(loader, lanes)?);
        Ok(Batches { loading, process: process::id() })
    }

    /// Waits until the next batch, error or end is there, or the time is over. Returns whether
    /// [`next`](Iterator::next) will return without waiting.
    pub fn wait(&mut self, time: Duration) -> bool {
        let until = Instant::now().checked_add(time);
        match &mut self.loading {
            Some(loading) if process::id() == self.process => loading.wait(until),
            _ => true,
        }
    }

    /// Where to give batches back.
    ///
    /// # Panics
    ///
    /// Never.
    #[must_use]
    pub fn recycler(&self) -> Recycler {
        Recycler(self.loading.as_ref().expect("only taken by `drop`").recycler.clone())
    }

    /// What was read, and what was skipped and why.
    ///
    /// # Panics
    ///
    /// Never.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.loading.as_ref().expect("only taken by `drop`").statistics
    }

    /// The number of batches so far, with those that were left out: a value for
    /// [`Loader::resume`], with which the same loader goes on after the last batch.
    ///
    /// # Panics
    ///
    /// Never.
    #[must_use]
    pub fn taken(&self) -> u64 {
        let loading = self.loading.as_ref().expect("only taken by `drop`");
        loading.next.max(loading.resume.min(loading.limit))
    }
}

impl Iterator for Batches {
    type Item = io::Result<Batch>;

    fn next(&mut self) -> Option<io::Result<Batch>> {
        if process::id() != self.process {
            let what = "the loader was started before this process was forked: start it here";
            return Some(Err(io::Error::other(what)));
        }
        let loading = self.loading.as_mut()?;
        loading.wait(None);
        loading.take()
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        if process::id() != self.process {
            // A forked process has no such threads, and a lock of the channels may be taken for
            // good.
            mem::forget(self.loading.take());
        }
    }
}

/// Work for a thread.
#[allow(clippy::large_enum_variant, reason = "a job is moved once for thousands of positions")]
enum Job {
    /// With the number of the lane.
    Read(usize, Box<dyn Source>),
    /// With the numbers of the lane and the chunk.
    Decode(usize, u64, Chunk),
    /// With the number of the batch.
    Compute(u64, Vec<Record>),
}

/// Its result.
enum Done {
    Read(usize, Box<dyn Source>, io::Result<Option<Chunk>>),
    Decode(usize, u64, Part, io::Result<Option<Chunk>>),
    /// With the memory of the records.
    Compute(u64, io::Result<Batch>, Vec<Record>),
}

/// Where a source is.
enum Reading {
    Waits(Box<dyn Source>),
    Busy,
    /// After the last chunk, or after a failure.
    Over,
}

/// A chunk whose parts have not all been shuffled.
struct Open {
    parts: VecDeque<Part>,
    rest: Rest,
}

/// What comes after the parts of a chunk.
enum Rest {
    Waits(Chunk),
    Busy,
    End,
    Failure(io::Error),
    /// The end of a pass.
    Pass,
}

/// What a lane has of the positions.
#[derive(Debug, Clone, Copy)]
enum Weight {
    /// So many bytes in a pass.
    Bytes(f64),
    /// This share of the entries.
    Entries(f64),
}

/// Chunks in order: those of all files, or of one that is mixed with others.
struct Lane {
    reading: Reading,
    /// The chunks that are open, in order, and the number of the first one.
    open: VecDeque<Open>,
    first: u64,
    weight: Weight,
    /// What was shuffled, divided by the weight. The lane with the least is next.
    progress: f64,
    /// The part that is being shuffled, and how much of it was.
    part: Part,
    shuffled: usize,
    /// The passes that were read.
    passes: u64,
    /// `progress` at the start of this pass.
    start: f64,
    /// The number of positions that were kept before this pass, and whether none was in the last.
    kept: u64,
    is_idle: bool,
}

impl Lane {
    fn new(source: Box<dyn Source>, weight: Weight) -> Lane {
        Lane {
            reading: Reading::Waits(source),
            open: VecDeque::new(),
            first: 0,
            weight,
            progress: 0.0,
            part: Part::default(),
            shuffled: 0,
            passes: 0,
            start: 0.0,
            kept: 0,
            is_idle: false,
        }
    }

    /// Whether all its positions were shuffled.
    fn is_over(&self) -> bool {
        let is_read = self.open.is_empty() && matches!(self.reading, Reading::Over);
        is_read && self.shuffled == self.part.records.len()
    }

    /// Adds a share of the part to what was shuffled.
    fn advance(&mut self, share: f64) {
        self.progress += share
            * match self.weight {
                Weight::Bytes(all) => self.part.bytes / all.max(1.0),
                Weight::Entries(weight) => self.part.entries as f64 / weight,
            };
    }

    fn end(&mut self) {
        self.first += self.open.len() as u64;
        self.open.clear();
        self.reading = Reading::Over;
        self.part = Part::default();
        self.shuffled = 0;
    }
}

struct Loading {
    pool: Pool<Job, Done>,
    lanes: Vec<Lane>,
    /// The most chunks of a lane that are open, and the most parts of each that wait.
    chunks: usize,
    parts: usize,
    first_pass: u64,
    cycle: bool,
    on_error: OnError,
    counter: Option<PieceCounter>,
    /// `None` after the last position.
    shuffler: Option<Shuffler>,
    drop_last: bool,
    /// The batches to leave out first, and the number at which to end.
    resume: u64,
    limit: u64,
    /// Batches without their features.
    todo: VecDeque<Vec<Record>>,
    /// The number of batches whose features were computed or are being computed, and the most of
    /// them that were not taken.
    begun: u64,
    window: u64,
    /// Finished batches, and the number of the next one to return.
    done: BTreeMap<u64, io::Result<Batch>>,
    next: u64,
    /// What comes after the last batch.
    failure: Option<io::Error>,
    statistics: Statistics,
    recycler: Sender<Batch>,
}

impl std::fmt::Debug for Loading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loading").field("next", &self.next).finish_non_exhaustive()
    }
}

impl Loading {
    fn new(loader: &Loader, lanes: Vec<Lane>) -> io::Result<Loading> {
        let threads = match loader.threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let kernel = Kernel::try_active()
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error.to_string()))?;
        // All lanes together have enough chunks and parts for the threads, and not many more.
        let count = lanes.len().max(1);
        let (chunks, window) = (1 + threads.div_ceil(count), 2 * threads + 2);
        let part = (16 * PART / count).clamp(PART / 4, PART);
        let decoder = Decoder { filter: loader.filter, keep: loader.keep.clone(), part };
        // Each lane has one job that reads.
        let (recycler, recycled) = bounded(2 * window);
        let pool = Pool::new(threads, count * (chunks + 1) + window, || {
            let (decoder, mut filler) = (decoder.clone(), Filler::new(kernel, loader));
            let recycled: Receiver<Batch> = recycled.clone();
            move |job| match job {
                Job::Read(lane, mut source) => {
                    let read = source.next();
                    Done::Read(lane, source, read)
                }
                Job::Decode(lane, number, chunk) => {
                    let (part, rest) = chunk.decode(&decoder);
                    Done::Decode(lane, number, part, rest)
                }
                Job::Compute(number, records) => {
                    // Not before: with fewer batches, more of their memory stays in the cache.
                    let batch = recycled.try_recv().unwrap_or_default();
                    Done::Compute(number, filler.fill(&records, batch), records)
                }
            }
        })?;
        let seed = match loader.pass {
            0 => loader.seed,
            pass => mix(loader.seed ^ mix(pass)),
        };
        let draws = loader.filter.in_pass(loader.pass).seed;
        let mut loading = Loading {
            pool,
            lanes,
            chunks,
            parts: (PARTS / count).max(2),
            first_pass: loader.pass,
            cycle: loader.cycle,
            on_error: loader.on_error,
            counter: loader.filter.pieces.map(|wanted| PieceCounter::new(wanted, draws)),
            shuffler: Some(Shuffler::new(loader.shuffle, seed, loader.batch_size)),
            drop_last: loader.drop_last,
            resume: loader.resume,
            limit: loader.limit.unwrap_or(u64::MAX),
            todo: VecDeque::new(),
            begun: 0,
            window: window as u64,
            done: BTreeMap::new(),
            next: 0,
            failure: None,
            statistics: Statistics::default(),
            recycler,
        };
        loading.schedule();
        Ok(loading)
    }

    /// Whether the next batch is there, or there is none.
    fn is_ready(&self) -> bool {
        let is_over = self.shuffler.is_none() && self.todo.is_empty() && self.begun == self.next;
        is_over || self.done.contains_key(&self.next)
    }

    /// Receives results until the next batch, failure or end is there, or the time is over.
    fn wait(&mut self, until: Option<Instant>) -> bool {
        loop {
            // The threads are given work even if the next batch has long been there.
            while let Some(done) = self.pool.try_receive() {
                self.receive(done);
            }
            self.schedule();
            if self.is_ready() {
                return true;
            }
            match self.pool.receive(until) {
                Some(done) => self.receive(done),
                None => return false,
            }
        }
    }

    /// Takes the next batch or the failure, after a wait for it.
    fn take(&mut self) -> Option<io::Result<Batch>> {
        match self.done.remove(&self.next) {
            Some(Ok(batch)) => {
                self.next += 1;
                self.schedule();
                Some(Ok(batch))
            }
            Some(Err(failure)) => {
                self.stop(failure);
                self.failure.take().map(Err)
            }
            None => self.failure.take().map(Err),
        }
    }

    /// Gives the threads all work that there is room for: what is nearest to the output first.
    fn schedule(&mut self) {
        loop {
            while self.begun < self.next + self.window
                && let Some(records) = self.todo.pop_front()
            {
                if self.begun >= self.limit {
                    break;
                }
                if self.begun < self.resume {
                    self.next += 1;
                } else {
                    self.pool.send(Job::Compute(self.begun, records));
                }
                self.begun += 1;
            }
            if self.begun >= self.limit {
                self.finish();
            }
            if !self.todo.is_empty() || !self.shuffle() {
                break;
            }
        }
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            for (number, open) in (lane.first..).zip(&mut lane.open) {
                if open.parts.len() < self.parts {
                    match mem::replace(&mut open.rest, Rest::Busy) {
                        Rest::Waits(chunk) => self.pool.send(Job::Decode(index, number, chunk)),
                        rest => open.rest = rest,
                    }
                }
            }
            if lane.open.len() < self.chunks {
                match mem::replace(&mut lane.reading, Reading::Busy) {
                    Reading::Waits(source) => self.pool.send(Job::Read(index, source)),
                    reading => lane.reading = reading,
                }
            }
        }
    }

    /// Shuffles the next positions. Returns whether it got further.
    fn shuffle(&mut self) -> bool {
        let Some(shuffler) = &mut self.shuffler else {
            return false;
        };
        let is_mixed = self.lanes.len() > 1;
        let lanes = self.lanes.iter_mut().filter(|lane| !lane.is_over());
        let Some(lane) = lanes.min_by(|a, b| a.progress.total_cmp(&b.progress)) else {
            let is_over = shuffler.finish(self.drop_last);
            self.todo.append(&mut shuffler.batches);
            if is_over {
                self.shuffler = None;
                if self.cycle && self.statistics.kept == 0 && self.failure.is_none() {
                    self.failure = Some(nothing());
                }
            }
            return true;
        };
        if lane.shuffled == lane.part.records.len() {
            return self.next_part();
        }
        let records = &lane.part.records[lane.shuffled..];
        let records = if is_mixed { &records[..records.len().min(SLICE)] } else { records };
        if let Some(counter) = &mut self.counter {
            for record in records {
                if counter.keeps(record.pieces()) {
                    shuffler.extend(std::slice::from_ref(record));
                    self.statistics.kept += 1;
                } else {
                    self.statistics.skipped[Reason::Pieces as usize] += 1;
                }
            }
        } else {
            shuffler.extend(records);
            self.statistics.kept += records.len() as u64;
        }
        self.todo.append(&mut shuffler.batches);
        let share = records.len() as f64 / lane.part.records.len() as f64;
        lane.shuffled += records.len();
        lane.advance(share);
        true
    }

    /// Goes on to the next part of the lane whose turn it is, or to what follows the last one of a
    /// chunk. Returns whether it was there.
    fn next_part(&mut self) -> bool {
        let lanes = self.lanes.iter_mut().filter(|lane| !lane.is_over());
        let lane = lanes.min_by(|a, b| a.progress.total_cmp(&b.progress)).expect("it was there");
        let Some(open) = lane.open.front_mut() else {
            return false;
        };
        if let Some(part) = open.parts.pop_front() {
            self.statistics.entries += part.entries;
            for (sum, count) in self.statistics.skipped.iter_mut().zip(part.skipped) {
                *sum += count;
            }
            (lane.part, lane.shuffled) = (part, 0);
            if lane.part.records.is_empty() {
                lane.advance(1.0);
            }
            return true;
        }
        let (mut failure, mut is_stuck) = (None, false);
        match mem::replace(&mut open.rest, Rest::End) {
            rest @ (Rest::Waits(_) | Rest::Busy) => {
                open.rest = rest;
                return false;
            }
            Rest::End => {}
            Rest::Failure(error) if self.on_error == OnError::Skip => {
                self.statistics.failures += 1;
                if self.statistics.errors.len() < ERRORS {
                    self.statistics.errors.push(error.to_string());
                }
            }
            Rest::Failure(error) => failure = Some(error),
            Rest::Pass => {
                lane.is_idle = lane.kept == self.statistics.kept;
                lane.kept = self.statistics.kept;
                is_stuck = lane.progress <= lane.start;
                lane.start = lane.progress;
            }
        }
        lane.open.pop_front();
        lane.first += 1;
        if is_stuck {
            // A pass without a chunk, for one: the lane would always be next.
            lane.end();
        }
        let kept = self.statistics.kept;
        let is_idle = |lane: &Lane| lane.is_over() || lane.is_idle && lane.kept == kept;
        if self.cycle && self.lanes.iter().all(is_idle) {
            failure = failure.or_else(|| Some(nothing()));
        }
        if failure.is_some() {
            self.failure = failure;
            self.end();
        }
        true
    }

    /// Ends reading. What was shuffled is still output. Results of other chunks that are still to
    /// come are dropped.
    fn end(&mut self) {
        self.lanes.iter_mut().for_each(Lane::end);
    }

    /// Makes no more batches.
    fn finish(&mut self) {
        self.end();
        self.failure = None;
        self.shuffler = None;
        self.todo.clear();
    }

    /// Drops the batches that were not taken, and returns a failure next.
    fn stop(&mut self, failure: io::Error) {
        self.finish();
        self.failure = Some(failure);
        self.done.clear();
        self.begun = self.next;
    }

    fn receive(&mut self, done: io::Result<Done>) {
        match done {
            // What a thread was working on is lost.
            Err(panic) => self.stop(panic),
            Ok(Done::Read(index, source, read)) => self.received_chunk(index, source, read),
            Ok(Done::Decode(index, number, part, rest)) => {
                let lane = &mut self.lanes[index];
                // After a failure, the chunks after it are not there.
                let place = number.checked_sub(lane.first).map(|place| place as usize);
                if let Some(open) = place.and_then(|place| lane.open.get_mut(place)) {
                    open.parts.push_back(part);
                    open.rest = match rest {
                        Ok(Some(chunk)) => Rest::Waits(chunk),
                        Ok(None) => Rest::End,
                        Err(failure) => Rest::Failure(failure),
                    };
                }
            }
            Ok(Done::Compute(number, batch, records)) => {
                if let Some(shuffler) = &mut self.shuffler {
                    shuffler.recycle(records);
                }
                // After a failure, batches are dropped.
                if number < self.begun {
                    self.done.insert(number, batch);
                }
            }
        }
    }

    fn received_chunk(
        &mut self,
        index: usize,
        mut source: Box<dyn Source>,
        read: io::Result<Option<Chunk>>,
    ) {
        let (lane, skips) = (&mut self.lanes[index], self.on_error == OnError::Skip);
        if matches!(lane.reading, Reading::Over) {
            return;
        }
        let (rest, goes_on) = match read {
            Ok(Some(chunk)) => (Rest::Waits(chunk), true),
            Err(failure) => (Rest::Failure(failure), skips),
            Ok(None) if self.cycle => {
                lane.passes += 1;
                source.restart(self.first_pass + lane.passes);
                (Rest::Pass, true)
            }
            Ok(None) => {
                lane.reading = Reading::Over;
                return;
            }
        };
        lane.reading = if goes_on { Reading::Waits(source) } else { Reading::Over };
        lane.open.push_back(Open { parts: VecDeque::new(), rest });
    }
}

/// Going on with the next pass would not end.
fn nothing() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "no position is left of a whole pass")
}

#[cfg(test)]
mod tests;
