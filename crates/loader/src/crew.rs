//! Threads that work off a plan: they take jobs from it and hand the results back, so that no
//! thread waits for another one that works.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;
use std::{fmt, io};

/// What is to be done, and in which order. Its calls run behind a lock, one at a time, so they
/// should only move things. The jobs run on any thread at the same time.
pub(crate) trait Plan: Send + 'static {
    /// Work for a thread, with all that it needs.
    type Job: Send;
    /// Its result.
    type Done: Send;

    /// Takes the most urgent job that can be done now.
    fn next(&mut self) -> Option<Self::Job>;

    /// Takes a result.
    fn receive(&mut self, done: Self::Done);

    /// Takes the message of a job that panicked. What it was working on is lost.
    fn panicked(&mut self, message: String);

    /// Whether there is what the owner waits for.
    fn is_ready(&mut self) -> bool;
}

/// The threads of a plan. Dropping it waits for the jobs that are being done, and drops the others.
pub(crate) struct Crew<P: Plan> {
    shared: Arc<Shared<P>>,
    threads: Vec<JoinHandle<()>>,
}

struct Shared<P: Plan> {
    state: Mutex<State<P>>,
    /// Signalled when there is a job for a thread that sleeps.
    work: Condvar,
    /// Signalled when there may be what the owner waits for.
    ready: Condvar,
}

struct State<P: Plan> {
    plan: P,
    /// Jobs for threads that were woken.
    jobs: VecDeque<P::Job>,
    /// The threads that sleep, and were not woken.
    asleep: usize,
    /// Whether the owner waits.
    is_awaited: bool,
    is_over: bool,
}

impl<P: Plan> Shared<P> {
    fn lock(&self) -> MutexGuard<'_, State<P>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands jobs to threads that sleep.
    fn wake(&self, state: &mut State<P>) {
        while state.asleep > 0
            && !state.is_over
            && let Some(job) = state.plan.next()
        {
            state.jobs.push_back(job);
            state.asleep -= 1;
            self.work.notify_one();
        }
    }

    /// Wakes the owner, if it waits and need not.
    fn notify(&self, state: &mut State<P>) {
        if state.is_awaited && state.plan.is_ready() {
            state.is_awaited = false;
            self.ready.notify_all();
        }
    }

    /// Does jobs until the end.
    fn run(&self, mut worker: impl FnMut(P::Job) -> P::Done) {
        let mut state = self.lock();
        loop {
            let mut job = if state.is_over { return } else { state.plan.next() };
            if job.is_none() {
                // As many threads wait as sleep or have a job here.
                state.asleep += 1;
                self.notify(&mut state);
                let waits = |state: &mut State<P>| state.jobs.is_empty() && !state.is_over;
                let woken = self.work.wait_while(state, waits);
                state = woken.unwrap_or_else(PoisonError::into_inner);
                job = state.jobs.pop_front();
            }
            let Some(job) = job.filter(|_| !state.is_over) else {
                return;
            };
            self.wake(&mut state);
            self.notify(&mut state);
            drop(state);
            // After a panic, what the worker keeps is as good as new: it is filled by each job.
            let done = catch_unwind(AssertUnwindSafe(|| worker(job)));
            state = self.lock();
            match done {
                Ok(done) => state.plan.receive(done),
                Err(panic) => state.plan.panicked(message(panic)),
            }
            self.notify(&mut state);
        }
    }
}

impl<P: Plan> Crew<P> {
    /// Starts threads, each with a worker of its own.
    ///
    /// # Errors
    ///
    /// If the system cannot start them.
    pub(crate) fn new<Worker: FnMut(P::Job) -> P::Done + Send + 'static>(
        threads: usize,
        plan: P,
        worker: impl Fn() -> Worker,
    ) -> io::Result<Crew<P>> {
        let state =
            State { plan, jobs: VecDeque::new(), asleep: 0, is_awaited: false, is_over: false };
        let (work, ready) = (Condvar::new(), Condvar::new());
        let shared = Arc::new(Shared { state: Mutex::new(state), work, ready });
        let mut crew = Crew { shared, threads: Vec::new() };
        // No job begins before all threads are there.
        let shared = Arc::clone(&crew.shared);
        let mut state = shared.lock();
        for _ in 0..threads {
            let (shared, worker) = (Arc::clone(&crew.shared), worker());
            let thread = thread::Builder::new().name("setwise-loader".to_owned());
            match thread.spawn(move || shared.run(worker)) {
                Ok(thread) => crew.threads.push(thread),
                Err(error) => {
                    state.is_over = true;
                    drop(state);
                    return Err(error);
                }
            }
        }
        drop(state);
        Ok(crew)
    }

    /// Ends without waiting: each thread ends after the job that it does.
    pub(crate) fn leave(mut self) {
        self.threads.clear();
    }

    /// Calls a function with the plan. The threads go on with what it makes possible.
    pub(crate) fn with<T>(&self, function: impl FnOnce(&mut P) -> T) -> T {
        let mut state = self.shared.lock();
        let result = function(&mut state.plan);
        self.shared.wake(&mut state);
        result
    }

    /// Calls a function with the plan, again whenever something may have changed, until it returns
    /// a value or the time is over.
    pub(crate) fn wait<T>(
        &self,
        until: Option<Instant>,
        mut function: impl FnMut(&mut P) -> Option<T>,
    ) -> Option<T> {
        let mut state = self.shared.lock();
        loop {
            if let Some(value) = function(&mut state.plan) {
                self.shared.wake(&mut state);
                return Some(value);
            }
            let ready = &self.shared.ready;
            state.is_awaited = true;
            state = match until {
                None => ready.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return None;
                    }
                    ready.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Whether all threads wait for work.
    #[cfg(test)]
    pub(crate) fn is_asleep(&self) -> bool {
        let state = self.shared.lock();
        state.asleep == self.threads.len()
    }
}

impl<P: Plan> fmt::Debug for Crew<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crew").field("threads", &self.threads.len()).finish_non_exhaustive()
    }
}

impl<P: Plan> Drop for Crew<P> {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.work.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// The message of a panic, as far as it is text.
fn message(payload: Box<dyn Any + Send>) -> String {
    let text = payload.downcast::<String>().map(|text| *text);
    let text = text.or_else(|payload| payload.downcast::<&str>().map(|text| (*text).to_owned()));
    text.unwrap_or_else(|_| "without a message".to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::{Duration, Instant};

    use super::{Crew, Plan};

    /// Numbers to square, and the squares.
    struct Squares {
        jobs: Vec<u64>,
        found: Vec<u64>,
        panics: Vec<String>,
    }

    impl Plan for Squares {
        type Job = u64;
        type Done = u64;

        fn next(&mut self) -> Option<u64> {
            self.jobs.pop()
        }

        fn receive(&mut self, square: u64) {
            self.found.push(square);
        }

        fn panicked(&mut self, message: String) {
            self.panics.push(message);
        }

        fn is_ready(&mut self) -> bool {
            true
        }
    }

    fn square(number: u64) -> u64 {
        assert!(number > 0, "zero has no square here");
        number * number
    }

    fn crew(threads: usize, jobs: Vec<u64>) -> Crew<Squares> {
        let plan = Squares { jobs, found: Vec::new(), panics: Vec::new() };
        Crew::new(threads, plan, || square).unwrap()
    }

    #[test]
    fn all_jobs_are_done_once() {
        for threads in [1, 2, 7] {
            let crew = crew(threads, (1..1000).collect());
            let all = |plan: &mut Squares| (plan.found.len() == 999).then(|| plan.found.clone());
            let mut found = crew.wait(None, all).unwrap();
            found.sort_unstable();
            assert!(found.into_iter().eq((1..1000).map(|n| n * n)));
            // The threads sleep, and wake for more.
            for round in 1..100 {
                crew.with(|plan| (plan.jobs, plan.found) = (vec![round; 3], Vec::new()));
                let more = |plan: &mut Squares| (plan.found.len() == 3).then_some(());
                assert!(crew.wait(None, more).is_some());
                thread::sleep(Duration::from_micros(50 * round % 300));
            }
        }
    }

    #[test]
    fn a_wait_ends_in_time_although_results_come() {
        let crew = crew(2, (1..2000).collect());
        let start = Instant::now();
        let until = start + Duration::from_millis(30);
        let never = |_: &mut Squares| None::<()>;
        assert!(crew.wait(Some(until), never).is_none());
        assert!((30..1000).contains(&start.elapsed().as_millis()));
    }

    #[test]
    fn a_panic_is_a_message_and_others_go_on() {
        let crew = crew(2, vec![3, 0, 2]);
        let all = |plan: &mut Squares| {
            (plan.found.len() + plan.panics.len() == 3).then(|| plan.panics.clone())
        };
        assert_eq!(crew.wait(None, all).unwrap(), ["zero has no square here"]);
    }

    /// Jobs that no thread has begun are dropped.
    #[test]
    fn dropping_waits_for_what_is_being_done() {
        let (arrived, reached) = mpsc::channel();
        let worker = move || {
            let arrived = arrived.clone();
            move |number: u64| {
                arrived.send(number).unwrap();
                thread::sleep(Duration::from_millis(50));
                number
            }
        };
        let plan = Squares { jobs: (0..1000).collect(), found: Vec::new(), panics: Vec::new() };
        let crew = Crew::new(2, plan, worker).unwrap();
        reached.recv().unwrap();
        drop(crew);
        assert!(reached.iter().count() < 100);
    }
}
