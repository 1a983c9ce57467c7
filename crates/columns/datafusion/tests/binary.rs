//! Tests of the program `setwise-sql`: files, formats, exit codes.
#![allow(missing_docs)]

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use parquet::arrow::ArrowWriter;
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
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert_eq!(errors, "");
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn bad(folder: &Path, arguments: &[&str], message: &str) {
    let output = run(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains(message), "{errors}");
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// A folder that contains `positions.parquet`.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let queens: ArrayRef = Arc::new(UInt64Array::from(vec![Some(1), None, Some(1 << 63)]));
    let occupied: ArrayRef = Arc::new(UInt64Array::from(vec![0x0302, 0, 0]));
    let fens: ArrayRef = Arc::new(StringArray::from(vec![
        "8/8/8/8/8/8/8/R6k",
        "8/8/8/8/8/8/8/8 w",
        "k7/8/8/8/8/8/8/7Q b - -",
    ]));
    let batch =
        RecordBatch::try_from_iter([("queens", queens), ("occupied", occupied), ("fen", fens)])
            .unwrap();
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
    assert_eq!(
        good(folder.path(), &["--format", "json", query]),
        "{\"attacks\":770}\n{}\n{\"attacks\":9205534180971414145}\n"
    );
    let table = good(folder.path(), &["--format", "table", "--threads", "1", query]);
    assert!(table.contains("| attacks ") && table.contains("| 770 "), "{table}");
    // A result without rows still has a header.
    let none = format!("{query} WHERE queens = 5");
    assert_eq!(good(folder.path(), &[&none]), "attacks\n");
    assert!(good(folder.path(), &["--format", "table", &none]).contains("| attacks |"));
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
    good(folder.path(), &["COPY (SELECT fen FROM 'positions.parquet') TO 'fens.csv'"]);
    let from_csv = "SELECT sum(popcount(fen_occupied(fen))) AS men FROM 'fens.csv'";
    assert_eq!(good(folder.path(), &[from_csv]), "men\n4\n");

    let mut child = Command::new(env!("CARGO_BIN_EXE_setwise-sql"))
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"SELECT popcount(255) AS n").unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, b"n\n8\n");
}

#[test]
fn errors_and_exit_codes() {
    let folder = folder();
    let here = folder.path();
    bad(here, &[], "required");
    bad(here, &["--format", "xml", "SELECT 1"], "xml");
    for name in ["missing.parquet", "missing.epd", "no/folder"] {
        let message = format!("the file `{name}` does not exist");
        bad(here, &[&format!("SELECT * FROM '{name}'")], &message);
    }
    bad(here, &["SELECT * FROM 'no/folder/'"], "there are no files in `no/folder/`");
    bad(here, &["SELECT * FROM 'missing*.parquet'"], "no file matches `missing*.parquet`");
    bad(here, &["SELECT * FROM missing"], "table 'datafusion.public.missing' not found");
    fs::write(here.join("x.txt"), "no").unwrap();
    bad(here, &["SELECT * FROM 'x.txt'"], "`x.txt` is not a table; expected");
    bad(here, &["SELEC 1"], "SELEC");
    bad(here, &["SELECT queen_attack(1, 2)"], "queen_attack");
    bad(here, &["SELECT queen_attacks(1)"], "queen_attacks(queens, occupied) got 1 arguments");
    bad(here, &["SELECT fen_occupied('8/8')"], "`8/8`: piece placement: ");
    bad(here, &["--file", "missing.sql"], "cannot read missing.sql");
    bad(here, &["--set", "nonsense=1", "SELECT 1"], "nonsense");
    bad(here, &["--set", "nonsense", "SELECT 1"], "NAME=VALUE");
    bad(here, &["--threads", "0", "SELECT 1"], "--threads");
    fs::write(here.join("broken.parquet"), "no").unwrap();
    bad(here, &["SELECT * FROM 'broken.parquet'"], "cannot read `broken.parquet`: Parquet");
    let output = Command::new(env!("CARGO_BIN_EXE_setwise-sql"))
        .arg("SELECT 1")
        .env("SETWISE_FORCE_KERNEL", "abacus")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("abacus"));
}

/// Position files have the documented columns, and their rows are in the order of the file.
#[test]
fn position_files_are_tables() {
    let folder = folder();
    let here = folder.path();
    let text = "# a comment\n8/8/8/8/8/8/8/R6k w - - bm Ra2;\n\nk7/8/8/8/8/8/8/7Q b\n";
    fs::write(here.join("x.epd"), text).unwrap();
    fs::write(here.join("X.FEN"), text).unwrap();
    for name in ["x.epd", "X.FEN"] {
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
    let first = "SELECT sum(line) AS s FROM (SELECT line FROM 'long.epd' LIMIT 3)";
    assert_eq!(good(here, &[first]), "s\n6\n");

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
    fs::write(here.join("x.bin"), &records).unwrap();
    let query = "SELECT line, white_rooks, black_kings, score, result FROM 'x.bin'";
    assert_eq!(
        good(here, &[query]),
        "line,white_rooks,black_kings,score,result\n1,1,9223372036854775808,0,0\n\
         2,1,9223372036854775808,-5,1\n"
    );

    // A game of two moves: a record with a different result, each move with its score, and four
    // zero bytes.
    let mut game = records[..32].to_vec();
    game[30] = 2;
    for (from, to, score) in [(0_u16, 8, -7_i16), (63, 62, 9)] {
        game.extend_from_slice(&(from | (to << 6)).to_le_bytes());
        game.extend_from_slice(&score.to_le_bytes());
    }
    game.extend([0; 4]);
    fs::write(here.join("game.bin"), game).unwrap();
    assert_eq!(
        good(here, &["SELECT line, white_rooks, score, result FROM 'game.bin'"]),
        "line,white_rooks,score,result\n1,1,-7,2\n2,256,9,2\n"
    );

    // An empty file has no rows, but all columns.
    for name in ["empty.epd", "empty.bin"] {
        fs::write(here.join(name), "").unwrap();
        let query = format!("SELECT line, fen, black_kings FROM '{name}'");
        assert_eq!(good(here, &[&query]), "line,fen,black_kings\n");
    }
    assert_eq!(good(here, &["SELECT score, result FROM 'empty.bin'"]), "score,result\n");

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
        ("nuls.epd", vec![0; 1 << 20], "1: line: "),
        ("long.fen", format!("{line}{}\n", "8".repeat(1 << 20)).into_bytes(), "2: line: "),
        ("zeros.bin", vec![0; 64], "expected whole records of bulletformat or marlinformat, or"),
        ("cut.bin", many[..50].to_vec(), "expected whole records of bulletformat"),
        ("cut-late.bin", many[..95_990].to_vec(), "3000: record: it has 22 of 32 bytes"),
        ("text.bin", line.into(), "it is text; name it .epd or .fen"),
    ] {
        fs::write(here.join(name), bytes).unwrap();
        for query in ["SELECT * FROM", "SELECT sum(line), max(fen) FROM"] {
            let output = run(here, &[&format!("{query} '{name}'")]);
            let errors = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{name}: {errors}");
            assert!(errors.contains(&format!("{name}: {message}")), "{name}: {errors}");
            assert!(errors.len() < 300 && !errors.contains('\0'), "{name}: {errors}");
        }
    }
    bad(here, &["SELECT * FROM '*.epd'"], "a table is one file of positions, so `*.epd` cannot");
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
    fs::write(folder.path().join("bad.csv"), "fen\n8/8/8/8/8/8/8/8\n8/8\n").unwrap();
    let query = "COPY (SELECT fen_occupied(fen) AS o FROM 'bad.csv') TO 'out.parquet'";
    bad(folder.path(), &[query], "`8/8`");
    let names = fs::read_dir(folder.path()).unwrap();
    assert_eq!(names.count(), 2, "bad.csv and positions.parquet");
    let to_folder =
        "COPY (SELECT fen_occupied(fen) AS o FROM 'bad.csv') TO 'out/' STORED AS PARQUET";
    bad(folder.path(), &[to_folder], "`8/8`");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "no folder");
    let good_folder = "COPY (SELECT fen FROM 'positions.parquet') TO 'out/' STORED AS PARQUET";
    assert_eq!(good(folder.path(), &[good_folder]), "count\n3\n");
    bad(folder.path(), &[good_folder], "the folder is not empty; choose a new folder");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "no staging folder");
    let url = format!("file://{}/url.parquet", folder.path().display());
    bad(folder.path(), &[&query.replace("out.parquet", &url)], "`8/8`");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "no file");
    good(folder.path(), &[&good_folder.replace("out/", &url)]);
    good(folder.path(), &["SELECT fen FROM 'url.parquet'"]);
    bad(folder.path(), &["COPY (SELECT 1) TO '/' STORED AS CSV"], "expected the name of a file");
    bad(folder.path(), &["COPY (SELECT 1) TO '..' STORED AS CSV"], "the folder is not empty");
    good(folder.path(), &["COPY (SELECT 1 AS x) TO 'none/../beside.csv'"]);
    fs::remove_file(folder.path().join("beside.csv")).unwrap();
    fs::write(folder.path().join("out.parquet"), "before").unwrap();
    bad(folder.path(), &[query], "`8/8`");
    let analyze = format!("EXPLAIN ANALYZE {query}");
    bad(folder.path(), &[&analyze], "EXPLAIN ANALYZE of COPY would write in place");
    assert_eq!(fs::read(folder.path().join("out.parquet")).unwrap(), b"before");
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
    bad(&here, &["SELECT * FROM 'https://example.org/x.csv?key=1'"], "cannot have a query");
    bad(&here, &["COPY (SELECT 1) TO 's3://bucket/x#1.csv'"], "write `?` in a name as %3F");
}

/// Whether this process and its children ignore a signal: HUP under `nohup`, INT in the background
/// of a script. `false` without `/proc`.
#[cfg(unix)]
fn is_ignored(number: u32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
    (mask >> (number - 1)) & 1 == 1
}

#[cfg(unix)]
fn send(number: u32, to: &Child) {
    let kill = Command::new("kill").args([format!("-{number}"), to.id().to_string()]).status();
    assert!(kill.unwrap().success());
}

#[cfg(unix)]
fn wait(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_mins(2), "not within two minutes: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(unix)]
fn exit_code(child: &mut Child) -> Option<i32> {
    let mut status = None;
    wait("the program ends", || {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    status.unwrap().code()
}

/// SIGINT, SIGTERM and SIGHUP end a COPY, which leaves neither a target nor a staging folder.
#[test]
#[cfg(unix)]
fn signals_end_a_copy() {
    let rows = "SELECT value FROM generate_series(1, 1000000000000)";
    let cases = [(2_u32, "x.csv"), (15, "x/"), (1, "y.csv")];
    for (signal, target) in cases.into_iter().filter(|(signal, _)| !is_ignored(*signal)) {
        let folder = TempDir::new().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_setwise-sql"))
            .current_dir(folder.path())
            .arg(format!("COPY ({rows}) TO '{target}' STORED AS CSV"))
            .spawn()
            .unwrap();
        wait("a file is in the staging folder", || {
            let mut entries = fs::read_dir(folder.path()).unwrap();
            entries.any(|entry| fs::read_dir(entry.unwrap().path()).is_ok_and(|f| f.count() > 0))
        });
        send(signal, &child);
        assert_eq!(exit_code(&mut child), Some(128 + signal.cast_signed()));
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
    assert_eq!(exit_code(&mut child), Some(143));
}

#[test]
#[cfg(unix)]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = TempDir::new().unwrap();
    let here = folder.path();
    fs::create_dir(here.join("elsewhere")).unwrap();
    let file = here.join("elsewhere/y.csv");
    fs::write(&file, "before").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    symlink("elsewhere/y.csv", here.join("x.csv")).unwrap();
    good(here, &["COPY (SELECT 1 AS x) TO 'x.csv'"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "x\n1\n");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(here.join("x.csv").is_symlink());
    fs::create_dir(here.join("elsewhere/empty")).unwrap();
    symlink("elsewhere/empty", here.join("link")).unwrap();
    good(here, &["COPY (SELECT 1 AS x) TO 'link/' STORED AS CSV"]);
    assert_eq!(fs::read_dir(here.join("elsewhere/empty")).unwrap().count(), 1);
    symlink("missing", here.join("z.csv")).unwrap();
    bad(here, &["COPY (SELECT 1 AS x) TO 'z.csv'"], "COPY cannot write to z.csv: ");
    assert!(Command::new("mkfifo").arg(here.join("x.epd")).status().unwrap().success());
    bad(here, &["SELECT * FROM 'x.epd'"], "expected a regular file");
}

/// Each query of a session lists a folder again.
#[test]
fn files_that_a_session_writes_are_read() {
    let folder = TempDir::new().unwrap();
    let (copy, count) = ("COPY (SELECT 1 AS x) TO", "SELECT count(*) AS n FROM 'in/'");
    let text = format!("{copy} 'in/x.csv'; {count}; {copy} 'in/y.csv'; {count}");
    assert_eq!(good(folder.path(), &[&text]), "count\n1\nn\n1\ncount\n1\nn\n2\n");
}

#[test]
fn options_of_copy() {
    let folder = TempDir::new().unwrap();
    let query = "COPY (SELECT 1 AS x, 2 AS y) TO 'out/' STORED AS CSV PARTITIONED BY (y) OPTIONS \
                 ('format.delimiter' ';', 'execution.keep_partition_by_columns' 'true')";
    good(folder.path(), &[query]);
    let file = fs::read_dir(folder.path().join("out/y=2")).unwrap().next().unwrap().unwrap();
    assert_eq!(fs::read_to_string(file.path()).unwrap(), "x;y\n1;2\n");
}

#[test]
fn functions_are_listed() {
    let folder = folder();
    let text = good(folder.path(), &["--functions"]);
    assert!(text.contains("queen_attacks(queens, occupied)\n"), "{text}");
    assert!(text.contains("    -> UInt64\n"));
    assert!(text.contains("    -> a struct of UInt64: pinned, pinners\n"));
    let listed =
        "SELECT DISTINCT routine_name FROM information_schema.routines WHERE routine_name = 'pins'";
    assert_eq!(good(folder.path(), &[listed]), "routine_name\npins\n");
    let shown = good(folder.path(), &["SHOW FUNCTIONS"]);
    let mut lines = shown.lines();
    assert_eq!(lines.next(), Some("function_name,syntax_example,return_type,description"));
    let own = lines.next().unwrap_or_default();
    assert!(own.starts_with("rook_attacks,\"rook_attacks(rooks, occupied)\",UInt64,"), "{own}");
    assert!(shown.contains("\nabs,"), "DataFusion's functions");
    let shown = good(folder.path(), &["SHOW FUNCTIONS LIKE '%queen%'"]);
    assert!(shown.contains("\nqueen_attacks,"), "{shown}");
    assert!(shown.lines().skip(1).all(|line| line.contains("queen")), "{shown}");
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
