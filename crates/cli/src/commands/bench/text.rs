//! Runs and comparisons as tables for a terminal.

use std::fmt::Write as _;

use setwise_measure::columns::better;
use setwise_measure::compare::Change;
use setwise_measure::figures::Run;
use setwise_measure::tables::{Group, Table, of_comparison, of_run};

use crate::cpu;
use crate::draw::{FAINT, STRONG, WRONG, styled};

/// The maximum length of a line in the first column, in characters.
const LABEL: usize = 40;
/// The maximum length of a line of an explanation.
const LINE: usize = 100;

/// Formats a run: the machine, then the tables of each section.
pub(crate) fn run(run: &Run) -> String {
    let mut text = machine(run);
    for line in &run.wrong {
        let _ = writeln!(text, "{}  {line}", styled(WRONG, "WRONG"));
    }
    groups(&mut text, &of_run(run));
    text
}

/// Formats several runs: the main operations side by side, then the changes from the first run to
/// each later one.
pub(crate) fn comparison(runs: &[Run], comparisons: &[Vec<Change>]) -> String {
    let mut text = String::new();
    for (number, run) in (1..).zip(runs) {
        let machine = run.machine.title();
        let _ = writeln!(text, "{number}  {machine}, setwise {}, {}", run.version, run.date);
    }
    groups(&mut text, &of_comparison(runs, comparisons));
    text
}

/// Formats the CPU, its caches and clock, and the versions and date of the run.
fn machine(run: &Run) -> String {
    let machine = &run.machine;
    let mut text = cpu::heading(machine);
    let _ = write!(text, "     clock measured {:.2} GHz", machine.clock_ghz);
    let _ = writeln!(text, "\n     setwise {}, {}, {}", run.version, run.rustc, run.date);
    if let Some(counted) = &run.counters {
        for line in wrapped(&format!("counters: {}", counted.line()), ' ', LINE - 5) {
            let _ = writeln!(text, "     {}", line.trim_end());
        }
    }
    text
}

fn groups(text: &mut String, groups: &[Group]) {
    let _ = writeln!(text, "     {}", better());
    for group in groups {
        let _ = writeln!(text, "\n{}", styled(STRONG, group.title));
        for line in wrapped(&group.about, ' ', LINE) {
            let _ = writeln!(text, "{}", styled(FAINT, line.trim_end()));
        }
        group.tables.iter().for_each(|one| table(text, one));
    }
}

/// Appends a table. The first column is aligned left, the others right. A long list of names in the
/// first column is wrapped.
fn table(text: &mut String, table: &Table) {
    let header = &table.header;
    let mut lines: Vec<Vec<_>> = vec![header.iter().map(|column| column.title.clone()).collect()];
    for row in &table.rows {
        let mut label = wrapped(&row.cells[0], ',', LABEL).into_iter();
        let mut first = row.cells.clone();
        first[0] = label.next().unwrap_or_default();
        lines.push(first);
        lines.extend(label.map(|part| {
            let mut line = vec![String::new(); header.len()];
            line[0] = format!("  {}", part.trim_start());
            line
        }));
    }
    let mut cells = vec![String::new(); lines.len()];
    for column in 0..header.len() {
        let width = lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        for (cells, line) in cells.iter_mut().zip(&lines) {
            let _ = match column {
                0 => write!(cells, "{:width$}", line[column]),
                _ => write!(cells, "  {:>width$}", line[column]),
            };
        }
    }
    let _ = writeln!(text, "\n{}", styled(STRONG, &table.title));
    for (i, line) in cells.iter().map(|line| line.trim_end()).enumerate() {
        let line = if i == 0 { styled(FAINT, line) } else { line.to_owned() };
        let _ = writeln!(text, "{line}");
    }
}

/// Wraps a text after a character, into lines of at most `most` characters. A longer part gets a
/// line of its own.
fn wrapped(text: &str, after: char, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in text.split_inclusive(after) {
        match lines.last_mut() {
            Some(line) if line.len() + part.trim_end().len() <= most => *line += part,
            _ => lines.push(part.into()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn long_lists_take_several_lines() {
        assert_eq!(wrapped("one, two", ',', 8), ["one, two"]);
        assert_eq!(wrapped("one, two, three", ',', 9), ["one, two,", " three"]);
        assert_eq!(wrapped("longer than that, x", ',', 5), ["longer than that,", " x"]);
    }
}
