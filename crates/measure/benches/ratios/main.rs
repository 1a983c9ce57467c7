//! Ratios of times, measured in interleaved rounds of one process, and the bounds that they must
//! keep.
//!
//! `cargo bench -p setwise-measure --bench ratios` prints Markdown. Options, after `--`:
//!
//! - `--quick`: 31 rounds of short samples instead of 101 of longer ones
//! - `--json`: print one JSON object
//! - `--check`: exit with 1 if a bound is missed by more than the allowance for noise
//!
//! Every result is compared with a square-by-square oracle before it is timed. Without `--bench`,
//! which `cargo bench` passes, nothing is timed.

mod measure;
mod report;
mod requirements;
mod row;

use std::process::ExitCode;
use std::time::Duration;

use report::Report;
use setwise_measure::peers::kogge_stone;
use setwise_measure::race::Length;

const FULL: Length = Length {
    rounds: 101,
    sample: Duration::from_micros(300),
};
const QUICK: Length = Length {
    rounds: 31,
    sample: Duration::from_micros(150),
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let known = ["--quick", "--json", "--check", "--bench"];
    if let Some(unknown) = arguments
        .iter()
        .find(|argument| !known.contains(&argument.as_str()))
    {
        eprintln!(
            "ratios: unknown argument `{unknown}`, expected --quick, --json or --check \
             (criterion's arguments are for `cargo bench --bench kernels`)"
        );
        return ExitCode::from(2);
    }
    let asked = |option: &str| arguments.iter().any(|argument| argument == option);
    let length = if asked("--quick") { QUICK } else { FULL };
    if !asked("--bench") {
        measure::in_cache(Length::ONCE);
        println!("ratios: every result is right; `cargo bench` times them");
        return ExitCode::SUCCESS;
    }
    if cfg!(all(target_arch = "x86_64", target_feature = "sse3")) {
        eprintln!(
            "ratios: compiled for more than SSE2, so {} is not the baseline build",
            kogge_stone::BASELINE
        );
    }
    let mut rows = measure::in_cache(length);
    rows.extend(measure::in_memory(length));
    let report = Report::new(length.rounds, rows);
    if asked("--json") {
        println!("{}", report.json());
    } else {
        print!("{}", report.markdown());
    }
    let missed = report.missed();
    if asked("--check") && missed > 0 {
        eprintln!("ratios: missed {missed} bounds");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
