//! A run: checks all planned results, times the contenders, and collects the figures.
//!
//! Jobs run round-robin, a few rounds per pass with freshly allocated memory. So noisy neighbours
//! and unlucky page placements affect all jobs equally, and their effect shows in the quartiles.

use std::cell::LazyCell;
use std::time::{Duration, Instant, SystemTime};

use setwise::Kernel;

use crate::batch::{Batch, Order};
use crate::boards::Boards;
use crate::contender;
use crate::counters::Counters;
use crate::figures::{self, Clock, Input, Run, SCHEMA, Section};
use crate::issue;
use crate::latency::OtherMemory;
use crate::machine::{self, Machine};
use crate::maps::{self, MapsJob};
use crate::number::round;
use crate::operation::Operation;
use crate::plan::{self, ChainJob, Job, Random};
use crate::settings::{IN_CACHE, Options, SWEPT};
use crate::threads;
use crate::valid;

/// More random boards than a branch predictor can memorise.
const RANDOM: usize = 65_536;

/// Checks that a run of this plan can be saved and read back.
///
/// # Errors
/// The list of an option is too long, or the plan has too many figures.
pub fn check_plan(options: &Options) -> Result<(), String> {
    // One board is enough, because nothing is timed.
    let few = || Boards::random(1);
    let random = Random { in_cache: few(), short: few(), many: few() };
    let jobs = plan::jobs(options, &Machine::probe(), &random);
    let chains = plan::chains(options);
    let figures = jobs.iter().map(|job| job.contenders.len()).sum::<usize>()
        + chains.iter().map(|job| job.entries.len()).sum::<usize>();
    valid::check_plan(&options.given, figures)
}

/// Runs the benchmark. Calls `progress` with the elapsed fraction of the time and the current step.
#[must_use]
pub fn measure(options: &Options, progress: &mut dyn FnMut(f64, &str)) -> Run {
    progress(0.0, "probing");
    let mut machine = Machine::probe();
    let random = Random {
        in_cache: Boards::random(IN_CACHE),
        short: Boards::random(plan::POOL),
        many: Boards::random(RANDOM),
    };
    let mut jobs = plan::jobs(options, &machine, &random);
    let mut chains = plan::chains(options);
    let mut wrong = check(&mut jobs, &mut chains, progress);
    let mut maps = MapsJob::new(options);
    if let Some(maps) = &mut maps {
        wrong.extend(maps.check());
    }
    let other = LazyCell::new(|| OtherMemory::new(&machine));
    let seconds = time(options, &mut jobs, &mut chains, &other, &mut maps, progress);
    drop(other);

    let tsc_ghz = machine.tsc_ghz;
    let mut counters = Counters::open();
    machine.no_counters = counters.as_ref().err().cloned();
    let mut figures = Vec::new();
    for job in &jobs {
        figures.extend(job.figures(tsc_ghz, counters.as_mut().ok()));
    }
    figures.extend(chains.iter().flat_map(|job| job.figures(tsc_ghz)));
    figures.extend(maps.iter().flat_map(|job| job.figures(tsc_ghz)));
    progress(1.0, "clock");
    let mut right = options.kernels.clone();
    right.retain(|kernel| wrong.iter().all(|(name, _)| *name != kernel.name()));
    let clocks = clocks(&right, &random.in_cache);
    if options.threads > 1 {
        progress(1.0, "threads");
        figures.extend(threads::figures(options, &right, &random.in_cache, tsc_ghz));
    }

    let mut inputs = vec![Input {
        name: random.many.name.into(),
        boards: RANDOM,
        about: "every square is occupied with probability 0.35, and each set of sliders is one to \
                three pieces"
            .into(),
    }];
    inputs.extend(options.positions.as_ref().map(|(boards, about)| Input {
        name: boards.name.into(),
        boards: boards.len(),
        about: about.clone(),
    }));
    if figures.iter().any(|figure| figure.section == Section::Maps) {
        inputs.push(maps::input());
    }
    Run {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION").into(),
        rustc: env!("SETWISE_BENCH_RUSTC").into(),
        target: env!("SETWISE_BENCH_TARGET").into(),
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        options: options.given.clone(),
        seconds,
        summary: false,
        machine,
        inputs,
        kernels: figures::kernels(),
        wrong: wrong.into_iter().map(|(_, error)| error).collect(),
        clocks,
        ceilings: issue::ceilings(),
        figures,
    }
}

/// Compares all results with the oracle's. Removes contenders with a wrong result, and returns
/// their names and errors.
fn check(
    jobs: &mut [Job],
    chains: &mut [ChainJob],
    progress: &mut dyn FnMut(f64, &str),
) -> Vec<(&'static str, String)> {
    let mut wrong: Vec<(&'static str, String)> = Vec::new();
    let known = |wrong: &[(&str, String)], name| wrong.iter().any(|(other, _)| *other == name);
    for job in jobs.iter() {
        progress(0.0, &format!("checking {}", job.operation.title()));
        let mut batch = job.batch();
        for contender in &job.contenders {
            if !known(&wrong, contender.name)
                && let Err(error) = contender.check(&mut batch)
            {
                wrong.push((contender.name, error));
            }
        }
    }
    for job in chains.iter() {
        for entry in &job.entries {
            if !known(&wrong, entry.name)
                && let Err(error) = job.check(entry.link)
            {
                wrong.push((entry.name, format!("{}, {error}", entry.name)));
            }
        }
    }
    for job in jobs {
        job.contenders.retain(|contender| !known(&wrong, contender.name));
        for contender in &mut job.contenders {
            contender.shared_by.retain(|name| !known(&wrong, name));
        }
    }
    for job in chains {
        job.entries.retain(|entry| !known(&wrong, entry.name));
        for entry in &mut job.entries {
            entry.shared_by.retain(|name| !known(&wrong, name));
        }
    }
    wrong
}

/// Makes passes over all jobs until the time is over, but at least one. Returns the seconds taken.
fn time(
    options: &Options,
    jobs: &mut [Job],
    chains: &mut [ChainJob],
    other: &LazyCell<OtherMemory, impl FnOnce() -> OtherMemory>,
    maps: &mut Option<MapsJob>,
    progress: &mut dyn FnMut(f64, &str),
) -> f64 {
    let started = Instant::now();
    let over = || started.elapsed().as_secs_f64() / options.seconds.max(1e-9);
    let mut first = true;
    'passes: while first || over() < 1.0 {
        for job in jobs.iter_mut() {
            if !first && over() >= 1.0 {
                break 'passes;
            }
            let (section, title) = (job.section.name(), job.operation.title());
            let step = format!("{section}: {title}, {} boards per call", job.boards_a_call);
            progress(over().min(1.0), &step);
            job.rounds(options.quick);
        }
        progress(over().min(1.0), "one board and latency");
        for job in chains.iter_mut() {
            job.rounds(options, other);
        }
        if let Some(maps) = maps {
            progress(over().min(1.0), "attack maps");
            maps.rounds(options.quick);
        }
        first = false;
    }
    round(started.elapsed().as_secs_f64())
}

/// Measures the core clock after a few milliseconds of each kernel. Takes the highest of five
/// measurements, because interruptions only lower it.
fn clocks(kernels: &[&'static Kernel], boards: &Boards) -> Vec<Clock> {
    let operation = Operation::named(SWEPT).expect("a name of the list");
    let mut batch = Batch::new(operation, boards, Order::Same, IN_CACHE, 0);
    let clock = |kernel: &&'static Kernel| {
        let contender = contender::kernel(operation, kernel);
        let mut measured = || {
            let started = Instant::now();
            while started.elapsed() < Duration::from_millis(3) {
                contender.compute(&mut batch);
            }
            machine::clock_ghz(Duration::from_micros(30))
        };
        let ghz = (0..5).map(|_| measured()).fold(0.0, f64::max);
        Clock { contender: contender.name.into(), ghz: round(ghz) }
    };
    kernels.iter().map(clock).collect()
}

#[cfg(test)]
mod tests {
    use super::measure;
    use crate::figures::{Kind, Run, Section};
    use crate::operation::Operation;
    use crate::settings::{BASELINE, Options};
    use setwise::Kernel;

    fn options() -> Options {
        Options {
            quick: true,
            kernels: Kernel::available().take(2).collect(),
            operations: vec![Operation::named("queen_attacks").unwrap()],
            boards: vec![1, 64, 2048],
            ..Options::default()
        }
    }

    /// Every setting has figures of all contenders, and the JSON is read back unchanged.
    #[test]
    fn a_run_is_complete() {
        let run = measure(&Options { techniques: true, ..options() }, &mut |_, _| ());
        assert!(run.wrong.is_empty(), "{:?}", run.wrong);
        for boards in [1, 64, 2048] {
            for kernel in Kernel::available().take(2) {
                let figure = run
                    .select(Section::Sweep, "queen_attacks")
                    .find(|f| f.boards_a_call == boards && f.contender == kernel.name())
                    .unwrap();
                assert_eq!((figure.kind, figure.bytes_a_board), (Kind::Kernel, 24));
                assert!(figure.to_scalar.is_some() && figure.to_copy.is_some());
                assert!(figure.ns.minimum > 0.0 && figure.ns.minimum <= figure.ns.median);
            }
        }
        let text = serde_json::to_string(&run).unwrap();
        assert_eq!(Run::read(text.as_bytes()).unwrap(), run);
        let other = text.replacen("\"schema\":1", "\"schema\":2", 1);
        let error = |source: &[u8]| Run::read(source).unwrap_err();
        assert!(error(other.as_bytes()).contains("schema is 2, expected 1"));
        assert!(error(b"{}").contains("schema"));
        assert!(error(b"\xff").contains("not a run"));
        let endless = Run::read(std::io::repeat(b' ')).unwrap_err();
        assert!(endless.contains("longer than 16 MiB"), "{endless}");
        let csv = run.csv();
        let columns: Vec<_> = csv.lines().map(|line| line.split(',').count()).collect();
        assert!(columns.len() > 9 && columns.iter().all(|&count| count == columns[0]));
    }

    /// A plan is refused if its run could not be read back.
    #[test]
    fn plans_have_limits() {
        assert_eq!(super::check_plan(&options()), Ok(()));
        let plan = Options { given: vec![format!("--boards {}", "1,".repeat(999))], ..options() };
        let error = super::check_plan(&plan).unwrap_err();
        assert_eq!(error, "the length of --boards and its list is 2007, expected 0 to 2000");
        let plan = Options { boards: vec![8; 10_000], ..options() };
        let error = super::check_plan(&plan).unwrap_err();
        assert!(error.starts_with("the number of figures is "), "{error}");
        let mut run = measure(&options(), &mut |_, _| ());
        assert_eq!(run.check(), Ok(()));
        run.wrong = vec![String::new(); 1001];
        assert!(run.check().is_err());
    }

    /// Kernels that share their code for one board have one common figure in each of the three
    /// sections.
    #[test]
    fn one_board_has_three_times_and_no_code_twice() {
        let run = measure(
            &Options {
                kernels: Kernel::available().collect(),
                operations: vec![Operation::named("queen_attacks_one").unwrap()],
                boards: Vec::new(),
                ..options()
            },
            &mut |_, _| (),
        );
        assert!(run.wrong.is_empty(), "{:?}", run.wrong);
        let names = |section| -> Vec<_> {
            let figures = run.select(section, "queen_attacks_one");
            figures.filter(|figure| figure.kind != Kind::Roof).map(|f| &f.contender).collect()
        };
        let all = names(Section::Latency);
        assert!(!all.is_empty());
        assert_eq!(all, names(Section::Throughput));
        assert_eq!(all, names(Section::Cold));
        for name in ["board", "techniques::magic", "techniques::switch", "techniques::hyperbola"] {
            assert!(all.iter().any(|other| *other == name), "{name}");
        }
        // The section `operations` also has figures of this operation: it calls the operation for
        // each board of a batch.
        let all = [Section::Operations, Section::Latency, Section::Throughput, Section::Cold];
        for section in all {
            let figures = run.select(section, "queen_attacks_one");
            let kernels: Vec<_> = figures.filter(|figure| figure.kind == Kind::Kernel).collect();
            let mut labelled: Vec<_> = kernels.iter().map(|figure| figure.label()).collect();
            labelled = labelled.iter().flat_map(|l| l.split(", ")).map(str::to_owned).collect();
            labelled.sort();
            let mut available: Vec<_> = Kernel::available().map(|k| k.name().to_owned()).collect();
            available.sort();
            assert_eq!(labelled, available, "each kernel is in one label");
            let general = kernels.iter().find(|figure| figure.contender == BASELINE).unwrap();
            assert!(general.shared_by.contains(&"magic".into()), "{:?}", general.shared_by);
            assert!((general.to_scalar.unwrap().median - 1.0).abs() < 1e-9);
        }
        let text = serde_json::to_string(&run).unwrap();
        assert_eq!(Run::read(text.as_bytes()).unwrap(), run);
        let row = run.csv().lines().find(|line| line.starts_with("cold,")).unwrap().to_owned();
        assert!(row.starts_with("cold,queen_attacks_one,random,"), "{row}");
    }

    #[test]
    fn a_wrong_kernel_is_named_and_not_timed() {
        let best = Kernel::available().next().unwrap().name();
        let run = measure(&Options { broken: Some(best.into()), ..options() }, &mut |_, _| ());
        assert_eq!(run.wrong.len(), 1);
        let place = format!("{best}, queen_attacks: board 0 is ");
        assert!(run.wrong[0].starts_with(&place), "{:?}", run.wrong);
        let timed = |name: &str| run.figures.iter().any(|figure| figure.contender == name);
        assert!(!timed(best) && timed(BASELINE));
    }
}
