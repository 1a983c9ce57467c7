//! Times iterations over a batch, on boards that a branch predictor cannot memorise.
//!
//! If a benchmark repeats boards in one order, branch predictors learn the sliders of up to ten
//! thousand boards. Look-ups slider by slider then run up to three times as fast as on new boards,
//! but real programs have new boards. So the boards are reordered before every iteration, while the
//! clock is stopped. Their number does not change, and they stay in the caches.

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::batch::{Batch, Order};
use crate::contender::Contender;

/// Times `iterations` iterations, after one untimed iteration that loads code and tables into the
/// caches.
pub fn time(contender: &Contender, batch: &mut Batch, iterations: u64) -> Duration {
    contender.compute(black_box(batch));
    match batch.order {
        Order::Same => clocked(contender.slowed, || {
            (0..iterations).for_each(|_| contender.compute(black_box(batch)));
        }),
        Order::New => (0..iterations)
            .map(|_| {
                batch.reorder();
                clocked(contender.slowed, || contender.compute(black_box(batch)))
            })
            .sum(),
    }
}

/// The shortest time between two readings of the clock. It is subtracted from measured times.
static READING: LazyLock<Duration> = LazyLock::new(|| {
    (0..1000)
        .map(|_| {
            let start = Instant::now();
            start.elapsed()
        })
        .min()
        .expect("not empty")
});

/// Measures the time of `run`. For tests, a wait lengthens this time by the fraction `slowed`.
pub(crate) fn clocked(slowed: f64, run: impl FnOnce()) -> Duration {
    let reading = *READING;
    let start = Instant::now();
    run();
    let mut taken = start.elapsed();
    if slowed > 0.0 {
        let enough = taken.mul_f64(1.0 + slowed);
        while taken < enough {
            taken = start.elapsed();
        }
    }
    taken.saturating_sub(reading)
}
