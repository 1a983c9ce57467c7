//! Tests `setwise attacks --record threats`.

mod common;

use std::fs;

use common::{ROOK, START, attacks, json_lines, stdout};
use predicates::str::contains;

fn threats(arguments: &[&str], input: &str) -> Vec<Vec<String>> {
    let arguments = [&["--record=threats"], arguments].concat();
    let found = json_lines(&stdout(&attacks(&arguments, input).code(0)));
    found.iter().map(|line| serde_json::from_value(line["threats"].clone()).unwrap()).collect()
}

#[test]
fn all_threats_of_a_position() {
    let text = stdout(&attacks(&["--record=threats"], ROOK).code(0));
    let expected =
        r#"{"line":1,"fen":"8/8/8/8/p7/8/8/R1k5 w - -","threats":["Ra1 pa4","Ra1 kc1"]}"#;
    assert_eq!(text.trim_end(), expected);
    // A knight defends one piece, a bishop and a rook two, queen and king five.
    let start = &threats(&[], START)[0];
    assert!(start.contains(&"Ke1 Qd1".into()) && start.contains(&"ng8 pe7".into()));
    assert_eq!(start.len(), 2 * (2 * 2 + 2 + 2 * 2 + 5 + 5));
}

#[test]
fn pairs_by_name_or_file() {
    let every = &threats(&["--pairs=every"], START)[0];
    let some = &threats(&["--pairs=59808"], START)[0];
    let counts = |threat: &&String| {
        let victims = match threat.as_bytes()[0].to_ascii_uppercase() {
            b'P' => "NR",
            b'N' | b'Q' => "PNBRQ",
            b'B' | b'R' => "PNBR",
            _ => "",
        };
        victims.contains(threat.as_bytes()[4].to_ascii_uppercase() as char)
    };
    assert!(some.iter().eq(every.iter().filter(counts)) && some.len() < every.len());

    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("pairs");
    // White's rook, black's king.
    let lines: Vec<String> = (0..12)
        .map(|attacker| if attacker == 6 { "000000000001".into() } else { "0".repeat(12) })
        .collect();
    fs::write(&path, lines.join("\n")).unwrap();
    let pairs = format!("--pairs={}", path.display());
    assert_eq!(threats(&[&pairs], ROOK), [["Ra1 kc1"]]);
    fs::write(&path, "0101").unwrap();
    let refused = contains("expected 12 lines of 12 digits, 0 or 1");
    attacks(&["--record=threats", &pairs], ROOK).code(2).stderr(refused);
}

#[test]
fn threats_are_for_json_lines() {
    for (arguments, message) in [
        (&["--record=threats", "-o", "a.csv"][..], "a.csv: threats are written to .jsonl"),
        (&["--columns=threats"], "threats is for records of --record threats"),
        (&["--record=threats", "--columns=side"], "omit side"),
        (&["--record=threats", "--pairs=60145"], "--pairs 60145: "),
    ] {
        attacks(arguments, ROOK).code(2).stderr(contains(message));
    }
}
