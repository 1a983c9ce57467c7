//! Several threads at once, each on a processor of its own: does the work scale, in the caches and beyond?

use std::sync::Barrier;
use std::time::{Duration, Instant};

use setwise::Kernels;

use crate::batch::{Batch, Order};
use crate::boards::Boards;
use crate::contender::{self, Contender};
use crate::figures::{Figure, Kind, Section};
use crate::operation::Operation;
use crate::race::Times;
use crate::roof;
use crate::settings::{BASELINE, IN_CACHE, Options, SWEPT};

/// Boards of a thread beyond the caches: 64 MiB of slider attacks.
const IN_MEMORY: usize = 2 << 20;

/// The processors that this process may use.
#[cfg(target_os = "linux")]
fn processors() -> Vec<usize> {
    let Ok(set) = rustix::thread::sched_getaffinity(None) else {
        return Vec::new();
    };
    (0..rustix::thread::CpuSet::MAX_CPU)
        .filter(|&cpu| set.is_set(cpu))
        .collect()
}

/// Keeps this thread on a processor, if the system lets us.
#[cfg(target_os = "linux")]
fn pin(processor: usize) {
    let mut set = rustix::thread::CpuSet::new();
    set.set(processor);
    // A thread that moves about is slower, not wrong.
    let _ = rustix::thread::sched_setaffinity(None, &set);
}

#[cfg(not(target_os = "linux"))]
fn processors() -> Vec<usize> {
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
fn pin(_: usize) {}

/// Who runs in all threads.
#[derive(Clone, Copy)]
enum Worker {
    Kernel(&'static Kernels),
    Roof(&'static str),
}

impl Worker {
    fn name(self) -> &'static str {
        match self {
            Worker::Kernel(kernel) => kernel.name(),
            Worker::Roof(name) => name,
        }
    }

    fn contender(self, operation: Operation) -> Option<Contender> {
        match self {
            Worker::Kernel(kernel) => Some(contender::kernel(operation, kernel)),
            Worker::Roof(name) => roof::all(operation)
                .into_iter()
                .find(|roof| roof.name == name),
        }
    }
}

/// 1, 2, 4 and so on, and as many as were asked for.
fn counts(most: usize) -> Vec<usize> {
    let mut counts: Vec<usize> = std::iter::successors(Some(1), |n| Some(2 * n))
        .take_while(|&n| n < most)
        .collect();
    counts.push(most);
    counts
}

/// The figures of the best kernel, the baseline and the roofs.
pub(crate) fn figures(
    options: &Options,
    kernels: &[&'static Kernels],
    boards: &Boards,
    tsc: Option<f64>,
) -> Vec<Figure> {
    let Some(operation) = Operation::named(SWEPT) else {
        return Vec::new();
    };
    let mut workers: Vec<Worker> = kernels
        .first()
        .map(|&kernel| Worker::Kernel(kernel))
        .into_iter()
        .collect();
    workers.extend(
        kernels
            .iter()
            .filter(|kernel| kernel.name() == BASELINE)
            .map(|&kernel| Worker::Kernel(kernel)),
    );
    workers.extend(
        roof::all(operation)
            .iter()
            .map(|roof| Worker::Roof(roof.name)),
    );
    let counts = counts(options.threads);
    let (rounds, turn) = if options.quick { (3, 10) } else { (7, 60) };
    let mut figures = Vec::new();
    for (section, pool) in [
        (Section::Threads, IN_CACHE),
        (Section::ThreadsMemory, IN_MEMORY),
    ] {
        let mut times = Times::of(counts.len() * workers.len());
        for _ in 0..rounds {
            for (c, &threads) in counts.iter().enumerate() {
                for (w, &worker) in workers.iter().enumerate() {
                    let taken = together(
                        threads,
                        worker,
                        operation,
                        boards,
                        pool,
                        Duration::from_millis(turn),
                    );
                    times.push(c * workers.len() + w, taken);
                }
            }
        }
        for (c, &threads) in counts.iter().enumerate() {
            for (w, worker) in workers.iter().enumerate() {
                let kind = if matches!(worker, Worker::Roof(_)) {
                    Kind::Roof
                } else {
                    Kind::Kernel
                };
                let place = c * workers.len() + w;
                figures.push(Figure {
                    threads,
                    ..Figure::new(
                        (section, SWEPT, boards.name),
                        (worker.name(), kind),
                        (pool, pool, operation.bytes()),
                        (&times, place, 1),
                        tsc,
                    )
                });
            }
        }
    }
    figures
}

/// Seconds a board of all threads together.
fn together(
    threads: usize,
    worker: Worker,
    operation: Operation,
    boards: &Boards,
    pool: usize,
    turn: Duration,
) -> f64 {
    let processors = processors();
    let ready = Barrier::new(threads);
    let rate: f64 = std::thread::scope(|scope| {
        let work = |thread: usize| {
            let (processors, ready) = (&processors, &ready);
            move || {
                if !processors.is_empty() {
                    pin(processors[thread % processors.len()]);
                }
                let contender = worker.contender(operation).expect("asked for by its name");
                let mut batch = Batch::new(operation, boards, Order::Same, pool, 0);
                contender.pass(&mut batch);
                ready.wait();
                let started = Instant::now();
                let mut passes = 0;
                while passes == 0 || started.elapsed() < turn {
                    contender.pass(&mut batch);
                    passes += 1;
                }
                (passes * pool) as f64 / started.elapsed().as_secs_f64()
            }
        };
        let handles: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(work(thread)))
            .collect();
        handles
            .into_iter()
            .map(|handle| handle.join().expect("no thread panics"))
            .sum()
    });
    1.0 / rate
}

#[cfg(test)]
mod tests {
    use super::counts;

    #[test]
    fn counts_double_and_end_with_all() {
        assert_eq!(counts(1), [1]);
        assert_eq!(counts(6), [1, 2, 4, 6]);
        assert_eq!(counts(8), [1, 2, 4, 8]);
    }
}
