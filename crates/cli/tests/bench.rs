//! Tests of `setwise bench`: its figures, checks and comparisons. They check that all times are
//! reported, but not the times themselves. Comparisons and reports use a saved run.

use crate::common;

use std::fs;
use std::path::Path;

use common::setwise;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use tempfile::TempDir;

/// The arguments of the shortest run.
const MOMENT: [&str; 4] = ["bench", "--quick", "--seconds", "0"];
/// A saved run with a few contenders in every section.
const SAVED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../measure/tests/run.json");

fn moment(arguments: &[&str]) -> assert_cmd::Command {
    let mut command = setwise();
    command.args(MOMENT).args(arguments);
    command
}

#[track_caller]
fn json(arguments: &[&str]) -> Value {
    let assert = moment(arguments).arg("--json").assert().code(0);
    serde_json::from_slice(&assert.get_output().stdout).expect("JSON")
}

fn figures<'a>(run: &'a Value, section: &str, operation: &str) -> Vec<&'a Value> {
    let all = run["figures"].as_array().unwrap().iter();
    all.filter(|figure| figure["section"] == section && figure["operation"] == operation).collect()
}

#[test]
fn every_kernel_is_measured_in_every_section() {
    let run = json(&["--techniques"]);
    assert_eq!(run["schema"], 1);
    assert_eq!(run["wrong"].as_array().unwrap().len(), 0);
    assert!(run["machine"]["clock_ghz"].as_f64().unwrap() > 0.0);
    let names: Vec<_> = setwise::Kernel::available().map(setwise::Kernel::name).collect();
    for (section, operation) in [
        ("operations", "rook_attacks"),
        ("operations", "slider_attacks"),
        ("positions", "queen_attacks"),
        ("repeated", "slider_attacks"),
        ("maps", "attack_maps"),
        ("maps", "attack_maps_in_columns"),
        ("maps", "attack_maps_one"),
        ("maps", "checks"),
        ("maps", "checks_in_columns"),
        ("maps", "checks_one"),
        ("maps", "legal_counts"),
        ("maps", "legal_counts_in_planes"),
        ("maps", "legal_moves"),
        ("techniques", "ray_attacks-north"),
    ] {
        let figures = figures(&run, section, operation);
        for name in &names {
            let figure = figures.iter().find(|figure| figure["contender"] == *name);
            let figure = figure.unwrap_or_else(|| panic!("{section} {operation} {name}"));
            assert!(figure["ns"]["median"].as_f64().unwrap() > 0.0, "{figure}");
            assert!(figure["to_scalar"]["median"].as_f64().unwrap() > 0.0, "{figure}");
        }
    }
    assert!(figures(&run, "threats", "threats_moved").iter().any(|f| f["contender"] == "scalar"));
    // Kernels that share code for one board share one figure.
    for section in ["throughput", "latency", "cold"] {
        let figures = figures(&run, section, "slider_attacks_one");
        let named = |figure: &Value, name: &str| {
            let shared = figure["shared_by"].as_array();
            figure["contender"] == name || shared.is_some_and(|all| all.contains(&name.into()))
        };
        for name in &names {
            let count = figures.iter().filter(|figure| named(figure, name)).count();
            assert_eq!(count, 1, "{section}: {name}");
        }
        for name in ["board", "techniques::magic", "techniques::switch", "techniques::hyperbola"] {
            assert!(figures.iter().any(|figure| figure["contender"] == name), "{section}: {name}");
        }
    }
    let form = figures(&run, "techniques", "bishop_attacks_from");
    assert!(form.iter().any(|figure| figure["contender"] == "hyperbola::bishop"));
    let sweep = figures(&run, "sweep", "slider_attacks");
    assert!(sweep.iter().any(|figure| figure["boards_a_call"] == 1));
    assert!(sweep.iter().any(|figure| figure["contender"] == "copy-xor"));
    assert_eq!(run["inputs"][1]["name"], "games");
}

#[test]
fn people_and_spreadsheets_read_it_too() {
    setwise()
        .args(["bench", "--compare", SAVED])
        .assert()
        .code(0)
        .stdout(contains("CPU").and(contains("slider_attacks")).and(contains("copy-xor")));
    let csv =
        moment(&["--operation", "queen_attacks", "--boards", "1,64", "--csv"]).assert().code(0);
    let csv = String::from_utf8(csv.get_output().stdout.clone()).unwrap();
    assert!(
        csv.starts_with("section,operation,input,contender,kind,shared_by,mboards_per_second,")
    );
    let scalar = |line: &str| line.starts_with("sweep,queen_attacks,random,scalar,kernel,,");
    assert!(csv.lines().any(|line| scalar(line) && line.contains(",64,1024,24,")), "{csv}");
}

/// Tests the smallest report: one operation with one kernel and one batch size.
#[test]
fn the_smallest_run_is_drawn() {
    let folder = TempDir::new().unwrap();
    let [html, svg] = ["r.html", "r.svg"].map(|name| folder.path().join(name));
    moment(&["--boards", "2", "--operation", "rook_attacks", "--kernel", "scalar"])
        .args(["--html", html.to_str().unwrap(), "--svg", svg.to_str().unwrap()])
        .assert()
        .code(0);
    assert!(fs::read_to_string(html).unwrap().contains("rook_attacks, ns/board"));
    assert!(fs::read_to_string(svg).unwrap().ends_with("</svg>\n"));
}

/// A file that is not a run is refused with its name and the reason. Nothing is written.
#[test]
fn other_files_are_refused() {
    let folder = TempDir::new().unwrap();
    let [path, html] = ["run.json", "r.html"].map(|name| folder.path().join(name));
    fs::write(&path, "{\"schema\":99}").unwrap();
    let mut command = setwise();
    command.args(["bench", "--compare"]).arg(&path).arg("--html").arg(&html);
    let message = contains("run.json: its schema is 99, expected 1");
    command.assert().code(2).stdout("").stderr(message);
    assert!(!html.exists());
    #[cfg(target_os = "linux")]
    for (file, message) in [("/dev/zero", "longer than 16 MiB"), ("/", "Is a directory")] {
        let mut command = setwise();
        command.args(["bench", "--compare", file]).assert().code(2).stderr(contains(message));
    }
}

/// The system's counters: those that it allows are in every figure, and it says why it refuses
/// others. A quick run does not count by default.
#[test]
fn counters_count_or_are_refused() {
    let arguments = ["--kernel", "scalar", "--operation", "rook_attacks", "--boards", "64"];
    assert!(json(&arguments)["counters"].is_null());
    let run = json(&[&arguments[..], &["--counters"]].concat());
    let events = run["counters"]["events"].as_array().unwrap();
    assert_eq!(run["counters"]["refused"].is_null(), events.contains(&"instructions".into()));
    for figure in run["figures"].as_array().unwrap() {
        let counts = figure["counts"].as_object();
        let names = figure["not_measurable"].as_array();
        let named = counts.map_or(0, serde_json::Map::len) + names.map_or(0, Vec::len);
        assert_eq!(named, events.len(), "{figure}");
        if let Some(time) = figure["counts"].get("task_nanoseconds") {
            assert!(time.as_f64().unwrap() > 0.0, "{figure}");
        }
    }
    let assert = moment(&arguments).arg("--counters=on").assert().code(0);
    assert.stdout(contains("     counters: "));
    moment(&arguments).args(["--counters=perhaps"]).assert().code(2).stderr(contains("--counters"));
}

#[test]
fn one_kernel_is_measured_with_the_baseline() {
    let run = json(&["--kernel", "kogge-stone", "--operation", "rook_attacks", "--boards", "64"]);
    let sweep = figures(&run, "sweep", "rook_attacks");
    let kernels = sweep.iter().filter(|figure| figure["kind"] == "kernel");
    let names: Vec<_> = kernels.map(|figure| figure["contender"].as_str().unwrap()).collect();
    assert_eq!(names, ["kogge-stone", "scalar"]);
    // Such a run can be compared.
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("run.json");
    fs::write(&path, run.to_string()).unwrap();
    let mut compare = setwise();
    compare.args(["bench", "--fail-above=100", "--compare"]).args([&path, &path]);
    compare.assert().code(0);
}

#[test]
fn positions_come_from_a_file() {
    let folder = TempDir::new().unwrap();
    let good = folder.path().join("good.epd");
    fs::write(&good, format!("# two\n{}\n\n8/8/8/8/p7/8/8/R1k5 w - -\n", common::START)).unwrap();
    let good = good.to_str().unwrap();
    let run = json(&["--operation", "rook_attacks", "--kernel", "scalar", "--epd", good]);
    assert_eq!(run["inputs"][1]["boards"], 4);
    assert!(!figures(&run, "positions", "rook_attacks").is_empty());
    assert!(!figures(&run, "repeated", "rook_attacks").is_empty());
}

#[test]
fn a_slower_kernel_is_an_alarm_and_the_same_run_is_none() {
    let folder = TempDir::new().unwrap();
    let slow = folder.path().join("slow.json");
    let mut run: Value = serde_json::from_slice(&fs::read(SAVED).unwrap()).unwrap();
    for figure in run["figures"].as_array_mut().unwrap() {
        if figure["contender"] == "avx2" && figure["to_scalar"].is_object() {
            figure["to_scalar"] =
                serde_json::json!({ "median": 9, "of_minima": 9, "quartiles": [9, 9] });
        }
    }
    fs::write(&slow, run.to_string()).unwrap();
    let compare = |second: &Path| {
        let mut command = setwise();
        command.args(["bench", "--fail-above", "1.1", "--compare", SAVED]).arg(second);
        command.assert()
    };
    compare(Path::new(SAVED)).code(0).stdout(contains("slider_attacks"));
    let alarm = contains("slower by more than 1.1").and(contains("avx2, slider_attacks: "));
    compare(&slow).code(1).stderr(alarm);
}

#[test]
fn a_summary_can_be_kept_and_compared() {
    let folder = TempDir::new().unwrap();
    let arguments = ["bench", "--compare", SAVED];
    let assert = setwise().args(arguments).arg("--summary").assert().code(0);
    let summary: Value = serde_json::from_slice(&assert.get_output().stdout).expect("JSON");
    assert_eq!(summary["summary"], true);
    let path = folder.path().join("summary.json");
    fs::write(&path, &assert.get_output().stdout).unwrap();
    let path = path.to_str().unwrap();
    let both = [&arguments[..], &[path]].concat();
    setwise().args(&both).assert().code(0).stdout(contains("2 against 1").and(contains("avx2")));
    setwise().args(&both).arg("--summary").assert().code(2).stderr(contains("expected one run"));
}

/// The calls in a search have a figure with an interval, or none: in JSON, CSV, text and report.
#[test]
fn a_walk_has_figures_or_says_that_it_has_none() {
    let folder = TempDir::new().unwrap();
    let [saved, html] = ["walk.json", "walk.html"].map(|name| folder.path().join(name));
    let arguments = ["--walk", "--kernel", "scalar", "--html", html.to_str().unwrap()];
    let mut run = json(&arguments);
    let rows = run["added"].as_array().unwrap();
    for name in ["scalar", "cozy-magic"] {
        assert_eq!(rows.iter().filter(|one| one["contender"] == name).count(), 3, "{rows:?}");
    }
    for row in rows {
        assert_ne!(row["ns"].is_object(), row["within_ns"].is_number(), "{row}");
        assert!(row["rounds"].as_u64().unwrap() >= 8, "{row}");
    }
    let walks = run["figures"].as_array().unwrap();
    assert!(walks.iter().all(|one| one["contender"] == "walk-alone"), "{walks:?}");
    assert_eq!(walks.len(), 3);
    assert!(fs::read_to_string(&html).unwrap().contains("In a search"));

    // One row is noise, and one is not.
    let row = |name: &str, ns: Value, within: Value| {
        serde_json::json!({
            "operation": "side_attacks_one", "input": "walk", "contender": name,
            "kind": "kernel", "rounds": 20, "ns": ns, "within_ns": within,
        })
    };
    let measured = serde_json::json!({ "median": 5.0, "interval": [4.0, 6.0] });
    run["machine"]["clock_ghz"] = 2.5.into();
    run["added"] =
        [row("avx2", measured, Value::Null), row("sse2", Value::Null, 12.0.into())].into();
    fs::write(&saved, run.to_string()).unwrap();
    let mut command = setwise();
    command.args(["bench", "--compare"]).arg(&saved).arg("--html").arg(&html);
    let text = command.assert().code(0).get_output().stdout.clone();
    let text = String::from_utf8(text).unwrap();
    let line = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).expect(name);
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("avx2"), "avx2 5.00 4.00 6.00 12.5 20");
    assert_eq!(line("sse2"), "sse2 not measurable (within 12.0 ns) 20");
    let page = fs::read_to_string(&html).unwrap();
    let row = page.lines().find(|line| line.contains(">sse2<")).unwrap();
    let cells = row.split("<td>").skip(1).map(|cell| cell.split('<').next().unwrap());
    let cells: Vec<_> = cells.collect();
    assert_eq!(cells, ["not measurable (within 12.0 ns)", "", "", "", "20"]);

    // Noise is not compared, and neither is what other programs affect so much.
    let mut command = setwise();
    command.args(["bench", "--fail-above", "1.1", "--compare"]).args([&saved, &saved]);
    command.assert().code(2).stderr(contains("no common figures"));
    let csv = moment(&["--walk", "--kernel", "scalar", "--csv"]).assert().code(0);
    let csv = String::from_utf8(csv.get_output().stdout.clone()).unwrap();
    let header = csv.lines().next().unwrap().split(',').count();
    assert!(csv.lines().all(|line| line.split(',').count() == header), "{csv}");
    assert!(csv.lines().skip(1).all(|line| line.starts_with("walk,")), "{csv}");
    assert!(csv.contains("side_attacks_one,walk,cozy-magic,peer,,,,"), "{csv}");
}

/// Numbers that no run has are refused, so no ratio of two runs passes as NaN.
#[test]
fn impossible_numbers_are_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("bad.json");
    for (number, message) in [(0.0, "is 0, expected"), (-3.0, "is -3, expected")] {
        let mut run: Value = serde_json::from_slice(&fs::read(SAVED).unwrap()).unwrap();
        for figure in run["figures"].as_array_mut().unwrap() {
            if figure["to_scalar"].is_object() {
                figure["to_scalar"]["median"] = number.into();
            }
        }
        fs::write(&path, run.to_string()).unwrap();
        let mut command = setwise();
        command.args(["bench", "--fail-above", "1.1", "--compare", SAVED]).arg(&path);
        let message = contains("bad.json: figure 1 (avx2, slider_attacks): to_scalar: median ")
            .and(contains(message));
        command.assert().code(2).stdout("").stderr(message);
    }
}

#[test]
fn bad_usage_is_reported() {
    let folder = TempDir::new().unwrap();
    let bad = folder.path().join("bad.epd");
    fs::write(&bad, "8/8\u{1b} w - -\n").unwrap();
    let bad = bad.to_str().unwrap();
    let cases: [(&[&str], &str); 13] = [
        (&["--epd", bad], "bad.epd:1: piece placement"),
        (&["--epd", "none.epd"], "none.epd: "),
        (&["--walk", "--techniques"], "cannot be used with"),
        (&["--walk", "--epd", "none.epd"], "--epd none.epd: "),
        (&["--walk", "--epd", bad], "bad.epd: 8/8\\u{1b} w - -: "),
        (&["--operation", "castling"], "unknown operation, expected one of rook_attacks, "),
        (&["--boards", "0"], "0 is not in 1..=67108864"),
        (&["--seconds=-1"], "must be from 0 to"),
        (&["--fail-above", "1.1"], "--compare"),
        (&["--quick", "--fail-above", "1.1"], "save this one with --json, then name two runs"),
        (&["--compare", "none.json"], "--compare none.json: "),
        (&["--operation", "\u{1b}"], "--operation \\u{1b}: unknown operation"),
        (&["--compare", SAVED, "--fail-above", "1.1"], "no common figures"),
    ];
    for (arguments, message) in cases {
        let assert = setwise().arg("bench").args(arguments).assert();
        assert.code(2).stdout("").stderr(contains(message).and(contains("panicked").not()));
    }
}
