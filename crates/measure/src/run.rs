//! A run: checks all planned results, times the contenders, and collects the figures.
//!
//! Jobs run round-robin, a few rounds per pass with freshly allocated memory. So noisy neighbours
//! and unlucky page placements affect all jobs equally, and their effect shows in the quartiles.

use std::time::{Duration, Instant, SystemTime};

use setwise::Kernel;

use crate::boards::BoardSet;
use crate::contender;
use crate::counters::Counters;
use crate::figures::{self, Clock, Input, Run, SCHEMA, Section};
use crate::machine::{self, Machine};
use crate::maps;
use crate::number::round;
use crate::operation::Operation;
use crate::plan::{self, Inputs, Job, Wrong};
use crate::settings::{IN_CACHE, Options, SWEPT};
use crate::workload::{Order, Workload};

/// Runs the benchmark. Calls `progress` with the elapsed fraction of the time and the current step.
#[must_use]
pub fn measure(options: &Options, progress: &mut dyn FnMut(f64, &str)) -> Run {
    progress(0.0, "probing");
    let mut machine = Machine::probe();
    let boards = Inputs::new(options);
    let mut jobs = plan::jobs(options, &machine, &boards);
    let wrong = check(&mut jobs, progress);
    let seconds = time(options, &mut jobs, progress);

    let mut counters = Counters::open();
    machine.no_counters = counters.as_ref().err().cloned();
    let figures: Vec<_> = jobs.iter().flat_map(|job| job.figures(counters.as_mut().ok())).collect();
    progress(1.0, "clock");
    let mut right = options.kernels.clone();
    right.retain(|kernel| wrong.iter().all(|(name, _)| *name != kernel.name()));
    let clocks = clocks(&right, &boards.in_cache);

    let mut inputs = vec![Input {
        name: boards.many.name.into(),
        boards: Inputs::MANY,
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
        figures,
    }
}

/// Compares all results with the oracle's. Removes contenders with a wrong result, and returns
/// their names and first errors.
fn check(jobs: &mut [Box<dyn Job + '_>], progress: &mut dyn FnMut(f64, &str)) -> Vec<Wrong> {
    let mut wrong: Vec<Wrong> = Vec::new();
    for job in jobs.iter() {
        progress(0.0, &format!("checking {}", job.step()));
        for (name, error) in job.check() {
            if wrong.iter().all(|(known, _)| *known != name) {
                wrong.push((name, error));
            }
        }
    }
    let names: Vec<_> = wrong.iter().map(|(name, _)| *name).collect();
    for job in jobs.iter_mut() {
        job.remove(&names);
    }
    wrong
}

/// Makes passes over all jobs until the time is over, but at least one. Returns the seconds taken.
fn time(
    options: &Options,
    jobs: &mut [Box<dyn Job + '_>],
    progress: &mut dyn FnMut(f64, &str),
) -> f64 {
    let started = Instant::now();
    let over = || started.elapsed().as_secs_f64() / options.seconds.max(1e-9);
    for pass in 0.. {
        for job in jobs.iter_mut() {
            if pass > 0 && over() >= 1.0 {
                return round(started.elapsed().as_secs_f64());
            }
            progress(over().min(1.0), &job.step());
            job.rounds(options.quick);
        }
        if over() >= 1.0 {
            break;
        }
    }
    round(started.elapsed().as_secs_f64())
}

/// Measures the core clock after a few milliseconds of each kernel. Takes the highest of five
/// measurements, because interruptions only lower it.
fn clocks(kernels: &[&'static Kernel], boards: &BoardSet) -> Vec<Clock> {
    let operation = Operation::named(SWEPT).expect("a name of the list");
    let mut workload = Workload::new(operation, boards, Order::Same, IN_CACHE, 0);
    let clock = |kernel: &&'static Kernel| {
        let contender = contender::kernel(operation, kernel);
        let mut measured = || {
            let started = Instant::now();
            while started.elapsed() < Duration::from_millis(3) {
                contender.compute(&mut workload);
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
    use super::{check, measure};
    use crate::boards::BoardSet;
    use crate::contender::{self, Contender, Kind};
    use crate::figures::Section;
    use crate::operation::Operation;
    use crate::plan::{BatchJob, Job};
    use crate::settings::{BASELINE, Options};
    use crate::workload::Order;
    use setwise::Kernel;

    /// Every setting has figures of all contenders.
    #[test]
    fn a_run_is_complete() {
        let options = Options {
            quick: true,
            kernels: Kernel::available().take(2).collect(),
            operations: vec![Operation::named("queen_attacks").unwrap()],
            boards: vec![1, 64, 2048],
            ..Options::default()
        };
        let run = measure(&options, &mut |_, _| ());
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
    }

    #[test]
    fn a_wrong_contender_is_named_and_removed() {
        let boards = BoardSet::random(64);
        let rooks = Operation::named("rook_attacks").unwrap();
        let queens = Operation::named("queen_attacks").unwrap();
        let wrong = Contender::new("wrong", Kind::Kernel, |_| ());
        let job = |operation, contenders| -> Box<dyn Job> {
            let section = Section::Operations;
            Box::new(BatchJob::new(section, operation, &boards, Order::New, contenders))
        };
        let baseline = Kernel::by_name(BASELINE).unwrap();
        let mut shared = contender::kernel(queens, baseline);
        shared.shared_by = vec!["wrong", BASELINE];
        let mut jobs = [
            job(rooks, vec![wrong, contender::kernel(rooks, baseline)]),
            job(queens, vec![shared]),
        ];
        let found = check(&mut jobs, &mut |_, _| ());
        assert_eq!(found.len(), 1);
        assert!(found[0].1.starts_with("wrong, rook_attacks: board 0 is "), "{found:?}");
        for job in &mut jobs {
            job.rounds(true);
            let figures = job.figures(None);
            assert_eq!(figures.len(), 1, "only the baseline is timed");
            assert_eq!(figures[0].contender, BASELINE);
            assert!(!figures[0].label().contains("wrong"));
        }
    }
}
