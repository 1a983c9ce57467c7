//! The plan of a run: the jobs, section by section.
//!
//! To add a section:
//! 1. Add a variant to [`Section`], and its name and explanation to `GROUPS` in `tables.rs`. The
//!    table of times there serves every section that needs no other.
//! 2. Implement [`Job`] for a type that holds the section's inputs, contenders and [`Race`]
//!    (`positions.rs` is an example). If the section races contenders of an [`Operation`] on
//!    boards, [`BatchJob`] does it already.
//! 3. Push the job in [`jobs`].
//!
//! The text, the CSV, the report and `--compare` then have the section's figures.

use std::rc::Rc;
use std::time::Duration;

use crate::boards::BoardSet;
use crate::clock::Meter;
use crate::contender::{self, Contender};
use crate::copy_xor;
use crate::figures::{Figure, Kind, Section};
use crate::job::{Job, Setting, Wrong};
use crate::latency::{Chain, ChainJob, OtherMemory};
use crate::machine::Machine;
use crate::names::{BASELINE, IN_CACHE, MAIN, SWEPT};
use crate::number::name;
use crate::one_board;
use crate::operation::Operation;
use crate::positions::PositionsJob;
use crate::race::{Length, Race};
use crate::settings::Options;
use crate::techniques;
use crate::walk::WalkJob;
use crate::workload::{Order, Workload};

/// The number of boards in the pool that short calls process part by part. The pool fits in the
/// first-level cache.
const POOL: usize = 1024;
/// The maximum working set of a quick run, in bytes.
const QUICK_BYTES: usize = 64 << 20;
/// If the working set has more bytes than this, few rounds are enough, because iterations are long
/// and have little noise.
const LARGE_BYTES: usize = 8 << 20;

/// The boards of a run.
pub(crate) struct Inputs<'a> {
    pub(crate) in_cache: BoardSet,
    pub(crate) short: BoardSet,
    pub(crate) many: BoardSet,
    pub(crate) positions: Option<&'a BoardSet>,
}

impl Inputs<'_> {
    /// More random boards than a branch predictor can memorise.
    pub(crate) const MANY: usize = 65_536;

    pub(crate) fn new(options: &Options) -> Inputs<'_> {
        Inputs {
            in_cache: BoardSet::random(IN_CACHE),
            short: BoardSet::random(POOL),
            many: BoardSet::random(Inputs::MANY),
            positions: options.positions.as_ref().map(|(boards, _)| boards),
        }
    }
}

/// Plans all jobs, section by section.
pub(crate) fn jobs<'a>(
    options: &Options,
    machine: &Machine,
    inputs: &'a Inputs,
) -> Vec<Box<dyn Job + 'a>> {
    if let Some(starts) = &options.walk {
        return WalkJob::all(options, starts).into_iter().map(|job| Box::new(job) as _).collect();
    }
    let named = |names: &[&str]| -> Vec<Operation> {
        names.iter().filter_map(|name| Operation::named(name)).collect()
    };
    // The operations given on the command line, or else the default ones.
    let asked = |usual: Vec<Operation>| {
        if options.operations.is_empty() { usual } else { options.operations.clone() }
    };
    let swept = asked(named(&[SWEPT]));
    let mut jobs: Vec<Box<dyn Job>> = Vec::new();
    let mut batch = |section, operation, boards, order, (pool, boards_a_call), contenders| {
        let race = Race::default();
        let job =
            BatchJob { section, operation, boards, order, pool, boards_a_call, contenders, race };
        jobs.push(Box::new(job));
    };
    let in_cache = (IN_CACHE, IN_CACHE);
    if options.boards.is_empty() {
        let all = if options.quick { named(&MAIN) } else { Operation::all().collect() };
        for operation in asked(all) {
            let all = contenders(options, operation);
            batch(Section::Operations, operation, &inputs.in_cache, Order::New, in_cache, all);
        }
        if let Some(boards) = inputs.positions {
            for operation in asked(named(&MAIN)) {
                let all = contenders(options, operation);
                batch(Section::Positions, operation, boards, Order::New, in_cache, all);
            }
        }
        let boards = inputs.positions.unwrap_or(&inputs.in_cache);
        for &operation in &swept {
            let all = contenders(options, operation);
            batch(Section::Repeated, operation, boards, Order::Same, in_cache, all);
        }
    }
    if options.techniques {
        for (operation, forms) in techniques::all() {
            let all = kernels(options, operation).into_iter().chain(forms).collect();
            batch(Section::Techniques, operation, &inputs.in_cache, Order::New, in_cache, all);
        }
    }
    for operation in swept {
        let sizes = if options.boards.is_empty() {
            sizes(most_boards(options, machine, operation), options.quick)
        } else {
            options.boards.clone()
        };
        for size in sizes {
            let mut all = contenders(options, operation);
            if options.boards.is_empty() {
                retain_wide(options, &mut all);
            }
            // Short calls process a pool part by part, so one sample times many calls. Reading the
            // clock would dominate the time of a single short call.
            let is_short = size <= POOL / 2;
            let (boards, pool) =
                if is_short { (&inputs.short, POOL) } else { (&inputs.many, size) };
            batch(Section::Sweep, operation, boards, Order::Same, (pool, size), all);
        }
    }
    if options.boards.is_empty() {
        jobs.extend(chains(options, machine));
        if options.operations.is_empty() {
            jobs.extend(PositionsJob::all(options).map(|job| Box::new(job) as _));
        }
    }
    jobs
}

/// Plans the jobs on one board, for the main operations.
fn chains(options: &Options, machine: &Machine) -> Vec<Box<dyn Job>> {
    let asked = |operation: &&str| match options.operations.as_slice() {
        [] => !options.quick || *operation == SWEPT,
        some => some.iter().any(|one| one.name.trim_end_matches("_one") == *operation),
    };
    let memory = Rc::new(OtherMemory::new(machine));
    let mut jobs: Vec<Box<dyn Job>> = Vec::new();
    for operation in MAIN.into_iter().filter(asked) {
        let groups = one_board::groups(&format!("{operation}_one"), &options.with_baseline());
        let contenders = one_board::contenders(operation, groups);
        let chain = Rc::new(Chain::new(operation));
        for section in [Section::Latency, Section::Throughput, Section::Cold] {
            let (chain, memory) = (Rc::clone(&chain), Rc::clone(&memory));
            let job = ChainJob::new(section, chain, contenders.clone(), memory);
            jobs.push(Box::new(job));
        }
    }
    jobs
}

/// Contenders for the kernels to measure and the baseline. Empty if only forms compute the
/// operation.
fn kernels(options: &Options, operation: Operation) -> Vec<Contender> {
    if !operation.in_list() {
        return Vec::new();
    }
    let groups = one_board::groups(operation.name, &options.with_baseline()).into_iter();
    let contender = |(kernel, shared_by)| {
        let mut contender = contender::kernel(operation, kernel);
        contender.shared_by = shared_by;
        contender
    };
    groups.map(contender).collect()
}

/// Contenders for the kernels to measure, the baseline, the peers and the copy.
fn contenders(options: &Options, operation: Operation) -> Vec<Contender> {
    let mut contenders = kernels(options, operation);
    contenders.extend(crate::peers::all(operation));
    contenders.extend(copy_xor::copy(operation));
    contenders
}

/// Keeps the copy and the kernels that may be memory-bound. If there are more than six kernels,
/// these are the baseline and the kernels listed before it.
fn retain_wide(options: &Options, contenders: &mut Vec<Contender>) {
    let baseline = contenders.iter().position(|contender| contender.name == BASELINE);
    if let Some(baseline) = baseline.filter(|_| options.kernels.len() > 6) {
        let after = contenders.split_off(baseline + 1);
        contenders.extend(after.into_iter().filter(|contender| contender.kind != Kind::Kernel));
    }
    contenders.retain(|contender| matches!(contender.kind, Kind::Kernel | Kind::Roof));
}

/// The number of boards in the longest calls. They fill twice the size of the last-level cache, or
/// 64 MiB if that is more (in a quick run: if that is less), but at most 512 MiB.
fn most_boards(options: &Options, machine: &Machine, operation: Operation) -> usize {
    let twice = 2 * machine.last_level().unwrap_or(QUICK_BYTES / 2);
    let bytes = if options.quick { twice.min(QUICK_BYTES) } else { twice.max(QUICK_BYTES) };
    bytes.min(512 << 20) / operation.bytes()
}

/// Powers of two, up to the first that is not below `most`. A full run also has the midpoints
/// between them, and the neighbours of 32, the number of boards in a block of `avx2`.
fn sizes(most: usize, quick: bool) -> Vec<usize> {
    let powers = std::iter::successors(Some(1), |size| Some(2 * size));
    powers
        .take_while(|&size| size < 2 * most)
        .flat_map(|size| match size {
            32 if !quick => vec![31, 32, 33, 48],
            _ if quick || size == 1 || size >= most => vec![size],
            _ => vec![size, size * 3 / 2],
        })
        .collect()
}

/// A race between contenders of one operation, in batches.
pub(crate) struct BatchJob<'a> {
    pub(crate) section: Section,
    pub(crate) operation: Operation,
    pub(crate) boards: &'a BoardSet,
    pub(crate) order: Order,
    /// The number of boards per iteration.
    pub(crate) pool: usize,
    pub(crate) boards_a_call: usize,
    pub(crate) contenders: Vec<Contender>,
    pub(crate) race: Race,
}

impl BatchJob<'_> {
    fn workload(&self) -> Workload {
        let mut workload = Workload::new(self.operation, self.boards, self.order, self.pool, 0);
        workload.call(self.boards_a_call);
        workload
    }
}

impl Job for BatchJob<'_> {
    fn step(&self) -> String {
        let (section, title) = (name(self.section), self.operation.title());
        format!("{section}: {title}, {} boards per call", self.boards_a_call)
    }

    fn check(&self) -> Vec<Wrong> {
        let mut workload = self.workload();
        let wrong = |one: &Contender| Some((one.name, one.check(&mut workload).err()?));
        self.contenders.iter().filter_map(wrong).collect()
    }

    fn remove(&mut self, names: &[&str]) {
        contender::remove(&mut self.contenders, names);
    }

    /// Times a few rounds in freshly allocated memory.
    fn rounds(&mut self, meter: &mut Meter) {
        let (rounds, large, micros) = if meter.quick { (4, 2, 60) } else { (5, 1, 120) };
        let is_large = self.pool * self.operation.bytes() > LARGE_BYTES;
        let length = Length {
            rounds: if is_large { large } else { rounds },
            sample: Duration::from_micros(micros),
        };
        let mut workload = self.workload();
        let contenders = &self.contenders;
        let length = (length, workload.boards());
        self.race.measure(contenders.len(), length, meter, |i, iterations, meter| {
            meter.iterations(&contenders[i], &mut workload, iterations)
        });
    }

    fn figures(&self) -> Vec<Figure> {
        let boards = self.workload().boards();
        let setting = Setting {
            section: self.section,
            operation: self.operation.title(),
            input: self.boards.name,
            boards_a_call: self.boards_a_call,
            boards,
            bytes_a_board: self.operation.bytes(),
        };
        setting.figures(&self.contenders, (&self.race, boards))
    }
}

#[cfg(test)]
mod tests {
    use super::sizes;

    #[test]
    fn sizes_reach_the_most() {
        assert_eq!(sizes(8, true), [1, 2, 4, 8]);
        assert_eq!(sizes(9, false), [1, 2, 3, 4, 6, 8, 12, 16]);
        assert_eq!(sizes(40, false)[8..], [24, 31, 32, 33, 48, 64]);
    }
}
