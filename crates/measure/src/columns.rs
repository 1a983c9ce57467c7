//! The numbers of a figure. The terminal, the CSV, the drawing and the report show the same numbers
//! by the same names.

use std::fmt::Write as _;

use crate::figures::{Added, Figure, Run, Section};
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
        Some(f.count("instructions")? / f.count("core_cycles").filter(|&cycles| cycles > 0.0)?)
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

/// A number of an added time: its name in CSV, its title in tables, and the number itself, if the
/// time is measurable.
type AddedNumber = (&'static str, &'static str, fn(&Run, &Added) -> Option<f64>);

/// Every number of an added time. Tables have them in this order.
#[rustfmt::skip]
pub(crate) const ADDED: [AddedNumber; 9] = [
    ("added_ns", "ns/node", |_, a| Some(a.ns?.median)),
    ("added_ns_low", "from", |_, a| Some(a.ns?.interval[0])),
    ("added_ns_high", "to", |_, a| Some(a.ns?.interval[1])),
    ("added_within_ns", "", |_, a| a.within_ns),
    ("to_look_ups", "/ look-ups", |_, a| Some(a.to_look_ups?.median)),
    ("to_look_ups_low", "from", |_, a| Some(a.to_look_ups?.interval[0])),
    ("to_look_ups_high", "to", |_, a| Some(a.to_look_ups?.interval[1])),
    ("added_cycles", "cycles", |run, a| Some(a.ns?.median * run.machine.clock_ghz)),
    ("rounds", "rounds", |_, a| Some(a.rounds as f64)),
];

impl Run {
    /// All figures as CSV, with a header. Added times come last, and have columns of their own.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = String::from("section,operation,input,contender,kind,shared_by");
        let names =
            NUMBERS.iter().map(|number| number.0).chain(ADDED.iter().map(|number| number.0));
        names.for_each(|name| _ = write!(text, ",{name}"));
        text.push('\n');
        // Names contain neither commas nor quotes.
        let mut row = |names: [&str; 6], numbers: &mut dyn Iterator<Item = Option<f64>>| {
            text += &names.join(",");
            for number in numbers {
                let number = number.map(|number| round(number).to_string());
                let _ = write!(text, ",{}", number.unwrap_or_default());
            }
            text.push('\n');
        };
        for figure in &self.figures {
            let Figure { operation, input, contender, .. } = figure;
            let (section, kind) = (name(figure.section), name(figure.kind));
            let names =
                [&section, operation, input, contender, &kind, &*figure.shared_by.join(" ")];
            let numbers = NUMBERS.iter().map(|number| (number.4)(self, figure));
            row(names, &mut numbers.chain(ADDED.map(|_| None)));
        }
        for added in &self.added {
            let Added { operation, input, contender, .. } = added;
            let (section, kind) = (name(Section::Walk), name(added.kind));
            let numbers = ADDED.iter().map(|number| (number.2)(self, added));
            row(
                [&section, operation, input, contender, &kind, ""],
                &mut NUMBERS.iter().map(|_| None).chain(numbers),
            );
        }
        text
    }
}
