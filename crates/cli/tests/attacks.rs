//! Tests of `setwise attacks`: its input and its results.

use crate::common;

use std::fmt::Write as _;
use std::fs;

use common::{
    ROOK, START, attacks, gzip, in_all_formats, json_lines, number, setwise, stderr, stdout,
};
use cozy_chess::{BitBoard, Board, Color, Piece, Square, get_bishop_moves, get_rook_moves};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use tempfile::TempDir;

/// Evaluates valid input and returns the records.
#[track_caller]
fn evaluate(input: impl Into<Vec<u8>>) -> Vec<Value> {
    json_lines(&stdout(&attacks(&[], input).code(0)))
}

fn board(record: &Value, name: &str) -> u64 {
    let text = record[name].as_str().unwrap();
    assert_eq!(text.len(), 18, "{text}");
    number(text)
}

/// The line number of each record.
fn lines(records: &[Value]) -> Vec<u64> {
    records.iter().map(|record| record["line"].as_u64().unwrap()).collect()
}

/// Boards and attacks are those of another library, in the known positions and in those of the EPD
/// files in the folder `SETWISE_POSITIONS`.
#[test]
fn records_equal_another_library() {
    let mut texts = vec![include_str!("../../../tests/positions/known.epd").to_owned()];
    if let Some(folder) = std::env::var_os("SETWISE_POSITIONS") {
        let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        let files = files.filter(|path| path.extension().is_some_and(|name| name == "epd"));
        texts.extend(files.map(|path| fs::read_to_string(path).unwrap()));
    }
    for text in texts {
        // The other library reads only legal positions.
        let boards: Vec<(usize, Board)> = (1..)
            .zip(text.lines())
            .filter_map(|(line, text)| {
                let fields: Vec<&str> = text.split_whitespace().take(4).collect();
                Some((line, format!("{} 0 1", fields.join(" ")).parse().ok()?))
            })
            .collect();
        assert!(!boards.is_empty(), "no legal positions");
        let output = stdout(&attacks(&["--skip-bad"], text).code(0));
        let mut records = output.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        for (line, board) in boards {
            for color in Color::ALL {
                let record = records.find(|record| record["line"] == line).unwrap();
                assert_eq!(record["side"], format!("{color:?}").to_lowercase());
                check(&record, &board, color);
            }
        }
    }
}

/// A column alone, for which other columns need not be computed, is as beside all others.
#[test]
fn each_column_alone() {
    let text = include_str!("../../../tests/positions/known.epd");
    for record in ["side", "position"] {
        let options = ["--skip-bad", "--record", record];
        let columns = "occupied,diagonal,orthogonal,rook_attacks,bishop_attacks,slider_attacks,\
                       moves,check,mate,stalemate,line";
        let options = |columns| [&options[..], &["--columns", columns]].concat();
        let all = json_lines(&stdout(&attacks(&options(columns), text).code(0)));
        assert!(all.len() > 50);
        for column in columns.split(',') {
            let alone = json_lines(&stdout(&attacks(&options(column), text).code(0)));
            assert_eq!(alone.len(), all.len(), "{column}");
            for (alone, all) in alone.iter().zip(&all) {
                let alone = alone.as_object().unwrap();
                assert!(!alone.is_empty());
                assert!(alone.iter().all(|(name, value)| all[name] == *value), "{column}");
            }
        }
    }
}

fn check(record: &Value, position: &Board, color: Color) {
    let occupied = position.occupied();
    let sets = [Piece::Rook, Piece::Bishop].map(|piece| {
        position.colored_pieces(color, piece) | position.colored_pieces(color, Piece::Queen)
    });
    let attacks = |set: BitBoard, moves: fn(Square, BitBoard) -> BitBoard| {
        set.into_iter().fold(BitBoard::EMPTY, |all, square| all | moves(square, occupied))
    };
    let rook_attacks = attacks(sets[0], get_rook_moves);
    let bishop_attacks = attacks(sets[1], get_bishop_moves);
    for (name, right) in [
        ("orthogonal", sets[0]),
        ("diagonal", sets[1]),
        ("occupied", occupied),
        ("rook_attacks", rook_attacks),
        ("bishop_attacks", bishop_attacks),
        ("slider_attacks", rook_attacks | bishop_attacks),
    ] {
        assert_eq!(board(record, name), right.0, "{name} of {record}");
    }
    assert_eq!(record.as_object().unwrap().len(), 9);
}

#[test]
fn lines_may_take_many_forms() {
    let records = evaluate(format!(
        "\u{feff}{ROOK}\r\n# a comment\r\n\r\n  # another\n \t \n\
         8/8/8/8/p7/8/8/R1k5\n\
         8/8/8/8/p7/8/8/R1k5 b HAha e3 bm Nf3; id \"x \u{e9}\";\n\
         8/8/8/8/p7/8/8/R1k5  w\tKQkq - 3 99 | 25 | 0.5\n\
         {ROOK} 0 1"
    ));
    assert_eq!(lines(&records), [1, 1, 6, 6, 7, 7, 8, 8, 9, 9]);
    for pair in records.chunks(2) {
        assert_eq!(board(&pair[0], "slider_attacks"), 0x0101_0106);
        assert_eq!(board(&pair[1], "slider_attacks"), 0);
    }
    assert_eq!(records[4]["fen"], "8/8/8/8/p7/8/8/R1k5 b HAha e3");
    assert_eq!(records[6]["fen"], "8/8/8/8/p7/8/8/R1k5 w KQkq - 3 99");
    assert!(evaluate("").is_empty());
    assert!(evaluate("# nothing\n\n").is_empty());
    for end in ["\n", "\r", "\r\n"] {
        let records = evaluate(format!("{ROOK}{end}{end}{ROOK}{end}"));
        assert_eq!(lines(&records), [1, 1, 3, 3], "{end:?}");
    }
}

#[test]
fn bad_lines_are_reported_and_good_ones_written() {
    let folder = TempDir::new().unwrap();
    let input = folder.path().join("some.epd");
    let mut text = format!("{ROOK}\n8/8/8/8/8/8/8 w - -\n{ROOK} 0 1\n{ROOK} 0 x\n").into_bytes();
    text.extend_from_slice(b"8/8/8/8/8/8/8/8 w - - id \"\xff\";\n8/8/8/8/8/8/8/8 green - -\n");
    text.extend_from_slice(&b"x".repeat(100_000));
    text.extend_from_slice(format!("\n{ROOK}").as_bytes());
    fs::write(&input, text).unwrap();
    let assert = setwise().arg("attacks").arg(&input).assert().code(2);
    assert_eq!(lines(&json_lines(&stdout(&assert))), [1, 1, 3, 3, 5, 5, 8, 8]);
    let errors = stderr(&assert);
    for message in [
        "some.epd:2: piece placement: 7 ranks instead of 8",
        "some.epd:4: fullmove number: `x` is not a number",
        "some.epd:6: side to move: `green` is not `w` or `b`",
        "some.epd:7: line: it is longer than",
        "4 bad lines were left out",
        "bad lines: 4 (line 1, piece placement 1, side to move 1, fullmove number 1)",
    ] {
        assert!(errors.contains(message), "{message} in {errors}");
    }
    assert!(!errors.contains("some.epd:5"), "operations need not be UTF-8: {errors}");
}

#[test]
fn many_bad_lines_are_counted_by_field() {
    let folder = TempDir::new().unwrap();
    let output = folder.path().join("out.csv");
    let text = format!("8/8\n{ROOK}\n{ROOK} 0 x\n").repeat(1000);
    for threads in ["1", "3"] {
        let arguments = ["--threads", threads, "-o", output.to_str().unwrap()];
        let errors = stderr(&attacks(&arguments, &*text).code(2));
        assert_eq!(errors.matches("<stdin>:").count(), 22, "{errors}");
        let counts = "bad lines: 2000 (piece placement 1000, fullmove number 1000)";
        for message in [
            counts,
            "<stdin>:31: further bad lines are only counted",
            "<stdin>: 2000 bad lines were left out",
        ] {
            assert!(errors.contains(message), "{message} in {errors}");
        }
        assert_eq!(fs::read_to_string(&output).unwrap().lines().count(), 2001);
        let skipping = [&arguments[..], &["--skip-bad"]].concat();
        attacks(&skipping, &*text).code(0).stderr(contains(counts));
    }
}

/// Files without positions give one error, which says what they look like.
#[test]
fn other_files_are_recognised() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let own = "this looks like the output of `setwise attacks`: evaluate the original file instead";
    for record in ["side", "position", "maps"] {
        for name in ["out.csv", "out.jsonl"] {
            let output = path(name);
            let output = output.to_str().unwrap();
            attacks(&["--record", record, "-o", output], START).code(0);
            let errors = stderr(&attacks(&[output], "").code(2));
            assert!(errors.contains(own) && errors.lines().count() <= 2, "{record}: {errors}");
        }
    }
    for columns in ["fen", "line,fen", "line,side,fen", "fen,occupied"] {
        let output = path("out.csv");
        let output = output.to_str().unwrap();
        attacks(&["--columns", columns, "-o", output], START).code(0);
        // FENs without boards can be read again.
        let (code, message) = match columns {
            "fen,occupied" => (2, own),
            _ => (0, "bad lines: 0"),
        };
        attacks(&[output], "").code(code).stderr(contains(message));
    }
    // `--format` is recommended only if it gives positions.
    for input in [format!("fen,occupied\n{START},0x1\n"), format!("[Event \"?\"]\n{START}\n")] {
        attacks(&[], &*input).code(2).stderr(contains("`--format epd` reads some lines"));
        attacks(&["--format=epd", "--skip-bad"], input).code(0).stderr(contains("positions: 1, "));
    }
    let game = "1. e4 e5 *\n";
    let convert = "`pgn-extract -s -Wepd FILE.pgn | setwise attacks`";
    for (input, message) in [
        ("{\n  \"fen\": 1}\n".into(), "looks like JSON, but none of its first values is a FEN"),
        ("[{\"fen\": 1}]\n".into(), "looks like JSON, but none of its first values is a FEN"),
        ("[{\"a\": \"b\", \"c\": []}]".into(), "is a FEN; its keys are `a`, `c`\n"),
        ("[1, 2]\n".into(), "but no column has FENs; its columns are `[1`, `2]`\n"),
        ("[Event \"?\"]\n[Site \"?\"]\n\n1. e4 e5 *\n".into(), convert),
        (game.into(), convert),
        ("1.e4 e5 *\n".into(), convert),
        (format!("[Event \"?\"]\n[FEN \"{START}\"]\n\n1. e4 *\n"), convert),
        ("1...e5 *\n".into(), convert),
        (format!("% made by hand\n\n{game}"), convert),
        (format!("; made by hand\n; or not\n{game}"), convert),
        ("; made by hand\n[Event \"?\"]\n".into(), convert),
        (format!("{{made\nby hand}} {game}"), convert),
    ] {
        let errors = stderr(&attacks(&[], input.repeat(100)).code(2));
        let is_right = errors.contains(message) && !errors.contains("--format");
        assert!(is_right && errors.lines().count() <= 2, "{message}: {errors}");
    }
    attacks(&["--format=pgn"], game).code(2).stderr(contains(convert));
    let book: Vec<u8> =
        (0..9_u8).flat_map(|i| [[i * 9; 8], [3, 28, 0, 1, 0, 0, 0, 0]]).flatten().collect();
    // No format helps, so no message proposes `--format`.
    for (input, message) in [
        (&b"\xff\xff\xff\xff\x78\0\0\0\x10\0\0\0\0\0\x0a\0"[..], "Arrow IPC: docs/recipes.md"),
        (b"ARROW1\0\0\xff\xff\xff\xff", "Arrow IPC: docs/recipes.md"),
        (b"PAR1\x15\0\x15\x80", "Parquet: docs/recipes.md"),
        (b"\xfd7zXZ\0\0\x04", "this is xz data: decompress it first"),
        (b"BZh91AY&SY\0\x01", "this is bzip2 data"),
        (&book, "this is a Polyglot book"),
        (b"8\0/\08\0/\08\0/\08\0/\0\x38\0", "this is UTF-16 without a byte order mark"),
        (b"\x7fELF\x02\x01\x01\0", "it is not text, and its start does not fit any other format"),
        (b"\x80\x81\0\x03", "it is not text, and its start does not fit any other format"),
    ] {
        let errors = stderr(&attacks(&[], input).code(2));
        let is_right = errors.contains(message) && !errors.contains("--format");
        assert!(is_right && errors.lines().count() <= 2, "{message}: {errors}");
    }
    // With `--format`, each bad line is reported.
    let errors = stderr(&attacks(&["--format=epd"], "fen,eval\n1,2\n").code(2));
    assert!(errors.contains("bad lines: 2"), "{errors}");
    // These inputs must be read as EPD, not taken for CSV or PGN, despite commas in operations and
    // comments, and bad first lines.
    let epd = format!("{ROOK} c0 \"a,b\";\n");
    assert_eq!(evaluate(epd).len(), 2);
    assert_eq!(evaluate(format!("# a,b\n{ROOK}\n")).len(), 2);
    assert_eq!(evaluate(format!("{ROOK} bm Rh1; c0 \"fen; a\";\n")).len(), 2);
    assert_eq!(evaluate(format!("{ROOK} ;fen\n")).len(), 2);
    for (first, bad) in [
        ("8/8 c0 \"a,b\";", 1),
        ("8/8 bm e4; id \"fen\";", 1),
        ("8/8 w - - ;fen", 1),
        ("8/8 w - - c0 \"a, fen, b\";", 1),
        ("1", 1),
        ("; a comment; fen", 0),
        ("% 1", 0),
        ("// fen,a", 0),
    ] {
        let message = format!("positions: 1, bad lines: {bad}");
        let assert = attacks(&[], format!("{first}\n{ROOK}\n"));
        assert.code(2 * bad).stderr(contains(message));
    }
}

/// The positions of rows, whose FENs are in a column of any place.
#[test]
fn tables_and_json_lines() {
    let plain = stdout(&attacks(&["--columns=fen,slider_attacks"], format!("{START}\n{ROOK}\n")));
    let [puzzle, quoted] = [format!("00sHx,{START},Q\n"), format!("\"a,\n\"\"\",\"{ROOK}\",\n")];
    for (input, arguments) in [
        (format!("PuzzleId,FEN,Moves\n{puzzle}{quoted}"), &[][..]),
        (format!("\u{feff}PuzzleId,\"FEN\",Moves\r\n{puzzle}{quoted}"), &["--format=csv"]),
        (format!("fen\n{START}\n{ROOK}\n"), &[]),
        (format!("fen,win/loss\n{START},1/0\n{ROOK},0/1\n"), &[]),
        (format!("win/loss;fen\n1/0;{START}\n0/1;{ROOK}\n"), &[]),
        (format!("fen ,cp\n{START},1\n{ROOK},2\n"), &[]),
        (format!("fen,cp\r\n{START},1\r\n{ROOK},2\r\n\x1a"), &[]),
        (format!("cp,fen\0\n1,{START}\0\n2,{ROOK}\0\n\0"), &[]),
        (format!("\"fen\"\t\"a\"\n\"{START}\"\t\"b\"\n\"{ROOK}\"\t\"b\"\n"), &[]),
        (format!("id;Fen;Best Move\n1;{START};e4\n2;{ROOK}\n"), &[]),
        (format!("{{ \"epd\": \"{START}\" }}\n{{ \"Fen\": \"{ROOK}\" }}\n"), &[]),
        (format!("{{\"fen\":\"{START}\",\"epd\":\"x\"}}\n{{\"epd\":\"{ROOK}\"}}\n"), &[]),
        // Without a header, the column is that of the first FEN, and comments may come first.
        (format!("00sHx,{START},Q\n\"a,\n\"\"\",\"{ROOK}\",\n"), &[]),
        (format!("# from a book\n\n1;{START};e4\n2;{ROOK};\n"), &[]),
        (format!("1\t{START}\n#\n2\t{ROOK}\tRa2\n"), &["--unbuffered"]),
        // Comments may come between rows, and contain separators.
        (format!("fen,a\n{START},1\n# a, b\n%,2\n //,{START}\n; c,d\n{ROOK},2\n"), &[]),
        (format!("a\tfen\n1\t{START}\n#1\t{START}\n2\t{ROOK}\n"), &[]),
        (format!("id;fen\n1;{START}\n# a;b\n;{ROOK}\n"), &[]),
        (format!("{{\"fen\":\"{START}\"}}\n# a\n//{{}}\n{{\"fen\":\"{ROOK}\"}}\n"), &[]),
        (format!("{START},20,400\n{ROOK},3,5\n"), &["--format=csv"]),
        (format!("{START}\n{ROOK}\n"), &["--format=csv"]),
        // Columns and keys with other names.
        (format!("ply;fen_before;fen_after\n1;{START};{ROOK}\n2;{ROOK};{START}\n"), &[]),
        (format!("\"Position\",score\n\"{START}\",1\n\"{ROOK}\",2\n"), &[]),
        (format!("a\tb\n1\t{START}\n2\t{ROOK}\n"), &[]),
        (format!("{{\"id\":1,\"start\":\"{START}\"}}\n{{\"start\":\"{ROOK}\"}}\n"), &[]),
        (format!("{{\"a\":0}}\n{{\"a\":\"{START}\"}}\n{{\"a\":\"{ROOK}\"}}\n"), &["--skip-bad"]),
        (format!("\"Best Move\tfen\n\"e4\t{START}\nRa2\t{ROOK}\t\n"), &["--format=tsv"]),
        (format!("{{\"fen\":\"{START}\",\"evals\":[{{\"fen\":1}}]}}\n{{\"fen\":\"{ROOK}\"}}"), &[]),
        (
            format!(
                "{{\"a\": 1, \"FEN\": \"{}\"}}\n\n{{\"FEN\": \"{ROOK}\"}}\n",
                START.replace('/', "\\/")
            ),
            &["--format=jsonl", "--unbuffered"],
        ),
    ] {
        let arguments = [&["--columns=fen,slider_attacks"], arguments].concat();
        assert_eq!(stdout(&attacks(&arguments, &*input).code(0)), plain, "{input}");
    }
    // The FEN comes after the first KiB, the first piece that is decompressed.
    let long = "x".repeat(2000);
    for input in [
        format!("{{\"id\":\"{long}\",\"fen\":\"{START}\"}}\n{{\"fen\":\"{ROOK}\"}}\n"),
        format!("{long},fen\n1,{START}\n2,{ROOK}\n"),
    ] {
        let input = zstd::encode_all(input.as_bytes(), 1).unwrap();
        assert_eq!(stdout(&attacks(&["--columns=fen,slider_attacks"], input).code(0)), plain);
    }
    // A row that is too long is a bad line, or ends a table.
    let long = "x".repeat(17 << 20);
    let rows = format!("{{\"fen\":\"{ROOK}\"}}\n");
    let input = format!("{rows}{{\"id\":\"{long}\",\"fen\":\"{ROOK}\"}}\n{rows}");
    let lines = [1, 1, 3, 3].map(|line| format!("{{\"line\":{line}}}\n")).concat();
    let error = "<stdin>:2: line: it is longer than 16777216 bytes; its first keys are `id`\n";
    attacks(&["--columns=line"], input).code(2).stdout(lines).stderr(contains(error));
    let error = "<stdin>: a row is longer than 16777216 bytes";
    attacks(&[], format!("fen,id\n{ROOK},\"{long}")).code(2).stderr(contains(error));
    // Bad rows have the numbers of their lines.
    for (input, arguments, message) in [
        (
            format!("a,fen\n\"x\ny\",{ROOK}\n1,\n2\n3,{ROOK}\n"),
            &["--columns=line"][..],
            "4: piece placement: it is missing",
        ),
        (
            format!("# a\n\n1,2,{ROOK}\n# b, c\n3\n4,5,{ROOK}\n"),
            &["--columns=line"],
            "5: piece placement: it is missing",
        ),
        (
            format!("{{\"fen\":\"{ROOK}\"}}\n{{\"id\":1}}\n%\n{{\n{{\"fen\":\"{ROOK}\"}}\n"),
            &["--columns=line"],
            "4: piece placement: rank 8: `{`",
        ),
    ] {
        let assert = attacks(arguments, &*input)
            .code(2)
            .stderr(contains(message).and(contains("bad lines: ")));
        let last = input.lines().count();
        assert!(stdout(&assert).ends_with(&format!("{{\"line\":{last}}}\n")), "{input}");
    }
    let none = "no column has FENs; its columns are `a`, `b`\n";
    attacks(&["--format=csv"], "a,b\n1,2\n").code(2).stderr(contains(none));
    let none = "<stdin>:2: line: it has no string `fen`; its keys are `id`, `p`\n";
    let input = format!("{{\"fen\":\"{ROOK}\"}}\n{{\"id\":2,\"p\":\"{START}\"}}\n");
    attacks(&[], input).code(2).stderr(contains(none));
    let note = "<stdin>: the FENs are in column 2, `fen\\u{9b}_before`\n";
    let input = format!("a,fen\u{9b}_before\n1,{ROOK}\n");
    attacks(&[], input).code(0).stderr(contains(note));
    attacks(&[], format!("1,{ROOK}\n")).code(0).stderr(contains("are in column 2\n"));
    let none = "only training data has score, and this is CSV or TSV";
    attacks(&["--columns=score"], format!("fen,score\n{ROOK},3\n")).code(2).stderr(contains(none));
}

/// Text in other encodings, and with what other programs leave in it.
#[test]
fn text_of_other_programs() {
    let plain = evaluate(format!("{ROOK}\n{ROOK}\n"));
    let utf_16 = |text: &str, to_bytes: fn(u16) -> [u8; 2]| {
        format!("\u{feff}{text}").encode_utf16().flat_map(to_bytes).collect::<Vec<u8>>()
    };
    let text = format!("{ROOK}\r\n{ROOK}\r\n");
    for input in [
        utf_16(&text, u16::to_le_bytes),
        utf_16(&text, u16::to_be_bytes),
        format!("{ROOK}\0\n{ROOK}\0\n\x1a").into_bytes(),
        format!("\u{feff}{ROOK}\n\u{feff}{ROOK} bm Ra2").into_bytes(),
        format!("{ROOK}; 1/2-1/2\n{ROOK}|0.5\n").into_bytes(),
    ] {
        assert_eq!(evaluate(&*input), plain, "{}", input.escape_ascii());
    }
}

#[test]
fn bad_usage_is_refused() {
    let folder = TempDir::new().unwrap();
    let taken = folder.path().join("taken.csv");
    fs::create_dir(&taken).unwrap();
    let extensions = "must be .jsonl, .csv, .npy or .npz";
    for (arguments, message) in [
        (&[folder.path().to_str().unwrap()][..], "directory"),
        (&["-o", "out.txt"], extensions),
        (&["-o", "out.arrow"], "out.arrow: use the Python package"),
        (&["-o", "out.parquet", "--decimal"], "out.parquet: use the Python package"),
        (&["-o", "out.npy", "--decimal"], "--decimal is for .csv and .jsonl"),
        (&["-", "none.epd"], "none.epd"),
        (&["-o", "/no/such/folder/out.csv"], "/no/such/folder/out.csv"),
        (&["-o", taken.to_str().unwrap()], "not a regular file"),
        (&["--json", "-o", "out.csv"], "--json conflicts with"),
        (&["--format", "gif"], "gif"),
        (&["--columns=fen", "-o", "b.npy"], "numbers only"),
        (&["--columns=line,line", "-o", "b.csv"], "line is listed twice"),
        (&["--columns=colour", "-o", "b.csv"], "slider_attacks"),
        (&["--record=position", "--columns=side"], "omit side"),
        (&["--record=maps", "--columns=occupied"], "occupied is not for records of --record maps"),
        (&["--columns=by_lesser"], "by_lesser is for records of --record maps"),
        (&["--record=threats", "-o", "a.csv"], "a.csv: threats are written to .jsonl or .npz"),
        (&["--record=threats", "-o", "a.npz", "--columns=fen"], "NumPy files have numbers only"),
        (&["-o", "a.npz"], "a.npz: it is for --record threats: use .npy"),
        (&["--columns=threats"], "threats is for records of --record threats"),
        (&["--record=threats", "--pairs=60145"], "--pairs 60145: "),
    ] {
        attacks(arguments, START).code(2).stdout("").stderr(contains(message));
    }
}

/// Records stay in order. Neither the number of threads nor `--unbuffered` changes the output.
#[test]
fn order_is_kept() {
    let count = 20_000;
    let mut text = String::new();
    for i in 0..count {
        let placement = ["8/8/8/8/p7/8/8/R1k5", "8/8/8/8/8/8/8/8"][i % 2];
        writeln!(text, "{placement} w - - {i} 1").unwrap();
    }
    let right = stdout(&attacks(&["--threads", "1"], &*text).code(0));
    let records = json_lines(&right);
    assert_eq!(records.len(), 2 * count);
    for (i, pair) in records.chunks(2).enumerate() {
        assert_eq!(pair[0]["line"], i + 1);
        assert!(pair[1]["fen"].as_str().unwrap().ends_with(&format!("- {i} 1")));
        assert_eq!(board(&pair[0], "slider_attacks"), [0x0101_0106, 0][i % 2]);
    }
    for arguments in [&["--threads", "2"][..], &["--threads", "7"], &["--unbuffered"]] {
        let found = stdout(&attacks(arguments, &*text).code(0));
        assert!(found == right, "{arguments:?}");
    }
}

/// Random positions, which hardly compress.
fn random_fens(count: usize) -> Vec<String> {
    let mut random = fastrand::Rng::with_seed(7);
    let mut piece = || char::from(b"rnbqkpRNBQKP"[random.usize(..12)]);
    let mut rank = || (0..8).map(|_| piece()).collect::<String>();
    (0..count).map(|_| format!("{} w - - 0 1", [(); 8].map(|()| rank()).join("/"))).collect()
}

/// What follows gzip data, and wrong checksums, after which no line is lost.
#[test]
fn padded_compressed_files_and_checksums() {
    let lines = random_fens(20_000).join(";25\n") + "\n";
    let gzip = gzip(&lines);
    let mut zstandard = zstd::Encoder::new(Vec::new(), 1).unwrap();
    zstandard.include_checksum(true).unwrap();
    std::io::Write::write_all(&mut zstandard, lines.as_bytes()).unwrap();
    let zstandard = zstandard.finish().unwrap();
    let run = |parts: &[&[u8]], code: i32, message: &str| {
        let arguments = ["--record=position", "--columns=line"];
        let assert = attacks(&arguments, parts.concat()).code(code).stderr(contains(message));
        stdout(&assert).lines().count()
    };
    let (all, twice) = ("positions: 20000,", "positions: 40000,");
    let zeros = vec![0; 70_000];
    assert_eq!(run(&[&gzip, &zeros], 0, all), 20_000);
    assert_eq!(run(&[&gzip, &zeros, &gzip], 0, twice), 40_000);
    // Other data is ignored with a warning, as `gzip` does.
    for garbage in [&b"garbage"[..], b"\x1fgarbage"] {
        let warning = "<stdin>: the data after the gzip data is ignored";
        assert_eq!(run(&[&gzip, &zeros[..7], garbage], 0, warning), 20_000);
    }
    for first in *b"PS_" {
        let skippable = [first, 0x2a, 0x4d, 0x18, 5, 0, 0, 0, b'h', b'e', b'l', b'l', b'o'];
        assert_eq!(run(&[&skippable, &zstandard], 0, all), 20_000);
    }
    let (start, sum) = gzip.split_at(gzip.len() - 8);
    assert_eq!(run(&[start, &[!sum[0]], &sum[1..]], 2, "checksum"), 20_000);
    let (start, sum) = zstandard.split_at(zstandard.len() - 1);
    let found = run(&[start, &[!sum[0]]], 2, "doesn't match checksum");
    assert!(found > 19_980, "{found} lines");
}

/// Before a stream fails, the rows before the failure are written, as lines are.
#[test]
fn rows_before_a_failure_are_written() {
    let fens = random_fens(9000);
    let with = |before: &str, after: &str| -> String {
        fens.iter().flat_map(|fen| [before, fen, after, "\n"]).collect()
    };
    let zstandard = |text: &str| zstd::encode_all(text.as_bytes(), 1).unwrap();
    // `lost` lines at most are in the bytes that are cut, or in the block of Zstandard before them.
    for (header, text) in [
        (0, with("", "")),
        (1, "fen\n".to_owned() + &with("", "")),
        (0, with("7,", ",8")),
        (0, with("7\t", "\t8")),
        (0, with("{\"fen\":\"", "\"}")),
        (0, with("\"", "\",")),
    ] {
        for (bytes, cut, lost) in
            [(gzip(&text), 1000, 100), (gzip(&text), 5, 10), (zstandard(&text), 10, 1700)]
        {
            let bytes = &bytes[..bytes.len() - cut];
            let arguments = ["--record=position", "--columns=line"];
            let assert = attacks(&arguments, bytes).code(2);
            let errors = stderr(&assert);
            let failure = errors.lines().last().unwrap();
            assert!(failure.starts_with("setwise: <stdin>: "), "{errors}");
            assert!(failure.contains("incomplete") || failure.contains("end"), "{errors}");
            let lines = json_lines(&stdout(&assert));
            assert!(lines.len() + lost > 9000, "{} {}", lines.len(), &text[..20]);
            for (number, line) in (header + 1..).zip(lines) {
                assert_eq!(line["line"], number);
            }
        }
    }
}

/// What people paste, and the positions in it. (The tests of FENs have the forms of one line.)
#[test]
fn pasted_text() {
    const A: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    const B: &str = "8/8/8/3q4/8/8/8/K6k b - - 3 9";
    let fens = |text: &str| -> Vec<String> {
        let arguments = ["--record=position", "--columns=fen", "--skip-bad"];
        let records = json_lines(&stdout(&attacks(&arguments, text)));
        records.iter().map(|record| record["fen"].as_str().unwrap().to_owned()).collect()
    };
    for form in [
        "1,#,20",
        "# Test\n#,0.5,Starting position",
        "fen;eval\n#;20",
        "position,score\n#,1",
        "    \"#\", // a comment, and more",
        "static const char* fens[] = {\n  \"#\",\n};",
        "{\"#\", 20},",
        "[\"#\",",
        "00008,#,f2g3 e6e7,1974,74,crushing,https://x",
    ] {
        let with = |fen: &str| form.replace('#', fen).replacen(&format!("{fen} Test"), "# Test", 1);
        let (a, b) = (with(A), with(B));
        // A header or a comment comes once.
        let b = b.rsplit('\n').next().unwrap().to_owned();
        let (a, b) = if form.starts_with("static") { (a.clone(), String::new()) } else { (a, b) };
        let found = fens(&format!("{a}\n{b}\n"));
        let expected = if b.is_empty() { &[A][..] } else { &[A, B] };
        assert_eq!(found, expected, "{form}");
    }
}

/// The number of legal moves, checks, mates and stalemates, in records of each kind and in each
/// format.
#[test]
fn legal_moves() {
    const COLUMNS: &str = "--columns=line,moves,check,mate,stalemate";
    let positions = [
        (START, "20,0,0,0"),
        ("rnb1kbnr/pppp1ppp/8/4p3/5PPq/8/PPPPP2P/RNBQKBNR w KQkq - 1 3", "0,1,1,0"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - -", "0,0,0,1"),
        // A double check; castling to both sides; en passant that would open the rank.
        ("4k3/8/8/8/1b6/8/4r3/4K3 w - -", "3,2,0,0"),
        ("4k3/8/8/8/8/8/8/1R2K2R w HB -", "26,0,0,0"),
        ("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3", "6,0,0,0"),
        // In a game, each side has a king.
        ("8/8/8/8/8/8/8/8 w - -", "0,255,0,0"),
    ];
    let input = positions.map(|(fen, _)| fen).join("\n") + "\n";
    for (record, per_position) in [("side", 2), ("position", 1), ("maps", 1)] {
        let rows = (1..).zip(positions).flat_map(|(line, (_, numbers))| {
            std::iter::repeat_n(format!("{line},{numbers}\n"), per_position)
        });
        let expected = "line,moves,check,mate,stalemate\n".to_owned() + &rows.collect::<String>();
        let arguments = ["--record", record, COLUMNS];
        assert_eq!(in_all_formats(&arguments, input.as_bytes()), expected, "{record}");
    }
    let lines = stdout(&attacks(&["--record=threats", COLUMNS], &*input).success());
    let expected = r#"{"line":2,"moves":0,"check":1,"mate":1,"stalemate":0}"#;
    assert_eq!(lines.lines().nth(1), Some(expected));
}
