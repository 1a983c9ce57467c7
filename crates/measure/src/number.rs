//! How numbers and the names of variants are written.

use serde::Serialize;

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

/// The name that an enum's variant has in JSON.
///
/// # Panics
/// If the variant has fields.
pub fn name(variant: impl Serialize) -> String {
    let value = serde_json::to_value(variant).expect("a variant without fields");
    value.as_str().expect("a variant without fields").into()
}

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
