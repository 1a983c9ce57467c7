//! Processes ordered jobs on several threads and keeps their order.
//!
//! Each thread takes the next job, works on it, and waits for its turn to pass it to the sink. So
//! there are never more jobs than threads.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use crate::failure::Failure;

pub(crate) trait Source: Send + 'static {
    type Job: Default + Send;

    /// Replaces `job` with the next job. Returns `false` if there is none.
    fn next(&mut self, job: &mut Self::Job) -> Result<bool, Failure>;
}

pub(crate) trait Sink<Job>: Send + 'static {
    fn take(&mut self, job: &Job) -> Result<(), Failure>;
}

/// Takes every job from the source, runs `work` on it, and passes it to the sink. Returns the sink,
/// and the first failure: all jobs before it have reached the sink.
pub(crate) fn run<S: Source, T: Sink<S::Job>>(
    threads: usize,
    source: S,
    work: impl Fn(&mut S::Job) + Send + Sync + 'static,
    sink: T,
) -> (T, Result<(), Failure>) {
    let shared = Arc::new(Shared {
        source: Mutex::new((0, Some(source))),
        work,
        sink: Mutex::new((0, Some(sink))),
        changed: Condvar::new(),
    });
    let (sender, results) = mpsc::channel();
    for _ in 0..threads {
        let (shared, results) = (Arc::clone(&shared), sender.clone());
        let worker = move || {
            if let Some(result) = shared.worker() {
                // An error means that another thread sent its result before.
                let _ = results.send(result);
            }
        };
        if let Err(error) = thread::Builder::new().spawn(worker) {
            let what = format!("cannot start {threads} threads: {error} (use fewer: --threads)");
            let _ = sender.send(Err(Failure::Input(what)));
            break;
        }
    }
    // Don't wait for the other workers: one may be blocked on slow input.
    let result = results.recv().expect("this thread has a sender");
    (lock(&shared.sink).1.take().expect("only taken here"), result)
}

struct Shared<S, T, W> {
    /// The ticket of the next job, and the source. `None` after its end.
    source: Mutex<(u64, Option<S>)>,
    work: W,
    /// The ticket of the job whose turn it is, and the sink. `None` after the end.
    sink: Mutex<(u64, Option<T>)>,
    /// Signalled when a turn ends.
    changed: Condvar,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<S: Source, T: Sink<S::Job>, W: Fn(&mut S::Job)> Shared<S, T, W> {
    /// Processes jobs. Returns the result of all work if this thread reached the end or a failure.
    fn worker(&self) -> Option<Result<(), Failure>> {
        let mut job = S::Job::default();
        loop {
            let (ticket, next) = self.next(&mut job)?;
            if let Ok(true) = next {
                (self.work)(&mut job);
            }
            // The end and a failure of the source have a turn, too.
            let waiting = self.changed.wait_while(lock(&self.sink), |(turn, _)| *turn != ticket);
            let (turn, sink) = &mut *waiting.unwrap_or_else(PoisonError::into_inner);
            if !matches!(next, Ok(true)) {
                return Some(next.map(drop));
            }
            if let Err(failure) = sink.as_mut()?.take(&job) {
                return Some(Err(failure));
            }
            *turn += 1;
            self.changed.notify_all();
        }
    }

    /// Takes the next job and its ticket. `None` if another thread reached the source's end.
    fn next(&self, job: &mut S::Job) -> Option<(u64, Result<bool, Failure>)> {
        let (tickets, source) = &mut *lock(&self.source);
        let next = source.as_mut()?.next(job);
        if !matches!(next, Ok(true)) {
            *source = None;
        }
        *tickets += 1;
        Some((*tickets - 1, next))
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

    fn square(job: &mut u64) {
        if job.is_multiple_of(7) {
            std::thread::sleep(Duration::from_micros(*job % 500));
        }
        *job *= *job;
    }

    #[test]
    fn all_jobs_before_the_end_or_a_failure_reach_the_sink_in_order() {
        for threads in [1, 2, 3, 8] {
            for (first, full_at, jobs, failure) in [
                (0, 0, 1..1000, None),
                (0, 500, 1..500, Some("full")),
                (1000, 0, 1..1, Some("read on after the end")),
            ] {
                let list = List(Vec::new(), full_at * full_at);
                let (list, result) = run(threads, Numbers(first), square, list);
                assert!(list.0.into_iter().eq(jobs.map(|n| n * n)), "{threads} threads");
                assert_eq!(result.err().map(|error| error.to_string()).as_deref(), failure);
            }
        }
    }
}
