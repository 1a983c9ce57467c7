//! Formats tables for a terminal.

use std::fmt::Write as _;

use crate::draw::{FAINT, STRONG, styled};

/// The maximum length of a line in the first column, in characters.
const LABEL: usize = 40;

/// Appends a table with a title, or nothing if there are no rows. The first column is aligned left,
/// the others right. Empty columns are left out. A long list of names in the first column is
/// wrapped.
pub(super) fn table(
    text: &mut String,
    title: &str,
    about: &str,
    header: &[&str],
    rows: Vec<Vec<String>>,
) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}  {about}", styled(STRONG, title));
    let mut lines = vec![header.iter().map(ToString::to_string).collect()];
    for mut row in rows {
        let mut label = wrapped(&row[0], LABEL).into_iter();
        row[0] = label.next().unwrap_or_default();
        let rest = label.map(|part| {
            let mut line = vec![String::new(); header.len()];
            line[0] = format!("  {part}");
            line
        });
        lines.push(row);
        lines.extend(rest);
    }
    let mut cells = vec![String::new(); lines.len()];
    for column in 0..header.len() {
        if lines[1..].iter().all(|line| line[column].is_empty()) {
            continue;
        }
        let width = lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        for (cells, line) in cells.iter_mut().zip(&lines) {
            let _ = match column {
                0 => write!(cells, "{:width$}", line[column]),
                _ => write!(cells, "  {:>width$}", line[column]),
            };
        }
    }
    for (i, line) in cells.iter().map(|line| line.trim_end()).enumerate() {
        let line = if i == 0 { styled(FAINT, line) } else { line.to_owned() };
        let _ = writeln!(text, "{line}");
    }
}

/// Wraps a list of names after its commas, into lines of at most `most` characters. A longer name
/// gets a line of its own.
fn wrapped(list: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for name in list.split_inclusive(", ") {
        match lines.last_mut() {
            Some(line) if line.len() + name.trim_end().len() <= most => *line += name,
            _ => lines.push(name.into()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn long_lists_take_several_lines() {
        assert_eq!(wrapped("one, two", 8), ["one, two"]);
        assert_eq!(wrapped("one, two, three", 9), ["one, two, ", "three"]);
        assert_eq!(wrapped("longer than that, x", 5), ["longer than that, ", "x"]);
    }
}
