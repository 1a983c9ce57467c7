//! Talks to the engine as a GUI does: the dialogues of `transcripts.txt`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// A running engine, and the lines that it prints.
struct Engine {
    process: Child,
    lines: Receiver<String>,
}

impl Engine {
    fn start() -> Engine {
        let mut process = Command::new(env!("CARGO_BIN_EXE_setwise-engine"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let stdout = BufReader::new(process.stdout.take().expect("piped"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            // `info depth` has times, and comes as often as the search is deep.
            let lines = stdout.lines().map_while(Result::ok);
            for line in lines.filter(|line| !line.starts_with("info depth ")) {
                let _ = sender.send(line);
            }
        });
        Engine { process, lines }
    }

    fn send(&mut self, line: &[u8]) {
        let stdin = self.process.stdin.as_mut().expect("piped");
        stdin.write_all(&[line, b"\n"].concat()).expect("the engine reads");
    }
}

/// The bytes of a line, in which `\x` and two hexadecimal digits are a byte.
fn unescaped(line: &str) -> Vec<u8> {
    let mut parts = line.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at(2);
        bytes.push(u8::from_str_radix(digits, 16).expect("two digits"));
        bytes.extend(rest.as_bytes());
    }
    bytes
}

/// Whether the line is as expected: `*` stands for any text.
fn fits(expected: &str, line: &str) -> bool {
    match expected.split_once('*') {
        None => expected == line,
        Some((start, rest)) => line.strip_prefix(start).is_some_and(|line| {
            (0..=line.len()).any(|i| line.is_char_boundary(i) && fits(rest, &line[i..]))
        }),
    }
}

#[test]
fn the_engine_speaks_uci() {
    let text = include_str!("transcripts.txt");
    let mut dialogues = 0;
    for dialogue in text.split("\n\n").filter(|dialogue| dialogue.contains("\n> ")) {
        dialogues += 1;
        let mut engine = Engine::start();
        for line in dialogue.lines() {
            if let Some(sent) = line.strip_prefix('>') {
                engine.send(&unescaped(sent.trim_start()));
            } else if let Some(expected) = line.strip_prefix('<') {
                let expected = expected.trim_start();
                let found = engine.lines.recv_timeout(Duration::from_secs(60));
                let found =
                    found.unwrap_or_else(|_| panic!("{dialogue}\nno line, expected {expected}"));
                assert!(
                    fits(expected, &found),
                    "{dialogue}\nexpected {expected}\nfound    {found}"
                );
            } else {
                assert!(line.starts_with('#'), "{line}");
            }
        }
        // The end of the input ends the engine, which says nothing more.
        drop(engine.process.stdin.take());
        assert!(engine.process.wait().expect("it runs").success(), "{dialogue}");
        let more: Vec<String> = engine.lines.iter().collect();
        assert!(more.is_empty(), "{dialogue}\nmore: {more:?}");
    }
    assert!(dialogues >= 27, "{dialogues}");
}

/// Lines of more than 100 KB: words that are unknown, and the moves of a very long game.
#[test]
fn lines_may_be_long() {
    let mut engine = Engine::start();
    let mut answer = |line: &[u8], expected: &str| {
        engine.send(line);
        let found = engine.lines.recv_timeout(Duration::from_secs(60)).expect("an answer");
        assert!(fits(expected, &found), "expected {expected}\nfound    {found}");
    };
    answer(&[&[b'x'; 200_000][..], b" isready"].concat(), "readyok");
    let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(6000);
    answer(format!("position startpos moves {moves}a1a5").as_bytes(), "info string position: *");
    answer(
        format!("position startpos moves {moves}\ngo depth 1 searchmoves a2a3").as_bytes(),
        "bestmove a2a3",
    );
    engine.send(b"quit");
    assert!(engine.process.wait().expect("it runs").success());
}
