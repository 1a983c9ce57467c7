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
