//! The figures of runs as groups of tables. The terminal, the report and its charts show these
//! tables, so a number looks the same everywhere.

use std::fmt::Write as _;

use crate::compare::{self, Change};
use crate::contender::Kind;
use crate::figures::{Figure, Run, Section, distinct};
use crate::number::{capacity, significant};
use crate::settings::{BASELINE, MAIN};

/// A part of the report.
pub struct Group {
    /// The title.
    pub title: &'static str,
    /// What is measured, in a few sentences.
    pub about: String,
    /// The tables.
    pub tables: Vec<Table>,
}

/// A table. The first cell of a row is its name, all others are numbers.
pub struct Table {
    /// The title, usually an operation.
    pub title: String,
    /// The header of each column.
    pub header: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row of a [`Table`].
pub struct Row {
    /// The cells. Unknown numbers are empty.
    pub cells: Vec<String>,
    /// The length of the row's bar as a fraction of the longest, with the kind of its contender.
    /// The bar shows the number in the second column.
    pub bar: Option<(f64, Kind)>,
}

/// Sections whose tables have one row per contender, with their titles and explanations.
const GROUPS: [(&[Section], &str, &str); 3] = [
    (
        &[Section::Operations],
        "Random boards in the caches",
        "Calls of 4,096 boards, in a new order every iteration.",
    ),
    (
        &[Section::Positions, Section::Repeated],
        "Positions of games in the caches",
        "The same on positions. Look-ups slider by slider take less time if there are fewer \
         sliders, or if the boards come in the same order again and again, because a branch \
         predictor memorises them. Set-wise kernels take the same time for any boards.",
    ),
    (
        &[Section::Maps],
        "Whole positions",
        "From the twelve sets of a position, each contender computes the attacks by side and kind, \
         their unions and the attacks by lesser pieces, or checks and pins. A board is a position \
         here. `_one` is one position per call. cozy-magic looks up the attacks piece by piece.",
    ),
];

/// The groups of tables of one run.
#[must_use]
pub fn of_run(run: &Run) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (sections, title, about) in GROUPS {
        let tables = sections.iter().flat_map(|&section| times(run, section)).collect();
        let names = distinct(sections.iter().flat_map(|&s| run.section(s)).map(|f| &*f.input));
        let inputs = run.inputs.iter().filter(|input| names.contains(&&*input.name));
        let mut about = String::from(about);
        for input in inputs {
            let _ = write!(about, " {}: {}.", input.name, input.about);
        }
        groups.push(Group { title, about, tables });
    }
    let mut group = |title, about: &str, tables| {
        groups.push(Group { title, about: about.into(), tables });
    };
    group(
        "One board",
        "Nanoseconds for one board by value, with about two sliders. Throughput: calls that do not \
         depend on each other. Latency: each call's sliders are computed from the previous call's \
         attacks (chain-alone is that computation without a kernel). Cold: like latency, after \
         other memory has taken the place of tables in the caches. Kernels with the same code have \
         one row; board is the inlined function of setwise::board.",
        one_board(run),
    );
    group(
        "Batch size, to beyond the caches",
        "Calls of up to 512 boards take their boards from a pool of 1,024, always in the same \
         order. copy-xor reads and writes the same number of bytes in the widest registers; \
         copy-xor-nt does so with non-temporal stores, which bypass the caches.",
        sizes(run),
    );
    group(
        "Techniques",
        "The forms of setwise::techniques, each called in a plain loop, next to the kernels.",
        times(run, Section::Techniques),
    );
    groups.retain(|group| !group.tables.is_empty());
    groups
}

fn strings(cells: &[&str]) -> Vec<String> {
    cells.iter().map(ToString::to_string).collect()
}

/// A cell with three significant digits, or an empty one.
fn cell(number: Option<f64>) -> String {
    number.map(significant).unwrap_or_default()
}

fn two_decimals(number: Option<f64>) -> String {
    number.map(|number| format!("{number:.2}")).unwrap_or_default()
}

fn million_boards(figure: &Figure) -> f64 {
    figure.boards_per_second / 1e6
}

/// A table for each operation of a section, with one row per contender: the fastest first, copies
/// last. A long list of operations is reduced to the main ones: JSON and CSV have all.
fn times(run: &Run, section: Section) -> Vec<Table> {
    let mut operations = distinct(run.section(section).map(|figure| &*figure.operation));
    let is_long = operations.len() > 2 * MAIN.len();
    if section != Section::Techniques && is_long {
        operations.retain(|operation| MAIN.contains(operation));
    }
    let table = |operation: &str| {
        let mut figures: Vec<&Figure> = run.select(section, operation).collect();
        let is_roof = |figure: &Figure| figure.kind == Kind::Roof;
        figures.sort_by(|a, b| {
            (is_roof(a).cmp(&is_roof(b))).then(a.ns.median.total_cmp(&b.ns.median))
        });
        let computes = |figure: &&&Figure| figure.kind != Kind::Roof;
        let fastest = figures.iter().filter(computes).map(|f| million_boards(f));
        let most = fastest.fold(f64::MIN_POSITIVE, f64::max);
        let row = |figure: &&Figure| {
            let [low, high] = figure.ns.quartiles.map(significant);
            let bar = (million_boards(figure) / most, figure.kind);
            Row {
                cells: vec![
                    figure.label(),
                    significant(million_boards(figure)),
                    two_decimals(figure.times_scalar()),
                    significant(figure.ns.median),
                    format!("{low}-{high}"),
                    significant(figure.ns.minimum),
                    significant(figure.bytes_per_second / 1e9),
                    two_decimals(figure.to_copy.map(|ratio| ratio.median)),
                    significant(run.cycles(figure)),
                    two_decimals(figure.counters.map(|counts| counts.ipc)),
                ],
                bar: (figure.kind != Kind::Roof).then_some(bar),
            }
        };
        let title = match section {
            Section::Repeated => format!("{operation}, always in the same order"),
            _ => operation.to_owned(),
        };
        let header = [
            "",
            "Mboards/s",
            "x scalar",
            "ns/board",
            "quartiles",
            "fastest",
            "GB/s",
            "/ copy-xor",
            "cycles",
            "IPC",
        ];
        Table { title, header: strings(&header), rows: figures.iter().map(row).collect() }
    };
    operations.into_iter().map(table).collect()
}

/// A table for each operation on one board, with its throughput, latency and cold time.
fn one_board(run: &Run) -> Vec<Table> {
    let sections = [Section::Throughput, Section::Latency, Section::Cold];
    let all = || sections.iter().flat_map(|&section| run.section(section));
    let table = |operation: &str| {
        let own = sections.map(|section| run.select(section, operation).collect::<Vec<_>>());
        let computes = own[0].iter().filter(|figure| figure.kind != Kind::Roof);
        let most = computes.map(|f| 1.0 / f.ns.median).fold(f64::MIN_POSITIVE, f64::max);
        let labels = distinct(own.iter().flatten().map(|figure| (figure.label(), figure.kind)));
        let row = |(label, kind): (String, Kind)| {
            let found = |figures: &Vec<&Figure>| {
                figures.iter().find(|figure| figure.label() == label).map(|f| f.ns.median)
            };
            let ns = own.each_ref().map(found);
            let bar = ns[0].filter(|_| kind != Kind::Roof).map(|ns| (1.0 / ns / most, kind));
            Row { cells: [vec![label.clone()], ns.map(cell).into()].concat(), bar }
        };
        let header = strings(&["", "throughput, ns", "latency, ns", "cold, ns"]);
        Table { title: operation.into(), header, rows: labels.into_iter().map(row).collect() }
    };
    distinct(all().map(|figure| &*figure.operation)).into_iter().map(table).collect()
}

/// The names of the contenders in the sweep: kernels, then the copies.
pub(crate) fn swept(run: &Run) -> Vec<&str> {
    let of_kind = |kind| run.section(Section::Sweep).filter(move |figure| figure.kind == kind);
    let figures = of_kind(Kind::Kernel).chain(of_kind(Kind::Roof));
    distinct(figures.map(|figure| &*figure.contender))
}

/// A table of nanoseconds per board for each operation, with one row per batch size and one column
/// per contender.
fn sizes(run: &Run) -> Vec<Table> {
    let names = swept(run);
    let table = |operation: &str| {
        let figures: Vec<&Figure> = run.select(Section::Sweep, operation).collect();
        let row = |(boards, bytes): (usize, usize)| {
            let ns = |name: &&str| {
                let mut own = figures.iter();
                own.find(|f| f.contender == *name && f.boards_a_call == boards).map(|f| f.ns.median)
            };
            let numbers = names.iter().map(|name| cell(ns(name)));
            let cells = [boards.to_string(), capacity(bytes)].into_iter().chain(numbers).collect();
            Row { cells, bar: None }
        };
        let rows = distinct(figures.iter().map(|f| (f.boards_a_call, f.working_set())));
        Table {
            title: format!("{operation}, ns/board"),
            header: strings(&[&["boards", "memory"], &*names].concat()),
            rows: rows.into_iter().map(row).collect(),
        }
    };
    distinct(run.section(Section::Sweep).map(|f| &*f.operation)).into_iter().map(table).collect()
}

/// The tables of several runs: the main operations side by side, then the mean changes from the
/// first run to each later one.
///
/// # Panics
/// If there is no run.
#[must_use]
pub fn of_comparison(runs: &[Run], comparisons: &[Vec<Change>]) -> Vec<Group> {
    let numbers = || 1..=runs.len();
    let mut header = strings(&[""]);
    for unit in ["x scalar", "ns", "cycles"] {
        header.extend(numbers().map(|number| format!("{unit} {number}")));
    }
    header.extend(numbers().skip(1).map(|number| format!("{number} / 1")));
    let table = |operation: &&str| {
        let figure = |run: &'_ Run, name: &str| {
            run.select(Section::Operations, operation).find(|f| f.contender == name).cloned()
        };
        let all = runs.iter().flat_map(|run| run.select(Section::Operations, operation));
        let mut names = distinct(all.filter(|f| f.kind != Kind::Roof).map(|f| &*f.contender));
        let last = runs.last().expect("at least one run");
        let ns = |name: &str| figure(last, name).map_or(f64::INFINITY, |f| f.ns.median);
        names.sort_by(|a, b| ns(a).total_cmp(&ns(b)));
        let row = |name: &str| {
            let own: Vec<Option<Figure>> = runs.iter().map(|run| figure(run, name)).collect();
            let mut cells = strings(&[name]);
            cells.extend(
                own.iter().map(|f| two_decimals(f.as_ref().and_then(Figure::times_scalar))),
            );
            cells.extend(own.iter().map(|f| cell(f.as_ref().map(|f| f.ns.median))));
            let cycles = |(run, f): (&Run, &Option<Figure>)| f.as_ref().map(|f| run.cycles(f));
            cells.extend(runs.iter().zip(&own).map(|both| cell(cycles(both))));
            // The change of `scalar` is relative to `copy-xor`, so it is not in this table.
            cells.extend(comparisons.iter().map(|changes| {
                let same = |c: &&Change| {
                    (c.section, &*c.operation, &*c.contender)
                        == (Section::Operations, *operation, name)
                };
                let change = changes.iter().find(same).filter(|_| name != BASELINE);
                two_decimals(change.map(|change| change.factor))
            }));
            Row { cells, bar: None }
        };
        let rows: Vec<Row> = names.into_iter().map(row).collect();
        Table { title: format!("{operation}, per board"), header: header.clone(), rows }
    };
    let mut groups = vec![Group {
        title: "Random boards in the caches, side by side",
        about: "Sorted by the last run. x scalar is a multiple of the speed of the run's own \
                scalar, so a faster clock cancels out. The last columns divide times, each divided \
                by scalar's (above 1: slower)."
            .into(),
        tables: MAIN.iter().map(table).filter(|table| !table.rows.is_empty()).collect(),
    }];
    let means = |(number, changes): (usize, &Vec<Change>)| {
        let row = |mean: compare::Mean| Row {
            cells: vec![
                format!("{} {}", mean.contender, mean.operation),
                mean.settings.to_string(),
                format!("{:.3}", mean.factor),
                format!("{:.3}", mean.of_minima),
            ],
            bar: None,
        };
        Table {
            title: format!("{number} against 1"),
            header: strings(&["", "settings", "median", "fastest"]),
            rows: compare::means(changes).into_iter().map(row).collect(),
        }
    };
    groups.push(Group {
        title: "Changes",
        about: "The geometric mean of the changes of a contender in all settings of an operation \
                that both runs have, for the medians and for the fastest samples (above 1: \
                slower). scalar is compared with copy-xor, over all operations."
            .into(),
        tables: (2..).zip(comparisons).map(means).filter(|table| !table.rows.is_empty()).collect(),
    });
    groups.retain(|group| !group.tables.is_empty());
    groups
}

#[cfg(test)]
mod tests {
    use super::{of_comparison, of_run};
    use crate::compare::changes;
    use crate::figures::saved;

    /// Every table has a cell for each header, and the bars are fractions.
    #[test]
    fn tables_are_complete() {
        let run = saved();
        let groups = of_run(&run);
        let titles: Vec<_> = groups.iter().map(|group| group.title).collect();
        assert_eq!(titles.len(), 6, "{titles:?}");
        let runs = [run.clone(), run];
        let comparison = of_comparison(&runs, &[changes(&runs[0], &runs[1])]);
        assert_eq!(comparison.len(), 2);
        for group in groups.iter().chain(&comparison) {
            for table in &group.tables {
                assert!(!table.rows.is_empty(), "{}", table.title);
                for row in &table.rows {
                    assert_eq!(row.cells.len(), table.header.len(), "{}", table.title);
                    assert!(row.bar.is_none_or(|(part, _)| (0.0..=1.0).contains(&part)));
                    assert!(row.cells.iter().all(|cell| !cell.contains("NaN")));
                }
            }
        }
    }

    /// The rows are sorted, and the numbers are those of the run.
    #[test]
    fn numbers_are_those_of_the_run() {
        let run = saved();
        let groups = of_run(&run);
        let table = groups[0].tables.iter().find(|table| table.title == "slider_attacks").unwrap();
        let row = table.rows.iter().find(|row| row.cells[0] == "avx2").unwrap();
        let figure = run.figures.iter().find(|f| f.contender == "avx2").unwrap();
        assert_eq!(figure.operation, "slider_attacks");
        let speed: f64 = row.cells[1].parse().unwrap();
        assert!((speed / (figure.boards_per_second / 1e6) - 1.0).abs() < 0.01);
        let times: f64 = row.cells[2].parse().unwrap();
        assert!((times * figure.to_scalar.unwrap().median - 1.0).abs() < 0.01);
        let ns = |i: usize| table.rows[i].cells[3].parse::<f64>().unwrap();
        let computing = table.rows.iter().filter(|row| row.bar.is_some()).count();
        assert!((1..computing).all(|i| ns(i - 1) <= ns(i)));
    }

    /// A contender that a run lacks has empty cells, and comes last if it is the last run.
    #[test]
    fn missing_contenders_are_empty() {
        let mut later = saved();
        later.figures.retain(|figure| figure.contender != "avx2");
        let runs = [saved(), later];
        let groups = of_comparison(&runs, &[changes(&runs[0], &runs[1])]);
        let rows = &groups[0].tables[0].rows;
        let last = &rows.last().unwrap().cells;
        assert_eq!((&*last[0], &*last[2], &*last[7]), ("avx2", "", ""));
        assert!(!last[1].is_empty());
        let scalar = rows.iter().find(|row| row.cells[0] == "scalar").unwrap();
        assert_eq!(scalar.cells[7], "");
    }
}
