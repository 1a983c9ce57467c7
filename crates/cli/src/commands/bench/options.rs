//! The options of `setwise bench`.

use std::path::PathBuf;

use clap::value_parser;

pub(crate) const ABOUT: &str = "\
Measure every kernel on this CPU: every operation, short and long calls, dependent calls, random \
boards and real positions. Kernels are checked first, then timed in interleaved rounds of one \
process. A kernel with a wrong result is reported and not timed, and the exit code is 1.

Figures are nanoseconds per board (median, fastest sample and quartiles of the rounds) and ratios \
to the kernel `scalar` and to copy-xor in the same rounds. copy-xor is a loop that reads and \
writes as many bytes as the kernel. TSC cycles are ticks of the time stamp counter, not core \
cycles.

With --compare nothing is measured: runs saved with --json or --summary are printed and drawn side \
by side, as ratios to `scalar`. With --fail-above the exit code is 1 if a later run is slower than \
the first by more than this factor, beyond what the spread explains.";

/// Options that cannot be combined with `--compare`, which measures nothing.
const MEASURING: [&str; 8] =
    ["quick", "seconds", "operation", "boards", "epd", "threads", "techniques", "csv"];

#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "one per flag")]
pub(crate) struct BenchOptions {
    /// Measure fewer settings with shorter samples: under 15 seconds
    #[arg(long)]
    pub(crate) quick: bool,
    /// Measure for this many seconds, plus the time for checks [default: 120, quick 6]
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) seconds: Option<f64>,
    /// Only this operation, such as `queen_attacks` or `ray_attacks-north` (repeatable, or a list)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) operation: Vec<String>,
    /// Only calls of this many boards (repeatable, or a list)
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = boards)]
    pub(crate) boards: Vec<usize>,
    /// Take positions from this file of EPD or FEN lines instead of the embedded games
    #[arg(long, value_name = "FILE")]
    pub(crate) epd: Option<PathBuf>,
    /// Also measure up to this many threads at once, each pinned to a CPU
    #[arg(long, default_value_t = 1, value_name = "N")]
    #[arg(value_parser = value_parser!(u16).range(1..=1024))]
    pub(crate) threads: u16,
    /// Also measure the techniques of the literature (`setwise::techniques`)
    #[arg(long)]
    pub(crate) techniques: bool,
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
    #[arg(long, value_name = "FACTOR", value_parser = factor, requires = "compare")]
    pub(crate) fail_above: Option<f64>,
    /// For tests: slow a kernel down, for example `avx2=1.15`
    #[arg(long, hide = true, value_name = "KERNEL=FACTOR", value_parser = slowed)]
    pub(crate) slow: Option<(String, f64)>,
    /// For tests: make a kernel return wrong results
    #[arg(long, hide = true, value_name = "KERNEL")]
    pub(crate) wrong: Option<String>,
    /// For tests: panic instead of measuring
    #[arg(long, hide = true)]
    pub(crate) panic: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    number(text, 0.0, 1e6)
}

fn factor(text: &str) -> Result<f64, String> {
    number(text, 1.0, 100.0)
}

fn number(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (least..=most).contains(&number) {
        Ok(number)
    } else {
        Err(format!("must be from {least} to {most}"))
    }
}

fn boards(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(boards @ 1..=0x400_0000) => Ok(boards),
        _ => Err("must be a number from 1 to 67108864".into()),
    }
}

fn slowed(text: &str) -> Result<(String, f64), String> {
    let (kernel, by) = text.split_once('=').ok_or("must be KERNEL=FACTOR")?;
    Ok((kernel.into(), factor(by)?))
}
