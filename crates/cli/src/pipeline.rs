//! Processes ordered jobs on several threads and keeps their order.
//!
//! Each thread takes the next job, works on it, and waits for its turn to pass it to the sink. So
//! there are never more jobs than threads. A single worker uses the caller's thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::failure::Failure;

/// Produces jobs.
pub(crate) trait Source: Send + 'static {
    type Job: Default + Send;

    /// Replaces `job` with the next job. Returns `false` if there is none.
    fn next(&mut self, job: &mut Self::Job) -> Result<bool, Failure>;
}

/// Consumes jobs.
pub(crate) trait Sink<Job>: Send + 'static {
    fn take(&mut self, job: &Job) -> Result<(), Failure>;
}

/// Takes every job from the source, runs `work` on it, and passes it to the sink. Returns the sink,
/// and the first failure.
pub(crate) fn run<S: Source, T: Sink<S::Job>>(
    threads: usize,
    source: S,
    work: impl Fn(&mut S::Job) + Send + Sync + 'static,
    sink: T,
) -> (T, Result<(), Failure>) {
    let shared = Arc::new(Shared {
        source: Mutex::new(Ordered { tickets: 0, source, failure: None }),
        work,
        sink: Mutex::new(Turns {
            turn: 0,
            sink: Some(sink),
            failure: None,
            running: threads,
            panicked: false,
        }),
        changed: Condvar::new(),
        stopped: AtomicBool::new(false),
    });
    if threads == 1 {
        shared.worker();
    } else if let Err(error) = shared.spawn(threads) {
        let mut turns = lock(&shared.sink);
        let reason = format!("cannot start {threads} threads: {error} (use fewer: --threads)");
        turns.failure = Some(Failure::Input(reason));
    }
    let mut turns = lock(&shared.sink);
    // Don't wait for a worker blocked on slow input.
    while turns.running > 0 && turns.failure.is_none() && !turns.panicked {
        turns = shared.changed.wait(turns).unwrap_or_else(PoisonError::into_inner);
    }
    assert!(!turns.panicked, "a thread of the pipeline panicked");
    let failure = match turns.failure.take() {
        None => lock(&shared.source).failure.take(),
        failure => failure,
    };
    let sink = turns.sink.take().expect("only taken here");
    (sink, failure.map_or(Ok(()), Err))
}

struct Shared<S, T, W> {
    source: Mutex<Ordered<S>>,
    work: W,
    sink: Mutex<Turns<T>>,
    /// Signalled when a turn or a thread ends.
    changed: Condvar,
    stopped: AtomicBool,
}

struct Ordered<S> {
    /// The number of jobs taken so far, which is the ticket of the next job.
    tickets: u64,
    source: S,
    failure: Option<Failure>,
}

struct Turns<T> {
    /// The ticket of the job whose turn it is.
    turn: u64,
    /// The sink. `None` after the end or a panic.
    sink: Option<T>,
    failure: Option<Failure>,
    running: usize,
    panicked: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<S: Source, T: Sink<S::Job>, W: Fn(&mut S::Job) + Send + Sync + 'static> Shared<S, T, W> {
    fn spawn(self: &Arc<Self>, threads: usize) -> std::io::Result<()> {
        // Hold the lock until all threads exist, so that none starts working earlier.
        let _held = lock(&self.source);
        for _ in 0..threads {
            let shared = Arc::clone(self);
            let spawned = thread::Builder::new().spawn(move || shared.worker());
            spawned.inspect_err(|_| self.stopped.store(true, Ordering::Relaxed))?;
        }
        Ok(())
    }

    fn worker(&self) {
        let _ending = Ending(self);
        let mut job = S::Job::default();
        while let Some(ticket) = self.next(&mut job) {
            (self.work)(&mut job);
            if !self.pass_on(ticket, &job) {
                break;
            }
        }
    }

    fn next(&self, job: &mut S::Job) -> Option<u64> {
        let mut ordered = lock(&self.source);
        if self.stopped.load(Ordering::Relaxed) {
            return None;
        }
        let next = ordered.source.next(job);
        if let Ok(true) = next {
            ordered.tickets += 1;
            return Some(ordered.tickets - 1);
        }
        self.stopped.store(true, Ordering::Relaxed);
        ordered.failure = next.err();
        None
    }

    /// Waits for the job's turn and passes it to the sink. Returns whether the worker should go on.
    fn pass_on(&self, ticket: u64, job: &S::Job) -> bool {
        let mut turns = lock(&self.sink);
        while turns.turn != ticket && turns.sink.is_some() {
            turns = self.changed.wait(turns).unwrap_or_else(PoisonError::into_inner);
        }
        if turns.failure.is_some() {
            return false;
        }
        let Some(sink) = &mut turns.sink else {
            return false;
        };
        let taken = sink.take(job);
        if taken.is_err() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        turns.failure = taken.err();
        turns.turn += 1;
        self.changed.notify_all();
        turns.failure.is_none()
    }
}

/// Records the end of a thread when dropped. After a panic, it also drops the sink, which removes
/// the temporary output file. `Shared` would drop the sink too late, because threads that wait for
/// input hold `Shared` until the process ends.
struct Ending<'a, S, T, W>(&'a Shared<S, T, W>);

impl<S, T, W> Drop for Ending<'_, S, T, W> {
    fn drop(&mut self) {
        let mut turns = lock(&self.0.sink);
        turns.running -= 1;
        if thread::panicking() {
            turns.panicked = true;
            turns.sink = None;
            self.0.stopped.store(true, Ordering::Relaxed);
        }
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, Sink, Source, run};
    use std::time::Duration;

    struct Numbers(u64);

    impl Source for Numbers {
        type Job = u64;

        fn next(&mut self, job: &mut u64) -> Result<bool, Failure> {
            self.0 += 1;
            *job = self.0;
            match self.0 {
                0..=999 => Ok(true),
                1000 => Ok(false),
                _ => Err(Failure::Input("read on after the end".into())),
            }
        }
    }

    struct List(Vec<u64>, u64);

    impl Sink<u64> for List {
        fn take(&mut self, job: &u64) -> Result<(), Failure> {
            if *job == self.1 {
                return Err(Failure::Input("full".into()));
            }
            self.0.push(*job);
            Ok(())
        }
    }

    /// After a panic, the sink is dropped although another thread still waits for input.
    #[test]
    fn a_panic_drops_the_sink() {
        use std::sync::mpsc::{Receiver, Sender, channel};

        /// Returns one job, and then waits until the test ends.
        struct Slow(Option<u64>, Receiver<()>);

        impl Source for Slow {
            type Job = u64;

            fn next(&mut self, _: &mut u64) -> Result<bool, Failure> {
                if self.0.take().is_none() {
                    self.1.recv().ok();
                    return Ok(false);
                }
                Ok(true)
            }
        }

        struct Dropped(Sender<()>);

        impl Sink<u64> for Dropped {
            fn take(&mut self, _: &u64) -> Result<(), Failure> {
                Ok(())
            }
        }

        impl Drop for Dropped {
            fn drop(&mut self) {
                self.0.send(()).unwrap();
            }
        }

        for threads in [1, 2, 8] {
            let (end, waiting) = channel();
            let (sender, dropped) = channel();
            let result = std::panic::catch_unwind(|| {
                let source = Slow(Some(1), waiting);
                run(threads, source, |_| panic!("as a test"), Dropped(sender)).1.is_ok()
            });
            assert!(result.is_err());
            dropped.try_recv().expect("the sink is dropped before the panic is passed on");
            drop(end);
        }
    }

    fn square(job: &mut u64) {
        if job.is_multiple_of(7) {
            std::thread::sleep(Duration::from_micros(*job % 500));
        }
        *job *= *job;
    }

    #[test]
    fn order_is_kept_and_nothing_is_lost() {
        for threads in [1, 2, 3, 8] {
            let (list, result) = run(threads, Numbers(0), square, List(Vec::new(), 0));
            assert!(result.is_ok());
            assert!(list.0.iter().copied().eq((1..1000).map(|n| n * n)), "{threads} threads");
        }
    }

    #[test]
    fn jobs_before_a_failure_reach_the_sink() {
        for threads in [1, 2, 8] {
            let (list, result) = run(threads, Numbers(0), square, List(Vec::new(), 500 * 500));
            assert_eq!(result.unwrap_err().to_string(), "full");
            assert!(list.0.iter().copied().eq((1..500).map(|n| n * n)));
            let (list, result) = run(threads, Numbers(1000), square, List(Vec::new(), 0));
            assert_eq!(result.unwrap_err().to_string(), "read on after the end");
            assert!(list.0.is_empty());
        }
    }
}
