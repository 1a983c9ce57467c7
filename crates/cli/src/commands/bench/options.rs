//! The options of `setwise bench`.

use std::path::PathBuf;

use clap::builder::{BoolishValueParser, RangedU64ValueParser};

use crate::args::from_to;

pub(crate) const ABOUT: &str = "\
Measure every kernel on this CPU: every operation, short and long calls, dependent calls, random \
boards and real positions. Kernels are checked first, then timed in interleaved rounds of one \
process. A kernel with a wrong result is reported and not timed, and the exit code is 1.

Figures are nanoseconds per board (median, fastest sample and quartiles of the rounds), multiples of \
the speed of `scalar` (plain 64-bit code, which the compiler vectorises with SSE2 on x86-64), and \
ratios to the time of copy-xor in the same rounds. copy-xor is a loop that reads and writes as many \
bytes as the kernel. Cycles are the time multiplied by the measured clock rate. Where Linux allows \
it, a full run also counts core cycles, instructions, mispredicted branches and cache misses.

With --compare nothing is measured: runs saved with --json or --summary are printed and drawn side \
by side. With --fail-above the exit code is 1 if a contender in a later run is slower than in the \
first by more than this factor, in the mean over all settings of an operation, both in the medians \
and in the fastest samples; or if it executes more instructions by this factor.";

/// Options that cannot be combined with `--compare`, which measures nothing.
const MEASURING: [&str; 9] =
    ["quick", "seconds", "operation", "boards", "epd", "techniques", "counters", "walk", "csv"];

#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "one per flag")]
pub(crate) struct BenchOptions {
    /// Measure fewer settings with shorter samples: under 15 seconds
    #[arg(long)]
    pub(crate) quick: bool,
    /// Measure for this many seconds, plus the time for checks [default: 120, walk 60, quick 6]
    #[arg(long, value_name = "S", value_parser = from_to(0.0, 1e6))]
    pub(crate) seconds: Option<f64>,
    /// Only this operation on sets or squares, such as `queen_attacks` or `ray_attacks-north`
    /// (repeatable, or a list)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) operation: Vec<String>,
    /// Only calls of this many boards (repeatable, or a list)
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = boards())]
    pub(crate) boards: Vec<usize>,
    /// Take positions from this file of EPD or FEN lines instead of the embedded games
    #[arg(long, value_name = "FILE")]
    pub(crate) epd: Option<PathBuf>,
    /// Also measure the techniques of the literature (`setwise::techniques`)
    #[arg(long)]
    pub(crate) techniques: bool,
    /// Count instructions, core cycles, branch and cache misses, where Linux allows it (on or off)
    /// [default: on, off with --quick]
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "on")]
    #[arg(value_name = "SWITCH", value_parser = BoolishValueParser::new())]
    pub(crate) counters: Option<bool>,
    /// Measure calls where a search makes them instead: the time that each call adds, with its
    /// interval, or that it is not measurable
    #[arg(long, conflicts_with_all = ["operation", "boards", "techniques", "counters"])]
    pub(crate) walk: bool,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Print JSON of the main figures only: enough for tables, --svg and --compare
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    pub(crate) summary: bool,
    /// Write a report: one HTML page that works offline
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write a drawing of the main figures
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Measure nothing: print and draw these runs, saved with --json or --summary
    #[arg(long, num_args = 1.., value_name = "JSON", conflicts_with_all = MEASURING)]
    pub(crate) compare: Vec<PathBuf>,
    /// With --compare: fail if a run is slower than the first by this factor, such as 1.10
    #[arg(long, value_name = "FACTOR", value_parser = from_to(1.0, 100.0), requires = "compare")]
    pub(crate) fail_above: Option<f64>,
}

fn boards() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=0x400_0000)
}
