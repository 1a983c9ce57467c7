//! Tests of `setwise bench`: its figures, checks and comparisons. They check that all times are
//! reported, but not the times themselves.

mod common;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use common::setwise;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use tempfile::TempDir;

/// The arguments of the shortest run.
const MOMENT: [&str; 4] = ["bench", "--quick", "--seconds", "0"];

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

/// Saves a run's JSON.
fn save(folder: &Path, name: &str, arguments: &[&str]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, json(arguments).to_string()).unwrap();
    path
}

fn figures<'a>(run: &'a Value, section: &str, operation: &str) -> Vec<&'a Value> {
    let all = run["figures"].as_array().unwrap().iter();
    all.filter(|figure| figure["section"] == section && figure["operation"] == operation).collect()
}

#[test]
fn every_kernel_is_measured_in_every_section() {
    let run = json(&["--techniques", "--threads", "2"]);
    assert_eq!(run["schema"], 1);
    assert_eq!(run["wrong"].as_array().unwrap().len(), 0);
    assert!(run["machine"]["clock_ghz"].as_f64().unwrap() > 0.0);
    let names: Vec<_> = setwise::Kernel::available().map(setwise::Kernel::name).collect();
    for (section, operation) in [
        ("operations", "rook_attacks"),
        ("operations", "slider_attacks"),
        ("positions", "queen_attacks"),
        ("maps", "attack_maps"),
        ("maps", "attack_maps_in_columns"),
        ("maps", "attack_maps_one"),
        ("calls", "slider_attacks"),
        ("latency", "slider_attacks"),
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
        assert!(figures.iter().any(|figure| figure["contender"] == "techniques::magic"));
    }
    let form = figures(&run, "techniques", "bishop_attacks_from");
    assert!(form.iter().any(|figure| figure["contender"] == "hyperbola::bishop"));
    let sweep = figures(&run, "sweep", "slider_attacks");
    assert!(sweep.iter().any(|figure| figure["boards_a_call"] == 1));
    assert!(sweep.iter().any(|figure| figure["contender"] == "copy-xor"));
    let threads = figures(&run, "threads", "slider_attacks");
    assert!(threads.iter().any(|figure| figure["threads"] == 2));
    assert_eq!(run["inputs"][1]["name"], "games");
}

#[test]
fn people_and_spreadsheets_read_it_too() {
    let arguments = ["--operation", "queen_attacks", "--boards", "1,64"];
    moment(&arguments)
        .assert()
        .code(0)
        .stdout(contains("CPU").and(contains("queen_attacks")).and(contains("copy-xor")));
    let csv = moment(&arguments).arg("--csv").assert().code(0);
    let csv = String::from_utf8(csv.get_output().stdout.clone()).unwrap();
    assert!(csv.starts_with("section,operation,input,contender,kind,boards_a_call,"));
    assert!(
        csv.lines().any(|line| line.starts_with("sweep,queen_attacks,random,scalar,kernel,64,")),
        "{csv}"
    );
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
    assert!(fs::read_to_string(html).unwrap().contains("\"boards_a_call\":2"));
    assert!(fs::read_to_string(svg).unwrap().ends_with("</svg>\n"));
}

/// A saved run with a damaged or hostile value is refused, and the message names the file and the
/// value. Nothing is written.
#[test]
fn damaged_runs_are_refused() {
    let folder = TempDir::new().unwrap();
    let run = json(&["--boards", "2", "--operation", "rook_attacks", "--kernel", "scalar"]);
    let path = folder.path().join("run.json");
    for (pointer, value, message) in [
        ("/figures/0/ns/median", 0.into(), "figures[0].ns is 0, expected"),
        ("/figures/0/bytes_per_second", 0.into(), "figures[0].bytes_per_second is 0, expected"),
        ("/machine/os", "\u{1b}[2J".into(), "machine.os is \"\\u{1b}[2J\", expected printable"),
        ("/figures/0/kind", "\u{1b}".into(), "unknown variant `\\u{1b}`"),
        ("/figures", Value::Null, "invalid type: null"),
    ] {
        let mut run = run.clone();
        *run.pointer_mut(pointer).unwrap() = value;
        fs::write(&path, run.to_string()).unwrap();
        let html = folder.path().join("r.html");
        let mut command = setwise();
        command.args(["bench", "--compare"]).arg(&path).arg("--html").arg(&html);
        let plain = contains('\u{1b}').not();
        let message = contains("run.json: ").and(contains(message)).and(plain);
        command.assert().code(2).stdout("").stderr(message);
        assert!(!html.exists());
    }
    #[cfg(target_os = "linux")]
    for (file, message) in [("/dev/zero", "longer than 16 MiB"), ("/", "Is a directory")] {
        let mut command = setwise();
        command.args(["bench", "--compare", file]).assert().code(2).stderr(contains(message));
    }
}

#[test]
fn one_kernel_is_measured_with_the_baseline() {
    let run = json(&["--kernel", "kogge-stone", "--operation", "rook_attacks"]);
    let operations = figures(&run, "operations", "rook_attacks");
    let kernels = operations.iter().filter(|figure| figure["kind"] == "kernel");
    let names: Vec<_> = kernels.map(|figure| figure["contender"].as_str().unwrap()).collect();
    assert_eq!(names, ["kogge-stone", "scalar"]);
}

#[test]
fn a_wrong_kernel_is_named_and_not_timed() {
    let assert = moment(&["--operation", "rook_attacks", "--wrong", "borrow", "--json"]).assert();
    let assert = assert.code(1).stderr(contains("borrow, rook_attacks: board 0 is"));
    let run: Value = serde_json::from_slice(&assert.get_output().stdout).expect("JSON");
    let figures = run["figures"].as_array().unwrap();
    assert!(figures.iter().all(|figure| figure["contender"] != "borrow"));
    assert!(figures.iter().any(|figure| figure["contender"] == "scalar"));
}

#[test]
fn positions_come_from_a_file() {
    let folder = TempDir::new().unwrap();
    let good = folder.path().join("good.epd");
    fs::write(&good, format!("# two\n{}\n\n8/8/8/8/p7/8/8/R1k5 w - -\n", common::START)).unwrap();
    let run = json(&["--operation", "rook_attacks", "--epd", good.to_str().unwrap()]);
    assert_eq!(run["inputs"][1]["boards"], 4);
    assert!(!figures(&run, "positions", "rook_attacks").is_empty());
    let bad = folder.path().join("bad.epd");
    fs::write(&bad, "8/8/8/8/8/8/8 w - -\n").unwrap();
    for (path, message) in [("bad.epd", "bad.epd:1: piece placement"), ("none.epd", "none.epd: ")] {
        let path = folder.path().join(path);
        moment(&["--epd", path.to_str().unwrap()])
            .assert()
            .code(2)
            .stdout("")
            .stderr(contains(message));
    }
}

#[test]
fn a_slowed_kernel_is_an_alarm_and_the_same_run_is_none() {
    let folder = TempDir::new().unwrap();
    let arguments = ["--operation", "queen_attacks", "--seconds", "1"];
    let quick = ["bench", "--quick"];
    let save = |name: &str, more: &[&str]| {
        let path = folder.path().join(name);
        let output = setwise()
            .args(quick)
            .args(arguments)
            .args(more)
            .arg("--json")
            .assert()
            .code(0)
            .get_output()
            .stdout
            .clone();
        fs::write(&path, output).unwrap();
        path
    };
    let usual = save("usual.json", &[]);
    let slow = save("slow.json", &["--slow", "borrow=4"]);
    let compare = |first: &Path, second: &Path| {
        let mut command = setwise();
        command.args(["bench", "--fail-above", "2", "--compare"]).args([first, second]);
        command.assert()
    };
    compare(&usual, &usual).code(0).stdout(contains("queen_attacks"));
    compare(&usual, &slow)
        .code(1)
        .stderr(contains("slower by more than 2").and(contains("borrow")));
}

#[test]
fn a_summary_can_be_kept_and_compared() {
    let folder = TempDir::new().unwrap();
    let full = save(folder.path(), "full.json", &["--techniques"]);
    let full = full.to_str().unwrap();
    let arguments = ["bench", "--compare", full];
    let assert = setwise().args(arguments).arg("--summary").assert().code(0);
    let summary: Value = serde_json::from_slice(&assert.get_output().stdout).expect("JSON");
    assert_eq!(summary["summary"], true);
    let sections: HashSet<_> = summary["figures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|figure| figure["section"].as_str().unwrap())
        .collect();
    let expected = ["operations", "positions", "latency", "throughput", "cold", "techniques"];
    assert_eq!(sections, expected.into());
    let path = folder.path().join("summary.json");
    fs::write(&path, &assert.get_output().stdout).unwrap();
    let path = path.to_str().unwrap();
    let both = [&arguments[..], &[path]].concat();
    let compared = contains("2 against 1").and(contains("avx2").or(contains("scalar")));
    setwise().args(&both).assert().code(0).stdout(compared);
    setwise().args(&both).arg("--summary").assert().code(2).stderr(contains("expected one run"));
}

#[test]
fn bad_usage_is_reported() {
    let folder = TempDir::new().unwrap();
    let other = folder.path().join("other.json");
    fs::write(&other, "{\"schema\": 99}").unwrap();
    let other = other.to_str().unwrap();
    let run = save(folder.path(), "run.json", &["--operation", "rook_attacks", "--boards", "8"]);
    let run = run.to_str().unwrap();
    let many = vec!["8"; 1000].join(",");
    let unreadable = "--compare could not read this run: the length of --boards and its list";
    let cases: [(&[&str], &str); 13] = [
        (&["--json", "--boards", &many], unreadable),
        (&["--operation", "castling"], "--operation castling: unknown operation"),
        (&["--boards", "0"], "from 1 to"),
        (&["--seconds=-1"], "must be from 0 to"),
        (&["--threads", "0"], "--threads"),
        (&["--fail-above", "1.1"], "--compare"),
        (&["--quick", "--fail-above", "1.1"], "add --compare"),
        (&["--compare", run, other], "other.json: its schema is 99, expected 1"),
        (&["--compare", "none.json"], "--compare none.json: "),
        (&["--compare", "\u{1b}.json"], "--compare \\u{1b}.json: "),
        (&["--operation", "\u{1b}"], "--operation \\u{1b}: unknown operation"),
        (&["--compare", run, "--fail-above", "1.1"], "no common figures"),
        (&["--wrong", "abacus"], "abacus: no such kernel"),
    ];
    for (arguments, message) in cases {
        let assert = setwise().arg("bench").args(arguments).assert();
        assert.code(2).stdout("").stderr(contains(message).and(contains("panicked").not()));
    }
}
