//! Runs and comparisons as tables for a terminal.

use std::fmt::Write as _;

use setwise_measure::columns::better;
use setwise_measure::compare::Change;
use setwise_measure::figures::Run;
use setwise_measure::tables::{Group, Table, of_comparison, of_run};
use textwrap::{Options, WordSplitter};

use crate::commands::probe;
use crate::draw::{FAINT, STRONG, WRONG, styled};

/// The maximum length of a line in the first column, in characters.
const LABEL: usize = 40;
/// The maximum length of a line of an explanation.
const LINE: usize = 100;

pub(crate) fn run(run: &Run) -> String {
    let mut text = machine(run);
    for line in &run.wrong {
        let _ = writeln!(text, "{}  {line}", styled(WRONG, "WRONG"));
    }
    groups(&mut text, &of_run(run));
    text
}

/// Formats several runs side by side, then the changes from the first run to each later one.
pub(crate) fn comparison(runs: &[Run], comparisons: &[Vec<Change>]) -> String {
    let mut text = String::new();
    for (number, run) in (1..).zip(runs) {
        let machine = run.machine.title();
        let _ = writeln!(text, "{number}  {machine}, setwise {}, {}", run.version, run.date);
    }
    groups(&mut text, &of_comparison(runs, comparisons));
    text
}

fn machine(run: &Run) -> String {
    let machine = &run.machine;
    let mut text = probe::heading(machine);
    let _ = write!(text, "     clock measured {:.2} GHz", machine.clock_ghz);
    let _ = writeln!(text, "\n     setwise {}, {}, {}", run.version, run.rustc, run.date);
    if let Some(counted) = &run.counters {
        for line in textwrap::wrap(&format!("counters: {}", counted.line()), wrapped(LINE - 5)) {
            let _ = writeln!(text, "     {line}");
        }
    }
    text
}

/// Lines of at most this many characters, in which words with hyphens stay whole.
fn wrapped(width: usize) -> Options<'static> {
    Options::new(width).word_splitter(WordSplitter::NoHyphenation)
}

fn groups(text: &mut String, groups: &[Group]) {
    let _ = writeln!(text, "     {}", better());
    for group in groups {
        let _ = writeln!(text, "\n{}", styled(STRONG, group.title));
        for line in textwrap::wrap(&group.about, wrapped(LINE)) {
            let _ = writeln!(text, "{}", styled(FAINT, &line));
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
        let label = textwrap::wrap(&row.cells[0], wrapped(LABEL).subsequent_indent("  "));
        for (i, part) in label.into_iter().enumerate() {
            let mut line =
                if i == 0 { row.cells.clone() } else { vec![String::new(); header.len()] };
            line[0] = part.into_owned();
            lines.push(line);
        }
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
