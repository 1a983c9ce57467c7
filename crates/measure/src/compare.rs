//! Compares runs on different CPUs, or of different versions on one CPU.
//!
//! The compared value is a contender's time divided by the time of `scalar` in the same rounds. So
//! neither a faster clock nor a busy neighbour matters. The time of `scalar` itself is divided by
//! that of `copy-xor`. Instructions per board, if both runs counted them, need no reference: the
//! machine's load does not change them.

use serde::Serialize;

use crate::figures::{Figure, Kind, Run, Section};
use crate::names::BASELINE;
use crate::number::round;
use crate::statistics::Ratio;

/// The maximum working set of a compared figure, in bytes. With a larger working set, other
/// programs affect times more than the code does.
const COMPARED_BYTES: usize = 4 << 20;

/// How a contender changed from a first run to a later run: the geometric means over all settings
/// of an operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// The contender.
    pub contender: String,
    /// The operation. Empty for `scalar`, whose mean is over all operations, because its reference
    /// is a copy in memory.
    pub operation: String,
    /// The number of the settings that both runs have.
    pub settings: usize,
    /// The median in the later run divided by that in the first. Above 1, the contender became
    /// slower.
    pub factor: f64,
    /// The same for the fastest samples.
    pub of_minima: f64,
    /// The same for the instructions per board, if both runs counted them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<f64>,
}

impl Change {
    /// Whether the contender became slower by more than `limit`: both the medians and the fastest
    /// samples. Medians alone do not suffice, because other programs lengthen them. Or whether it
    /// executes more instructions by more than `limit`.
    #[must_use]
    pub fn exceeds(&self, limit: f64) -> bool {
        self.factor.min(self.of_minima) > limit || self.instructions.is_some_and(|n| n > limit)
    }
}

/// The ratio that is compared. `None` if other programs or the branch predictor affect it more than
/// the code does.
fn compared(figure: &Figure) -> Option<Ratio> {
    let is_steady = match figure.section {
        Section::Cold | Section::Repeated | Section::Walk => false,
        Section::Maps | Section::Threats => figure.kind != Kind::Peer,
        _ => figure.boards.saturating_mul(figure.bytes_a_board) <= COMPARED_BYTES,
    };
    let ratio = if figure.contender == BASELINE { figure.to_copy } else { figure.to_scalar };
    ratio.filter(|_| is_steady && figure.kind != Kind::Roof)
}

/// The changes of each contender in each operation that both runs have, in order of appearance.
#[must_use]
pub fn changes(before: &Run, after: &Run) -> Vec<Change> {
    let setting = |figure: &Figure| {
        let names = [&figure.operation, &figure.input, &figure.contender].map(String::clone);
        (figure.section, names, figure.boards_a_call, figure.boards)
    };
    // Logarithms of the medians' ratios, of the minima's and of the instructions'.
    let mut changes: Vec<(&str, &str, [Vec<f64>; 3])> = Vec::new();
    for old in &before.figures {
        let new = after.figures.iter().find(|new| setting(new) == setting(old));
        let (Some(new), Some(before)) = (new, compared(old)) else { continue };
        let Some(after) = compared(new) else { continue };
        let operation = if old.contender == BASELINE { "" } else { &*old.operation };
        let same = |c: &(&str, &str, _)| c.0 == old.contender && c.1 == operation;
        let place = changes.iter().position(same).unwrap_or_else(|| {
            changes.push((&old.contender, operation, Default::default()));
            changes.len() - 1
        });
        let instructions = [new, old].map(|figure| figure.count("instructions"));
        let instructions =
            instructions[0].zip(instructions[1]).filter(|pair| pair.0 * pair.1 > 0.0);
        let times = [(after.median, before.median), (after.of_minima, before.of_minima)];
        for (i, (new, old)) in times.into_iter().chain(instructions).enumerate() {
            changes[place].2[i].push((new / old).ln());
        }
    }
    let mean = |logs: &[f64]| round((logs.iter().sum::<f64>() / logs.len() as f64).exp());
    let change = |(contender, operation, logs): (&str, &str, [Vec<f64>; 3])| Change {
        contender: contender.into(),
        operation: operation.into(),
        settings: logs[0].len(),
        factor: mean(&logs[0]),
        of_minima: mean(&logs[1]),
        instructions: (!logs[2].is_empty()).then(|| mean(&logs[2])),
    };
    changes.into_iter().map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::changes;
    use crate::figures::{Figure, Run, Section, distinct, saved};
    use crate::names::BASELINE;

    /// The saved run, in which all times of some figures are multiplied by a factor.
    fn scaled(factor: f64, minima: f64, is_slow: impl Fn(&Figure) -> bool) -> Run {
        let mut run = saved();
        for figure in run.figures.iter_mut().filter(|figure| is_slow(figure)) {
            for ratio in [&mut figure.to_scalar, &mut figure.to_copy].into_iter().flatten() {
                ratio.median *= factor;
                ratio.of_minima *= minima;
            }
        }
        run
    }

    fn is_avx2(figure: &Figure) -> bool {
        figure.contender == "avx2"
    }

    /// Noise is not an alarm: medians without minima, one setting of many, cold calls.
    #[test]
    fn a_slower_contender_is_found_and_noise_is_not() {
        let is_one: fn(&Figure) -> bool =
            |f| is_avx2(f) && f.section == Section::Sweep && f.boards_a_call == 64;
        for (median, minima, is_slow, expected) in [
            (1.0, 1.0, is_avx2 as fn(&Figure) -> bool, &[][..]),
            (1.25, 1.25, is_avx2, &["avx2"]),
            (1.05, 1.05, is_avx2, &[]),
            (1.25, 1.0, is_avx2, &[]),
            (1.0, 1.25, is_avx2, &[]),
            (1.3, 1.3, |figure| figure.contender == BASELINE, &[BASELINE]),
            (1.2, 1.2, is_one, &[]),
            (2.0, 2.0, |figure| figure.section == Section::Cold, &[]),
        ] {
            let slower = changes(&saved(), &scaled(median, minima, is_slow)).into_iter();
            let slower: Vec<_> = slower.filter(|change| change.exceeds(1.10)).collect();
            let names = distinct(slower.iter().map(|change| &*change.contender));
            assert_eq!(names, expected, "{median} {minima}");
            // `scalar` has one mean, relative to the copy.
            let operations: Vec<_> = slower.iter().map(|change| &*change.operation).collect();
            assert_eq!(operations.contains(&"slider_attacks"), names == ["avx2"]);
            assert_eq!(operations == [""], names == [BASELINE]);
        }
    }

    /// More instructions are an alarm, even if the time is the same. A run without them has none.
    #[test]
    fn more_instructions_are_found() {
        let run = |instructions: Option<f64>| {
            let mut run = saved();
            for figure in run.figures.iter_mut().filter(|figure| is_avx2(figure)) {
                figure.counts.extend(instructions.map(|n| ("instructions".into(), n)));
            }
            run
        };
        let found = |after| changes(&run(Some(10.0)), &run(after));
        for (after, expected) in [(Some(12.0), Some(1.2)), (Some(10.0), Some(1.0)), (None, None)] {
            for change in found(after).iter().filter(|change| change.contender == "avx2") {
                assert_eq!(change.instructions, expected, "{change:?}");
                assert_eq!(change.exceeds(1.1), after == Some(12.0), "{change:?}");
            }
        }
        let others = found(Some(12.0)).into_iter().filter(|change| change.contender != "avx2");
        assert!(others.map(|change| change.instructions).all(|number| number.is_none()));
    }
}
