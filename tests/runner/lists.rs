//! The lists of test cases: random boards, all patterns on each line, and all relevant occupancies
//! around each square.

use std::sync::LazyLock;

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
    /// Whether the list applies to operations whose sliders also move by other steps. `None`: it
    /// applies to both.
    crossing: Option<bool>,
}

impl List {
    fn new(
        name: &'static str,
        steps: &[Step],
        make: impl FnOnce() -> Vec<Case> + Send + 'static,
    ) -> List {
        let (cases, steps) = (LazyLock::new(Box::new(make) as Box<_>), steps.into());
        List { name, cases, steps, crossing: None }
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
        let crossing = !steps.iter().chain(others).all(|step| self.steps.contains(step));
        let applies = self.crossing.is_none_or(|wanted| wanted == crossing);
        let relevant =
            |steps: &[Step]| applies && steps.iter().any(|step| self.steps.contains(step));
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
    for (name, along, number) in [
        ("ranks", step(1, 0), 8 * 65_536),
        ("files", step(0, 1), 8 * 65_536),
        ("diagonals", step(1, 1), 109_224),
        ("antidiagonals", step(1, -1), 109_224),
    ] {
        let both_ways = [along, step(-along.east, -along.north)];
        let crossing = |crossing, list| List { crossing: Some(crossing), ..list };
        lists.push(crossing(
            false,
            List::new(name, &both_ways, move || packed(along, every, 1, number)),
        ));
        lists.push(crossing(
            true,
            // Packing diagonals behind walls saves nothing: the longest has most of the patterns.
            if along.east * along.north == 0 {
                List::new(name, &both_ways, move || packed(along, every, 2, number))
            } else {
                List::new(name, &both_ways, move || patterns(along, every, None, number))
            },
        ));
        if config.budget.surrounded {
            let make = move || patterns(along, every, Some(seed), number);
            lists.push(List::new(name, &both_ways, make));
        }
    }
    lists
}

/// Random boards.
fn random(seed: u64, boards: usize) -> Vec<Case> {
    let mut rng = fastrand::Rng::with_seed(seed);
    (0..boards).map(|_| Case::random(&mut || rng.u64(..))).collect()
}

/// Every pattern of sliders combined with every pattern of occupied squares, on every line in the
/// direction `along`, with many lines on each board. With a `stride` of 1, all lines are on each
/// board. That suits sliders that only move along these lines. Other sliders would also attack
/// squares of the neighbouring lines, and so hide what is wrong there. With a `stride` of 2, every
/// other line has a pattern, and the lines between them are full of pieces, which stop attacks
/// across. `expected` is the total number of patterns.
fn packed(along: Step, every: usize, stride: usize, expected: usize) -> Vec<Case> {
    let lines = lines(along);
    let mut cases = vec![];
    let mut count = 0;
    for phase in 0..stride {
        let chosen: Vec<&LineSquares> = lines.iter().skip(phase).step_by(stride).collect();
        let walls: u64 =
            lines.iter().flatten().sum::<u64>() - chosen.iter().copied().flatten().sum::<u64>();
        let mut seen: Vec<Vec<bool>> =
            chosen.iter().map(|line| vec![false; 1 << (2 * line.len())]).collect();
        for number in (0..=u16::MAX).step_by(every) {
            let mut case = Case { sliders: 0, others: 0, occupied: walls };
            for (i, line) in chosen.iter().enumerate() {
                let pattern = usize::from(scrambled(number, i as u16)) & (seen[i].len() - 1);
                seen[i][pattern] = true;
                case.sliders |= spread(pattern >> line.len(), line);
                case.occupied |= spread(pattern, line);
            }
            cases.push(case);
        }
        count += seen.iter().flatten().filter(|seen| **seen).count();
    }
    assert!(every > 1 || count == expected, "{count} patterns along {along:?}");
    cases
}

/// A permutation of the 16-bit numbers, another one for each `line`, so that the lines of a board
/// have unrelated patterns.
fn scrambled(number: u16, line: u16) -> u16 {
    let mix = |x: u16| x.wrapping_mul(0x9e3b) ^ x.wrapping_mul(0x9e3b) >> 7;
    mix(mix(number.wrapping_add(line.wrapping_mul(0x2f0b))))
}

/// The squares of a line, in order.
type LineSquares = Vec<u64>;

/// All lines in the direction `along`.
fn lines(along: Step) -> Vec<LineSquares> {
    let back = step(-along.east, -along.north);
    let starts = Place::all().filter(|place| place.after(back).is_none());
    let line = |start: Place| [start].into_iter().chain(start.walk(along)).map(Place::alone);
    starts.map(|start| line(start).collect()).collect()
}

/// The same patterns, one on each board. `noise` is the seed of random pieces outside the line.
fn patterns(along: Step, every: usize, noise: Option<u64>, expected: usize) -> Vec<Case> {
    let mut noise = noise.map(fastrand::Rng::with_seed);
    let (mut cases, mut count) = (vec![], 0);
    for line in lines(along) {
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
    let chosen = squares.iter().enumerate().filter(|(i, _)| pattern >> i & 1 != 0);
    chosen.map(|(_, square)| square).sum()
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
    from.walk(step).filter(move |place| place.after(step).is_some()).map(Place::alone)
}
