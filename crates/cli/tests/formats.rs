//! `setwise attacks` on records and games: the same answers as for the same positions as text, and no format guessed.

mod common;

use std::fs;
use std::io::Write;
use std::path::Path;

use common::{START, setwise};
use predicates::prelude::*;
use predicates::str::contains;
use setwise_positions::{Fen, Piece, Side};
use tempfile::TempDir;

const FENS: [&str; 4] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w - - 0 1",
    "8/8/8/4k3/8/3q4/1B6/4K2R w - - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
    "3r4/5k2/8/8/1Q6/8/2K5/7b w - - 0 1",
];

/// The 24 bytes of the pieces.
fn pieces(fen: &str) -> Vec<u8> {
    let fen = Fen::parse(fen.as_bytes()).unwrap();
    let placement = fen.placement();
    let mut bytes = placement.occupied().to_le_bytes().to_vec();
    let men = (0..64).filter_map(|square| placement.on(square));
    let codes: Vec<u8> = men
        .map(|(side, piece)| piece as u8 | (side as u8) << 3)
        .collect();
    for pair in codes.chunks(2) {
        bytes.push(pair[0] | pair.get(1).map_or(0, |code| code << 4));
    }
    bytes.resize(24, 0);
    bytes
}

fn king(fen: &str, side: Side) -> u8 {
    let fen = Fen::parse(fen.as_bytes()).unwrap();
    fen.placement().pieces(side, Piece::King).trailing_zeros() as u8
}

fn bullet(fen: &str) -> Vec<u8> {
    let end = [
        7,
        0,
        1,
        king(fen, Side::White),
        king(fen, Side::Black) ^ 0o70,
        0,
        0,
        0,
    ];
    [&pieces(fen)[..], &end].concat()
}

fn marlin(fen: &str) -> Vec<u8> {
    [&pieces(fen)[..], &[64, 0, 1, 0, 7, 0, 1, 0]].concat()
}

/// A game in which a king goes from its square and back, two moves each: the position, then three others.
fn game(fen: &str) -> Vec<u8> {
    let mut bytes = marlin(fen);
    let kings = Side::BOTH.map(|side| u16::from(king(fen, side)));
    for away in [true, false] {
        for from in kings {
            let (from, to) = if away {
                (from, from ^ 1)
            } else {
                (from ^ 1, from)
            };
            bytes.extend((from | to << 6).to_le_bytes());
            bytes.extend([7, 0]);
        }
    }
    bytes.extend([0; 4]);
    bytes
}

/// All of one kind.
fn all(of: impl Fn(&str) -> Vec<u8>) -> Vec<u8> {
    FENS.iter().flat_map(|fen| of(fen)).collect()
}

const COLUMNS: &str = "--columns=line,fen,side,orthogonal,diagonal,occupied,rook_attacks,bishop_attacks,slider_attacks";

#[track_caller]
fn attacks(arguments: &[&str], input: &[u8]) -> String {
    let mut command = setwise();
    command.args(["attacks", COLUMNS]).args(arguments);
    let assert = command.write_stdin(input).assert().code(0);
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

fn text() -> Vec<u8> {
    FENS.join("\n").into_bytes()
}

#[test]
fn records_are_as_text() {
    let right = attacks(&[], &text());
    assert_eq!(right.lines().count(), 8);
    for (name, bytes) in [("bullet", all(bullet)), ("marlin", all(marlin))] {
        assert_eq!(attacks(&[], &bytes), right, "{name}");
        assert_eq!(attacks(&["--format", name], &bytes), right, "{name}");
        assert_eq!(
            attacks(&["--unbuffered", "--threads=1"], &bytes),
            right,
            "{name}"
        );
    }
    assert_eq!(attacks(&["--format", "fen"], &text()), right);
    assert_eq!(attacks(&["--format", "epd"], &text()), right);
}

#[test]
fn games_are_their_positions() {
    // Where the kings have room; the first and last are the ones of the text.
    let fens = [FENS[1], FENS[3]];
    let bytes: Vec<u8> = fens.iter().flat_map(|fen| game(fen)).collect();
    let found = attacks(&[], &bytes);
    assert_eq!(found, attacks(&["--format", "viri"], &bytes));
    let lines: Vec<&str> = found.lines().collect();
    assert_eq!(lines.len(), 16);
    for (first, fen) in [(0, FENS[1]), (8, FENS[3])] {
        let right = attacks(&[], fen.as_bytes());
        let number = first / 2 + 1;
        let right = right.replace("\"line\":1,", &format!("\"line\":{number},"));
        assert_eq!(lines[first..first + 2], right.lines().collect::<Vec<_>>());
    }
    assert!(
        lines[2].contains("8/8/8/4k3/8/3q4/1B6/5K1R b - - 1 1"),
        "{}",
        lines[2]
    );
    assert!(
        lines[6].contains("8/8/8/5k2/8/3q4/1B6/4K2R b - -")
            || lines[6].contains("8/8/8/5k2/8/3q4/1B6/4K2R b"),
        "{}",
        lines[6]
    );
}

#[test]
fn files_of_every_kind_one_after_the_other() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| {
        folder
            .path()
            .join(name)
            .into_os_string()
            .into_string()
            .unwrap()
    };
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&all(bullet)).unwrap();
    fs::write(path("a.bin.gz"), gzip.finish().unwrap()).unwrap();
    fs::write(path("b.epd"), text()).unwrap();
    fs::write(path("c"), zstd::encode_all(&all(marlin)[..], 1).unwrap()).unwrap();
    let right = attacks(&[], &text());
    let found = attacks(&[&path("a.bin.gz"), &path("b.epd"), &path("c")], b"");
    assert_eq!(found, right.repeat(3));
    // Many blocks, several threads.
    let many = all(bullet).repeat(5000);
    fs::write(path("many"), &many).unwrap();
    let npy = path("many.npy");
    setwise()
        .args(["attacks", &path("many"), "--threads=3", "-o", &npy])
        .assert()
        .code(0)
        .stderr(
            contains("positions: 20000, bad records: 0 ")
                .or(contains("positions: 20000, bad lines: 0")),
        );
    let one = path("one.npy");
    setwise()
        .args(["attacks", "--threads=1", "-o", &one])
        .write_stdin(text().repeat(1))
        .assert()
        .code(0);
    let (many, one) = (fs::read(npy).unwrap(), fs::read(one).unwrap());
    // But for the number of the line, which comes first.
    let row = 8 * 8;
    for (i, found) in many[384..].chunks(row).enumerate() {
        assert_eq!(found[..8], (i as u64 / 2 + 1).to_le_bytes());
        assert_eq!(found[8..], one[384 + i % 8 * row..][8..row]);
    }
}

#[test]
fn bad_records_are_told_and_good_ones_written() {
    let mut bytes = all(bullet);
    bytes[32 + 26] = 9;
    bytes.extend([1; 5]);
    let mut command = setwise();
    command.args(["attacks", "--format=bullet", "--columns=line"]);
    let assert = command.write_stdin(bytes.clone()).assert().code(2);
    assert
        .stdout(
            "{\"line\":1}\n{\"line\":1}\n{\"line\":3}\n{\"line\":3}\n{\"line\":4}\n{\"line\":4}\n",
        )
        .stderr(
            contains("<stdin>: record 2: result: 9 is not 0, 1 or 2\n")
                .and(contains(
                    "<stdin>: record 5: record: it has 5 of 32 bytes\n",
                ))
                .and(contains("bad records: 2 (record 1, result 1)"))
                .and(contains("2 bad records were left out")),
        );
    let mut strict = setwise();
    strict.args(["attacks", "--format=bullet", "--columns=line", "--strict"]);
    let assert = strict.write_stdin(bytes).assert().code(2);
    assert
        .stdout("{\"line\":1}\n{\"line\":1}\n")
        .stderr(contains("<stdin>: record 2: result: 9 is not 0, 1 or 2"));
    let mut game = game(FENS[1]);
    game[32..34].copy_from_slice(&[0, 2]);
    let mut command = setwise();
    command.args(["attacks", "--format=viri", "--columns=line", "--skip-bad"]);
    let assert = command.write_stdin(game).assert().code(0);
    assert.stderr(contains("<stdin>: position 2: moves: number 1, a1a2: no piece of the side to move stands there (of game 1)"));
}

/// A record that bulletformat and marlinformat can both be.
fn both() -> Vec<u8> {
    let mut bytes = bullet("4k3/8/8/8/8/8/8/K7 w - - 0 1");
    bytes[24..].copy_from_slice(&[64, 0, 1, 0, 4, 0, 0, 0]);
    bytes
}

#[test]
fn no_format_is_guessed() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let told = |path: &Path, code: i32, message: &str| {
        setwise()
            .arg("attacks")
            .arg(path)
            .assert()
            .code(code)
            .stderr(contains(message));
    };
    told(
        &write("a.bin", &both()),
        2,
        "a.bin: it can be bulletformat or marlinformat: say which format it is by --format",
    );
    told(&write("a.bullet", &both()), 0, "positions: 1");
    told(&write("a.marlin", &both()), 0, "positions: 1");
    told(
        &write("a.viri", &both()),
        2,
        "it can be bulletformat or marlinformat",
    );
    let noise: Vec<u8> = (0..4096_u32)
        .map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8)
        .collect();
    told(
        &write("noise.bullet", &noise),
        2,
        "noise.bullet: it is no text, and what it begins with is wrong in every format known: say which",
    );
    let mut late = all(marlin);
    late[24 + 32] = 65;
    told(
        &write("late.marlin", &late),
        2,
        "wrong in every format known",
    );
    setwise()
        .args(["attacks", "--format=marlin"])
        .arg(write("late", &late))
        .assert()
        .code(2)
        .stderr(contains("record 2: en passant square: 65"));
    setwise()
        .args(["attacks", "--format=gif"])
        .assert()
        .code(2)
        .stderr(contains("auto, epd, bullet, marlin, viri"));
    // Text of one line, and less than a record.
    told(&write("short", b"8/8/8/8/8/8/8/8"), 0, "positions: 1");
    told(&write("start", START.as_bytes()), 0, "positions: 1");
    told(&write("none", b""), 0, "positions: 0");
}

/// A record of a position has what the records of its sides have, in every format.
#[test]
fn one_record_for_a_position() {
    let folder = TempDir::new().unwrap();
    let run = |arguments: &[&str], name: &str| {
        let path = folder.path().join(name);
        let mut command = setwise();
        command.arg("attacks").args(arguments).arg("-o").arg(&path);
        command.write_stdin(text()).assert().code(0);
        fs::read(path).unwrap()
    };
    let rows = |bytes: &[u8]| -> Vec<Vec<String>> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(bytes);
        let rows = reader.records().map(Result::unwrap);
        rows.map(|row| row.iter().map(str::to_owned).collect())
            .collect()
    };
    let sides = rows(&run(&[], "sides.csv"));
    let whole = rows(&run(&["--record=position"], "whole.csv"));
    assert_eq!(
        whole[0].join(","),
        "line,fen,white_orthogonal,black_orthogonal,white_diagonal,black_diagonal,occupied,\
         white_rook_attacks,black_rook_attacks,white_bishop_attacks,black_bishop_attacks,white_slider_attacks,black_slider_attacks"
    );
    assert_eq!((sides.len(), whole.len()), (9, 5));
    for (pair, row) in sides[1..].chunks(2).zip(&whole[1..]) {
        for (name, value) in whole[0].iter().zip(row) {
            let (side, name) = match name.split_once('_') {
                Some(("white", name)) => (0, name),
                Some(("black", name)) => (1, name),
                _ => (0, name.as_str()),
            };
            let at = sides[0].iter().position(|other| other == name).unwrap();
            assert_eq!(pair[side][at], *value, "{name}");
        }
    }
    let json = String::from_utf8(run(&["--record=position"], "whole.jsonl")).unwrap();
    for (line, row) in json.lines().zip(&whole[1..]) {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        for (name, value) in whole[0].iter().zip(row) {
            let found = &record[name];
            let right = match name.as_str() {
                "line" => serde_json::json!(value.parse::<u64>().unwrap()),
                _ => serde_json::json!(value),
            };
            assert_eq!(*found, right, "{name}");
        }
        assert_eq!(record.as_object().unwrap().len(), 13);
    }
    let npy = run(&["--record=position"], "whole.npy");
    for (record, row) in npy[512..].chunks(12 * 8).zip(&whole[1..]) {
        let numbers = row.iter().enumerate().filter(|(i, _)| *i != 1);
        for (found, (_, value)) in record.chunks(8).zip(numbers) {
            let right = match value.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
                None => value.parse().unwrap(),
            };
            assert_eq!(found, right.to_le_bytes());
        }
    }
    assert_eq!(npy.len(), 512 + 4 * 12 * 8);
    let chosen = run(
        &["--record=position", "--columns=slider_attacks,occupied"],
        "chosen.csv",
    );
    assert_eq!(
        rows(&chosen)[0].join(","),
        "white_slider_attacks,black_slider_attacks,occupied"
    );
    let mut command = setwise();
    command.args(["attacks", "--record=position", "--columns=side"]);
    command.assert().code(2).stderr(contains(
        "--columns: a record of a position has both sides, no side",
    ));
}

/// The FENs as files of the three formats, with these scores and results from white's side.
fn scored(scores: [i16; 4], results: [u8; 4]) -> [(&'static str, Vec<u8>); 3] {
    let mut files = [
        ("bullet", Vec::new()),
        ("marlin", Vec::new()),
        ("viri", Vec::new()),
    ];
    for (i, fen) in FENS.iter().enumerate() {
        let score = scores[i].to_le_bytes();
        let mut record = bullet(fen);
        record[24..27].copy_from_slice(&[score[0], score[1], results[i]]);
        files[0].1.extend(record);
        // One that is not taken for the score, which of a game is that of the move.
        let mut record = marlin(fen);
        record[28..31].copy_from_slice(&[score[0], score[1], results[i]]);
        files[1].1.extend(&record);
        record[28..30].copy_from_slice(&[0x55; 2]);
        files[2].1.extend(record);
        // The white king goes one to the side, or a pawn one ahead.
        let king = u16::from(king(fen, Side::White));
        let (from, to) = if i == 2 { (8, 16) } else { (king, king ^ 1) };
        files[2].1.extend((from | to << 6).to_le_bytes());
        files[2].1.extend([score[0], score[1], 0, 0, 0, 0]);
    }
    files
}

#[test]
fn scores_and_results() {
    let folder = TempDir::new().unwrap();
    let (scores, results) = ([-100, i16::MIN, i16::MAX, 0], [0, 2, 1, 2]);
    let run = |input: &[u8], arguments: &[&str], name: &str| {
        let path = folder.path().join(name);
        let mut command = setwise();
        command.arg("attacks").args(arguments).arg("-o").arg(&path);
        command.write_stdin(input).assert().code(0);
        fs::read(path).unwrap()
    };
    for (name, file) in scored(scores, results) {
        let format = format!("--format={name}");
        let side = "--columns=score,line,side,result";
        let mut right = String::from("score,line,side,result\n");
        for (i, (score, result)) in scores.iter().zip(results).enumerate() {
            let line = i + 1;
            right += &["white", "black"]
                .map(|side| format!("{score},{line},{side},{result}\n"))
                .concat();
        }
        let found = run(&file, &[&format, side], "a.csv");
        assert_eq!(String::from_utf8(found).unwrap(), right, "{name}");
        // Blocks of one record, and detected.
        let found = run(&file, &[side, "--unbuffered"], "b.csv");
        assert_eq!(String::from_utf8(found).unwrap(), right, "{name}");
        let position = ["--record=position", "--columns=result,score", &format];
        let json = String::from_utf8(run(&file, &position, "a.jsonl")).unwrap();
        let right = [0, 1, 2, 3].map(|i| {
            let (score, result) = (scores[i], results[i]);
            format!("{{\"result\":{result},\"score\":{score}}}\n")
        });
        assert_eq!(json, right.concat(), "{name}");
        for rows in [1, 2] {
            let many = file.repeat(200);
            let npy = ["--columns=score,result,line", &format, "--threads=1"];
            let position: &[&str] = if rows == 1 {
                &["--record=position"]
            } else {
                &[]
            };
            let npy = run(&many, &[&npy, position].concat(), "a.npy");
            let start = if rows == 1 { 512 } else { 384 };
            let header = String::from_utf8_lossy(&npy[10..start]).into_owned();
            assert!(
                header.starts_with(
                    "{'descr': [('score', '<i8'), ('result', '<u8'), ('line', '<u8'), ]"
                )
            );
            let records: Vec<&[u8]> = npy[start..].chunks(24).collect();
            assert_eq!(records.len(), 800 * rows);
            for (i, record) in records.into_iter().enumerate() {
                let at = i / rows;
                let right = [
                    i64::from(scores[at % 4]).to_le_bytes(),
                    i64::from(results[at % 4]).to_le_bytes(),
                    (at as u64 + 1).to_le_bytes(),
                ];
                assert_eq!(record, right.as_flattened(), "{name} {rows}");
            }
        }
        // What is usual has them not.
        let usual = String::from_utf8(run(&file, &[&format], "usual.csv")).unwrap();
        assert!(usual.starts_with("line,fen,side,orthogonal,diagonal,occupied,rook_attacks,bishop_attacks,slider_attacks\n"));
        let all = "--columns=line,fen,side,orthogonal,diagonal,occupied,rook_attacks,bishop_attacks,slider_attacks,score,result";
        let all = String::from_utf8(run(&file, &[&format, all], "all.csv")).unwrap();
        for (i, (usual, all)) in usual.lines().zip(all.lines()).enumerate().skip(1) {
            let at = (i - 1) / 2;
            assert_eq!(all, format!("{usual},{},{}", scores[at], results[at]));
        }
    }
}

#[test]
fn text_has_no_scores() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.epd");
    let out = folder.path().join("a.csv");
    fs::write(&path, text()).unwrap();
    for (columns, missing) in [("line,score", "score"), ("result,score", "result")] {
        setwise()
            .args(["attacks", "--columns", columns, "-o"])
            .args([&out, &path])
            .assert()
            .code(2)
            .stderr(contains(format!(
                "a.epd: --columns: {missing} is in bulletformat, marlinformat and viriformat, and not in FEN or EPD, as this is"
            )));
        assert!(!out.exists());
    }
    // After records, too; of an empty file there is nothing to tell.
    let records = folder.path().join("a.bullet");
    fs::write(&records, all(bullet)).unwrap();
    let mut after = setwise();
    after
        .args(["attacks", "--columns=score"])
        .args([&records, &path]);
    after
        .assert()
        .code(2)
        .stderr(contains("a.epd: --columns: score"));
    fs::write(&path, "").unwrap();
    let mut after = setwise();
    after
        .args(["attacks", "--columns=score"])
        .args([&records, &path]);
    after.assert().code(0).stdout("{\"score\":7}\n".repeat(8));
}

/// Without the feature, what it takes is said.
#[cfg(not(feature = "columns"))]
#[test]
fn columns_are_a_feature() {
    let folder = TempDir::new().unwrap();
    let told = |command: &mut assert_cmd::Command, message: &str| {
        command.assert().code(2).stderr(contains(message));
    };
    for (name, start) in [("Parquet", &b"PAR1...."[..]), ("Arrow IPC", b"ARROW1\0\0")] {
        let path = folder.path().join("a");
        fs::write(&path, start).unwrap();
        let message =
            format!("{name} is read if the command line is built with --features columns");
        told(setwise().arg("attacks").arg(&path), &message);
    }
    told(
        setwise().args(["attacks", "-o", "a.parquet"]),
        "a.parquet: .parquet is written if the command line is built with --features columns",
    );
}
