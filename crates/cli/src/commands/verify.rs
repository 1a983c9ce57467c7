//! `setwise verify`: checks every kernel against the oracle on random and crafted boards.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use fastrand::Rng;
use indicatif::ProgressBar;
use serde::Serialize;
use setwise_check::{Case, Operation};

use crate::args::VerifyOptions;
use crate::check::{Check, Evaluator};
use crate::draw::{GOOD, WRONG, styled};
use crate::failure::Failure;
use crate::kernel::{self, Choice};
use crate::print;

/// The number of batch lengths: 0 to 130 boards. These include more than two blocks of the widest
/// kernel, with tails of every length.
const LENGTHS: u64 = 131;
/// The number of offsets to check. [`Check::run`] shifts the start of every column by an offset, in
/// elements.
const OFFSETS: usize = 8;

pub(crate) fn run(choice: Choice, options: &VerifyOptions, json: bool) -> Result<(), Failure> {
    // The random seed has 32 bits, so that it is short enough to type.
    let seed = options.seed.unwrap_or_else(|| u64::from(fastrand::u32(1..)));
    print::note(&format!("seed {seed}"));
    let kernels = choice.candidates();
    let kernels: Vec<&dyn Evaluator> = kernels.iter().map(|&k| k as &dyn Evaluator).collect();
    let limit = Duration::from_secs_f64(options.seconds);
    let report = verify(&kernels, seed, limit);
    let printed = if json { print::json(&report) } else { print::text(&report.text()) };
    // A wrong result takes precedence over a closed pipe.
    report.verdict().and(printed)
}

#[derive(Serialize)]
struct Report {
    seed: u64,
    rounds: u64,
    kernels: Vec<Verdict>,
}

#[derive(Serialize)]
struct Verdict {
    name: String,
    correct: bool,
    /// The number of results compared: one for each board, operation, output and alignment.
    results: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    mismatch: Option<String>,
}

/// Runs a round for every batch length, then further rounds until the time limit.
fn verify(kernels: &[&dyn Evaluator], seed: u64, limit: Duration) -> Report {
    let started = Instant::now();
    let progress = print::bar(ProgressBar::new(100), "{bar:40} {percent}%, round {msg}, {elapsed}");
    let mut verdicts: Vec<Verdict> = kernels
        .iter()
        .map(|kernel| Verdict {
            name: kernel.name().to_owned(),
            correct: true,
            results: 0,
            mismatch: None,
        })
        .collect();
    let mut rounds = 0;
    while rounds < LENGTHS || started.elapsed() < limit {
        let round = Round::new(seed.wrapping_add(rounds));
        for (kernel, verdict) in kernels.iter().zip(&mut verdicts) {
            // The first mismatch of a kernel is enough.
            if !verdict.correct {
                continue;
            }
            match round.check(*kernel) {
                Ok(results) => verdict.results += results,
                Err(mismatch) => {
                    verdict.correct = false;
                    let again = format!("repeat: setwise verify --seconds 0 --seed {}", round.seed);
                    verdict.mismatch = Some(format!("{mismatch}{again}"));
                }
            }
        }
        rounds += 1;
        // Progress towards all lengths or the time limit, whichever takes longer.
        let time = 100 * started.elapsed().as_millis() / limit.as_millis().max(1);
        progress.set_position((time as u64).min(100 * rounds / LENGTHS).min(100));
        progress.set_message(rounds.to_string());
        if verdicts.iter().all(|verdict| !verdict.correct) {
            break;
        }
    }
    progress.finish_and_clear();
    Report { seed, rounds, kernels: verdicts }
}

impl Report {
    /// Fails if a kernel was wrong, or if there was none to verify.
    fn verdict(&self) -> Result<(), Failure> {
        if self.kernels.is_empty() {
            return Err(Failure::Check("no kernel was verified".into()));
        }
        let wrong = self.kernels.iter().filter(|verdict| !verdict.correct);
        Failure::wrong(wrong.map(|verdict| verdict.name.as_str()))
    }

    fn text(&self) -> String {
        let width = kernel::name_width();
        let mut text = format!("seed {}, {} rounds\n", self.seed, self.rounds);
        let (ok, wrong) = (styled(GOOD, "ok"), styled(WRONG, "WRONG"));
        for Verdict { name, results, mismatch, .. } in &self.kernels {
            let _ = match mismatch {
                None => writeln!(text, "{name:width$}  {ok}  {results} results"),
                Some(drawn) => writeln!(text, "{name:width$}  {wrong}\n\n{drawn}\n"),
            };
        }
        text
    }
}

/// A batch of boards, with the expected results of every operation. Depends only on the seed.
struct Round {
    seed: u64,
    checks: Vec<Check>,
}

impl Round {
    fn new(seed: u64) -> Round {
        let mut rng = Rng::with_seed(seed);
        let board = |_| Case::random(&mut || rng.u64(..));
        let cases: Vec<Case> = (0..seed % LENGTHS).map(board).collect();
        let check = |operation| Check::new(operation, cases.clone());
        Round { seed, checks: Operation::all().map(check).collect() }
    }

    /// Checks every operation at every alignment; returns the number of results compared.
    fn check(&self, kernel: &dyn Evaluator) -> Result<u64, String> {
        let mut results = 0;
        for offset in 0..OFFSETS {
            for check in &self.checks {
                results += check.run(kernel, offset)?;
            }
        }
        Ok(results)
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, LENGTHS, Operation, Round, verify};
    use crate::args::{Args, Command};
    use crate::check::tests::Faulty;
    use clap::Parser;
    use setwise::Kernel;
    use std::time::Duration;

    #[test]
    fn every_length_is_verified() {
        let mut lengths: Vec<_> = (7..7 + LENGTHS)
            .map(|seed| Round::new(seed).checks[0].boards.cases().len() as u64)
            .collect();
        lengths.sort_unstable();
        assert_eq!(lengths, (0..LENGTHS).collect::<Vec<_>>());
    }

    /// Tests a mistake in each operation, in a board that only long batches reach.
    #[test]
    fn every_mistake_is_a_failed_check() {
        for operation in Operation::all() {
            let title = operation.title();
            let faulty = Faulty { operation, board: 129 };
            let report = verify(&[&faulty], LENGTHS - 1, Duration::ZERO);
            let failure = report.verdict().unwrap_err();
            assert!(matches!(&failure, Failure::Check(names) if names == "wrong: faulty"));
            assert!(report.text().contains(&title) && report.text().contains("difference"));
            assert!(report.text().contains("--seed 130"));
        }
    }

    /// The command that a mismatch recommends finds it in the first round.
    #[test]
    fn the_recommended_command_repeats_the_mismatch() {
        let faulty = Faulty { operation: Operation::named("slider_attacks").unwrap(), board: 9 };
        let text = verify(&[&faulty], 3, Duration::ZERO).text();
        let command = text.split_once("repeat: ").unwrap().1.lines().next().unwrap();
        let options = Args::try_parse_from(command.split(' ')).unwrap();
        let Some(Command::Verify(options)) = options.command else { panic!("{command}") };
        let seed = options.seed.unwrap();
        assert!(seed > 3 && options.seconds == 0.0, "{command}");
        assert!(Round::new(seed).check(&faulty).is_err());
    }

    #[test]
    fn one_wrong_kernel_does_not_hide_the_others_and_no_kernel_is_no_pass() {
        let faulty = Faulty { operation: Operation::named("slider_attacks").unwrap(), board: 2 };
        let report = verify(&[&faulty, Kernel::active()], 1, Duration::ZERO);
        assert!(matches!(report.verdict(), Err(Failure::Check(_))));
        assert!(!report.kernels[0].correct && report.kernels[1].correct);
        assert_eq!(report.rounds, LENGTHS);
        assert!(verify(&[], 1, Duration::ZERO).verdict().is_err());
    }
}
