//! Interleaved rounds: what is compared is timed in turn, again and again, so that whatever the
//! machine does meanwhile falls on all alike; and a ratio is taken within each round.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::common::batch::Batch;
use crate::common::contender::Contender;

/// How long to race.
#[derive(Clone, Copy)]
pub(crate) struct Length {
    pub(crate) rounds: usize,
    /// A sample is as many passes as take about this long, at least one.
    pub(crate) sample: Duration,
}

/// One contender in one of the race's batches.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'a> {
    pub(crate) contender: &'a Contender,
    pub(crate) batch: usize,
}

/// Seconds a pass, for every entry in every round.
pub(crate) struct Times(Vec<Vec<f64>>);

/// The distribution over the rounds of one entry's time divided by another's.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Ratio {
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) quartiles: [f64; 2],
}

/// Checks every entry's results, then times them all in interleaved rounds.
///
/// # Panics
/// If a result is wrong.
pub(crate) fn race(entries: &[Entry], batches: &mut [Batch], length: Length) -> Times {
    let passes: Vec<u32> = entries
        .iter()
        .map(|entry| {
            let batch = &mut batches[entry.batch];
            batch.check(entry.contender);
            passes(entry.contender, batch, length.sample)
        })
        .collect();
    let mut times = vec![Vec::with_capacity(length.rounds); entries.len()];
    for round in 0..length.rounds {
        for turn in 0..entries.len() {
            // Everybody comes at every place, and after everybody's forerunner and successor.
            let turn = (turn + round) % entries.len();
            let i = if round % 2 == 0 {
                turn
            } else {
                entries.len() - 1 - turn
            };
            let taken = time(
                entries[i].contender,
                &mut batches[entries[i].batch],
                passes[i],
            );
            times[i].push(taken.as_secs_f64() / f64::from(passes[i]));
        }
    }
    Times(times)
}

fn time(contender: &Contender, batch: &mut Batch, passes: u32) -> Duration {
    let start = Instant::now();
    for _ in 0..passes {
        contender.pass(black_box(batch));
    }
    start.elapsed()
}

/// How many passes fill a sample. Warms up by the way.
fn passes(contender: &Contender, batch: &mut Batch, sample: Duration) -> u32 {
    let mut passes = 1;
    loop {
        let taken = time(contender, batch, passes);
        if taken * 4 >= sample {
            let enough = u128::from(passes) * sample.as_nanos() / taken.as_nanos().max(1);
            return u32::try_from(enough)
                .expect("no pass takes less than a clock cycle")
                .max(1);
        }
        passes *= 2;
    }
}

impl Times {
    /// How long the entry `of` takes, `to` taking 1.
    pub(crate) fn ratio(&self, of: usize, to: usize) -> Ratio {
        let mut ratios: Vec<f64> = self.0[of]
            .iter()
            .zip(&self.0[to])
            .map(|(of, to)| of / to)
            .collect();
        ratios.sort_by(f64::total_cmp);
        let at = |quarter: usize| ratios[(ratios.len() - 1) * quarter / 4];
        Ratio {
            median: at(2),
            min: at(0),
            quartiles: [at(1), at(3)],
        }
    }
}
