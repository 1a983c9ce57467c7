//! Timing of passes, on boards that no branch predictor knows by heart.
//!
//! Today's predictors learn the sliders of ten thousand boards when a benchmark repeats them in the same
//! order: popped look-ups then run up to three times as fast as on boards that were not met before,
//! which is what a program has. So the boards come in a new order before every pass, outside the
//! time taken. Their number, and what of them is in the caches, stays the same.

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::batch::{Batch, Order};
use crate::contender::Contender;

/// The time of so many passes, after one that is not counted: it brings code and tables into the caches.
pub fn time(contender: &Contender, batch: &mut Batch, passes: u64) -> Duration {
    contender.pass(black_box(batch));
    match batch.order {
        Order::Same => clocked(contender.slowed, || {
            (0..passes).for_each(|_| contender.pass(black_box(batch)));
        }),
        Order::New => (0..passes)
            .map(|_| {
                batch.reorder();
                clocked(contender.slowed, || contender.pass(black_box(batch)))
            })
            .sum(),
    }
}

/// What reading the clock twice takes.
static READING: LazyLock<Duration> = LazyLock::new(|| {
    (0..1000)
        .map(|_| {
            let start = Instant::now();
            start.elapsed()
        })
        .min()
        .expect("a thousand of them")
});

/// How long something takes; and, to be noticed by tests, so much longer, as a part of that.
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
