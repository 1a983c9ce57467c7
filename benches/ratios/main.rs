//! The printer of the project's figures: ratios, measured side by side in interleaved rounds of one process.
//!
//! `cargo bench --bench ratios` prints Markdown. After `--`:
//!
//! - `--quick`: 31 rounds of short samples instead of 101 of longer ones
//! - `--json`: the same figures as one JSON object
//! - `--check`: exit code 1 if a bound is missed by more than the allowance for noise
//!
//! Every result is compared with a square-by-square walk before it is timed. Without `--bench`, which cargo
//! passes, that is all that happens.

#[path = "../common/mod.rs"]
mod common;
mod measure;
mod race;
mod report;
mod requirements;

use std::process::ExitCode;
use std::time::Duration;

use common::kogge_stone;
use race::Length;
use report::Report;

const FULL: Length = Length {
    rounds: 101,
    sample: Duration::from_micros(300),
};
const QUICK: Length = Length {
    rounds: 31,
    sample: Duration::from_micros(150),
};
/// For the checks alone.
const ONCE: Length = Length {
    rounds: 1,
    sample: Duration::ZERO,
};

struct Options {
    length: Length,
    json: bool,
    check: bool,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        length: FULL,
        json: false,
        check: false,
    };
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--quick" => options.length = QUICK,
            "--json" => options.json = true,
            "--check" => options.check = true,
            "--bench" => {}
            _ => {
                return Err(format!(
                    "unknown argument `{argument}`: --quick, --json and --check are known \
                     (for criterion's arguments: cargo bench --bench kernels -- ...)"
                ));
            }
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(message) => {
            eprintln!("ratios: {message}");
            return ExitCode::from(2);
        }
    };
    if !common::timing_wanted() {
        measure::in_cache(ONCE);
        println!("ratios: every result is right; cargo bench takes the times");
        return ExitCode::SUCCESS;
    }
    if cfg!(all(target_arch = "x86_64", target_feature = "sse3")) {
        eprintln!(
            "ratios: compiler flags for a newer CPU are in force: {} is not what it says",
            kogge_stone::BASELINE
        );
    }
    let mut rows = measure::in_cache(options.length);
    rows.extend(measure::in_memory(options.length));
    let report = Report::new(options.length.rounds, rows);
    if options.json {
        println!("{}", report.json());
    } else {
        print!("{}", report.markdown());
    }
    let missed = report.missed();
    if options.check && missed > 0 {
        eprintln!("ratios: {missed} bounds are missed");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
