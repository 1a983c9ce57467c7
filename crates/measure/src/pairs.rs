//! The time that a piece of code adds to other code, if it is much shorter than the noise: pairs of
//! samples with and without it.
//!
//! Each pair is measured within milliseconds, so slow changes of the CPU affect both halves
//! equally. The figure is the median of the pairs' differences, with an interval that says whether
//! there is a difference at all.

use std::time::Duration;

use crate::figures::{Added, Kind};
use crate::job::Setting;
use crate::peers::MAGIC;
use crate::race::{on_both_stacks, undisturbed};
use crate::statistics::Estimate;

/// The samples with and without the code, of several contenders.
#[derive(Default)]
pub(crate) struct Pairs {
    /// The seconds of the samples without the code.
    pub(crate) alone: Vec<f64>,
    /// For each contender and round, the difference in seconds.
    differences: Vec<Vec<f64>>,
    rounds: usize,
}

impl Pairs {
    /// Takes a round of `contenders` contenders: of each, two samples with its code and two without
    /// (`None`). The order is without, with, with, without, or the reverse, so that a steady change
    /// of the CPU's speed cancels out. `time` gets the number of the pair, whose two samples must
    /// do the same work.
    pub(crate) fn round(
        &mut self,
        contenders: usize,
        mut time: impl FnMut(Option<usize>, u64) -> Duration,
    ) {
        self.differences.resize_with(contenders, Vec::new);
        let is_reversed = self.rounds % 2 == 1;
        for turn in 0..contenders {
            let i = (turn + self.rounds) % contenders;
            let mut sums = [0.0; 2];
            for (place, is_without) in [true, false, false, true].into_iter().enumerate() {
                let is_with = is_without == is_reversed;
                let seed = (2 * self.rounds + place / 2) as u64;
                let mut taken = Duration::ZERO;
                on_both_stacks(self.rounds / 2, &mut || {
                    taken = undisturbed(|| time(is_with.then_some(i), seed));
                });
                sums[usize::from(is_with)] += taken.as_secs_f64();
                if !is_with {
                    self.alone.push(taken.as_secs_f64());
                }
            }
            self.differences[i].push((sums[1] - sums[0]) / 2.0);
        }
        self.rounds += 1;
    }

    /// The figures of the contenders with these names and kinds. A sample has `share` calls.
    pub(crate) fn added(
        &self,
        setting: &Setting,
        names: impl Iterator<Item = (&'static str, Kind)>,
        share: usize,
    ) -> Vec<Added> {
        let names: Vec<_> = names.collect();
        let estimate = |samples: &Vec<f64>| Estimate::of(samples.clone());
        let estimates: Vec<_> = self.differences.iter().map(estimate).collect();
        let look_ups = names.iter().position(|(name, _)| *name == MAGIC);
        let reference = look_ups.and_then(|i| *estimates.get(i)?);
        let added = |(i, (name, kind)): (usize, &(&str, Kind))| {
            let found = *estimates.get(i)?;
            let is_measurable = found.is_some_and(|found| found.is_positive());
            let scaled = found.map(|found| found.scaled(1e9 / share as f64));
            let ratio = found.zip(reference).and_then(|(found, other)| found.over(&other));
            Some(Added {
                operation: setting.operation.clone(),
                input: setting.input.into(),
                contender: (*name).into(),
                kind: *kind,
                rounds: self.rounds,
                ns: scaled.filter(|_| is_measurable),
                within_ns: scaled.filter(|_| !is_measurable).map(|found| found.bound()),
                to_look_ups: ratio.filter(|_| look_ups != Some(i)).map(|ratio| ratio.scaled(1.0)),
            })
        };
        names.iter().enumerate().filter_map(added).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Pairs;
    use crate::figures::{Added, Kind, Section};
    use crate::job::Setting;
    use crate::peers::MAGIC;

    /// Rounds of walks of 500 us whose noise is 40 %, with calls that add 100 us, nothing and 50
    /// us. The speed of the CPU changes steadily, too.
    fn noisy(rounds: usize) -> [Added; 3] {
        let mut random = fastrand::Rng::with_seed(7);
        let mut pairs = Pairs::default();
        let mut slower = 0.0;
        for _ in 0..rounds {
            pairs.round(3, |contender, _| {
                slower += 1e-7;
                let added = contender.map_or(0.0, |i| [100e-6, 0.0, 50e-6][i]);
                Duration::from_secs_f64((500e-6 + added + slower) * (1.0 + 0.4 * random.f64()))
            });
        }
        let setting = Setting {
            section: Section::Walk,
            operation: "call".into(),
            input: "walk",
            boards_a_call: 1,
            boards: 1000,
            bytes_a_board: 1,
        };
        let names = [MAGIC, "nothing", "call"].map(|name| (name, Kind::Kernel));
        pairs.added(&setting, names.into_iter(), 1000).try_into().expect("three")
    }

    /// What noise hides is not measurable, whatever its median, and has no ratio.
    #[test]
    fn noise_is_not_a_figure() {
        let [look_ups, nothing, call] = noisy(400);
        let holds = |found: Option<super::Estimate>, number: f64| {
            found.is_some_and(|f| f.interval[0] <= number && number <= f.interval[1])
        };
        // Noise of up to 40 % is 20 % in the mean.
        assert!(holds(look_ups.ns, 120.0) && look_ups.within_ns.is_none(), "{look_ups:?}");
        assert!(holds(call.ns, 60.0) && holds(call.to_look_ups, 0.5), "{call:?}");
        assert_eq!((nothing.ns, nothing.to_look_ups), (None, None));
        assert!((1.0..30.0).contains(&nothing.within_ns.unwrap()), "{nothing:?}");
        assert_eq!((nothing.rounds, look_ups.to_look_ups), (400, None));
        // A few rounds do not reach the confidence.
        let few = noisy(7);
        assert!(few.iter().all(|one| one.ns.is_none() && one.within_ns.is_none()), "{few:?}");
    }

    /// Each contender is compared with its own pair, in both orders, on the same seeds.
    #[test]
    fn pairs_are_neighbours() {
        let mut pairs = Pairs::default();
        let mut order = Vec::new();
        for _ in 0..2 {
            pairs.round(2, |contender, seed| {
                order.push((contender, seed));
                // A disturbed sample is repeated: only the last counts.
                Duration::from_micros(if contender.is_some() { 3 } else { 1 })
            });
        }
        order.dedup();
        let expected = [
            [(None, 0), (Some(0), 0), (Some(0), 1), (None, 1)],
            [(None, 0), (Some(1), 0), (Some(1), 1), (None, 1)],
            [(Some(1), 2), (None, 2), (None, 3), (Some(1), 3)],
            [(Some(0), 2), (None, 2), (None, 3), (Some(0), 3)],
        ];
        assert_eq!(order, expected.concat());
        for differences in &pairs.differences {
            assert!(differences.iter().all(|d| (d - 2e-6).abs() < 1e-9), "{differences:?}");
        }
    }
}
