//! The numbers of a figure. The terminal, the CSV, the drawing and the report show the same numbers
//! by the same names.

use std::fmt::Write as _;

use crate::figures::{Figure, Run};
use crate::number::{name, round};

/// The header of a column: its title, and which way is better (empty if neither is).
#[derive(Clone)]
pub struct Column {
    /// The title.
    pub title: String,
    /// [`HIGHER`], [`LOWER`] or empty.
    pub better: &'static str,
}

impl Column {
    pub(crate) fn new(title: impl Into<String>, better: &'static str) -> Column {
        Column { title: title.into(), better }
    }
}

/// Greater numbers are better.
pub const HIGHER: &str = "higher is better";
/// Smaller numbers are better.
pub const LOWER: &str = "lower is better";

/// Which way each number of the tables is better, in a line.
#[must_use]
pub fn better() -> String {
    let higher = NUMBERS.iter().filter(|number| number.2 == HIGHER).map(|number| number.1);
    let higher = higher.collect::<Vec<_>>().join(", ");
    format!("{higher}: {HIGHER}; times, their ratios, cycles and counts: {LOWER}")
}

/// A number of a figure: its name in CSV, its title in tables, which way is better, the tables that
/// have it, and the number itself, if the figure has it.
type Number = (&'static str, &'static str, &'static str, u8, fn(&Run, &Figure) -> Option<f64>);

/// Marks numbers in the tables of times.
pub(crate) const TIMES: u8 = 1;
/// Marks numbers in the tables of counters.
pub(crate) const COUNTS: u8 = 2;
/// Marks numbers that only the CSV has.
const NO: u8 = 0;

/// Every number of a figure. Tables have them in this order.
#[rustfmt::skip]
pub(crate) const NUMBERS: [Number; 22] = [
    ("mboards_per_second", "Mboards/s", HIGHER, TIMES, |_, f| Some(f.boards_per_second / 1e6)),
    ("times_scalar", "x scalar", HIGHER, TIMES, |_, f| f.times_scalar()),
    ("ns_median", "ns/board", LOWER, TIMES, |_, f| Some(f.ns.median)),
    ("ns_low_quartile", "25 %", LOWER, TIMES, |_, f| Some(f.ns.quartiles[0])),
    ("ns_high_quartile", "75 %", LOWER, TIMES, |_, f| Some(f.ns.quartiles[1])),
    ("ns_minimum", "fastest", LOWER, TIMES, |_, f| Some(f.ns.minimum)),
    ("gb_per_second", "GB/s", HIGHER, TIMES, |_, f| Some(f.bytes_a_board as f64 / f.ns.median)),
    ("to_copy", "/ copy-xor", LOWER, TIMES, |_, f| Some(f.to_copy?.median)),
    ("cycles", "cycles", LOWER, TIMES, |run, f| Some(f.ns.median * run.machine.clock_ghz)),
    ("core_cycles", "core cycles", LOWER, COUNTS, |_, f| f.count("core_cycles")),
    ("instructions", "instructions", LOWER, COUNTS, |_, f| f.count("instructions")),
    ("ipc", "IPC", HIGHER, COUNTS, |_, f| {
        Some(f.count("instructions")? / f.count("core_cycles")?)
    }),
    ("branch_misses", "branch misses", LOWER, COUNTS, |_, f| f.count("branch_misses")),
    ("first_level_misses", "L1D misses", LOWER, COUNTS, |_, f| f.count("first_level_misses")),
    ("last_level_misses", "LL misses", LOWER, COUNTS, |_, f| f.count("last_level_misses")),
    ("stall_cycles", "stall cycles", LOWER, COUNTS, |_, f| f.count("stall_cycles")),
    ("task_nanoseconds", "task ns", LOWER, COUNTS, |_, f| f.count("task_nanoseconds")),
    ("page_faults", "page faults", LOWER, COUNTS, |_, f| f.count("page_faults")),
    ("context_switches", "switches", LOWER, COUNTS, |_, f| f.count("context_switches")),
    ("boards_a_call", "", "", NO, |_, f| Some(f.boards_a_call as f64)),
    ("boards", "", "", NO, |_, f| Some(f.boards as f64)),
    ("bytes_a_board", "", "", NO, |_, f| Some(f.bytes_a_board as f64)),
];

impl Run {
    /// All figures as CSV, with a header.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = String::from("section,operation,input,contender,kind,shared_by");
        for (name, ..) in NUMBERS {
            let _ = write!(text, ",{name}");
        }
        text.push('\n');
        for figure in &self.figures {
            // Names contain neither commas nor quotes.
            let Figure { operation, input, contender, .. } = figure;
            let (section, kind) = (name(figure.section), name(figure.kind));
            let shared_by = figure.shared_by.join(" ");
            let _ = write!(text, "{section},{operation},{input},{contender},{kind},{shared_by}");
            for (.., column) in NUMBERS {
                let number = column(self, figure).map(|number| round(number).to_string());
                let _ = write!(text, ",{}", number.unwrap_or_default());
            }
            text.push('\n');
        }
        text
    }
}
