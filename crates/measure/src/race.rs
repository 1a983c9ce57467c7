//! Interleaved rounds: the entries of a race are timed in turn, again and again, so that
//! disturbances affect all of them equally. Ratios are taken within each round.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::clock::Meter;
use crate::counters::Count;
use crate::number::round;
use crate::statistics::{Ratio, Spread};

/// The number and the length of a race's samples.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    /// The number of samples of each entry.
    pub rounds: usize,
    /// The approximate time per sample. A sample has at least one iteration.
    pub sample: Duration,
}

impl Length {
    /// One iteration of each entry.
    pub const ONCE: Length = Length { rounds: 1, sample: Duration::ZERO };
}

/// Seconds per iteration, for every entry in every round.
#[derive(Debug, Clone, Default)]
pub struct Times(pub(crate) Vec<Vec<f64>>);

/// A race that can run in parts. If several races alternate, a disturbance of a few seconds affects
/// all of them equally.
#[derive(Debug, Clone, Default)]
pub struct Race {
    /// For each entry, the number of iterations per sample. Empty before the first round.
    iterations: Vec<u64>,
    rounds: usize,
    /// The samples so far.
    pub times: Times,
    /// What each entry counted per board, by name.
    pub(crate) counts: Vec<Vec<(&'static str, Count)>>,
}

impl From<Times> for Race {
    /// A race whose samples were taken elsewhere.
    fn from(times: Times) -> Race {
        Race { times, ..Race::default() }
    }
}

/// The least number of boards in a sample that is counted.
const COUNTED: usize = 16_384;

impl Race {
    /// Takes timed samples by [`continue_for`](Race::continue_for) or, if the meter has counters, a
    /// sample of each entry that is counted. An iteration computes `share` boards.
    pub(crate) fn measure(
        &mut self,
        entries: usize,
        (length, share): (Length, usize),
        meter: &mut Meter,
        mut sample: impl FnMut(usize, u64, &mut Meter) -> Duration,
    ) {
        if meter.source.is_none() {
            return self
                .continue_for(entries, length, |i, iterations| sample(i, iterations, meter));
        }
        self.counts.resize(entries, Vec::new());
        let many = COUNTED.div_ceil(share) as u64;
        let iterations = if length.sample.is_zero() { 1 } else { many };
        for (i, counts) in self.counts.iter_mut().enumerate() {
            sample(i, iterations, meter);
            counts.extend(meter.counts(iterations as f64 * share as f64));
        }
    }

    /// Adds `length.rounds` rounds of `entries` entries. `time(entry, iterations)` takes a sample.
    pub fn continue_for(
        &mut self,
        entries: usize,
        length: Length,
        mut time: impl FnMut(usize, u64) -> Duration,
    ) {
        if self.iterations.is_empty() {
            self.times = Times(vec![Vec::new(); entries]);
            let calibrate = |i| calibrate(length.sample, |iterations| time(i, iterations));
            self.iterations = (0..entries).map(calibrate).collect();
        }
        for round in self.rounds..self.rounds + length.rounds {
            for turn in 0..entries {
                // Over the rounds, every entry runs at every position, in ascending and descending
                // order.
                let turn = (turn + round) % entries;
                let i = if round % 2 == 0 { turn } else { entries - 1 - turn };
                let mut taken = Duration::ZERO;
                let mut run = || taken = undisturbed(|| time(i, self.iterations[i]));
                on_both_stacks(round / 2, &mut run);
                self.times.0[i].push(taken.as_secs_f64() / self.iterations[i] as f64);
            }
        }
        self.rounds += length.rounds;
    }
}

/// Takes a sample, and repeats it up to three times if other programs ran on this CPU meanwhile.
/// Long samples are not repeated, because on a busy machine all of them are interrupted.
pub(crate) fn undisturbed(mut sample: impl FnMut() -> Duration) -> Duration {
    // A thread that waits longer than this during a sample counts as interrupted.
    const SWITCH: Duration = Duration::from_micros(20);
    const LONG: Duration = Duration::from_millis(5);
    let mut taken = Duration::ZERO;
    for _ in 0..4 {
        let (started, before) = (Instant::now(), cpu_time());
        taken = sample();
        let (all, own) = (started.elapsed(), cpu_time().saturating_sub(before));
        if all.saturating_sub(own) < SWITCH || own > LONG {
            break;
        }
    }
    taken
}

/// The CPU time of this thread.
#[cfg(target_os = "linux")]
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// On other systems, the elapsed time. So no sample seems interrupted, and none is repeated.
#[cfg(not(target_os = "linux"))]
fn cpu_time() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    START.elapsed()
}

/// Calls `run` on a stack whose alignment to 32 bytes alternates with the number of the round.
/// Spilled vectors cost more if the stack does not align them. The ABI aligns the stack to 16
/// bytes, so a 32-byte vector may or may not be aligned. This measures both cases, not only the one
/// that this process happens to have.
pub(crate) fn on_both_stacks(round: usize, run: &mut dyn FnMut()) {
    if round.is_multiple_of(2) {
        deeper::<16>(run);
    } else {
        deeper::<32>(run);
    }
}

/// Calls `run` with `BYTES` more bytes on the stack.
#[inline(never)]
fn deeper<const BYTES: usize>(run: &mut dyn FnMut()) {
    let mut filler = [0u8; BYTES];
    black_box(&mut filler);
    run();
    black_box(&mut filler);
}

/// Finds the number of iterations that fill a sample. It uses the fastest of three tries, because
/// an interrupted try would give too small a number. Also warms up caches and clock.
fn calibrate(sample: Duration, mut time: impl FnMut(u64) -> Duration) -> u64 {
    let mut iterations = 1;
    loop {
        let tries = [time(iterations), time(iterations), time(iterations)];
        let taken = tries.into_iter().min().unwrap_or_default();
        if taken * 4 >= sample {
            let enough = u128::from(iterations) * sample.as_nanos() / taken.as_nanos().max(1);
            return u64::try_from(enough).expect("a sample takes less than years").max(1);
        }
        iterations *= 2;
    }
}

impl Times {
    /// The time of one entry divided by that of another.
    #[must_use]
    pub fn ratio(&self, entry: usize, other: usize) -> Ratio {
        let pairs = self.0[entry].iter().zip(&self.0[other]);
        let ratios = Spread::of(pairs.map(|(entry, other)| entry / other).collect());
        let fastest = |i: usize| self.0[i].iter().copied().fold(f64::INFINITY, f64::min);
        Ratio {
            median: round(ratios.median),
            of_minima: round(fastest(entry) / fastest(other)),
            quartiles: ratios.quartiles.map(round),
        }
    }

    /// The time of an entry in nanoseconds per board. An iteration computes `share` boards.
    #[must_use]
    pub fn nanoseconds(&self, entry: usize, share: usize) -> Spread {
        Spread::of(self.0[entry].clone()).scaled(1e9 / share as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::{Length, Race, undisturbed};
    use std::time::Duration;

    /// A thread that sleeps looks like one that was interrupted.
    #[cfg(target_os = "linux")]
    #[test]
    fn interrupted_samples_are_repeated() {
        for (sleeps, expected) in [(0, 1), (1, 2), (2, 3), (9, 4)] {
            let mut samples = 0;
            undisturbed(|| {
                samples += 1;
                if samples <= sleeps {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Duration::from_micros(1)
            });
            assert!(samples >= expected, "{samples} samples, expected {expected}");
        }
    }

    #[test]
    fn entries_have_equal_rounds_and_exact_ratios() {
        let mut race = Race::default();
        let length = Length { rounds: 5, sample: Duration::from_micros(8) };
        let mut turns = [0; 2];
        for _ in 0..2 {
            race.continue_for(2, length, |i, iterations| {
                turns[i] += 1;
                // The second entry takes three times as long. Both slow down from round to round.
                Duration::from_nanos(iterations * [1000, 3000][i] + turns[i])
            });
        }
        assert!(race.times.0.iter().all(|times| times.len() == 10));
        let (ratio, ns) = (race.times.ratio(1, 0), race.times.nanoseconds(0, 10));
        assert!((2.9..=3.0).contains(&ratio.median), "{ratio:?}");
        assert!(ratio.quartiles[0] <= ratio.median && ratio.median <= ratio.quartiles[1]);
        assert!((100.0..110.0).contains(&ns.median) && ns.minimum <= ns.median, "{ns:?}");
    }
}
