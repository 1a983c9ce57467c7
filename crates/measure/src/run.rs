//! A run: checks all planned results, times the contenders, and collects the figures.
//!
//! Jobs run round-robin, a few rounds per pass with freshly allocated memory. So noisy neighbours
//! and unlucky page placements affect all jobs equally, and their effect shows in the quartiles.

use std::time::{Instant, SystemTime};

use crate::clock::Meter;
use crate::columns::NUMBERS;
use crate::counters::{Counted, Source};
use crate::figures::{self, Input, Run, SCHEMA, Section};
use crate::job::{Job, Wrong};
use crate::machine::Machine;
use crate::number::round;
use crate::plan::{self, Inputs};
use crate::positions;
use crate::settings::Options;
use crate::walk;

/// Runs the benchmark. Calls `progress` with the elapsed fraction of the time and the current step.
#[must_use]
pub fn measure(options: &Options, progress: &mut dyn FnMut(f64, &str)) -> Run {
    progress(0.0, "probing");
    let machine = Machine::probe();
    let boards = Inputs::new(options);
    let mut jobs = plan::jobs(options, &machine, &boards);
    let wrong = check(&mut jobs, progress);
    let seconds = time(options, &mut jobs, progress);
    let counted = options.counters.map(|open| {
        progress(1.0, "counting");
        let (sources, refused) = open(&machine);
        (count(options, &mut jobs, sources), refused)
    });
    let figures: Vec<_> = jobs.iter().flat_map(|job| job.figures()).collect();
    let added = jobs.iter().flat_map(|job| job.added()).collect();
    let counters = counted.map(|(running, refused)| {
        let names = NUMBERS.into_iter().map(|number| number.0);
        let is_counted = |name: &&str| figures.iter().any(|figure| figure.count(name).is_some());
        Counted { events: names.filter(is_counted).map(Into::into).collect(), refused, running }
    });
    progress(1.0, "done");
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
        inputs.push(positions::input());
    }
    inputs.extend(options.walk.as_ref().map(walk::input));
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
        counters,
        inputs,
        kernels: figures::kernels(),
        wrong: wrong.into_iter().map(|(_, error)| error).collect(),
        figures,
        added,
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
    let mut meter = Meter { quick: options.quick, source: None, running: 1.0 };
    let started = Instant::now();
    let over = || started.elapsed().as_secs_f64() / options.seconds.max(1e-9);
    let mut is_first = true;
    while is_first || over() < 1.0 {
        for job in jobs.iter_mut() {
            if is_first || over() < 1.0 {
                progress(over().min(1.0), &job.step());
                job.rounds(&mut meter);
            }
        }
        is_first = false;
    }
    round(started.elapsed().as_secs_f64())
}

/// Counts all jobs, with one group of counters after the other. Returns the smallest fraction of
/// its time in which a group ran.
fn count(options: &Options, jobs: &mut [Box<dyn Job + '_>], sources: Vec<Box<dyn Source>>) -> f64 {
    let mut meter = Meter { quick: options.quick, source: None, running: 1.0 };
    for source in sources {
        meter.source = Some(source);
        for job in jobs.iter_mut() {
            job.rounds(&mut meter);
        }
    }
    round(meter.running)
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::boards::BoardSet;
    use crate::clock::Meter;
    use crate::contender::{self, Contender};
    use crate::figures::{Kind, Section};
    use crate::job::Job;
    use crate::names::BASELINE;
    use crate::operation::Operation;
    use crate::plan::BatchJob;
    use crate::race::Race;
    use crate::workload::Order;
    use setwise::Kernel;

    #[test]
    fn a_wrong_contender_is_named_and_removed() {
        let boards = BoardSet::random(64);
        let rooks = Operation::named("rook_attacks").unwrap();
        let queens = Operation::named("queen_attacks").unwrap();
        let wrong = Contender::new("wrong", Kind::Kernel, |_| ());
        let job = |operation, contenders| -> Box<dyn Job> {
            let (section, order, race) = (Section::Operations, Order::New, Race::default());
            let (boards, pool, boards_a_call) = (&boards, 64, 64);
            Box::new(BatchJob {
                section,
                operation,
                boards,
                order,
                pool,
                boards_a_call,
                contenders,
                race,
            })
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
            job.rounds(&mut Meter { quick: true, source: None, running: 1.0 });
            let figures = job.figures();
            assert_eq!(figures.len(), 1, "only the baseline is timed");
            assert_eq!(figures[0].contender, BASELINE);
            assert!(!figures[0].label().contains("wrong"));
        }
    }
}
