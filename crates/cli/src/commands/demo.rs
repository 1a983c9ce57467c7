//! `setwise` without a command: checks and times every kernel on real positions.

use std::cell::Cell;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde::Serialize;
use setwise::Kernel;
use setwise::reflection::Role;
use setwise_check::{Boards, Case, Operation, Results, call};
use setwise_measure::machine::Machine;
use setwise_measure::names::MAIN;
use setwise_measure::peers::look_ups::sliders_by_kind;
use setwise_measure::race::{Length, Race, Times};
use setwise_positions::{Placement, Side, famous_games};

use crate::check::{Check, Evaluator};
use crate::commands::probe::{self, Probe};
use crate::commands::show;
use crate::draw::{GOOD, STRONG, WRONG, styled};
use crate::failure::Failure;
use crate::kernel::{self, Choice};
use crate::print;

/// The kernel that all others are compared with.
const BASELINE: &str = "scalar";
/// How long to time, for all kernels together.
const LIMIT: Duration = Duration::from_secs(2);

pub(crate) fn run(choice: Choice, json: bool) -> Result<(), Failure> {
    let placements = famous_games::positions();
    let boards = cases(&placements);
    let mut candidates = choice.candidates();
    if choice.forced
        && choice.kernel.name() != BASELINE
        && let Ok(baseline) = Kernel::by_name(BASELINE)
    {
        candidates.push(baseline);
    }
    let evaluators: Vec<&dyn Evaluator> = candidates.iter().map(|&k| k as &dyn Evaluator).collect();
    let results = evaluate(&evaluators, &boards, LIMIT);
    let printed = if json {
        print::json(&Report {
            probe: Probe::new(choice),
            positions: placements.len(),
            boards: boards.len(),
            results: &results,
        })
    } else {
        print::text(&text(choice, &placements, &results))
    };
    // A wrong result takes precedence over a closed pipe.
    verdict(&results).and(printed)
}

/// The JSON output.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    probe: Probe,
    positions: usize,
    boards: usize,
    results: &'a [KernelResult],
}

/// A kernel's check and timing.
#[derive(Debug, Serialize)]
struct KernelResult {
    name: String,
    correct: bool,
    /// Throughput of `slider_attacks`, in millions of boards per second; `None` for a wrong kernel.
    mboards_per_second: Option<f64>,
    /// Throughput relative to the scalar kernel, in the same rounds.
    ratio_to_scalar: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mismatch: Option<String>,
}

/// Checks all kernels, then times the correct ones.
fn evaluate(kernels: &[&dyn Evaluator], boards: &[Case], limit: Duration) -> Vec<KernelResult> {
    let checks = checks(boards);
    let check = |kernel| checks.iter().try_for_each(|check| check.run(kernel, 0).map(drop));
    let checked: Vec<_> = kernels.iter().map(|kernel| check(*kernel)).collect();
    let right: Vec<&dyn Evaluator> = kernels
        .iter()
        .zip(&checked)
        .filter_map(|(kernel, check)| check.is_ok().then_some(*kernel))
        .collect();
    let slider = Operation::named("slider_attacks").expect("an operation of the list");
    let times = race(&right, &slider, boards, limit);
    let place = |name: &str| right.iter().position(|kernel| kernel.name() == name);
    let result = |(kernel, check): (&&dyn Evaluator, Result<(), String>)| {
        let place_here = check.is_ok().then(|| place(kernel.name())).flatten();
        KernelResult {
            name: kernel.name().to_owned(),
            correct: check.is_ok(),
            mboards_per_second: place_here
                .map(|here| 1e3 / times.nanoseconds(here, boards.len()).median),
            ratio_to_scalar: place_here
                .zip(place(BASELINE))
                .map(|(here, scalar)| times.ratio(scalar, here).median),
            mismatch: check.err(),
        }
    };
    kernels.iter().zip(checked).map(result).collect()
}

/// An independent reference: looks up each slider's attacks in the tables of a published chess
/// crate.
fn look_up(operation: &str, inputs: &[u64]) -> u64 {
    let [rooks, bishops] = match operation {
        "rook_attacks" => [inputs[0], 0],
        "bishop_attacks" => [0, inputs[0]],
        "queen_attacks" => [inputs[0]; 2],
        "slider_attacks" => [inputs[0], inputs[1]],
        _ => unreachable!("no look-up for {operation}"),
    };
    let occupied = inputs.iter().fold(0, |all, set| all | set);
    sliders_by_kind([bishops, rooks, 0], occupied).iter().fold(0, |all, set| all | set)
}

/// Checks of the main operations, with the results that [`look_up`] expects.
fn checks(boards: &[Case]) -> [Check; 4] {
    MAIN.map(|name| {
        let operation = Operation::named(name).expect("an operation of the list");
        let mut cases = boards.to_vec();
        if operation.info.inputs()[0].role() == Role::Bishops {
            cases = cases.into_iter().map(Case::exchanged).collect();
        }
        let expected =
            Results::by(&operation, cases.iter().copied(), |inputs| vec![look_up(name, inputs)]);
        Check { boards: Boards::new(&operation, cases), operation, expected }
    })
}

/// Times an operation on all cases in one call, in interleaved rounds, for about `limit` and for at
/// least 15 rounds.
fn race(
    kernels: &[&dyn Evaluator],
    operation: &Operation,
    cases: &[Case],
    limit: Duration,
) -> Times {
    let mut columns = operation.columns(cases);
    let mut race = Race::default();
    let length = Length { rounds: 15, sample: Duration::from_micros(500) };
    let started = Instant::now();
    loop {
        race.continue_for(kernels.len(), length, |i, iterations| {
            let time = Cell::new(Duration::ZERO);
            call(operation, &mut columns, &|inputs, outputs| {
                let started = Instant::now();
                for _ in 0..iterations {
                    kernels[i].evaluate(operation, inputs, outputs);
                }
                time.set(started.elapsed());
            });
            time.get()
        });
        if kernels.is_empty() || started.elapsed() >= limit {
            return race.times;
        }
    }
}

/// The boards of positions: the sliders of White, then those of Black.
fn cases(positions: &[Placement]) -> Vec<Case> {
    let sides = positions.iter().flat_map(|placement| {
        Side::BOTH.map(|side| Case {
            sliders: placement.orthogonal(side),
            others: placement.diagonal(side),
            occupied: placement.occupied(),
        })
    });
    sides.collect()
}

fn verdict(results: &[KernelResult]) -> Result<(), Failure> {
    if results.is_empty() {
        return Err(Failure::Check("no kernel was checked".into()));
    }
    let wrong = results.iter().filter(|result| !result.correct);
    Failure::wrong(wrong.map(|result| result.name.as_str()))
}

fn text(choice: Choice, placements: &[Placement], results: &[KernelResult]) -> String {
    let games = famous_games::games().len();
    let mut text = probe::heading(&Machine::probe()) + "\n" + &probe::kernels(choice);
    let _ = writeln!(
        text,
        "\n{}\n{} positions of {games} famous games, both sides: {} boards. Checked: rook, bishop, \
         queen and slider attacks\nagainst look-ups slider by slider. Timed: slider_attacks, \
         medians of interleaved rounds.\n",
        styled(STRONG, "evaluation"),
        placements.len(),
        2 * placements.len(),
    );
    text += &table(results);
    if results.iter().all(|result| result.correct)
        && let Some(placement) = busiest(choice.kernel, placements)
    {
        let title = describe(placement).unwrap_or_default();
        let white = "white's slider attacks";
        let _ = write!(
            text,
            "\n{title}\n\n{}\n* attacked square, (p) attacked piece\n",
            show::draw(choice.kernel, white, placement, Side::White).alone()
        );
    }
    text
}

fn table(results: &[KernelResult]) -> String {
    let width = kernel::name_width();
    let heading = format!("{:width$}  Mboards/s  x scalar  check", "kernel");
    let mut text = styled(STRONG, &heading) + "\n";
    let (ok, wrong) = (styled(GOOD, "ok"), styled(WRONG, "WRONG"));
    for result in results {
        let number = |value: Option<f64>, digits: usize| {
            value.map_or("-".into(), |value| format!("{value:.digits$}"))
        };
        let check = if result.correct { &ok } else { &wrong };
        let _ = writeln!(
            text,
            "{:width$}  {:>9}  {:>8}  {check}",
            result.name,
            number(result.mboards_per_second, 1),
            number(result.ratio_to_scalar, 2),
        );
    }
    for drawn in results.iter().flat_map(|result| &result.mismatch) {
        let _ = write!(text, "\n{drawn}");
    }
    text
}

/// The position in which white's sliders attack the most squares.
fn busiest<'a>(kernel: &Kernel, placements: &'a [Placement]) -> Option<&'a Placement> {
    placements.iter().max_by_key(|placement| {
        let (rooks, bishops) = (placement.orthogonal(Side::White), placement.diagonal(Side::White));
        kernel.slider_attacks_one(rooks, bishops, placement.occupied()).count_ones()
    })
}

/// The game and move that first lead to a placement.
fn describe(wanted: &Placement) -> Option<String> {
    famous_games::games().iter().find_map(|game| {
        let ply = game.placements.iter().position(|placement| placement == wanted)?;
        let last = match ply.checked_sub(1) {
            None => "before the first move".into(),
            Some(ply) => {
                let dots = if ply.is_multiple_of(2) { "." } else { "..." };
                format!("after {}{dots}{}", ply / 2 + 1, game.moves[ply])
            }
        };
        let (white, black, event, year) = (game.white, game.black, game.event, game.year);
        Some(format!("{white} - {black}, {event} {year}, {last}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::Faulty;

    #[test]
    fn a_wrong_kernel_fails_with_a_drawing_and_is_not_timed() {
        let boards = cases(&famous_games::positions());
        for title in MAIN {
            let operation = Operation::named(title).unwrap();
            let faulty = Faulty { operation, board: boards.len() - 1 };
            let scalar: &dyn Evaluator = Kernel::by_name("scalar").unwrap();
            let results = evaluate(&[&faulty, scalar], &boards, Duration::ZERO);
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

    #[test]
    fn positions_are_described_by_game_and_move() {
        let text = |n: usize| describe(&famous_games::positions()[n]).unwrap();
        let game = "Adolf Anderssen - Lionel Kieseritzky, London 1851";
        assert_eq!(text(0), format!("{game}, before the first move"));
        assert_eq!(text(4), format!("{game}, after 2...exf4"));
    }
}
