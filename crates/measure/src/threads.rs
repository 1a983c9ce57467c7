//! Measures how throughput scales with threads, in the caches and beyond. On Linux, each thread is
//! pinned to a CPU.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use setwise::Kernel;

use crate::batch::{Batch, Order};
use crate::boards::Boards;
use crate::contender::{self, Contender};
use crate::copy_xor;
use crate::figures::{Figure, Section};
use crate::operation::Operation;
use crate::race::Times;
use crate::settings::{BASELINE, IN_CACHE, Options, SWEPT};

/// Boards per thread beyond the caches. For `slider_attacks` they take 64 MiB.
const IN_MEMORY: usize = 2 << 20;

/// The CPUs that this process may use.
#[cfg(target_os = "linux")]
fn cpus() -> Vec<usize> {
    let Ok(set) = rustix::thread::sched_getaffinity(None) else {
        return Vec::new();
    };
    (0..rustix::thread::CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect()
}

/// Pins this thread to a CPU, if the system allows it.
#[cfg(target_os = "linux")]
fn pin(cpu: usize) {
    let mut set = rustix::thread::CpuSet::new();
    set.set(cpu);
    // Errors are ignored, because a thread that migrates is only slower.
    let _ = rustix::thread::sched_setaffinity(None, &set);
}

#[cfg(not(target_os = "linux"))]
fn cpus() -> Vec<usize> {
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
fn pin(_: usize) {}

/// The numbers of threads to measure: powers of two below `most`, then `most`.
fn counts(most: usize) -> Vec<usize> {
    let powers = std::iter::successors(Some(1), |n| Some(2 * n));
    powers.take_while(|&n| n < most).chain([most]).collect()
}

/// Measures the best kernel, the baseline and the copies with several numbers of threads.
pub(crate) fn figures(
    options: &Options,
    kernels: &[&'static Kernel],
    boards: &Boards,
    tsc_ghz: Option<f64>,
) -> Vec<Figure> {
    let operation = Operation::named(SWEPT).expect("a name of the list");
    let baseline = kernels.iter().skip(1).filter(|kernel| kernel.name() == BASELINE);
    let kernels = kernels.iter().take(1).chain(baseline);
    let mut contenders: Vec<Contender> =
        kernels.map(|kernel| contender::kernel(operation, kernel)).collect();
    contenders.extend(copy_xor::all(operation));
    let (rounds, milliseconds) = if options.quick { (3, 10) } else { (7, 60) };
    let length = Duration::from_millis(milliseconds);
    let entries: Vec<(usize, &Contender)> = counts(options.threads)
        .into_iter()
        .flat_map(|threads| contenders.iter().map(move |contender| (threads, contender)))
        .collect();
    let mut figures = Vec::new();
    for (section, pool) in [(Section::Threads, IN_CACHE), (Section::ThreadsMemory, IN_MEMORY)] {
        let batch = || Batch::new(operation, boards, Order::Same, pool, 0);
        let mut times = Times::of(entries.len());
        for _ in 0..rounds {
            for (i, &(threads, contender)) in entries.iter().enumerate() {
                times.push(i, together(threads, contender, &batch, length));
            }
        }
        figures.extend(entries.iter().enumerate().map(|(i, &(threads, contender))| {
            let figure = Figure::new(
                (section, SWEPT, boards.name),
                (contender.name, contender.kind),
                (pool, pool, operation.bytes()),
                (&times, i, 1),
                tsc_ghz,
            );
            Figure { threads, ..figure }
        }));
    }
    figures
}

/// Measures the total rate of all threads, each with its own batch. Returns the inverse of the
/// rate, in seconds per board.
fn together(
    threads: usize,
    contender: &Contender,
    batch: &(impl Fn() -> Batch + Sync),
    length: Duration,
) -> f64 {
    let cpus = cpus();
    let ready = Barrier::new(threads);
    let boards_per_second = |thread: usize| {
        if !cpus.is_empty() {
            pin(cpus[thread % cpus.len()]);
        }
        let mut batch = batch();
        contender.compute(&mut batch);
        ready.wait();
        let started = Instant::now();
        let mut iterations = 0;
        while iterations == 0 || started.elapsed() < length {
            contender.compute(&mut batch);
            iterations += 1;
        }
        (iterations * batch.boards()) as f64 / started.elapsed().as_secs_f64()
    };
    let boards_per_second = &boards_per_second;
    let rate: f64 = std::thread::scope(|scope| {
        let handles: Vec<_> =
            (0..threads).map(|thread| scope.spawn(move || boards_per_second(thread))).collect();
        handles.into_iter().map(|handle| handle.join().expect("no thread panics")).sum()
    });
    1.0 / rate
}

#[cfg(test)]
mod tests {
    use super::counts;

    #[test]
    fn counts_double_and_end_with_the_most() {
        assert_eq!(counts(1), [1]);
        assert_eq!(counts(6), [1, 2, 4, 6]);
        assert_eq!(counts(8), [1, 2, 4, 8]);
    }
}
