//! Compares runs on different CPUs, or of different versions on one CPU.
//!
//! The compared value is a contender's time divided by the time of `scalar` in the same rounds. So
//! neither a faster clock nor a busy neighbour matters. The time of `scalar` itself is divided by
//! that of `copy-xor`.

use serde::Serialize;

use crate::figures::{Figure, Kind, Run, Section};
use crate::number::round;
use crate::race::Ratio;
use crate::settings::BASELINE;

/// The maximum working set of a judged figure, in bytes. In larger ones, other programs affect
/// times more than the code does.
const JUDGED_BYTES: usize = 4 << 20;
/// The minimum number of contenders for computing [`Change::all`] in a setting.
const MANY: usize = 5;
/// A mean of fewer figures is not judged.
const JUDGED_FIGURES: usize = 4;

/// How a contender changed in one setting from a first run to a later run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// The section of the figures.
    pub section: Section,
    /// The operation.
    pub operation: String,
    /// The name of the boards.
    pub input: String,
    /// The contender.
    pub contender: String,
    /// Boards per call.
    pub boards_a_call: usize,
    /// The time in the first run, as a ratio to `scalar` or `copy-xor`.
    pub before: Ratio,
    /// The time in the later run, as a ratio to the same reference.
    pub after: Ratio,
    /// The median in the later run divided by that in the first. Above 1, the contender became
    /// slower.
    pub factor: f64,
    /// The upper quartile of `factor` over all contenders in this setting except `scalar`. If it is
    /// above 1, `scalar` probably became faster.
    pub all: f64,
}

/// The mean of one contender's changes over all settings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mean {
    /// The contender.
    pub contender: String,
    /// The number of the contender's figures that both runs have.
    pub figures: usize,
    /// The geometric mean of the [factors](Change::factor) of these figures.
    pub factor: f64,
    /// The same mean, but of factors computed from the fastest samples instead of medians.
    pub of_minima: f64,
}

fn compared(figure: &Figure) -> Option<Ratio> {
    match figure.kind {
        Kind::Roof => None,
        _ if figure.contender == BASELINE => figure.to_copy,
        _ => figure.to_scalar,
    }
}

/// The changes of the figures that both runs have, in the order of the first run.
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
        let (before, after) = (compared(old)?, compared(new)?);
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
    // Figures with the same setting are adjacent.
    for setting in changes.chunk_by_mut(|a, b| {
        (a.section, &a.operation, &a.input, a.boards_a_call)
            == (b.section, &b.operation, &b.input, b.boards_a_call)
    }) {
        let others = setting.iter().filter(|change| change.contender != BASELINE);
        let mut factors: Vec<f64> = others.map(|change| change.factor).collect();
        factors.sort_by(f64::total_cmp);
        if factors.len() >= MANY {
            for change in setting {
                change.all = factors[factors.len() * 3 / 4];
            }
        }
    }
    changes
}

/// The mean change of each contender, in order of appearance.
#[must_use]
pub fn means(changes: &[Change]) -> Vec<Mean> {
    let mut groups: Vec<(&str, Vec<&Change>)> = Vec::new();
    for change in changes {
        match groups.iter_mut().find(|(name, _)| *name == change.contender) {
            Some((_, group)) => group.push(change),
            None => groups.push((&change.contender, vec![change])),
        }
    }
    let mean = |(contender, group): (&str, Vec<&Change>)| {
        let mean = |factor: fn(&Change) -> f64| {
            let logs = group.iter().map(|change| factor(change).ln());
            round((logs.sum::<f64>() / group.len() as f64).exp())
        };
        Mean {
            contender: contender.into(),
            figures: group.len(),
            factor: mean(|change| change.factor),
            of_minima: mean(Change::of_minima),
        }
    };
    groups.into_iter().map(mean).collect()
}

impl Change {
    /// The ratio of the fastest samples in the later run, divided by that in the first.
    fn of_minima(&self) -> f64 {
        self.after.of_minima / self.before.of_minima
    }

    /// Whether the contender became slower by more than `limit`, and the change is not noise. Both
    /// the medians and the fastest samples must exceed the limit, and the quartile ranges must not
    /// overlap. A slowdown that many contenders share raises the limit. For medians, a wide range
    /// of quartiles raises it too. `scalar` is judged only by its [`Mean`], because its reference
    /// is a copy in memory.
    #[must_use]
    pub fn exceeds(&self, limit: f64) -> bool {
        let width = |ratio: Ratio| ratio.quartiles[1] / ratio.quartiles[0];
        let noise = (width(self.before) * width(self.after)).sqrt() * self.all.max(1.0);
        self.contender != BASELINE
            && self.factor > limit * noise
            && self.of_minima() > limit * self.all.max(1.0)
            && self.after.quartiles[0] > self.before.quartiles[1]
    }
}

impl Mean {
    /// Whether the contender became slower by more than `limit` in the mean of several figures. The
    /// mean from the medians and that from the fastest samples must both exceed the limit. The
    /// medians of a loop with unpredictable branches vary by a factor of up to 1.2 between runs.
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

    fn change(before: [f64; 3], after: [f64; 3], of_minima: f64) -> Change {
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
            after: ratio(after, of_minima),
            factor: after[1] / before[1],
            all: 1.0,
        }
    }

    #[test]
    fn an_alarm_needs_every_sign() {
        let before = [0.248, 0.25, 0.252];
        let slower = change(before, [0.286, 0.2875, 0.289], 0.2875);
        assert!(slower.exceeds(1.10));
        // No alarm if the fastest samples are unchanged, if rounds differ too much, or if the
        // change is too small.
        assert!(!change(before, [0.286, 0.2875, 0.289], 0.25).exceeds(1.10));
        assert!(!change(before, [0.26, 0.2875, 0.30], 0.2875).exceeds(1.10));
        assert!(!change(before, [0.265, 0.27, 0.272], 0.27).exceeds(1.10));
        // No alarm if many contenders became slower. No alarm for the baseline.
        let many = Change { all: 1.14, ..slower.clone() };
        let baseline = Change { contender: "scalar".into(), ..slower };
        assert!(!many.exceeds(1.10) && !baseline.exceeds(1.10));
    }

    #[test]
    fn means_are_geometric() {
        let changes = [change([1.0; 3], [2.0; 3], 2.0), change([2.0; 3], [1.0; 3], 1.0)];
        let mean = Mean { contender: "avx2".into(), figures: 2, factor: 1.0, of_minima: 1.0 };
        assert!(!mean.exceeds(0.9));
        assert_eq!(means(&changes), [mean]);
    }

    #[test]
    fn a_mean_needs_the_fastest_samples_too() {
        let all = |minima| vec![change([1.0; 3], [1.2; 3], minima); 4];
        assert!(means(&all(1.2))[0].exceeds(1.10));
        assert!(!means(&all(1.0))[0].exceeds(1.10));
        assert!(!means(&all(1.2)[..3])[0].exceeds(1.10));
    }
}
