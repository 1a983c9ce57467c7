//! Runs and comparisons as tables for a terminal.

use std::fmt::Write as _;

use setwise_measure::compare::{Change, means};
use setwise_measure::figures::{Figure, Kind, Run, Section, distinct};
use setwise_measure::number::{capacity, significant};
use setwise_measure::settings::{IN_CACHE, MAIN, SWEPT};

use crate::draw::{FAINT, STRONG, WRONG, styled};

/// The maximum number of kernels in a table of sizes.
const KERNEL_COLUMNS: usize = 6;

/// Formats a run: the machine, then the tables of each section.
pub(crate) fn run(run: &Run) -> String {
    let mut text = machine(run);
    for line in &run.wrong {
        let _ = writeln!(text, "{}  {line}", styled(WRONG, "WRONG"));
    }
    let random = format!("random boards in a new order every iteration, {IN_CACHE} boards");
    let positions = format!("positions in a new order every iteration, {IN_CACHE} boards");
    let forms = format!("forms in the literature and kernels, {IN_CACHE} boards");
    times(&mut text, run, Section::Operations, &random);
    times(&mut text, run, Section::Positions, &positions);
    let games = format!("random positions in a new order every sample, {IN_CACHE} positions");
    times(&mut text, run, Section::Maps, &games);
    latency(&mut text, run);
    sizes(&mut text, run, Section::Calls, "short calls");
    sizes(&mut text, run, Section::Sweep, "from one board per call to more than the caches hold");
    times(&mut text, run, Section::Techniques, &forms);
    threads(&mut text, run, Section::Threads, "in the caches");
    threads(&mut text, run, Section::ThreadsMemory, "beyond the caches");
    text
}

/// The CPU, its clocks, and what was measured.
fn machine(run: &Run) -> String {
    let machine = &run.machine;
    let mut text = format!("{}  {}", styled(STRONG, "CPU"), machine.name());
    if let (Some(family), Some(model), Some(stepping)) =
        (machine.family, machine.model, machine.stepping)
    {
        let _ = write!(text, " (family {family}, model {model}, stepping {stepping})");
    }
    let cache = |cache: &setwise_measure::machine::Cache| {
        format!("L{} {}", cache.level, capacity(cache.bytes))
    };
    let caches: Vec<_> = machine.caches.iter().map(cache).collect();
    let _ =
        write!(text, "\n     {}, {} threads, {}", machine.arch, machine.threads, caches.join(", "));
    if machine.hypervisor == Some(true) {
        text += ", under a hypervisor";
    }
    let _ = write!(text, "\n     clock measured {:.2} GHz", machine.clock_ghz);
    if let Some(tsc) = machine.tsc_ghz {
        let _ = write!(text, ", time stamp counter {tsc:.3} GHz");
    }
    if let Some(lowest) = run.clocks.iter().min_by(|a, b| a.ghz.total_cmp(&b.ghz)) {
        let _ = write!(text, ", lowest {:.2} GHz after {}", lowest.ghz, lowest.contender);
    }
    if let Some(reason) = &machine.no_counters {
        let reason = format!("no hardware counters: {reason}");
        let _ = write!(text, "\n     {}", styled(FAINT, &reason));
    }
    let _ = writeln!(text, "\n     setwise {}, {}, {}", run.version, run.rustc, run.date);
    text
}

/// Appends a table for each operation of a section, with one row per contender.
fn times(text: &mut String, run: &Run, section: Section, about: &str) {
    let mut operations = distinct(run.section(section).map(|figure| &*figure.operation));
    // JSON has every operation. The tables are limited to the main ones, unless the list is short.
    if section != Section::Techniques && operations.len() > MAIN.len() {
        operations.retain(|operation| MAIN.contains(operation));
    }
    for operation in operations {
        let rows = run.select(section, operation).map(|figure| {
            let [low, high] = figure.ns.quartiles.map(significant);
            let two_digits = |n: Option<f64>| n.map(|n| format!("{n:.2}")).unwrap_or_default();
            vec![
                figure.contender.clone(),
                significant(figure.ns.median),
                format!("{low}-{high}"),
                significant(figure.ns.minimum),
                format!("{:.1}", figure.boards_per_second / 1e6),
                format!("{:.1}", figure.bytes_per_second / 1e9),
                figure.tsc_cycles.map(significant).unwrap_or_default(),
                two_digits(figure.to_scalar.map(|ratio| ratio.median)),
                two_digits(figure.to_copy.map(|ratio| ratio.median)),
                two_digits(figure.counters.map(|counts| counts.ipc)),
            ]
        });
        let header = [
            "",
            "ns/board",
            "quartiles",
            "fastest",
            "Mboards/s",
            "GB/s",
            "TSC cycles",
            "/ scalar",
            "/ copy-xor",
            "IPC",
        ];
        table(text, operation, about, &header, rows.collect());
    }
}

fn latency(text: &mut String, run: &Run) {
    for batch in MAIN {
        let one = format!("{batch}_one");
        let figures: Vec<&Figure> =
            run.select(Section::Latency, &one).chain(run.select(Section::Latency, batch)).collect();
        let rows = distinct(figures.iter().map(|figure| &*figure.contender)).into_iter();
        let rows = rows.map(|name| {
            let cell = |(operation, boards): (&str, usize)| {
                let found = figures.iter().find(|figure| {
                    (&*figure.contender, &*figure.operation, figure.boards_a_call)
                        == (name, operation, boards)
                });
                let ns = found.map(|figure| significant(figure.ns.median * boards as f64));
                ns.unwrap_or_default()
            };
            let cells = [(&*one, 1), (batch, 1), (batch, 8), (batch, 32)].map(cell);
            [name.to_owned()].into_iter().chain(cells).collect()
        });
        let header = ["", "by value", "1 board", "8 boards", "32 boards"];
        let title = format!("{batch}, latency");
        table(
            text,
            &title,
            "ns per call, each depending on the previous one",
            &header,
            rows.collect(),
        );
    }
}

/// Appends a table of nanoseconds per board against boards per call, for the first kernels and the
/// copies.
fn sizes(text: &mut String, run: &Run, section: Section, about: &str) {
    let operations = distinct(run.section(section).map(|figure| &*figure.operation));
    let swept = operations.iter().find(|&&operation| operation == SWEPT);
    let Some(operation) = swept.or(operations.first()) else {
        return;
    };
    let figures: Vec<&Figure> = run.select(section, operation).collect();
    let of_kind = |kind| figures.iter().filter(move |figure| figure.kind == kind);
    let kernels = distinct(of_kind(Kind::Kernel).map(|figure| &*figure.contender));
    let copies = distinct(of_kind(Kind::Roof).map(|figure| &*figure.contender));
    let names: Vec<&str> = kernels.into_iter().take(KERNEL_COLUMNS).chain(copies).collect();
    let sizes = distinct(figures.iter().map(|figure| (figure.boards_a_call, figure.working_set())));
    let rows = sizes.into_iter().map(|(boards, bytes)| {
        let cell = |&name: &&str| {
            let found = figures
                .iter()
                .find(|figure| figure.contender == name && figure.boards_a_call == boards);
            found.map(|figure| significant(figure.ns.median)).unwrap_or_default()
        };
        [boards.to_string(), capacity(bytes)].into_iter().chain(names.iter().map(cell)).collect()
    });
    let header: Vec<&str> = ["boards", "memory"].into_iter().chain(names.iter().copied()).collect();
    table(text, operation, &format!("{about}: ns per board"), &header, rows.collect());
}

fn threads(text: &mut String, run: &Run, section: Section, about: &str) {
    let rows = run.section(section).map(|figure| {
        let alone = run
            .section(section)
            .find(|alone| alone.threads == 1 && alone.contender == figure.contender);
        let speed_up = alone.map(|alone| figure.boards_per_second / alone.boards_per_second);
        vec![
            figure.contender.clone(),
            figure.threads.to_string(),
            format!("{:.1}", figure.boards_per_second / 1e6),
            format!("{:.1}", figure.bytes_per_second / 1e9),
            speed_up.map(|speed_up| format!("{speed_up:.2}")).unwrap_or_default(),
        ]
    });
    let header = ["", "threads", "Mboards/s", "GB/s", "speed-up"];
    table(text, "threads", about, &header, rows.collect());
}

/// Formats several runs: the main operations' ratios to `scalar` in each run, then the changes from
/// the first run to each later one.
pub(crate) fn comparison(runs: &[Run], comparisons: &[Vec<Change>]) -> String {
    let mut text = String::new();
    for (number, run) in (1..).zip(runs) {
        let machine = run.machine.name();
        let _ = writeln!(text, "{number}  {machine}, setwise {}, {}", run.version, run.date);
    }
    let numbers: Vec<String> = (1..=runs.len()).map(|number| number.to_string()).collect();
    let header: Vec<&str> = [""].into_iter().chain(numbers.iter().map(String::as_str)).collect();
    for operation in MAIN {
        let figures = runs.iter().flat_map(|run| run.select(Section::Operations, operation));
        let names = distinct(
            figures.filter(|figure| figure.kind != Kind::Roof).map(|figure| &*figure.contender),
        );
        let rows = names.into_iter().map(|name| {
            let cell = |run: &Run| {
                let mut figures = run.select(Section::Operations, operation);
                let ratio = figures.find(|figure| figure.contender == name)?.to_scalar?;
                Some(format!("{:.3}", ratio.median))
            };
            let cells = runs.iter().map(|run| cell(run).unwrap_or_default());
            [name.to_owned()].into_iter().chain(cells).collect()
        });
        table(&mut text, operation, "time divided by that of scalar", &header, rows.collect());
    }
    for (number, changes) in (2..).zip(comparisons) {
        let rows = means(changes).into_iter().map(|mean| {
            vec![mean.contender, mean.figures.to_string(), format!("{:.3}", mean.factor)]
        });
        let title = format!("{number} against 1");
        let about = "times slower, geometric mean (scalar: divided by copy-xor)";
        table(&mut text, &title, about, &["", "figures", "factor"], rows.collect());
    }
    text
}

/// Appends a table with a title, or nothing if there are no rows. The first column is aligned left,
/// the others right. Columns without any cell are left out.
fn table(text: &mut String, title: &str, about: &str, header: &[&str], rows: Vec<Vec<String>>) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}  {about}", styled(STRONG, title));
    let mut lines = vec![header.iter().map(ToString::to_string).collect()];
    lines.extend(rows);
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
