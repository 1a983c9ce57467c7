//! The boards: one case is what the inputs of an operation are made from. Random ones by
//! quickcheck, and lists that are exhaustive along a line or round a square.

use std::sync::LazyLock;

use quickcheck::{Arbitrary, Gen};

use crate::config::Config;
use crate::operations::{Operation, Role};
use crate::oracle::{BISHOP, Place, QUEEN, ROOK, Step, step};

/// Sliders of two kinds, and the occupancy. Operations with one set of sliders take the first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Case {
    pub(crate) sliders: u64,
    pub(crate) others: u64,
    pub(crate) occupied: u64,
}

impl Case {
    /// One slider on a1, alone.
    pub(crate) const A1: Case = Case {
        sliders: 1,
        others: 1,
        occupied: 0,
    };

    /// The value for an input.
    pub(crate) fn input(self, role: Role) -> u64 {
        match role {
            Role::Sliders(0) => self.sliders,
            Role::Sliders(1) => self.others,
            Role::Occupied => self.occupied,
            Role::Propagators => !self.occupied,
            Role::Square if self.sliders.is_power_of_two() => self.sliders.ilog2().into(),
            // Any square, as long as it is the same every time.
            Role::Square => self.sliders.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58,
            Role::OtherSquare => self.any(1) >> 58,
            Role::Sliders(_) => match self.any(2) % 4 {
                0 => self.others,
                1 => self.occupied & self.any(3),
                2 => self.any(3) & self.any(4) & self.any(5),
                _ => 0,
            },
            Role::SomeOccupied => match self.any(6) % 4 {
                0 => self.occupied,
                1 => self.occupied & self.any(7),
                2 => (self.occupied | self.sliders) & self.any(7),
                _ => self.any(7),
            },
            Role::Targets => self.any(8),
            Role::Output => 0xdead_beef_dead_beef,
        }
    }

    /// Any set or number, the same every time for the same case.
    fn any(self, salt: u64) -> u64 {
        let words = [self.sliders, self.others, self.occupied, salt];
        words.into_iter().fold(salt, |hash, word| {
            let mixed = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ (mixed >> 32)
        })
    }

    pub(crate) fn inputs(self, operation: &Operation) -> Vec<u64> {
        let inputs = operation.inputs.iter();
        inputs.map(|input| self.input(input.role)).collect()
    }

    /// With the two kinds of sliders exchanged.
    fn exchanged(self) -> Case {
        Case {
            sliders: self.others,
            others: self.sliders,
            occupied: self.occupied,
        }
    }
}

impl Arbitrary for Case {
    /// Sets of every density, from empty over sparse and dense to full; sliders inside and outside
    /// the occupancy.
    fn arbitrary(g: &mut Gen) -> Case {
        let (mut sliders, mut others, mut occupied) = (any_set(g), any_set(g), any_set(g));
        match u8::arbitrary(g) % 4 {
            // As in a position: the sliders are among the pieces.
            0 => (sliders, others) = (sliders & occupied, others & occupied),
            1 => occupied |= sliders | others,
            2 => occupied &= !(sliders | others),
            _ => {}
        }
        Case {
            sliders,
            others,
            occupied,
        }
    }

    /// Fewer pieces: a set emptied, a half of it, a piece taken away.
    fn shrink(&self) -> Box<dyn Iterator<Item = Case>> {
        let case = *self;
        let sliders = fewer(case.sliders).map(move |sliders| Case { sliders, ..case });
        let others = fewer(case.others).map(move |others| Case { others, ..case });
        let occupied = fewer(case.occupied).map(move |occupied| Case { occupied, ..case });
        Box::new(sliders.chain(others).chain(occupied))
    }
}

fn any_set(g: &mut Gen) -> u64 {
    // quickcheck's own `u64`s are often extreme values; here every bit is to be as likely.
    let mut word = || u64::from_le_bytes(std::array::from_fn(|_| u8::arbitrary(g)));
    let (a, b, c, d) = (word(), word(), word(), word());
    match u8::arbitrary(g) % 12 {
        0 => 0,
        1 => u64::MAX,
        2 => 1 << (a % 64),
        3 | 4 => a & b & c & d,
        5 | 6 => a & b & c,
        7 => a & b,
        8 | 9 => a,
        10 => a | b,
        _ => a | b | c | d,
    }
}

fn fewer(set: u64) -> impl Iterator<Item = u64> {
    const HALVES: [u64; 4] = [
        0xffff_ffff,
        0xffff_ffff << 32,
        0x0f0f_0f0f_0f0f_0f0f,
        0xf0f0_f0f0_f0f0_f0f0,
    ];
    let emptied = std::iter::once(0);
    let halves = HALVES.into_iter().map(move |half| set & half);
    let single = (0..64).map(move |square| set & !(1 << square));
    let all = emptied.chain(halves).chain(single);
    all.filter(move |&smaller| smaller != set)
}

/// A list of cases, made at first use and shared by all kernels and operations.
pub(crate) struct List {
    pub(crate) name: &'static str,
    cases: LazyLock<Vec<Case>, Box<dyn FnOnce() -> Vec<Case> + Send>>,
    /// The steps of whose operations it says something.
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

    /// The cases for an operation, whose sliders of each kind move by these steps. A list that concerns
    /// only the second kind has the kinds exchanged; one that concerns both comes twice.
    pub(crate) fn cases<'a>(
        &'a self,
        steps: &[Step],
        others: &[Step],
    ) -> impl Iterator<Item = Case> + use<'a> {
        let relevant = |steps: &[Step]| steps.iter().any(|step| self.steps.contains(step));
        let as_is = relevant(steps).then(|| self.cases.iter().copied());
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
        List::new("random", &QUEEN, move || random(seed, boards)),
        List::new("one rook", &ROOK, one(&ROOK, 102_400)),
        List::new("one bishop", &BISHOP, one(&BISHOP, 5_248)),
    ];
    let noises = [None, Some(seed)];
    for noise in noises
        .into_iter()
        .take(1 + usize::from(config.budget.surrounded))
    {
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

/// Every pattern of sliders and every pattern of occupied squares on every line along a step.
fn patterns(along: Step, every: usize, noise: Option<u64>, expected: usize) -> Vec<Case> {
    let back = step(-along.east, -along.north);
    let mut noise = noise.map(fastrand::Rng::with_seed);
    let (mut cases, mut count) = (vec![], 0);
    for start in Place::all().filter(|place| place.after(back).is_none()) {
        let line: Vec<u64> = std::iter::successors(Some(start), |place| place.after(along))
            .map(Place::alone)
            .collect();
        let sets: Vec<u64> = (0..1 << line.len())
            .map(|pattern| spread(pattern, &line))
            .collect();
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

/// Of so many patterns after `before` others, every how-manieth of all.
fn chosen(before: usize, patterns: usize, every: usize) -> impl Iterator<Item = usize> {
    let first = before.next_multiple_of(every) - before;
    (first..patterns).step_by(every)
}

/// The squares whose bits are set in the pattern.
fn spread(pattern: usize, squares: &[u64]) -> u64 {
    let on = squares
        .iter()
        .enumerate()
        .filter(|(i, _)| pattern >> i & 1 != 0);
    on.map(|(_, square)| square).sum()
}

/// A slider on every square, with every occupancy of the squares that matter to it: those on its
/// rays, but not the last of each.
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
    assert_eq!(count, expected, "occupancies round one slider");
    cases
}

/// The squares of a ray that have another one behind them.
fn inner(from: Place, step: Step) -> impl Iterator<Item = u64> {
    std::iter::successors(from.after(step), move |place| place.after(step))
        .filter(move |place| place.after(step).is_some())
        .map(Place::alone)
}
