//! The threads. Chunks are decoded in parts, in parallel. Parts enter the shuffle buffer one at a
//! time, in the order of the files, so the batches do not depend on the number of threads. Their
//! features are computed in parallel.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{io, mem, process};

use setwise::Kernel;
use setwise_positions::binpack::{Chunks, Entries, Entry, Filter, Place};
use setwise_positions::{Piece, Side};

use crate::features::Scratch;
use crate::shuffle::Shuffler;
use crate::{Batch, Features, Loader, Position, with_path};

/// The entries of a part.
const PART: usize = 1 << 14;

/// The parts of a chunk that may wait. Chunks of 1 MiB have fewer.
const PARTS: usize = 32;

/// The batches of a [`Loader`], in order. Dropping it ends its threads.
///
/// After an error, which names the file and where possible chunk and byte, it ends. The positions
/// before the error come first.
#[derive(Debug)]
pub struct Batches {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    process: u32,
}

impl Batches {
    pub(crate) fn new(loader: &Loader) -> io::Result<Batches> {
        let threads = match loader.threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let kernel = Kernel::try_active()
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error.to_string()))?;
        let source = Source {
            paths: loader.paths.clone().into_iter(),
            file: None,
            number: 0,
            shard: loader.shard,
        };
        let state = State {
            source: Some(source),
            shuffler: Some(Shuffler::new(loader.shuffle, loader.seed, loader.batch_size)),
            ..State::default()
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            work: Condvar::new(),
            ready: Condvar::new(),
            filter: loader.filter,
            features: loader.features.clone(),
            kernel,
            threads,
        });
        let mut batches = Batches { shared, threads: Vec::new(), process: process::id() };
        for _ in 0..threads {
            let shared = Arc::clone(&batches.shared);
            let name = "setwise-loader".to_owned();
            let spawned = thread::Builder::new().name(name).spawn(move || shared.run());
            batches.threads.push(spawned?);
        }
        Ok(batches)
    }

    /// Waits until the next batch, error or end is there, or the time is over. Returns whether
    /// [`next`](Iterator::next) will return without waiting.
    pub fn wait(&mut self, time: Duration) -> bool {
        if process::id() != self.process {
            return true;
        }
        let state = self.shared.lock();
        let waited = self.shared.ready.wait_timeout_while(state, time, |state| !state.is_ready());
        waited.unwrap_or_else(PoisonError::into_inner).0.is_ready()
    }
}

impl Iterator for Batches {
    type Item = io::Result<Batch>;

    fn next(&mut self) -> Option<io::Result<Batch>> {
        if process::id() != self.process {
            let what = "the loader was started before this process was forked: start it here";
            return Some(Err(io::Error::other(what)));
        }
        let state = self.shared.lock();
        let waited = self.shared.ready.wait_while(state, |state| !state.is_ready());
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        let next = state.next;
        if let Some(batch) = state.done.remove(&next) {
            state.next += 1;
            self.shared.work.notify_all();
            return Some(Ok(batch));
        }
        state.failure.take().map(Err)
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        if process::id() != self.process {
            // A forked process has no such threads, and the lock may be taken for good.
            mem::forget(mem::take(&mut self.threads));
            mem::forget(Arc::clone(&self.shared));
            return;
        }
        self.shared.lock().stopped = true;
        self.shared.work.notify_all();
        for thread in self.threads.drain(..) {
            // A panic was reported by `next`.
            let _ = thread.join();
        }
    }
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// A thread may have work.
    work: Condvar,
    /// The next batch may be there.
    ready: Condvar,
    filter: Filter,
    features: Features,
    kernel: &'static Kernel,
    threads: usize,
}

#[derive(Default)]
struct State {
    /// `None` while a thread reads, and at the end.
    source: Option<Source>,
    /// The chunks that were read, in order, and the number of the first one.
    chunks: VecDeque<Chunk>,
    first: u64,
    is_reading: bool,
    /// `None` while a thread shuffles, and at the end.
    shuffler: Option<Shuffler>,
    /// Batches without their features, and the number of all batches so far.
    todo: VecDeque<(u64, Batch)>,
    count: u64,
    /// Finished batches, and the number of the next one to return.
    done: BTreeMap<u64, Batch>,
    next: u64,
    /// All batches have been made.
    is_complete: bool,
    /// What ended the files before their end.
    failure: Option<io::Error>,
    stopped: bool,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("next", &self.next).finish_non_exhaustive()
    }
}

/// A chunk, and the parts of it that have not been shuffled.
struct Chunk {
    /// `None` while a thread decodes it, and at its end.
    job: Option<Job>,
    is_busy: bool,
    parts: VecDeque<Vec<Position>>,
    failure: Option<io::Error>,
}

/// What is left of a chunk to decode.
struct Job {
    payload: Vec<u8>,
    place: Place,
    /// The number of the next entry.
    index: u64,
    /// The number of the chunk in its file, from 0, and the offset of its payload.
    chunk: u64,
    offset: u64,
    path: Arc<PathBuf>,
}

enum Task {
    Compute(u64, Batch),
    Shuffle(Shuffler, Option<Vec<Position>>),
    Decode(u64, Job),
    Read(Source),
    Wait,
    Stop,
}

impl State {
    fn is_ready(&self) -> bool {
        self.done.contains_key(&self.next) || self.is_complete && self.next == self.count
    }

    /// Takes the next task: what is nearest to the output comes first.
    fn task(&mut self, threads: usize) -> Task {
        let window = 2 * threads as u64 + 2;
        if self.stopped {
            return Task::Stop;
        }
        if self.todo.front().is_some_and(|(number, _)| *number < self.next + window)
            && let Some((number, batch)) = self.todo.pop_front()
        {
            return Task::Compute(number, batch);
        }
        if self.is_complete && self.todo.is_empty() {
            return Task::Stop;
        }
        self.drop_chunks();
        if (self.todo.len() as u64) < window && self.shuffler.is_some() {
            let part = self.chunks.front_mut().and_then(|chunk| chunk.parts.pop_front());
            let is_end = self.chunks.is_empty() && self.source.is_none() && !self.is_reading;
            if (part.is_some() || is_end)
                && let Some(shuffler) = self.shuffler.take()
            {
                return Task::Shuffle(shuffler, part);
            }
        }
        for (number, chunk) in (self.first..).zip(&mut self.chunks) {
            if chunk.parts.len() < PARTS
                && let Some(job) = chunk.job.take()
            {
                chunk.is_busy = true;
                return Task::Decode(number, job);
            }
        }
        if self.chunks.len() <= threads
            && let Some(source) = self.source.take()
        {
            self.is_reading = true;
            return Task::Read(source);
        }
        Task::Wait
    }

    /// Drops the first chunks that are shuffled. After a failure there is nothing to read.
    fn drop_chunks(&mut self) {
        while let Some(chunk) = self.chunks.front_mut() {
            if chunk.is_busy || chunk.job.is_some() || !chunk.parts.is_empty() {
                return;
            }
            self.failure = chunk.failure.take();
            if self.failure.is_some() {
                self.chunks.clear();
                self.source = None;
                return;
            }
            self.chunks.pop_front();
            self.first += 1;
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let guard = Panicked(self);
        let mut scratch = Scratch::default();
        let mut state = self.lock();
        loop {
            let task = state.task(self.threads);
            if matches!(task, Task::Wait) {
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            drop(state);
            state = match task {
                Task::Compute(number, mut batch) => {
                    self.features.compute(self.kernel, &mut batch, &mut scratch);
                    let mut state = self.lock();
                    state.done.insert(number, batch);
                    state
                }
                Task::Shuffle(mut shuffler, part) => {
                    let is_end = match part {
                        Some(part) => {
                            shuffler.push(&part);
                            false
                        }
                        None => shuffler.finish(PART),
                    };
                    let mut state = self.lock();
                    for batch in shuffler.batches.drain(..) {
                        let number = state.count;
                        state.todo.push_back((number, batch));
                        state.count += 1;
                    }
                    state.is_complete = is_end;
                    state.shuffler = (!is_end).then_some(shuffler);
                    state
                }
                Task::Decode(number, job) => {
                    let (part, next) = job.decode(&self.filter);
                    let mut state = self.lock();
                    let at = number - state.first;
                    if let Some(chunk) = state.chunks.get_mut(at as usize) {
                        chunk.is_busy = false;
                        chunk.parts.push_back(part);
                        match next {
                            Ok(job) => chunk.job = job,
                            Err(failure) => chunk.failure = Some(failure),
                        }
                    }
                    state
                }
                Task::Read(mut source) => {
                    let read = source.next();
                    let mut state = self.lock();
                    state.is_reading = false;
                    let (job, failure) = match read {
                        Ok(job) => (job, None),
                        Err(failure) => (None, Some(failure)),
                    };
                    if job.is_some() {
                        state.source = Some(source);
                    }
                    if job.is_some() || failure.is_some() {
                        let parts = VecDeque::new();
                        state.chunks.push_back(Chunk { job, is_busy: false, parts, failure });
                    }
                    state
                }
                Task::Wait | Task::Stop => {
                    mem::forget(guard);
                    self.ready.notify_all();
                    self.work.notify_all();
                    return;
                }
            };
            self.work.notify_all();
            self.ready.notify_all();
        }
    }
}

/// Ends all threads if one panics.
struct Panicked<'a>(&'a Shared);

impl Drop for Panicked<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        (state.stopped, state.is_complete, state.count) = (true, true, state.next);
        state.done.clear();
        state.failure = Some(io::Error::other("a thread of the loader panicked"));
        self.0.work.notify_all();
        self.0.ready.notify_all();
    }
}

/// Reads the chunks of the files.
struct Source {
    paths: std::vec::IntoIter<PathBuf>,
    file: Option<(Arc<PathBuf>, Chunks<File>)>,
    /// The chunks of all files so far.
    number: u64,
    shard: (u64, u64),
}

impl Source {
    fn next(&mut self) -> io::Result<Option<Job>> {
        loop {
            let Some((path, chunks)) = &mut self.file else {
                let Some(path) = self.paths.next() else {
                    return Ok(None);
                };
                let file = File::open(&path).map_err(|error| with_path(&path, &error))?;
                self.file = Some((Arc::new(path), Chunks::new(file)));
                continue;
            };
            let mut payload = Vec::new();
            let (chunk, offset) = (chunks.count(), chunks.offset() + 8);
            let is_ours = self.number % self.shard.1 == self.shard.0;
            let read = if is_ours { chunks.next(&mut payload) } else { chunks.skip() };
            if !read.map_err(|error| with_path(path, &error))? {
                self.file = None;
                continue;
            }
            self.number += 1;
            if is_ours {
                let (path, place) = (Arc::clone(path), Entries::new(&payload).place());
                return Ok(Some(Job { payload, place, index: 0, chunk, offset, path }));
            }
        }
    }
}

impl Job {
    /// Decodes a part. Also returns what is left.
    fn decode(mut self, filter: &Filter) -> (Vec<Position>, io::Result<Option<Job>>) {
        let mut part = Vec::with_capacity(PART);
        let mut entries = Entries::at(&self.payload, &self.place);
        for _ in 0..PART {
            match entries.next() {
                Ok(Some(entry)) => {
                    if filter.keeps(entry, self.chunk, self.index) {
                        part.push(Position::of(entry));
                    }
                    self.index += 1;
                }
                Ok(None) => return (part, Ok(None)),
                Err(error) => {
                    let (chunk, byte) = (self.chunk + 1, self.offset + error.byte() as u64);
                    let what = format!("chunk {chunk}, byte {byte}: {}", error.reason());
                    let error = io::Error::new(io::ErrorKind::InvalidData, what);
                    return (part, Err(with_path(&self.path, &error)));
                }
            }
        }
        self.place = entries.place();
        (part, Ok(Some(self)))
    }
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
