//! Measures iterations over a workload, on boards that a branch predictor cannot memorise.
//!
//! If a benchmark repeats boards in one order, branch predictors learn the sliders of up to ten
//! thousand boards. Look-ups slider by slider then run up to three times as fast as on new boards,
//! but real programs have new boards. So the boards are reordered before every iteration, while the
//! clock is stopped. Their number does not change, and they stay in the caches.

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::contender::Contender;
use crate::counters::{Count, Source};
use crate::number::round;
use crate::workload::{Order, Workload};

/// Measures regions of code: by the clock, or with a group of counters.
pub(crate) struct Meter {
    /// Whether samples are short.
    pub(crate) quick: bool,
    /// The counters, instead of the clock.
    pub(crate) source: Option<Box<dyn Source>>,
    /// The smallest fraction of its time in which a group of counters ran.
    pub(crate) running: f64,
}

impl Meter {
    /// Measures `run`. Returns its time, or zero if it is counted.
    pub(crate) fn measure(&mut self, run: impl FnOnce()) -> Duration {
        let reading = *READING;
        if let Some(source) = &mut self.source {
            source.start();
            run();
            source.stop();
            return Duration::ZERO;
        }
        let start = Instant::now();
        run();
        start.elapsed().saturating_sub(reading)
    }

    /// Measures `iterations` iterations, after one that loads code and tables into the caches.
    pub(crate) fn iterations(
        &mut self,
        contender: &Contender,
        workload: &mut Workload,
        iterations: u64,
    ) -> Duration {
        contender.compute(black_box(workload));
        match workload.order {
            Order::Same => self.measure(|| {
                (0..iterations).for_each(|_| contender.compute(black_box(workload)));
            }),
            Order::New => (0..iterations)
                .map(|_| {
                    workload.reorder();
                    self.measure(|| contender.compute(black_box(workload)))
                })
                .sum(),
        }
    }

    /// The counts since the last call, per board.
    pub(crate) fn counts(&mut self, boards: f64) -> Vec<(&'static str, Count)> {
        let Some(source) = &mut self.source else { return Vec::new() };
        let (counts, running) = source.take();
        self.running = self.running.min(running);
        // Counters that never ran counted nothing.
        let counts = counts.into_iter().filter(|_| running > 0.0);
        counts.map(|(name, count)| (name, count.map(|count| round(count / boards)))).collect()
    }
}

/// The shortest time between two readings of the clock. It is subtracted from measured times.
static READING: LazyLock<Duration> = LazyLock::new(|| {
    let reading = |_| Instant::now().elapsed();
    (0..1000).map(reading).min().expect("not empty")
});
