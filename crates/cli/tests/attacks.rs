//! `setwise attacks` from outside: what it reads, what it writes, and what it never leaves behind.

mod common;

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Stdio;

use common::{START, setwise};
use cozy_chess::{BitBoard, Board, Color, Piece, get_bishop_moves, get_rook_moves};
use npyz::NpyFile;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use tempfile::TempDir;

const ROOK: &str = "8/8/8/8/p7/8/8/R1k5 w - -";

fn records(stdout: &[u8]) -> Vec<Value> {
    stdout
        .lines()
        .map(|line| serde_json::from_str(&line.unwrap()).expect("JSON"))
        .collect()
}

/// The records of an input that must be good.
#[track_caller]
fn evaluate(input: impl Into<Vec<u8>>) -> Vec<Value> {
    let mut command = setwise();
    command.arg("attacks").write_stdin(input);
    records(&command.assert().code(0).get_output().stdout)
}

fn board(record: &Value, name: &str) -> u64 {
    let text = record[name].as_str().unwrap();
    assert_eq!(text.len(), 18, "{text}");
    u64::from_str_radix(text.strip_prefix("0x").unwrap(), 16).unwrap()
}

/// Compares a record with a chess crate's look-ups, slider by slider.
#[track_caller]
fn check(record: &Value) {
    let mut fen = record["fen"].as_str().unwrap().to_owned();
    if fen.split(' ').count() == 4 {
        fen += " 0 1";
    }
    let position: Board = fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"));
    let colour = match record["side"].as_str().unwrap() {
        "white" => Color::White,
        _ => Color::Black,
    };
    let sliders = |kind| {
        position.colored_pieces(colour, kind) | position.colored_pieces(colour, Piece::Queen)
    };
    let (orthogonal, diagonal) = (sliders(Piece::Rook), sliders(Piece::Bishop));
    let occupied = position.occupied();
    let unite = |all: BitBoard, attacks: BitBoard| all | attacks;
    let rook = orthogonal
        .into_iter()
        .map(|square| get_rook_moves(square, occupied))
        .fold(BitBoard::EMPTY, unite);
    let bishop = diagonal
        .into_iter()
        .map(|square| get_bishop_moves(square, occupied))
        .fold(BitBoard::EMPTY, unite);
    for (name, right) in [
        ("orthogonal", orthogonal),
        ("diagonal", diagonal),
        ("occupied", occupied),
        ("rook_attacks", rook),
        ("bishop_attacks", bishop),
        ("slider_attacks", rook | bishop),
    ] {
        assert_eq!(board(record, name), right.0, "{name} of {record}");
    }
}

#[test]
fn two_right_records_for_a_position() {
    let middle = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9";
    let records = evaluate(format!("{START}\n{middle}\n"));
    let heads: Vec<_> = records
        .iter()
        .map(|record| {
            (
                record["line"].as_u64().unwrap(),
                record["side"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        heads,
        [(1, "white"), (1, "black"), (2, "white"), (2, "black")]
    );
    records.iter().for_each(check);
    assert_eq!(records[0]["fen"], START);
    let keys: Vec<_> = records[0].as_object().unwrap().keys().collect();
    assert_eq!(keys.len(), 9);
}

#[test]
fn many_forms_of_a_line() {
    let text = format!(
        "\u{feff}{ROOK}\r\n# a comment\r\n\r\n  # another\n \t \n\
         8/8/8/8/p7/8/8/R1k5\n\
         8/8/8/8/p7/8/8/R1k5 b HAha e3 bm Nf3; id \"x \u{e9}\";\n\
         8/8/8/8/p7/8/8/R1k5  w\tKQkq - 3 99 | 25 | 0.5\n\
         {ROOK} 0 1"
    );
    let records = evaluate(text);
    let lines: Vec<_> = records
        .iter()
        .step_by(2)
        .map(|r| r["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [1, 6, 7, 8, 9]);
    for pair in records.chunks(2) {
        assert_eq!(board(&pair[0], "slider_attacks"), 0x0101_0106);
        assert_eq!(board(&pair[1], "slider_attacks"), 0);
    }
    assert_eq!(records[4]["fen"], "8/8/8/8/p7/8/8/R1k5 b HAha e3");
    assert_eq!(records[6]["fen"], "8/8/8/8/p7/8/8/R1k5 w KQkq - 3 99");
    assert!(evaluate("").is_empty());
    assert!(evaluate("# nothing\n\n").is_empty());
}

#[test]
fn bad_lines_are_told_and_good_ones_written() {
    let folder = TempDir::new().unwrap();
    let input = folder.path().join("some.epd");
    let mut text = format!("{ROOK}\n8/8/8/8/8/8/8 w - -\n{ROOK} 0 1\n{ROOK} 0 x\n").into_bytes();
    text.extend_from_slice(b"8/8/8/8/8/8/8/8 w - - id \"\xff\";\n8/8/8/8/8/8/8/8 green - -\n");
    text.extend_from_slice(&b"x".repeat(100_000));
    text.extend_from_slice(format!("\n{ROOK}").as_bytes());
    fs::write(&input, text).unwrap();
    let assert = setwise().arg("attacks").arg(&input).assert().code(2);
    let output = assert.get_output();
    let records = records(&output.stdout);
    let lines: Vec<_> = records
        .iter()
        .map(|record| record["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [1, 1, 3, 3, 5, 5, 8, 8]);
    let errors = String::from_utf8(output.stderr.clone()).unwrap();
    for reason in [
        ":2: piece placement: 7 ranks instead of 8",
        ":4: fullmove number: `x` is not a number",
        ":6: side to move: `green` is not `w` or `b`",
        ":7: line: it is longer than",
        "4 bad lines were left out",
        "bad lines: 4 (line 1, piece placement 1, side to move 1, fullmove number 1)",
    ] {
        let reason = format!(
            "{}{reason}",
            if reason.starts_with(':') {
                "some.epd"
            } else {
                ""
            }
        );
        assert!(errors.contains(&reason), "{reason} in {errors}");
    }
    assert!(
        !errors.contains("some.epd:5"),
        "operations need not be UTF-8: {errors}"
    );
}

#[test]
fn strict_stops_and_leaves_the_output_alone() {
    let folder = TempDir::new().unwrap();
    let text = format!("{ROOK}\n8/8 w - -\n{ROOK}\nx\n");
    for extension in ["jsonl", "csv", "npy"] {
        let output = folder.path().join(format!("out.{extension}"));
        let strict = || {
            let mut command = setwise();
            command
                .args(["attacks", "--strict", "--output"])
                .arg(&output);
            let assert = command
                .write_stdin(text.as_str())
                .assert()
                .code(2)
                .stdout("");
            assert.stderr(contains("<stdin>:2: piece placement").and(contains("<stdin>:4").not()));
        };
        strict();
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            0,
            "nothing is left"
        );
        fs::write(&output, "before").unwrap();
        strict();
        assert_eq!(fs::read_to_string(&output).unwrap(), "before");
        fs::remove_file(&output).unwrap();
    }
    let mut command = setwise();
    command.args(["attacks", "--strict"]).write_stdin(text);
    let assert = command.assert().code(2);
    assert_eq!(
        records(&assert.get_output().stdout).len(),
        2,
        "the lines before it"
    );
}

/// An element of the `.npy` output.
#[derive(npyz::Deserialize)]
struct Row {
    line: u64,
    side: u64,
    orthogonal: u64,
    diagonal: u64,
    occupied: u64,
    rook_attacks: u64,
    bishop_attacks: u64,
    slider_attacks: u64,
}

#[test]
fn files_of_each_format_say_the_same() {
    let folder = TempDir::new().unwrap();
    let text = format!("{START}\n{ROOK}\nbad\n");
    let write = |name: &str| {
        let path = folder.path().join(name);
        fs::write(&path, "old").unwrap();
        let mut command = setwise();
        command
            .args(["attacks", "-", "--format", "epd", "-o"])
            .arg(&path);
        command
            .write_stdin(text.as_str())
            .assert()
            .code(2)
            .stdout("");
        path
    };
    let json = records(&fs::read(write("a.jsonl")).unwrap());
    assert_eq!(json.len(), 4);

    let mut reader = csv::Reader::from_path(write("a.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), json.len());
    for (row, record) in rows.iter().zip(&json) {
        for (name, value) in header.iter().zip(row) {
            let same = record[name]
                .as_str()
                .map_or(record[name].to_string(), str::to_owned);
            assert_eq!(value, same);
        }
    }

    let bytes = fs::read(write("a.npy")).unwrap();
    // Mapped into memory, every number is aligned.
    assert_eq!(bytes.len(), 384 + 4 * 64);
    let array = NpyFile::new(&bytes[..]).unwrap();
    assert_eq!(array.shape(), [4]);
    for (row, record) in array.into_vec::<Row>().unwrap().iter().zip(&json) {
        assert_eq!(row.line, record["line"]);
        assert_eq!(["white", "black"][row.side as usize], record["side"]);
        for (name, value) in [
            ("orthogonal", row.orthogonal),
            ("diagonal", row.diagonal),
            ("occupied", row.occupied),
            ("rook_attacks", row.rook_attacks),
            ("bishop_attacks", row.bishop_attacks),
            ("slider_attacks", row.slider_attacks),
        ] {
            assert_eq!(value, board(record, name), "{name}");
        }
    }
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        3,
        "no temporary file is left"
    );
}

/// Longer than a chunk, and the order stays.
#[test]
fn chunks_join_seamlessly() {
    let count = 2500;
    let mut text = String::new();
    for i in 0..count {
        let placement = ["8/8/8/8/p7/8/8/R1k5", "8/8/8/8/8/8/8/8"][i % 2];
        let _ = writeln!(text, "{placement} w - - {i} 1");
    }
    let records = evaluate(text);
    assert_eq!(records.len(), 2 * count);
    for (i, pair) in records.chunks(2).enumerate() {
        assert_eq!(pair[0]["line"], i + 1);
        assert!(
            pair[1]["fen"]
                .as_str()
                .unwrap()
                .ends_with(&format!("- {i} 1"))
        );
        let attacks = [0x0101_0106, 0][i % 2];
        assert_eq!(board(&pair[0], "slider_attacks"), attacks);
    }
}

#[test]
fn bad_usage_is_told() {
    let folder = TempDir::new().unwrap();
    let none = folder.path().join("none.epd");
    let refuse = |arguments: &[&str], reason: &str| {
        let mut command = setwise();
        command.arg("attacks").args(arguments).write_stdin(START);
        command.assert().code(2).stdout("").stderr(contains(reason));
    };
    refuse(&[none.to_str().unwrap()], "none.epd");
    refuse(&[folder.path().to_str().unwrap()], "directory");
    refuse(
        &["-o", "out.txt"],
        "must be .jsonl, .csv, .npy, .arrow or .parquet",
    );
    refuse(
        &["-o", "/no/such/folder/out.csv"],
        "/no/such/folder/out.csv",
    );
    refuse(&["--json", "-o", "out.csv"], "--json does not go with");
    refuse(&["--format", "pgn"], "pgn");
    let taken = folder.path().join("taken.csv");
    fs::create_dir(&taken).unwrap();
    refuse(&["-o", taken.to_str().unwrap()], "not a regular file");
}

#[cfg(unix)]
#[test]
fn an_output_file_has_the_usual_permissions_and_a_link_stays() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = TempDir::new().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let usual = folder.path().join("usual");
    fs::write(&usual, "").unwrap();
    let (target, link) = (folder.path().join("a.csv"), folder.path().join("link.csv"));
    let write = |path: &Path| {
        let mut command = setwise();
        command
            .args(["attacks", "-o"])
            .arg(path)
            .write_stdin(START)
            .assert()
            .code(0);
    };
    write(&target);
    assert_eq!(mode(&target), mode(&usual));
    fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&target, &link).unwrap();
    write(&link);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(mode(&target), 0o600);
}

/// As under `| head -1`: the reader goes away while much is still to be written.
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = TempDir::new().unwrap();
    let input = folder.path().join("many.epd");
    fs::write(&input, format!("{START}\n").repeat(20_000)).unwrap();
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("setwise"))
        .arg("attacks")
        .arg(&input)
        .env_remove("SETWISE_FORCE_KERNEL")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert!(line.starts_with("{\"line\":1,"));
    let mut errors = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(errors, "");
}

/// What was found wrong until then is told all the same.
#[test]
fn bad_lines_count_also_when_the_reader_has_gone() {
    let folder = TempDir::new().unwrap();
    let input = folder.path().join("many.epd");
    fs::write(
        &input,
        format!("8/8\n{START}\n") + &format!("{START}\n").repeat(20_000),
    )
    .unwrap();
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("setwise"))
        .args(["attacks", "--threads", "1"])
        .arg(&input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.contains("many.epd: a bad line was left out"),
        "{errors}"
    );
}

#[test]
fn many_bad_lines_are_counted_by_kind() {
    let folder = TempDir::new().unwrap();
    let text = format!("8/8\n{ROOK}\n{ROOK} 0 x\n").repeat(1000);
    for threads in ["1", "3"] {
        let output = folder.path().join("out.csv");
        let run = |skip: &[&str]| {
            let mut command = setwise();
            command
                .args(["attacks", "--threads", threads, "-o"])
                .arg(&output)
                .args(skip);
            command.write_stdin(text.as_str()).assert()
        };
        let assert = run(&[]).code(2);
        let errors = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert_eq!(errors.matches("<stdin>:").count(), 22, "{errors}");
        assert!(
            errors.contains("<stdin>:31: further bad lines are counted only"),
            "{errors}"
        );
        let kinds = "bad lines: 2000 (piece placement 1000, fullmove number 1000)";
        assert!(errors.contains(kinds), "{errors}");
        assert!(
            errors.contains("<stdin>: 2000 bad lines were left out"),
            "{errors}"
        );
        assert_eq!(fs::read_to_string(&output).unwrap().lines().count(), 2001);
        run(&["--skip-bad"]).code(0).stderr(contains(kinds));
    }
}

/// Every kind of line end, and a file that has carriage returns only.
#[test]
fn line_ends_of_all_systems() {
    for end in ["\n", "\r", "\r\n"] {
        let records = evaluate(format!("{ROOK}{end}{end}{ROOK}{end}"));
        let lines: Vec<_> = records
            .iter()
            .map(|record| record["line"].as_u64().unwrap())
            .collect();
        assert_eq!(lines, [1, 1, 3, 3], "{end:?}");
    }
}

#[test]
fn several_files_and_compressed_ones() {
    use std::io::Write as _;
    let folder = TempDir::new().unwrap();
    let text = format!("{ROOK}\n{START}\n").repeat(3000);
    let path = |name: &str| folder.path().join(name);
    // Told by their first bytes, not by their names.
    fs::write(path("plain"), &text).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    // Two members, as `cat a.gz b.gz` makes them.
    fs::write(path("twice"), [&gzip[..], &gzip].concat()).unwrap();
    fs::write(
        path("zstandard"),
        zstd::encode_all(text.as_bytes(), 3).unwrap(),
    )
    .unwrap();
    let lines = |names: &[&str]| {
        let mut command = setwise();
        command
            .arg("attacks")
            .args(names.iter().map(|name| path(name)));
        command.assert().code(0).get_output().stdout.clone()
    };
    let plain = lines(&["plain"]);
    assert_eq!(plain.lines().count(), 12_000);
    assert!(lines(&["zstandard"]) == plain);
    assert_eq!(lines(&["twice"]).lines().count(), 24_000);
    assert!(lines(&["plain", "zstandard"]) == [&plain[..], &plain].concat());

    fs::write(path("cut"), &gzip[..gzip.len() / 2]).unwrap();
    let mut command = setwise();
    command.arg("attacks").arg(path("plain")).arg(path("cut"));
    command.assert().code(2).stderr(contains("cut: "));
    let mut command = setwise();
    command.arg("attacks").arg(path("plain")).arg(path("none"));
    command
        .assert()
        .code(2)
        .stdout("")
        .stderr(contains("none: "));
}

#[test]
fn columns_are_chosen() {
    let folder = TempDir::new().unwrap();
    let run = |name: &str, columns: &str| {
        let path = folder.path().join(name);
        let mut command = setwise();
        command
            .args(["attacks", "--columns", columns, "-o"])
            .arg(&path)
            .write_stdin(ROOK);
        (command.assert(), path)
    };
    let (assert, path) = run("a.csv", "slider_attacks,side");
    assert.code(0);
    let right = "slider_attacks,side\n0x0000000001010106,white\n0x0000000000000000,black\n";
    assert_eq!(fs::read_to_string(path).unwrap(), right);
    let (assert, path) = run("a.npy", "rook_attacks,line");
    assert.code(0);
    let bytes = fs::read(path).unwrap();
    assert_eq!(bytes.len(), 384 + 2 * 16);
    assert_eq!(
        bytes[384..400],
        [0x0101_0106_u64.to_le_bytes(), 1_u64.to_le_bytes()].concat()
    );
    run("b.npy", "fen")
        .0
        .code(2)
        .stderr(contains("numbers only"));
    run("b.csv", "line,line")
        .0
        .code(2)
        .stderr(contains("line is there twice"));
    run("b.csv", "colour")
        .0
        .code(2)
        .stderr(contains("slider_attacks"));
}

/// The same bytes, whatever the threads and the blocks.
#[test]
fn threads_and_blocks_do_not_change_the_output() {
    let mut text = String::new();
    for i in 0..20_000 {
        let _ = writeln!(
            text,
            "{} w - - {i} 1",
            ["8/8/8/8/p7/8/8/R1k5", "8/8/8/4q3/8/8/8/8"][i % 2]
        );
    }
    let run = |arguments: &[&str]| {
        let mut command = setwise();
        command
            .arg("attacks")
            .args(arguments)
            .write_stdin(text.as_str());
        command.assert().code(0).get_output().stdout.clone()
    };
    let right = run(&["--threads", "1"]);
    assert_eq!(right.lines().count(), 40_000);
    for arguments in [
        &["--threads", "2"][..],
        &["--threads", "7"],
        &["--unbuffered"],
    ] {
        assert!(run(arguments) == right, "{arguments:?}");
    }
}

/// Whoever types positions sees each answer before typing the next one.
#[test]
fn slow_input_is_answered_at_once() {
    use std::io::Write as _;
    for threads in ["1", "2"] {
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("setwise"))
            .args(["attacks", "--threads", threads])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        for line in 1..=3 {
            stdin.write_all(format!("{ROOK}\n").as_bytes()).unwrap();
            for side in ["white", "black"] {
                let mut record = String::new();
                stdout.read_line(&mut record).unwrap();
                let record: Value = serde_json::from_str(&record).unwrap();
                assert_eq!(
                    (&record["line"], &record["side"]),
                    (&line.into(), &side.into())
                );
            }
        }
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}

#[cfg(unix)]
fn shell(script: &str, folder: &Path) -> std::process::Output {
    std::process::Command::new("sh")
        .args(["-c", script])
        .env("SETWISE", assert_cmd::cargo::cargo_bin!("setwise"))
        .env_remove("SETWISE_FORCE_KERNEL")
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Nothing is left behind, and the message names what the user named.
#[cfg(target_os = "linux")]
#[test]
fn what_the_system_refuses_is_told() {
    let folder = TempDir::new().unwrap();
    let input = folder.path().join("in.epd");
    fs::write(&input, format!("{START}\n").repeat(20_000)).unwrap();
    for (script, message) in [
        (
            "ulimit -f 100; \"$SETWISE\" attacks in.epd -o out.csv",
            "out.csv: ",
        ),
        (
            "\"$SETWISE\" attacks in.epd >&-",
            "standard output is closed",
        ),
        ("\"$SETWISE\" probe >&-", "standard output is closed"),
        (
            "ulimit -v 400000; \"$SETWISE\" attacks in.epd --threads 256 -o out.csv",
            "threads cannot be started",
        ),
        (
            "\"$SETWISE\" attacks in.epd -o none/out.csv",
            "none/out.csv: No such file",
        ),
        (
            "ln -s nowhere.csv link.csv; \"$SETWISE\" attacks in.epd -o link.csv; code=$?; rm link.csv; exit $code",
            "link.csv: it is a symbolic link",
        ),
        (
            "\"$SETWISE\" attacks \"$(printf 'a\\033b')\"",
            "a\\u{1b}b: ",
        ),
    ] {
        let output = shell(script, folder.path());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{script}: {errors}");
        assert!(errors.contains(message), "{script}: {errors}");
        assert!(
            !errors.contains(".tmp") && !errors.contains("panicked"),
            "{script}: {errors}"
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{script}");
    }
}

/// As under `nohup`.
#[cfg(unix)]
#[test]
fn an_ignored_signal_stays_ignored() {
    let folder = TempDir::new().unwrap();
    let script = "trap '' INT HUP; (sleep 1; echo '8/8/8/8/8/8/8/8 w - -') | \"$SETWISE\" attacks -o out.csv & \
                  sleep 0.5; kill -INT $!; kill -HUP $!; wait $!";
    let output = shell(script, folder.path());
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = fs::read_to_string(folder.path().join("out.csv")).unwrap();
    assert_eq!(text.lines().count(), 3);
}

/// A process that is ended takes its temporary file along.
#[cfg(unix)]
#[test]
fn a_signal_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    let files = || fs::read_dir(folder.path()).unwrap().count();
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("setwise"))
        .args(["attacks", "-o"])
        .arg(folder.path().join("out.csv"))
        .env_remove("SETWISE_FORCE_KERNEL")
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = std::time::Instant::now();
    while files() == 0 && started.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(files(), 1, "the temporary file");
    // The handler is installed right after the file; its thread may need a moment.
    std::thread::sleep(std::time::Duration::from_millis(200));
    let kill = std::process::Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(files(), 0);
}

/// Every EPD file of the folder that `SETWISE_POSITIONS` names, a sample of the records compared
/// with a chess crate.
#[test]
fn real_files() {
    let Some(folder) = std::env::var_os("SETWISE_POSITIONS") else {
        eprintln!("skipped: SETWISE_POSITIONS names no folder of EPD files");
        return;
    };
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "epd") {
            continue;
        }
        files += 1;
        let positions = BufReader::new(fs::File::open(&path).unwrap())
            .lines()
            .count();
        let assert = setwise().arg("attacks").arg(&path).assert().code(0);
        let stdout = &assert.get_output().stdout;
        assert_eq!(stdout.lines().count(), 2 * positions);
        // An odd step, so that both sides are met.
        for line in stdout.lines().step_by(37) {
            check(&serde_json::from_str(&line.unwrap()).unwrap());
        }
    }
    assert!(files > 0, "no .epd file in the folder");
}
