//! Tests of output: files that appear complete or not at all, closed pipes, signals.

use crate::common;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

#[cfg(unix)]
use common::shell;
use common::{ROOK, START, attacks, in_all_formats, npy, process, stdout, write};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use tempfile::TempDir;

/// The time after which a test gives up. The program can be slow on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

fn count_files(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

fn count_temporary(folder: &Path) -> usize {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "tmp")).count()
}

#[test]
fn all_formats_have_the_same_records() {
    let text = format!("{START}\n{ROOK}\n");
    let rows = in_all_formats(&[], text.as_bytes());
    assert_eq!(rows.lines().count(), 5);
    let bytes = write("a.npy", &[], text.as_bytes());
    assert_eq!(
        npy(&bytes).0,
        "{'descr': [('line', '<u8'), ('side', '<u8'), ('orthogonal', '<u8'), ('diagonal', '<u8'), \
         ('occupied', '<u8'), ('rook_attacks', '<u8'), ('bishop_attacks', '<u8'), \
         ('slider_attacks', '<u8'), ], 'fortran_order': False, 'shape': (4,), }"
    );
}

#[test]
fn columns_are_chosen_in_any_order() {
    for (name, arguments, right) in [
        (
            "a.csv",
            &["--columns=slider_attacks,side"][..],
            "slider_attacks,side\n0x0000000001010106,white\n0x0000000000000000,black\n",
        ),
        (
            "a.csv",
            &["--columns=slider_attacks,fen,line", "--decimal"],
            "slider_attacks,fen,line\n16843014,8/8/8/8/p7/8/8/R1k5 w - -,1\n\
             0,8/8/8/8/p7/8/8/R1k5 w - -,1\n",
        ),
        (
            "a.jsonl",
            &["--columns=slider_attacks,occupied", "--decimal", "--record=position"],
            "{\"white_slider_attacks\":16843014,\"black_slider_attacks\":0,\"occupied\":16777221}\n",
        ),
        (
            "a.jsonl",
            &["--columns=slider_attacks,line,side"],
            "{\"slider_attacks\":\"0x0000000001010106\",\"line\":1,\"side\":\"white\"}\n\
             {\"slider_attacks\":\"0x0000000000000000\",\"line\":1,\"side\":\"black\"}\n",
        ),
    ] {
        let bytes = write(name, arguments, ROOK.as_bytes());
        assert_eq!(String::from_utf8(bytes).unwrap(), right, "{arguments:?}");
    }
    let bytes = write("a.npy", &["--columns=rook_attacks,line"], ROOK.as_bytes());
    assert_eq!(npy(&bytes).1, [[0x0101_0106, 1], [0, 1]]);
}

#[test]
fn strict_stops_and_leaves_the_output_alone() {
    let folder = TempDir::new().unwrap();
    let text = format!("{ROOK}\n8/8 w - -\n{ROOK}\nx\n");
    for extension in ["jsonl", "csv", "npy"] {
        let output = folder.path().join(format!("out.{extension}"));
        let strict = || {
            let only_first = contains("<stdin>:2: piece placement").and(contains(":4").not());
            let arguments = ["--strict", "--output", output.to_str().unwrap()];
            attacks(&arguments, &*text).code(2).stdout("").stderr(only_first);
        };
        strict();
        assert_eq!(count_files(folder.path()), 0, "nothing is left");
        fs::write(&output, "before").unwrap();
        strict();
        assert_eq!(fs::read_to_string(&output).unwrap(), "before");
        fs::remove_file(&output).unwrap();
    }
    let before = stdout(&attacks(&["--strict"], &*text).code(2));
    assert_eq!(before.lines().count(), 2);
}

#[cfg(unix)]
#[test]
fn files_have_the_usual_permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = TempDir::new().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let [usual, target, link] = ["usual", "a.csv", "link.csv"].map(|name| folder.path().join(name));
    fs::write(&usual, "").unwrap();
    let write = |path: &Path| attacks(&["-o", path.to_str().unwrap()], START).code(0);
    write(&target);
    assert_eq!(mode(&target), mode(&usual));
    fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&target, &link).unwrap();
    write(&link);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(mode(&target), 0o600);
    // A new file would not get these permissions, because the usual umask removes some.
    fs::set_permissions(&target, fs::Permissions::from_mode(0o666)).unwrap();
    write(&link);
    assert_eq!(mode(&target), 0o666);
}

/// Names with spaces, and with letters outside ASCII.
#[test]
fn files_have_any_names() {
    let folder = TempDir::new().unwrap();
    let inner = folder.path().join("zwei W\u{f6}rter").join("\u{5c06}\u{68cb} \u{2654}");
    fs::create_dir_all(&inner).unwrap();
    let [input, output] = ["partie d'\u{e9}checs.epd", "\u{3c3}.csv"].map(|name| inner.join(name));
    fs::write(&input, format!("{ROOK}\n8/8\n")).unwrap();
    let mut command = common::setwise();
    command.args(["attacks", "--columns=line,slider_attacks"]).arg(&input).arg("-o").arg(&output);
    command.assert().code(2).stdout("").stderr(contains("partie d'\u{e9}checs.epd:2: "));
    let right = "line,slider_attacks\n1,0x0000000001010106\n1,0x0000000000000000\n";
    assert_eq!(fs::read_to_string(output).unwrap(), right);
    assert_eq!(count_files(&inner), 2);
}

/// Starts `setwise attacks` on a file of 20,001 lines, with stdout and stderr piped. The first line
/// is `line`.
fn with_long_output(line: &str, arguments: &[&str]) -> (std::process::Child, TempDir) {
    let folder = TempDir::new().unwrap();
    let input = folder.path().join("many.epd");
    fs::write(&input, format!("{line}\n") + &format!("{START}\n").repeat(20_000)).unwrap();
    let mut command = process();
    command.arg("attacks").args(arguments).arg(&input);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    (child, folder)
}

/// A reader closes the pipe after one line, like `| head -1`.
#[test]
fn a_closed_pipe_is_not_an_error() {
    let (mut child, _folder) = with_long_output(START, &[]);
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("{\"line\":1,"));
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(errors, "");
}

#[test]
fn bad_lines_before_a_closed_pipe_are_reported() {
    let (mut child, _folder) = with_long_output("8/8", &["--threads", "1"]);
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("many.epd: a bad line was left out"), "{errors}");
}

#[test]
fn slow_input_is_answered_at_once() {
    for threads in ["1", "2"] {
        let mut child = process()
            .args(["attacks", "--threads", threads])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap()).lines();
        for line in 1..=3 {
            stdin.write_all(format!("{ROOK}\n").as_bytes()).unwrap();
            for side in ["white", "black"] {
                let record = stdout.next().unwrap().unwrap();
                let record: Value = serde_json::from_str(&record).unwrap();
                assert_eq!((&record["line"], &record["side"]), (&line.into(), &side.into()));
            }
        }
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}

/// Messages of system errors name the file as the user wrote it. No file is left behind.
#[cfg(target_os = "linux")]
#[test]
fn system_errors_are_reported() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("in.epd"), format!("{START}\n").repeat(20_000)).unwrap();
    let cases = [
        ("ulimit -f 100; setwise attacks in.epd -o out.csv", "out.csv: "),
        ("setwise attacks in.epd -o none/out.csv", "none/out.csv: No such file"),
        ("setwise attacks \"$(printf 'a\\033b')\"", "a\\u{1b}b: "),
    ];
    for (script, message) in cases {
        let output = shell(folder.path(), script);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{script}: {errors}");
        assert!(errors.contains(message), "{script}: {errors}");
        assert!(!errors.contains(".tmp") && !errors.contains("panicked"), "{script}: {errors}");
        assert_eq!(count_files(folder.path()), 1, "{script}");
    }
}

/// Signals that the shell ignores, as `nohup` does, do not end the program.
#[cfg(unix)]
#[test]
fn ignored_signals_stay_ignored() {
    let folder = TempDir::new().unwrap();
    let script = "trap '' INT HUP
        (sleep 1; echo '8/8/8/8/8/8/8/8 w - -') | setwise attacks -o out.csv &
        sleep 0.5; kill -INT $!; kill -HUP $!; wait $!";
    let output = shell(folder.path(), script);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    let text = fs::read_to_string(folder.path().join("out.csv")).unwrap();
    assert_eq!(text.lines().count(), 3);
}

/// Starts commands that run for long, each in a folder of its own. Once a command has its temporary
/// files, `send` sends a signal to the process with this number. The command must then exit with
/// `code`, and remove the files.
fn commands_end_cleanly(send: impl Fn(u32), code: i32) {
    let commands: [(&[&str], usize); 4] = [
        (&["verify", "--seconds", "600"], 0),
        (&["attacks", "-o", "out.csv"], 1),
        (&["endgame", "all", "-o", "."], 1),
        (&["bench", "--seconds", "600", "--html", "a.html", "--svg", "b.svg"], 2),
    ];
    for (arguments, files) in commands {
        let folder = TempDir::new().unwrap();
        let mut command = process();
        command.args(arguments).current_dir(folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // Keeps stdin open: `wait` would close it, and `attacks` would then publish its file.
        let stdin = child.stdin.take();
        if files == 0 {
            // `verify` reports its seed, after it has installed the handlers.
            let mut line = String::new();
            BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
        }
        let started = Instant::now();
        while count_temporary(folder.path()) < files && started.elapsed() < LIMIT {
            sleep(Duration::from_millis(1));
        }
        assert!(started.elapsed() < LIMIT, "{arguments:?}: no temporary file");
        send(child.id());
        assert_eq!(child.wait().unwrap().code(), Some(code), "{arguments:?}");
        drop(stdin);
        assert_eq!(count_temporary(folder.path()), 0, "{arguments:?}: {code}");
    }
}

/// A signal ends the program with 128 plus its number, and removes its temporary files.
#[cfg(unix)]
#[test]
fn signals_have_exit_codes_and_remove_temporary_files() {
    for (signal, code) in [("HUP", 129), ("INT", 130), ("QUIT", 131), ("TERM", 143)] {
        if is_ignored(signal) {
            continue;
        }
        let kill = |id: u32| {
            let status = Command::new("kill").args(["-s", signal, &id.to_string()]).status();
            assert!(status.unwrap().success());
        };
        commands_end_cleanly(kill, code);
    }
}

/// So does Ctrl-C, which goes to every program of a console. So the test runs again in a process
/// with a console of its own.
#[cfg(windows)]
#[test]
fn signals_have_exit_codes_and_remove_temporary_files() {
    use std::os::windows::process::CommandExt;

    use windows_sys::Win32::System::Console::{
        CTRL_C_EVENT, GenerateConsoleCtrlEvent, SetConsoleCtrlHandler,
    };
    use windows_sys::Win32::System::Threading::CREATE_NEW_CONSOLE;

    const INSIDE: &str = "SETWISE_TEST_OWN_CONSOLE";

    unsafe extern "system" fn go_on(_event: u32) -> i32 {
        1
    }

    if std::env::var_os(INSIDE).is_none() {
        let mut again = Command::new(std::env::current_exe().unwrap());
        again.args(["--exact", "output::signals_have_exit_codes_and_remove_temporary_files"]);
        let output = again.env(INSIDE, "1").creation_flags(CREATE_NEW_CONSOLE).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
        return;
    }
    // SAFETY: the handler does nothing. Children do not inherit it.
    assert_ne!(unsafe { SetConsoleCtrlHandler(Some(go_on), 1) }, 0);
    // SAFETY: the event reaches this process and its child. Group 0 is the console.
    let interrupt = |_| assert_ne!(unsafe { GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0) }, 0);
    commands_end_cleanly(interrupt, 130);
}

/// Whether this process and its children ignore a signal: HUP under `nohup`, INT and QUIT in the
/// background of a script.
#[cfg(unix)]
fn is_ignored(signal: &str) -> bool {
    let Some(number) = ["HUP", "INT", "QUIT"].iter().position(|name| *name == signal) else {
        return false;
    };
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() >> number & 1 == 1)
}

/// Devices and FIFOs are rejected before any work and left untouched.
#[cfg(target_os = "linux")]
#[test]
fn special_files_are_refused() {
    use std::os::unix::fs::{FileTypeExt as _, symlink};

    let folder = TempDir::new().unwrap();
    let path = folder.path().join("out.csv");
    let refused = || {
        let commands: [&[&str]; 3] = [
            &["attacks", "-o", "out.csv"],
            &["bench", "--quick", "--html", "out.csv"],
            &["bench", "--quick", "--svg", "out.csv"],
        ];
        for arguments in commands {
            let mut command = common::setwise();
            command.args(arguments).current_dir(folder.path()).write_stdin(ROOK);
            let message = contains("out.csv: it exists and is not a regular file");
            command.assert().code(2).stdout("").stderr(message);
            assert_eq!(count_files(folder.path()), 1, "{arguments:?}");
        }
        fs::metadata(&path).unwrap().file_type()
    };
    // The FIFO comes first: if the program replaces files, the test fails before it reaches the
    // device.
    let made = Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    assert!(refused().is_fifo());
    fs::remove_file(&path).unwrap();
    symlink("/dev/full", &path).unwrap();
    assert!(refused().is_char_device());
}

/// Every kind of output goes to a closed pipe, like `| head`, or to a full disk.
#[test]
fn output_that_cannot_be_written() {
    for arguments in [
        &["probe"][..],
        &["probe", "--json"],
        &["completions", "zsh"],
        &["show", START],
        &["attacks"],
        &["endgame", "KRK"],
    ] {
        let run = |stdout: Stdio| {
            let mut command = process();
            command.args(arguments).stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap();
            drop(child.stdout.take());
            child.stdin.take().unwrap().write_all(START.as_bytes()).ok();
            let output = child.wait_with_output().unwrap();
            (output.status.code(), String::from_utf8(output.stderr).unwrap())
        };
        assert_eq!(run(Stdio::piped()), (Some(0), String::new()), "{arguments:?}");
        if cfg!(target_os = "linux") {
            let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
            let (code, errors) = run(full.into());
            assert_eq!(code, Some(2), "{arguments:?}");
            assert!(errors.contains("cannot write the output"), "{errors}");
        }
    }
}
