//! The lists of test cases: random boards, all patterns on each line, and all relevant occupancies
//! around each square.

use std::sync::LazyLock;

use quickcheck::{Arbitrary as _, Gen};
use setwise_check::Case;
use setwise_check::oracle::{BISHOP, Place, ROOK, Step, step};

use crate::config::Config;

/// A list of cases, generated at first use and shared by all kernels and operations.
pub(crate) struct List {
    pub(crate) name: &'static str,
    cases: LazyLock<Vec<Case>, Box<dyn FnOnce() -> Vec<Case> + Send>>,
    /// The list applies to operations whose sliders move by one of these steps. If there are no
    /// steps, it applies to all operations.
    steps: Vec<Step>,
}

impl List {
    fn new(
        name: &'static str,
        steps: &[Step],
        make: impl FnOnce() -> Vec<Case> + Send + 'static,
    ) -> List {
        let (cases, steps) = (LazyLock::new(Box::new(make) as Box<_>), steps.into());
        List { name, cases, steps }
    }

    /// The cases for an operation whose first kind of sliders moves by `steps`, and whose second
    /// kind moves by `others`. If only the second kind moves by the list's steps, the two sets of
    /// sliders are swapped in each case. If both kinds do, the list is returned twice, the second
    /// time with the sets swapped.
    pub(crate) fn cases<'a>(
        &'a self,
        steps: &[Step],
        others: &[Step],
    ) -> impl Iterator<Item = Case> + use<'a> {
        let relevant = |steps: &[Step]| steps.iter().any(|step| self.steps.contains(step));
        let as_is = self.steps.is_empty() || relevant(steps);
        let as_is = as_is.then(|| self.cases.iter().copied());
        let exchanged = relevant(others).then(|| self.cases.iter().copied());
        let exchanged = exchanged.into_iter().flatten().map(Case::exchanged);
        as_is.into_iter().flatten().chain(exchanged)
    }
}

/// All lists of a run.
pub(crate) fn lists(config: &Config) -> Vec<List> {
    let (every, seed) = (config.budget.every, config.seed);
    let boards = config.budget.random_boards;
    let one = |steps: &'static [Step], number| move || one_slider(steps, every, number);
    let mut lists = vec![
        List::new("random", &[], move || random(seed, boards)),
        List::new("one rook", &ROOK, one(&ROOK, 102_400)),
        List::new("one bishop", &BISHOP, one(&BISHOP, 5_248)),
    ];
    let noises = [None, Some(seed)];
    for noise in noises.into_iter().take(1 + usize::from(config.budget.surrounded)) {
        for (name, along, number) in [
            ("ranks", step(1, 0), 8 * 65_536),
            ("files", step(0, 1), 8 * 65_536),
            ("diagonals", step(1, 1), 109_224),
            ("antidiagonals", step(1, -1), 109_224),
        ] {
            let both_ways = [along, step(-along.east, -along.north)];
            let make = move || patterns(along, every, noise, number);
            lists.push(List::new(name, &both_ways, make));
        }
    }
    lists
}

/// Random boards.
fn random(seed: u64, boards: usize) -> Vec<Case> {
    let mut g = Gen::from_size_and_seed(100, seed);
    (0..boards).map(|_| Case::arbitrary(&mut g)).collect()
}

/// Every pattern of sliders combined with every pattern of occupied squares, on every line in the
/// direction `along`. `noise` is the seed of random pieces outside the line. `expected` is the
/// total number of patterns.
fn patterns(along: Step, every: usize, noise: Option<u64>, expected: usize) -> Vec<Case> {
    let back = step(-along.east, -along.north);
    let mut noise = noise.map(fastrand::Rng::with_seed);
    let (mut cases, mut count) = (vec![], 0);
    for start in Place::all().filter(|place| place.after(back).is_none()) {
        let line: Vec<u64> = std::iter::successors(Some(start), |place| place.after(along))
            .map(Place::alone)
            .collect();
        let sets: Vec<u64> = (0..1 << line.len()).map(|pattern| spread(pattern, &line)).collect();
        let elsewhere = !sets[sets.len() - 1];
        let patterns = sets.len() * sets.len();
        for pattern in chosen(count, patterns, every) {
            let mut around = || noise.as_mut().map_or(0, |rng| rng.u64(..) & elsewhere);
            cases.push(Case {
                sliders: sets[pattern / sets.len()] | around(),
                others: 0,
                occupied: sets[pattern % sets.len()] | around(),
            });
        }
        count += patterns;
    }
    assert_eq!(count, expected, "patterns along {along:?}");
    cases
}

/// The patterns of one line to run, as indices within that line. `before` is the number of patterns
/// of all earlier lines. Counted over all lines, the patterns that run are 0, `every`, 2 `every`
/// and so on.
fn chosen(before: usize, patterns: usize, every: usize) -> impl Iterator<Item = usize> {
    let first = before.next_multiple_of(every) - before;
    (first..patterns).step_by(every)
}

/// The set of those `squares` whose bit is set in `pattern`.
fn spread(pattern: usize, squares: &[u64]) -> u64 {
    let on = squares.iter().enumerate().filter(|(i, _)| pattern >> i & 1 != 0);
    on.map(|(_, square)| square).sum()
}

/// A single slider on each square in turn, with every occupancy of the relevant squares. These are
/// the squares on the slider's rays, except the last square of each ray. `expected` is the total
/// number of cases.
fn one_slider(steps: &[Step], every: usize, expected: usize) -> Vec<Case> {
    let (mut cases, mut count) = (vec![], 0);
    for slider in Place::all() {
        let squares: Vec<u64> = steps.iter().flat_map(|&step| inner(slider, step)).collect();
        let patterns = 1 << squares.len();
        cases.extend(chosen(count, patterns, every).map(|pattern| Case {
            sliders: slider.alone(),
            others: 0,
            occupied: spread(pattern, &squares),
        }));
        count += patterns;
    }
    assert_eq!(count, expected, "occupancies around one slider");
    cases
}

/// The squares of a ray except the last.
fn inner(from: Place, step: Step) -> impl Iterator<Item = u64> {
    std::iter::successors(from.after(step), move |place| place.after(step))
        .filter(move |place| place.after(step).is_some())
        .map(Place::alone)
}
