//! A run: what is measured in which settings, in sittings.
//!
//! All jobs get a few rounds in every sitting, with new memory, until the time is over. So a neighbour who is busy for some seconds, or a page that lies
//! badly, falls on all alike and shows in the spread.

use std::time::{Duration, Instant, SystemTime};

use setwise::Kernels;

use crate::batch::{Batch, Computes, Order};
use crate::boards::Boards;
use crate::clock;
use crate::contender::{self, Contender};
use crate::counters::Counters;
use crate::figures::{self, Clock, Figure, Input, Kind, Run, SCHEMA, Section};
use crate::latency::{self, Chain, Link};
use crate::machine::{self, Machine, round};
use crate::operation::Operation;
use crate::race::{Length, Race};
use crate::settings::{BASELINE, IN_CACHE, MAIN, Options, SWEPT};
use crate::{forms, roof, threads};

/// Calls of few boards are cut from a pool that the first cache holds.
const POOL: usize = 1024;
/// Calls of few boards.
const FEW: [usize; 15] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 31, 32, 33, 48, 63, 64];
/// Boards a call of the chains.
const CHAINED: [usize; 3] = [1, 8, 32];
/// As many random boards as no branch predictor knows by heart.
const RANDOM: usize = 65_536;
/// For the hardware counters.
const PASSES: usize = 20;
/// A quick run's sweep ends here.
const QUICK_BYTES: usize = 64 << 20;

/// A setting in which contenders race.
struct Job<'a> {
    section: Section,
    operation: Operation,
    boards: &'a Boards,
    order: Order,
    pool: usize,
    boards_a_call: usize,
    length: Length,
    contenders: Vec<(Contender, Kind)>,
    race: Race,
}

/// A setting in which chains race.
struct ChainJob {
    chain: Chain,
    operation: latency::Operation,
    by_value: bool,
    boards: usize,
    links: Vec<(&'static str, Kind, Link)>,
    race: Race,
}

/// Measures. `progress` is told what part of the time is over, and what is being done.
#[must_use]
pub fn run(options: &Options, progress: &mut dyn FnMut(f64, &str)) -> Run {
    progress(0.0, "probing");
    let mut machine = Machine::probe();
    let random = Boards::random(RANDOM);
    let in_cache = Boards::random(IN_CACHE);
    let few = Boards::random(POOL);
    let mut jobs = jobs(options, &machine, [&in_cache, &few, &random]);
    let mut chains = chains(options);

    let (wrong, wrong_names) = check(&mut jobs, &mut chains, progress);
    let started = Instant::now();
    sittings(options, &mut jobs, &mut chains, progress);
    let seconds = round(started.elapsed().as_secs_f64());
    let tsc = machine.tsc_ghz;
    let mut counters = Counters::open();
    machine.no_counters = counters.as_ref().err().cloned();
    let mut figures = Vec::new();
    for job in &mut jobs {
        figures.extend(job.figures(tsc, counters.as_mut().ok()));
    }
    for job in &chains {
        figures.extend(job.figures(tsc));
    }
    progress(1.0, "clock");
    let mut right = options.kernels.clone();
    right.retain(|kernel| !wrong_names.contains(&kernel.name()));
    let clocks = clocks(&right, &in_cache);
    if options.threads > 1 {
        progress(1.0, "threads");
        figures.extend(threads::figures(options, &right, &in_cache, tsc));
    }
    let mut inputs = vec![Input {
        name: random.name.into(),
        boards: RANDOM,
        about: "every square is occupied with probability 0.35, and one to three pieces of a set are sliders".into(),
    }];
    if let Some((boards, about)) = &options.positions {
        inputs.push(Input {
            name: boards.name.into(),
            boards: boards.len(),
            about: about.clone(),
        });
    }
    Run {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION").into(),
        rustc: env!("SETWISE_BENCH_RUSTC").into(),
        target: env!("SETWISE_BENCH_TARGET").into(),
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        options: options.given.clone(),
        seconds,
        machine,
        inputs,
        kernels: figures::kernels(),
        wrong,
        clocks,
        figures,
    }
}

/// Compares all results with the right ones. Tells who is wrong, and takes them out of the race.
fn check(
    jobs: &mut [Job],
    chains: &mut [ChainJob],
    progress: &mut dyn FnMut(f64, &str),
) -> (Vec<String>, Vec<&'static str>) {
    let mut wrong = Vec::new();
    let mut wrong_names = Vec::new();
    for job in jobs.iter_mut() {
        progress(0.0, &format!("checking {}", job.operation.title()));
        let mut batch = job.batch();
        for (contender, _) in &job.contenders {
            if !wrong_names.contains(&contender.name)
                && let Err(told) = contender.check(&mut batch)
            {
                wrong_names.push(contender.name);
                wrong.push(told);
            }
        }
    }
    for job in chains.iter() {
        for &(name, _, link) in &job.links {
            if !wrong_names.contains(&name)
                && let Err(told) = job.chain.check(link)
            {
                wrong_names.push(name);
                wrong.push(format!("{name}, {told}"));
            }
        }
    }
    for job in jobs {
        job.contenders
            .retain(|(contender, _)| !wrong_names.contains(&contender.name));
        job.race = Race::new(job.contenders.len());
    }
    for job in chains {
        job.links.retain(|(name, _, _)| !wrong_names.contains(name));
        job.race = Race::new(job.links.len());
    }
    (wrong, wrong_names)
}

/// Times everything, again and again, until the time is over.
fn sittings(
    options: &Options,
    jobs: &mut [Job],
    chains: &mut [ChainJob],
    progress: &mut dyn FnMut(f64, &str),
) {
    let started = Instant::now();
    let over = || started.elapsed().as_secs_f64() / options.seconds.max(1e-9);
    let mut first = true;
    'sittings: loop {
        let mut part = 0.0;
        for job in jobs.iter_mut() {
            if !first && over() >= 1.0 {
                break 'sittings;
            }
            part = over().min(1.0);
            progress(
                part,
                &format!(
                    "{}: {}, {} boards a call",
                    job.section.name(),
                    job.operation.title(),
                    job.boards_a_call
                ),
            );
            job.go_on();
        }
        progress(part, "latency");
        for job in chains.iter_mut() {
            job.go_on(options);
        }
        first = false;
        if over() >= 1.0 {
            break;
        }
    }
}

/// Everything but the chains, in the order of the sections.
#[expect(clippy::too_many_lines, reason = "the list of what is measured")]
fn jobs<'a>(
    options: &'a Options,
    machine: &Machine,
    [in_cache, few, random]: [&'a Boards; 3],
) -> Vec<Job<'a>> {
    let mut jobs = Vec::new();
    let main: Vec<Operation> = MAIN
        .iter()
        .filter_map(|name| Operation::named(name))
        .collect();
    let asked = |operations: &[Operation]| {
        if options.operations.is_empty() {
            operations.to_vec()
        } else {
            options.operations.clone()
        }
    };
    let all: Vec<Operation> = if options.quick {
        main.clone()
    } else {
        Operation::all().collect()
    };
    let length = if options.quick {
        Length {
            rounds: 4,
            sample: Duration::from_micros(60),
        }
    } else {
        Length {
            rounds: 5,
            sample: Duration::from_micros(120),
        }
    };
    let mut job = |section, operation, boards, order, pool, boards_a_call, contenders| {
        jobs.push(Job {
            section,
            operation,
            boards,
            order,
            pool,
            boards_a_call,
            length,
            contenders,
            race: Race::default(),
        });
    };
    if options.boards.is_empty() {
        for operation in asked(&all) {
            let contenders = everybody(options, operation);
            job(
                Section::Operations,
                operation,
                in_cache,
                Order::New,
                IN_CACHE,
                IN_CACHE,
                contenders,
            );
        }
        if let Some((boards, _)) = &options.positions {
            for operation in asked(&main) {
                let contenders = everybody(options, operation);
                job(
                    Section::Positions,
                    operation,
                    boards,
                    Order::New,
                    IN_CACHE,
                    IN_CACHE,
                    contenders,
                );
            }
        }
    }
    if options.techniques {
        for (operation, forms) in forms::all() {
            let mut contenders = everybody(options, operation);
            contenders.retain(|(_, kind)| *kind == Kind::Kernel);
            contenders.extend(forms.into_iter().map(|form| (form, Kind::Form)));
            job(
                Section::Techniques,
                operation,
                in_cache,
                Order::New,
                IN_CACHE,
                IN_CACHE,
                contenders,
            );
        }
    }
    let swept: Vec<Operation> = Operation::named(SWEPT).into_iter().collect();
    let first = &asked(&swept)[..1];
    if options.boards.is_empty() {
        let with_few = if options.quick {
            first.to_vec()
        } else {
            asked(&main[2..])
        };
        for operation in with_few {
            for boards_a_call in FEW {
                let mut contenders = everybody(options, operation);
                contenders.retain(|(_, kind)| *kind == Kind::Kernel);
                job(
                    Section::Calls,
                    operation,
                    few,
                    Order::New,
                    POOL,
                    boards_a_call,
                    contenders,
                );
            }
        }
    }
    for &operation in first {
        let most = most_boards(options, machine, operation);
        let sizes = if options.boards.is_empty() {
            sizes(most, options.quick)
        } else {
            options.boards.clone()
        };
        for boards_a_call in sizes {
            let contenders = if options.boards.is_empty() {
                wide(options, operation)
            } else {
                everybody(options, operation)
            };
            // Few boards a call are cut from a pool, or the clock would be most of what is measured.
            let (boards, pool) = if boards_a_call <= POOL / 2 {
                (few, POOL)
            } else {
                (random, boards_a_call)
            };
            job(
                Section::Sweep,
                operation,
                boards,
                Order::Same,
                pool,
                boards_a_call,
                contenders,
            );
        }
    }
    for job in &mut jobs {
        // A pass over much memory is long enough, and its noise small.
        if job.pool * job.operation.bytes() > 8 << 20 {
            job.length.rounds = if options.quick { 2 } else { 1 };
        }
    }
    jobs
}

/// The boards that are twice what the caches hold, but no more than a quarter of the free memory.
fn most_boards(options: &Options, machine: &Machine, operation: Operation) -> usize {
    let twice = 2 * machine.last_level().unwrap_or(QUICK_BYTES / 2);
    let wanted = if options.quick {
        twice.min(QUICK_BYTES)
    } else {
        twice.max(QUICK_BYTES)
    };
    let bytes = free_memory().map_or(wanted.min(QUICK_BYTES), |free| wanted.min(free / 4));
    bytes / operation.bytes()
}

/// What Linux has for new programs.
fn free_memory() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: usize = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib << 10)
}

/// Powers of two up to the first beyond `most`, and what lies in the middle between them.
fn sizes(most: usize, quick: bool) -> Vec<usize> {
    let mut sizes = Vec::new();
    let mut size = 1;
    while size < 2 * most {
        sizes.push(size);
        if !quick && size > 1 && size < most {
            sizes.push(size * 3 / 2);
        }
        size *= 2;
    }
    sizes
}

/// The kernels that were asked for, the baseline, the peers and the roofs.
fn everybody(options: &Options, operation: Operation) -> Vec<(Contender, Kind)> {
    let mut kernels = options.kernels.clone();
    if !operation.in_list() {
        return Vec::new();
    }
    if let Ok(baseline) = Kernels::by_name(BASELINE)
        && !kernels.contains(&baseline)
    {
        kernels.push(baseline);
    }
    let mut all = Vec::new();
    for kernel in kernels {
        let mut contender = contender::kernel(operation, kernel);
        if options.broken.as_deref() == Some(contender.name) {
            contender = contender.broken();
        }
        if let Some((name, part)) = &options.slowed
            && name == contender.name
        {
            contender.slowed = *part;
        }
        all.push((contender, Kind::Kernel));
    }
    #[cfg(feature = "peers")]
    all.extend(
        crate::peers::all(operation)
            .into_iter()
            .map(|peer| (peer, Kind::Peer)),
    );
    all.extend(
        roof::all(operation)
            .into_iter()
            .map(|roof| (roof, Kind::Roof)),
    );
    all
}

/// The kernels down to the baseline, which are those that memory may bound, and the roofs.
fn wide(options: &Options, operation: Operation) -> Vec<(Contender, Kind)> {
    let mut all = everybody(options, operation);
    all.retain(|(_, kind)| *kind != Kind::Peer);
    if options.kernels.len() > 6
        && let Some(baseline) = all
            .iter()
            .position(|(contender, _)| contender.name == BASELINE)
    {
        let mut i = 0;
        all.retain(|(_, kind)| {
            i += 1;
            *kind != Kind::Kernel || i <= baseline + 1
        });
    }
    all
}

/// The chains of the main operations.
fn chains(options: &Options) -> Vec<ChainJob> {
    if !options.boards.is_empty() {
        return Vec::new();
    }
    let mut kernels = options.kernels.clone();
    kernels.retain(|kernel| options.broken.as_deref() != Some(kernel.name()));
    let mut jobs = Vec::new();
    for operation in latency::Operation::ALL {
        let names = [operation.name(), operation.one()];
        let asked = options.operations.is_empty()
            || options
                .operations
                .iter()
                .any(|asked| names.contains(&asked.name));
        if !asked || (options.quick && options.operations.is_empty() && operation.name() != SWEPT) {
            continue;
        }
        let mut job = |by_value: bool, boards: usize, links| {
            jobs.push(ChainJob {
                chain: Chain::new(operation, boards),
                operation,
                by_value,
                boards,
                links,
                race: Race::default(),
            });
        };
        let mut by_value: Vec<_> = kernels
            .iter()
            .map(|&kernel| (kernel.name(), Kind::Kernel, Link::One(kernel)))
            .collect();
        by_value.push(("board", Kind::Form, Link::Inlined));
        by_value.push(("chain-alone", Kind::Roof, Link::Nobody));
        job(true, 1, by_value);
        for boards in CHAINED {
            let links = kernels
                .iter()
                .map(|&kernel| (kernel.name(), Kind::Kernel, Link::Batch(kernel)));
            job(false, boards, links.collect());
        }
    }
    jobs
}

impl Job<'_> {
    fn batch(&self) -> Batch {
        Batch::new(self.operation, self.boards, self.order, self.pool, 0)
            .in_calls_of(self.boards_a_call)
    }

    fn go_on(&mut self) {
        let mut batch = self.batch();
        let contenders = &self.contenders;
        self.race.go_on(self.length, |i, passes| {
            clock::time(&contenders[i].0, &mut batch, passes)
        });
    }

    fn figures(&mut self, tsc: Option<f64>, mut counters: Option<&mut Counters>) -> Vec<Figure> {
        let mut batch = self.batch();
        let boards = batch.boards();
        let place = |name: &str| {
            self.contenders
                .iter()
                .position(|(contender, _)| contender.name == name)
        };
        let [scalar, copy, around] = [BASELINE, roof::NAME, roof::AROUND].map(place);
        let mut figures = Vec::new();
        for (i, (contender, kind)) in self.contenders.iter().enumerate() {
            let to = |reference: Option<usize>| Some(self.race.times.ratio(i, reference?));
            let attacks = contender.computes == Computes::Attacks;
            let counts = counters.as_mut().and_then(|counters| {
                if !matches!(self.section, Section::Operations | Section::Positions) {
                    return None;
                }
                contender.pass(&mut batch);
                counters.count(PASSES * boards, || {
                    (0..PASSES).for_each(|_| contender.pass(&mut batch));
                })
            });
            figures.push(Figure {
                to_scalar: to(scalar).filter(|_| attacks),
                to_copy: to(copy),
                to_copy_nt: to(around).filter(|_| self.section == Section::Sweep),
                counters: counts,
                ..Figure::new(
                    (self.section, &self.operation.title(), self.boards.name),
                    (contender.name, *kind),
                    (self.boards_a_call, boards, self.operation.bytes()),
                    (&self.race.times, i, boards),
                    tsc,
                )
            });
        }
        figures
    }
}

impl ChainJob {
    fn go_on(&mut self, options: &Options) {
        let length = Length {
            rounds: 3,
            sample: Duration::from_micros(if options.quick { 40 } else { 100 }),
        };
        let (chain, links) = (&self.chain, &self.links);
        self.race.go_on(length, |i, calls| {
            let (name, _, link) = links[i];
            let slowed = options
                .slowed
                .as_ref()
                .filter(|(slowed, _)| slowed == name)
                .map_or(0.0, |(_, part)| *part);
            // Enough calls that the start does not count.
            chain.time(link, 64 * calls as usize, slowed)
        });
    }

    fn figures(&self, tsc: Option<f64>) -> Vec<Figure> {
        let operation = if self.by_value {
            self.operation.one()
        } else {
            self.operation.name()
        };
        let bytes = Operation::named(operation).map_or(0, Operation::bytes);
        let scalar = self.links.iter().position(|(name, _, _)| *name == BASELINE);
        let figures = self
            .links
            .iter()
            .enumerate()
            .map(|(i, &(name, kind, _))| Figure {
                to_scalar: scalar
                    .filter(|_| kind != Kind::Roof)
                    .map(|scalar| self.race.times.ratio(i, scalar)),
                ..Figure::new(
                    (Section::Latency, operation, "random"),
                    (name, kind),
                    (self.boards, self.boards, bytes),
                    (&self.race.times, i, 64 * self.boards),
                    tsc,
                )
            });
        figures.collect()
    }
}

/// The core's clock behind some milliseconds of every kernel: the highest of some, because interruptions only lower it.
fn clocks(kernels: &[&'static Kernels], boards: &Boards) -> Vec<Clock> {
    let Some(operation) = Operation::named(SWEPT) else {
        return Vec::new();
    };
    let mut batch = Batch::new(operation, boards, Order::Same, IN_CACHE, 0);
    let clock = |kernel: &&'static Kernels| {
        let contender = contender::kernel(operation, kernel);
        let mut behind = || {
            let started = Instant::now();
            while started.elapsed() < Duration::from_millis(3) {
                contender.pass(&mut batch);
            }
            machine::clock_ghz(Duration::from_micros(30))
        };
        let ghz = (0..5).map(|_| behind()).fold(0.0, f64::max);
        Clock {
            contender: contender.name.into(),
            ghz: round(ghz),
        }
    };
    kernels.iter().map(clock).collect()
}

#[cfg(test)]
mod tests {
    use super::{BASELINE, Options, run, sizes};
    use crate::figures::{Kind, Run, Section};
    use crate::operation::Operation;
    use setwise::Kernels;

    fn options() -> Options {
        Options {
            quick: true,
            seconds: 0.0,
            kernels: Kernels::available().take(2).collect(),
            operations: vec![Operation::named("queen_attacks").unwrap()],
            boards: vec![1, 64, 2048],
            positions: None,
            techniques: true,
            threads: 1,
            given: Vec::new(),
            slowed: None,
            broken: None,
        }
    }

    #[test]
    fn sizes_are_fine_and_go_beyond() {
        assert_eq!(sizes(8, true), [1, 2, 4, 8]);
        assert_eq!(sizes(9, false), [1, 2, 3, 4, 6, 8, 12, 16]);
    }

    /// Every setting has everybody, and what is written is what is read.
    #[test]
    fn a_run_is_whole() {
        let run = run(&options(), &mut |_, _| ());
        assert!(run.wrong.is_empty(), "{:?}", run.wrong);
        for boards in [1, 64, 2048] {
            for kernel in Kernels::available().take(2) {
                let mut figures = run.select(Section::Sweep, "queen_attacks", Some(boards));
                let figure = figures
                    .find(|figure| figure.contender == kernel.name())
                    .unwrap();
                assert_eq!((figure.kind, figure.bytes_a_board), (Kind::Kernel, 24));
                assert!(figure.to_scalar.is_some() && figure.to_copy.is_some());
                assert!(figure.ns.minimum > 0.0 && figure.ns.minimum <= figure.ns.median);
            }
        }
        let text = serde_json::to_string(&run).unwrap();
        assert_eq!(Run::read(&text).unwrap(), run);
        let columns = run
            .csv()
            .lines()
            .map(|line| line.split(',').count())
            .collect::<Vec<_>>();
        assert!(
            columns.len() > 9 && columns.iter().all(|&count| count == columns[0]),
            "{columns:?}"
        );
        assert!(Run::read("{}").unwrap_err().contains("schema"));
        assert!(
            Run::read(&text.replacen("\"schema\":1", "\"schema\":2", 1))
                .unwrap_err()
                .contains("its schema is 2")
        );
    }

    #[test]
    fn a_wrong_kernel_is_named_and_not_timed() {
        let best = Kernels::available().next().unwrap().name();
        let run = run(
            &Options {
                broken: Some(best.into()),
                techniques: false,
                ..options()
            },
            &mut |_, _| (),
        );
        assert_eq!(run.wrong.len(), 1);
        assert!(
            run.wrong[0].starts_with(&format!("{best}, queen_attacks: board 0 is ")),
            "{:?}",
            run.wrong
        );
        assert!(run.figures.iter().all(|figure| figure.contender != best));
        assert!(
            run.figures
                .iter()
                .any(|figure| figure.contender == BASELINE)
        );
    }
}
