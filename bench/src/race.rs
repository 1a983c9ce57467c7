//! Interleaved rounds: what is compared is timed in turn, again and again, so that whatever the
//! machine does meanwhile falls on all alike; and a ratio is taken within each round.

use std::hint::black_box;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::batch::Batch;
use crate::clock::time;
use crate::contender::Contender;

/// How long to race.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    /// Turns of each entry.
    pub rounds: usize,
    /// A sample is as many passes as take about this long, at least one.
    pub sample: Duration,
}

impl Length {
    /// One pass of each.
    pub const ONCE: Length = Length {
        rounds: 1,
        sample: Duration::ZERO,
    };
}

/// One contender in one of the race's batches.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    /// Who.
    pub contender: &'a Contender,
    /// Which of the batches.
    pub batch: usize,
}

/// Seconds a pass, for every entry in every round.
pub struct Times(Vec<Vec<f64>>);

/// The distribution over the rounds of one entry's time divided by another's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// Half of the rounds have a smaller one.
    pub median: f64,
    /// The ratio of the two fastest samples. (The least ratio would tell of the round in which the
    /// reference was interrupted.)
    pub of_minima: f64,
    /// A quarter of the rounds are below the first, and a quarter above the second.
    pub quartiles: [f64; 2],
}

/// Times all in interleaved rounds. What they compute is to be [checked](Contender::check) before.
pub fn race(entries: &[Entry], batches: &mut [Batch], length: Length) -> Times {
    let passes: Vec<u64> = entries
        .iter()
        .map(|entry| {
            let batch = &mut batches[entry.batch];
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
            let Entry { contender, batch } = entries[i];
            let mut taken = Duration::ZERO;
            let mut run = || taken = time(contender, &mut batches[batch], passes[i]);
            // Vectors spilled to the stack need not be aligned there, and then cost more: measure
            // both places that the 16-byte alignment of the stack allows, not the one of this process.
            if round / 2 % 2 == 0 {
                deeper::<16>(&mut run);
            } else {
                deeper::<32>(&mut run);
            }
            times[i].push(taken.as_secs_f64() / passes[i] as f64);
        }
    }
    Times(times)
}

/// Runs something with `BYTES` more on the stack.
#[inline(never)]
fn deeper<const BYTES: usize>(run: &mut dyn FnMut()) {
    let mut filler = [0u8; BYTES];
    black_box(&mut filler);
    run();
    black_box(&mut filler);
}

/// How many passes fill a sample. Warms up by the way.
fn passes(contender: &Contender, batch: &mut Batch, sample: Duration) -> u64 {
    let mut passes = 1;
    loop {
        let taken = time(contender, batch, passes);
        if taken * 4 >= sample {
            let enough = u128::from(passes) * sample.as_nanos() / taken.as_nanos().max(1);
            return u64::try_from(enough).expect("no sample takes years").max(1);
        }
        passes *= 2;
    }
}

impl Times {
    /// How long the entry `of` takes, `to` taking 1.
    pub fn ratio(&self, of: usize, to: usize) -> Ratio {
        let mut ratios: Vec<f64> = self.0[of]
            .iter()
            .zip(&self.0[to])
            .map(|(of, to)| of / to)
            .collect();
        ratios.sort_by(f64::total_cmp);
        let fastest = |i: usize| self.0[i].iter().copied().fold(f64::INFINITY, f64::min);
        let at = |quarter: usize| ratios[(ratios.len() - 1) * quarter / 4];
        Ratio {
            median: at(2),
            of_minima: fastest(of) / fastest(to),
            quartiles: [at(1), at(3)],
        }
    }
}
