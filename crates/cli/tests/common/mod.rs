//! Functions shared by the tests of the program.
#![allow(dead_code, reason = "each test program uses a part of it")]

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

/// Runs `setwise attacks` with these arguments and this input.
pub(crate) fn attacks(arguments: &[&str], input: impl Into<Vec<u8>>) -> Assert {
    setwise().arg("attacks").args(arguments).write_stdin(input).assert()
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
