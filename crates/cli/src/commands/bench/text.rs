//! Figures as tables for a terminal.

use std::fmt::Write as _;

use setwise_measure::compare::{Change, means};
use setwise_measure::figures::{Figure, Kind, Run, Section};
use setwise_measure::settings::{IN_CACHE, MAIN, SWEPT};

use crate::draw::{FAINT, STRONG, WRONG, styled};

/// A run: the machine, then a table for each section.
pub(crate) fn run(run: &Run) -> String {
    let mut text = machine(run);
    for line in &run.wrong {
        let _ = writeln!(text, "{}  {line}", styled(WRONG, "WRONG"));
    }
    for (section, about) in [
        (
            Section::Operations,
            "random boards in a new order every pass",
        ),
        (Section::Positions, "positions in a new order every pass"),
    ] {
        let figures: Vec<_> = run
            .figures
            .iter()
            .filter(|figure| figure.section == section)
            .collect();
        let mut operations: Vec<&str> = figures
            .iter()
            .map(|figure| figure.operation.as_str())
            .collect();
        operations.dedup();
        // All of them are for programs: people read the main ones, or those that they asked for.
        if operations.len() > MAIN.len() {
            operations.retain(|operation| MAIN.contains(operation));
        }
        for operation in operations {
            let _ = writeln!(
                text,
                "\n{}  {about}, {IN_CACHE} boards",
                styled(STRONG, operation)
            );
            text += &times(
                figures
                    .iter()
                    .filter(|figure| figure.operation == operation)
                    .copied(),
            );
        }
    }
    text += &latency(run);
    text += &sizes(run, Section::Calls, "few boards a call");
    text += &sizes(
        run,
        Section::Sweep,
        "boards a call, from one to more than the caches hold",
    );
    text += &forms(run);
    text += &threads(run);
    text
}

/// The CPU and how it was asked.
fn machine(run: &Run) -> String {
    let machine = &run.machine;
    let mut text = format!("{}  {}", styled(STRONG, "CPU"), machine.name());
    if let (Some(family), Some(model), Some(stepping)) =
        (machine.family, machine.model, machine.stepping)
    {
        let _ = write!(
            text,
            " (family {family}, model {model}, stepping {stepping})"
        );
    }
    let caches: Vec<_> = machine
        .caches
        .iter()
        .map(|cache| format!("L{} {}", cache.level, bytes(cache.bytes)))
        .collect();
    let _ = write!(
        text,
        "\n     {}, {} threads, {}",
        machine.arch,
        machine.threads,
        caches.join(", ")
    );
    if machine.hypervisor == Some(true) {
        text += ", under a hypervisor";
    }
    let _ = write!(text, "\n     clock measured {:.2} GHz", machine.clock_ghz);
    if let Some(tsc) = machine.tsc_ghz {
        let _ = write!(text, ", time stamp counter {tsc:.3} GHz");
    }
    let slowest = run.clocks.iter().min_by(|a, b| a.ghz.total_cmp(&b.ghz));
    if let Some(slowest) = slowest {
        let _ = write!(
            text,
            ", lowest behind a kernel {:.2} GHz ({})",
            slowest.ghz, slowest.contender
        );
    }
    if let Some(why) = &machine.no_counters {
        let _ = write!(
            text,
            "\n     {}",
            styled(FAINT, &format!("no hardware counters: {why}"))
        );
    }
    let _ = writeln!(
        text,
        "\n     setwise {}, {}, {}",
        run.version, run.rustc, run.date
    );
    text
}

/// Contenders of one operation in one setting.
fn times<'a>(figures: impl Iterator<Item = &'a Figure>) -> String {
    let counted = |figure: &Figure| {
        figure
            .counters
            .map(|counts| format!("{:.2}", counts.ipc))
            .unwrap_or_default()
    };
    let rows = figures.map(|figure| {
        let [low, high] = figure.ns.quartiles;
        let ratio = |ratio: Option<setwise_measure::race::Ratio>| {
            ratio
                .map(|ratio| format!("{:.2}", ratio.median))
                .unwrap_or_default()
        };
        vec![
            figure.contender.clone(),
            significant(figure.ns.median),
            format!("{}-{}", significant(low), significant(high)),
            significant(figure.ns.minimum),
            format!("{:.1}", figure.boards_per_second / 1e6),
            format!("{:.1}", figure.bytes_per_second / 1e9),
            figure.tsc_cycles.map(significant).unwrap_or_default(),
            ratio(figure.to_scalar),
            ratio(figure.to_copy),
            counted(figure),
        ]
    });
    let header = [
        "",
        "ns/board",
        "middle half",
        "least",
        "Mboards/s",
        "GB/s",
        "TSC cycles",
        "/ scalar",
        "/ copy-xor",
        "IPC",
    ];
    table(&header, &rows.collect::<Vec<_>>())
}

fn latency(run: &Run) -> String {
    let mut text = String::new();
    let of = |operation: &str| -> Vec<&Figure> {
        run.figures
            .iter()
            .filter(|figure| figure.section == Section::Latency && figure.operation == operation)
            .collect()
    };
    for batch in MAIN {
        let one = format!("{batch}_one");
        let figures = [of(&one), of(batch)].concat();
        let mut names: Vec<&str> = Vec::new();
        for figure in &figures {
            if !names.contains(&figure.contender.as_str()) {
                names.push(&figure.contender);
            }
        }
        if names.is_empty() {
            continue;
        }
        let columns = [(one.as_str(), 1), (batch, 1), (batch, 8), (batch, 32)];
        let rows = names.iter().map(|name| {
            let cell = |(operation, boards): (&str, usize)| {
                let same = |figure: &&&Figure| {
                    figure.contender == *name
                        && figure.operation == operation
                        && figure.boards_a_call == boards
                };
                let found = figures.iter().find(same);
                found
                    .map(|figure| significant(figure.ns.median * boards as f64))
                    .unwrap_or_default()
            };
            std::iter::once((*name).to_owned())
                .chain(columns.map(cell))
                .collect()
        });
        let title = styled(STRONG, &format!("{batch}, latency"));
        let _ = writeln!(
            text,
            "\n{title}  nanoseconds a call, each waiting for the one before"
        );
        text += &table(
            &["", "by value", "1 board", "8 boards", "32 boards"],
            &rows.collect::<Vec<_>>(),
        );
    }
    text
}

/// Nanoseconds a board by the boards of a call.
fn sizes(run: &Run, section: Section, about: &str) -> String {
    let figures: Vec<_> = run
        .figures
        .iter()
        .filter(|figure| figure.section == section)
        .collect();
    let Some(operation) = figures
        .iter()
        .map(|figure| figure.operation.as_str())
        .find(|&operation| operation == SWEPT)
        .or(figures.first().map(|figure| figure.operation.as_str()))
    else {
        return String::new();
    };
    let figures: Vec<_> = figures
        .into_iter()
        .filter(|figure| figure.operation == operation)
        .collect();
    // A column for everybody would not fit: the first kernels and the roofs.
    let mut names: Vec<&str> = Vec::new();
    for kind in [Kind::Kernel, Kind::Roof] {
        let mut of_kind: Vec<&str> = Vec::new();
        for figure in figures.iter().filter(|figure| figure.kind == kind) {
            if !of_kind.contains(&figure.contender.as_str()) {
                of_kind.push(&figure.contender);
            }
        }
        names.extend(of_kind.into_iter().take(6));
    }
    let mut sizes: Vec<usize> = figures.iter().map(|figure| figure.boards_a_call).collect();
    sizes.dedup();
    let rows = sizes.iter().map(|&size| {
        let cell = |name: &&str| {
            let found = figures
                .iter()
                .find(|figure| figure.contender == *name && figure.boards_a_call == size);
            found
                .map(|figure| significant(figure.ns.median))
                .unwrap_or_default()
        };
        let memory = figures
            .iter()
            .find(|figure| figure.boards_a_call == size)
            .map(|figure| bytes(figure.working_set()));
        let heading = [size.to_string(), memory.unwrap_or_default()];
        heading.into_iter().chain(names.iter().map(cell)).collect()
    });
    let header: Vec<&str> = ["boards", "memory"]
        .into_iter()
        .chain(names.iter().copied())
        .collect();
    format!(
        "\n{}  {about}: nanoseconds a board\n{}",
        styled(STRONG, operation),
        table(&header, &rows.collect::<Vec<_>>())
    )
}

fn forms(run: &Run) -> String {
    let figures: Vec<_> = run
        .figures
        .iter()
        .filter(|figure| figure.section == Section::Techniques)
        .collect();
    let mut operations: Vec<&str> = figures
        .iter()
        .map(|figure| figure.operation.as_str())
        .collect();
    operations.dedup();
    let mut text = String::new();
    for operation in operations {
        let _ = writeln!(
            text,
            "\n{}  forms of the literature and kernels, {IN_CACHE} boards",
            styled(STRONG, operation)
        );
        text += &times(
            figures
                .iter()
                .filter(|figure| figure.operation == operation)
                .copied(),
        );
    }
    text
}

fn threads(run: &Run) -> String {
    let mut text = String::new();
    for (section, about) in [
        (Section::Threads, "in the caches"),
        (Section::ThreadsMemory, "beyond the caches"),
    ] {
        let figures: Vec<_> = run
            .figures
            .iter()
            .filter(|figure| figure.section == section)
            .collect();
        if figures.is_empty() {
            continue;
        }
        let rows = figures.iter().map(|figure| {
            let alone = figures
                .iter()
                .find(|alone| alone.threads == 1 && alone.contender == figure.contender);
            let times = alone
                .map(|alone| format!("{:.2}", figure.boards_per_second / alone.boards_per_second));
            vec![
                figure.contender.clone(),
                figure.threads.to_string(),
                format!("{:.1}", figure.boards_per_second / 1e6),
                format!("{:.1}", figure.bytes_per_second / 1e9),
                times.unwrap_or_default(),
            ]
        });
        let _ = writeln!(text, "\n{}  {about}", styled(STRONG, "threads"));
        text += &table(
            &["", "threads", "Mboards/s", "GB/s", "x one"],
            &rows.collect::<Vec<_>>(),
        );
    }
    text
}

/// Several runs: every contender's ratio to `scalar` in each, for the main operations; then how the others differ from the first.
pub(crate) fn comparison(runs: &[Run], comparisons: &[Vec<Change>]) -> String {
    let mut text = String::new();
    for (number, run) in (1..).zip(runs) {
        let _ = writeln!(
            text,
            "{number}  {}, setwise {}, {}",
            run.machine.name(),
            run.version,
            run.date
        );
    }
    for operation in MAIN {
        let of = |run: &Run, name: &str| -> Option<f64> {
            let mut figures = run.select(Section::Operations, operation, None);
            Some(
                figures
                    .find(|figure| figure.contender == name)?
                    .to_scalar?
                    .median,
            )
        };
        let mut names: Vec<&str> = Vec::new();
        for run in runs {
            for figure in run.select(Section::Operations, operation, None) {
                if figure.kind != Kind::Roof && !names.contains(&figure.contender.as_str()) {
                    names.push(&figure.contender);
                }
            }
        }
        let rows = names.iter().map(|name| {
            let cell = |run: &Run| {
                of(run, name)
                    .map(|ratio| format!("{ratio:.3}"))
                    .unwrap_or_default()
            };
            std::iter::once((*name).to_owned())
                .chain(runs.iter().map(cell))
                .collect()
        });
        let _ = writeln!(
            text,
            "\n{}  time divided by that of scalar",
            styled(STRONG, operation)
        );
        let numbers: Vec<String> = (1..=runs.len()).map(|number| number.to_string()).collect();
        let header: Vec<&str> = std::iter::once("")
            .chain(numbers.iter().map(String::as_str))
            .collect();
        text += &table(&header, &rows.collect::<Vec<_>>());
    }
    for (number, changes) in (2..).zip(comparisons) {
        let rows = means(changes).into_iter().map(|mean| {
            vec![
                mean.contender,
                mean.figures.to_string(),
                format!("{:.3}", mean.factor),
            ]
        });
        let _ = writeln!(
            text,
            "\n{}  times slower than 1, geometric mean (scalar: against copy-xor)",
            styled(STRONG, &number.to_string())
        );
        text += &table(&["", "figures", "factor"], &rows.collect::<Vec<_>>());
    }
    text
}

/// Three digits that count.
fn significant(number: f64) -> String {
    match number {
        n if n >= 100.0 => format!("{n:.0}"),
        n if n >= 10.0 => format!("{n:.1}"),
        n if n >= 1.0 => format!("{n:.2}"),
        n => format!("{n:.3}"),
    }
}

/// A capacity in the largest unit that leaves it a short number.
fn bytes(bytes: usize) -> String {
    match bytes {
        b if b >= 1 << 30 => format!("{:.1} GiB", b as f64 / f64::from(1 << 30)),
        b if b >= 1 << 20 => format!("{} MiB", b >> 20),
        b if b >= 1 << 10 => format!("{} KiB", b >> 10),
        b => format!("{b} B"),
    }
}

/// Columns: the first to the left, the others to the right; those without any cell are left out.
fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let used: Vec<usize> = (0..header.len())
        .filter(|&i| {
            rows.iter()
                .any(|row| row.get(i).is_some_and(|cell| !cell.is_empty()))
        })
        .collect();
    let width = |&i: &usize| {
        rows.iter()
            .map(|row| row[i].chars().count())
            .chain([header[i].len()])
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = used.iter().map(width).collect();
    let line = |cells: &dyn Fn(usize) -> String| {
        let mut line = String::new();
        for (&i, &width) in used.iter().zip(&widths) {
            let cell = cells(i);
            let _ = if line.is_empty() && i == 0 {
                write!(line, "{cell:width$}")
            } else {
                write!(line, "  {cell:>width$}")
            };
        }
        line.trim_end().to_owned()
    };
    let mut text = styled(FAINT, &line(&|i| header[i].to_owned())) + "\n";
    for row in rows {
        let _ = writeln!(text, "{}", line(&|i| row[i].clone()));
    }
    text
}
