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
use setwise_measure::copy_xor;
use setwise_measure::figures::{Figure, Run, Section};
use setwise_measure::operation::Operation;
use setwise_measure::peers::{AVX2, MAGIC};
use setwise_measure::run::measure;
use setwise_measure::settings::{IN_CACHE, MAIN, Options};

/// The allowance for noise. A bound is missed if the ratio exceeds it by more than this factor.
const ALLOWANCE: f64 = 1.10;
/// Marks an operation without a bound.
const NONE: f64 = f64::INFINITY;
/// The kernel that is a plain Kogge-Stone loop, which the compiler vectorises for SSE2.
const LOOP: &str = "kogge-stone";
/// The longest calls: more boards than the caches hold.
const MOST: usize = usize::MAX;

/// A contender and its reference with their boards per call, the section that times both, and the
/// maximum ratio of the times of calls for each main operation (rooks, bishops, queens, sliders).
type Bound = ((&'static str, usize), (&'static str, usize), Section, [f64; 4]);

const BOUNDS: [Bound; 8] = [
    (("avx2", IN_CACHE), (AVX2, IN_CACHE), Section::Operations, [0.68, 0.55, 0.47, 0.51]),
    (("sse2", IN_CACHE), (LOOP, IN_CACHE), Section::Operations, [0.70, 0.58, 0.48, 0.53]),
    // A fixed order of boards makes branches predictable, which favours look-ups. So new and
    // repeated orders are both judged.
    (("avx2", IN_CACHE), (MAGIC, IN_CACHE), Section::Operations, [0.28, 0.28, 0.24, NONE]),
    (("avx2", IN_CACHE), (MAGIC, IN_CACHE), Section::Repeated, [0.28, 0.28, 0.24, NONE]),
    (("scalar", IN_CACHE), (LOOP, IN_CACHE), Section::Operations, [1.0, NONE, 0.70, NONE]),
    (("avx2", 31), ("avx2", 32), Section::Sweep, [1.3; 4]),
    (("avx2", 8), ("avx2", 32), Section::Sweep, [0.65; 4]),
    (("avx2", MOST), (copy_xor::NAME, MOST), Section::Sweep, [NONE, NONE, 1.7, NONE]),
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
         samples), random boards, {:.0} seconds.\n\n\
         | requirement | boards per call | section | measured | bound | kept |\n\
         |---|---|---|---|---|---|",
        run.seconds
    );
    let mut missed = 0;
    for (of, to, section, bounds) in BOUNDS {
        for (operation, bound) in MAIN.into_iter().zip(bounds).filter(|(_, bound)| *bound < NONE) {
            let [of, to] = [of, to].map(|which| find(&run, section, operation, which));
            let (Some(of), Some(to)) = (of, to) else {
                println!("| {operation} | | {section:?} | not run | {bound:.2} | |");
                continue;
            };
            let calls = of.boards_a_call as f64 / to.boards_a_call as f64;
            let median = calls * of.ns.median / to.ns.median;
            let kept = match median {
                _ if median <= bound => "yes",
                _ if median <= bound * ALLOWANCE => "within noise",
                _ => "**no**",
            };
            missed += usize::from(kept == "**no**");
            println!(
                "| {operation}, {} to {} | {} to {} | {section:?} | {median:.2} ({:.2}) | \
                 {bound:.2} | {kept} |",
                of.contender,
                to.contender,
                of.boards_a_call,
                to.boards_a_call,
                calls * of.ns.minimum / to.ns.minimum
            );
        }
    }
    if given("--check") && missed > 0 {
        eprintln!("ratios: missed {missed} bounds");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The figure of a contender with so many boards per call.
fn find<'a>(
    run: &'a Run,
    section: Section,
    operation: &str,
    (contender, boards): (&str, usize),
) -> Option<&'a Figure> {
    let most = run.section(section).map(|figure| figure.boards_a_call).max()?;
    let mut figures = run.select(section, operation);
    figures.find(|f| f.contender == contender && f.boards_a_call == boards.min(most))
}
