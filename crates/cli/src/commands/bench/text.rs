//! Runs and comparisons as tables for a terminal.

use std::fmt::Write as _;

use setwise_measure::compare::{Change, Difference, means, side_by_side};
use setwise_measure::figures::{Figure, Kind, Run, Section, distinct};
use setwise_measure::number::{capacity, significant};
use setwise_measure::settings::{IN_CACHE, MAIN, SWEPT};

use super::table::table;
use super::why;
use crate::draw::{FAINT, STRONG, WRONG, styled};

/// The maximum number of kernels in a table that has one row per batch size.
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
    why::tables(&mut text, run);
    times(&mut text, run, Section::Positions, &positions);
    let games = format!("random positions in a new order every sample, {IN_CACHE} positions");
    times(&mut text, run, Section::Maps, &games);
    one_board(&mut text, run);
    latency(&mut text, run);
    sizes(&mut text, run, Section::Calls, "short calls");
    sizes(&mut text, run, Section::Sweep, "from one board per call to more than the caches hold");
    times(&mut text, run, Section::Techniques, &forms);
    threads(&mut text, run, Section::Threads, "in the caches");
    threads(&mut text, run, Section::ThreadsMemory, "beyond the caches");
    text
}

/// Formats the CPU, its caches and clocks, and the versions and date of the run.
fn machine(run: &Run) -> String {
    let machine = &run.machine;
    let mut text = format!("{}  {}", styled(STRONG, "CPU"), machine.title());
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
    // JSON has every operation. Tables show only the main operations, unless the list is short or
    // the section is `Section::Techniques`.
    if section != Section::Techniques && operations.len() > MAIN.len() {
        operations.retain(|operation| MAIN.contains(operation));
    }
    for operation in operations {
        let rows = run.select(section, operation).map(|figure| {
            let [low, high] = figure.ns.quartiles.map(significant);
            let two_digits = |n: Option<f64>| n.map(|n| format!("{n:.2}")).unwrap_or_default();
            vec![
                figure.label(),
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

/// Appends a table for each of the main operations on one board: throughput, latency and cold time.
fn one_board(text: &mut String, run: &Run) {
    for operation in MAIN.map(|name| format!("{name}_one")) {
        let columns = [Section::Throughput, Section::Latency, Section::Cold]
            .map(|section| run.select(section, &operation).collect::<Vec<_>>());
        let labels = distinct(columns.iter().flatten().map(|figure| figure.label()));
        let row = |label: String| {
            let cell = |figures: &Vec<&Figure>| {
                let found = figures.iter().find(|figure| figure.label() == label);
                found.map(|figure| significant(figure.ns.median)).unwrap_or_default()
            };
            let cells = columns.iter().map(cell);
            [label.clone()].into_iter().chain(cells).collect()
        };
        let about = "ns, one board by value; throughput: independent calls; latency: each call \
                     depends on the previous one; cold: the same with tables out of the caches";
        let header = ["", "throughput", "latency", "cold"];
        table(text, &operation, about, &header, labels.into_iter().map(row).collect());
    }
}

fn latency(text: &mut String, run: &Run) {
    for operation in MAIN {
        let figures: Vec<&Figure> = run.select(Section::Latency, operation).collect();
        let rows = distinct(figures.iter().map(|figure| &*figure.contender)).into_iter();
        let rows = rows.map(|name| {
            let cell = |boards: usize| {
                let found = figures
                    .iter()
                    .find(|figure| (&*figure.contender, figure.boards_a_call) == (name, boards));
                let ns = found.map(|figure| significant(figure.ns.median * boards as f64));
                ns.unwrap_or_default()
            };
            [name.to_owned()].into_iter().chain([1, 8, 32].map(cell)).collect()
        });
        let header = ["", "1 board", "8 boards", "32 boards"];
        let title = format!("{operation}, latency");
        let about = "ns per call of the function for batches, each depending on the previous one; \
                     for one board, use the function by value (above)";
        table(text, &title, about, &header, rows.collect());
    }
}

/// Appends a table of nanoseconds per board, with one row per batch size. The columns are the first
/// [`KERNEL_COLUMNS`] kernels, then the copies, which show the limit that memory sets.
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

/// Formats several runs: the main operations side by side, sorted by the second run, then the
/// changes from the first run to each later one.
pub(crate) fn comparison(runs: &[Run], comparisons: &[Vec<Change>]) -> String {
    let mut text = String::new();
    for (number, run) in (1..).zip(runs) {
        let machine = run.machine.title();
        let _ = writeln!(text, "{number}  {machine}, setwise {}, {}", run.version, run.date);
    }
    let mut header = vec![String::new()];
    for number in 1..=runs.len() {
        header.extend(["ns", "cycles", "x scalar"].map(|unit| format!("{unit} {number}")));
    }
    header.extend((2..=runs.len()).map(|number| format!("{number} / 1")));
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    for operation in MAIN {
        let rows = side_by_side(runs, comparisons, operation).into_iter().map(|row| {
            let times = row.runs.iter().flat_map(|time| {
                [
                    time.map(|time| significant(time.ns)),
                    time.map(|time| significant(time.cycles)),
                    time.and_then(|time| time.to_scalar).map(|ratio| format!("{:.2}", 1.0 / ratio)),
                ]
            });
            let changes = row.changes.iter().map(|change| {
                let mark = |difference: Difference| if difference.beyond_noise { "*" } else { " " };
                change.map(|change| format!("{:.2}{}", change.factor, mark(change)))
            });
            let cells = times.chain(changes).map(Option::unwrap_or_default);
            [row.contender.clone()].into_iter().chain(cells).collect()
        });
        let about = "random boards in the caches, per board; 2 / 1: quotient of the times, each \
                     divided by scalar's time in its run (*: beyond the noise)";
        table(&mut text, operation, about, &header, rows.collect());
    }
    for (number, changes) in (2..).zip(comparisons) {
        let rows = means(changes).into_iter().map(|mean| {
            vec![mean.contender, mean.figures.to_string(), format!("{:.3}", mean.factor)]
        });
        let title = format!("{number} against 1");
        let about = "times slower, mean of the middle half of the figures (scalar: relative to \
                     copy-xor)";
        table(&mut text, &title, about, &["", "figures", "factor"], rows.collect());
    }
    text
}
