//! The parts of the page, each a heading, a line that tells what is seen, and charts or tables.

use std::fmt::Write as _;

use super::chart::{self, Axis, Bar, Frame, Series};
use super::{capacity, class, contenders, digits, escaped, main_figure, short_tip, tip};
use crate::figures::{Figure, Kind, Run, Section};
use crate::roof;
use crate::settings::{BASELINE, IN_CACHE, MAIN, SWEPT};

/// No current core does more vector operations in a cycle.
const CEILING: f64 = 4.0;
/// Room for the names of forms, and how many letters fit.
const FORM_NAMES: f64 = 186.0;
const LONGEST: usize = 26;
/// How many lines a chart may have.
const LINES: usize = 8;

fn card(title: &str, about: &str, content: &str) -> String {
    let about = if about.is_empty() {
        String::new()
    } else {
        format!("<p>{about}</p>\n")
    };
    format!(
        "<section class=\"card\"><h3>{}</h3>\n{about}{content}</section>\n",
        escaped(title)
    )
}

/// Names behind their colours; dashed ones are marked by a tilde.
fn legend(entries: &[(String, String)]) -> String {
    let mut text = String::from("<ul class=\"legend\">");
    for (class, name) in entries {
        let _ = write!(text, "<li><i class=\"{class}\"></i>{}</li>", escaped(name));
    }
    text + "</ul>\n"
}

fn kinds(figures: &[&Figure]) -> String {
    let all = [
        ("kernel", "kernel"),
        ("baseline", BASELINE),
        ("peer", "others: published crates, compiler-made loops"),
        ("form", "form of the literature"),
    ];
    let there = all
        .into_iter()
        .filter(|(kind, _)| figures.iter().any(|figure| class(figure) == *kind));
    legend(
        &there
            .map(|(kind, name)| (kind.to_owned(), name.to_owned()))
            .collect::<Vec<_>>(),
    )
}

/// A table that scrolls where it is too wide.
pub(super) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = String::from("<div class=\"scroll\"><table><thead><tr>");
    for cell in header {
        let _ = write!(text, "<th scope=\"col\">{}</th>", escaped(cell));
    }
    text += "</tr></thead><tbody>\n";
    for row in rows {
        text += "<tr>";
        for cell in row {
            match cell.strip_prefix('*') {
                Some(best) => {
                    let _ = write!(text, "<td class=\"best\">{}</td>", escaped(best));
                }
                None => {
                    let _ = write!(text, "<td>{}</td>", escaped(cell));
                }
            }
        }
        text += "</tr>\n";
    }
    text + "</tbody></table></div>\n"
}

/// Bars of boards a second.
fn speed_bar(figure: &Figure) -> Bar {
    let mega = |ns: f64| 1e3 / ns;
    let times = figure.to_scalar.filter(|_| figure.contender != BASELINE);
    let times = times
        .map(|ratio| format!(" · {}x", digits(1.0 / ratio.median)))
        .unwrap_or_default();
    Bar {
        name: figure.contender.clone(),
        value: figure.boards_per_second / 1e6,
        spread: [mega(figure.ns.quartiles[1]), mega(figure.ns.quartiles[0])],
        note: format!("{}{times}", digits(figure.boards_per_second / 1e6)),
        tip: tip(figure),
        class: class(figure),
    }
}

/// A chart of bars for each main operation, or for those that were asked for.
pub(super) fn attacks(run: &Run, section: Section) -> String {
    let all: Vec<&Figure> = run
        .figures
        .iter()
        .filter(|figure| figure.section == section && figure.kind != Kind::Roof)
        .collect();
    let mut operations: Vec<&str> = all.iter().map(|figure| figure.operation.as_str()).collect();
    operations.dedup();
    if operations.len() > MAIN.len() {
        operations.retain(|operation| MAIN.contains(operation));
    }
    let Some(input) = all
        .first()
        .and_then(|first| run.inputs.iter().find(|input| input.name == first.input))
    else {
        return String::new();
    };
    let (title, what) = match section {
        Section::Positions => (
            "Real positions",
            "Look-ups slider by slider do less where there are fewer sliders; set-wise kernels do not care.",
        ),
        _ => (
            "Random boards, in the caches",
            "Set-wise kernels take the same time whatever stands on the boards.",
        ),
    };
    let mut page = format!(
        "<h2>{title}</h2>\n<p class=\"about\">Million boards a second, by {IN_CACHE} boards a call in a new order every pass, and as a multiple of scalar. Input: {}. {what} The thin line is the middle half of the rounds.</p>\n<div class=\"grid\">\n",
        escaped(&input.about)
    );
    for operation in operations {
        let mut figures: Vec<&Figure> = all
            .iter()
            .copied()
            .filter(|figure| figure.operation == operation)
            .collect();
        figures.sort_by(|a, b| a.ns.median.total_cmp(&b.ns.median));
        let bars: Vec<Bar> = figures.iter().map(|figure| speed_bar(figure)).collect();
        let about = format!(
            "{operation}: million boards a second of {} contenders",
            bars.len()
        );
        page += &card(
            operation,
            "",
            &(chart::bars(&about, &bars, chart::NAMES).to_string() + &kinds(&figures)),
        );
    }
    page + "</div>\n"
}

/// Power of two, short.
fn count(number: f64) -> String {
    match number {
        n if n >= 1_048_576.0 => format!("{:.0}Mi", n / 1_048_576.0),
        n if n >= 1024.0 => format!("{:.0}Ki", n / 1024.0),
        n => format!("{n:.0}"),
    }
}

fn plain(number: f64) -> String {
    match number {
        n if n >= 1000.0 => format!("{:.0}k", n / 1000.0),
        n if n >= 1.0 || n == 0.0 => format!("{n:.0}"),
        n => format!("{n:.1}"),
    }
}

/// A line for each contender, and its entry in the legend.
fn by_boards(
    figures: &[&Figure],
    value: fn(&Figure) -> f64,
) -> (Vec<Series>, Vec<(String, String)>) {
    let (mut series, mut entries) = (Vec::new(), Vec::new());
    let mut colour = 0;
    for name in contenders(figures.iter().copied()) {
        let own: Vec<&&Figure> = figures
            .iter()
            .filter(|figure| figure.contender == name)
            .collect();
        let class = match own[0].kind {
            Kind::Roof if name == roof::AROUND => "roof dashed".to_owned(),
            Kind::Roof => "roof".to_owned(),
            _ => {
                colour += 1;
                format!("c{}", colour - 1)
            }
        };
        if colour > LINES {
            continue;
        }
        let points = own.iter().map(|figure| {
            (
                figure.boards_a_call as f64,
                value(figure),
                short_tip(figure),
            )
        });
        series.push(Series {
            points: points.collect(),
            class: class.clone(),
            scattered: false,
        });
        entries.push((class, name.to_owned()));
    }
    (series, entries)
}

/// The working set, from one board to more than the caches hold.
pub(super) fn sweep(run: &Run) -> String {
    let all: Vec<&Figure> = run
        .figures
        .iter()
        .filter(|figure| figure.section == Section::Sweep)
        .collect();
    let Some(first) = all.first() else {
        return String::new();
    };
    let marks: Vec<(f64, String)> = run
        .machine
        .caches
        .iter()
        .map(|cache| {
            (
                cache.bytes as f64 / first.bytes_a_board as f64,
                format!("L{} {}", cache.level, capacity(cache.bytes)),
            )
        })
        .collect();
    let frame = |about, title, tick, base| Frame {
        about,
        x: Axis {
            title: "boards a call",
            tick: count,
            base: 4.0,
        },
        y: Axis { title, tick, base },
        marks: marks.clone(),
    };
    let chess: Vec<&Figure> = all
        .iter()
        .copied()
        .filter(|figure| figure.kind != Kind::Roof)
        .collect();
    let (series, entries) = by_boards(&chess, |figure| figure.boards_per_second / 1e6);
    let about = "Boards a second by the boards of a call";
    let speed = chart::lines(
        &frame(about, "million boards a second", plain, 0.0),
        &series,
    )
    .to_string()
        + &legend(&entries);
    let (series, entries) = by_boards(&all, |figure| figure.bytes_per_second / 1e9);
    let about = "Bytes a second by the boards of a call, with copying as the roof";
    let bytes = chart::lines(&frame(about, "GB/s read and written", plain, 10.0), &series)
        .to_string()
        + &legend(&entries);
    format!(
        "<h2>From one board to beyond the caches</h2>\n<p class=\"about\">{}, {} bytes read and written a board. Up to 512 boards a call are cut from a pool of 1,024. \
         Vertical marks: where the boards fill a cache. copy-xor reads and writes the same bytes in the widest registers; copy-xor-nt writes around the caches.</p>\n<div class=\"grid\">\n{}{}</div>\n",
        escaped(&first.operation),
        first.bytes_a_board,
        card("Boards a second", "", &speed),
        card("Bandwidth, and the roof", "", &bytes)
    )
}

/// Few boards a call, and calls that wait for each other.
pub(super) fn few(run: &Run) -> String {
    let calls: Vec<&Figure> = run
        .figures
        .iter()
        .filter(|figure| figure.section == Section::Calls)
        .collect();
    let mut cards = String::new();
    for operation in operations_of(&calls) {
        let own: Vec<&Figure> = calls
            .iter()
            .copied()
            .filter(|figure| figure.operation == operation)
            .collect();
        let names: Vec<&str> = contenders(own.iter().copied())
            .into_iter()
            .take(LINES)
            .collect();
        let own: Vec<&Figure> = own
            .into_iter()
            .filter(|figure| names.contains(&figure.contender.as_str()))
            .collect();
        let (series, entries) = by_boards(&own, |figure| figure.ns.median);
        let about = format!("Nanoseconds a board of {operation}, by 1 to 64 boards a call");
        let frame = Frame {
            about: &about,
            x: Axis {
                title: "boards a call",
                tick: count,
                base: 2.0,
            },
            y: Axis {
                title: "ns a board",
                tick: plain,
                base: 10.0,
            },
            marks: Vec::new(),
        };
        let chart = chart::lines(&frame, &series).to_string() + &legend(&entries);
        cards += &card(&format!("{operation}: 1 to 64 boards a call"), "", &chart);
    }
    let latency: Vec<&Figure> = run
        .figures
        .iter()
        .filter(|figure| figure.section == Section::Latency)
        .collect();
    for operation in MAIN {
        let one = format!("{operation}_one");
        let mut own: Vec<&Figure> = latency
            .iter()
            .copied()
            .filter(|figure| figure.operation == one)
            .collect();
        if own.is_empty() {
            continue;
        }
        own.sort_by(|a, b| a.ns.median.total_cmp(&b.ns.median));
        let bars: Vec<Bar> = own
            .iter()
            .map(|figure| Bar {
                name: figure.contender.clone(),
                value: figure.ns.median,
                spread: figure.ns.quartiles,
                note: format!("{} ns", digits(figure.ns.median)),
                tip: tip(figure),
                class: class(figure),
            })
            .collect();
        let about = format!("{operation}: nanoseconds of one board by value");
        cards += &card(
            &format!("{operation}: latency of one board"),
            "",
            &chart::bars(&about, &bars, chart::NAMES).to_string(),
        );
    }
    if cards.is_empty() {
        return String::new();
    }
    format!(
        "<h2>Few boards, and waiting for them</h2>\n<p class=\"about\">First, calls of few boards that do not wait for each other. Latency: one board by value, each call's sliders being made of the attacks before \
         (three more instructions, which chain-alone takes without any kernel); <code>board</code> is the portable function, inlined.</p>\n<div class=\"grid\">\n{cards}</div>\n"
    )
}

fn operations_of<'a>(figures: &[&'a Figure]) -> Vec<&'a str> {
    let mut operations: Vec<&str> = Vec::new();
    for figure in figures {
        if !operations.contains(&figure.operation.as_str()) {
            operations.push(&figure.operation);
        }
    }
    operations
}

/// Vector instructions that compute, for a board: counted in the disassembly of x86-64.
fn counted(contender: &str, operation: &str) -> Option<f64> {
    let mut lines = include_str!("../../data/vector-operations.csv").lines();
    lines.find_map(|line| {
        line.strip_prefix(contender)?
            .strip_prefix(',')?
            .strip_prefix(operation)?
            .strip_prefix(',')?
            .parse()
            .ok()
    })
}

/// A roof: the bandwidth's slope up to the ceiling.
fn roof_line(bandwidth: f64, ceiling: f64, (least, most): (f64, f64), class: &str) -> Series {
    let knee = (ceiling / bandwidth).clamp(least, most);
    let points = [least, knee, most].map(|x| (x, (x * bandwidth).min(ceiling), String::new()));
    Series {
        points: points.into(),
        class: class.into(),
        scattered: false,
    }
}

/// Vector operations a byte against those a second, under the roofs of memory and of the clock.
pub(super) fn roofline(run: &Run) -> String {
    if run.machine.arch != "x86_64" {
        return String::new();
    }
    let (mut series, mut entries) = (Vec::new(), Vec::new());
    for (i, kernel) in run
        .kernels
        .iter()
        .filter(|kernel| {
            MAIN.iter().any(|operation| {
                counted(&kernel.name, operation).is_some()
                    && main_figure(run, operation, &kernel.name).is_some()
            })
        })
        .take(LINES)
        .enumerate()
    {
        let points = MAIN.iter().filter_map(|operation| {
            let (operations, figure) = (counted(&kernel.name, operation)?, main_figure(run, operation, &kernel.name)?);
            let (intensity, rate) = (operations / figure.bytes_a_board as f64, operations * figure.boards_per_second / 1e9);
            let told = format!("\n{operations:.1} vector operations a board: {intensity:.2} a byte, {rate:.1} billion a second, {:.2} a cycle", rate / run.machine.clock_ghz);
            Some((intensity, rate, tip(figure) + &told))
        }).collect::<Vec<_>>();
        series.push(Series {
            points,
            class: format!("c{}", i % LINES),
            scattered: true,
        });
        entries.push((format!("c{}", i % LINES), kernel.name.clone()));
    }
    if series.is_empty() {
        return String::new();
    }
    let most = series
        .iter()
        .flat_map(|series| &series.points)
        .map(|point| point.0)
        .fold(0.0, f64::max)
        * 1.2;
    let least = series
        .iter()
        .flat_map(|series| &series.points)
        .map(|point| point.0)
        .fold(f64::INFINITY, f64::min)
        / 1.5;
    let ceiling = CEILING * run.machine.clock_ghz;
    let mut roof = |bandwidth: f64, class: &str, name: String| {
        series.push(roof_line(bandwidth / 1e9, ceiling, (least, most), class));
        entries.push((class.into(), name));
    };
    if let Some(copy) = main_figure(run, SWEPT, roof::NAME) {
        roof(
            copy.bytes_per_second,
            "roof",
            format!(
                "copying in the caches, {:.0} GB/s, and four vector operations a cycle",
                copy.bytes_per_second / 1e9
            ),
        );
    }
    let far = run
        .figures
        .iter()
        .rfind(|figure| figure.section == Section::Sweep && figure.contender == roof::AROUND);
    if let Some(far) = far {
        roof(
            far.bytes_per_second,
            "roof dashed",
            format!(
                "copying {}, {:.0} GB/s",
                capacity(far.working_set()),
                far.bytes_per_second / 1e9
            ),
        );
    }
    let frame = Frame {
        about: "Vector operations a byte against vector operations a second",
        x: Axis {
            title: "vector operations a byte",
            tick: |n| {
                digits(n)
                    .trim_end_matches('0')
                    .trim_end_matches('.')
                    .to_owned()
            },
            base: 2.0,
        },
        y: Axis {
            title: "billion vector operations a second",
            tick: plain,
            base: 2.0,
        },
        marks: Vec::new(),
    };
    let chart = chart::lines(&frame, &series).to_string() + &legend(&entries);
    format!(
        "<h2>Roofline and clock</h2>\n<p class=\"about\">Work for each byte against work done, in the caches: a point for each of the four main operations. Vector instructions that compute are counted in the disassembly of the block loops, whatever the register's width; \
         kernels whose loop cannot be counted are not there. The clock is measured by a scalar chain right behind 3 ms of each kernel: does it fall with wide vectors?</p>\n<div class=\"grid\">\n{}{}</div>\n",
        card("Roofline", "", &chart),
        card("Core clock behind a kernel", "", &clocks(run))
    )
}

/// The clock behind each kernel.
fn clocks(run: &Run) -> String {
    let clocks: Vec<Bar> = run
        .clocks
        .iter()
        .map(|clock| Bar {
            name: clock.contender.clone(),
            value: clock.ghz,
            spread: [clock.ghz; 2],
            note: format!("{:.2} GHz", clock.ghz),
            tip: format!(
                "{}: {:.3} GHz behind 3 ms of {SWEPT}",
                clock.contender, clock.ghz
            ),
            class: if clock.contender == BASELINE {
                "baseline"
            } else {
                "kernel"
            },
        })
        .collect();
    chart::bars("The core's clock behind each kernel", &clocks, chart::NAMES).to_string()
}

/// Do threads scale?
pub(super) fn threads(run: &Run) -> String {
    let mut cards = String::new();
    for (section, title) in [
        (Section::Threads, "In the caches"),
        (Section::ThreadsMemory, "Beyond the caches: 64 MiB a thread"),
    ] {
        let figures: Vec<&Figure> = run
            .figures
            .iter()
            .filter(|figure| figure.section == section)
            .collect();
        if figures.is_empty() {
            continue;
        }
        let rows: Vec<Vec<String>> = figures
            .iter()
            .map(|figure| {
                let alone = figures
                    .iter()
                    .find(|alone| alone.threads == 1 && alone.contender == figure.contender);
                vec![
                    figure.contender.clone(),
                    figure.threads.to_string(),
                    digits(figure.boards_per_second / 1e6),
                    format!("{:.1}", figure.bytes_per_second / 1e9),
                    alone
                        .map(|alone| {
                            format!("{:.2}", figure.boards_per_second / alone.boards_per_second)
                        })
                        .unwrap_or_default(),
                ]
            })
            .collect();
        cards += &card(
            title,
            "",
            &table(&["", "threads", "Mboards/s", "GB/s", "x one"], &rows),
        );
    }
    if cards.is_empty() {
        return cards;
    }
    format!(
        "<h2>Threads</h2>\n<p class=\"about\">{SWEPT}, every thread on a processor of its own with boards of its own.</p>\n<div class=\"grid\">\n{cards}</div>\n"
    )
}

/// Of the eight directions, those that are drawn.
const DRAWN: [&str; 3] = [
    "ray_attacks-north",
    "ray_attacks-east",
    "ray_attacks-southwest",
];

/// The forms of the literature.
pub(super) fn shelf(run: &Run) -> String {
    let all: Vec<&Figure> = run
        .figures
        .iter()
        .filter(|figure| figure.section == Section::Techniques)
        .collect();
    if all.is_empty() {
        return String::new();
    }
    let mut page = String::from(
        "<h2>The technique shelf</h2>\n<p class=\"about\">Every form that the literature names, as a function of <code>setwise::techniques</code>, in a plain loop; beside them the best kernel, in blue. Of the eight directions three are drawn; all are in the table. Million boards a second; random boards in a new order every pass.</p>\n<div class=\"grid\">\n",
    );
    for operation in operations_of(&all) {
        if operation.starts_with("ray_attacks") && !DRAWN.contains(&operation) {
            continue;
        }
        let mut own: Vec<&Figure> = all
            .iter()
            .copied()
            .filter(|figure| figure.operation == operation)
            .collect();
        own.sort_by(|a, b| a.ns.median.total_cmp(&b.ns.median));
        let best = own
            .iter()
            .find(|figure| figure.kind == Kind::Kernel)
            .map(|figure| figure.contender.clone());
        own.retain(|figure| {
            figure.kind == Kind::Form
                || figure.contender == BASELINE
                || Some(&figure.contender) == best.as_ref()
        });
        let shortened = |figure: &&Figure| {
            let mut bar = speed_bar(figure);
            let letters: Vec<char> = bar.name.chars().collect();
            // The end tells more than the middle.
            if letters.len() > LONGEST {
                let (start, end) = (
                    &letters[..LONGEST / 2],
                    &letters[letters.len() - LONGEST / 2 + 1..],
                );
                bar.name = start.iter().chain(&['…']).chain(end).collect();
            }
            bar
        };
        let bars: Vec<Bar> = own.iter().map(shortened).collect();
        let about = format!("{operation}: forms and kernels, million boards a second");
        page += &card(
            operation,
            "",
            &(chart::bars(&about, &bars, FORM_NAMES).to_string() + &kinds(&own)),
        );
    }
    page + "</div>\n"
}

/// Everything, as numbers.
pub(super) fn tables(run: &Run) -> String {
    let mut page = String::from("<h2>Tables</h2>\n");
    for (section, title) in [
        (Section::Operations, "Every operation, random boards"),
        (Section::Positions, "Positions"),
        (Section::Sweep, "Boards a call"),
        (Section::Calls, "Few boards a call"),
        (Section::Latency, "Latency"),
        (Section::Techniques, "Forms"),
    ] {
        let figures: Vec<&Figure> = run
            .figures
            .iter()
            .filter(|figure| figure.section == section)
            .collect();
        if figures.is_empty() {
            continue;
        }
        let names = contenders(figures.iter().copied());
        let mut settings: Vec<(&str, usize)> = Vec::new();
        for figure in &figures {
            let setting = (figure.operation.as_str(), figure.boards_a_call);
            if !settings.contains(&setting) {
                settings.push(setting);
            }
        }
        let sizes = settings.iter().any(|setting| setting.1 != settings[0].1);
        let header: Vec<String> = settings
            .iter()
            .map(|(operation, boards)| {
                if sizes {
                    format!("{operation} {boards}")
                } else {
                    (*operation).to_owned()
                }
            })
            .collect();
        let least = |setting: &(&str, usize)| {
            let own = figures.iter().filter(|figure| {
                (figure.operation.as_str(), figure.boards_a_call) == *setting
                    && figure.kind != Kind::Roof
            });
            own.map(|figure| figure.ns.median)
                .fold(f64::INFINITY, f64::min)
        };
        let least: Vec<f64> = settings.iter().map(least).collect();
        // Contenders across, settings down: there are more settings.
        let rows: Vec<Vec<String>> = settings
            .iter()
            .zip(&least)
            .zip(&header)
            .map(|((setting, &least), heading)| {
                let cell = |name: &&str| {
                    let found = figures.iter().find(|figure| {
                        figure.contender == *name
                            && (figure.operation.as_str(), figure.boards_a_call) == *setting
                    });
                    found
                        .map(|figure| {
                            let best = figure.kind != Kind::Roof && figure.ns.median <= least;
                            format!(
                                "{}{}",
                                if best { "*" } else { "" },
                                digits(figure.ns.median)
                            )
                        })
                        .unwrap_or_default()
                };
                std::iter::once(heading.clone())
                    .chain(names.iter().map(cell))
                    .collect()
            })
            .collect();
        let columns: Vec<&str> = std::iter::once("ns a board")
            .chain(names.iter().copied())
            .collect();
        let _ = write!(
            page,
            "<details><summary>{title}</summary>\n{}</details>\n",
            table(&columns, &rows)
        );
    }
    let rows: Vec<Vec<String>> = run
        .kernels
        .iter()
        .map(|kernel| {
            let status = if kernel.missing.is_empty() {
                kernel.status.clone()
            } else {
                format!("lacks {}", kernel.missing.join(", "))
            };
            vec![kernel.name.clone(), status, kernel.technique.clone()]
        })
        .collect();
    let _ = write!(
        page,
        "<details><summary>Kernels</summary>\n{}</details>\n",
        table(&["", "here", "technique"], &rows)
    );
    page
}

/// One operation in several runs: a group of bars for each contender.
pub(super) fn side_by_side(runs: &[Run], operation: &str) -> String {
    const COLOURS: [&str; 8] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"];
    let figures = runs
        .iter()
        .flat_map(|run| run.select(Section::Operations, operation, Some(IN_CACHE)));
    let names = contenders(
        figures.filter(|figure| figure.kind == Kind::Kernel && figure.contender != BASELINE),
    );
    let mut bars = Vec::new();
    for name in names {
        let mut heading = name;
        for (i, run) in runs.iter().enumerate() {
            let Some(figure) = main_figure(run, operation, name) else {
                continue;
            };
            let Some(ratio) = figure.to_scalar else {
                continue;
            };
            bars.push(Bar {
                name: std::mem::take(&mut heading).to_owned(),
                value: 1.0 / ratio.median,
                spread: [1.0 / ratio.quartiles[1], 1.0 / ratio.quartiles[0]],
                note: format!("{}x", digits(1.0 / ratio.median)),
                tip: format!("{}: {}\n{}", i + 1, run.machine.name(), tip(figure)),
                class: COLOURS[i % COLOURS.len()],
            });
        }
    }
    let about = format!(
        "{operation}: speed as a multiple of scalar, {} runs",
        runs.len()
    );
    card(
        operation,
        "",
        &chart::bars(&about, &bars, chart::NAMES).to_string(),
    )
}
