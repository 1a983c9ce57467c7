//! The figures of a run, which `setwise bench` prints as JSON. `docs/bench-schema.json` describes
//! that JSON.

use serde::{Deserialize, Serialize};
use setwise::{Kernel, KernelStatus};

use crate::counters::Counts;
use crate::issue::Ceiling;
pub use crate::kind::Kind;
use crate::machine::Machine;
use crate::number::round;
use crate::race::{Ratio, Spread, Times};
use crate::settings::{BASELINE, MAIN};

/// The version of the JSON. Fields may be added to a version, but no field changes its meaning.
pub const SCHEMA: u32 = 1;

/// A run of `setwise bench`, as printed by `--json`. Numbers have four significant digits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Run {
    /// The version of this schema: 1. Within a version, fields may be added, but none changes its
    /// meaning.
    #[cfg_attr(test, schemars(extend("const" = SCHEMA)))]
    pub schema: u32,
    /// The version of setwise.
    pub version: String,
    /// The version of rustc that compiled the benchmark.
    pub rustc: String,
    /// The compilation target.
    pub target: String,
    /// The time when the run ended, in UTC (RFC 3339).
    pub date: String,
    /// The command-line options.
    pub options: Vec<String>,
    /// The measuring time in seconds, without the checks.
    pub seconds: f64,
    /// Whether this is a run of `--summary`, which keeps only the main figures.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub summary: bool,
    /// The CPU and its environment.
    pub machine: Machine,
    /// The boards of the benchmark.
    pub inputs: Vec<Input>,
    /// Every kernel of the catalogue, best first.
    pub kernels: Vec<KernelRow>,
    /// Wrong results, one line each. Contenders with wrong results have no figures.
    pub wrong: Vec<String>,
    /// The core clock after a few milliseconds of each kernel.
    pub clocks: Vec<Clock>,
    /// The highest measured rates of vector operations, by register width. Empty if they cannot be
    /// measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ceilings: Vec<Ceiling>,
    /// All measurements.
    pub figures: Vec<Figure>,
}

/// A set of boards of the benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Input {
    /// The name of the boards in the figures.
    pub name: String,
    /// The number of distinct boards.
    pub boards: usize,
    /// How the boards were made or where they come from.
    pub about: String,
}

/// A kernel of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KernelRow {
    /// The name by which users choose it.
    pub name: String,
    /// A one-line description of how the kernel works.
    pub technique: String,
    /// `available`, `unsupported` or `not-compiled`.
    pub status: String,
    /// The CPU features that are missing.
    pub missing: Vec<String>,
}

/// The core clock under the load of one kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Clock {
    /// The kernel that ran just before the measurement.
    pub contender: String,
    /// Cycles per nanosecond, measured with a chain of scalar instructions.
    pub ghz: f64,
}

/// The part of the benchmark that a measurement belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Section {
    /// Random boards in the caches, in a new order every iteration.
    Operations,
    /// Positions in the caches, in a new order every iteration.
    Positions,
    /// Attack maps of whole positions in the caches, in a new order every sample. A board is a
    /// position.
    Maps,
    /// Short calls. Their boards come from a pool that fits in the first-level cache.
    Calls,
    /// Calls of many sizes: from one board to more boards than the caches hold.
    Sweep,
    /// Dependent calls: the attacks of one call are the sliders of the next.
    Latency,
    /// One board by value, in calls that do not depend on each other.
    Throughput,
    /// One board by value, in dependent calls. Before them, other memory (at most 64 MiB) is read
    /// to fill the caches. The time includes loading look-up tables, but not boards and code.
    Cold,
    /// The techniques of the literature.
    Techniques,
    /// Several threads, each with its own boards in the caches.
    Threads,
    /// Several threads, each with its own boards beyond the caches.
    ThreadsMemory,
}

impl Section {
    /// The name in JSON.
    #[must_use]
    pub fn name(self) -> String {
        name(self)
    }
}

/// The times of one contender in one setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Figure {
    /// The section.
    pub section: Section,
    /// The operation, with its direction or line after a hyphen.
    pub operation: String,
    /// The name of one of the `inputs`.
    pub input: String,
    /// A kernel, a form (`technique::form`), a peer, `copy-xor` or `copy-xor-nt` (with non-temporal
    /// stores). For one board also `techniques::technique` (a form), `board` (`setwise::board`),
    /// and `chain-alone` or `loop-alone` (without computing attacks).
    pub contender: String,
    /// For one board by value: all measured kernels that share this code, best first, if there are
    /// several. `contender` is one of them: `scalar`, or else the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared_by: Vec<String>,
    /// The kind of the contender.
    pub kind: Kind,
    /// Boards per call.
    pub boards_a_call: usize,
    /// Boards per iteration. An iteration makes many short calls, or one long call.
    pub boards: usize,
    /// Bytes read and written per board.
    pub bytes_a_board: usize,
    /// The number of concurrent threads.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub threads: usize,
    /// Nanoseconds per board. With several threads, the inverse of the rate of all threads
    /// together.
    pub ns: Spread,
    /// Boards per second, from the median time.
    pub boards_per_second: f64,
    /// Bytes read and written per second, from the median time.
    pub bytes_per_second: f64,
    /// The median ticks of the time stamp counter per board. These are not core cycles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tsc_cycles: Option<f64>,
    /// The time divided by that of the kernel `scalar` in the same rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_scalar: Option<Ratio>,
    /// The time divided by that of `copy-xor` in the same rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_copy: Option<Ratio>,
    /// The time divided by that of `copy-xor-nt` in the same rounds. Only in the sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_copy_nt: Option<Ratio>,
    /// Hardware counts, if they were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<Counts>,
}

fn one() -> usize {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "required by serde")]
fn is_one(threads: &usize) -> bool {
    *threads == 1
}

impl Figure {
    /// Makes a figure for one thread, without ratios to other contenders.
    pub(crate) fn new(
        (section, operation, input): (Section, &str, &str),
        (contender, kind): (&str, Kind),
        (boards_a_call, boards, bytes_a_board): (usize, usize, usize),
        (times, entry, share): (&Times, usize, usize),
        tsc_ghz: Option<f64>,
    ) -> Figure {
        let ns = times.nanoseconds(entry, share);
        let boards_per_second = 1e9 / ns.median;
        Figure {
            section,
            operation: operation.into(),
            input: input.into(),
            contender: contender.into(),
            shared_by: Vec::new(),
            kind,
            boards_a_call,
            boards,
            bytes_a_board,
            threads: 1,
            ns,
            boards_per_second: round(boards_per_second),
            bytes_per_second: round(boards_per_second * bytes_a_board as f64),
            tsc_cycles: tsc_ghz.map(|ghz| round(ns.median * ghz)),
            to_scalar: None,
            to_copy: None,
            to_copy_nt: None,
            counters: None,
        }
    }

    /// The contender, or all kernels that share its code.
    #[must_use]
    pub fn label(&self) -> String {
        if self.shared_by.is_empty() { self.contender.clone() } else { self.shared_by.join(", ") }
    }

    /// The number of bytes that one iteration reads and writes.
    #[must_use]
    pub fn working_set(&self) -> usize {
        self.boards * self.bytes_a_board
    }
}

impl Run {
    /// The core cycles per board of a figure. Without counters, this is the median time multiplied
    /// by the clock rate. The rate was measured after the contender if possible, else before the
    /// run.
    #[must_use]
    pub fn cycles(&self, figure: &Figure) -> f64 {
        let after = self.clocks.iter().find(|clock| clock.contender == figure.contender);
        let ghz = after.map_or(self.machine.clock_ghz, |clock| clock.ghz);
        figure.counters.map_or(figure.ns.median * ghz, |counts| counts.cycles)
    }

    /// The figures of a section.
    pub fn section(&self, section: Section) -> impl Iterator<Item = &Figure> {
        self.figures.iter().filter(move |figure| figure.section == section)
    }

    /// The figures of an operation in a section.
    pub fn select(&self, section: Section, operation: &str) -> impl Iterator<Item = &Figure> {
        self.section(section).filter(move |figure| figure.operation == operation)
    }

    /// Reduces the run to the figures for tables, drawings and comparisons. It keeps the four main
    /// operations in the caches, the times of all sliders on one board, and the techniques, with
    /// their ratios to `scalar`. Of the rays, it keeps those that the documentation or the report
    /// show.
    #[must_use]
    pub fn summary(mut self) -> Run {
        self.summary = true;
        self.figures.retain(|figure| match figure.section {
            Section::Operations | Section::Positions => MAIN.contains(&figure.operation.as_str()),
            Section::Latency | Section::Throughput | Section::Cold => {
                figure.operation == "slider_attacks_one"
            }
            Section::Techniques => {
                let shown = ["north", "northwest", "east", "west", "southwest"];
                let is_kept = |ray| shown.contains(&ray);
                figure.kind == Kind::Form
                    && figure.operation.strip_prefix("ray_attacks-").is_none_or(is_kept)
            }
            _ => false,
        });
        for figure in &mut self.figures {
            figure.tsc_cycles = None;
            figure.counters = None;
            if figure.contender != BASELINE {
                figure.to_copy = None;
            }
        }
        self
    }

    /// All figures as CSV, with a header.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = String::from(
            "section,operation,input,contender,kind,boards_a_call,boards,bytes_a_board,threads,\
             ns_median,ns_minimum,ns_low_quartile,ns_high_quartile,boards_per_second,\
             bytes_per_second,tsc_cycles,to_scalar,to_copy,to_copy_nt,instructions,cycles,ipc,\
             branch_misses,clock_ghz,shared_by\n",
        );
        for figure in &self.figures {
            let [low, high] = figure.ns.quartiles;
            let ratio = |ratio: Option<Ratio>| ratio.map(|ratio| ratio.median);
            let count = |pick: fn(&Counts) -> f64| figure.counters.as_ref().map(pick);
            // Names contain neither commas nor quotes.
            let mut cells = vec![
                figure.section.name(),
                figure.operation.clone(),
                figure.input.clone(),
                figure.contender.clone(),
                name(figure.kind),
            ];
            let whole = [figure.boards_a_call, figure.boards, figure.bytes_a_board, figure.threads];
            cells.extend(whole.map(|n| n.to_string()));
            let numbers = [
                Some(figure.ns.median),
                Some(figure.ns.minimum),
                Some(low),
                Some(high),
                Some(figure.boards_per_second),
                Some(figure.bytes_per_second),
                figure.tsc_cycles,
                ratio(figure.to_scalar),
                ratio(figure.to_copy),
                ratio(figure.to_copy_nt),
                count(|counts| counts.instructions),
                count(|counts| counts.cycles),
                count(|counts| counts.ipc),
                count(|counts| counts.branch_misses),
                count(|counts| counts.clock_ghz),
            ];
            cells.extend(numbers.map(|n| n.map(|n| n.to_string()).unwrap_or_default()));
            cells.push(figure.shared_by.join(" "));
            text += &cells.join(",");
            text.push('\n');
        }
        text
    }
}

/// The name that an enum's variant has in JSON.
fn name(variant: impl Serialize) -> String {
    let value = serde_json::to_value(variant).expect("a variant without fields");
    value.as_str().expect("a variant without fields").into()
}

/// The distinct values, in order of appearance.
pub fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// Every kernel of the catalogue.
#[must_use]
pub fn kernels() -> Vec<KernelRow> {
    let kernel = |info: &setwise::KernelInfo| {
        let (status, missing) = match info.status() {
            KernelStatus::Available => ("available", Vec::new()),
            KernelStatus::Unsupported(missing) => {
                ("unsupported", missing.names().map(str::to_owned).collect())
            }
            _ => ("not-compiled", Vec::new()),
        };
        KernelRow {
            name: info.name().into(),
            technique: info.technique().into(),
            status: status.into(),
            missing,
        }
    };
    Kernel::catalogue().iter().map(kernel).collect()
}

#[cfg(test)]
mod tests {
    use super::Run;

    /// `docs/bench-schema.json` describes the types of this file. `tools/generate.sh` writes it.
    #[test]
    fn the_schema_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/bench-schema.json");
        let current = schemars::schema_for!(Run).to_value();
        if std::env::var_os("SETWISE_WRITE_SCHEMA").is_some() {
            std::fs::write(path, serde_json::to_string_pretty(&current).unwrap() + "\n").unwrap();
        }
        let written: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert!(
            written == current,
            "docs/bench-schema.json is out of date; to write it: tools/generate.sh"
        );
    }
}
