//! Interleaved rounds: what is compared is timed in turn, again and again, so that whatever the
//! machine does meanwhile falls on all alike; and a ratio is taken within each round.

use std::hint::black_box;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::batch::Batch;
use crate::clock::time;
use crate::contender::Contender;
use crate::machine::round;

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
#[derive(Debug, Clone, Default)]
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

/// The distribution over the rounds of one entry's time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Half of the rounds took less.
    pub median: f64,
    /// The fastest round.
    pub minimum: f64,
    /// A quarter of the rounds are below the first, and a quarter above the second.
    pub quartiles: [f64; 2],
}

/// Times all in interleaved rounds. What they compute is to be [checked](Contender::check) before.
pub fn race(entries: &[Entry], batches: &mut [Batch], length: Length) -> Times {
    let mut race = Race::new(entries.len());
    race.go_on(length, |i, passes| {
        let Entry { contender, batch } = entries[i];
        time(contender, &mut batches[batch], passes)
    });
    race.times
}

/// A race that may be interrupted by others, so that what the machine does for some seconds falls on all of them.
#[derive(Debug, Clone, Default)]
pub struct Race {
    /// How many passes each entry does for a sample, once that is known.
    passes: Vec<u64>,
    rounds: usize,
    /// What was taken so far.
    pub times: Times,
}

impl Race {
    /// Of so many entries.
    #[must_use]
    pub fn new(entries: usize) -> Race {
        Race {
            passes: Vec::new(),
            rounds: 0,
            times: Times::of(entries),
        }
    }

    /// Some rounds more; `time` does so many passes of an entry.
    pub fn go_on(&mut self, length: Length, mut time: impl FnMut(usize, u64) -> Duration) {
        let entries = self.times.0.len();
        if self.passes.is_empty() {
            let passes = |i| passes(length.sample, |passes| time(i, passes));
            self.passes = (0..entries).map(passes).collect();
        }
        for round in self.rounds..self.rounds + length.rounds {
            for turn in 0..entries {
                // Everybody comes at every place, and after everybody's forerunner and successor.
                let turn = (turn + round) % entries;
                let i = if round % 2 == 0 {
                    turn
                } else {
                    entries - 1 - turn
                };
                let mut taken = Duration::ZERO;
                let mut run = || taken = time(i, self.passes[i]);
                // Vectors spilled to the stack need not be aligned there, and then cost more: measure
                // both places that the 16-byte alignment of the stack allows, not the one of this process.
                if round / 2 % 2 == 0 {
                    deeper::<16>(&mut run);
                } else {
                    deeper::<32>(&mut run);
                }
                self.times.0[i].push(taken.as_secs_f64() / self.passes[i] as f64);
            }
        }
        self.rounds += length.rounds;
    }
}

/// Runs something with `BYTES` more on the stack.
#[inline(never)]
fn deeper<const BYTES: usize>(run: &mut dyn FnMut()) {
    let mut filler = [0u8; BYTES];
    black_box(&mut filler);
    run();
    black_box(&mut filler);
}

/// How many passes fill a sample, by the fastest of three tries, for an interruption would make it too few. Warms up by the way.
fn passes(sample: Duration, mut time: impl FnMut(u64) -> Duration) -> u64 {
    let mut passes = 1;
    loop {
        let tries = [time(passes), time(passes), time(passes)];
        let taken = tries.into_iter().min().unwrap_or_default();
        if taken * 4 >= sample {
            let enough = u128::from(passes) * sample.as_nanos() / taken.as_nanos().max(1);
            return u64::try_from(enough).expect("no sample takes years").max(1);
        }
        passes *= 2;
    }
}

impl Times {
    /// None yet, of so many entries.
    #[must_use]
    pub fn of(entries: usize) -> Times {
        Times(vec![Vec::new(); entries])
    }

    /// One more, of an entry.
    pub fn push(&mut self, entry: usize, seconds: f64) {
        self.0[entry].push(seconds);
    }

    /// How long the entry `of` takes, `to` taking 1.
    #[must_use]
    pub fn ratio(&self, of: usize, to: usize) -> Ratio {
        let pairs = self.0[of].iter().zip(&self.0[to]);
        let ratios = spread(pairs.map(|(of, to)| of / to).collect());
        let fastest = |i: usize| self.0[i].iter().copied().fold(f64::INFINITY, f64::min);
        Ratio {
            median: round(ratios.median),
            of_minima: round(fastest(of) / fastest(to)),
            quartiles: ratios.quartiles.map(round),
        }
    }

    /// What the entry takes, in nanoseconds for one of `share` parts of a pass.
    #[must_use]
    pub fn nanoseconds(&self, of: usize, share: usize) -> Spread {
        let scale = |seconds: f64| round(seconds * 1e9 / share as f64);
        let Spread {
            median,
            minimum,
            quartiles,
        } = spread(self.0[of].clone());
        Spread {
            median: scale(median),
            minimum: scale(minimum),
            quartiles: quartiles.map(scale),
        }
    }
}

/// The distribution of at least one number.
fn spread(mut numbers: Vec<f64>) -> Spread {
    numbers.sort_by(f64::total_cmp);
    let at = |quarter: usize| numbers[(numbers.len() - 1) * quarter / 4];
    Spread {
        median: at(2),
        minimum: at(0),
        quartiles: [at(1), at(3)],
    }
}

#[cfg(test)]
mod tests {
    use super::{Length, Race};
    use std::time::Duration;

    /// Everybody has as many turns, and the same number of passes in each; the figures are of what was told.
    #[test]
    fn rounds_and_their_figures() {
        let mut race = Race::new(2);
        let length = Length {
            rounds: 5,
            sample: Duration::from_micros(8),
        };
        let mut turns = [0; 2];
        for _ in 0..2 {
            race.go_on(length, |i, passes| {
                turns[i] += 1;
                // The second takes three times as long, and more from round to round.
                Duration::from_nanos(passes * [1000, 3000][i] + turns[i])
            });
        }
        assert!(race.times.0.iter().all(|times| times.len() == 10));
        let ratio = race.times.ratio(1, 0);
        assert!((2.9..=3.0).contains(&ratio.median), "{ratio:?}");
        assert!(ratio.quartiles[0] <= ratio.median && ratio.median <= ratio.quartiles[1]);
        let spread = race.times.nanoseconds(0, 10);
        assert!(
            (100.0..110.0).contains(&spread.median) && spread.minimum <= spread.median,
            "{spread:?}"
        );
    }
}
