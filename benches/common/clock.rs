//! Timing of passes, on boards that no branch predictor knows by heart.
//!
//! Today's predictors learn the sliders of ten thousand boards when a benchmark repeats them in the same
//! order: popped look-ups then run up to three times as fast as on boards that were not met before,
//! which is what a program has. So the boards come in a new order before every pass, outside the
//! time taken. Their number, and what of them is in the caches, stays the same.

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use super::batch::{Batch, Order};
use super::contender::Contender;

/// The time of so many passes, after one that is not counted: it brings code and tables into the caches.
pub(crate) fn time(contender: &Contender, batch: &mut Batch, passes: u64) -> Duration {
    contender.pass(black_box(batch));
    match batch.order {
        Order::Same => clocked(|| (0..passes).for_each(|_| contender.pass(black_box(batch)))),
        Order::New => (0..passes)
            .map(|_| {
                batch.reorder();
                clocked(|| contender.pass(black_box(batch)))
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

fn clocked(run: impl FnOnce()) -> Duration {
    let reading = *READING;
    let start = Instant::now();
    run();
    start.elapsed().saturating_sub(reading)
}
