//! The numbers of the benchmark: how they are rounded, and which of them are shown. The terminal,
//! the CSV, the drawing and the report show the same numbers by the same names.

use crate::figures::{Figure, Run};

/// Rounds to four significant digits: more would be noise.
#[must_use]
pub fn round(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

/// Formats a number with three significant digits. Numbers from 100 have no decimals, and numbers
/// below 1 have three.
#[must_use]
pub fn significant(number: f64) -> String {
    match number {
        n if n >= 100.0 => format!("{n:.0}"),
        n if n >= 10.0 => format!("{n:.1}"),
        n if n >= 1.0 => format!("{n:.2}"),
        n => format!("{n:.3}"),
    }
}

/// Formats a number of bytes in the largest unit in which the number is at least 1.
#[must_use]
pub fn capacity(bytes: usize) -> String {
    match bytes {
        b if b >= 1 << 30 => format!("{:.1} GiB", b as f64 / f64::from(1 << 30)),
        b if b >= 1 << 20 => format!("{} MiB", b >> 20),
        b if b >= 1 << 10 => format!("{} KiB", b >> 10),
        b => format!("{b} B"),
    }
}

/// The names of a figure's numbers: in CSV, and in tables (empty if tables leave it out). Then the
/// number itself, if the figure has it.
type Number = (&'static str, &'static str, fn(&Run, &Figure) -> Option<f64>);

/// Every number of a figure. Tables have them in this order.
pub(crate) const NUMBERS: [Number; 12] = [
    ("mboards_per_second", "Mboards/s", |_, f| Some(f.boards_per_second / 1e6)),
    ("times_scalar", "x scalar", |_, f| f.times_scalar()),
    ("ns_median", "ns/board", |_, f| Some(f.ns.median)),
    ("ns_low_quartile", "25 %", |_, f| Some(f.ns.quartiles[0])),
    ("ns_high_quartile", "75 %", |_, f| Some(f.ns.quartiles[1])),
    ("ns_minimum", "fastest", |_, f| Some(f.ns.minimum)),
    ("gb_per_second", "GB/s", |_, f| Some(f.bytes_a_board as f64 / f.ns.median)),
    ("to_copy", "/ copy-xor", |_, f| Some(f.to_copy?.median)),
    ("cycles", "cycles", |run, f| Some(f.ns.median * run.machine.clock_ghz)),
    ("boards_a_call", "", |_, f| Some(f.boards_a_call as f64)),
    ("boards", "", |_, f| Some(f.boards as f64)),
    ("bytes_a_board", "", |_, f| Some(f.bytes_a_board as f64)),
];

#[cfg(test)]
mod tests {
    use super::{capacity, round, significant};

    #[test]
    fn digits_and_units() {
        assert_eq!(round(1234.5678).to_string(), "1235");
        let numbers = [0.01234, 1.234, 12.34, 1234.0];
        assert_eq!(numbers.map(significant), ["0.012", "1.23", "12.3", "1234"]);
        assert_eq!([7, 48 << 10, 3 << 29].map(capacity), ["7 B", "48 KiB", "1.5 GiB"]);
    }
}
