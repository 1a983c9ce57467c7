//! Times iterations over a workload, on boards that a branch predictor cannot memorise.
//!
//! If a benchmark repeats boards in one order, branch predictors learn the sliders of up to ten
//! thousand boards. Look-ups slider by slider then run up to three times as fast as on new boards,
//! but real programs have new boards. So the boards are reordered before every iteration, while the
//! clock is stopped. Their number does not change, and they stay in the caches.

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::contender::Contender;
use crate::workload::{Order, Workload};

/// Times `iterations` iterations, after one untimed iteration that loads code and tables into the
/// caches.
pub(crate) fn time(contender: &Contender, workload: &mut Workload, iterations: u64) -> Duration {
    contender.compute(black_box(workload));
    match workload.order {
        Order::Same => clocked(|| {
            (0..iterations).for_each(|_| contender.compute(black_box(workload)));
        }),
        Order::New => (0..iterations)
            .map(|_| {
                workload.reorder();
                clocked(|| contender.compute(black_box(workload)))
            })
            .sum(),
    }
}

/// The shortest time between two readings of the clock. It is subtracted from measured times.
static READING: LazyLock<Duration> = LazyLock::new(|| {
    let reading = |_| Instant::now().elapsed();
    (0..1000).map(reading).min().expect("not empty")
});

/// Measures the time of `run`.
pub(crate) fn clocked(run: impl FnOnce()) -> Duration {
    let reading = *READING;
    let start = Instant::now();
    run();
    start.elapsed().saturating_sub(reading)
}
