//! Several runs side by side: of other CPUs, or of another version on the same one.
//!
//! What is compared is a contender's time divided by that of `scalar` in the same rounds, so that a faster clock, or a busy
//! neighbour, counts for nothing. `scalar` itself is compared by its time divided by the roof's.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::figures::{Figure, Kind, Run, Section};
use crate::machine::round;
use crate::race::Ratio;
use crate::settings::BASELINE;

/// Figures of so many bytes and more are not judged: there other programs on the machine count more than the code.
const JUDGED_BYTES: usize = 4 << 20;
/// So many contenders are compared with each other, too.
const MANY: usize = 5;
/// A mean is judged if it is of so many figures.
const JUDGED_FIGURES: usize = 4;

/// A contender in one setting, before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// What the figure is about.
    pub section: Section,
    /// The operation.
    pub operation: String,
    /// The boards.
    pub input: String,
    /// Who.
    pub contender: String,
    /// Boards in a call.
    pub boards_a_call: usize,
    /// The first run's ratio.
    pub before: Ratio,
    /// The other run's.
    pub after: Ratio,
    /// How many times slower it became, by the medians.
    pub factor: f64,
    /// How many times slower at least a quarter of all contenders became there: then it was `scalar` that became faster.
    pub all: f64,
}

/// A contender's changes together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mean {
    /// Who.
    pub contender: String,
    /// How many figures there are in both runs.
    pub figures: usize,
    /// The geometric mean of their factors.
    pub factor: f64,
    /// That of the fastest samples' factors.
    pub of_minima: f64,
}

fn reference(figure: &Figure) -> Option<Ratio> {
    match figure.kind {
        Kind::Roof => None,
        _ if figure.contender == BASELINE => figure.to_copy,
        _ => figure.to_scalar,
    }
}

/// What is judged in both runs, in the first one's order.
#[must_use]
pub fn changes(before: &Run, after: &Run) -> Vec<Change> {
    let judged = |figure: &&Figure| figure.threads == 1 && figure.working_set() <= JUDGED_BYTES;
    let pairs = before.figures.iter().filter(judged).filter_map(|old| {
        let same = |new: &&Figure| {
            (new.section, &new.operation, &new.input, &new.contender)
                == (old.section, &old.operation, &old.input, &old.contender)
                && (new.boards_a_call, new.boards, new.threads)
                    == (old.boards_a_call, old.boards, old.threads)
        };
        let new = after.figures.iter().find(same)?;
        let (before, after) = (reference(old)?, reference(new)?);
        Some(Change {
            section: old.section,
            operation: old.operation.clone(),
            input: old.input.clone(),
            contender: old.contender.clone(),
            boards_a_call: old.boards_a_call,
            before,
            after,
            factor: round(after.median / before.median),
            all: 1.0,
        })
    });
    let mut changes: Vec<Change> = pairs.collect();
    let setting = |change: &Change| {
        let Change {
            section,
            operation,
            input,
            boards_a_call,
            ..
        } = change.clone();
        (section, operation, input, boards_a_call)
    };
    let mut factors = BTreeMap::<_, Vec<f64>>::new();
    for change in changes.iter().filter(|change| change.contender != BASELINE) {
        factors
            .entry(setting(change))
            .or_default()
            .push(change.factor);
    }
    for factors in factors.values_mut() {
        factors.sort_by(f64::total_cmp);
    }
    for change in &mut changes {
        if let Some(factors) = factors
            .get(&setting(change))
            .filter(|factors| factors.len() >= MANY)
        {
            change.all = factors[factors.len() * 3 / 4];
        }
    }
    changes
}

/// The contenders' means, in order of appearance.
#[must_use]
pub fn means(changes: &[Change]) -> Vec<Mean> {
    let mut of: Vec<(&str, Vec<&Change>)> = Vec::new();
    for change in changes {
        match of.iter_mut().find(|(name, _)| *name == change.contender) {
            Some((_, its)) => its.push(change),
            None => of.push((&change.contender, vec![change])),
        }
    }
    of.into_iter()
        .map(|(contender, its)| {
            let mean = |factor: fn(&Change) -> f64| {
                let logs = its.iter().map(|change| factor(change).ln());
                round((logs.sum::<f64>() / its.len() as f64).exp())
            };
            Mean {
                contender: contender.into(),
                figures: its.len(),
                factor: mean(|change| change.factor),
                of_minima: mean(Change::by_minima),
            }
        })
        .collect()
}

impl Change {
    /// How many times slower it became, by the fastest samples.
    fn by_minima(&self) -> f64 {
        self.after.of_minima / self.before.of_minima
    }

    /// Whether it became slower by more than this factor, beyond doubt: by the medians and by the fastest samples, by more than the middle halves of
    /// the rounds are wide, and if not many others became so too. `scalar` alone is judged only in the mean: what it is compared with is memory.
    #[must_use]
    pub fn exceeds(&self, limit: f64) -> bool {
        let width = |ratio: Ratio| ratio.quartiles[1] / ratio.quartiles[0];
        let doubt = (width(self.before) * width(self.after)).sqrt() * self.all.max(1.0);
        self.contender != BASELINE
            && self.factor > limit * doubt
            && self.by_minima() > limit * self.all.max(1.0)
            && self.after.quartiles[0] > self.before.quartiles[1]
    }
}

impl Mean {
    /// Whether the contender became slower by more than this factor in the mean of several figures: by the medians and by the fastest samples,
    /// because the medians of a loop whose branches are guessed well or badly differ by 1.2 from run to run.
    #[must_use]
    pub fn exceeds(&self, limit: f64) -> bool {
        self.figures >= JUDGED_FIGURES && self.factor.min(self.of_minima) > limit
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, Mean, means};
    use crate::figures::Section;
    use crate::race::Ratio;

    fn change(before: [f64; 3], after: [f64; 3], minima: f64) -> Change {
        let ratio = |[low, median, high]: [f64; 3], of_minima| Ratio {
            median,
            of_minima,
            quartiles: [low, high],
        };
        Change {
            section: Section::Operations,
            operation: "queen_attacks".into(),
            input: "random".into(),
            contender: "avx2".into(),
            boards_a_call: 4096,
            before: ratio(before, before[1]),
            after: ratio(after, minima),
            factor: after[1] / before[1],
            all: 1.0,
        }
    }

    #[test]
    fn an_alarm_needs_all_proofs() {
        let before = [0.248, 0.25, 0.252];
        let slower = change(before, [0.286, 0.2875, 0.289], 0.2875);
        assert!(slower.exceeds(1.10));
        // The fastest samples are as fast as before; the rounds are too different; too little.
        assert!(!change(before, [0.286, 0.2875, 0.289], 0.25).exceeds(1.10));
        assert!(!change(before, [0.26, 0.2875, 0.30], 0.2875).exceeds(1.10));
        assert!(!change(before, [0.265, 0.27, 0.272], 0.27).exceeds(1.10));
        // Many became slower, or it is the baseline.
        assert!(
            !Change {
                all: 1.14,
                ..slower.clone()
            }
            .exceeds(1.10)
        );
        assert!(
            !Change {
                contender: "scalar".into(),
                ..slower
            }
            .exceeds(1.10)
        );
    }

    #[test]
    fn means_are_geometric() {
        let changes = [
            change([1.0; 3], [2.0; 3], 2.0),
            change([2.0; 3], [1.0; 3], 1.0),
        ];
        assert_eq!(
            means(&changes),
            [Mean {
                contender: "avx2".into(),
                figures: 2,
                factor: 1.0,
                of_minima: 1.0,
            }]
        );
        assert!(!means(&changes)[0].exceeds(0.9));
    }

    #[test]
    fn a_mean_needs_the_fastest_samples_too() {
        let all = |minima| vec![change([1.0; 3], [1.2; 3], minima); 4];
        assert!(means(&all(1.2))[0].exceeds(1.10));
        assert!(!means(&all(1.0))[0].exceeds(1.10));
        assert!(!means(&all(1.2)[..3])[0].exceeds(1.10));
    }
}
