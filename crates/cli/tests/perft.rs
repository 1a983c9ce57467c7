//! `setwise perft`: counts, suites, and what ends a count.

use crate::common;

use std::process::Output;

fn setwise(arguments: &[&str]) -> Output {
    common::process().args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn counts_and_divides() {
    let output = setwise(&["perft", "4", "--threads", "2"]);
    assert!(stdout(&output).starts_with("nodes: 197281 ("), "{}", stdout(&output));
    let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for (spelling, castles) in [(&[][..], "e1g1: 23\n"), (&["--chess960"], "e1h1: 23\n")] {
        let output = setwise(&[&["perft", "2", fen, "--divide"], spelling].concat());
        let text = stdout(&output);
        assert!(text.contains(castles) && text.contains("nodes: 568 ("), "{text}");
        assert_eq!(text.lines().count(), 27);
    }
    let json: serde_json::Value = serde_json::from_str(&stdout(&setwise(&[
        "--json",
        "perft",
        "3",
        "8/8/8/8/8/8/8/K6k",
        "b",
        "-",
        "-",
        "--divide",
    ])))
    .unwrap();
    assert_eq!(json["nodes"], 54);
    assert_eq!(json["complete"], true);
    assert_eq!(json["moves"].as_array().unwrap().len(), 3);
    // UCI's moves are played, also in words.
    for line in [
        &["position startpos moves e2e4 e7e5"][..],
        &["position", "startpos", "moves", "e2e4", "e7e5"],
    ] {
        let output = setwise(&[&["perft", "1"], line].concat());
        assert!(stdout(&output).starts_with("nodes: 29 ("), "{}", stdout(&output));
    }
    for (arguments, message) in [
        (&["perft", "3", "8/8/8/8/8/8/8/K7 w"][..], "black has no king"),
        (&["perft", "3", "8/8 w"], "2 ranks"),
        (&["perft", "3", "position startpos moves e2e4, e7e5"], "a comma is before `e7e5`"),
        (&["perft"], "<DEPTH>"),
        (&["perft", "3", "--divide", "--suite", "x"], "cannot be used with"),
    ] {
        let output = setwise(arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}

#[test]
fn suites_are_right_or_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("suite.epd");
    let kings = "8/8/8/8/8/8/8/K6k w - -";
    let run = |text: &str, arguments: &[&str]| {
        std::fs::write(&path, text).unwrap();
        setwise(&[arguments, &["perft", "--suite", path.to_str().unwrap()]].concat())
    };
    let right = format!("# a\n{kings} 0 1 ;D1 3 ;D2 9 ;D3 54\nid two\nepd {kings}\nperft 2 9\n");
    let output = run(&right, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("suite.epd:2: D1 3 D2 9 D3 54;"), "{text}");
    assert!(
        text.contains("suite.epd:4: D2 9; two ") && text.contains("2 right, 0 wrong"),
        "{text}"
    );

    let wrong = format!("{right}{kings} ;D1 3 ;D2 10 ;D3 54\n{kings} ;D1 4\n");
    let output = run(&wrong, &[]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.contains("WRONG") && text.contains("D1 3 D2 9 instead of 10;"), "{text}");
    assert!(text.contains("2 right, 2 wrong"), "{text}");
    assert!(stderr(&output).contains("the first is"), "{}", stderr(&output));
    assert!(stderr(&output).contains("suite.epd:6"), "{}", stderr(&output));
    let json: serde_json::Value = serde_json::from_str(&stdout(&run(&wrong, &["--json"]))).unwrap();
    assert_eq!(
        (&json["right"], &json["wrong"], &json["first_wrong"]),
        (&2.into(), &2.into(), &2.into())
    );
    assert_eq!(json["lines"][2]["depths"][1]["expected"], 10);

    // Depths, before the option and after the files.
    let deep = format!("{right}{kings} ;D5 1\n");
    std::fs::write(&path, &deep).unwrap();
    let name = path.to_str().unwrap();
    for arguments in [["perft", "2", "--suite", name], ["perft", "--suite", name, "2"]] {
        let output = setwise(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = stdout(&output);
        assert!(text.contains("suite.epd:2: D1 3 D2 9;"), "{text}");
        assert!(text.contains("not checked ") && text.contains("suite.epd:6:;"), "{text}");
        assert!(text.contains("2 right, 0 wrong, 1 not checked"), "{text}");
    }
    let json = stdout(&setwise(&["--json", "perft", "2", "--suite", name]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["right"], &json["not_checked"]), (&2.into(), &1.into()));
    for (arguments, message) in [
        (["perft", "--suite", name, "65"], "the depth 65 is greater than 64"),
        (["perft", "--suite", name, "missing.epd"], "missing.epd: "),
        (["perft", "0", "--suite", name], "nothing is checked"),
    ] {
        let output = setwise(&arguments);
        assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
        assert!(message.contains("nothing") || stdout(&output).is_empty(), "{}", stdout(&output));
    }

    for (text, message) in [
        (
            format!("{right}8/8/8/8/8/8/8/K7 w - - ;D1 9\n"),
            "suite.epd:6: no game can have this position: black has no king",
        ),
        (format!("{right}8/8 w - - ;D1 1\n"), "suite.epd:6: piece placement"),
        (format!("{kings}\n"), "it has no depth"),
        ("# nothing\n".into(), "no position with a count"),
    ] {
        let output = run(&text, &[]);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}

/// Suites of other programs, compressed and from stdin.
#[test]
fn suites_are_read_as_they_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let text = "fen,1,2,3\n\
        rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1,20,400,8902\n\
        r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1;1 26 ;2 568\n\
        r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 ;D1 26;D2 568;D3 13744\n";
    let path = folder.path().join("suite.csv.gz");
    let compressed = common::gzip(text);
    let run = |arguments: &[&str], bytes: &[u8]| {
        common::setwise().args(arguments).write_stdin(bytes).output().unwrap()
    };
    std::fs::write(&path, &compressed).unwrap();
    for arguments in [["perft", "--suite", path.to_str().unwrap()], ["perft", "--suite", "-"]] {
        for bytes in [&compressed[..], text.as_bytes()] {
            let output = run(&arguments, bytes);
            let printed = stdout(&output);
            assert_eq!(output.status.code(), Some(0), "{printed}{}", stderr(&output));
            assert!(printed.contains(":2: D1 20 D2 400 D3 8902;"), "{printed}");
            assert!(printed.contains(":3: D1 26 D2 568;"), "{printed}");
            assert!(printed.contains("3 right, 0 wrong"), "{printed}");
            assert_eq!(printed.contains("<stdin>:3"), arguments[2] == "-", "{printed}");
        }
    }
    let output = run(&["perft", "--suite", "-"], &compressed[..40]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("<stdin>: "), "{}", stderr(&output));
}

/// A signal ends the count, which is printed as far as it has come.
#[cfg(unix)]
#[test]
fn a_signal_prints_what_is_counted() {
    use std::process::Stdio;
    use std::time::Duration;
    let mut command = common::process();
    command.args(["perft", "9", "--threads", "1"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    // SAFETY: the process is our child, which has not been waited for.
    unsafe { libc::kill(child.id().cast_signed(), libc::SIGINT) };
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("nodes: ") && text.contains(" so far ("), "{text}");
}
