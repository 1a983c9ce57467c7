//! Timing of passes, on boards that no branch predictor has learnt.
//!
//! Today's predictors learn the sliders of ten thousand boards by heart when a benchmark repeats them: popped
//! look-ups then run up to three times as fast as on boards never seen before, which is what a
//! program has. So a batch with more boards in supply gets new ones before every pass, outside the time taken.

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use super::batch::Batch;
use super::contender::Contender;

/// The time of so many passes.
pub(crate) fn time(contender: &Contender, batch: &mut Batch, passes: u64) -> Duration {
    if !batch.is_renewable() {
        return clocked(|| (0..passes).for_each(|_| contender.pass(black_box(batch))));
    }
    (0..passes)
        .map(|_| {
            batch.renew();
            clocked(|| contender.pass(black_box(batch)))
        })
        .sum()
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
