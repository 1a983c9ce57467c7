//! Tests of the program `setwise-sql`: files, formats, exit codes.
#![allow(missing_docs)]

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use parquet::arrow::ArrowWriter;
use tempfile::TempDir;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_setwise-sql"))
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[track_caller]
fn good(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert_eq!(errors, "");
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn bad(folder: &Path, arguments: &[&str], message: &str) {
    let output = run(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains(message), "{errors}");
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// A folder that contains `positions.parquet`.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let queens: ArrayRef = Arc::new(UInt64Array::from(vec![Some(1), None, Some(1 << 63)]));
    let occupied: ArrayRef = Arc::new(UInt64Array::from(vec![0x0302, 0, 0]));
    let fens: ArrayRef = Arc::new(StringArray::from(vec![
        "8/8/8/8/8/8/8/R6k",
        "8/8/8/8/8/8/8/8 w",
        "k7/8/8/8/8/8/8/7Q b - -",
    ]));
    let batch =
        RecordBatch::try_from_iter([("queens", queens), ("occupied", occupied), ("fen", fens)])
            .unwrap();
    let file = File::create(folder.path().join("positions.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    folder
}

#[test]
fn formats() {
    let folder = folder();
    let query = "SELECT queen_attacks(queens, occupied) AS attacks FROM 'positions.parquet'";
    assert_eq!(good(folder.path(), &[query]), "attacks\n770\n\"\"\n9205534180971414145\n");
    assert_eq!(
        good(folder.path(), &["--format", "json", query]),
        "{\"attacks\":770}\n{}\n{\"attacks\":9205534180971414145}\n"
    );
    let table = good(folder.path(), &["--format", "table", "--threads", "1", query]);
    assert!(table.contains("| attacks ") && table.contains("| 770 "), "{table}");
    // A result without rows still has a header.
    let none = format!("{query} WHERE queens = 5");
    assert_eq!(good(folder.path(), &[&none]), "attacks\n");
    assert!(good(folder.path(), &["--format", "table", &none]).contains("| attacks |"));
}

#[test]
fn several_statements_and_files() {
    let folder = folder();
    let text = "
        CREATE VIEW attacks AS SELECT fen, fen_slider_attacks(fen, 'white') AS white FROM 'positions.parquet';
        COPY (SELECT * FROM attacks ORDER BY white) TO 'white.parquet';
        SELECT popcount(white) AS n FROM 'white.parquet' ORDER BY n;
    ";
    fs::write(folder.path().join("q.sql"), text).unwrap();
    let result = good(folder.path(), &["--file", "q.sql", "SELECT count(*) AS rows FROM attacks"]);
    assert_eq!(result, "count\n3\nn\n0\n14\n21\nrows\n3\n");
    good(folder.path(), &["COPY (SELECT fen FROM 'positions.parquet') TO 'fens.csv'"]);
    let from_csv = "SELECT sum(popcount(fen_occupied(fen))) AS men FROM 'fens.csv'";
    assert_eq!(good(folder.path(), &[from_csv]), "men\n4\n");

    let mut child = Command::new(env!("CARGO_BIN_EXE_setwise-sql"))
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"SELECT popcount(255) AS n").unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, b"n\n8\n");
}

#[test]
fn errors_and_exit_codes() {
    let folder = folder();
    let here = folder.path();
    bad(here, &[], "required");
    bad(here, &["--format", "xml", "SELECT 1"], "xml");
    bad(here, &["SELECT * FROM 'missing.parquet'"], "missing.parquet");
    bad(here, &["SELEC 1"], "SELEC");
    bad(here, &["SELECT queen_attack(1, 2)"], "queen_attack");
    bad(here, &["SELECT queen_attacks(1)"], "queen_attacks(queens, occupied) got 1 arguments");
    bad(here, &["SELECT fen_occupied('8/8')"], "`8/8`: piece placement: ");
    bad(here, &["--file", "missing.sql"], "cannot read missing.sql");
    bad(here, &["--set", "nonsense=1", "SELECT 1"], "nonsense");
    bad(here, &["--set", "nonsense", "SELECT 1"], "NAME=VALUE");
    bad(here, &["--threads", "0", "SELECT 1"], "--threads");
    fs::write(here.join("broken.parquet"), "no").unwrap();
    bad(here, &["SELECT * FROM 'broken.parquet'"], "Parquet");
    let output = Command::new(env!("CARGO_BIN_EXE_setwise-sql"))
        .arg("SELECT 1")
        .env("SETWISE_FORCE_KERNEL", "abacus")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("abacus"));
}

/// A COPY that fails leaves no new file, and does not change an existing one.
#[test]
fn a_failed_copy_writes_nothing() {
    let folder = folder();
    fs::write(folder.path().join("bad.csv"), "fen\n8/8/8/8/8/8/8/8\n8/8\n").unwrap();
    let query = "COPY (SELECT fen_occupied(fen) AS o FROM 'bad.csv') TO 'out.parquet'";
    bad(folder.path(), &[query], "`8/8`");
    let names = fs::read_dir(folder.path()).unwrap();
    assert_eq!(names.count(), 2, "bad.csv and positions.parquet");
    fs::write(folder.path().join("out.parquet"), "before").unwrap();
    bad(folder.path(), &[query], "`8/8`");
    assert_eq!(fs::read(folder.path().join("out.parquet")).unwrap(), b"before");
}

#[test]
fn functions_are_listed() {
    let folder = folder();
    let text = good(folder.path(), &["--functions"]);
    assert!(text.contains("queen_attacks(queens, occupied)\n"), "{text}");
    assert!(text.contains("    -> UInt64\n"));
    assert!(text.contains("    -> a struct of UInt64: pinned, pinners\n"));
    let listed =
        "SELECT DISTINCT routine_name FROM information_schema.routines WHERE routine_name = 'pins'";
    assert_eq!(good(folder.path(), &[listed]), "routine_name\npins\n");
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_is_not_an_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_setwise-sql"))
        .arg("SELECT value FROM generate_series(1, 3000000)")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
}
