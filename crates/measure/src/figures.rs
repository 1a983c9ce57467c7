//! What a run measured, as it is written and read: the JSON of `setwise bench`, described by `docs/bench-schema.json`.

use serde::{Deserialize, Serialize};
use setwise::{KernelStatus, Kernels};

use crate::counters::Counts;
use crate::machine::{Machine, round};
use crate::race::{Ratio, Spread, Times};

/// The version of the JSON. Fields may be added within one; what is there keeps its meaning.
pub const SCHEMA: u32 = 1;

/// One run of the benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The version of setwise.
    pub version: String,
    /// The compiler.
    pub rustc: String,
    /// What it compiled for.
    pub target: String,
    /// When the run ended, in UTC.
    pub date: String,
    /// The options that were given.
    pub options: Vec<String>,
    /// What of it took how many seconds, without the checks.
    pub seconds: f64,
    /// The CPU and what is around it.
    pub machine: Machine,
    /// The boards.
    pub inputs: Vec<Input>,
    /// Every kernel of the catalogue, best first.
    pub kernels: Vec<Kernel>,
    /// What was wrong, a line each: those contenders were not timed.
    pub wrong: Vec<String>,
    /// The core's clock behind some milliseconds of a kernel.
    pub clocks: Vec<Clock>,
    /// All that was timed.
    pub figures: Vec<Figure>,
}

/// Boards that were computed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// By which the figures speak of them.
    pub name: String,
    /// How many different ones.
    pub boards: usize,
    /// What they are.
    pub about: String,
}

/// A kernel of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// By which users choose it.
    pub name: String,
    /// How it works, in a line.
    pub technique: String,
    /// `available`, `unsupported` or `not-compiled`.
    pub status: String,
    /// What the CPU lacks.
    pub missing: Vec<String>,
}

/// The clock under a load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    /// The kernel that ran before.
    pub contender: String,
    /// Cycles in a nanosecond, measured by a chain of scalar instructions.
    pub ghz: f64,
}

/// What a figure is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Section {
    /// Every operation on random boards in the caches, in a new order every pass.
    Operations,
    /// The same on positions.
    Positions,
    /// Few boards a call, from a pool in the first cache.
    Calls,
    /// From one board a call to more than the caches hold.
    Sweep,
    /// Calls that wait for each other: the attacks of one are the sliders of the next.
    Latency,
    /// The forms of the literature.
    Techniques,
    /// Several threads, each with boards of its own in the caches.
    Threads,
    /// Several threads, each with boards of its own beyond the caches.
    ThreadsMemory,
}

impl Section {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Section::Operations => "operations",
            Section::Positions => "positions",
            Section::Calls => "calls",
            Section::Sweep => "sweep",
            Section::Latency => "latency",
            Section::Techniques => "techniques",
            Section::Threads => "threads",
            Section::ThreadsMemory => "threads-memory",
        }
    }
}

/// Who was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A kernel of the catalogue.
    Kernel,
    /// A form of a technique.
    Form,
    /// Another way, or another crate.
    Peer,
    /// The same bytes without chess.
    Roof,
}

/// One contender's times in one setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// What it is about.
    pub section: Section,
    /// The operation, with its direction or line.
    pub operation: String,
    /// The boards.
    pub input: String,
    /// Who.
    pub contender: String,
    /// Of what kind.
    pub kind: Kind,
    /// Boards in a call.
    pub boards_a_call: usize,
    /// Boards in a pass: calls of few boards are cut from a pool.
    pub boards: usize,
    /// Bytes read and written for a board.
    pub bytes_a_board: usize,
    /// Threads at once.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub threads: usize,
    /// Nanoseconds a board.
    pub ns: Spread,
    /// Boards computed in a second, by the median.
    pub boards_per_second: f64,
    /// Bytes read and written in a second, by the median.
    pub bytes_per_second: f64,
    /// Ticks of the time stamp counter a board, by the median: not cycles of the core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tsc_cycles: Option<f64>,
    /// The time divided by that of the kernel `scalar` in the same rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_scalar: Option<Ratio>,
    /// The time divided by that of `copy-xor` in the same rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_copy: Option<Ratio>,
    /// The time divided by that of `copy-xor-nt` in the same rounds, in the sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_copy_nt: Option<Ratio>,
    /// What the hardware counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<Counts>,
}

fn one() -> usize {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_one(threads: &usize) -> bool {
    *threads == 1
}

impl Figure {
    /// A figure without comparisons.
    pub(crate) fn new(
        (section, operation, input): (Section, &str, &str),
        (contender, kind): (&str, Kind),
        (boards_a_call, boards, bytes_a_board): (usize, usize, usize),
        (times, place, share): (&Times, usize, usize),
        tsc: Option<f64>,
    ) -> Figure {
        let ns = times.nanoseconds(place, share);
        let boards_per_second = 1e9 / ns.median;
        Figure {
            section,
            operation: operation.into(),
            input: input.into(),
            contender: contender.into(),
            kind,
            boards_a_call,
            boards,
            bytes_a_board,
            threads: 1,
            ns,
            boards_per_second: round(boards_per_second),
            bytes_per_second: round(boards_per_second * bytes_a_board as f64),
            tsc_cycles: tsc.map(|ghz| round(ns.median * ghz)),
            to_scalar: None,
            to_copy: None,
            to_copy_nt: None,
            counters: None,
        }
    }

    /// Bytes that a pass touches.
    #[must_use]
    pub fn working_set(&self) -> usize {
        self.boards * self.bytes_a_board
    }
}

impl Run {
    /// Reads a run.
    ///
    /// # Errors
    /// What is wrong with the text: no JSON, another version, a field that is missing.
    pub fn read(text: &str) -> Result<Run, String> {
        #[derive(Deserialize)]
        struct Version {
            schema: u32,
        }
        let told =
            |error: serde_json::Error| format!("no figures of `setwise bench --json`: {error}");
        let Version { schema } = serde_json::from_str(text).map_err(told)?;
        if schema != SCHEMA {
            return Err(format!("its schema is {schema}, but {SCHEMA} is known"));
        }
        serde_json::from_str(text).map_err(told)
    }

    /// The figures of a section, of one operation, for one number of boards a call if given.
    pub fn select(
        &self,
        section: Section,
        operation: &str,
        boards_a_call: Option<usize>,
    ) -> impl Iterator<Item = &Figure> {
        self.figures.iter().filter(move |figure| {
            figure.section == section
                && figure.operation == operation
                && boards_a_call.is_none_or(|boards| figure.boards_a_call == boards)
        })
    }

    /// All figures as CSV, with a line of names.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = String::from(
            "section,operation,input,contender,kind,boards_a_call,boards,bytes_a_board,threads,ns_median,ns_minimum,ns_low_quartile,\
             ns_high_quartile,boards_per_second,bytes_per_second,tsc_cycles,to_scalar,to_copy,to_copy_nt,\
             instructions,cycles,ipc,branch_misses,clock_ghz\n",
        );
        for f in &self.figures {
            let kind = match f.kind {
                Kind::Kernel => "kernel",
                Kind::Form => "form",
                Kind::Peer => "peer",
                Kind::Roof => "roof",
            };
            // Names have neither commas nor quotes.
            let mut cells: Vec<String> =
                [f.section.name(), &f.operation, &f.input, &f.contender, kind]
                    .map(str::to_owned)
                    .into();
            cells.extend(
                [f.boards_a_call, f.boards, f.bytes_a_board, f.threads].map(|n| n.to_string()),
            );
            let [low, high] = f.ns.quartiles;
            cells.extend(
                [
                    f.ns.median,
                    f.ns.minimum,
                    low,
                    high,
                    f.boards_per_second,
                    f.bytes_per_second,
                ]
                .map(|n| n.to_string()),
            );
            let ratio = |ratio: &Option<Ratio>| ratio.map(|ratio| ratio.median);
            let count = |pick: fn(&Counts) -> f64| f.counters.as_ref().map(pick);
            let optional = [
                f.tsc_cycles,
                ratio(&f.to_scalar),
                ratio(&f.to_copy),
                ratio(&f.to_copy_nt),
                count(|counts| counts.instructions),
                count(|counts| counts.cycles),
                count(|counts| counts.ipc),
                count(|counts| counts.branch_misses),
                count(|counts| counts.clock_ghz),
            ];
            cells.extend(optional.map(|n| n.map(|n| n.to_string()).unwrap_or_default()));
            text += &cells.join(",");
            text.push('\n');
        }
        text
    }
}

/// Every kernel of the catalogue.
#[must_use]
pub fn kernels() -> Vec<Kernel> {
    let kernel = |info: &setwise::KernelInfo| {
        let (status, missing) = match info.status() {
            KernelStatus::Available => ("available", Vec::new()),
            KernelStatus::Unsupported(missing) => {
                ("unsupported", missing.names().map(str::to_owned).collect())
            }
            _ => ("not-compiled", Vec::new()),
        };
        Kernel {
            name: info.name().into(),
            technique: info.technique().into(),
            status: status.into(),
            missing,
        }
    };
    Kernels::catalogue().iter().map(kernel).collect()
}
