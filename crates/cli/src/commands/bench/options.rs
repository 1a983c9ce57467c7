//! The options of `setwise bench`.

use std::path::PathBuf;

pub(crate) const ABOUT: &str = "\
Measure every kernel: every operation, few boards a call and many, calls that wait for each other, real positions; \
by interleaved rounds in one process, each result checked before. A kernel that fails is named and not timed, and the exit code is 1.

Figures are nanoseconds a board (median, minimum and quartiles over the rounds) and ratios to the kernel `scalar` and to copy-xor, which \
reads and writes the same bytes, in the same rounds. TSC cycles are ticks of the time stamp counter, not of the core.

With --compare nothing is measured: runs that were saved with --json are printed and drawn side by side, by their ratios to `scalar`. \
With --fail-above the exit code is 1 if a later run is slower than the first by more than this factor, beyond what the spread explains.";

#[derive(clap::Args)]
pub(crate) struct BenchOptions {
    /// Less of everything: under 15 seconds
    #[arg(long)]
    pub(crate) quick: bool,
    /// Measure for so long; the checks come on top [default: 120, quick 6]
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) seconds: Option<f64>,
    /// Only this operation, such as `queen_attacks` or `ray_attacks-north` (repeatable, or with commas)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) operation: Vec<String>,
    /// Only calls of so many boards (repeatable, or with commas)
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = boards)]
    pub(crate) boards: Vec<usize>,
    /// Take positions from this file of EPD or FEN lines instead of the embedded games
    #[arg(long, value_name = "FILE")]
    pub(crate) epd: Option<PathBuf>,
    /// Measure up to so many threads at once, each kept on a processor
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: u16,
    /// Measure the forms of the literature too (`setwise::techniques`)
    #[arg(long)]
    pub(crate) techniques: bool,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Write a report: one page that needs nothing else
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write the summary as a drawing
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Measure nothing: print and draw these runs, saved with --json
    #[arg(long, num_args = 1.., value_name = "JSON", conflicts_with_all = ["quick", "seconds", "operation", "boards", "epd", "threads", "techniques", "csv"])]
    pub(crate) compare: Vec<PathBuf>,
    /// With --compare: fail if a run is slower than the first by more than this factor, such as 1.10
    #[arg(long, value_name = "FACTOR", value_parser = factor, requires = "compare")]
    pub(crate) fail_above: Option<f64>,
    /// For tests: slow a kernel, as `avx2=1.15`
    #[arg(long, hide = true, value_name = "KERNEL=FACTOR", value_parser = slowed)]
    pub(crate) slow: Option<(String, f64)>,
    /// For tests: make a kernel wrong
    #[arg(long, hide = true, value_name = "KERNEL")]
    pub(crate) wrong: Option<String>,
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
