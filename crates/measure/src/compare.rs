//! Compares runs on different CPUs, or of different versions on one CPU.
//!
//! The compared value is a contender's time divided by the time of `scalar` in the same rounds. So
//! neither a faster clock nor a busy neighbour matters. The time of `scalar` itself is divided by
//! that of `copy-xor`.

use serde::Serialize;

use crate::figures::{Figure, Kind, Run, Section, distinct};
use crate::number::round;
use crate::race::Ratio;
use crate::settings::BASELINE;

/// The maximum working set of a judged figure, in bytes. With a larger working set, other programs
/// affect times more than the code does.
const JUDGED_BYTES: usize = 4 << 20;
/// The minimum number of contenders for computing [`Change::all`] in a setting.
const MANY: usize = 5;
/// The minimum number of figures for computing [`Change::noise`].
const MANY_FIGURES: usize = 20;
/// The minimum number of figures for judging a mean.
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
    /// above 1, many contenders seem slower, probably because `scalar` became faster.
    pub all: f64,
    /// The noise of a change, as a factor: three standard deviations of all changes, or of this
    /// contender's changes if these are greater. (Most contenders did not change, so their changes
    /// are noise.) 1 if there are few changes.
    pub noise: f64,
}

/// The mean of one contender's changes over all settings. It is the geometric mean of the middle
/// half, so a few interrupted measurements do not matter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mean {
    /// The contender.
    pub contender: String,
    /// The number of the contender's figures that both runs have.
    pub figures: usize,
    /// The mean of the [factors](Change::factor) of these figures.
    pub factor: f64,
    /// The same mean, but of factors computed from the fastest samples instead of medians.
    pub of_minima: f64,
    /// The factor by which `factor` and `of_minima` may be wrong: three standard errors, estimated
    /// from how much the factors of the figures differ.
    pub noise: f64,
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
    // Some times vary too much between runs. Cold calls wait for memory that other programs also
    // use. Look-ups for maps take 45 to 165 ns per position, because sometimes the branch predictor
    // remembers the positions.
    let judged = |figure: &&Figure| {
        let varies = match figure.section {
            Section::Cold => true,
            Section::Maps => figure.kind == Kind::Peer,
            _ => false,
        };
        figure.threads == 1 && figure.working_set() <= JUDGED_BYTES && !varies
    };
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
            noise: 1.0,
        })
    });
    let mut changes: Vec<Change> = pairs.collect();
    let all = noise(changes.iter().filter(|change| change.contender != BASELINE));
    let contenders: Vec<String> =
        distinct(changes.iter().map(|change| &change.contender)).into_iter().cloned().collect();
    for contender in contenders {
        let own = noise(changes.iter().filter(|change| change.contender == contender));
        for change in changes.iter_mut().filter(|change| change.contender == contender) {
            change.noise = all.max(own);
        }
    }
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

/// A contender's row in a table of several runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The contender.
    pub contender: String,
    /// The contender's time in each run. `None` if the run does not have the contender.
    pub runs: Vec<Option<Time>>,
    /// The contender's change from the first run to each later run. `None` for `scalar`, and if one
    /// of the two runs does not have the contender.
    pub changes: Vec<Option<Difference>>,
}

/// A time in a [`Row`], per board.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Time {
    /// The median in nanoseconds.
    pub ns: f64,
    /// [Core cycles](Run::cycles).
    pub cycles: f64,
    /// The time divided by that of `scalar` in the same rounds.
    pub to_scalar: Option<f64>,
}

/// A change in a [`Row`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// [`Change::factor`].
    pub factor: f64,
    /// [`Change::is_beyond_noise`].
    pub beyond_noise: bool,
}

/// Compares the times of an operation on random boards in the caches, with one row per contender,
/// sorted by the second run. Contenders that the second run does not have come last.
#[must_use]
pub fn side_by_side(runs: &[Run], comparisons: &[Vec<Change>], operation: &str) -> Vec<Row> {
    let select = |run: &'_ Run| -> Vec<Figure> {
        let figures = run.select(Section::Operations, operation);
        figures.filter(|figure| figure.kind != Kind::Roof).cloned().collect()
    };
    let all: Vec<Vec<Figure>> = runs.iter().map(select).collect();
    let mut sorted: Vec<&Figure> = all.iter().skip(1).take(1).flatten().collect();
    sorted.sort_by(|a, b| a.ns.median.total_cmp(&b.ns.median));
    let names = distinct(sorted.into_iter().chain(all.iter().flatten()).map(|f| &*f.contender));
    let row = |name: &str| Row {
        contender: name.into(),
        runs: runs
            .iter()
            .zip(&all)
            .map(|(run, figures)| {
                let figure = figures.iter().find(|figure| figure.contender == name)?;
                let to_scalar = figure.to_scalar.map(|ratio| ratio.median);
                Some(Time { ns: figure.ns.median, cycles: run.cycles(figure), to_scalar })
            })
            .collect(),
        changes: comparisons
            .iter()
            .map(|changes| {
                // Leave out `scalar`: its change is relative to `copy-xor`, which is too noisy in a
                // single setting.
                let mut others = changes.iter().filter(|change| change.contender != BASELINE);
                let change = others.find(|change| {
                    (change.section, &*change.operation, &*change.contender)
                        == (Section::Operations, operation, name)
                })?;
                let beyond_noise = change.is_beyond_noise();
                Some(Difference { factor: change.factor, beyond_noise })
            })
            .collect(),
    };
    names.into_iter().map(row).collect()
}

/// The noise of these changes as a factor: three standard deviations, or 1 if there are few
/// changes.
fn noise<'a>(changes: impl Iterator<Item = &'a Change> + Clone) -> f64 {
    if changes.clone().count() < MANY_FIGURES {
        return 1.0;
    }
    let medians = deviation(changes.clone().map(|change| change.factor));
    round((3.0 * medians.max(deviation(changes.map(Change::of_minima)))).exp())
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
        let figures = group.len();
        let factors = group.iter().map(|change| change.factor);
        let minima = group.iter().map(|change| change.of_minima());
        let deviation = deviation(factors.clone()).max(deviation(minima.clone()));
        Mean {
            contender: contender.into(),
            figures,
            factor: middle_mean(factors),
            of_minima: middle_mean(minima),
            noise: round((3.0 * deviation / (figures as f64).sqrt()).exp()),
        }
    };
    groups.into_iter().map(mean).collect()
}

/// The changes that [exceed](Change::exceeds) `limit`, each confirmed by another change of the same
/// contender and operation. Confirmation is needed because the speed in a single setting may depend
/// on the addresses of a process. A change needs no confirmation if its operation has no other
/// change.
#[must_use]
pub fn slower(changes: &[Change], limit: f64) -> Vec<&Change> {
    let related = |a: &Change, b: &Change| {
        let operation = |change: &Change| change.operation.trim_end_matches("_one").to_owned();
        !std::ptr::eq(a, b) && a.contender == b.contender && operation(a) == operation(b)
    };
    let exceeding = changes.iter().filter(|change| change.exceeds(limit));
    let is_confirmed = |change: &&Change| {
        let mut others = changes.iter().filter(|other| related(other, change)).peekable();
        others.peek().is_none() || others.any(|other| other.exceeds(limit))
    };
    exceeding.filter(is_confirmed).collect()
}

/// The geometric mean of the middle half of the factors.
fn middle_mean(factors: impl Iterator<Item = f64>) -> f64 {
    let logs = sorted(factors.map(f64::ln));
    let middle = &logs[logs.len() / 4..logs.len() - logs.len() / 4];
    round((middle.iter().sum::<f64>() / middle.len() as f64).exp())
}

/// The standard deviation of the factors' logarithms, estimated from their median distance to the
/// median. Up to half of the factors may be outliers.
fn deviation(factors: impl Iterator<Item = f64>) -> f64 {
    let logs = sorted(factors.map(f64::ln));
    let Some(&median) = logs.get(logs.len() / 2) else {
        return 0.0;
    };
    let distances = sorted(logs.iter().map(|log| (log - median).abs()));
    1.4826 * distances[distances.len() / 2]
}

fn sorted(numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers
}

impl Change {
    /// The ratio of the fastest samples in the later run, divided by that in the first.
    fn of_minima(&self) -> f64 {
        self.after.of_minima / self.before.of_minima
    }

    /// Whether the two times differ by more than the noise of both runs. The ranges of quartiles do
    /// not overlap, and the medians and the fastest samples both differ by more than `noise` in
    /// the same direction.
    #[must_use]
    pub fn is_beyond_noise(&self) -> bool {
        let [before, after] = [self.before, self.after].map(|ratio| ratio.quartiles);
        let slower = self.factor.min(self.of_minima()) > self.noise && after[0] > before[1];
        let faster = self.factor.max(self.of_minima()) < 1.0 / self.noise && after[1] < before[0];
        slower || faster
    }

    /// Whether the contender became slower by more than `limit`, and the change is not noise. Both
    /// the medians and the fastest samples must exceed the limit, and the quartile ranges must not
    /// overlap. A slowdown that many contenders share raises the limit, and so does the noise of
    /// the comparison. For medians, a wide range of quartiles also raises the limit. `scalar` is
    /// judged only by its [`Mean`], because its reference is a copy in memory.
    #[must_use]
    pub fn exceeds(&self, limit: f64) -> bool {
        let width = |ratio: Ratio| ratio.quartiles[1] / ratio.quartiles[0];
        let limit = limit * self.all.max(1.0);
        let width = (width(self.before) * width(self.after)).sqrt();
        self.contender != BASELINE
            && self.factor > limit * width.max(self.noise)
            && self.of_minima() > limit * self.noise
            && self.after.quartiles[0] > self.before.quartiles[1]
    }
}

impl Mean {
    /// Whether the contender became slower by more than `limit` in the mean of several figures. The
    /// mean of the medians and that of the fastest samples must both exceed the limit by more than
    /// the noise. Medians alone do not suffice: those of a loop with unpredictable branches vary by
    /// a factor of up to 1.2 between runs.
    #[must_use]
    pub fn exceeds(&self, limit: f64) -> bool {
        self.figures >= JUDGED_FIGURES && self.factor.min(self.of_minima) > limit * self.noise
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, changes, means, side_by_side, slower};
    use crate::figures::{Run, Section};
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
            noise: 1.0,
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

    /// An alarm in one setting counts only if another setting of the same operation confirms it,
    /// unless the operation has no other setting.
    #[test]
    fn an_alarm_is_confirmed() {
        let slow = change([0.248, 0.25, 0.252], [0.286, 0.2875, 0.289], 0.2875);
        let same = change([0.248, 0.25, 0.252], [0.248, 0.25, 0.252], 0.25);
        let other = Change { operation: "pins".into(), ..same.clone() };
        let one = Change { operation: "queen_attacks_one".into(), ..slow.clone() };
        assert_eq!(slower(&[slow.clone(), other], 1.10), [&slow]);
        assert!(slower(&[slow.clone(), same.clone()], 1.10).is_empty());
        assert_eq!(slower(&[slow.clone(), same, one.clone()], 1.10), [&slow, &one]);
        // Noise raises the limit.
        let noisy = Change { noise: 1.05, ..slow };
        assert!(!noisy.exceeds(1.10) && noisy.exceeds(1.09));
    }

    #[test]
    fn differences_are_beyond_the_noise_of_both_runs() {
        let before = [0.248, 0.25, 0.252];
        assert!(change(before, [0.254, 0.255, 0.256], 0.255).is_beyond_noise());
        assert!(change(before, [0.244, 0.245, 0.246], 0.245).is_beyond_noise());
        assert!(!change(before, [0.251, 0.255, 0.256], 0.255).is_beyond_noise());
        assert!(!change(before, [0.254, 0.255, 0.256], 0.249).is_beyond_noise());
        let noisy = Change { noise: 1.03, ..change(before, [0.254, 0.255, 0.256], 0.255) };
        assert!(!noisy.is_beyond_noise());
    }

    fn saved() -> Run {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/runs");
        let path = format!("{folder}/amd-epyc-zen-5.json");
        Run::read(std::fs::File::open(path).unwrap()).unwrap()
    }

    /// Multiplies all numbers of a ratio by a factor.
    fn scale(ratio: &mut Option<Ratio>, by: f64) {
        if let Some(Ratio { median, of_minima, quartiles: [low, high] }) = ratio {
            for number in [median, of_minima, low, high] {
                *number *= by;
            }
        }
    }

    /// All figures vary by up to 4 %. Even so, a kernel that takes 1.25 times as long raises an
    /// alarm. A kernel that takes 1.05 times as long raises none, nor does a single slow figure.
    #[test]
    fn noise_is_estimated_from_all_changes() {
        let before = saved();
        let compared = |slow: f64| {
            let mut after = before.clone();
            for (i, figure) in after.figures.iter_mut().enumerate() {
                let noise = [1.04, 0.96, 1.0, 0.98, 1.02, 1.01][i % 6];
                let kernel = if figure.contender == "avx2" { slow } else { 1.0 };
                scale(&mut figure.to_scalar, noise * kernel);
            }
            scale(&mut after.figures[40].to_scalar, 1.5);
            changes(&before, &after)
        };
        for (slow, found) in [(1.25, true), (1.05, false)] {
            let changes = compared(slow);
            assert!((1.02..1.16).contains(&changes[0].noise), "{}", changes[0].noise);
            let means = means(&changes);
            let alarms: Vec<_> = means.iter().filter(|mean| mean.exceeds(1.10)).collect();
            assert_eq!(alarms.iter().map(|mean| &*mean.contender).eq(["avx2"]), found);
            assert!(slower(&changes, 1.10).iter().all(|change| change.contender == "avx2"));
        }
        assert!(changes(&before, &before).iter().all(|change| change.noise < 1.000_1));
    }

    #[test]
    fn rows_are_sorted_by_the_second_run() {
        let mut second = saved();
        let fast = |contender: &str| contender == "switch";
        for figure in second.figures.iter_mut().filter(|figure| fast(&figure.contender)) {
            figure.ns.median = 0.001;
        }
        second.figures.retain(|figure| figure.contender != "avx512-gfni");
        let runs = [saved(), second];
        let comparisons = [changes(&runs[0], &runs[1])];
        let rows = side_by_side(&runs, &comparisons, "queen_attacks");
        assert_eq!(
            (&*rows[0].contender, &*rows.last().unwrap().contender),
            ("switch", "avx512-gfni")
        );
        let last = rows.last().unwrap();
        assert!(last.runs[0].is_some() && last.runs[1].is_none() && last.changes[0].is_none());
        let scalar = rows.iter().find(|row| row.contender == "scalar").unwrap();
        assert!(scalar.changes[0].is_none() && rows[0].changes[0].is_some());
        let time = scalar.runs[1].unwrap();
        let clock = runs[1].clocks.iter().find(|clock| clock.contender == "scalar").unwrap();
        assert!((time.cycles / time.ns - clock.ghz).abs() < 1e-9, "the clock after scalar");
        let times = rows[1..rows.len() - 1].iter().map(|row| row.runs[1].unwrap().ns);
        assert!(times.is_sorted());
    }

    #[test]
    fn means_are_geometric() {
        let changes = [change([1.0; 3], [2.0; 3], 2.0), change([2.0; 3], [1.0; 3], 1.0)];
        let [mean] = &means(&changes)[..] else { panic!("one contender") };
        assert_eq!((mean.figures, mean.factor, mean.of_minima), (2, 1.0, 1.0));
        assert!(!mean.exceeds(0.9));
    }

    #[test]
    fn a_mean_needs_the_fastest_samples_too() {
        let all = |minima| vec![change([1.0; 3], [1.2; 3], minima); 4];
        assert!(means(&all(1.2))[0].exceeds(1.10));
        assert!(!means(&all(1.0))[0].exceeds(1.10));
        assert!(!means(&all(1.2)[..3])[0].exceeds(1.10));
    }
}
