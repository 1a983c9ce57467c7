//! The figures of a run, which `setwise bench` prints as JSON or CSV.

use serde::{Deserialize, Serialize};
use setwise::{Kernel, KernelStatus};

use crate::counters::{Counted, Counts};
use crate::machine::Machine;
use crate::names::{BASELINE, MAIN};
use crate::statistics::{Estimate, Ratio, Spread};

/// The version of the JSON. Fields may be added to a version, but no field changes its meaning.
pub const SCHEMA: u32 = 1;

/// A run of `setwise bench`, as printed by `--json`. Numbers have four significant digits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The version of the JSON: [`SCHEMA`].
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
    /// What was counted; nothing if counting was off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<Counted>,
    /// The boards of the benchmark.
    pub inputs: Vec<Input>,
    /// Every kernel of the catalogue, best first.
    pub kernels: Vec<KernelRow>,
    /// Wrong results, one line each. Contenders with wrong results have no figures.
    pub wrong: Vec<String>,
    /// All measurements.
    pub figures: Vec<Figure>,
    /// The times that calls add to the nodes of a walk.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<Added>,
}

/// A set of boards of the benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
pub struct KernelRow {
    /// The name by which users choose it.
    pub name: String,
    /// A one-line description of how the kernel works. Older runs call it `technique`.
    #[serde(alias = "technique")]
    pub description: String,
    /// `available`, `unsupported` or `not-compiled`.
    pub status: String,
    /// The CPU features that it needs.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The CPU features that are missing.
    pub missing: Vec<String>,
}

/// The part of the benchmark that a measurement belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Section {
    /// Random boards in the caches, in a new order every iteration.
    Operations,
    /// Positions in the caches, in a new order every iteration.
    Positions,
    /// Positions in the caches, always in the same order, which a branch predictor can memorise.
    Repeated,
    /// Attack maps, checks and legal moves of whole positions in the caches, in a new order every
    /// sample. A board is a position.
    Maps,
    /// Threats of whole positions, and those that a move changes, in a new order every sample. A
    /// board is a position or a move.
    Threats,
    /// A walk through games without a call. A board is a node. [`Added`] is what calls add to it.
    Walk,
    /// Calls of many sizes: from one board to more boards than the caches hold.
    Sweep,
    /// One board by value, in dependent calls: the attacks of one call are the sliders of the next.
    Latency,
    /// One board by value, in calls that do not depend on each other.
    Throughput,
    /// One board by value, in dependent calls. Before them, other memory (at most 64 MiB) is read
    /// to fill the caches. The time includes loading look-up tables, but not boards and code.
    Cold,
    /// The techniques of the literature.
    Techniques,
}

/// The kind of a contender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A kernel of the catalogue.
    Kernel,
    /// A form of a technique: one function in `setwise::techniques`.
    Form,
    /// Code to compare with: a published crate, or a loop written for this benchmark.
    Peer,
    /// An upper bound for the speed: the same memory traffic or call chain, without computing
    /// attacks.
    Roof,
}

/// The times of one contender in one setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The section.
    pub section: Section,
    /// The operation, with its direction or line after a hyphen.
    pub operation: String,
    /// The name of one of the `inputs`.
    pub input: String,
    /// A kernel, a form (`technique::form`), a peer or `copy-xor`. For one board also
    /// `techniques::technique` (a form), `board` (`setwise::board`), and `chain-alone` or
    /// `loop-alone` (without computing attacks).
    pub contender: String,
    /// All measured kernels that share this code, best first, if there are several. `contender` is
    /// one of them: `scalar`, or else the first.
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
    /// Nanoseconds per board.
    pub ns: Spread,
    /// Boards per second, from the median time.
    pub boards_per_second: f64,
    /// The time divided by that of the kernel `scalar` in the same rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_scalar: Option<Ratio>,
    /// The time divided by that of `copy-xor` in the same rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_copy: Option<Ratio>,
    /// What was counted per board.
    #[serde(default, skip_serializing_if = "Counts::is_empty")]
    pub counts: Counts,
    /// The names of the counters whose counts are within what empty regions count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_measurable: Vec<String>,
}

/// The time that a call adds to each node of a walk: the difference of two times that are both much
/// longer and noisy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Added {
    /// The operation.
    pub operation: String,
    /// The name of one of the `inputs`.
    pub input: String,
    /// A kernel or a peer.
    pub contender: String,
    /// The kind of the contender.
    pub kind: Kind,
    /// The number of rounds. In each, the walk runs twice with the call and twice without it.
    pub rounds: usize,
    /// The added nanoseconds. `None` if they are not measurable: if their interval holds zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns: Option<Estimate>,
    /// If they are not measurable, the nanoseconds that they do not exceed. `None` also if there
    /// are too few rounds for an interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_ns: Option<f64>,
    /// The added time divided by that of look-ups piece by piece, if both are measurable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_look_ups: Option<Estimate>,
}

impl Figure {
    /// The contender, or all kernels that share its code.
    #[must_use]
    pub fn label(&self) -> String {
        if self.shared_by.is_empty() { self.contender.clone() } else { self.shared_by.join(", ") }
    }

    /// The style of the contender's bar in drawings and in the report.
    pub(crate) fn class(&self) -> &'static str {
        match self.kind {
            _ if self.contender == BASELINE => "baseline",
            _ if self.shared_by.iter().any(|name| name == BASELINE) => "baseline",
            Kind::Peer => "peer",
            _ => "kernel",
        }
    }

    /// What a counter counted per board.
    #[must_use]
    pub fn count(&self, name: &str) -> Option<f64> {
        self.counts.get(name).copied()
    }

    /// The speed as a multiple of that of `scalar`.
    #[must_use]
    pub fn times_scalar(&self) -> Option<f64> {
        self.to_scalar.filter(|_| self.contender != BASELINE).map(|ratio| 1.0 / ratio.median)
    }
}

impl Run {
    /// The figures of a section.
    pub fn section(&self, section: Section) -> impl Iterator<Item = &Figure> + Clone {
        self.figures.iter().filter(move |figure| figure.section == section)
    }

    /// The figures of an operation in a section.
    pub fn select(
        &self,
        section: Section,
        operation: &str,
    ) -> impl Iterator<Item = &Figure> + Clone {
        self.section(section).filter(move |figure| figure.operation == operation)
    }

    /// Reduces the run to the figures that the documentation shows: the four main operations in the
    /// caches, all sliders on one board, whole positions, threats, and the techniques without some
    /// of the rays.
    #[must_use]
    pub fn summary(mut self) -> Run {
        self.summary = true;
        self.figures.retain(|figure| match figure.section {
            Section::Operations | Section::Positions => MAIN.contains(&figure.operation.as_str()),
            Section::Repeated | Section::Maps | Section::Threats | Section::Walk => true,
            Section::Latency | Section::Throughput | Section::Cold => {
                figure.operation == "slider_attacks_one"
            }
            Section::Techniques => {
                let is_kept =
                    |ray| ["north", "northwest", "east", "west", "southwest"].contains(&ray);
                figure.kind == Kind::Form
                    && figure.operation.strip_prefix("ray_attacks-").is_none_or(is_kept)
            }
            Section::Sweep => false,
        });
        let others = self.figures.iter_mut().filter(|figure| figure.contender != BASELINE);
        others.for_each(|figure| figure.to_copy = None);
        self
    }
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
        let needs = info.needs().iter().map(|&need| need.into()).collect();
        let (name, description) = (info.name().into(), info.description().into());
        KernelRow { name, description, status: status.into(), needs, missing }
    };
    Kernel::catalogue().iter().map(kernel).collect()
}

/// The run that the tests of tables and comparisons use: `tests/run.json`.
#[cfg(test)]
pub(crate) fn saved() -> Run {
    Run::read(&include_bytes!("../tests/run.json")[..]).expect("a saved run")
}

#[cfg(test)]
mod tests {
    use super::{Run, saved};

    #[test]
    fn runs_are_read_back_unchanged() {
        let text = serde_json::to_string(&saved()).unwrap();
        assert_eq!(Run::read(text.as_bytes()).unwrap(), saved());
        let old = text.replace("\"description\"", "\"technique\"");
        assert_eq!(Run::read(old.as_bytes()).unwrap(), saved());
        let other = text.replacen("\"schema\":1", "\"schema\":2", 1);
        let error = |source: &[u8]| Run::read(source).unwrap_err();
        assert!(error(other.as_bytes()).contains("schema is 2, expected 1"));
        assert!(error(b"{}").contains("missing field `schema`"));
        assert!(error(b"{\"schema\":1}").contains("missing field `version`"));
        assert!(error(b"\xff").contains("not a run"));
        // What terminals act on is escaped, in values and in errors.
        let escape = "\\u001b]0;x\\u0007";
        let brand = saved().machine.brand.unwrap();
        let named = Run::read(text.replace(&brand, escape).as_bytes()).unwrap();
        assert_eq!(named.machine.brand.unwrap(), "\\u{1b}]0;x\\u{7}");
        let bad = text.replacen("\"kernel\"", &format!("\"{escape}\""), 1);
        let bad = error(bad.as_bytes());
        assert!(bad.contains("unknown variant `\\u{1b}]0;x\\u{7}`"), "{bad}");
        let endless = Run::read(std::io::repeat(b' ')).unwrap_err();
        assert!(endless.contains("longer than 16 MiB"), "{endless}");
    }

    #[test]
    fn csv_has_every_figure_and_number() {
        let csv = saved().csv();
        let columns: Vec<_> = csv.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(columns.len(), saved().figures.len() + 1);
        assert!(columns.iter().all(|&count| count == columns[0]), "{csv}");
        let ns = saved().figures[0].ns;
        let [low, high] = ns.quartiles;
        let numbers = format!(",{},{low},{high},{},", ns.median, ns.minimum);
        assert!(csv.lines().nth(1).unwrap().contains(&numbers), "{csv}");
    }

    /// A summary has the main figures, and a summary of it is the same.
    #[test]
    fn summaries_keep_the_main_figures() {
        let summary = saved().summary();
        assert!(summary.summary && summary.figures.len() < saved().figures.len());
        assert_eq!(summary.clone().summary(), summary);
    }
}
