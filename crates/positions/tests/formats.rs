//! The list of formats: the table of the documentation, and which text is which format.
#![cfg(feature = "tables")] // Otherwise, the list is not whole.

use std::fs;
use std::io::{self, Read};

use setwise_positions::{Batch, Block, Blocks, Detected, Format, Value};

/// The table of formats in `docs/data.md` is that of the list. `SETWISE_BLESS=1` writes it.
#[test]
fn the_documented_table_is_that_of_the_list() {
    const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/data.md");
    let mut table =
        String::from("| format | `--format` | extensions | values |\n|---|---|---|---|\n");
    for format in Format::ALL {
        let quoted = |words: &[&str], dot| {
            let words: Vec<_> = words.iter().map(|word| format!("`{dot}{word}`")).collect();
            words.join(", ")
        };
        let options = [&[format.option()], format.aliases()].concat();
        let values = [Value::Score, Value::Result, Value::Move, Value::Ply];
        let values = values.into_iter().filter(|value| format.values().contains(value));
        let values: Vec<_> = values.map(|value| format!("{value:?}").to_lowercase()).collect();
        let name = format.name();
        let (options, extensions) = (quoted(&options, ""), quoted(format.extensions(), "."));
        let values = if values.is_empty() { "-".into() } else { values.join(", ") };
        table.extend(["| ", name, " | ", &options, " | ", &extensions, " | ", &values, " |\n"]);
    }
    let document = fs::read_to_string(PATH).unwrap();
    let (start, end) = ("<!-- formats -->\n", "<!-- end of formats -->");
    let (before, rest) = document.split_once(start).expect("the table's start");
    let (found, after) = rest.split_once(end).expect("the table's end");
    if std::env::var_os("SETWISE_BLESS").is_some() {
        fs::write(PATH, [before, start, &table, end, after].concat()).unwrap();
        return;
    }
    assert_eq!(found, table, "run this test with SETWISE_BLESS=1");
}

/// No two formats share a name, a word or an extension.
#[test]
fn names_are_unique() {
    let words = |format: &Format| [&[format.option()], format.aliases()].concat();
    let mut words: Vec<&str> = Format::ALL.iter().flat_map(words).collect();
    let mut extensions: Vec<&str> =
        Format::ALL.iter().flat_map(|format| format.extensions()).copied().collect();
    for list in [&mut words, &mut extensions] {
        let count = list.len();
        list.sort_unstable();
        list.dedup();
        assert_eq!(list.len(), count);
    }
}

#[test]
fn a_byte_order_mark_hides_nothing() {
    for mark in ["", "\u{feff}"] {
        let detect = |text: &str| Format::detect(format!("{mark}{text}").as_bytes(), true);
        assert_eq!(detect("fen,score\n"), Detected::One(Format::Csv));
        assert!(matches!(detect("1. e4\n"), Detected::NotRead(_)));
        assert_eq!(detect("8/8/8/8/8/8/8/8\n"), Detected::One(Format::Text));
        assert_eq!(detect("{\"fen\": 1}\n"), Detected::One(Format::JsonLines));
    }
}

/// The output of `setwise attacks` is refused by the names of its columns, and no other table is.
#[test]
fn columns_of_other_programs_are_not_boards() {
    let detect = |names: &str| {
        let table = format!("fen,{names}\n8/8/8/8/8/8/8/8 w - -,1\n");
        Format::detect(table.as_bytes(), true)
    };
    for name in ["slider_attacks", "white_king_attacks", "black_occupied", "attacks"] {
        assert!(matches!(detect(name), Detected::NotRead(_)), "{name}");
    }
    for name in ["num_attacks", "_attacks", "white_attacks_count", "king_zone_attacks"] {
        assert_eq!(detect(name), Detected::One(Format::Csv), "{name}");
    }
}

/// A reader that returns a byte at a time.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(1);
        self.0.read(&mut buffer[..most])
    }
}

/// The column of the FENs does not depend on how many bytes a read returns, even if a value in the
/// header has several lines.
#[test]
fn reads_of_one_byte_find_the_same_column() {
    for text in [
        "position,\"a name of more than 32 bytes,\nin\nlines\",fen\n1,2,8/8/8/8/8/8/8/8 w - -\n",
        "# \"\nposition;\"a name of more than 32 bytes\nin lines\"\n1;8/8/8/8/8/8/8/8 w - -\n",
    ] {
        let mut stream = Slow(text.as_bytes());
        let (detected, start) = Format::detect_file(&mut stream, "".as_ref()).unwrap();
        assert_eq!(detected, Detected::One(Format::Csv));
        let mut blocks = Blocks::of(Format::Csv, Slow(&start).chain(stream));
        let (mut block, mut batch) = (Block::default(), Batch::default());
        while blocks.next(&mut block).unwrap() {
            batch.read_block(Format::Csv, &block);
        }
        assert_eq!((batch.len(), batch.errors()), (1, &[][..]), "{text}");
    }
}

#[test]
fn a_table_without_fens_names_its_columns() {
    for (text, columns) in [
        ("a,b\n1,2\n", Some("`a`, `b`")),
        ("# x\n\"White name\";Elo;Result\nA;1;2\n", Some("`White name`, `Elo`, `Result`")),
        ("a\tb\n1\t2\n", Some("`a`, `b`")),
        // Lines: bad ones are reported one by one.
        ("a\n1\n", None),
        ("a,b\n1\n", None),
        ("a,b\n", None),
        ("a,b\n1,2\n8/8/8/8/8/8/8/8\n", None),
        ("8/8 w,1\n8/8 w,2\n", None),
    ] {
        let expected = columns.map_or(Detected::One(Format::Text), |columns| {
            let what = "this looks like a table, but no column has FENs; its columns are ";
            Detected::NotRead(format!("{what}{columns}"))
        });
        assert_eq!(Format::detect(text.as_bytes(), true), expected, "{text}");
    }
}

#[test]
fn logs_of_servers_are_not_pgn() {
    let is_pgn = |text: &str| {
        let detected = Format::detect(text.as_bytes(), true);
        matches!(detected, Detected::NotRead(what) if what.contains("PGN"))
    };
    for text in ["[Event \"a\"]\n", "[White_Elo\t\"1\"]\n", "; a\n[Event  \"?\"]\n1. e4\n"] {
        assert!(is_pgn(text), "{text}");
    }
    for text in [
        "[Wed Oct 11 14:32:52 2023] [error] [client ::1] File does not exist\n",
        "[INFO] ready\n",
        "[Nov 28 10:00:00] \"GET /\" 200\n",
        "127.0.0.1 - - [10/Oct/2023:13:55:36 -0700] \"GET / HTTP/1.0\" 200 2326\n",
    ] {
        assert!(!is_pgn(text), "{text}");
    }
}

/// The FENs, the lines of the errors, and the note of a table.
#[track_caller]
fn read_table(text: &str) -> (Vec<String>, Vec<u64>, Option<String>) {
    assert_eq!(Format::detect(text.as_bytes(), true), Detected::One(Format::Csv), "{text}");
    let mut blocks = Blocks::of(Format::Csv, text.as_bytes());
    let (mut block, mut batch, mut note) = (Block::default(), Batch::default(), None);
    while blocks.next(&mut block).unwrap() {
        note = note.or(block.note.take());
        batch.read_block(Format::Csv, &block);
    }
    let errors = batch.errors().iter().map(|error| error.line).collect();
    (batch.fens().map(str::to_owned).collect(), errors, note)
}

/// Tables of Markdown, `psql` and `mysql`: the lines that rule them are no rows, and neither is the
/// last line of `psql`.
#[test]
fn tables_with_bars() {
    let (a, b) = ("8/8/8/8/p7/8/8/R1k5 w - - 0 1", "8/8/8/8/8/8/8/8 b - - 3 20");
    for (text, note) in [
        ("| n | fen | best |\n|--:|-----|------|\n| 1 | A | Kd2, h4 |\n| 2 | B | |\n", None),
        ("|n|fen|best|\n|-|-|-|\n|1|`A`|Kd2|\n|2|`B`||\n", None),
        ("# Positions\n\n| id | fen |\n|:---|:---:|\n| x | A |\n| y | B |\n", None),
        ("fen | eval\n--- | ---\nA | +0.3\nB | -1\n", None),
        (" id |  fen  | cp \n----+-------+----\n  1 | A | 12\n  2 | B |   \n(2 rows)\n\n", None),
        ("+----+-----+\n| id | fen |\n+----+-----+\n|  1 | A |\n|  2 | B |\n+----+-----+\n", None),
        ("  fen  \n-------\n A\n B\n(2 rows)\n", None),
        ("| id | what |\n| --- | --- |\n| 1 | A |\n| 2 | B |\n", Some("column 2, `what`")),
        (" id | what \n----+------\n 1 | A\n 2 | B\n", Some("column 2, `what`")),
        ("1|A|x\n2|B|y\n", Some("column 2")),
        // As pandas writes it: an index without a name, and a value of several lines.
        ("|game|fen_x\n0|\"a\nb|c\"|A\n1|\"d\"|B\n", Some("column 3, `fen_x`")),
        ("| n | fen |\n|---|---|\n|\"a|A|\n|b|B|\n", None),
        ("|1|A|x|\n|2|B|y|\n", Some("column 2")),
    ] {
        for end in ["\n", "\r\n"] {
            let table = text.replace('\n', end).replace('A', a).replace('B', b);
            let (fens, errors, found) = read_table(&table);
            assert_eq!((&fens[..], &errors[..]), (&[a.to_owned(), b.to_owned()][..], &[][..]));
            let expected = note.map(|note| format!("the FENs are in {note}"));
            assert_eq!(found, expected, "{table}");
        }
    }
    // A row without a FEN is bad, also if a dash stands in another column.
    let (fens, errors, _) =
        read_table(&format!("| fen | cp |\n|---|---|\n|  | - |\n| {a} | 1 |\n"));
    assert_eq!((&fens[..], &errors[..]), (&[a.to_owned()][..], &[3][..]));
    // A FEN with a score is a line, not a row, and a drawn board is neither.
    for text in [format!("{a} | 25 | 0.5\n"), format!("| r | n |\n+---+---+\n| . | . |\n{a}\n")] {
        assert_eq!(Format::detect(text.as_bytes(), true), Detected::One(Format::Text), "{text}");
    }
    let Detected::NotRead(why) = Format::detect(b"| a | b |\n|---|---|\n| 1 | 2 |\n", true) else {
        panic!("a table without FENs");
    };
    assert!(why.ends_with("no column has FENs; its columns are `a`, `b`"), "{why}");
}

/// A value that is missing is a bad row, however its program writes it.
#[test]
fn missing_values_are_bad_rows() {
    for missing in ["", "NA", "N/A", "n/a", "null", "NULL", "None", "nan", "NaN", "\\N", "\"\""] {
        for (separator, quote) in [(",", "\""), ("\t", ""), (";", ""), ("|", "`")] {
            let rows = ["id~fen~cp", "1~QFENQ~2", "2~NA~3", "3~QFENQ~4"].join("\n");
            let fen = "8/8/8/8/p7/8/8/R1k5 w - - 0 1";
            let table = rows.replace("NA", missing).replace('~', separator);
            let table = table.replace("QFENQ", &format!("{quote}{fen}{quote}"));
            let (fens, errors, _) = read_table(&table);
            assert_eq!((fens.len(), &errors[..]), (2, &[3][..]), "{table}");
            let mut blocks = Blocks::of(Format::Csv, table.as_bytes());
            let (mut block, mut batch) = (Block::default(), Batch::default());
            assert!(blocks.next(&mut block).unwrap());
            batch.read_block(Format::Csv, &block);
            assert_eq!(batch.errors()[0].to_string(), "3: piece placement: it is missing");
        }
    }
}

/// PGN by its first tag, also if the tag's name is not of the standard. Logs are not PGN.
#[test]
fn unusual_tags_of_pgn() {
    for name in ["Event", "Event-Date", "event", "White.Elo", "X/Y", "Date:"] {
        let text = format!("[{name} \"x\"]\n\n1. e4 e5 *\n");
        let found = Format::detect(text.as_bytes(), true);
        assert!(matches!(found, Detected::NotRead(_)), "{name}");
    }
    let fen = "8/8/8/8/p7/8/8/R1k5 w - -";
    for start in ["[Info] \"x\"", "[info: x]", "[2024-01-01 \"x\"]", "[a,\"x\"]", "[a{\"x\"}"] {
        let text = format!("{start}\n{fen}\n");
        assert!(matches!(Format::detect(text.as_bytes(), true), Detected::One(_)), "{text}");
    }
}
