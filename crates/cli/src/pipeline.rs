//! Processes ordered jobs on several threads and keeps their order.
//!
//! Each thread takes the next job, works on it, and waits for its turn to pass it to the sink. So
//! there are never more jobs than threads.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use crate::failure::Failure;

/// Calls `next` for each job, until it returns `false`. Runs `work` on the jobs, and passes them to
/// `take` in their order, with the sink. Returns the sink and the first failure: all jobs before it
/// have reached the sink.
pub(crate) fn run<J: Default + Send + 'static, T: Send + 'static>(
    threads: usize,
    next: impl FnMut(&mut J) -> Result<bool, Failure> + Send + 'static,
    work: impl Fn(&mut J) + Send + Sync + 'static,
    sink: T,
    take: impl Fn(&mut T, &J) -> Result<(), Failure> + Send + Sync + 'static,
) -> (T, Result<(), Failure>) {
    let shared = Arc::new(Shared {
        next: Mutex::new((0, Some(next))),
        work,
        sink: Mutex::new((0, Some(sink))),
        take,
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

struct Shared<N, W, T, F> {
    /// The ticket of the next job, and the function that makes it. `None` after the last job.
    next: Mutex<(u64, Option<N>)>,
    work: W,
    /// The ticket of the job whose turn it is, and the sink. `None` after the end.
    sink: Mutex<(u64, Option<T>)>,
    take: F,
    /// Signalled when a turn ends.
    changed: Condvar,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<N, W, T, F> Shared<N, W, T, F> {
    /// Processes jobs. Returns the result of all work if this thread reached the end or a failure.
    fn worker<J: Default>(&self) -> Option<Result<(), Failure>>
    where
        N: FnMut(&mut J) -> Result<bool, Failure>,
        W: Fn(&mut J),
        F: Fn(&mut T, &J) -> Result<(), Failure>,
    {
        let mut job = J::default();
        loop {
            let (ticket, next) = {
                let (tickets, make) = &mut *lock(&self.next);
                // `None` if another thread reached the end.
                let next = make.as_mut()?(&mut job);
                if !matches!(next, Ok(true)) {
                    *make = None;
                }
                *tickets += 1;
                (*tickets - 1, next)
            };
            if let Ok(true) = next {
                (self.work)(&mut job);
            }
            // The end and a failure of `next` have a turn, too.
            let waiting = self.changed.wait_while(lock(&self.sink), |(turn, _)| *turn != ticket);
            let (turn, sink) = &mut *waiting.unwrap_or_else(PoisonError::into_inner);
            if !matches!(next, Ok(true)) {
                return Some(next.map(drop));
            }
            if let Err(failure) = (self.take)(sink.as_mut()?, &job) {
                return Some(Err(failure));
            }
            *turn += 1;
            self.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, run};
    use std::time::Duration;

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
                let mut number = first;
                let next = move |job: &mut u64| {
                    number += 1;
                    *job = number;
                    match number {
                        0..=999 => Ok(true),
                        1000 => Ok(false),
                        _ => Err(Failure::Input("read on after the end".into())),
                    }
                };
                let take = move |list: &mut Vec<u64>, job: &u64| {
                    if *job == full_at * full_at {
                        return Err(Failure::Input("full".into()));
                    }
                    list.push(*job);
                    Ok(())
                };
                let (list, result) = run(threads, next, square, Vec::new(), take);
                assert!(list.into_iter().eq(jobs.map(|n| n * n)), "{threads} threads");
                assert_eq!(result.err().map(|error| error.to_string()).as_deref(), failure);
            }
        }
    }
}
