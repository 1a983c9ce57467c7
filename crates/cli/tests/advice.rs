//! Follows the advice of messages: runs the command that a message recommends, on the input that
//! caused it.
#![cfg(unix)] // The commands are those of a Unix shell.

use crate::common;

use std::fs;
use std::path::Path;

use common::{ROOK, START, setwise, shell, stderr};
use tempfile::TempDir;

/// Whether the first program of a command is installed. Reports those that are not.
fn is_installed(folder: &Path, command: &str) -> bool {
    let program = command.split(' ').next().unwrap();
    let found = shell(folder, &format!("command -v {program}")).status.success();
    if !found {
        eprintln!("skipped: {program} is not installed");
    }
    found
}

/// The message of `setwise attacks` about a file that it does not read.
#[track_caller]
fn refusal(folder: &Path, name: &str) -> String {
    stderr(&setwise().current_dir(folder).args(["attacks", name]).assert().code(2))
}

/// The part of a message in back quotes that names the file.
#[track_caller]
fn command(message: &str) -> &str {
    let quoted = message.split('`').skip(1).step_by(2).find(|quoted| quoted.contains("FILE"));
    quoted.unwrap_or_else(|| panic!("no command: {message}"))
}

/// Follows the advice about a file, and returns the number of positions.
#[track_caller]
fn follow(folder: &Path, name: &str) -> Option<usize> {
    let message = refusal(folder, name);
    let mut command = command(&message).replace("FILE.pgn", "FILE").replace("FILE", name);
    if !is_installed(folder, &command) {
        return None;
    }
    if !command.contains("setwise attacks") {
        command += " | setwise attacks";
    }
    let output = shell(folder, &format!("{command} --record=position"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{command}: {errors}");
    Some(String::from_utf8(output.stdout).unwrap().lines().count())
}

#[test]
fn text_in_another_form_is_converted() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let utf_16 = |to_bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        format!("{START}\n{ROOK}\n").encode_utf16().flat_map(to_bytes).collect()
    };
    let object = format!(
        "{{\"n\": 2, \"list\": [{{\"fen\": \"{START}\"}}, {{\"x\": \"{}\", \"fen\": \"{ROOK}\"}}]}}",
        "x".repeat(100_000)
    );
    for (name, bytes, positions) in [
        ("le", utf_16(u16::to_le_bytes), 2),
        ("be", utf_16(u16::to_be_bytes), 2),
        ("game.pgn", b"[Event \"?\"]\n\n1. e4 e5 2. Nf3 *\n".to_vec(), 4),
        ("moves.pgn", b"1. e4 e5 *\n".to_vec(), 3),
        ("one.json", format!("{{\n  \"fen\": \"{START}\"\n}}\n").into(), 1),
        (
            "list.json",
            format!("[{{\"a\": 1, \"fen\": \"{START}\"}},\n{{\"fen\": \"{ROOK}\"}}]").into(),
            2,
        ),
        ("nested.json", format!("{{\"games\": [{{\"start_fen\": \"{START}\"}}]}}").into(), 1),
        ("object.json", object.into(), 2),
        (
            "key.json",
            format!("[{{\"the position\": \"{}\"}}]", START.replace('/', "\\/")).into(),
            1,
        ),
        ("strings.json", format!("[\n  \"{START}\",\n  \"{ROOK}\"\n]\n").into(), 2),
        (
            "long.json",
            format!("[{{\"a\": \"{}\", \"b\": \"{ROOK}\"}}]", "x".repeat(9000)).into(),
            1,
        ),
    ] {
        fs::write(here.join(name), bytes).unwrap();
        if let Some(found) = follow(here, name) {
            assert_eq!(found, positions, "{name}");
        }
    }
}

#[test]
fn compressed_files_are_decompressed() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    fs::write(here.join("a.epd"), format!("{START}\n{ROOK}\n")).unwrap();
    for (name, make) in [
        ("a.xz", "xz -kc a.epd > a.xz"),
        ("a.bz2", "bzip2 -kc a.epd > a.bz2"),
        ("a.lz4", "lz4 -c a.epd > a.lz4"),
        ("a.Z", "compress -c a.epd > a.Z"),
    ] {
        if !is_installed(here, make) {
            continue;
        }
        let made = shell(here, make);
        assert!(here.join(name).exists(), "{}", String::from_utf8_lossy(&made.stderr));
        if let Some(found) = follow(here, name) {
            assert_eq!(found, 2, "{name}");
        }
    }
}

/// With fewer threads, commands fit in the memory that was too little for many.
#[cfg(target_os = "linux")]
#[test]
fn fewer_threads_fit() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.epd"), format!("{START}\n").repeat(20_000)).unwrap();
    for command in ["setwise attacks a.epd -o a.csv", "setwise endgame KRK"] {
        // By default, glibc reserves 64 MiB of addresses for each thread that allocates.
        let limits = "ulimit -v 400000; MALLOC_ARENA_MAX=1 RUST_MIN_STACK=50000000";
        let run =
            |threads| shell(folder.path(), &format!("{limits} {command} --threads {threads}"));
        let refused = run(256);
        let errors = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{command}: {errors}");
        assert!(errors.contains("cannot start") && errors.contains("use fewer: --threads"));
        let followed = run(2);
        let errors = String::from_utf8_lossy(&followed.stderr);
        assert_eq!(followed.status.code(), Some(0), "{command}: {errors}");
    }
}
