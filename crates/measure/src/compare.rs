//! Compares runs on different CPUs, or of different versions on one CPU.
//!
//! The compared value is a contender's time divided by the time of `scalar` in the same rounds. So
//! neither a faster clock nor a busy neighbour matters. The time of `scalar` itself is divided by
//! that of `copy-xor`.

use serde::Serialize;

use crate::contender::Kind;
use crate::figures::{Figure, Run, Section};
use crate::number::round;
use crate::race::Ratio;
use crate::settings::BASELINE;

/// The maximum working set of a compared figure, in bytes. With a larger working set, other
/// programs affect times more than the code does.
const COMPARED_BYTES: usize = 4 << 20;

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
    /// The median in the later run divided by that in the first. Above 1, the contender became
    /// slower.
    pub factor: f64,
    /// The same for the fastest samples.
    pub of_minima: f64,
}

/// How a contender changed in an operation: the geometric means over all settings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mean {
    /// The contender.
    pub contender: String,
    /// The operation. Empty for `scalar`, whose mean is over all operations, because its reference
    /// is a copy in memory.
    pub operation: String,
    /// The number of the settings that both runs have.
    pub settings: usize,
    /// The mean of the [factors](Change::factor).
    pub factor: f64,
    /// The mean of the factors of the fastest samples.
    pub of_minima: f64,
}

impl Mean {
    /// Whether the contender became slower by more than `limit`: both the medians and the fastest
    /// samples. Medians alone do not suffice, because other programs lengthen them.
    #[must_use]
    pub fn exceeds(&self, limit: f64) -> bool {
        self.factor.min(self.of_minima) > limit
    }
}

/// The ratio that is compared. `None` if the figure is not compared, because other programs or the
/// branch predictor affect it more than the code does.
fn compared(figure: &Figure) -> Option<Ratio> {
    let varies = match figure.section {
        Section::Cold | Section::Repeated => true,
        Section::Maps => figure.kind == Kind::Peer,
        _ => figure.working_set() > COMPARED_BYTES,
    };
    match figure.kind {
        Kind::Roof => None,
        _ if varies => None,
        _ if figure.contender == BASELINE => figure.to_copy,
        _ => figure.to_scalar,
    }
}

/// The changes of the figures that both runs have, in the order of the first run.
#[must_use]
pub fn changes(before: &Run, after: &Run) -> Vec<Change> {
    let setting = |figure: &Figure| {
        let Figure { section, boards_a_call, boards, .. } = *figure;
        let names = [&figure.operation, &figure.input, &figure.contender].map(String::clone);
        (section, names, boards_a_call, boards)
    };
    let change = |old: &Figure| {
        let new = after.figures.iter().find(|new| setting(new) == setting(old))?;
        let (before, after) = (compared(old)?, compared(new)?);
        Some(Change {
            section: old.section,
            operation: old.operation.clone(),
            input: old.input.clone(),
            contender: old.contender.clone(),
            boards_a_call: old.boards_a_call,
            factor: round(after.median / before.median),
            of_minima: round(after.of_minima / before.of_minima),
        })
    };
    before.figures.iter().filter_map(change).collect()
}

/// The mean change of each contender in each operation, in order of appearance.
#[must_use]
pub fn means(changes: &[Change]) -> Vec<Mean> {
    let mut groups: Vec<((&str, &str), Vec<&Change>)> = Vec::new();
    for change in changes {
        let is_baseline = change.contender == BASELINE;
        let key = (&*change.contender, if is_baseline { "" } else { &*change.operation });
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, group)) => group.push(change),
            None => groups.push((key, vec![change])),
        }
    }
    let mean = |of: fn(&Change) -> f64, group: &[&Change]| {
        let sum: f64 = group.iter().map(|change| of(change).ln()).sum();
        round((sum / group.len() as f64).exp())
    };
    groups
        .into_iter()
        .map(|((contender, operation), group)| Mean {
            contender: contender.into(),
            operation: operation.into(),
            settings: group.len(),
            factor: mean(|change| change.factor, &group),
            of_minima: mean(|change| change.of_minima, &group),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{changes, means};
    use crate::figures::{Figure, Run, Section, saved};
    use crate::race::Ratio;
    use crate::settings::BASELINE;

    /// The saved run, in which all times of some figures are multiplied by a factor.
    fn scaled(factor: f64, minima: f64, is_slow: impl Fn(&Figure) -> bool) -> Run {
        let mut run = saved();
        for figure in run.figures.iter_mut().filter(|figure| is_slow(figure)) {
            for ratio in [&mut figure.to_scalar, &mut figure.to_copy].into_iter().flatten() {
                let [low, high] = ratio.quartiles.map(|one| one * factor);
                *ratio = Ratio {
                    median: ratio.median * factor,
                    of_minima: ratio.of_minima * minima,
                    quartiles: [low, high],
                };
            }
        }
        run
    }

    /// The contenders that a comparison with the saved run finds slower by more than 1.10.
    fn slower(after: &Run) -> Vec<(String, String)> {
        let means = means(&changes(&saved(), after)).into_iter();
        let slow = means.filter(|mean| mean.exceeds(1.10));
        slow.map(|mean| (mean.contender, mean.operation)).collect()
    }

    #[test]
    fn a_slower_contender_is_found_and_the_same_run_is_not() {
        assert!(slower(&saved()).is_empty());
        let avx2 = |figure: &Figure| figure.contender == "avx2";
        let found = slower(&scaled(1.25, 1.25, avx2));
        assert!(found.iter().any(|(_, operation)| operation == "slider_attacks"), "{found:?}");
        assert!(found.iter().all(|(contender, _)| contender == "avx2"), "{found:?}");
        assert!(slower(&scaled(1.05, 1.05, avx2)).is_empty());
    }

    /// Noise is not an alarm: medians without minima, one setting of many, cold calls.
    #[test]
    fn noise_is_not_found() {
        let avx2 = |figure: &Figure| figure.contender == "avx2";
        assert!(slower(&scaled(1.25, 1.0, avx2)).is_empty());
        assert!(slower(&scaled(1.0, 1.25, avx2)).is_empty());
        let one = |figure: &Figure| {
            avx2(figure) && figure.section == Section::Sweep && figure.boards_a_call == 64
        };
        assert!(slower(&scaled(1.2, 1.2, one)).is_empty());
        let cold = |figure: &Figure| figure.section == Section::Cold;
        assert!(slower(&scaled(2.0, 2.0, cold)).is_empty());
    }

    /// `scalar` has one mean, relative to the copy.
    #[test]
    fn the_baseline_is_compared_with_the_copy() {
        let found = slower(&scaled(1.3, 1.3, |figure| figure.contender == BASELINE));
        assert_eq!(found, [(BASELINE.to_owned(), String::new())]);
    }

    #[test]
    fn means_are_geometric() {
        let mut changes = changes(&saved(), &saved());
        changes.truncate(2);
        for (change, factor) in changes.iter_mut().zip([2.0, 0.5]) {
            change.contender = "avx2".into();
            change.operation = "queen_attacks".into();
            (change.factor, change.of_minima) = (factor, 1.0);
        }
        let [mean] = &means(&changes)[..] else { panic!("one contender and operation") };
        assert_eq!((mean.settings, mean.factor, mean.of_minima), (2, 1.0, 1.0));
    }
}
