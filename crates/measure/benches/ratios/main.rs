//! Measures ratios of times in interleaved rounds of one process, and compares them with upper
//! bounds.
//!
//! `cargo bench -p setwise-measure --bench ratios` prints Markdown. Options, after `--`:
//!
//! - `--quick`: 31 rounds of short samples instead of 101 of longer ones
//! - `--json`: print one JSON object
//! - `--check`: exit with 1 if a bound is missed by more than the allowance for noise
//!
//! Every result is compared with a square-by-square oracle before it is timed. Without `--bench`,
//! which `cargo bench` passes, nothing is timed.

mod bounds;
mod measure;

use std::process::ExitCode;
use std::time::Duration;

use bounds::{Judged, Verdict};
use measure::Row;
use setwise_measure::figures::distinct;
use setwise_measure::peers::kogge_stone;
use setwise_measure::race::{Length, Ratio};
use setwise_measure::settings::MAIN;

const FULL: Length = Length { rounds: 101, sample: Duration::from_micros(300) };
const QUICK: Length = Length { rounds: 31, sample: Duration::from_micros(150) };

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let known = ["--quick", "--json", "--check", "--bench"];
    if let Some(unknown) = arguments.iter().find(|argument| !known.contains(&argument.as_str())) {
        eprintln!(
            "ratios: unknown argument `{unknown}`, expected --quick, --json or --check \
             (criterion's arguments are for `cargo bench --bench kernels`)"
        );
        return ExitCode::from(2);
    }
    let given = |option: &str| arguments.iter().any(|argument| argument == option);
    if !given("--bench") {
        measure::in_cache(Length::ONCE);
        println!("ratios: every result is correct; `cargo bench` times them");
        return ExitCode::SUCCESS;
    }
    if cfg!(all(target_arch = "x86_64", target_feature = "sse3")) {
        let baseline = kogge_stone::BASELINE;
        eprintln!("ratios: compiled for more than SSE2, so {baseline} is not the baseline build");
    }
    let length = if given("--quick") { QUICK } else { FULL };
    let mut rows = measure::in_cache(length);
    rows.extend(measure::in_memory(length));
    let judged = bounds::judge(&rows);
    if given("--json") {
        let rounds = length.rounds;
        let json = serde_json::json!({ "rounds": rounds, "requirements": judged, "ratios": rows });
        println!("{json:#}");
    } else {
        print_markdown(length.rounds, &judged, &rows);
    }
    let missed = judged.iter().filter(|judged| judged.verdict == Verdict::Missed).count();
    if given("--check") && missed > 0 {
        eprintln!("ratios: missed {missed} bounds");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn print_markdown(rounds: usize, judged: &[Judged], rows: &[Row]) {
    println!(
        "Ratios of times: below 1 is faster than the reference. Median (ratio of the fastest \
         samples; quartiles) of {rounds} interleaved rounds."
    );
    let bounds = judged.iter().map(|judged| {
        let verdict = match judged.verdict {
            Verdict::Ok => "yes",
            Verdict::WithinNoise => "within noise",
            Verdict::Missed => "**no**",
            Verdict::NotRun => "not run",
        };
        let ratio = judged.ratio.as_ref();
        vec![
            judged.requirement.clone(),
            cell(ratio),
            format!("{:.2}", judged.bound),
            verdict.into(),
        ]
    });
    print_table("bounds", &["requirement", "measured", "bound", "kept"], bounds);
    // Print one table for each setting, input and reference, with a row per contender and a column
    // per operation.
    for (setting, input, reference) in
        distinct(rows.iter().map(|row| (row.setting, row.input, row.reference)))
    {
        let group = || {
            rows.iter().filter(|row| {
                (row.setting, row.input, row.reference) == (setting, input, reference)
            })
        };
        let lines = distinct(group().map(|row| row.contender)).into_iter().map(|contender| {
            let find = |operation| {
                group().find(|row| (row.contender, row.operation) == (contender, operation))
            };
            let ratios = MAIN.map(|operation| cell(find(operation).map(|row| &row.ratio)));
            [contender.to_owned()].into_iter().chain(ratios).collect()
        });
        let header = ["", MAIN[0], MAIN[1], MAIN[2], MAIN[3]];
        print_table(&format!("{setting}, {input}: against {reference}"), &header, lines);
    }
}

/// Formats a ratio, or a dash if there is none.
fn cell(ratio: Option<&Ratio>) -> String {
    let Some(Ratio { median, of_minima, quartiles: [low, high] }) = ratio else {
        return "-".into();
    };
    format!("{median:.2} ({of_minima:.2}; {low:.2}-{high:.2})")
}

fn print_table(title: &str, header: &[&str], lines: impl Iterator<Item = Vec<String>>) {
    println!("\n### {title}\n\n| {} |\n{}|", header.join(" | "), "|---".repeat(header.len()));
    for line in lines {
        println!("| {} |", line.join(" | "));
    }
}
