//! Measures the main operations, and compares ratios of times with upper bounds.
//!
//! `cargo bench -p setwise-measure --bench ratios` prints Markdown. Options, after `--`:
//!
//! - `--quick`: measure for 10 seconds instead of 60
//! - `--check`: exit with 1 if a bound is missed by more than the allowance for noise
//!
//! Every result is compared with a square-by-square oracle before it is timed. Without `--bench`,
//! which `cargo bench` passes, nothing is timed.

use std::process::ExitCode;

use setwise::Kernel;
use setwise_measure::contender::Kind;
use setwise_measure::copy_xor;
use setwise_measure::figures::{Figure, Run, Section, distinct};
use setwise_measure::operation::Operation;
use setwise_measure::peers::kogge_stone::AVX2;
use setwise_measure::peers::magic;
use setwise_measure::run::measure;
use setwise_measure::settings::{MAIN, Options};

/// The allowance for noise. A bound is missed if the ratio exceeds it by more than this factor.
const ALLOWANCE: f64 = 1.10;
/// Marks an operation without a bound.
const NONE: f64 = f64::INFINITY;
/// The kernel that is a plain Kogge-Stone loop, which the compiler vectorises for SSE2.
const LOOP: &str = "kogge-stone";

/// What a contender's time is divided by.
#[derive(Clone, Copy)]
enum To<'a> {
    /// The time of another contender in the same setting: 4,096 boards in a new order every time,
    /// always in the same order, or more boards than the caches hold.
    Other(Section, &'a str),
    /// For calls of so many boards: the contender's time for calls of 32.
    WholeBlock(usize),
}

/// A kernel, its reference, and the maximum ratio for each main operation (rooks, bishops, queens,
/// sliders).
const BOUNDS: [(&str, To<'static>, [f64; 4]); 8] = [
    ("avx2", To::Other(Section::Operations, AVX2), [0.68, 0.55, 0.47, 0.51]),
    ("sse2", To::Other(Section::Operations, LOOP), [0.70, 0.58, 0.48, 0.53]),
    // A fixed order of boards makes branches predictable, which favours look-ups. So new and
    // repeated orders are both judged.
    ("avx2", To::Other(Section::Operations, magic::NAME), [0.28, 0.28, 0.24, NONE]),
    ("avx2", To::Other(Section::Repeated, magic::NAME), [0.28, 0.28, 0.24, NONE]),
    ("scalar", To::Other(Section::Operations, LOOP), [1.0, NONE, 0.70, NONE]),
    ("avx2", To::WholeBlock(31), [1.3; 4]),
    ("avx2", To::WholeBlock(8), [0.65; 4]),
    ("avx2", To::Other(Section::Sweep, copy_xor::NAME), [NONE, NONE, 1.7, NONE]),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let known = ["--quick", "--check", "--bench"];
    if let Some(unknown) = arguments.iter().find(|argument| !known.contains(&argument.as_str())) {
        eprintln!(
            "ratios: unknown argument `{unknown}`, expected --quick or --check (criterion's \
             arguments are for `cargo bench --bench kernels`)"
        );
        return ExitCode::from(2);
    }
    let given = |option: &str| arguments.iter().any(|argument| argument == option);
    if !given("--bench") {
        println!("ratios: `cargo bench` measures");
        return ExitCode::SUCCESS;
    }
    let options = Options {
        seconds: if given("--quick") { 10.0 } else { 60.0 },
        kernels: Kernel::available().collect(),
        operations: MAIN.iter().filter_map(|name| Operation::named(name)).collect(),
        ..Options::default()
    };
    let run = measure(&options, &mut |_, _| ());
    println!(
        "Ratios of times: below 1 is faster than the reference. Medians (ratio of the fastest \
         samples), random boards, {:.0} seconds.\n\n### Bounds\n\n\
         | requirement | measured | bound | kept |\n|---|---|---|---|",
        run.seconds
    );
    let mut missed = 0;
    for (kernel, to, bounds) in BOUNDS {
        for (operation, bound) in MAIN.into_iter().zip(bounds).filter(|(_, bound)| *bound < NONE) {
            let found = ratio(&run, operation, kernel, to);
            let kept = match found {
                None => "not run",
                Some((median, _)) if median <= bound => "yes",
                Some((median, _)) if median <= bound * ALLOWANCE => "within noise",
                Some(_) => "**no**",
            };
            missed += usize::from(kept == "**no**");
            let reference = match to {
                To::Other(Section::Repeated, name) => format!("{name}, always in the same order"),
                To::Other(Section::Sweep, name) => format!("{name}, beyond the caches"),
                To::Other(_, name) => name.into(),
                To::WholeBlock(boards) => format!("32 boards, for {boards}"),
            };
            let cell = cell(found);
            println!("| {kernel} {operation}, to {reference} | {cell} | {bound:.2} | {kept} |");
        }
    }
    for (section, title) in [(Section::Operations, "new"), (Section::Repeated, "same")] {
        let names = |kind| {
            let figures = run.select(section, MAIN[3]).filter(move |figure| figure.kind == kind);
            distinct(figures.map(|figure| figure.contender.as_str()))
        };
        for reference in names(Kind::Peer).into_iter().chain([LOOP]) {
            println!("\n### 4,096 boards, {title} order every time, to {reference}\n");
            println!("| | {} |\n|---|---|---|---|---|", MAIN.join(" | "));
            for name in names(Kind::Kernel) {
                let to = To::Other(section, reference);
                let cells = MAIN.map(|operation| cell(ratio(&run, operation, name, to)));
                println!("| {name} | {} |", cells.join(" | "));
            }
        }
    }
    if given("--check") && missed > 0 {
        eprintln!("ratios: missed {missed} bounds");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The ratio of the medians, and that of the fastest samples.
fn ratio(run: &Run, operation: &str, kernel: &str, to: To) -> Option<(f64, f64)> {
    let most = run.section(Section::Sweep).map(|figure| figure.boards_a_call).max();
    let find = |section, name: &str, boards: Option<usize>| -> Option<&Figure> {
        let is = |f: &&Figure| f.contender == name && boards.is_none_or(|n| f.boards_a_call == n);
        run.select(section, operation).find(is)
    };
    let (of, to) = match to {
        To::Other(section, name) => {
            let boards = if section == Section::Sweep { most } else { None };
            (find(section, kernel, boards)?, find(section, name, boards)?)
        }
        To::WholeBlock(boards) => {
            let calls = |boards| find(Section::Sweep, kernel, Some(boards));
            (calls(boards)?, calls(32)?)
        }
    };
    // Times of calls, not of boards.
    let calls = of.boards_a_call as f64 / to.boards_a_call as f64;
    Some((calls * of.ns.median / to.ns.median, calls * of.ns.minimum / to.ns.minimum))
}

fn cell(ratio: Option<(f64, f64)>) -> String {
    ratio.map_or("-".into(), |(median, of_minima)| format!("{median:.2} ({of_minima:.2})"))
}
