//! Tests of the program `setwise-sql`: files, formats, exit codes.
#![allow(missing_docs)]

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use datafusion::arrow::ipc::writer::StreamWriter;
use parquet::arrow::ArrowWriter;
use setwise_positions::binpack::{Board, Entry, Move, Writer};
use setwise_positions::{Fen, Side};
use tempfile::TempDir;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_setwise-sql"))
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[track_caller]
fn good(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*errors), (Some(0), ""));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn bad(folder: &Path, arguments: &[&str], message: &str) {
    let output = run(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains(message) && !errors.contains('\0'), "{errors}");
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// A folder that contains `positions.parquet`.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let queens: ArrayRef = Arc::new(UInt64Array::from(vec![Some(1), None, Some(1 << 63)]));
    let occupied: ArrayRef = Arc::new(UInt64Array::from(vec![0x0302, 0, 0]));
    let fens = ["8/8/8/8/8/8/8/R6k", "8/8/8/8/8/8/8/8 w", "k7/8/8/8/8/8/8/7Q b - -"];
    let fens: ArrayRef = Arc::new(StringArray::from(fens.to_vec()));
    let columns = [("queens", queens), ("occupied", occupied), ("fen", fens)];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = File::create(folder.path().join("positions.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    folder
}

#[test]
fn formats() {
    let folder = folder();
    let query = "SELECT queen_attacks(queens, occupied) AS attacks FROM 'positions.parquet'";
    assert_eq!(good(folder.path(), &[query]), "attacks\n770\n\"\"\n9205534180971414145\n");
    let json = "{\"attacks\":770}\n{}\n{\"attacks\":9205534180971414145}\n";
    assert_eq!(good(folder.path(), &["--format", "json", query]), json);
    let table = good(folder.path(), &["--format", "table", "--threads", "1", query]);
    assert!(table.contains("| attacks ") && table.contains("| 770 "), "{table}");
    // A result without rows still has a header.
    let none = format!("{query} WHERE queens = 5");
    assert_eq!(good(folder.path(), &[&none]), "attacks\n");
    assert!(good(folder.path(), &["--format", "table", &none]).contains("| attacks |"));
}

/// The command line recommends this program for these files, and it reads and writes them.
#[test]
fn the_advice_of_the_command_line_is_true() {
    let folder = folder();
    let here = folder.path();
    good(here, &["COPY (SELECT fen FROM 'positions.parquet') TO 'file.arrow'"]);
    let fens: ArrayRef =
        Arc::new(StringArray::from(vec!["8/8/8/8/8/8/8/R6k", "k7/8/8/8/8/8/8/7Q"]));
    let batch = RecordBatch::try_from_iter([("fen", fens)]).unwrap();
    let file = File::create(here.join("stream.arrow")).unwrap();
    let mut writer = StreamWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    for (name, kind) in [
        ("positions.parquet", "Parquet"),
        ("file.arrow", "Arrow IPC"),
        ("stream.arrow", "Arrow IPC"),
    ] {
        let advice = setwise_positions::foreign(&fs::read(here.join(name)).unwrap()).unwrap();
        assert_eq!(advice, format!("{kind}: use setwise-sql or the Python package"));
        let query = format!("SELECT sum(popcount(fen_occupied(fen))) AS men FROM '{name}'");
        assert_eq!(good(here, &[&query]), "men\n4\n", "{name}");
    }
}

/// Messages of this program name what is right instead.
#[test]
fn its_own_advice_is_true() {
    let folder = folder();
    let here = folder.path();
    let names = ".parquet, .arrow, .csv, .json, .epd, .fen, .bin, .binpack, .bullet, .bf, .marlin, \
                 .viri, .vf, .data, .plain, or a folder of the first four";
    fs::write(here.join("text.txt"), "no").unwrap();
    bad(here, &["SELECT * FROM 'text.txt'"], names);
    for kind in ["parquet", "arrow", "csv", "json"] {
        let copy = format!("COPY (SELECT 'Kk6/8/8/8/8/8/8/8' AS fen) TO '{kind}/x.{kind}'");
        fs::create_dir(here.join(kind)).unwrap();
        let count = |from: &str| format!("SELECT count(*) AS n FROM '{from}'");
        let (file, folder) = (count(&format!("{kind}/x.{kind}")), count(&format!("{kind}/")));
        assert_eq!(good(here, &[&copy, &file, &folder]), "count\n1\nn\n1\nn\n1\n", "{kind}");
    }
    fs::write(here.join("text.bin"), "8/8/8/8/8/8/8/R6k w - -\n").unwrap();
    bad(here, &["SELECT * FROM 'text.bin'"], "it is text; name it .epd or .fen");
    for name in ["text.epd", "text.fen"] {
        fs::copy(here.join("text.bin"), here.join(name)).unwrap();
        assert_eq!(good(here, &[&format!("SELECT line FROM '{name}'")]), "line\n1\n");
    }
    bad(here, &["SELECT pawn_attacks('red', 256)"], "use one of white, black");
    for side in ["white", "black"] {
        good(here, &[&format!("SELECT pawn_attacks('{side}', 256)")]);
    }
    let copy = |to: &str| format!("COPY (SELECT 1 AS x) TO '{to}' STORED AS CSV");
    bad(here, &[&copy("parquet/")], "the folder is not empty; choose a new folder");
    good(here, &[&copy("new/")]);
    bad(here, &[&format!("EXPLAIN ANALYZE {}", copy("y.csv"))], "analyze its query");
    good(here, &["EXPLAIN ANALYZE SELECT 1 AS x"]);
}

#[test]
fn several_statements_and_files() {
    let folder = folder();
    let text = "
        CREATE VIEW attacks AS SELECT fen, fen_slider_attacks(fen, 'white') AS white FROM 'positions.parquet';
        COPY (SELECT * FROM attacks ORDER BY white) TO 'white.parquet';
        SELECT popcount(white) AS n FROM 'white.parquet' ORDER BY n;
    ";
    fs::write(folder.path().join("q.sql"), text).unwrap();
    let result = good(folder.path(), &["--file", "q.sql", "SELECT count(*) AS rows FROM attacks"]);
    assert_eq!(result, "count\n3\nn\n0\n14\n21\nrows\n3\n");
    let to_csv = "COPY (SELECT fen AS \"FEN\" FROM 'positions.parquet') TO 'fens.csv'";
    let from_csv = "SELECT sum(popcount(fen_occupied(\"FEN\"))) AS men FROM 'fens.csv'";
    assert_eq!(good(folder.path(), &[to_csv, from_csv]), "count\n3\nmen\n4\n");

    let mut command = Command::new(env!("CARGO_BIN_EXE_setwise-sql"));
    let query = File::open(folder.path().join("q.sql")).unwrap();
    let output = command.current_dir(&folder).arg("-").stdin(query).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "count\n3\nn\n0\n14\n21\n");
}

#[test]
fn errors_and_exit_codes() {
    let folder = folder();
    let here = folder.path();
    fs::write(here.join("x.txt"), "no").unwrap();
    fs::write(here.join("broken.parquet"), "no").unwrap();
    for (query, message) in [
        ("SELECT * FROM 'missing.parquet'", "the file `missing.parquet` does not exist"),
        ("SELECT * FROM 'missing.epd'", "the file `missing.epd` does not exist"),
        ("SELECT * FROM 'no/folder'", "the file `no/folder` does not exist"),
        ("SELECT * FROM 'no/folder/'", "there are no files in `no/folder/`"),
        ("SELECT * FROM 'missing*.parquet'", "no file matches `missing*.parquet`"),
        ("SELECT * FROM missing", "table 'datafusion.public.missing' not found"),
        ("SELECT * FROM 's3://bucket/x.csv'", "cannot read `s3://bucket/x.csv`"),
        ("SELECT * FROM 'x.txt'", "`x.txt` is not a table; expected a file .parquet"),
        ("SELECT * FROM 'broken.parquet'", "cannot read `broken.parquet`: Parquet"),
        ("SELECT queen_attack(1, 2)", "queen_attack"),
        ("SELECT queen_attacks(1)", "queen_attacks(queens, occupied) got 1 arguments"),
        ("SELECT fen_occupied('8/8')", "`8/8`: piece placement: "),
    ] {
        bad(here, &[query], message);
    }
    bad(here, &[], "required");
    bad(here, &["--file", "missing.sql"], "cannot read missing.sql");
    bad(here, &["--set", "nonsense=1", "SELECT 1"], "nonsense");
    bad(here, &["--set", "nonsense", "SELECT 1"], "NAME=VALUE");
    bad(here, &["--threads", "0", "SELECT 1"], "--threads");
    let mut command = Command::new(env!("CARGO_BIN_EXE_setwise-sql"));
    let output = command.arg("SELECT 1").env("SETWISE_FORCE_KERNEL", "abacus").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("abacus"));
}

/// A long sum is nested deeply. Without a limit, the stack would overflow.
#[test]
fn long_expressions() {
    let folder = TempDir::new().unwrap();
    let sum = |terms: usize, term: &str| {
        let sum = vec![term; terms].join(" + ");
        fs::write(folder.path().join("sum.sql"), format!("SELECT 7, ({sum}) AS n")).unwrap();
        ["--file", "sum.sql"]
    };
    assert_eq!(good(folder.path(), &sum(300, "1")), "Int64(7),n\n7,300\n");
    for term in ["1", "coalesce(1, 2)"] {
        let error = "an expression has more than 4000 operators";
        bad(folder.path(), &sum(20_001, term), error);
    }
    // Values of a list are not nested.
    let list = vec!["1"; 5000].join(", ");
    fs::write(folder.path().join("in.sql"), format!("SELECT 1 IN ({list}) AS n")).unwrap();
    assert_eq!(good(folder.path(), &["--file", "in.sql"]), "n\ntrue\n");
}

/// Names of files, arguments and contents reach no terminal raw.
#[test]
#[cfg(unix)]
fn messages_are_printable() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let evil = "\u{1b}]0;x\u{7}";
    let member = |name: &str, rest: &[u8]| {
        let mut gzip = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
        gzip.write_all(b"8/8/8/8/8/8/8/8\n").unwrap();
        fs::write(here.join(name), [&gzip.finish().unwrap(), rest].concat()).unwrap();
    };
    member(&format!("{evil}.epd.gz"), b"garbage");
    fs::write(here.join(format!("{evil}.epd")), format!("{evil}\n")).unwrap();
    fs::write(here.join(format!("{evil}.parquet")), "no").unwrap();
    for (arguments, escaped) in [
        (&[&*format!("SELECT * FROM '{evil}.epd'")][..], true),
        (&[&format!("SELECT * FROM '{evil}.epd.gz'")], true),
        (&[&format!("SELECT * FROM '{evil}.parquet'")], true),
        (&[&format!("SELECT * FROM 'none{evil}.epd'")], true),
        (&[&format!("SELECT \"{evil}\"")], true),
        (&[&format!("SELECT fen_occupied('{evil}')")], false),
        (&[&format!("COPY (SELECT 1) TO 'x.csv' OPTIONS ('{evil}' '1')")], false),
        (&["--file", evil], true),
        (&["--set", evil, "SELECT 1"], true),
        (&[&format!("--{evil}")], true),
    ] {
        let output = run(here, arguments);
        let errors = String::from_utf8(output.stderr).unwrap();
        let is_raw = errors.contains(|c: char| c.is_control() && c != '\n');
        assert!(!is_raw && !errors.is_empty(), "{errors:?}");
        assert!(!escaped || errors.contains("\\u{1b}]0;x\\u{7}"), "{errors}");
    }
}

/// Writes files in their formats, and reads them as tables.
#[test]
fn position_files_are_tables() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let text = "# a comment\n8/8/8/8/8/8/8/R6k w - - bm Ra2;\n\nk7/8/8/8/8/8/8/7Q b\n";
    for name in ["x.epd", "X.FEN"] {
        fs::write(here.join(name), text).unwrap();
        let query = format!("SELECT line, fen, white_rooks, black_kings FROM '{name}'");
        let expected = "line,fen,white_rooks,black_kings\n2,8/8/8/8/8/8/8/R6k w - -,1,128\n\
            4,k7/8/8/8/8/8/8/7Q b,0,72057594037927936\n";
        assert_eq!(good(here, &[&query]), expected);
    }
    // 100,000 rows stay in the order of the file, even if several threads filter them.
    let line = "8/8/8/8/8/8/8/R6k w - -\n";
    fs::write(here.join("long.epd"), line.repeat(100_000)).unwrap();
    let query = "SELECT line FROM 'long.epd' WHERE popcount(white_rooks) = 1 ORDER BY line";
    let lines = good(here, &["--threads", "4", query]);
    let expected: Vec<String> = (1..=100_000).map(|line| line.to_string()).collect();
    assert_eq!(lines, format!("line\n{}\n", expected.join("\n")));
    let plan = good(here, &["--threads", "4", &format!("EXPLAIN FORMAT INDENT {query}")]);
    assert!(!plan.contains("SortExec"), "{plan}");
    // With LIMIT, the reader stops early.
    assert_eq!(good(here, &["SELECT line FROM 'long.epd' LIMIT 2"]), "line\n1\n2\n");

    let mut records = vec![];
    for (n, row) in [(1_u8, 0_i16), (2, -5)] {
        let mut record = [0; 32];
        record[..8].copy_from_slice(&[1, 0, 0, 0, 0, 0, 0, 128]); // pieces on a1 and h8
        record[8] = 0xd3; // white rook, black king
        record[28..30].copy_from_slice(&row.to_le_bytes());
        record[26..28].copy_from_slice(&u16::from(n).to_le_bytes());
        record[30] = n - 1;
        record[24] = 64;
        records.extend(record);
    }
    // A game of two moves: a record with a different result, each move with its score, and four
    // zero bytes.
    let mut game = records[..32].to_vec();
    game[30] = 2;
    for (from, to, score) in [(0_u16, 8, -7_i16), (63, 62, 9)] {
        game.extend_from_slice(&(from | (to << 6)).to_le_bytes());
        game.extend_from_slice(&score.to_le_bytes());
    }
    game.extend([0; 4]);
    let h8 = 1_u64 << 63;
    for (name, bytes, rows) in [
        ("x.bin", &records, [format!("1,1,{h8},0,0"), format!("2,1,{h8},-5,1")]),
        ("x.bf", &records, [format!("1,1,{h8},0,0"), format!("2,1,{h8},-5,1")]),
        ("game.vf", &game, [format!("1,1,{h8},-7,2"), format!("2,256,{h8},9,2")]),
    ] {
        fs::write(here.join(name), bytes).unwrap();
        let columns = "line,white_rooks,black_kings,score,result";
        let rows = format!("{columns}\n{}\n", rows.join("\n"));
        assert_eq!(good(here, &[&format!("SELECT {columns} FROM '{name}'")]), rows, "{name}");
    }
    // The extension decides if a record fits two formats.
    let mut both = vec![0; 32];
    (both[0], both[7], both[8], both[24], both[26], both[28]) = (1, 0x10, 0xd5, 64, 1, 4);
    for name in ["both.bf", "both.bin"] {
        fs::write(here.join(name), &both).unwrap();
    }
    assert_eq!(good(here, &["SELECT line, score FROM 'both.bf'"]), "line,score\n1,64\n");
    let either =
        "both.bin: it could be bulletformat (name it .bf) or marlinformat (name it .marlin)";
    bad(here, &["SELECT line FROM 'both.bin'"], either);
    fs::copy(here.join("both.bin"), here.join("both.marlin")).unwrap();
    assert_eq!(good(here, &["SELECT line, score FROM 'both.marlin'"]), "line,score\n1,4\n");
    // An empty file has no rows, but all columns.
    for (name, columns) in [("empty.epd", "line,fen"), ("empty.bin", "line,score,result")] {
        fs::write(here.join(name), "").unwrap();
        let query = format!("SELECT {columns} FROM '{name}'");
        assert_eq!(good(here, &[&query]), format!("{columns}\n"));
    }

    let mut gzip = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    gzip.write_all(line.repeat(3).as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    fs::write(here.join("x.epd.gz"), [&gzip[..], &gzip].concat()).unwrap();
    fs::write(here.join("x.bin.zst"), zstd::encode_all(&records[..], 1).unwrap()).unwrap();
    for (name, rows) in [("x.epd.gz", 6), ("x.bin.zst", 2)] {
        let query = format!("SELECT max(line) AS n FROM '{name}' WHERE black_kings > 0");
        assert_eq!(good(here, &[&query]), format!("n\n{rows}\n"));
    }
    fs::write(here.join("cut.epd.gz"), &gzip[..gzip.len() - 9]).unwrap();
    bad(here, &["SELECT count(fen) FROM 'cut.epd.gz'"], "cut.epd.gz: ");
}

#[test]
fn binpack() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let start = Fen::parse(b"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
    let mut board = Board::new(start.placement(), Side::White, [false; 4], None, 0).unwrap();
    let mut writer = Writer::new(vec![]);
    for (ply, (from, to, score, result)) in (30..).zip([(12, 28, 75, 1), (60, 52, -80, -1)]) {
        let code = Move::new(from, to, None);
        writer.push(&Entry::new(board, code, score, result, ply)).unwrap();
        board.play(code).unwrap();
    }
    let mut bytes = writer.finish().unwrap();
    for name in ["x.binpack", "x.bin"] {
        fs::write(here.join(name), &bytes).unwrap();
        let columns = "line,white_pawns,score,result,ply,move";
        let expected = "\n1,4096,75,2,30,e2e4\n2,268435456,80,2,31,e8e7\n";
        let query = format!("SELECT {columns} FROM '{name}'");
        assert_eq!(good(here, &[&query]), format!("{columns}{expected}"));
    }
    bytes.truncate(bytes.len() - 1);
    fs::write(here.join("cut.binpack"), &bytes).unwrap();
    bad(here, &["SELECT max(fen) FROM 'cut.binpack'"], "cut.binpack: ");
}

/// The error names the file and, where there is one, the line or record.
#[test]
fn bad_position_files() {
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    let line = "8/8/8/8/8/8/8/R6k w - -\n";
    let mut record = [0; 32];
    record[..9].copy_from_slice(&[1, 0, 0, 0, 0, 0, 0, 128, 0xd3]);
    record[24] = 64;
    let many = record.repeat(3000);
    for (name, bytes, message) in [
        ("rank.epd", format!("{line}8/8\n").into_bytes(), "2: piece placement: 2 ranks"),
        ("nul.epd", format!("{line}8/8/8/8/8/8/8/R6k\0w\n").into_bytes(), "2: "),
        ("long.fen", format!("{line}{}\n", "8".repeat(1 << 20)).into_bytes(), "2: line: "),
        ("zeros.bin", vec![0; 64], "expected whole records of bulletformat or marlinformat, games"),
        ("cut.bin", many[..50].to_vec(), "expected whole records of bulletformat"),
        ("cut-late.bin", many[..95_990].to_vec(), "3000: record: it has 22 of 32 bytes"),
        ("text.bin", line.into(), "it is text; name it .epd or .fen"),
    ] {
        fs::write(here.join(name), bytes).unwrap();
        for query in ["SELECT * FROM '#' ORDER BY fen", "SELECT sum(line), max(fen) FROM '#'"] {
            bad(here, &[&query.replace('#', name)], &format!("{name}: {message}"));
        }
    }
    bad(here, &["SELECT * FROM '*.epd'"], "the file `*.epd` does not exist");
    fs::create_dir(here.join("folder.epd")).unwrap();
    bad(here, &["SELECT * FROM 'folder.epd'"], "folder.epd: ");
    let copy = "COPY (SELECT fen FROM 'rank.epd') TO 'out.parquet'";
    bad(here, &[copy], "rank.epd: 2: piece placement");
    assert!(!here.join("out.parquet").exists());
}

/// A COPY that fails leaves no new file, and does not change an existing one.
#[test]
fn a_failed_copy_writes_nothing() {
    let folder = folder();
    let here = folder.path();
    let count = || fs::read_dir(here).unwrap().count();
    fs::write(here.join("bad.csv"), "fen\n8/8/8/8/8/8/8/8\n8/8\n").unwrap();
    let copy = |to: &str| format!("COPY (SELECT fen_occupied(fen) AS o FROM 'bad.csv') TO {to}");
    for target in ["'out.parquet'", "'out/' STORED AS PARQUET"] {
        bad(here, &[&copy(target)], "`8/8`");
        assert_eq!(count(), 2, "bad.csv and positions.parquet");
    }
    let good_folder = "COPY (SELECT fen FROM 'positions.parquet') TO 'out/' STORED AS PARQUET";
    assert_eq!(good(here, &[good_folder]), "count\n3\n");
    bad(here, &[good_folder], "the folder is not empty; choose a new folder");
    assert_eq!(count(), 3, "no staging folder");
    bad(here, &["COPY (SELECT 1) TO '/' STORED AS CSV"], "expected the name of a file");
    bad(here, &["COPY (SELECT 1) TO 's3://bucket/x.csv'"], "expected the path of a file or folder");
    bad(here, &["COPY (SELECT 1) TO 'x.csv' OPTIONS ('format.tail' 'x')"], "tail");
    fs::write(here.join("out.parquet"), "before").unwrap();
    bad(here, &[&copy("'out.parquet'")], "nothing was written to out.parquet");
    let analyze = format!("EXPLAIN ANALYZE {}", copy("'out.parquet'"));
    bad(here, &[&analyze], "EXPLAIN ANALYZE of COPY would write in place");
    assert_eq!(fs::read(here.join("out.parquet")).unwrap(), b"before");
}

/// The name of the target, or of its folder, contains characters that have a meaning in wildcards,
/// URLs or partitions.
#[test]
fn copies_to_unusual_names() {
    let folder = TempDir::new().unwrap();
    let here = folder.path().join("a[1]=b %41");
    fs::create_dir(&here).unwrap();
    let mut names = vec!["a[1].csv", "b#1.x.csv", "c=d/", "e%20 f.csv", "g."];
    if cfg!(unix) {
        names.extend(["h?.csv", "i*/"]);
    }
    for name in &names {
        good(&here, &[&format!("COPY (SELECT 1 AS x) TO '{name}' STORED AS CSV")]);
    }
    let found = fs::read_dir(&here).unwrap().map(|entry| entry.unwrap().file_name());
    let mut found: Vec<_> = found.map(|name| name.into_string().unwrap()).collect();
    found.sort();
    assert_eq!(found, names.iter().map(|name| name.trim_end_matches('/')).collect::<Vec<_>>());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "files beside the folder");
}

/// Whether this process and its children ignore a signal: HUP under `nohup`, INT in the background
/// of a script. `false` without `/proc`.
#[cfg(unix)]
fn is_ignored(number: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
    (mask >> (number - 1)) & 1 == 1
}

#[cfg(unix)]
fn send(number: i32, to: &Child) {
    let kill = Command::new("kill").args([format!("-{number}"), to.id().to_string()]).status();
    assert!(kill.unwrap().success());
}

#[cfg(unix)]
fn wait<T>(what: &str, mut result: impl FnMut() -> Option<T>) -> T {
    for _ in 0..12_000 {
        if let Some(result) = result() {
            return result;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("not within two minutes: {what}");
}

/// SIGINT, SIGTERM and SIGHUP end a COPY, which leaves neither a target nor a staging folder.
#[test]
#[cfg(unix)]
fn signals_end_a_copy() {
    let rows = "SELECT value FROM generate_series(1, 1000000000000)";
    let cases = [(2, "x.csv"), (15, "x/"), (1, "y.csv")];
    for (signal, target) in cases.into_iter().filter(|(signal, _)| !is_ignored(*signal)) {
        let folder = TempDir::new().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_setwise-sql"))
            .current_dir(folder.path())
            .arg(format!("COPY ({rows}) TO '{target}' STORED AS CSV"))
            .spawn()
            .unwrap();
        wait("a file is in the staging folder", || {
            let staging = fs::read_dir(folder.path()).unwrap().next()?.unwrap().path();
            let output = fs::read_dir(staging).ok()?.next()?.ok()?.path();
            (output.is_file() || fs::read_dir(output).ok()?.next().is_some()).then_some(())
        });
        send(signal, &child);
        let status = wait("the program ends", || child.try_wait().unwrap());
        assert_eq!(status.code(), Some(128 + signal));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{target}");
    }
}

/// A signal ends a program that waits for the reader of its output. An ignored signal stays
/// ignored.
#[test]
#[cfg(unix)]
fn signals_end_a_program_that_waits() {
    let mut child = Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_setwise-sql")])
        .arg("SELECT value FROM generate_series(1, 1000000000000)")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0; 1024]).unwrap();
    // If the program handled SIGHUP, it would end here.
    if cfg!(target_os = "linux") {
        send(1, &child);
        out.read_exact(&mut vec![0; 1 << 20]).unwrap();
    }
    // The pipe is full now, or will be soon.
    send(15, &child);
    let status = wait("the program ends", || child.try_wait().unwrap());
    assert_eq!(status.code(), Some(143));
}

#[test]
#[cfg(unix)]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    fs::create_dir_all(here.join("elsewhere/empty")).unwrap();
    let file = here.join("elsewhere/y.csv");
    fs::write(&file, "before").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    symlink("elsewhere/y.csv", here.join("x.csv")).unwrap();
    good(here, &["COPY (SELECT 1 AS x) TO 'x.csv'"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "x\n1\n");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(here.join("x.csv").is_symlink());
    symlink("elsewhere/empty", here.join("link")).unwrap();
    good(here, &["COPY (SELECT 1 AS x) TO 'link/' STORED AS CSV"]);
    assert_eq!(fs::read_dir(here.join("elsewhere/empty")).unwrap().count(), 1);
    // A link need not lead to a file yet, but it must lead somewhere.
    symlink("elsewhere/new/../../missing.csv", here.join("y.csv")).unwrap();
    symlink("y.csv", here.join("z.csv")).unwrap();
    fs::create_dir(here.join("elsewhere/new")).unwrap();
    good(here, &["COPY (SELECT 1 AS x) TO 'z.csv'"]);
    assert_eq!(fs::read_to_string(here.join("missing.csv")).unwrap(), "x\n1\n");
    assert!(here.join("y.csv").is_symlink() && here.join("z.csv").is_symlink());
    symlink("loop.csv", here.join("loop.csv")).unwrap();
    bad(here, &["COPY (SELECT 1 AS x) TO 'loop.csv'"], "COPY cannot write to loop.csv: ");
    assert!(Command::new("mkfifo").arg(here.join("x.epd")).status().unwrap().success());
    bad(here, &["SELECT * FROM 'x.epd'"], "expected a regular file");
}

/// Each query of a session lists a folder again, and COPY has options.
#[test]
fn copies_of_a_session() {
    let folder = TempDir::new().unwrap();
    let (copy, count) = ("COPY (SELECT 1 AS x) TO", "SELECT count(*) AS n FROM 'in/'");
    let text = format!("{copy} 'in/x.csv'; {count}; {copy} 'in/y.csv'; {count}");
    assert_eq!(good(folder.path(), &[&text]), "count\n1\nn\n1\ncount\n1\nn\n2\n");
    let query = "COPY (SELECT 1 AS x, 2 AS y) TO 'out/' STORED AS CSV PARTITIONED BY (y) OPTIONS \
                 ('format.delimiter' ';', 'execution.keep_partition_by_columns' 'true')";
    good(folder.path(), &[query]);
    let file = fs::read_dir(folder.path().join("out/y=2")).unwrap().next().unwrap().unwrap();
    assert_eq!(fs::read_to_string(file.path()).unwrap(), "x;y\n1;2\n");
}

#[test]
fn functions_are_listed() {
    let text = good(Path::new("."), &["--functions"]);
    for line in ["queen_attacks(queens, occupied)", "    -> a struct of UInt64: pinned, pinners"] {
        assert!(text.lines().any(|found| found == line), "{text}");
    }
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_is_not_an_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_setwise-sql"))
        .arg("SELECT value FROM generate_series(1, 3000000)")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
}
