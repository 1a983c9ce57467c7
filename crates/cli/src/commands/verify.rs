//! `setwise verify`: every kernel against the oracle on random and crafted boards.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use fastrand::Rng;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::args::VerifyOptions;
use crate::check::Case;
use crate::draw::{GOOD, WRONG, styled};
use crate::failure::Failure;
use crate::kernel::{self, Choice};
use crate::operation::{Evaluator, Operation};
use crate::print;

/// Batches of 0 to 130 boards: more than two of the largest kernel's blocks, and every tail.
const LENGTHS: u64 = 131;
/// Starts of a slice, in words from a 64-byte boundary.
const OFFSETS: usize = 8;

pub(crate) fn run(choice: Choice, options: &VerifyOptions, json: bool) -> Result<(), Failure> {
    // Short enough to be typed again.
    let seed = options
        .seed
        .unwrap_or_else(|| u64::from(fastrand::u32(1..)));
    print::note(&format!("seed {seed}"));
    let kernels = choice.candidates();
    let kernels: Vec<&dyn Evaluator> = kernels.iter().map(|&k| k as &dyn Evaluator).collect();
    let limit = Duration::from_secs_f64(options.seconds);
    let report = verify(&kernels, seed, limit);
    let printed = if json {
        print::json(&report)
    } else {
        print::text(&report.text())
    };
    // A wrong result outweighs a reader that went away.
    report.verdict().and(printed)
}

/// What was found.
#[derive(Serialize)]
struct Report {
    seed: u64,
    rounds: u64,
    kernels: Vec<Verdict>,
}

/// What was found of one kernel.
#[derive(Serialize)]
struct Verdict {
    name: String,
    correct: bool,
    /// Results compared, one for each board, operation and alignment.
    results: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    mismatch: Option<String>,
}

/// At least one round for each length and, if that takes less, rounds until the limit.
fn verify(kernels: &[&dyn Evaluator], seed: u64, limit: Duration) -> Report {
    let started = Instant::now();
    let progress = ProgressBar::new(100).with_style(
        ProgressStyle::with_template("{bar:40} {percent}%, round {msg}, {elapsed}")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
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
            // A kernel that was wrong once has had its say.
            if !verdict.correct {
                continue;
            }
            match round.check(*kernel) {
                Ok(results) => verdict.results += results,
                Err(mismatch) => {
                    verdict.correct = false;
                    let again = format!("again: setwise verify --seconds 0 --seed {}", round.seed);
                    verdict.mismatch = Some(format!("{mismatch}{again}"));
                }
            }
        }
        rounds += 1;
        // Whichever takes longer, all lengths or the limit.
        let time = 100 * started.elapsed().as_millis() / limit.as_millis().max(1);
        progress.set_position((time as u64).min(100 * rounds / LENGTHS).min(100));
        progress.set_message(rounds.to_string());
        if verdicts.iter().all(|verdict| !verdict.correct) {
            break;
        }
    }
    progress.finish_and_clear();
    Report {
        seed,
        rounds,
        kernels: verdicts,
    }
}

impl Report {
    /// An error if a kernel was wrong, or if there was none to verify.
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
        for Verdict {
            name,
            results,
            mismatch,
            ..
        } in &self.kernels
        {
            let _ = match mismatch {
                None => writeln!(text, "{name:width$}  {ok}  {results} results"),
                Some(drawn) => writeln!(text, "{name:width$}  {wrong}\n\n{drawn}\n"),
            };
        }
        text
    }
}

/// The boards of one batch and all their right results. Depends on its seed alone.
struct Round {
    seed: u64,
    cases: Vec<Case>,
}

impl Round {
    fn new(seed: u64) -> Round {
        let mut rng = Rng::with_seed(seed);
        let boards: Vec<_> = (0..seed % LENGTHS).map(|_| board(&mut rng)).collect();
        let case = |operation: Operation| {
            let column = |name| boards.iter().map(|board| board[place(name)]).collect();
            let inputs = operation.inputs.iter().map(|&name| column(name)).collect();
            Case::new(operation, inputs, Operation::oracle)
        };
        let cases = Operation::all().into_iter().map(case).collect();
        Round { seed, cases }
    }

    /// Checks every operation at every alignment; returns how many results were compared.
    fn check(&self, kernel: &dyn Evaluator) -> Result<u64, String> {
        let mut results = 0;
        for offset in 0..OFFSETS {
            for case in &self.cases {
                results += case.check(kernel, offset)?;
            }
        }
        Ok(results as u64)
    }
}

/// Where [`board`] has what an operation takes by this name: a new name needs its place here.
fn place(input: &str) -> usize {
    match input {
        "rooks" | "bishops" | "queens" | "orthogonal" | "sliders" | "generators" => 0,
        "diagonal" => 1,
        "occupied" | "propagators" => 2,
        "blockers" | "own" | "targets" => 3,
        "kings" => 4,
        "squares" | "a" => 5,
        "b" => 6,
        _ => panic!("nothing is drawn for `{input}`"),
    }
}

/// Sets at which mistakes like to show: edges, corners, stripes, diagonals.
const CRAFTED: [u64; 12] = [
    0,
    !0,
    0x0101_0101_0101_0101,
    0x8080_8080_8080_8080,
    0x0000_0000_0000_00ff,
    0xff00_0000_0000_0000,
    0xff81_8181_8181_81ff,
    0x8100_0000_0000_0081,
    0xaa55_aa55_aa55_aa55,
    0x8040_2010_0804_0201,
    0x0102_0408_1020_4080,
    0x0000_0018_1800_0000,
];

/// Sliders, diagonal sliders and occupancy of one board, of one of many kinds; then any or some of the
/// occupied squares, one king or several, and two squares.
fn board(rng: &mut Rng) -> [u64; 7] {
    let dense = |rng: &mut Rng| rng.u64(..) | rng.u64(..);
    let sparse = |rng: &mut Rng| rng.u64(..) & rng.u64(..) & rng.u64(..);
    let crafted = |rng: &mut Rng| CRAFTED[rng.usize(..CRAFTED.len())];
    let one = |rng: &mut Rng| 1 << rng.u32(..64);
    let [sliders, diagonal, occupied] = match rng.u32(..8) {
        // Like a game: a few of the pieces are sliders.
        0 => {
            let occupied = rng.u64(..) & rng.u64(..);
            [occupied & sparse(rng), occupied & sparse(rng), occupied]
        }
        1 => [one(rng), one(rng), rng.u64(..)],
        2 => [sparse(rng), sparse(rng), sparse(rng)],
        3 => [dense(rng), dense(rng), dense(rng)],
        4 => [sparse(rng), sparse(rng), !0],
        5 => [sparse(rng), sparse(rng), 0],
        // No slider is in the occupancy.
        6 => {
            let (sliders, diagonal) = (sparse(rng), sparse(rng));
            [sliders, diagonal, rng.u64(..) & !(sliders | diagonal)]
        }
        _ => [crafted(rng), crafted(rng), crafted(rng)],
    };
    let some = rng.u64(..) & if rng.bool() { occupied } else { !0 };
    let kings = if rng.bool() { one(rng) } else { sparse(rng) };
    let [a, b] = [0; 2].map(|_| rng.u64(..64));
    [sliders, diagonal, occupied, some, kings, a, b]
}

#[cfg(test)]
mod tests {
    use super::{Evaluator, Failure, LENGTHS, Operation, Round, verify};
    use crate::check::tests::Faulty;
    use setwise::Kernels;
    use std::time::Duration;

    #[test]
    fn right_kernels_pass() {
        let kernels: Vec<_> = Kernels::available().collect();
        let kernels: Vec<_> = kernels.iter().map(|&k| k as &dyn Evaluator).collect();
        let report = verify(&kernels, 1, Duration::ZERO);
        assert!(report.verdict().is_ok(), "{}", report.text());
        assert_eq!(report.rounds, LENGTHS);
        assert!(
            report
                .kernels
                .iter()
                .all(|kernel| kernel.results > 1_000_000)
        );
    }

    #[test]
    fn every_length_has_its_turn() {
        let mut lengths: Vec<_> = (7..7 + LENGTHS)
            .map(|seed| Round::new(seed).cases[0].expected.len() as u64)
            .collect();
        lengths.sort_unstable();
        assert_eq!(lengths, (0..LENGTHS).collect::<Vec<_>>());
    }

    /// A mistake in any operation, in a board that only long batches have.
    #[test]
    fn every_mistake_is_a_failed_check() {
        for operation in Operation::all() {
            let title = operation.title.clone();
            let faulty = Faulty {
                operation,
                board: 129,
            };
            let report = verify(&[&faulty], LENGTHS - 1, Duration::ZERO);
            let failure = report.verdict().unwrap_err();
            assert!(matches!(&failure, Failure::Check(names) if names == "wrong: faulty"));
            assert!(report.text().contains(&title));
            assert!(report.text().contains("--seed 130"));
        }
    }

    #[test]
    fn one_wrong_kernel_does_not_hide_the_others() {
        let faulty = Faulty {
            operation: Operation::named("slider_attacks"),
            board: 2,
        };
        let report = verify(&[&faulty, Kernels::active()], 1, Duration::ZERO);
        assert!(matches!(report.verdict(), Err(Failure::Check(_))));
        assert!(!report.kernels[0].correct && report.kernels[1].correct);
        assert_eq!(report.rounds, LENGTHS);
    }

    #[test]
    fn no_kernel_is_no_pass() {
        assert!(verify(&[], 1, Duration::ZERO).verdict().is_err());
    }
}
