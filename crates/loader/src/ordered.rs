//! Jobs of one source that several threads do, and one sink that takes them in their order.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;

use crate::crew::{Crew, Plan};

/// The sink, and the result of all work or what ended it.
type End<T, F> = (T, Result<(), F>);

/// Calls `next` for each job, until it returns `false` or fails. Runs `work` on the jobs, on
/// several threads, and passes them to `take` in their order, with the sink. Returns the sink and
/// the first failure: all jobs before it have reached the sink.
///
/// 0 threads are one. There are never more jobs than threads, and their memory is used again. Where
/// `next` waits for slow input and `take` fails, this does not wait for `next`: its thread ends
/// after the call.
///
/// ```
/// let mut number = 0;
/// let next = move |job: &mut u64| {
///     number += 1;
///     *job = number;
///     Ok::<_, String>(number < 100)
/// };
/// let take = |sum: &mut u64, job: &u64| Ok(*sum += job);
/// let (sum, result) = setwise_loader::ordered(2, next, |job| *job *= *job, 0, take)?;
/// assert_eq!((sum, result), (328_350, Ok(())));
/// # std::io::Result::Ok(())
/// ```
///
/// # Errors
///
/// If the system cannot start the threads.
///
/// # Panics
///
/// If one of the functions panics.
pub fn ordered<J: Default + Send + 'static, T: Send + 'static, F: Send + 'static>(
    threads: usize,
    next: impl FnMut(&mut J) -> Result<bool, F> + Send + 'static,
    work: impl Fn(&mut J) + Send + Sync + 'static,
    sink: T,
    take: impl Fn(&mut T, &J) -> Result<(), F> + Send + Sync + 'static,
) -> io::Result<(T, Result<(), F>)> {
    let threads = threads.max(1);
    let ordered = Ordered {
        source: Some(next),
        free: (0..threads).map(|_| J::default()).collect(),
        read: VecDeque::new(),
        count: 0,
        done: BTreeMap::new(),
        taken: 0,
        sink: Some(sink),
        end: None,
    };
    let functions = Arc::new((work, take));
    let crew = Crew::new(threads, ordered, || {
        let functions = Arc::clone(&functions);
        move |job| run(job, &functions.0, &functions.1)
    })?;
    let end = crew.wait(None, Ordered::finish);
    crew.leave();
    match end.expect("it waits without a limit") {
        Ok(end) => Ok(end),
        Err(message) => panic!("{message}"),
    }
}

fn run<N, J, T, F>(
    job: Job<N, J, T>,
    work: &impl Fn(&mut J),
    take: &impl Fn(&mut T, &J) -> Result<(), F>,
) -> Done<N, J, T, F>
where
    N: FnMut(&mut J) -> Result<bool, F>,
{
    match job {
        Job::Read(mut source, mut job) => {
            let read = source(&mut job);
            Done::Read(source, job, read)
        }
        Job::Work(number, mut job) => {
            work(&mut job);
            Done::Work(number, job)
        }
        Job::Take(mut sink, jobs) => {
            let result = jobs.iter().try_for_each(|job| take(&mut sink, job));
            Done::Take(sink, jobs, result)
        }
    }
}

/// Work for a thread.
enum Job<N, J, T> {
    Read(N, J),
    /// With the number of the job.
    Work(u64, J),
    /// Jobs that follow one another.
    Take(T, Vec<J>),
}

/// Its result.
enum Done<N, J, T, F> {
    Read(N, J, Result<bool, F>),
    Work(u64, J),
    Take(T, Vec<J>, Result<(), F>),
}

/// Where the jobs are.
struct Ordered<N, J, T, F> {
    /// `None` while a thread has it, and after the last job.
    source: Option<N>,
    /// The memory of jobs to come.
    free: Vec<J>,
    /// The jobs to work on, with their numbers, and how many were read.
    read: VecDeque<(u64, J)>,
    count: u64,
    /// The jobs to take, and how many were taken.
    done: BTreeMap<u64, J>,
    taken: u64,
    /// `None` while a thread has it.
    sink: Option<T>,
    /// What comes after the jobs that were read: the result of all, or the message of a panic.
    end: Option<Result<Result<(), F>, String>>,
}

impl<N, J, T, F> Ordered<N, J, T, F> {
    /// Ends before the jobs that were not taken.
    fn stop(&mut self, end: Result<Result<(), F>, String>) {
        self.count = self.taken;
        self.end = Some(end);
    }

    /// Whether nothing is left to do.
    fn is_over(&self) -> bool {
        // After a panic, jobs that were being taken may still come.
        self.end.is_some() && self.count <= self.taken
    }

    /// The sink and the result, when nothing is left to do.
    fn finish(&mut self) -> Option<Result<End<T, F>, String>> {
        if !self.is_over() {
            return None;
        }
        let sink = self.sink.take();
        // It stays over, so that no other job begins.
        let end = self.end.replace(Ok(Ok(())))?;
        Some(end.map(|end| (sink.expect("the last job was taken"), end)))
    }
}

impl<N, J, T, F> Plan for Ordered<N, J, T, F>
where
    N: FnMut(&mut J) -> Result<bool, F> + Send + 'static,
    J: Send + 'static,
    T: Send + 'static,
    F: Send + 'static,
{
    type Job = Job<N, J, T>;
    type Done = Done<N, J, T, F>;

    /// What is nearest to the sink comes first.
    fn next(&mut self) -> Option<Job<N, J, T>> {
        if self.is_over() {
            return None;
        }
        if self.sink.is_some() && self.done.contains_key(&self.taken) {
            let jobs = (self.taken..).map_while(|number| self.done.remove(&number)).collect();
            return Some(Job::Take(self.sink.take()?, jobs));
        }
        if let Some((number, job)) = self.read.pop_front() {
            return Some(Job::Work(number, job));
        }
        let job = if self.source.is_some() { self.free.pop()? } else { return None };
        Some(Job::Read(self.source.take()?, job))
    }

    fn receive(&mut self, done: Done<N, J, T, F>) {
        match done {
            // After a failure of the sink, nothing more is done.
            Done::Read(..) if self.end.is_some() => {}
            Done::Read(source, job, Ok(true)) => {
                self.source = Some(source);
                self.read.push_back((self.count, job));
                self.count += 1;
            }
            Done::Read(_, _, end) => self.end = Some(Ok(end.map(drop))),
            Done::Work(number, job) => {
                self.done.insert(number, job);
            }
            Done::Take(sink, jobs, result) => {
                self.sink = Some(sink);
                self.taken += jobs.len() as u64;
                self.free.extend(jobs);
                if let Err(failure) = result {
                    self.stop(Ok(Err(failure)));
                }
            }
        }
    }

    fn panicked(&mut self, message: String) {
        self.stop(Err(message));
    }

    fn is_ready(&mut self) -> bool {
        self.is_over()
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Barrier, mpsc};
    use std::thread;
    use std::time::Duration;

    use super::ordered;

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
                        _ => Err("read on after the end"),
                    }
                };
                let take = move |list: &mut Vec<u64>, job: &u64| {
                    if *job == full_at * full_at {
                        return Err("full");
                    }
                    list.push(*job);
                    Ok(())
                };
                let (list, result) = ordered(threads, next, square, Vec::new(), take).unwrap();
                assert!(list.into_iter().eq(jobs.map(|n| n * n)), "{threads} threads");
                assert_eq!(result.err(), failure);
            }
        }
    }

    /// The sink fails while the source waits for input that does not come.
    #[test]
    fn a_failure_does_not_wait_for_the_source() {
        let (sender, input) = mpsc::channel::<()>();
        let (waits, waiting) = (Arc::new(Barrier::new(2)), Arc::new(AtomicBool::new(true)));
        let (both, is_over) = (Arc::clone(&waits), Arc::clone(&waiting));
        let mut count = 0;
        let next = move |(): &mut ()| {
            count += 1;
            if count == 2 {
                both.wait();
                // With a limit, so that the test fails instead of hanging.
                let _ = input.recv_timeout(Duration::from_secs(20));
                is_over.store(false, Ordering::Release);
            }
            Ok(true)
        };
        let take = move |_: &mut i32, (): &()| {
            waits.wait();
            Err("full")
        };
        let (sink, result) = ordered(2, next, |()| (), 7, take).unwrap();
        assert!(waiting.load(Ordering::Acquire), "it waited for the source");
        assert_eq!((sink, result), (7, Err("full")));
        drop(sender);
    }

    /// Each job is in the memory of one that was taken, and there are no more than threads.
    #[test]
    fn memory_is_used_again() {
        for threads in [1, 3] {
            let mut count = 0;
            let next = move |job: &mut Vec<u8>| {
                count += 1;
                job.push(0);
                Ok::<_, ()>(count <= 100)
            };
            let take = |uses: &mut usize, job: &Vec<u8>| {
                *uses += usize::from(job.len() == 1);
                Ok(())
            };
            let (new, result) = ordered(threads, next, |_| (), 0, take).unwrap();
            assert!((1..=threads).contains(&new) && result.is_ok(), "{new} of {threads}");
        }
    }

    #[test]
    fn a_panic_is_the_callers() {
        let work = |job: &mut u64| assert!(*job < 5, "five is too many");
        let mut number = 0;
        let next = move |job: &mut u64| {
            number += 1;
            *job = number;
            Ok::<_, ()>(true)
        };
        let run = || ordered(2, next, work, (), |(), _| Ok(()));
        let message = catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_err();
        assert!(message.downcast_ref::<String>().unwrap().contains("five is too many"));
    }

    /// A job panics while the sink takes another one, which ends after it.
    #[test]
    fn a_panic_does_not_wait_for_the_sink() {
        for _ in 0..20 {
            let (taking, panics) = (Arc::new(AtomicBool::new(false)), Arc::new(Barrier::new(2)));
            let (begins, both) = (Arc::clone(&taking), Arc::clone(&panics));
            let work = move |job: &mut u64| {
                while *job == 2 && !begins.load(Ordering::Acquire) {
                    thread::yield_now();
                }
                if *job == 2 {
                    both.wait();
                    panic!("two is too many");
                }
            };
            let take = move |(): &mut (), job: &u64| {
                if *job == 1 {
                    taking.store(true, Ordering::Release);
                    panics.wait();
                    thread::yield_now();
                }
                Ok(())
            };
            let mut number = 0;
            let next = move |job: &mut u64| {
                number += 1;
                *job = number;
                Ok::<_, ()>(true)
            };
            let run = || ordered(2, next, work, (), take);
            catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_err();
        }
    }
}
