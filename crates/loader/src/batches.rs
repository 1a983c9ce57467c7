//! What is read, decoded and computed next, and the order of the results. All of it is decided by
//! the thread that takes the batches. Parts of chunks enter the shuffle buffer in the order of the
//! files, so the batches do not depend on the number of threads.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};
use std::{io, mem, process, thread};

use setwise::Kernel;

use crate::features::Scratch;
use crate::pool::Pool;
use crate::shuffle::Shuffler;
use crate::source::{Chunk, Files, PART, Source};
use crate::{Batch, Loader, Position};

/// The parts of a chunk that may wait. Chunks of 1 MiB have fewer.
const PARTS: usize = 32;

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

impl Batches {
    pub(crate) fn new(loader: &Loader) -> io::Result<Batches> {
        let files = Files::new(loader.paths.clone(), loader.shard);
        Batches::of(loader, Box::new(files))
    }

    /// Loads chunks of any source. The loader's paths are not used.
    fn of(loader: &Loader, source: Box<dyn Source>) -> io::Result<Batches> {
        let loading = Some(Loading::new(loader, source)?);
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
enum Job {
    Read(Box<dyn Source>),
    /// With the number of the chunk.
    Decode(u64, Chunk),
    /// With the number of the batch.
    Compute(u64, Batch),
}

/// Its result.
enum Done {
    Read(Box<dyn Source>, io::Result<Option<Chunk>>),
    Decode(u64, Vec<Position>, io::Result<Option<Chunk>>),
    Compute(u64, Batch),
}

/// Where the source is.
enum Reading {
    Waits(Box<dyn Source>),
    Busy,
    /// After the last chunk, or after a failure.
    Over,
}

/// A chunk whose parts have not all been shuffled.
struct Open {
    parts: VecDeque<Vec<Position>>,
    rest: Rest,
}

/// What comes after the parts of a chunk.
enum Rest {
    Waits(Chunk),
    Busy,
    End,
    Failure(io::Error),
}

struct Loading {
    pool: Pool<Job, Done>,
    /// The most chunks that are open.
    chunks: usize,
    reading: Reading,
    /// The chunks that are open, in order, and the number of the first one.
    open: VecDeque<Open>,
    first: u64,
    /// `None` after the last position.
    shuffler: Option<Shuffler>,
    /// Batches without their features.
    todo: VecDeque<Batch>,
    /// The number of batches whose features were computed or are being computed, and the most of
    /// them that were not taken.
    begun: u64,
    window: u64,
    /// Finished batches, and the number of the next one to return.
    done: BTreeMap<u64, Batch>,
    next: u64,
    /// What comes after the last batch.
    failure: Option<io::Error>,
}

impl std::fmt::Debug for Loading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loading").field("next", &self.next).finish_non_exhaustive()
    }
}

impl Loading {
    fn new(loader: &Loader, source: Box<dyn Source>) -> io::Result<Loading> {
        let threads = match loader.threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let kernel = Kernel::try_active()
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error.to_string()))?;
        let (chunks, window) = (threads + 1, 2 * threads + 2);
        let (filter, features) = (loader.filter, &loader.features);
        // One job reads.
        let pool = Pool::new(threads, chunks + window + 1, || {
            let (features, mut scratch) = (features.clone(), Scratch::default());
            move |job| match job {
                Job::Read(mut source) => {
                    let read = source.next();
                    Done::Read(source, read)
                }
                Job::Decode(number, chunk) => {
                    let (part, rest) = chunk.decode(&filter);
                    Done::Decode(number, part, rest)
                }
                Job::Compute(number, mut batch) => {
                    features.compute(kernel, &mut batch, &mut scratch);
                    Done::Compute(number, batch)
                }
            }
        })?;
        let mut loading = Loading {
            pool,
            chunks,
            reading: Reading::Waits(source),
            open: VecDeque::new(),
            first: 0,
            shuffler: Some(Shuffler::new(loader.shuffle, loader.seed, loader.batch_size)),
            todo: VecDeque::new(),
            begun: 0,
            window: window as u64,
            done: BTreeMap::new(),
            next: 0,
            failure: None,
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
        if let Some(batch) = self.done.remove(&self.next) {
            self.next += 1;
            self.schedule();
            return Some(Ok(batch));
        }
        self.failure.take().map(Err)
    }

    /// Gives the threads all work that there is room for: what is nearest to the output first.
    fn schedule(&mut self) {
        loop {
            while self.begun < self.next + self.window
                && let Some(batch) = self.todo.pop_front()
            {
                self.pool.send(Job::Compute(self.begun, batch));
                self.begun += 1;
            }
            if !self.todo.is_empty() || !self.shuffle() {
                break;
            }
        }
        for (number, open) in (self.first..).zip(&mut self.open) {
            if open.parts.len() < PARTS {
                match mem::replace(&mut open.rest, Rest::Busy) {
                    Rest::Waits(chunk) => self.pool.send(Job::Decode(number, chunk)),
                    rest => open.rest = rest,
                }
            }
        }
        if self.open.len() < self.chunks {
            match mem::replace(&mut self.reading, Reading::Busy) {
                Reading::Waits(source) => self.pool.send(Job::Read(source)),
                reading => self.reading = reading,
            }
        }
    }

    /// Shuffles the next part. Returns whether there was one.
    fn shuffle(&mut self) -> bool {
        let Some(shuffler) = &mut self.shuffler else {
            return false;
        };
        match self.open.front_mut() {
            Some(open) => match (open.parts.pop_front(), &mut open.rest) {
                (Some(part), _) => shuffler.push(&part),
                (None, Rest::Waits(_) | Rest::Busy) => return false,
                (None, rest) => {
                    if let Rest::Failure(failure) = mem::replace(rest, Rest::End) {
                        self.end(failure);
                    } else {
                        self.open.pop_front();
                        self.first += 1;
                    }
                    return true;
                }
            },
            None if !matches!(self.reading, Reading::Over) => return false,
            None => {
                if shuffler.finish(PART) {
                    self.todo.extend(shuffler.batches.drain(..));
                    self.shuffler = None;
                    return true;
                }
            }
        }
        self.todo.extend(shuffler.batches.drain(..));
        true
    }

    /// Ends reading. What was shuffled is still output. Results of other chunks that are still to
    /// come are dropped.
    fn end(&mut self, failure: io::Error) {
        self.failure = Some(failure);
        self.first += self.open.len() as u64;
        self.open.clear();
        self.reading = Reading::Over;
    }

    fn receive(&mut self, done: io::Result<Done>) {
        let done = match done {
            Ok(done) => done,
            Err(panic) => return self.panicked(panic),
        };
        match done {
            Done::Read(source, read) => {
                if matches!(self.reading, Reading::Over) {
                    return;
                }
                let rest = match read {
                    Ok(Some(chunk)) => {
                        self.reading = Reading::Waits(source);
                        Rest::Waits(chunk)
                    }
                    Ok(None) => {
                        self.reading = Reading::Over;
                        return;
                    }
                    Err(failure) => {
                        self.reading = Reading::Over;
                        Rest::Failure(failure)
                    }
                };
                self.open.push_back(Open { parts: VecDeque::new(), rest });
            }
            Done::Decode(number, part, rest) => {
                // After a failure, the chunks after it are not there.
                let at = number.checked_sub(self.first).map(|at| at as usize);
                if let Some(open) = at.and_then(|at| self.open.get_mut(at)) {
                    open.parts.push_back(part);
                    open.rest = match rest {
                        Ok(Some(chunk)) => Rest::Waits(chunk),
                        Ok(None) => Rest::End,
                        Err(failure) => Rest::Failure(failure),
                    };
                }
            }
            // After a panic, batches are dropped.
            Done::Compute(number, batch) if number < self.begun => {
                self.done.insert(number, batch);
            }
            Done::Compute(..) => {}
        }
    }

    /// What a thread was working on is lost, so there is nothing to return but the failure.
    fn panicked(&mut self, failure: io::Error) {
        self.end(failure);
        self.shuffler = None;
        self.todo.clear();
        self.done.clear();
        self.begun = self.next;
    }
}

#[cfg(test)]
mod tests;
