//! What is said about many samples of one time.

use serde::{Deserialize, Serialize};

use crate::number::round;

/// The time of one entry, as a distribution over the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The fastest sample.
    pub minimum: f64,
    /// The lower and the upper quartile.
    pub quartiles: [f64; 2],
}

/// The time of one entry divided by that of another, as a distribution over the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// The median.
    pub median: f64,
    /// The ratio of the two entries' fastest samples. (The smallest ratio would come from a round
    /// in which the reference was interrupted.)
    pub of_minima: f64,
    /// The lower and the upper quartile.
    pub quartiles: [f64; 2],
}

/// A number that is estimated from samples whose noise may be larger than the number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The median of the samples.
    pub median: f64,
    /// The interval that contains the median of all possible samples, with a confidence of 99 %.
    pub interval: [f64; 2],
}

impl Spread {
    /// The distribution of the numbers, which must not be empty.
    #[must_use]
    pub fn of(mut numbers: Vec<f64>) -> Spread {
        numbers.sort_by(f64::total_cmp);
        let quartile = |quarter: usize| numbers[(numbers.len() - 1) * quarter / 4];
        Spread { median: quartile(2), minimum: quartile(0), quartiles: [quartile(1), quartile(3)] }
    }

    /// All numbers multiplied by `factor`, and rounded.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Spread {
        let scale = |number: f64| round(number * factor);
        let Spread { median, minimum, quartiles } = self;
        Spread { median: scale(median), minimum: scale(minimum), quartiles: quartiles.map(scale) }
    }
}

impl Estimate {
    /// Half the width of an interval with a confidence of 99 %, in standard deviations.
    const HALF: f64 = 2.576;

    /// The median of the samples, and its interval from the samples' order, which assumes no
    /// distribution: the number of samples below the true median is binomial. `None` if there are
    /// fewer than eight samples, which cannot give this confidence.
    #[must_use]
    pub fn of(mut samples: Vec<f64>) -> Option<Estimate> {
        samples.sort_by(f64::total_cmp);
        let count = samples.len();
        if count < 8 {
            return None;
        }
        let (middle, half) = (count as f64 / 2.0, Self::HALF * (count as f64).sqrt() / 2.0);
        // The ranks from 1 whose samples bound the median.
        #[allow(clippy::cast_sign_loss, reason = "not negative")]
        let low = (middle - half).floor().max(1.0) as usize;
        let high = count + 1 - low;
        let median = f64::midpoint(samples[(count - 1) / 2], samples[count / 2]);
        Some(Estimate { median, interval: [samples[low - 1], samples[high - 1]] })
    }

    /// Whether the number is above zero with this confidence.
    #[must_use]
    pub fn is_positive(&self) -> bool {
        self.interval[0] > 0.0
    }

    /// The largest absolute value in the interval.
    #[must_use]
    pub fn bound(&self) -> f64 {
        self.interval[0].abs().max(self.interval[1].abs())
    }

    /// This number divided by another. The interval contains every ratio of numbers in the two
    /// intervals. `None` unless both numbers are positive.
    #[must_use]
    pub fn over(&self, other: &Estimate) -> Option<Estimate> {
        let interval = [self.interval[0] / other.interval[1], self.interval[1] / other.interval[0]];
        let ratio = Estimate { median: self.median / other.median, interval };
        (self.is_positive() && other.is_positive()).then_some(ratio)
    }

    /// All numbers multiplied by `factor`, and rounded.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Estimate {
        let scale = |number: f64| round(number * factor);
        Estimate { median: scale(self.median), interval: self.interval.map(scale) }
    }
}

#[cfg(test)]
mod tests {
    use super::Estimate;

    /// The intervals of known tables: with 8 to 10 samples, only the extremes reach 99 %; of 100
    /// samples, numbers 37 and 64 do.
    #[test]
    fn intervals_are_those_of_the_sign_test() {
        let samples = |count: i32| (1..=count).rev().map(f64::from).collect::<Vec<_>>();
        assert_eq!(Estimate::of(samples(7)), None);
        for (count, median, interval) in [
            (8, 4.5, [1.0, 8.0]),
            (10, 5.5, [1.0, 10.0]),
            (25, 13.0, [6.0, 20.0]),
            (100, 50.5, [37.0, 64.0]),
        ] {
            let found = Estimate::of(samples(count));
            assert_eq!(found, Some(Estimate { median, interval }), "{count}");
        }
    }

    /// Of 1,000 series of noise around a known number, the interval misses few: 99 % of them
    /// contain it. Noise without a mean and outliers do not matter.
    #[test]
    fn intervals_contain_the_number() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut missed = 0;
        for _ in 0..1000 {
            let mut sample = || 5.0 + (std::f64::consts::PI * (random.f64() - 0.5)).tan();
            let [low, high] = Estimate::of((0..60).map(|_| sample()).collect()).unwrap().interval;
            missed += usize::from(!(low..=high).contains(&5.0));
        }
        assert!((1..20).contains(&missed), "{missed}");
    }

    #[test]
    fn ratios_need_two_positive_numbers() {
        let number = |low: f64, high: f64| Estimate {
            median: f64::midpoint(low, high),
            interval: [low, high],
        };
        let ratio = number(2.0, 4.0).over(&number(10.0, 20.0)).unwrap();
        assert_eq!((ratio.median, ratio.interval), (0.2, [0.1, 0.4]));
        assert_eq!(number(-1.0, 4.0).over(&number(10.0, 20.0)), None);
        assert_eq!(number(2.0, 4.0).over(&number(0.0, 20.0)), None);
        assert_eq!(number(-3.0, 2.0).bound().to_string(), "3");
    }
}
