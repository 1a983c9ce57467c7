//! Tests of the output and exit code of every command except `attacks`, `bench` and `endgame`.

use crate::common;

use common::{START, setwise};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use setwise::{Kernel, KernelInfo, KernelStatus};

const ESCAPE: char = '\u{1b}';

/// The stdout of a successful run.
#[track_caller]
fn stdout(arguments: &[&str]) -> String {
    let assert = setwise().args(arguments).assert().code(0);
    common::stdout(&assert)
}

/// The JSON of a successful run.
#[track_caller]
fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(arguments)).expect("JSON")
}

/// The kernels that can run here, in the order in which they are tried.
fn available() -> Vec<&'static str> {
    Kernel::available().map(Kernel::name).collect()
}

/// Names and contents of files, and arguments, reach no terminal raw.
#[test]
fn messages_are_printable() {
    let folder = tempfile::tempdir().unwrap();
    let evil = "\u{1b}]0;x\u{7}";
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let file = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).unwrap();
        path(name)
    };
    let saved = concat!(env!("CARGO_MANIFEST_DIR"), "/../measure/tests/run.json");
    let saved = std::fs::read_to_string(saved).unwrap();
    let json = "\\u001b]0;x\\u0007";
    let broken = file("broken.json", &saved.replacen("\"kernel\"", &format!("\"{json}\""), 1));
    let unreadable = file("unreadable.json", evil);
    let brand: Value = serde_json::from_str(&saved).unwrap();
    let brand = brand["machine"]["brand"].as_str().unwrap().to_owned();
    let named = file("named.json", &saved.replace(&brand, json));
    let lines = file("a.epd", &format!("{evil}\n{START}\n8/8/8/8/8/8/8/8 {evil}\n"));
    let keys = file("a.json", &format!("[{{\"{json}\": 1}}]"));
    let table = file("a.csv", &format!("a,b{}\n1,{START}\n", '\u{9b}'));
    // Unix allows these names.
    let named_evil = if cfg!(unix) { file(evil, "8/8\n") } else { path("none") };
    let saved_evil = if cfg!(unix) { file(&format!("{evil}.json"), "{}") } else { path("none") };
    for arguments in [
        &["bench", "--compare", &broken][..],
        &["bench", "--compare", &unreadable],
        &["bench", "--compare", &named],
        &["bench", "--compare", &saved_evil],
        &["bench", "--epd", &named_evil],
        &["bench", "--operation", evil],
        &["attacks", &lines],
        &["attacks", &keys],
        &["attacks", &table],
        &["attacks", &named_evil],
        &["attacks", &path(&format!("none{evil}.epd"))],
        &["attacks", "--pairs", evil],
        &["attacks", "-o", &path(&format!("{evil}.txt"))],
        &["attacks", "--columns", evil],
        &["attacks", "--format", evil],
        &["attacks", &format!("--{evil}")],
        &[evil],
        &["--kernel", evil],
        &["show", evil],
        &["endgame", evil],
        &["endgame", "probe", evil],
        &["endgame", "--tables", &path(evil), "KQK"],
        &["completions", evil],
    ] {
        let mut command = setwise();
        // Otherwise the parser of arguments removes all escape sequences from its messages.
        command.env("CLICOLOR_FORCE", "1");
        let assert = command.arg("--color=always").args(arguments).write_stdin("").assert();
        for stream in [common::stdout(&assert), common::stderr(&assert)] {
            // The program's own styles are fine.
            let is_bad = |c: char| c.is_control() && !"\n\u{1b}".contains(c);
            let is_bad = stream.contains(is_bad) || stream.contains("\u{1b}]");
            assert!(!is_bad, "{arguments:?}: {}", stream.escape_debug());
        }
    }
}

#[test]
fn probe_lists_the_catalogue() {
    let probe = json(&["probe", "--json"]);
    let listed = probe["kernels"].as_array().unwrap();
    let names: Vec<_> = listed.iter().map(|kernel| kernel["name"].as_str().unwrap()).collect();
    let catalogue = Kernel::catalogue();
    let catalogue: Vec<_> = catalogue.iter().map(KernelInfo::name).collect();
    assert_eq!(names, catalogue);
    assert_eq!(probe["active"], available()[0]);
    assert!(probe["cpu"]["features"].is_array() && probe["cpu"]["arch"].is_string());
    for kernel in listed {
        let missing = kernel["missing"].as_array().unwrap();
        assert!(kernel["needs"].is_array() && kernel["description"].is_string());
        match kernel["status"].as_str().unwrap() {
            "available" | "not-compiled" => assert!(missing.is_empty()),
            "unsupported" => assert!(!missing.is_empty()),
            other => panic!("{other}"),
        }
    }
    let text = stdout(&["probe"]);
    assert!(catalogue.iter().all(|name| text.contains(name)), "{text}");
}

#[test]
fn demo_checks_and_times_every_kernel() {
    let report = json(&["--json"]);
    assert!(report["positions"].as_u64().unwrap() >= 1500);
    let results = report["results"].as_array().unwrap();
    let names: Vec<_> = results.iter().map(|r| r["name"].as_str().unwrap()).collect();
    assert_eq!(names, available());
    for result in results {
        assert_eq!(result["correct"], true, "{result}");
        assert!(result["mboards_per_second"].as_f64().unwrap() > 0.0);
        let ratio = result["ratio_to_scalar"].as_f64().unwrap();
        assert!(if result["name"] == "scalar" { (ratio - 1.0).abs() < 0.01 } else { ratio > 0.0 });
    }
    let text = stdout(&[]);
    assert!(text.contains("x scalar") && text.contains("   a  b  c  d  e  f  g  h"), "{text}");
}

#[test]
fn kernels_can_be_disabled_and_wrong_names_are_bad_input() {
    for (names, message) in [
        ("scalar,abacus", "SETWISE_DISABLE: abacus: there is no kernel"),
        ("avx2,\u{a0}scalar", "SETWISE_DISABLE: \u{a0}scalar: there is no kernel"),
        ("scalar\u{b}", "SETWISE_DISABLE: scalar\\u{b}: there is no kernel"),
        ("\u{3000},avx2", "SETWISE_DISABLE: \u{3000}: there is no kernel"),
        (&available().join(","), "SETWISE_DISABLE leaves no kernel"),
    ] {
        for command in ["probe", "verify", "bench"] {
            setwise()
                .arg(command)
                .env("SETWISE_DISABLE", names)
                .assert()
                .code(2)
                .stderr(contains(message).and(contains("panicked").not()));
        }
    }
    let best = available()[0];
    setwise()
        .arg("probe")
        .env("SETWISE_DISABLE", best)
        .assert()
        .success()
        .stdout(contains("and is not disabled").and(contains(format!("in use: {best} ")).not()));
}

#[test]
fn every_kernel_can_be_forced() {
    for name in available() {
        let probe = json(&["probe", "--json", "--kernel", name]);
        assert_eq!(probe["active"], name);
        let shown = json(&["show", START, "--json", "--kernel", name]);
        assert_eq!(shown["kernel"], name);
        setwise()
            .args(["probe", "--json"])
            .env("SETWISE_FORCE_KERNEL", name)
            .assert()
            .code(0)
            .stdout(contains(format!("\"active\": \"{name}\"")));
    }
    // An empty variable is unset.
    let default = json(&["probe", "--json"])["active"].clone();
    let mut empty = setwise();
    empty.args(["probe", "--json"]).env("SETWISE_FORCE_KERNEL", "").env("SETWISE_DISABLE", "");
    empty.assert().code(0).stdout(contains(format!("\"active\": {default}")));
    let verified = json(&["verify", "--seconds=0", "--json", "--kernel=kogge-stone"]);
    assert_eq!(verified["kernels"].as_array().unwrap().len(), 1);
    assert_eq!(verified["kernels"][0]["name"], "kogge-stone");
    // The report has the forced kernel and the baseline that its ratio refers to.
    let report = json(&["--json", "--kernel", "kogge-stone"]);
    let results = report["results"].as_array().unwrap().iter();
    let names: Vec<_> = results.map(|result| result["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["kogge-stone", "scalar"]);
}

#[test]
fn unknown_and_unsupported_kernels_are_bad_usage() {
    let commands: [&[&str]; 6] =
        [&[], &["probe"], &["show", START], &["attacks"], &["verify"], &["endgame", "KQK"]];
    let clean = || contains("kogge-stone").and(contains("panicked").not());
    for command in commands {
        let refused = |run: &mut assert_cmd::Command, message| {
            let assert = run.args(command).write_stdin(START).assert().code(2).stdout("");
            assert.stderr(contains(message).and(clean()));
        };
        let option = "--kernel abacus: there is no kernel of this name";
        refused(setwise().args(["--kernel", "abacus"]), option);
        let variable = "SETWISE_FORCE_KERNEL=abacus: there is no kernel";
        refused(setwise().env("SETWISE_FORCE_KERNEL", "abacus"), variable);
    }
    for info in Kernel::catalogue() {
        let name = info.name();
        let message = match info.status() {
            KernelStatus::Available => continue,
            KernelStatus::Unsupported(_) => format!("--kernel {name}: this CPU"),
            _ => format!("--kernel {name}: it is not compiled in"),
        };
        let assert = setwise().args(["probe", "--kernel", name]).assert();
        assert.code(2).stderr(contains(message));
        eprintln!("tried {name}: {:?}", info.status());
    }
}

#[test]
fn show_draws_both_sides() {
    let text = stdout(&["show", "8/8/8/8/p7/8/8/R1k5", "w", "-", "-", "0", "1"]);
    assert!(text.contains("4 (p) .  .  .  .  .  .  ."), "{text}");
    assert!(text.contains("1  R  * (k) .  .  .  .  ."), "{text}");
    assert!(!text.contains(ESCAPE));
    let shown = json(&["show", "--json", "8/8/8/8/p7/8/8/R1k5"]);
    assert_eq!(shown["fen"], "8/8/8/8/p7/8/8/R1k5");
    let [white, black] = [&shown["sides"][0], &shown["sides"][1]];
    assert_eq!(white["side"], "white");
    assert_eq!(white["orthogonal"], "0x0000000000000001");
    assert_eq!(white["slider_attacks"], "0x0000000001010106");
    assert_eq!(black["slider_attacks"], "0x0000000000000000");
    let shown = json(&["show", "--json", "position startpos moves e2e4"]);
    let after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    assert_eq!(shown["fen"], after);
    for (fen, error) in [
        ("8/8/8/8/8/8/8/8 x", "bad FEN: side to move: `x`"),
        ("", "it is missing"),
        ("position startpos moves e2e5", "bad FEN: moves: `e2e5`, number 1, is not legal"),
    ] {
        let assert = setwise().args(["show", fen]).assert();
        assert.code(2).stdout("").stderr(contains(error));
    }
    setwise().arg("show").assert().code(2);
}

#[test]
fn verify_repeats_a_seed() {
    let arguments = ["verify", "--seconds=0", "--seed=42", "--kernel=scalar"];
    let first = setwise().args(arguments).assert().code(0);
    let first = first.stderr(contains("seed 42")).stdout(contains("scalar"));
    setwise().args(arguments).assert().code(0).stdout(first.get_output().stdout.clone());
    for seconds in ["-1", "x", "NaN", "inf"] {
        let seconds = format!("--seconds={seconds}");
        setwise().args(["verify", &seconds]).assert().code(2);
    }
}

#[test]
fn verify_takes_all_available_kernels() {
    let report = json(&["verify", "--seconds", "0", "--json"]);
    // One round for every batch length.
    assert_eq!(report["rounds"], 131);
    let verdicts = report["kernels"].as_array().unwrap();
    let names: Vec<_> = verdicts.iter().map(|v| v["name"].as_str().unwrap()).collect();
    assert_eq!(names, available());
    assert!(verdicts.iter().all(|verdict| verdict["correct"] == true));
    assert!(verdicts.iter().all(|verdict| verdict["results"].as_u64() > Some(1_000_000)));
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = stdout(&["completions", shell]);
        assert!(script.contains("attacks") && script.contains("kernel"), "{shell}");
        // Not every generator completes the values of options or arguments.
        let (values, free) = (["bash", "fish", "zsh"], ["bash", "zsh"]);
        assert!(!values.contains(&shell) || script.contains("kogge-stone"), "{shell}");
        assert!(!free.contains(&shell) || script.contains("KRKN"), "{shell}");
    }
    setwise().args(["completions", "abacus"]).assert().code(2);
}

#[test]
fn help_lists_the_exit_codes_and_bad_usage_is_two() {
    for arguments in [
        &["--help"][..],
        &["-h"],
        &["attacks", "--help"],
        &["verify", "-h"],
        &["endgame", "--help"],
        &["endgame", "probe", "--help"],
    ] {
        assert!(stdout(arguments).contains("Exit codes: 0 done, 1 a check failed, 2"));
    }
    assert!(stdout(&["--version"]).starts_with("setwise "));
    for arguments in [&["abacus"][..], &["--abacus"], &["probe", "--color", "blue"]] {
        setwise().args(arguments).assert().code(2).stdout("");
    }
}

#[test]
fn colours_appear_only_if_wanted() {
    for (arguments, variables, expected) in [
        // A pipe is not a terminal.
        (&[][..], &[][..], false),
        (&["--color", "always"], &[], true),
        (&[], &["CLICOLOR_FORCE"], true),
        (&[], &["CLICOLOR_FORCE", "NO_COLOR"], false),
        (&["--color", "never"], &["CLICOLOR_FORCE"], false),
    ] {
        let mut command = setwise();
        command.arg("probe").args(arguments).envs(variables.iter().map(|name| (name, "1")));
        let text = common::stdout(&command.assert().code(0));
        assert_eq!(text.contains(ESCAPE), expected, "{arguments:?} {variables:?}");
    }
}
