//! The HTML report: a self-contained page without scripts. Its tables are those of
//! [`tables`](crate::tables), with a bar in each row where one number matters most.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::counters::Counted;
use crate::drawing::{Line, escaped, lines};
use crate::figures::{Figure, Kind, Run, Section};
use crate::names::MAIN;
use crate::number::capacity;
use crate::tables::{Group, Row, Table, comparisons, of_comparison, of_run, swept};

/// The maximum number of kernels in a chart.
const LINES: usize = 8;

/// Makes the page for one run, or for several runs side by side.
///
/// # Panics
/// If there are no runs.
#[must_use]
pub fn page(runs: &[Run]) -> String {
    let first = runs.first().expect("at least one run");
    let titles: Vec<String> = runs.iter().map(|run| escaped(&run.machine.title())).collect();
    let mut body = String::new();
    for ((number, run), title) in (1..).zip(runs).zip(&titles) {
        let number = if runs.len() > 1 { format!("{number}: ") } else { String::new() };
        let _ = write!(body, "<h1>{number}{title}</h1>\n{}", machine(run));
        for wrong in run.wrong.iter().map(|wrong| escaped(wrong)) {
            let _ = writeln!(
                body,
                "<p class=\"note\" role=\"alert\">Wrong, and not timed: {wrong}</p>"
            );
        }
    }
    let groups =
        if runs.len() > 1 { of_comparison(runs, &comparisons(runs)) } else { of_run(first) };
    for group in &groups {
        body += &section(group, first);
    }
    let json = serde_json::to_string(runs).expect("plain data");
    include_str!("report.html")
        .replace("{{title}}", &titles.join(" · "))
        .replace("{{version}}", &escaped(&format!("{} ({})", first.version, first.rustc)))
        .replace("{{json}}", &STANDARD.encode(json))
        .replace("{{body}}", &body)
}

/// The facts about a run's machine and its settings.
fn machine(run: &Run) -> String {
    let machine = &run.machine;
    let caches = machine.caches.iter().map(|c| format!("L{} {}", c.level, capacity(c.bytes)));
    let cpuid = [machine.family, machine.model, machine.stepping];
    let cpuid: Vec<_> = cpuid.into_iter().flatten().map(|number| number.to_string()).collect();
    let facts = [
        ("Architecture", format!("{}, {}", machine.arch, machine.os)),
        ("Family / model / stepping", cpuid.join(" / ")),
        ("Hypervisor", machine.hypervisor.map_or("", |is| if is { "yes" } else { "no" }).into()),
        ("Hardware threads", machine.threads.to_string()),
        ("Caches", caches.collect::<Vec<_>>().join(", ")),
        ("Core clock, measured", format!("{:.2} GHz", machine.clock_ghz)),
        ("Governor", machine.governor.clone().unwrap_or_default()),
        ("Huge pages", machine.huge_pages.clone().unwrap_or_default()),
        ("setwise", format!("{}, {}", run.version, run.rustc)),
        ("Measured", format!("{}, for {:.0} s", run.date, run.seconds)),
        ("Options", run.options.join(" ")),
    ];
    let mut html = String::from("<dl>\n");
    for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(html, "<div><dt>{name}</dt><dd>{}</dd></div>", escaped(value));
    }
    let counters = run.counters.as_ref().map(Counted::line);
    let counters = counters.map(|line| format!("<p>Counters: {}.</p>\n", escaped(&line)));
    html + "</dl>\n" + &counters.unwrap_or_default()
}

/// A part of the page. A table of an operation that is not a main one is closed at first.
fn section(group: &Group, run: &Run) -> String {
    let (title, about) = (escaped(group.title), escaped(&group.about));
    let mut html = format!("<section>\n<h2>{title}</h2>\n<p>{about}</p>\n");
    if group.title.starts_with("Batch size") {
        html += &chart(run);
    }
    for one in &group.tables {
        let name = one.title.split(['-', ',']).next().unwrap_or_default();
        let is_main = MAIN.contains(&name.trim_end_matches("_one"));
        let is_open = is_main || group.tables.len() <= 2 * MAIN.len();
        let open = if is_open && group.title != "Techniques" { " open" } else { "" };
        let (title, table) = (escaped(&one.title), table(one));
        let _ = writeln!(html, "<details{open}><summary>{title}</summary>\n{table}</details>");
    }
    html + "</section>\n"
}

/// A table. The numbers in the second column have the bars.
fn table(table: &Table) -> String {
    let label = escaped(&table.title);
    let mut html = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{label}\"><table>\n<tr>"
    );
    for header in &table.header {
        let better = match header.better {
            "" => String::new(),
            better => format!("<small>{better}</small>"),
        };
        let _ = write!(html, "<th scope=\"col\">{}{better}</th>", escaped(&header.title));
    }
    html += "</tr>\n";
    for row in &table.rows {
        let cells: String = (0..row.cells.len()).map(|i| cell(row, i)).collect();
        let _ = writeln!(html, "<tr>{cells}</tr>");
    }
    html + "</table></div>\n"
}

fn cell(row: &Row, i: usize) -> String {
    let text = escaped(&row.cells[i]);
    match (i, row.bar) {
        (0, _) => format!("<th scope=\"row\">{text}</th>"),
        (1, Some((part, class))) => {
            let width = 100.0 * part;
            format!("<td class=\"bar {class}\" style=\"--part:{width:.1}%\">{text}</td>")
        }
        _ => format!("<td>{text}</td>"),
    }
}

/// The chart of the sweep: throughput by boards per call. The copy comes after the first [`LINES`]
/// kernels.
fn chart(run: &Run) -> String {
    let Some(Figure { bytes_a_board, operation, .. }) = run.section(Section::Sweep).next() else {
        return String::new();
    };
    let line = |name: String| {
        let figures = run.select(Section::Sweep, operation).filter(|f| f.contender == name);
        let is_roof = figures.clone().any(|figure| figure.kind == Kind::Roof);
        let point = |f: &Figure| (f.boards_a_call as f64, f.boards_per_second / 1e6);
        Line { points: figures.map(point).collect(), name, is_roof }
    };
    let (roofs, mut all): (Vec<_>, Vec<_>) =
        swept(run).into_iter().map(line).partition(|line| line.is_roof);
    all.truncate(LINES);
    all.extend(roofs);
    let cache = |cache: &crate::machine::Cache| {
        (cache.bytes as f64 / *bytes_a_board as f64, format!("L{}", cache.level))
    };
    let marks: Vec<_> = run.machine.caches.iter().map(cache).collect();
    let titles = [operation, "boards per call", "million boards/s, higher is better"];
    let mut html = format!(
        "<div class=\"chart\">\n{}</div>\n<ul class=\"legend\">\n",
        lines(titles, &all, &marks)
    );
    for (i, line) in all.iter().enumerate() {
        let (class, name) = (line.class(i), escaped(&line.name));
        let _ = writeln!(
            html,
            "<li><svg viewBox=\"0 0 16 8\"><path class=\"line {class}\" \
                                d=\"M0 4H16\"/></svg>{name}</li>"
        );
    }
    html + "</ul>\n"
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;

    use super::{STANDARD, page};
    use crate::figures::{Run, saved};

    /// The page loads nothing and runs nothing, and text from a run never becomes markup.
    #[test]
    fn pages_are_self_contained() {
        let mut run = saved();
        run.options.push("--operation </dd><script>".into());
        run.figures[0].contender = "<img src=x>".into();
        for runs in [vec![run.clone()], vec![run.clone(); 2]] {
            let page = page(&runs);
            assert!(page.contains("default-src 'none'"), "the content policy");
            for banned in ["<script", "<img", "://", "{{", "NaN", "inf%"] {
                assert!(!page.contains(banned), "{banned}");
            }
            for name in ["section", "details", "table", "tr", "dl", "ul", "svg"] {
                let [open, close] = [format!("<{name}"), format!("</{name}>")];
                assert_eq!(page.matches(&open).count(), page.matches(&close).count(), "{name}");
            }
            assert!(page.contains("slider_attacks"));
            assert_eq!(page.contains("--part:100.0%"), runs.len() == 1);
            // The link saves the runs.
            let (_, rest) = page.split_once("data:application/json;base64,").unwrap();
            let json = STANDARD.decode(rest.split_once('"').unwrap().0).unwrap();
            assert_eq!(serde_json::from_slice::<Vec<Run>>(&json).unwrap(), runs);
        }
    }
}
