//! Tests with runs that contain markup and escape sequences. These must stay plain text in the
//! page, the drawing and the terminal.

use anstream::adapter::strip_str;
use roxmltree::Document;
use serde_json::Value;
use setwise_measure::compare;
use setwise_measure::figures::{Run, Section};
use setwise_measure::settings::Options;
use setwise_measure::{drawing, report, run};

use super::{lines, text};

const HOSTILE: [&str; 20] = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "\"><svg onload=alert(1)>",
    "' onmouseover='alert(1)",
    "</text></svg><b>",
    "]]></style><b>",
    "&lt;b&gt;&amp;&#60;b&#62;",
    "javascript:alert(1)",
    "{{script}}{{data}}{{policy}}",
    "${alert(1)}`\\u003cb\\u003e",
    "__proto__",
    "a,b;\"c\"",
    "",
    "\u{1b}[2J\u{1b}]0;title\u{7}",
    "line\r\nbreak\ttab\u{0}",
    "\u{9b}31m\u{90}",
    "\u{202e}desrever\u{2066}",
    "\u{feff}\u{ffff}\u{2028}",
];

/// A run with up to 8 figures of every section.
fn full_run() -> Value {
    let kernels = setwise::Kernel::available().take(1).collect();
    let options =
        Options { quick: true, techniques: true, threads: 2, kernels, ..Options::default() };
    let mut run = run::measure(&options, &mut |_, _| ());
    run.wrong = vec!["avx2, rook_attacks: board 0 is wrong".into()];
    run.options = vec!["--quick".into()];
    run.machine.vendor = Some("GenuineIntel".into());
    run.machine.brand = Some("Xeon".into());
    run.machine.governor = Some("performance".into());
    run.machine.huge_pages = Some("madvise".into());
    run.machine.no_counters = Some("not allowed".into());
    run.kernels[0].missing = vec!["avx512f".into()];
    let mut kept: Vec<Section> = Vec::new();
    run.figures.retain(|figure| {
        kept.push(figure.section);
        kept.iter().filter(|&&section| section == figure.section).count() <= 8
    });
    run.figures[0].shared_by = vec!["scalar".into(), "magic".into()];
    serde_json::to_value(run).unwrap()
}

/// Calls `change` for every string, with its path and the string. List indices in the path are `*`.
fn strings(value: &mut Value, path: &str, change: &mut dyn FnMut(&str, &mut String)) {
    match value {
        Value::String(text) => change(path, text),
        Value::Array(values) => {
            for value in values {
                strings(value, &format!("{path}/*"), change);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                strings(value, &format!("{path}/{name}"), change);
            }
        }
        _ => {}
    }
}

/// Checks that the text `hostile` in `run` becomes neither markup nor an escape sequence in any
/// output. `plain` is the same run without this text.
fn check_outputs(run: &Run, plain: &Run, hostile: &str) {
    let runs = [run.clone(), run.clone()];
    let both = compare::changes(&runs[0], &runs[1]);
    for shown in [text::run(run), text::comparison(&runs, &[both]), lines(run)] {
        let plain = strip_str(&shown).to_string();
        let controls = plain.chars().filter(|&c| c.is_control() && c != '\n').count();
        assert_eq!(controls, 0, "{hostile:?}: {plain:?}");
    }
    // The page without its data is the same for all runs.
    let [(frame, data), (plain_frame, _)] = [run, plain].map(|run| {
        let page = report::page(std::slice::from_ref(run));
        let (start, rest) = page.split_once("id=\"data\">").unwrap();
        let (data, end) = rest.split_once("</script>").unwrap();
        (start.to_owned() + end, data.to_owned())
    });
    assert!(frame == plain_frame && !data.contains('<'), "{hostile:?} is markup");
    let data: Value = serde_json::from_str(&data).unwrap();
    assert_eq!(data["runs"][0], serde_json::to_value(run).unwrap());
    let svg = drawing(run);
    let document = Document::parse(&svg).unwrap_or_else(|error| panic!("{hostile:?}: {error}"));
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        let name = node.tag_name().name();
        assert!(["svg", "style", "text", "rect", "path"].contains(&name), "{hostile:?}: {name}");
        for attribute in node.attributes() {
            assert!(!attribute.name().starts_with("on"), "{hostile:?}: {}", attribute.name());
        }
    }
}

#[test]
fn hostile_texts_stay_text() {
    let full = full_run();
    let plain = Run::read(full.to_string().as_bytes()).unwrap();
    let mut paths = Vec::new();
    strings(&mut full.clone(), "", &mut |path, _| {
        if !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    });
    assert!(paths.len() > 20, "{paths:?}");
    assert!(paths.iter().any(|path| path == "/figures/*/shared_by/*"), "{paths:?}");
    let mut refused = 0;
    for hostile in HOSTILE {
        for path in &paths {
            let mut run = full.clone();
            strings(&mut run, "", &mut |at, text| {
                if at == path {
                    *text = hostile.into();
                }
            });
            match Run::read(run.to_string().as_bytes()) {
                Ok(run) => check_outputs(&run, &plain, hostile),
                Err(error) => {
                    refused += 1;
                    assert!(!error.chars().any(char::is_control), "{error:?}");
                }
            }
        }
    }
    // Fields that are enums reject all hostile texts. All other fields reject five of them.
    let enums = paths.iter().filter(|path| path.ends_with("/section") || path.ends_with("/kind"));
    let enums = enums.count();
    assert_eq!(refused, HOSTILE.len() * enums + 5 * (paths.len() - enums));
}
