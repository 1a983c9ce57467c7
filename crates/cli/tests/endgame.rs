//! Tests of `setwise endgame`: its output, files and errors.

use crate::common;

use std::process::Output;

use serde_json::Value;

fn run(args: &[&str]) -> Output {
    let mut command = common::setwise();
    command.arg("endgame").args(args).output().unwrap()
}

fn text(args: &[&str]) -> String {
    let output = run(args);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{args:?}: {errors}");
    assert_eq!(errors, "", "{args:?}: no progress unless stderr is a terminal");
    String::from_utf8(output.stdout).unwrap()
}

fn json(args: &[&str]) -> Value {
    let value: Value = serde_json::from_str(&text(args)).unwrap();
    assert_eq!(value["schema"], 3);
    value
}

/// Runs one ending and returns its JSON report.
fn only(args: &[&str]) -> Value {
    let value = json(args);
    assert_eq!(value["endings"].as_array().unwrap().len(), 1);
    value["endings"][0].clone()
}

#[test]
fn one_ending_as_json() {
    let active = setwise::Kernel::available().next().unwrap().name();
    for (arguments, attacks) in
        [(&[][..], "tables".into()), (&["--kernel", active], format!("kernel {active}"))]
    {
        let report = only(&[&["KRKQ", "--json", "--threads", "1"], arguments].concat());
        assert_eq!(report["name"], "KRKQ");
        assert_eq!(report["attacks"], attacks);
        assert_eq!(report["longest_win"], 19);
        assert_eq!(report["deepest_loss"], 18);
        assert_eq!(report["white_to_move"]["legal"], 10_780_728);
        assert_eq!(report["lost_in"][0], 2448);
        assert_eq!(report["black_wins"]["longest_win"], 35);
        for turn in ["white_to_move", "black_to_move"] {
            let count = |what: &str| report[turn][what].as_u64().unwrap();
            assert_eq!(count("legal"), count("won") + count("lost") + count("drawn"));
        }
        assert!(report["seconds"].as_f64().unwrap() > 0.0);
        assert!(report["peak_bytes"].as_u64().unwrap() < 200_000_000);
    }
}

#[test]
fn one_ending_as_text() {
    let text = text(&["KBK"]);
    assert!(text.contains("193284 legal"), "{text}");
    assert!(text.contains("white cannot win"), "{text}");
    let text = self::text(&["KQKR"]);
    for expected in ["8952608 legal", "8863768 won", "mate in 35", "     472 #", "35. "] {
        assert!(text.contains(expected), "{expected} is not in {text}");
    }
}

#[test]
fn all_endings() {
    let reports = json(&["KQKR", "KRRK", "--json"]);
    assert_eq!(reports["endings"].as_array().unwrap().len(), 2);
    let summary = text(&["all", "--threads", "2"]);
    assert_eq!(summary.lines().count(), 27);
    assert!(
        summary.lines().chain(text(&["KQKR"]).lines()).all(|line| line.len() <= 80),
        "{summary}"
    );
    assert!(summary.contains("24 endings"), "{summary}");
}

#[test]
fn positions() {
    let fen = "8/8/8/8/8/2k5/8/KQ5r w - - 0 1";
    assert!(text(&["probe", fen]).starts_with("white to move wins: mate in 9\nQxh1 "));
    let found = json(&["probe", fen, "--json"]);
    assert_eq!((&found["value"], &found["moves"]), (&"win".into(), &9.into()));
    assert_eq!(found["line"].as_array().unwrap().len(), 17);
    for (fen, expected) in [
        ("R6k/8/6K1/8/8/8/8/8 b", "black to move is mated"),
        ("7k/5Q2/8/8/8/8/8/K7 b", "black to move: a draw"),
        ("7k/6K1/8/8/8/8/8/8 w", "illegal"),
        ("7k/8/5K2/8/8/8/8/6Q1 b", "black to move loses: mated in 1\nKh7 Qg7#"),
    ] {
        assert!(text(&["probe", fen]).starts_with(expected), "{fen}");
    }
    // The words of a FEN need no quotes.
    let words: Vec<&str> = std::iter::once("probe").chain(fen.split(' ')).collect();
    assert_eq!(text(&words), text(&["probe", fen]));
}

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("new");
    let path = folder.to_str().unwrap();
    text(&["KRK", "KQQK", "--output", path]);
    let fen = "8/8/8/8/8/2k5/8/KQ5Q w - - 0 1";
    assert_eq!(text(&["probe", fen, "--tables", path]), text(&["probe", fen]));
    assert!(text(&["verify", "KRK", "--tables", path]).starts_with("KRK   ok: 175168 "));

    let file = folder.join("KQQK.swe");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&file, bytes).unwrap();
    let output = run(&["probe", fen, "--tables", path]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains("KQQK.swe") && error.contains("checksum"), "{error}");

    // A valid table under the name of another ending.
    std::fs::rename(folder.join("KRK.swe"), folder.join("KBK.swe")).unwrap();
    let output = run(&["verify", "KBK", "--tables", path]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("a table of KRK, not of KBK"), "{error}");
}

#[test]
fn bad_input_is_exit_code_2_and_says_what_is_wrong() {
    let missing = std::path::Path::new("no/such/folder").join("KQK.swe");
    for (args, expected) in [
        (&["KPK"][..], "pawn"),
        (&["KQKRB"], "5 men"),
        (&["probe", "nonsense"], "piece placement"),
        (&["KQK", "verify", "KRK"], "KQK: endings must follow `verify`"),
        (&["-o", "a", "probe", "8/8/8/8/8/8/8/Kk6 w", "--tables", "b"], "--tables"),
        (&["RKK"], "it must start with white's king, as in KQKR"),
        (&["K\u{1b}K"], "letter 2, '\\u{1b}'"),
        (&["probe", "8/8/8/8/8/8/8/K7 w"], "0 black kings"),
        (&["probe", common::START], "pawn"),
        (&["probe"], "FEN"),
        (&["verify", "KXK"], "letter 2, 'X'"),
        (&[], "ENDING"),
        (&["KQK", "--threads", "many"], "many"),
        (&["KQK", "--threads", "257"], "257 is not in 0..=256"),
        (&["KQK", "--output", "Cargo.toml"], "Cargo.toml: "),
        (&["verify", "KQK", "--tables", "no/such/folder"], missing.to_str().unwrap()),
    ] {
        let output = run(args);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(error.contains(expected), "{args:?}: {error}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

/// With a huge `RAYON_NUM_THREADS`, or without enough memory, the program is not killed by a
/// signal.
#[cfg(target_os = "linux")]
#[test]
fn threads_and_memory_have_limits() {
    let run = |before: &str, command: &str| {
        // By default, glibc reserves 64 MiB of addresses for each thread that allocates.
        let limits = format!("{before}; export MALLOC_ARENA_MAX=1 RUST_BACKTRACE=0");
        let output = common::shell(".".as_ref(), &format!("{limits}; setwise endgame {command}"));
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(run("export RAYON_NUM_THREADS=5000", "KRK").0, Some(0));
    let mut enough = false;
    for megabytes in [90, 120, 160, 200, 240, 400, 2000] {
        let limit = format!("ulimit -v {}", 1024 * megabytes);
        match run(&limit, "KQKR --threads 2") {
            (Some(0), _) => enough = true,
            (code, error) => {
                assert_eq!(code, Some(2), "{megabytes} MB: {error}");
                let memory = error.contains("not enough memory: KQKR takes up to 160 MiB");
                assert!(memory || error.contains("cannot start threads"), "{error}");
                assert!(!enough);
            }
        }
    }
    assert!(enough);
}

/// A sparse file that is longer than any table is refused without being read.
#[cfg(target_os = "linux")]
#[test]
fn a_huge_table_is_refused_by_its_size() {
    let folder = tempfile::tempdir().unwrap();
    let file = std::fs::File::create(folder.path().join("KQK.swe")).unwrap();
    let length = 40_u64 << 30;
    let mut header = b"SWENDGM\0\x01\0\0\0".to_vec();
    header.extend(1000_u64.to_le_bytes());
    header.extend((length - 32).to_le_bytes());
    std::io::Write::write_all(&mut &file, &header).unwrap();
    file.set_len(length).unwrap();
    // Reading the file would take many seconds of CPU time.
    let output = common::shell(folder.path(), "ulimit -t 3; setwise endgame KQK --tables .");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    let reason = "KQK.swe: invalid table: a compressed payload of 42949672928 bytes is too long";
    assert!(error.contains(reason), "{error}");
}
