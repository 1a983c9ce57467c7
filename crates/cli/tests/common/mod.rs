//! Functions shared by the tests of the program.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::fs;
#[cfg(unix)]
use std::path::Path;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use serde_json::Value;

pub(crate) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// White's rook attacks the squares `0x0101_0106`; black attacks nothing.
pub(crate) const ROOK: &str = "8/8/8/8/p7/8/8/R1k5 w - -";

/// The program, without environment variables that force a kernel or colours.
pub(crate) fn setwise() -> Command {
    Command::from_std(process())
}

/// Like [`setwise`], but as a command of `std`, for tests of pipes and signals.
pub(crate) fn process() -> std::process::Command {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("setwise"));
    for variable in ["SETWISE_FORCE_KERNEL", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    command
}

/// Runs a shell script in a folder, with `setwise` on the path.
#[cfg(unix)]
pub(crate) fn shell(folder: &Path, script: &str) -> std::process::Output {
    let program = assert_cmd::cargo::cargo_bin!("setwise");
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}:/usr/games", program.parent().unwrap().display());
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", script]).current_dir(folder).env("PATH", path);
    shell.env_remove("SETWISE_FORCE_KERNEL").output().unwrap()
}

/// Runs `setwise attacks` with these arguments and this input.
pub(crate) fn attacks(arguments: &[&str], input: impl Into<Vec<u8>>) -> Assert {
    setwise().arg("attacks").args(arguments).write_stdin(input).assert()
}

pub(crate) fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, bytes.as_ref()).unwrap();
    gzip.finish().unwrap()
}

/// Stdout as text.
pub(crate) fn stdout(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

/// Stderr as text.
pub(crate) fn stderr(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).unwrap()
}

/// Parses lines of JSON.
pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Splits lines of comma-separated values; FENs have no commas.
pub(crate) fn csv(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split(',').collect()).collect()
}

/// Parses a board in hexadecimal, or a decimal number. Negative numbers wrap.
pub(crate) fn number(text: &str) -> u64 {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
        None => text.parse::<i64>().unwrap().cast_unsigned(),
    }
}

/// Splits an `.npy` file into its header's dictionary and its records of 64-bit numbers.
pub(crate) fn npy(bytes: &[u8]) -> (&str, Vec<Vec<u64>>) {
    let (start, rest) = bytes.split_at(10);
    assert_eq!(start[..8], *b"\x93NUMPY\x01\x00");
    let length = usize::from(u16::from_le_bytes([start[8], start[9]]));
    assert_eq!((10 + length) % 64, 0, "records are aligned");
    let (header, records) = rest.split_at(length);
    let header = std::str::from_utf8(header).unwrap();
    let size = 8 * header.matches("8'), ").count();
    assert_eq!(records.len() % size, 0);
    let words = |record: &[u8]| {
        let (words, _) = record.as_chunks();
        words.iter().map(|word| u64::from_le_bytes(*word)).collect()
    };
    (header.trim_end(), records.chunks(size).map(words).collect())
}

/// Runs `setwise attacks` with these arguments and this input, and returns the output file.
#[track_caller]
pub(crate) fn write(name: &str, arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    attacks(&[arguments, &["-o", path.to_str().unwrap()]].concat(), input).code(0).stdout("");
    let files = fs::read_dir(&folder).unwrap().count();
    assert_eq!(files, 1, "no temporary file is left");
    fs::read(path).unwrap()
}

/// Writes CSV, JSON lines and an `.npy` file, which must have the same records. Returns the CSV.
#[track_caller]
pub(crate) fn in_all_formats(arguments: &[&str], input: &[u8]) -> String {
    let text = |name| String::from_utf8(write(name, arguments, input)).unwrap();
    let rows = text("a.csv");
    let table = csv(&rows);
    let json = json_lines(&text("a.JSONL"));
    let bytes = write("A.NPY", arguments, input);
    let (_, records) = npy(&bytes);
    assert_eq!((json.len(), records.len()), (table.len() - 1, table.len() - 1));
    for ((row, record), numbers) in table[1..].iter().zip(&json).zip(records) {
        assert_eq!(record.as_object().unwrap().len(), row.len());
        let mut numbers = numbers.into_iter();
        for (name, value) in table[0].iter().zip(row) {
            let found = &record[name];
            assert_eq!(*value, found.as_str().map_or(found.to_string(), str::to_owned), "{name}");
            match *name {
                "fen" => {}
                "side" => assert_eq!(numbers.next(), Some(u64::from(*value == "black"))),
                _ => assert_eq!(numbers.next(), Some(number(value)), "{name}"),
            }
        }
        assert_eq!(numbers.next(), None);
    }
    rows
}
