//! The figures of runs as groups of tables. The terminal and the report show these tables.

use std::fmt::Write as _;

use crate::columns::{ADDED, COUNTS, Column, HIGHER, LOWER, NUMBERS, TIMES};
use crate::compare::{Change, changes};
use crate::figures::{Added, Figure, Kind, Run, Section, distinct};
use crate::names::MAIN;
use crate::number::{capacity, name, significant};

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
    /// The header of each column. Columns without numbers are left out.
    pub header: Vec<Column>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row of a [`Table`].
pub struct Row {
    /// The cells. Unknown numbers are empty.
    pub cells: Vec<String>,
    /// The length of the row's bar as a fraction of the longest, and its style. The bar shows the
    /// number in the second column.
    pub bar: Option<(f64, &'static str)>,
}

/// Sections whose tables have one row per contender, with their titles and explanations.
const GROUPS: [(&[Section], &str, &str); 4] = [
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
    (
        &[Section::Threats],
        "Threats",
        "All pairs of attacker and attacked piece, kings and defended pieces too: of a position, \
         or only those that a move adds and removes. A board is a position or a move here. The \
         kernels are those with code of their own and `scalar`; cozy-magic looks up the attacks \
         piece by piece.",
    ),
];

const WALK: &str = "\
The time that a call adds to each node of a walk through games. A node probes a table of 64 MiB, \
calls, evaluates, generates the legal moves and plays one. walk-alone is the whole time of a node \
without a call; cozy-magic looks up the attacks piece by piece. A time is the median of the \
differences between walks with and without the call, in pairs, and the interval contains it with a \
confidence of 99 %. If the interval holds zero, there is no figure: not measurable.";
const ONE_BOARD: &str = "\
Nanoseconds for one board by value, with about two sliders. Throughput: calls that do not depend on \
each other. Latency: each call's sliders are computed from the previous call's attacks (chain-alone \
is that computation without a kernel). Cold: like latency, after other memory has taken the place of \
tables in the caches. Kernels with the same code have one row; board is the inlined function of \
setwise::board.";
const SWEEP: &str = "\
Nanoseconds per board. Calls of up to 512 boards take their boards from a pool of 1,024, always in \
the same order. copy-xor reads and writes the same number of bytes in the widest registers.";
const TECHNIQUES: &str =
    "The forms of setwise::techniques, each called in a plain loop, next to the kernels.";
const COUNTERS: &str = "\
Per board, only user code, in a run of its own. Core cycles do not depend on the clock, instructions \
on nothing else that the machine does. A count within what an empty region counts is not measurable. \
IPC: instructions per core cycle. LL: the last level of cache \
(on AMD, Linux counts the second level).";
const SIDE_BY_SIDE: &str = "\
x scalar is a multiple of the speed of the run's own scalar, so a faster clock cancels out.";
const CHANGES: &str = "\
The geometric mean of the changes of a contender in all settings of an operation that both runs \
have, for the medians and for the fastest samples (above 1: slower). Times are divided by scalar's \
in the same run; scalar is compared with copy-xor, over all operations. Instructions per board, if \
both runs counted them, are compared as they are.";

/// The groups of tables of one run.
#[must_use]
pub fn of_run(run: &Run) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (sections, title, about) in GROUPS {
        let tables = sections.iter().flat_map(|&section| times(run, section, TIMES)).collect();
        let names = distinct(sections.iter().flat_map(|&s| run.section(s)).map(|f| &*f.input));
        groups.push(Group { title, about: with_inputs(about, run, &names), tables });
    }
    let names = distinct(run.added.iter().map(|added| &*added.input));
    let about = with_inputs(WALK, run, &names);
    groups.push(Group { title: "In a search", about, tables: walks(run) });
    for (title, about, tables) in [
        ("One board", ONE_BOARD, one_board(run)),
        ("Batch size, to beyond the caches", SWEEP, sizes(run)),
        ("Techniques", TECHNIQUES, times(run, Section::Techniques, TIMES)),
        ("Counters", COUNTERS, counters(run)),
    ] {
        groups.push(Group { title, about: about.into(), tables });
    }
    groups.retain(|group| !group.tables.is_empty());
    groups
}

/// The tables of several runs: the main operations side by side, then the mean changes from the
/// first run to each later one.
#[must_use]
pub fn of_comparison(runs: &[Run], comparisons: &[Vec<Change>]) -> Vec<Group> {
    let count = runs.len();
    let header: Vec<Column> = [("x scalar", HIGHER), ("ns/board", LOWER)]
        .into_iter()
        .flat_map(|(unit, better)| {
            (1..=count).map(move |number| Column::new(format!("{unit} {number}"), better))
        })
        .collect();
    let side_by_side = MAIN.map(|operation| {
        let cells = runs.iter().enumerate().flat_map(|(number, run)| {
            let figures = run.select(Section::Operations, operation);
            figures.filter(|f| f.kind != Kind::Roof).flat_map(move |f| {
                let name = || vec![f.contender.clone()];
                let speed = f.times_scalar().map(|times| (name(), number, times));
                [speed, Some((name(), count + number, f.ns.median))].into_iter().flatten()
            })
        });
        pivot(operation.into(), &[""], &header, cells)
    });
    let changed = (2..).zip(comparisons).map(|(number, changes)| {
        let cells = changes.iter().flat_map(|change| {
            let name = || vec![format!("{} {}", change.contender, change.operation)];
            let times = [change.settings as f64, change.factor, change.of_minima].map(Some);
            let numbers = (0..).zip(times.into_iter().chain([change.instructions]));
            numbers.filter_map(move |(i, number)| Some((name(), i, number?)))
        });
        let mut header = ["settings", "median", "fastest", "instructions"].map(lower);
        header[0].better = "";
        pivot(format!("{number} against 1"), &[""], &header, cells)
    });
    let mut groups = vec![
        Group {
            title: "Random boards in the caches, side by side",
            about: SIDE_BY_SIDE.into(),
            tables: side_by_side.into(),
        },
        Group { title: "Changes", about: CHANGES.into(), tables: changed.collect() },
    ];
    for group in &mut groups {
        group.tables.retain(|table| !table.rows.is_empty());
    }
    groups.retain(|group| !group.tables.is_empty());
    groups
}

/// The changes from the first run to each later run.
#[must_use]
pub fn comparisons(runs: &[Run]) -> Vec<Vec<Change>> {
    runs.iter().skip(1).map(|later| changes(&runs[0], later)).collect()
}

/// A table for each operation of a section, with one row per contender: the fastest first, copies
/// last. A long list of operations is reduced to the main ones: JSON and CSV have all.
fn times(run: &Run, section: Section, shown: u8) -> Vec<Table> {
    let mut operations = distinct(run.section(section).map(|figure| &*figure.operation));
    if section != Section::Techniques && operations.len() > 2 * MAIN.len() {
        operations.retain(|operation| MAIN.contains(operation));
    }
    let numbers = || NUMBERS.iter().filter(|number| number.3 & shown != 0);
    let table = |operation: &str| {
        let mut figures: Vec<&Figure> = run.select(section, operation).collect();
        figures.sort_by(|a, b| {
            let key = |figure: &Figure| (figure.kind == Kind::Roof, figure.ns.median);
            key(a).partial_cmp(&key(b)).expect("times are numbers")
        });
        let fastest = figures.first().map_or(f64::MAX, |figure| figure.ns.median);
        let row = |figure: &&Figure| {
            let numbers = numbers().map(|number| match (number.4)(run, figure) {
                None if is_unclear(figure, number.0) => "not measurable".into(),
                found => found.map(significant).unwrap_or_default(),
            });
            let bar = (fastest / figure.ns.median, figure.class());
            Row {
                cells: [figure.label()].into_iter().chain(numbers).collect(),
                bar: (shown == TIMES && figure.kind != Kind::Roof).then_some(bar),
            }
        };
        let title = match section {
            _ if shown == COUNTS => format!("{operation}, {}", name(section)),
            Section::Repeated => format!("{operation}, always in the same order"),
            _ => operation.to_owned(),
        };
        let columns = numbers().map(|number| Column::new(number.1, number.2));
        let header = [Column::new("", "")].into_iter().chain(columns).collect();
        used(Table { title, header, rows: figures.iter().map(row).collect() })
    };
    operations.into_iter().map(table).collect()
}

/// Whether a number, or one that it is made from, was counted and is not measurable.
fn is_unclear(figure: &Figure, number: &str) -> bool {
    let made_from = if number == "ipc" { &["instructions", "core_cycles"][..] } else { &[number] };
    figure.not_measurable.iter().any(|name| made_from.contains(&&**name))
}

/// The text, followed by what the inputs with these names are.
fn with_inputs(about: &str, run: &Run, names: &[&str]) -> String {
    let mut about = String::from(about);
    for input in run.inputs.iter().filter(|input| names.contains(&&*input.name)) {
        let _ = write!(about, " {}: {}.", input.name, input.about);
    }
    about
}

/// A table of added times for each operation: the shortest first, then those that are not
/// measurable, and the walk itself.
fn walks(run: &Run) -> Vec<Table> {
    let shown = || ADDED.iter().filter(|number| !number.1.is_empty());
    let table = |operation: &str| {
        let mut all: Vec<&Added> =
            run.added.iter().filter(|added| added.operation == operation).collect();
        all.sort_by(|a, b| {
            let key = |added: &Added| added.ns.map_or(f64::INFINITY, |ns| ns.median);
            key(a).total_cmp(&key(b))
        });
        let row = |added: &&Added| {
            let text = |name: &str, number: f64| match name {
                "rounds" => number.to_string(),
                _ => significant(number),
            };
            let numbers = shown().map(|(name, _, number)| Some(text(name, number(run, added)?)));
            let mut cells: Vec<String> = [added.contender.clone()]
                .into_iter()
                .chain(numbers.map(Option::unwrap_or_default))
                .collect();
            if added.ns.is_none() {
                cells[1] = match added.within_ns {
                    Some(most) => format!("not measurable (within {} ns)", significant(most)),
                    None => "not measurable (too few rounds)".into(),
                };
            }
            Row { cells, bar: None }
        };
        let mut rows: Vec<Row> = all.iter().map(row).collect();
        for walk in run.select(Section::Walk, operation) {
            let [low, high] = walk.ns.quartiles;
            let mut cells = vec![String::new(); 1 + shown().count()];
            cells[0].clone_from(&walk.contender);
            cells[1] = format!(
                "{} ({} to {})",
                significant(walk.ns.median),
                significant(low),
                significant(high)
            );
            rows.push(Row { cells, bar: None });
        }
        let header = shown().map(|number| match number.0 {
            "rounds" => Column::new(number.1, ""),
            _ => lower(number.1),
        });
        let header = [Column::new("", "")].into_iter().chain(header).collect();
        used(Table { title: operation.into(), header, rows })
    };
    distinct(run.added.iter().map(|added| &*added.operation)).into_iter().map(table).collect()
}

/// The header of a column whose smaller numbers are better.
fn lower(title: &str) -> Column {
    Column::new(title, LOWER)
}

/// The tables of what was counted.
fn counters(run: &Run) -> Vec<Table> {
    let sections = GROUPS.iter().flat_map(|(sections, ..)| *sections);
    let sections = sections.chain(&[Section::Throughput, Section::Latency, Section::Cold]);
    let is_counted = |section: &&Section| {
        run.section(**section).any(|f| !f.counts.is_empty() || !f.not_measurable.is_empty())
    };
    sections.filter(is_counted).flat_map(|&section| times(run, section, COUNTS)).collect()
}

/// A table for each operation on one board, with its throughput, latency and cold time.
fn one_board(run: &Run) -> Vec<Table> {
    let sections = [Section::Throughput, Section::Latency, Section::Cold];
    let all = sections.iter().flat_map(|&section| run.section(section));
    let header = ["throughput, ns", "latency, ns", "cold, ns"].map(lower);
    let table = |operation: &str| {
        let cells = (0..).zip(sections).flat_map(|(i, section)| {
            let figures = run.select(section, operation);
            figures.map(move |f| (vec![f.label()], i, f.ns.median))
        });
        pivot(operation.into(), &[""], &header, cells)
    };
    distinct(all.map(|figure| &*figure.operation)).into_iter().map(table).collect()
}

/// The names of the contenders in the sweep: kernels, then the copy.
pub(crate) fn swept(run: &Run) -> Vec<String> {
    let of_kind = |kind| run.section(Section::Sweep).filter(move |figure| figure.kind == kind);
    let figures = of_kind(Kind::Kernel).chain(of_kind(Kind::Roof));
    distinct(figures.map(|figure| figure.contender.clone()))
}

/// A table for each operation, with one row per batch size and one column per contender.
fn sizes(run: &Run) -> Vec<Table> {
    let names = swept(run);
    let columns: Vec<_> = names.iter().map(|name| lower(name)).collect();
    let table = |operation: &str| {
        let cells = run.select(Section::Sweep, operation).filter_map(|f| {
            let place = names.iter().position(|name| *name == f.contender)?;
            let bytes = f.boards.saturating_mul(f.bytes_a_board);
            Some((vec![f.boards_a_call.to_string(), capacity(bytes)], place, f.ns.median))
        });
        pivot(format!("{operation}, ns/board"), &["boards", "memory"], &columns, cells)
    };
    distinct(run.section(Section::Sweep).map(|f| &*f.operation)).into_iter().map(table).collect()
}

/// A table of cells: the names of the row, the number of the column after them, and the number. The
/// rows are in order of appearance.
fn pivot(
    title: String,
    before: &[&str],
    columns: &[Column],
    cells: impl IntoIterator<Item = (Vec<String>, usize, f64)>,
) -> Table {
    let keys = before.iter().map(|name| Column::new(*name, ""));
    let header: Vec<Column> = keys.chain(columns.iter().cloned()).collect();
    let mut rows: Vec<Row> = Vec::new();
    for (names, column, number) in cells {
        let place = rows.iter().position(|row| row.cells.starts_with(&names));
        let place = place.unwrap_or_else(|| {
            let mut cells = names;
            cells.resize(header.len(), String::new());
            rows.push(Row { cells, bar: None });
            rows.len() - 1
        });
        rows[place].cells[before.len() + column] =
            if number.fract() == 0.0 { number.to_string() } else { significant(number) };
    }
    used(Table { title, header, rows })
}

/// The table without its empty columns.
fn used(mut table: Table) -> Table {
    for i in (1..table.header.len()).rev() {
        if table.rows.iter().all(|row| row.cells[i].is_empty()) {
            table.header.remove(i);
            table.rows.iter_mut().for_each(|row| _ = row.cells.remove(i));
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{comparisons, of_comparison, of_run};
    use crate::figures::{Run, saved};

    /// Every table has a cell for each header, and the bars are fractions.
    #[test]
    fn tables_are_complete() {
        let runs = [saved(), saved()];
        let groups = of_run(&runs[0]);
        assert_eq!(groups.len(), 7, "{:?}", groups.iter().map(|g| g.title).collect::<Vec<_>>());
        let comparison = of_comparison(&runs, &comparisons(&runs));
        assert_eq!(comparison.len(), 2);
        for table in groups.iter().chain(&comparison).flat_map(|group| &group.tables) {
            assert!(!table.rows.is_empty(), "{}", table.title);
            for row in &table.rows {
                assert_eq!(row.cells.len(), table.header.len(), "{}", table.title);
                assert!(row.bar.is_none_or(|(part, _)| (0.0..=1.0).contains(&part)));
                assert!(row.cells.iter().all(|cell| !cell.contains("NaN")));
            }
        }
    }

    /// Counts that empty regions have, too, are no figures, and nothing is made from them.
    #[test]
    fn counts_within_those_of_empty_regions_are_not_measurable() {
        let mut run = saved();
        let figure = run.figures.iter_mut().find(|f| f.contender == "avx2").unwrap();
        figure.counts = [("core_cycles".into(), 5.0), ("page_faults".into(), 0.0)].into();
        figure.not_measurable = vec!["instructions".into()];
        let text = serde_json::to_string(&run).unwrap();
        assert_eq!(Run::read(text.as_bytes()).unwrap(), run);
        let groups = of_run(&run);
        let group = groups.iter().find(|group| group.title == "Counters").unwrap();
        let table = &group.tables[0];
        let row = table.rows.iter().find(|row| row.cells[0] == "avx2").unwrap();
        let cells =
            table.header.iter().zip(&row.cells).map(|(header, cell)| (&*header.title, &**cell));
        let expected = [
            ("", "avx2"),
            ("core cycles", "5.00"),
            ("instructions", "not measurable"),
            ("IPC", "not measurable"),
            ("page faults", "0.000"),
        ];
        assert_eq!(cells.collect::<Vec<_>>(), expected);
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

    /// A contender that a run lacks has empty cells.
    #[test]
    fn missing_contenders_are_empty() {
        let mut later = saved();
        later.figures.retain(|figure| figure.contender != "avx2");
        let runs = [saved(), later];
        let groups = of_comparison(&runs, &comparisons(&runs));
        let mut rows = groups[0].tables[0].rows.iter();
        let row = rows.find(|row| row.cells[0] == "avx2").unwrap();
        assert!(row.cells[2].is_empty() && row.cells[4].is_empty());
        assert!(!row.cells[1].is_empty() && !row.cells[3].is_empty());
    }
}
