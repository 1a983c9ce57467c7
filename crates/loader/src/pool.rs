//! The threads that read chunks, decode them and compute features.
//!
//! Each job owns what it works on, and gives it back with its result, so threads share nothing but
//! two channels.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{self, JoinHandle};
use std::time::Instant;
use std::{io, mem};

use crossbeam_channel::{Receiver, Sender, bounded};

/// Runs jobs on threads. Dropping it waits for the jobs that are being done, and drops the others.
#[derive(Debug)]
pub(crate) struct Pool<Job, Done> {
    /// `None` only while the pool is dropped.
    jobs: Option<Sender<Job>>,
    /// Takes back the jobs that no thread has begun.
    waiting: Receiver<Job>,
    results: Receiver<Result<Done, Panicked>>,
    threads: Vec<JoinHandle<()>>,
    /// The jobs whose results were not received.
    busy: usize,
    most: usize,
}

/// The message of a panic.
#[derive(Debug)]
pub(crate) struct Panicked(String);

impl<Job: Send + 'static, Done: Send + 'static> Pool<Job, Done> {
    /// Starts threads, each with a worker of its own. There are never more than `most` jobs, done
    /// or not, whose results were not received.
    pub(crate) fn new<Worker: FnMut(Job) -> Done + Send + 'static>(
        threads: usize,
        most: usize,
        worker: impl Fn() -> Worker,
    ) -> io::Result<Pool<Job, Done>> {
        let (jobs, waiting) = bounded(most);
        // Threads never wait here, because each job has a place for its result.
        let (sender, results) = bounded(most);
        let mut pool =
            Pool { jobs: Some(jobs), waiting, results, threads: Vec::new(), busy: 0, most };
        for _ in 0..threads {
            let (jobs, results, worker) = (pool.waiting.clone(), sender.clone(), worker());
            let name = "setwise-loader".to_owned();
            let thread = thread::Builder::new().name(name);
            pool.threads.push(thread.spawn(move || run(&jobs, &results, worker))?);
        }
        Ok(pool)
    }

    /// Hands a job to a thread.
    pub(crate) fn send(&mut self, job: Job) {
        assert!(self.busy < self.most, "more jobs than there is room for");
        self.busy += 1;
        let jobs = self.jobs.as_ref().expect("only taken by `drop`");
        jobs.send(job).unwrap_or_else(|_| unreachable!("this pool has a receiver"));
    }

    /// Whether no result is to come.
    #[cfg(test)]
    pub(crate) fn is_idle(&self) -> bool {
        self.busy == 0
    }

    /// Returns a result if there is one.
    pub(crate) fn try_receive(&mut self) -> Option<io::Result<Done>> {
        let result = self.results.try_recv().ok()?;
        Some(self.received(result))
    }

    /// Waits for a result until a time. `None` if there was none.
    pub(crate) fn receive(&mut self, until: Option<Instant>) -> Option<io::Result<Done>> {
        assert!(self.busy > 0, "there is nothing to wait for");
        let result = match until {
            Some(time) => self.results.recv_deadline(time).ok()?,
            None => self.results.recv().unwrap_or_else(|_| Err(Panicked("it ended".into()))),
        };
        Some(self.received(result))
    }

    fn received(&mut self, result: Result<Done, Panicked>) -> io::Result<Done> {
        self.busy -= 1;
        result.map_err(|Panicked(message)| {
            io::Error::other(format!("a thread of the loader panicked: {message}"))
        })
    }
}

/// Does jobs until there are no more, or one panics.
fn run<Job, Done>(
    jobs: &Receiver<Job>,
    results: &Sender<Result<Done, Panicked>>,
    mut worker: impl FnMut(Job) -> Done,
) {
    while let Ok(job) = jobs.recv() {
        // What the job was working on is dropped, and the worker is not used again.
        let result = catch_unwind(AssertUnwindSafe(|| worker(job))).map_err(message);
        let is_over = result.is_err();
        if results.send(result).is_err() || is_over {
            return;
        }
    }
}

/// The message of a panic, as far as it is text.
fn message(payload: Box<dyn Any + Send>) -> Panicked {
    let text = payload.downcast::<String>().map(|text| *text);
    let text = text.or_else(|payload| payload.downcast::<&str>().map(|text| (*text).to_owned()));
    Panicked(text.unwrap_or_else(|_| "without a message".to_owned()))
}

impl<Job, Done> Drop for Pool<Job, Done> {
    fn drop(&mut self) {
        drop(mem::take(&mut self.jobs));
        while self.waiting.try_recv().is_ok() {}
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
