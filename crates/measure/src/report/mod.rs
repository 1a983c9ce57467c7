//! The report: one page that needs nothing else, and a drawing of its summary.

mod chart;
mod drawing;
mod parts;
mod takeaways;

use std::fmt::Write as _;

use svg::node::Text;

use crate::compare;
use crate::figures::{Figure, Kind, Run, Section};
use crate::settings::{IN_CACHE, MAIN};

pub use drawing::drawing;

/// The page of one run, or of several side by side.
///
/// # Panics
/// If there is no run.
#[must_use]
pub fn page(runs: &[Run]) -> String {
    let (title, body) = match runs {
        [run] => (run.machine.name().to_owned(), single(run)),
        _ => (format!("{} runs side by side", runs.len()), several(runs)),
    };
    let json = match runs {
        [run] => serde_json::to_string(run),
        _ => serde_json::to_string(runs),
    };
    // Nothing in a script element may look like its end.
    let json = json.expect("plain data").replace('<', "\\u003c");
    let style = include_str!("style.css");
    let script = include_str!("script.js");
    let first = &runs[0];
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>setwise bench: {title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n{body}\
         <footer><p>Written by setwise {version} ({rustc}). Every result was compared with a square-by-square walk before it was timed. \
         The figures are in this page: <button class=\"link\" id=\"save\" type=\"button\">save them as JSON</button>; \
         <code>setwise bench --compare</code> sets them beside others.</p></footer>\n</main>\n<div id=\"tip\" role=\"tooltip\"></div>\n\
         <script type=\"application/json\" id=\"figures\">{json}</script>\n<script>\n{script}</script>\n</body>\n</html>\n",
        title = escaped(&title),
        version = escaped(&first.version),
        rustc = escaped(&first.rustc),
    )
}

/// Text as HTML and SVG have it.
fn escaped(text: &str) -> String {
    Text::new(text).to_string().replace('"', "&quot;")
}

fn single(run: &Run) -> String {
    let mut page = header(run);
    if !run.wrong.is_empty() {
        page += "<section class=\"take wrong\">";
        for wrong in &run.wrong {
            let _ = write!(page, "<p>Wrong, and not timed: {}</p>", escaped(wrong));
        }
        page += "</section>\n";
    }
    let sentences = takeaways::sentences(run);
    if !sentences.is_empty() {
        page += "<section class=\"take\">";
        for sentence in sentences {
            let _ = write!(page, "<p>{sentence}</p>");
        }
        page += "</section>\n";
    }
    page += &parts::attacks(run, Section::Operations);
    page += &parts::attacks(run, Section::Positions);
    page += &parts::sweep(run);
    page += &parts::few(run);
    page += &parts::roofline(run);
    page += &parts::threads(run);
    page += &parts::shelf(run);
    page += &parts::tables(run);
    page
}

/// The machine.
fn header(run: &Run) -> String {
    let machine = &run.machine;
    let mut facts: Vec<(&str, String)> = Vec::new();
    if let Some(vendor) = &machine.vendor {
        facts.push(("Vendor", vendor.clone()));
    }
    if let (Some(family), Some(model), Some(stepping)) =
        (machine.family, machine.model, machine.stepping)
    {
        facts.push((
            "Family / model / stepping",
            format!("{family} / {model} / {stepping}"),
        ));
    }
    facts.push(("Architecture", format!("{}, {}", machine.arch, machine.os)));
    facts.push(("Hardware threads", machine.threads.to_string()));
    for cache in &machine.caches {
        let name = ["L1 data", "L2", "L3", "L4"].get(usize::from(cache.level).saturating_sub(1));
        let shared = match cache.shared_by {
            Some(threads) if threads > 1 => format!(", shared by {threads}"),
            _ => String::new(),
        };
        facts.push((
            name.copied().unwrap_or("Cache"),
            format!("{}{shared}", capacity(cache.bytes)),
        ));
    }
    let lowest = run.clocks.iter().min_by(|a, b| a.ghz.total_cmp(&b.ghz));
    let behind = lowest
        .map(|clock| format!("; at least {:.2} behind any kernel", clock.ghz))
        .unwrap_or_default();
    facts.push((
        "Core clock, measured",
        format!("{:.2} GHz{behind}", machine.clock_ghz),
    ));
    if let Some(tsc) = machine.tsc_ghz {
        facts.push(("Time stamp counter", format!("{tsc:.3} GHz")));
    }
    let unread = || "not readable here".to_owned();
    facts.push(("Governor", machine.governor.clone().unwrap_or_else(unread)));
    facts.push((
        "Boost",
        machine
            .boost
            .map_or_else(unread, |on| if on { "on" } else { "off" }.to_owned()),
    ));
    if let Some(hypervisor) = machine.hypervisor {
        facts.push((
            "Hypervisor",
            if hypervisor {
                "yes, a virtual machine"
            } else {
                "none told"
            }
            .to_owned(),
        ));
    }
    if let Some(policy) = &machine.huge_pages {
        facts.push(("Huge pages", policy.clone()));
    }
    let counters = machine
        .no_counters
        .as_ref()
        .map_or("read".to_owned(), |why| format!("none: {why}"));
    facts.push(("Hardware counters", counters));
    facts.push(("Compiler", run.rustc.clone()));
    facts.push(("setwise", format!("{}, {}", run.version, run.target)));
    facts.push((
        "Measured",
        format!("{}, for {:.0} s", run.date, run.seconds),
    ));
    if !run.options.is_empty() {
        facts.push(("Options", run.options.join(" ")));
    }
    let mut page = format!(
        "<header>\n<p class=\"kicker\">setwise bench: set-wise slider attacks, every technique, every instruction set</p>\n<h1>{}</h1>\n<dl>\n",
        escaped(machine.name())
    );
    for (name, value) in facts {
        let _ = writeln!(
            page,
            "<div><dt>{name}</dt><dd>{}</dd></div>",
            escaped(&value)
        );
    }
    page + "</dl>\n</header>\n"
}

/// Several runs: what is told of each, bars of their ratios to the baseline, and how the later ones differ from the first.
fn several(runs: &[Run]) -> String {
    let mut page = String::from(
        "<header><p class=\"kicker\">setwise bench: runs side by side, each by its own <code>scalar</code></p>\n<h1>",
    );
    let mut names: Vec<&str> = runs.iter().map(|run| run.machine.name()).collect();
    names.dedup();
    page += &escaped(&names.join(" · "));
    page += "</h1>\n<ul class=\"legend\">";
    for (i, run) in runs.iter().enumerate() {
        let text = format!(
            "{}: {}, setwise {}, {}",
            i + 1,
            run.machine.name(),
            run.version,
            run.date
        );
        let _ = write!(
            page,
            "<li><i class=\"c{}\"></i>{}</li>",
            i % 8,
            escaped(&text)
        );
    }
    page += "</ul></header>\n<h2>Speed, as a multiple of scalar</h2>\n<p class=\"about\">Random boards in the caches, in a new order every pass. What a faster clock gives to all of them is not in it.</p>\n<div class=\"grid\">\n";
    for operation in MAIN {
        page += &parts::side_by_side(runs, operation);
    }
    page += "</div>\n";
    for (i, run) in runs.iter().enumerate().skip(1) {
        let means = compare::means(&compare::changes(&runs[0], run));
        let rows = means.iter().map(|mean| {
            vec![
                mean.contender.clone(),
                mean.figures.to_string(),
                format!("{:.3}", mean.factor),
            ]
        });
        let _ = write!(
            page,
            "<h2>Run {} against run 1</h2>\n<p class=\"about\">The factor by which the time, divided by scalar's, is longer: geometric mean of the figures that both runs have. (scalar is compared by copy-xor.)</p>\n",
            i + 1
        );
        page += &parts::table(&["", "figures", "factor"], &rows.collect::<Vec<_>>());
    }
    page
}

/// A capacity in its unit.
fn capacity(bytes: usize) -> String {
    match bytes {
        b if b >= 1 << 30 => format!("{:.1} GiB", b as f64 / f64::from(1 << 30)),
        b if b >= 1 << 20 => format!("{} MiB", b >> 20),
        b if b >= 1 << 10 => format!("{} KiB", b >> 10),
        b => format!("{b} B"),
    }
}

/// Three digits that count.
fn digits(number: f64) -> String {
    match number {
        n if n >= 100.0 => format!("{n:.0}"),
        n if n >= 10.0 => format!("{n:.1}"),
        n if n >= 1.0 => format!("{n:.2}"),
        n => format!("{n:.3}"),
    }
}

/// Whoever has figures there, in their order.
fn contenders<'a>(figures: impl Iterator<Item = &'a Figure>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for figure in figures {
        if !names.contains(&figure.contender.as_str()) {
            names.push(&figure.contender);
        }
    }
    names
}

/// The main figure of a contender: in the caches, of random boards.
fn main_figure<'a>(run: &'a Run, operation: &str, contender: &str) -> Option<&'a Figure> {
    let mut figures = run.select(Section::Operations, operation, Some(IN_CACHE));
    figures.find(|figure| figure.contender == contender)
}

/// The colour of a kind.
fn class(figure: &Figure) -> &'static str {
    match figure.kind {
        _ if figure.contender == crate::settings::BASELINE => "baseline",
        Kind::Kernel => "kernel",
        Kind::Form => "form",
        Kind::Peer => "peer",
        Kind::Roof => "roof",
    }
}

/// What is told of a point of a line, of which there are many.
fn short_tip(figure: &Figure) -> String {
    format!(
        "{}, {} boards a call ({})\n{} ns a board, {:.1} GB/s",
        figure.contender,
        figure.boards_a_call,
        capacity(figure.working_set()),
        digits(figure.ns.median),
        figure.bytes_per_second / 1e9
    )
}

/// All that is known of a figure, for whoever points at it.
fn tip(figure: &Figure) -> String {
    let [low, high] = figure.ns.quartiles;
    let mut text = format!(
        "{}, {}\n{} ns a board (middle half {} to {}, least {})\n{} million boards/s, {:.1} GB/s",
        figure.contender,
        figure.operation,
        digits(figure.ns.median),
        digits(low),
        digits(high),
        digits(figure.ns.minimum),
        digits(figure.boards_per_second / 1e6),
        figure.bytes_per_second / 1e9,
    );
    if let Some(tsc) = figure.tsc_cycles {
        let _ = write!(text, "\n{} TSC cycles a board", digits(tsc));
    }
    if let Some(ratio) = figure.to_scalar {
        let _ = write!(text, "\n{} of the time of scalar", digits(ratio.median));
    }
    if let Some(ratio) = figure.to_copy {
        let _ = write!(
            text,
            "\n{} times the time of copy-xor",
            digits(ratio.median)
        );
    }
    if let Some(counts) = figure.counters {
        let _ = write!(
            text,
            "\n{} instructions, {} cycles a board, IPC {:.2}, {} branches missed, {:.2} GHz",
            digits(counts.instructions),
            digits(counts.cycles),
            counts.ipc,
            digits(counts.branch_misses),
            counts.clock_ghz
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::boards::Boards;
    use crate::figures::Run;
    use crate::plan;
    use crate::settings::Options;
    use setwise::Kernels;
    use std::sync::LazyLock;

    /// Everything, once for all tests.
    static RUN: LazyLock<Run> = LazyLock::new(|| {
        let options = Options {
            quick: true,
            seconds: 0.0,
            kernels: Kernels::available().collect(),
            operations: Vec::new(),
            boards: Vec::new(),
            positions: Some((Boards::random(64), "some <positions>".into())),
            techniques: true,
            threads: 2,
            given: vec!["--operation </script><b>".into()],
            slowed: None,
            broken: None,
        };
        plan::run(&options, &mut |_, _| ())
    });

    /// Every object of the schema with all its fields and no other.
    fn strict(schema: &mut serde_json::Value) {
        if let Some(object) = schema.as_object_mut() {
            if object.contains_key("properties") {
                object.insert("additionalProperties".into(), false.into());
            }
            object.values_mut().for_each(strict);
        }
    }

    /// What is written is what `docs/bench-schema.json` says, field by field; and the schema is one that can say no.
    #[test]
    fn the_schema_is_kept() {
        let mut schema =
            serde_json::from_str(include_str!("../../../../docs/bench-schema.json")).unwrap();
        strict(&mut schema);
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let run = serde_json::to_value(&*RUN).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&run)
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}");
        let spoiled = [
            ("/schema", 2.into()),
            ("/figures/0/section", "weather".into()),
            ("/figures/0/ns/quartiles", serde_json::json!([1.0])),
            ("/machine/threads", "two".into()),
            (
                "/figures/0/ns",
                serde_json::json!({ "median": 1.0, "minimum": 1.0, "quartiles": [1.0, 1.0], "mode": 1.0 }),
            ),
        ];
        for (place, value) in spoiled {
            let mut run = run.clone();
            *run.pointer_mut(place).unwrap() = value;
            assert!(!validator.is_valid(&run), "{place}");
        }
    }

    /// Of one run and of two: every part is there, nothing is fetched, the figures are in it, and no text becomes an element.
    #[test]
    fn pages_are_whole_and_need_nothing_else() {
        let run = &*RUN;
        let one = super::page(std::slice::from_ref(run));
        for part in [
            "Random boards",
            "Real positions",
            "From one board",
            "Few boards",
            "Threads",
            "technique shelf",
            "Tables",
            "slider_attacks: latency",
            "is the fastest kernel here",
            "Beyond the caches",
            "GB/s",
        ] {
            assert!(one.contains(part), "{part}");
        }
        let two = super::page(&[run.clone(), run.clone()]);
        assert!(two.contains("Run 2 against run 1"));
        for page in [&one, &two] {
            let addresses = page.matches("://").count();
            assert_eq!(
                addresses,
                page.matches("http://www.w3.org/2000/svg").count(),
                "addresses that are not names"
            );
            assert_eq!(
                page.matches("</script>").count(),
                2,
                "one of data, one of code"
            );
            assert!(!page.contains("</script><b>") && !page.contains("<positions>"));
            let (_, rest) = page.split_once("id=\"figures\">").unwrap();
            let json = rest.split_once("</script>").unwrap().0;
            let value: serde_json::Value = serde_json::from_str(json).unwrap();
            let first = value.get(0).unwrap_or(&value);
            assert_eq!(Run::read(&first.to_string()).unwrap(), *run);
        }
        let drawing = super::drawing(run);
        assert!(
            drawing.starts_with("<svg")
                && drawing.contains("queen_attacks")
                && !drawing.contains("NaN")
        );
        assert!(!one.contains("NaN") && !one.contains("inf\""));
    }
}
