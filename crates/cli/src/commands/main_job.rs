//! `setwise` alone: real positions, every kernel, checked and timed.

use std::fmt::Write as _;
use std::hint::black_box;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use serde::Serialize;
use setwise::Kernels;
use setwise_positions::{Placement, Side};

use crate::boards::Boards;
use crate::check::Case;
use crate::commands::{probe, show};
use crate::cpu::Cpu;
use crate::draw::{GOOD, STRONG, WRONG, styled};
use crate::failure::Failure;
use crate::games;
use crate::kernel::{self, Choice, Entry};
use crate::lookup;
use crate::operation::{Evaluator, Operation};
use crate::print;

/// The kernel that the others are compared with.
const BASELINE: &str = "scalar";
/// Rounds of the timing, in each of which every kernel has its turn: as many as go into the
/// limit, if they are not too few for a median or more than it needs.
const ROUNDS: RangeInclusive<usize> = 15..=201;
const LIMIT: Duration = Duration::from_secs(4);
/// A turn lasts at least so long, well beyond the clock's resolution.
const TURN: Duration = Duration::from_micros(500);

pub(crate) fn run(choice: Choice, json: bool) -> Result<(), Failure> {
    let placements = games::positions()
        .map_err(|error| Failure::Check(format!("the embedded games: {error}")))?;
    let boards: Boards = placements.iter().collect();
    let mut candidates = choice.candidates();
    if choice.forced
        && choice.kernels.name() != BASELINE
        && let Ok(baseline) = Kernels::by_name(BASELINE)
    {
        candidates.push(baseline);
    }
    let evaluators: Vec<&dyn Evaluator> = candidates.iter().map(|&k| k as &dyn Evaluator).collect();
    let results = evaluate(&evaluators, &boards);
    let printed = if json {
        print::json(&Report {
            cpu: Cpu::probe(),
            active: choice.kernels.name(),
            kernels: kernel::entries(),
            positions: placements.len(),
            boards: boards.len(),
            results: &results,
        })
    } else {
        print::text(&text(choice, &placements, &boards, &results))
    };
    // A wrong result outweighs a reader that went away.
    verdict(&results).and(printed)
}

/// Everything, for programs.
#[derive(Serialize)]
struct Report<'a> {
    cpu: Cpu,
    active: &'static str,
    kernels: Vec<Entry>,
    positions: usize,
    boards: usize,
    results: &'a [Outcome],
}

/// What one kernel did with the positions.
#[derive(Debug, Serialize)]
struct Outcome {
    name: String,
    correct: bool,
    /// Of `slider_attacks`, in millions of boards a second; none for a wrong kernel.
    mboards_per_second: Option<f64>,
    /// Throughput relative to the scalar kernel's in the same rounds.
    ratio_to_scalar: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mismatch: Option<String>,
}

/// Checks all kernels, then times those that are right.
fn evaluate(kernels: &[&dyn Evaluator], boards: &Boards) -> Vec<Outcome> {
    let cases = cases(boards);
    let check = |kernel| {
        cases
            .iter()
            .try_for_each(|case| case.check(kernel, 0).map(drop))
    };
    let checked: Vec<_> = kernels.iter().map(|kernel| check(*kernel)).collect();
    let right: Vec<&dyn Evaluator> = kernels
        .iter()
        .zip(&checked)
        .filter_map(|(kernel, check)| check.is_ok().then_some(*kernel))
        .collect();
    let times = time(&right, boards);
    let baseline = right.iter().position(|kernel| kernel.name() == BASELINE);
    let mut times_of_right = times.iter();
    kernels
        .iter()
        .zip(checked)
        .map(|(kernel, check)| {
            let times_here = check.is_ok().then(|| times_of_right.next()).flatten();
            Outcome {
                name: kernel.name().to_owned(),
                correct: check.is_ok(),
                mboards_per_second: times_here
                    .map(|times_here| boards.len() as f64 / median(times_here.clone()) / 1e6),
                ratio_to_scalar: times_here.zip(baseline).map(|(times_here, baseline)| {
                    let pairs = times[baseline].iter().zip(times_here);
                    median(pairs.map(|(scalar, here)| scalar / here).collect())
                }),
                mismatch: check.err(),
            }
        })
        .collect()
}

/// What a side's rooks, bishops and queens attack, as `slider_attacks` and in its parts, looked up slider by slider.
fn cases(boards: &Boards) -> [Case; 4] {
    lookup::OPERATIONS.map(|name| {
        let operation = Operation::named(name);
        let inputs = operation
            .inputs
            .iter()
            .map(|name| boards.column(name).into())
            .collect();
        Case::new(operation, inputs, |_, inputs| {
            vec![lookup::attacks(name, inputs)]
        })
    })
}

/// Seconds that each kernel takes for `slider_attacks` of all boards, one for each round.
fn time(kernels: &[&dyn Evaluator], boards: &Boards) -> Vec<Vec<f64>> {
    let slider = Operation::named("slider_attacks");
    let inputs: Vec<_> = slider
        .inputs
        .iter()
        .map(|name| boards.column(name))
        .collect();
    let mut output = vec![0; boards.len()];
    let mut turn = |kernel: &dyn Evaluator, repetitions: u32| {
        let started = Instant::now();
        for _ in 0..repetitions {
            kernel.evaluate(&slider, black_box(&inputs), &mut [&mut output]);
            black_box(&mut output);
        }
        started.elapsed()
    };
    let repetitions: Vec<u32> = kernels
        .iter()
        .map(|kernel| {
            let mut repetitions = 1;
            while turn(*kernel, repetitions) < TURN {
                repetitions *= 2;
            }
            repetitions
        })
        .collect();
    let mut times = vec![Vec::new(); kernels.len()];
    let started = Instant::now();
    for round in 0..*ROUNDS.end() {
        if round >= *ROUNDS.start() && started.elapsed() > LIMIT {
            break;
        }
        for ((kernel, &repetitions), times) in kernels.iter().zip(&repetitions).zip(&mut times) {
            times.push(turn(*kernel, repetitions).as_secs_f64() / f64::from(repetitions));
        }
    }
    times
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn verdict(results: &[Outcome]) -> Result<(), Failure> {
    if results.is_empty() {
        return Err(Failure::Check("no kernel was checked".into()));
    }
    let wrong = results.iter().filter(|outcome| !outcome.correct);
    Failure::wrong(wrong.map(|outcome| outcome.name.as_str()))
}

/// The whole job for people.
fn text(choice: Choice, placements: &[Placement], boards: &Boards, results: &[Outcome]) -> String {
    let games = games::count().unwrap_or_default();
    let mut text = probe::heading(&Cpu::probe()) + "\n" + &probe::kernels(choice);
    let _ = writeln!(
        text,
        "\n{}\n{} positions of {games} famous games, both sides: {} boards. Checked: rook, bishop, queen \
         and slider attacks\nagainst look-ups slider by slider. Timed: slider_attacks, medians of \
         interleaved rounds.\n",
        styled(STRONG, "evaluation"),
        placements.len(),
        boards.len(),
    );
    text += &table(results);
    if results.iter().all(|outcome| outcome.correct)
        && let Some(placement) = busiest(choice.kernels, placements)
    {
        let title = games::whereabouts(placement).unwrap_or_default();
        let white = "white's slider attacks";
        let _ = write!(
            text,
            "\n{title}\n\n{}\n* attacked square, (p) attacked piece\n",
            show::draw(choice.kernels, white, placement, Side::White).alone()
        );
    }
    text
}

fn table(results: &[Outcome]) -> String {
    let width = kernel::name_width();
    let heading = format!("{:width$}  Mboards/s  x scalar  check", "kernel");
    let mut text = styled(STRONG, &heading) + "\n";
    let (ok, wrong) = (styled(GOOD, "ok"), styled(WRONG, "WRONG"));
    for outcome in results {
        let number = |value: Option<f64>, digits: usize| {
            value.map_or("-".into(), |value| format!("{value:.digits$}"))
        };
        let check = if outcome.correct { &ok } else { &wrong };
        let _ = writeln!(
            text,
            "{:width$}  {:>9}  {:>8}  {check}",
            outcome.name,
            number(outcome.mboards_per_second, 1),
            number(outcome.ratio_to_scalar, 2),
        );
    }
    for drawn in results.iter().flat_map(|outcome| &outcome.mismatch) {
        let _ = write!(text, "\n{drawn}");
    }
    text
}

/// The position in which white's sliders attack most squares.
fn busiest<'a>(kernels: &Kernels, placements: &'a [Placement]) -> Option<&'a Placement> {
    placements.iter().max_by_key(|placement| {
        let (rooks, bishops) = (
            placement.orthogonal(Side::White),
            placement.diagonal(Side::White),
        );
        kernels
            .slider_attacks_one(rooks, bishops, placement.occupied())
            .count_ones()
    })
}

#[cfg(test)]
mod tests {
    use super::{
        Boards, Evaluator, Failure, Operation, cases, evaluate, games, lookup, table, verdict,
    };
    use crate::check::tests::Faulty;
    use setwise::Kernels;

    #[test]
    fn right_kernels_are_timed() {
        let boards: Boards = games::positions().unwrap().iter().take(50).collect();
        let scalar = Kernels::by_name("scalar").unwrap();
        let results = evaluate(&[Kernels::active(), scalar], &boards);
        assert!(verdict(&results).is_ok());
        assert!(
            results
                .iter()
                .all(|outcome| outcome.mboards_per_second > Some(0.0))
        );
        assert!(
            results[1]
                .ratio_to_scalar
                .is_some_and(|ratio| (0.99..=1.01).contains(&ratio))
        );
    }

    #[test]
    fn a_wrong_kernel_is_drawn_and_fails_and_is_not_timed() {
        let boards: Boards = games::positions().unwrap().iter().collect();
        for title in lookup::OPERATIONS {
            let operation = Operation::named(title);
            let faulty = Faulty {
                operation,
                board: boards.len() - 1,
            };
            let scalar: &dyn Evaluator = Kernels::by_name("scalar").unwrap();
            let results = evaluate(&[&faulty, scalar], &boards);
            assert!(matches!(
                verdict(&results),
                Err(Failure::Check(names)) if names == "wrong: faulty"
            ));
            assert_eq!(results[0].mboards_per_second, None);
            assert!(results[1].correct && results[1].mboards_per_second.is_some());
            let text = table(&results);
            assert!(text.contains("WRONG") && text.contains(title));
        }
    }

    /// Two references that know nothing of each other agree on the real positions.
    #[test]
    fn the_look_up_agrees_with_the_walk() {
        let boards: Boards = games::positions().unwrap().iter().collect();
        for case in cases(&boards) {
            for (i, expected) in case.expected.iter().enumerate() {
                let inputs: Vec<u64> = case.inputs.iter().map(|words| words[i]).collect();
                assert_eq!(*expected, case.operation.oracle(&inputs));
            }
        }
    }
}
