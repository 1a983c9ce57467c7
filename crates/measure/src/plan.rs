//! The plan of a run: the contenders that race in each setting.

use std::rc::Rc;
use std::time::Duration;

use setwise::Kernel;

use crate::batch::{Batch, Order};
use crate::boards::Boards;
use crate::clock;
use crate::contender::{self, Contender};
use crate::copy_xor;
use crate::counters::Counters;
use crate::figures::{Figure, Kind, Section};
use crate::forms;
use crate::latency::{COLD_CALLS, Chain, Link, MOST, OtherMemory};
use crate::machine::Machine;
use crate::one_board;
use crate::operation::Operation;
use crate::race::{Length, Race};
use crate::settings::{BASELINE, IN_CACHE, MAIN, Options, SWEPT};

/// The number of boards in the pool that short calls process part by part. The pool fits in the
/// first-level cache.
pub(crate) const POOL: usize = 1024;
/// How many boards each short call computes.
const SHORT: [usize; 15] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 31, 32, 33, 48, 63, 64];
/// How many boards each call in a chain computes.
const CHAINED: [usize; 3] = [1, 8, MOST];
/// The number of iterations over which hardware counters run.
const COUNTED: usize = 20;
/// The maximum working set of a quick run, in bytes.
const QUICK_BYTES: usize = 64 << 20;
/// If the working set has more bytes than this, few rounds are enough, because iterations are long
/// and have little noise.
const LARGE_BYTES: usize = 8 << 20;

/// A race between contenders in one setting.
pub(crate) struct Job<'a> {
    pub(crate) section: Section,
    pub(crate) operation: Operation,
    boards: &'a Boards,
    order: Order,
    pool: usize,
    pub(crate) boards_a_call: usize,
    pub(crate) contenders: Vec<Contender>,
    race: Race,
}

/// A race between contenders for calls in a chain, or for independent calls with one board each.
pub(crate) struct ChainJob {
    section: Section,
    chain: Rc<Chain>,
    operation: String,
    boards: usize,
    pub(crate) entries: Vec<Entry>,
    race: Race,
}

/// A contender of a [`ChainJob`].
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    kind: Kind,
    pub(crate) link: Link,
    /// The names of all kernels that share this code, if there are several.
    pub(crate) shared_by: Vec<&'static str>,
}

/// The calls per iteration of a race for latency or throughput: enough to make the start-up time
/// negligible.
const CALLS: usize = 64;

/// The random boards of a run.
pub(crate) struct Random {
    pub(crate) in_cache: Boards,
    pub(crate) short: Boards,
    pub(crate) many: Boards,
}

/// Plans all races except those of chains, section by section.
pub(crate) fn jobs<'a>(
    options: &'a Options,
    machine: &Machine,
    random: &'a Random,
) -> Vec<Job<'a>> {
    let named = |names: &[&str]| -> Vec<Operation> {
        names.iter().filter_map(|name| Operation::named(name)).collect()
    };
    // The operations given on the command line, or else the default ones.
    let asked = |usual: Vec<Operation>| {
        if options.operations.is_empty() { usual } else { options.operations.clone() }
    };
    let mut jobs = Vec::new();
    if options.boards.is_empty() {
        let all = if options.quick { named(&MAIN) } else { Operation::all().collect() };
        jobs.extend(asked(all).into_iter().map(|operation| {
            let contenders = contenders(options, operation);
            Job::in_cache(Section::Operations, operation, &random.in_cache, contenders)
        }));
        if let Some((boards, _)) = &options.positions {
            jobs.extend(asked(named(&MAIN)).into_iter().map(|operation| {
                let contenders = contenders(options, operation);
                Job::in_cache(Section::Positions, operation, boards, contenders)
            }));
        }
    }
    if options.techniques {
        jobs.extend(forms::all().into_iter().map(|(operation, forms)| {
            let mut contenders = kernels(options, operation);
            contenders.extend(forms);
            Job::in_cache(Section::Techniques, operation, &random.in_cache, contenders)
        }));
    }
    let swept = asked(named(&[SWEPT]))[0];
    if options.boards.is_empty() {
        let short = if options.quick { vec![swept] } else { asked(named(&MAIN[2..])) };
        for operation in short {
            jobs.extend(SHORT.map(|boards_a_call| {
                let contenders = kernels(options, operation);
                let job = Job::in_cache(Section::Calls, operation, &random.short, contenders);
                Job { pool: POOL, boards_a_call, ..job }
            }));
        }
    }
    let (sizes, wide) = if options.boards.is_empty() {
        (sizes(most_boards(options, machine, swept), options.quick), true)
    } else {
        (options.boards.clone(), false)
    };
    jobs.extend(sizes.into_iter().map(|boards_a_call| {
        let mut contenders = contenders(options, swept);
        if wide {
            retain_wide(options, &mut contenders);
        }
        // Short calls process a pool part by part, so one sample times many calls. Reading the
        // clock would dominate the time of a single short call.
        let (boards, pool) = if boards_a_call <= POOL / 2 {
            (&random.short, POOL)
        } else {
            (&random.many, boards_a_call)
        };
        let job = Job::in_cache(Section::Sweep, swept, boards, contenders);
        Job { order: Order::Same, pool, boards_a_call, ..job }
    }));
    jobs
}

/// Contenders for the kernels to measure and the baseline. Empty if only forms compute the
/// operation.
fn kernels(options: &Options, operation: Operation) -> Vec<Contender> {
    if !operation.in_list() {
        return Vec::new();
    }
    let mut kernels = options.kernels.clone();
    if let Ok(baseline) = Kernel::by_name(BASELINE)
        && !kernels.contains(&baseline)
    {
        kernels.push(baseline);
    }
    let contender = |(kernel, shared_by)| {
        let mut contender = contender::kernel(operation, kernel);
        contender.shared_by = shared_by;
        if options.broken.as_deref() == Some(contender.name) {
            contender = contender.broken();
        }
        contender.slowed = slowed(options, contender.name);
        contender
    };
    groups(options, operation.name, &kernels).into_iter().map(contender).collect()
}

/// One kernel for each different code of the operation, with the names of all kernels that share
/// this code, if there are several. For the code that `scalar` shares, the kernel is `scalar`,
/// because other figures are compared with `scalar`.
fn groups(
    options: &Options,
    operation: &str,
    kernels: &[&'static Kernel],
) -> Vec<(&'static Kernel, Vec<&'static str>)> {
    // A kernel that a test breaks or slows down shares its code with no other kernel.
    let changed = |kernel: &&'static Kernel| {
        options.broken.as_deref() == Some(kernel.name()) || slowed(options, kernel.name()) > 0.0
    };
    let (changed, same): (Vec<_>, Vec<_>) = kernels.iter().copied().partition(changed);
    let mut groups = one_board::groups(operation, &same);
    groups.extend(changed.into_iter().map(|kernel| vec![kernel]));
    let named = |group: Vec<&'static Kernel>| {
        let kernel = group.iter().find(|kernel| kernel.name() == BASELINE).unwrap_or(&group[0]);
        let names = group.iter().map(|kernel| kernel.name());
        (*kernel, if group.len() > 1 { names.collect() } else { Vec::new() })
    };
    groups.into_iter().map(named).collect()
}

/// The fraction of the kernel's time by which a test slows it down. 0 for all other kernels.
fn slowed(options: &Options, kernel: &str) -> f64 {
    options.slowed.as_ref().filter(|(name, _)| name == kernel).map_or(0.0, |(_, part)| *part)
}

/// Contenders for the kernels to measure, the baseline, the peers and the copies.
fn contenders(options: &Options, operation: Operation) -> Vec<Contender> {
    let mut contenders = kernels(options, operation);
    #[cfg(feature = "peers")]
    contenders.extend(crate::peers::all(operation));
    contenders.extend(copy_xor::all(operation));
    contenders
}

/// Keeps the copies and the kernels that may be memory-bound. If there are more than six kernels,
/// these are the baseline and the kernels listed before it.
fn retain_wide(options: &Options, contenders: &mut Vec<Contender>) {
    let baseline = contenders.iter().position(|contender| contender.name == BASELINE);
    let last = if options.kernels.len() > 6 { baseline } else { None }.unwrap_or(usize::MAX);
    let mut i = 0;
    contenders.retain(|contender| {
        i += 1;
        match contender.kind {
            Kind::Kernel => i - 1 <= last,
            kind => kind == Kind::Roof,
        }
    });
}

/// The number of boards in the longest calls. They fill twice the size of the last-level cache, or
/// 64 MiB if that is more (in a quick run: if that is less). They take at most a quarter of the
/// free memory, or 64 MiB if the free memory is unknown.
fn most_boards(options: &Options, machine: &Machine, operation: Operation) -> usize {
    let twice = 2 * machine.last_level().unwrap_or(QUICK_BYTES / 2);
    let wanted = if options.quick { twice.min(QUICK_BYTES) } else { twice.max(QUICK_BYTES) };
    let bytes = free_memory().map_or(wanted.min(QUICK_BYTES), |free| wanted.min(free / 4));
    bytes / operation.bytes()
}

/// The number of bytes that Linux reports as available to new programs.
fn free_memory() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: usize = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib << 10)
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.into()).collect()
}

/// Powers of two, up to the first that is not below `most`. A full run also has the midpoints
/// between them.
fn sizes(most: usize, quick: bool) -> Vec<usize> {
    let powers = std::iter::successors(Some(1), |size| Some(2 * size));
    powers
        .take_while(|&size| size < 2 * most)
        .flat_map(|size| {
            let middle = (!quick && size > 1 && size < most).then_some(size * 3 / 2);
            [Some(size), middle].into_iter().flatten()
        })
        .collect()
}

/// Plans the races of chains, for the main operations.
pub(crate) fn chains(options: &Options) -> Vec<ChainJob> {
    if !options.boards.is_empty() {
        return Vec::new();
    }
    let mut kernels = options.kernels.clone();
    kernels.retain(|kernel| options.broken.as_deref() != Some(kernel.name()));
    let mut jobs = Vec::new();
    for operation in MAIN {
        let one = format!("{operation}_one");
        let wanted = if options.operations.is_empty() {
            !options.quick || operation == SWEPT
        } else {
            options.operations.iter().any(|asked| asked.name == operation || asked.name == one)
        };
        if !wanted {
            continue;
        }
        let chain = Rc::new(Chain::new(operation, 1));
        for section in [Section::Latency, Section::Throughput, Section::Cold] {
            let mut entries = one_board_entries(options, operation, &kernels);
            let alone = if section == Section::Throughput { "loop-alone" } else { "chain-alone" };
            entries.push(Entry::new(alone, Kind::Roof, Link::Empty));
            jobs.push(ChainJob::new(section, Rc::clone(&chain), one.clone(), 1, entries));
        }
        jobs.extend(CHAINED.map(|boards| {
            let entry = |&kernel: &&'static Kernel| {
                Entry::new(kernel.name(), Kind::Kernel, Link::Batch(kernel))
            };
            let entries = kernels.iter().map(entry).collect();
            let chain = Rc::new(Chain::new(operation, boards));
            ChainJob::new(Section::Latency, chain, operation.into(), boards, entries)
        }));
    }
    jobs
}

/// The contenders for one board: one kernel from each group that shares its code, the function in
/// `setwise::board`, and one form of each technique.
fn one_board_entries(
    options: &Options,
    operation: &str,
    kernels: &[&'static Kernel],
) -> Vec<Entry> {
    let groups = groups(options, &format!("{operation}_one"), kernels).into_iter();
    let of_kernels = groups.map(|(kernel, shared_by)| {
        let entry = Entry::new(kernel.name(), Kind::Kernel, Link::One(kernel));
        Entry { shared_by, ..entry }
    });
    let forms = one_board::forms(operation).into_iter();
    let of_forms = forms.map(|(name, form)| Entry::new(name, Kind::Form, Link::Form(form)));
    let board = Entry::new("board", Kind::Form, Link::Inlined);
    of_kernels.chain([board]).chain(of_forms).collect()
}

impl<'a> Job<'a> {
    /// Plans a race with calls of [`IN_CACHE`] boards, in a new order every iteration.
    fn in_cache(
        section: Section,
        operation: Operation,
        boards: &'a Boards,
        contenders: Vec<Contender>,
    ) -> Job<'a> {
        Job {
            section,
            operation,
            boards,
            order: Order::New,
            pool: IN_CACHE,
            boards_a_call: IN_CACHE,
            contenders,
            race: Race::default(),
        }
    }

    pub(crate) fn batch(&self) -> Batch {
        Batch::new(self.operation, self.boards, self.order, self.pool, 0)
            .in_calls_of(self.boards_a_call)
    }

    /// Times a few rounds in freshly allocated memory.
    pub(crate) fn rounds(&mut self, quick: bool) {
        let (rounds, large, micros) = if quick { (4, 2, 60) } else { (5, 1, 120) };
        let is_large = self.pool * self.operation.bytes() > LARGE_BYTES;
        let length = Length {
            rounds: if is_large { large } else { rounds },
            sample: Duration::from_micros(micros),
        };
        let mut batch = self.batch();
        let contenders = &self.contenders;
        self.race.continue_for(contenders.len(), length, |i, iterations| {
            clock::time(&contenders[i], &mut batch, iterations)
        });
    }

    pub(crate) fn figures(
        &self,
        tsc_ghz: Option<f64>,
        mut counters: Option<&mut Counters>,
    ) -> Vec<Figure> {
        let mut batch = self.batch();
        let boards = batch.boards();
        let place = |name: &str| self.contenders.iter().position(|other| other.name == name);
        let [scalar, copy, copy_nt] = [BASELINE, copy_xor::NAME, copy_xor::NON_TEMPORAL].map(place);
        let counted = matches!(self.section, Section::Operations | Section::Positions);
        let figure = |(i, contender): (usize, &Contender)| {
            let to = |reference: Option<usize>| Some(self.race.times.ratio(i, reference?));
            let counters = counters.as_mut().filter(|_| counted).and_then(|counters| {
                contender.compute(&mut batch);
                counters.count(COUNTED * boards, || {
                    (0..COUNTED).for_each(|_| contender.compute(&mut batch));
                })
            });
            let figure = Figure::new(
                (self.section, &self.operation.title(), self.boards.name),
                (contender.name, contender.kind),
                (self.boards_a_call, boards, self.operation.bytes()),
                (&self.race.times, i, boards),
                tsc_ghz,
            );
            Figure {
                to_scalar: to(scalar).filter(|_| contender.kind != Kind::Roof),
                to_copy: to(copy),
                to_copy_nt: to(copy_nt).filter(|_| self.section == Section::Sweep),
                shared_by: owned(&contender.shared_by),
                counters,
                ..figure
            }
        };
        self.contenders.iter().enumerate().map(figure).collect()
    }
}

impl Entry {
    fn new(name: &'static str, kind: Kind, link: Link) -> Entry {
        Entry { name, kind, link, shared_by: Vec::new() }
    }
}

impl ChainJob {
    fn new(
        section: Section,
        chain: Rc<Chain>,
        operation: String,
        boards: usize,
        entries: Vec<Entry>,
    ) -> ChainJob {
        ChainJob { section, chain, operation, boards, entries, race: Race::default() }
    }

    pub(crate) fn check(&self, link: Link) -> Result<(), String> {
        self.chain.check(link)
    }

    /// Times a few rounds.
    pub(crate) fn rounds(&mut self, options: &Options, other: &OtherMemory) {
        let sample = Duration::from_micros(if options.quick { 40 } else { 100 });
        let (chain, entries, section) = (&self.chain, &self.entries, self.section);
        let length = match section {
            // A sample has one iteration, because filling the caches takes milliseconds.
            Section::Cold => Length { rounds: if options.quick { 3 } else { 6 }, ..Length::ONCE },
            _ => Length { rounds: 3, sample },
        };
        self.race.continue_for(entries.len(), length, |i, iterations| {
            let Entry { name, link, .. } = entries[i];
            let slowed = slowed(options, name);
            let calls = CALLS * iterations as usize;
            match section {
                Section::Cold => (0..iterations).map(|_| chain.cold(link, other, slowed)).sum(),
                Section::Throughput => chain.throughput(link, calls, slowed),
                _ => chain.latency(link, calls, slowed),
            }
        });
    }

    pub(crate) fn figures(&self, tsc_ghz: Option<f64>) -> Vec<Figure> {
        let bytes = Operation::named(&self.operation).map_or(0, Operation::bytes);
        let scalar = self.entries.iter().position(|entry| entry.name == BASELINE);
        let calls = if self.section == Section::Cold { COLD_CALLS } else { CALLS };
        let figure = |(i, entry): (usize, &Entry)| {
            let figure = Figure::new(
                (self.section, &self.operation, "random"),
                (entry.name, entry.kind),
                (self.boards, self.boards, bytes),
                (&self.race.times, i, calls * self.boards),
                tsc_ghz,
            );
            let to_scalar = scalar.filter(|_| entry.kind != Kind::Roof);
            Figure {
                to_scalar: to_scalar.map(|to| self.race.times.ratio(i, to)),
                shared_by: owned(&entry.shared_by),
                ..figure
            }
        };
        self.entries.iter().enumerate().map(figure).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::sizes;

    #[test]
    fn sizes_reach_the_most() {
        assert_eq!(sizes(8, true), [1, 2, 4, 8]);
        assert_eq!(sizes(9, false), [1, 2, 3, 4, 6, 8, 12, 16]);
    }
}
