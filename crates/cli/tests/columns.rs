//! Tests of `setwise attacks` with Parquet and Arrow IPC files.

/// The reader of Parquet and Arrow IPC files. Its unit tests also run in this test program.
#[path = "../src/column_file/mod.rs"]
mod column_file;
mod common;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, UInt8Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, Int64Array, LargeStringArray, RecordBatch, StringArray, StringViewArray,
    UInt64Array,
};
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use common::{START, setwise};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use predicates::prelude::*;
use predicates::str::contains;
use tempfile::TempDir;

const FENS: [&str; 3] = [
    START,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/8/8/4k3/8/3q4/1B6/4K2R b - - 0 1",
];

/// Returns `count` positions. Thousands of positions fill several chunks.
fn fens(count: usize) -> Vec<&'static str> {
    (0..count).map(|i| FENS[i % FENS.len()]).collect()
}

/// Writes columns in the format of the file's extension.
fn write(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = File::create(path).unwrap();
    if path.extension().unwrap() == "parquet" {
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    } else {
        let mut writer = FileWriter::try_new(file, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    }
}

/// Reads all rows and formats them as `setwise attacks` writes CSV.
fn read(path: &Path) -> String {
    let file = File::open(path).unwrap();
    let batches: Vec<RecordBatch> = if path.extension().unwrap() == "parquet" {
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
        reader.map(Result::unwrap).collect()
    } else {
        FileReader::try_new(file, None).unwrap().map(Result::unwrap).collect()
    };
    let schema = batches[0].schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let mut text = names.join(",") + "\n";
    for batch in &batches {
        for row in 0..batch.num_rows() {
            let values = names.iter().zip(batch.columns()).map(|(&name, column)| {
                assert_eq!(column.null_count(), 0);
                match name {
                    "fen" => column.as_string::<i32>().value(row).to_owned(),
                    "score" => column.as_primitive::<Int16Type>().value(row).to_string(),
                    "result" => column.as_primitive::<UInt8Type>().value(row).to_string(),
                    "line" => column.as_primitive::<UInt64Type>().value(row).to_string(),
                    "side" => ["white", "black"]
                        [usize::from(column.as_primitive::<UInt8Type>().value(row))]
                    .into(),
                    _ => format!("0x{:016x}", column.as_primitive::<UInt64Type>().value(row)),
                }
            });
            text += &(values.collect::<Vec<_>>().join(",") + "\n");
        }
    }
    text
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Evaluates `input` and writes the file `output`.
    #[track_caller]
    fn attacks(&self, input: &Path, arguments: &[&str], output: &str) -> PathBuf {
        let path = self.path(output);
        let mut command = setwise();
        command.arg("attacks").arg(input).args(arguments).arg("-o").arg(&path);
        command.assert().code(0);
        path
    }

    /// Like `attacks`, but returns the contents of the output.
    #[track_caller]
    fn read(&self, input: &Path, arguments: &[&str], output: &str) -> String {
        fs::read_to_string(self.attacks(input, arguments, output)).unwrap()
    }
}

#[test]
fn files_of_columns_equal_csv() {
    let folder = Folder::new();
    let input = folder.path("a.epd");
    fs::write(&input, fens(10_000).join("\n")).unwrap();
    for arguments in [
        &[][..],
        &["--record=position"],
        &["--record=maps"],
        &["--columns=slider_attacks,line", "--threads=2"],
    ] {
        let right = folder.read(&input, arguments, "right.csv");
        for output in ["out.arrow", "out.parquet"] {
            let found = read(&folder.attacks(&input, arguments, output));
            assert!(found == right, "{arguments:?} {output}");
        }
    }
    let parquet = File::open(folder.path("out.parquet")).unwrap();
    let metadata = ParquetRecordBatchReaderBuilder::try_new(parquet).unwrap();
    let compression = metadata.metadata().row_group(0).column(0).compression();
    assert!(format!("{compression:?}").contains("ZSTD"), "{compression:?}");
    // An empty input gives an empty table.
    fs::write(&input, "").unwrap();
    let empty = folder.attacks(&input, &[], "empty.parquet");
    let empty = ParquetRecordBatchReaderBuilder::try_new(File::open(empty).unwrap()).unwrap();
    assert_eq!(
        (empty.metadata().file_metadata().num_rows(), empty.schema().fields().len()),
        (0, 9)
    );
}

#[test]
fn scores_and_results_of_records() {
    let folder = Folder::new();
    let input = folder.path("a.bin");
    let mut records = Vec::new();
    for (i, result) in (-5000..5000_i16).zip([0, 1, 2].into_iter().cycle()) {
        // A white rook on a1.
        let mut record = [0; 32];
        (record[0], record[8], record[24]) = (1, 3, 64);
        record[28..30].copy_from_slice(&(6 * i).to_le_bytes());
        record[30] = result;
        records.extend(record);
    }
    fs::write(&input, records).unwrap();
    for arguments in [
        &["--columns=score,line,result"][..],
        &["--columns=result,score,rook_attacks", "--record=position"],
    ] {
        let arguments = [arguments, &["--format=marlin"]].concat();
        let right = folder.read(&input, &arguments, "right.csv");
        assert!(right.contains("-30000") && right.contains("29994"));
        for output in ["out.arrow", "out.parquet"] {
            let found = read(&folder.attacks(&input, &arguments, output));
            assert!(found == right, "{arguments:?} {output}");
        }
    }
    // Parquet and Arrow IPC inputs have no scores.
    for table in ["out.arrow", "out.parquet"] {
        let table = folder.attacks(&input, &["--format=marlin", "--record=position"], table);
        let mut command = setwise();
        command.args(["attacks", "--columns=line,score"]).arg(table);
        command.assert().code(2).stderr(contains(
            "--columns: only bulletformat, marlinformat and viriformat have score, \
             and this is a file of columns",
        ));
    }
}

#[test]
fn columns_of_fens_of_every_type() {
    let folder = Folder::new();
    let texts = fens(7000);
    let text = folder.path("a.epd");
    fs::write(&text, texts.join("\n")).unwrap();
    let right = folder.read(&text, &[], "right.csv");
    let numbers: ArrayRef = Arc::new(UInt64Array::from_iter_values(0..7000));
    let columns: [ArrayRef; 3] = [
        Arc::new(StringArray::from(texts.clone())),
        Arc::new(LargeStringArray::from(texts.clone())),
        Arc::new(StringViewArray::from(texts.clone())),
    ];
    for (i, column) in columns.into_iter().enumerate() {
        for kind in ["parquet", "arrow"] {
            let input = folder.path(&format!("{i}.{kind}"));
            let name = if i == 1 { "epd" } else { "fen" };
            write(&input, vec![("score", numbers.clone()), (name, column.clone())]);
            let format = format!("--format={kind}");
            for arguments in [&[][..], &[&format, "--threads=3"]] {
                let found = folder.read(&input, arguments, "found.csv");
                assert!(found == right, "{i} {arguments:?}");
            }
        }
    }
}

#[test]
fn text_may_follow_columns() {
    let folder = Folder::new();
    let (text, table) = (folder.path("a.epd"), folder.path("a.parquet"));
    let texts = fens(20_000);
    fs::write(&text, texts.join("\n")).unwrap();
    write(&table, vec![("fen", Arc::new(StringArray::from(texts)))]);
    let one = folder.read(&text, &["--columns=line,fen"], "one.jsonl");
    let out = folder.path("all.jsonl");
    let mut command = setwise();
    command
        .arg("attacks")
        .args([&table, &text, &table])
        .args(["--threads=3", "--columns=line,fen", "-o"])
        .arg(&out);
    command.assert().code(0);
    assert!(fs::read_to_string(out).unwrap() == one.repeat(3));
}

#[test]
fn columns_of_sets() {
    let folder = Folder::new();
    let text = folder.path("a.epd");
    fs::write(&text, fens(3000).join("\n")).unwrap();
    let arguments =
        ["--record=position", "--columns=line,orthogonal,diagonal,occupied,slider_attacks"];
    let right = folder.read(&text, &arguments, "right.csv");
    for kind in ["parquet", "arrow"] {
        // The program reads what it writes.
        let sets = folder.attacks(&text, &arguments, &format!("sets.{kind}"));
        assert!(folder.read(&sets, &arguments, "found.csv") == right, "{kind}");
        let mut command = setwise();
        command
            .args(["attacks", "--record=maps"])
            .arg(sets)
            .assert()
            .code(2)
            .stderr(contains("--record maps needs all pieces: a column fen or epd"));
    }
    // A file without FENs and with signed numbers, as systems without unsigned integers write it.
    let names =
        ["occupied", "white_orthogonal", "white_diagonal", "black_diagonal", "black_orthogonal"];
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(i64::MIN), None, Some(1)]));
    let input = folder.path("signed.parquet");
    write(&input, names.iter().map(|name| (*name, numbers.clone())).collect());
    let mut command = setwise();
    command.arg("attacks").arg(&input).args(["--columns=line,fen,side,rook_attacks"]);
    let assert = command.assert().code(2);
    assert
        .stdout(
            contains("{\"line\":1,\"fen\":\"\",\"side\":\"white\",")
                .and(contains("\"rook_attacks\":\"0x7f80808080808080\"}"))
                .and(contains("\"line\":3"))
                .and(contains("\"line\":2").not()),
        )
        .stderr(contains("signed.parquet:2: record: white_orthogonal is null"));
    folder.attacks(&input, &["--skip-bad"], "signed.arrow");
}

/// If output with a row for each side were used as input, every position would count twice.
#[test]
fn output_of_two_rows_for_a_position_is_refused() {
    let folder = Folder::new();
    let input = folder.path("a.epd");
    fs::write(&input, fens(10).join("\n")).unwrap();
    for kind in ["arrow", "parquet"] {
        let name = format!("out.{kind}");
        for columns in ["fen", "line,side,fen", "fen,occupied", "line,fen,side,slider_attacks"] {
            let output = folder.attacks(&input, &["--columns", columns], &name);
            let message = contains(format!("{name}: it "))
                .and(contains("two rows for each position; use --record position there"));
            setwise().arg("attacks").arg(output).assert().code(2).stderr(message);
        }
        for columns in ["fen", "line,fen", "fen,occupied"] {
            let arguments = ["--record=position", "--columns", columns];
            let output = folder.attacks(&input, &arguments, &name);
            let message = contains("positions: 10, bad lines: 0");
            setwise().arg("attacks").arg(output).assert().code(0).stderr(message);
        }
    }
}

#[test]
fn errors_name_the_row_or_column() {
    let folder = Folder::new();
    let text: ArrayRef =
        Arc::new(StringArray::from(vec![Some("8/8/8/8/8/8/8/8"), None, Some("8/8")]));
    let numbers: ArrayRef = Arc::new(UInt64Array::from(vec![1, 2, 3]));
    let check = |name: &str, columns: Vec<(&str, ArrayRef)>, message: &str| {
        let input = folder.path(name);
        write(&input, columns);
        setwise().arg("attacks").arg(&input).assert().code(2).stderr(contains(message));
    };
    for kind in ["parquet", "arrow"] {
        let name = format!("a.{kind}");
        let fens = || vec![("fen", text.clone())];
        check(&name, fens(), &format!("a.{kind}:2: piece placement: "));
        check(&name, fens(), &format!("a.{kind}:3: piece placement: 2 ranks instead of 8"));
        let wrong_kind = "column fen: the type is UInt64, expected strings";
        check(&name, vec![("fen", numbers.clone())], wrong_kind);
        let two_rows = vec![("fen", text.clone()), ("slider_attacks", numbers.clone())];
        check(&name, two_rows, "it has fen and slider_attacks, as the output of `setwise attacks`");
        check(
            &name,
            vec![("board", text.clone()), ("occupied", numbers.clone())],
            "it must have a column fen or epd, or all of white_orthogonal, black_orthogonal, \
             white_diagonal, black_diagonal, occupied; it has board, occupied",
        );
    }
    let cut = folder.path("cut.parquet");
    let whole = fs::read(folder.path("a.parquet")).unwrap();
    fs::write(&cut, &whole[..whole.len() - 9]).unwrap();
    setwise().arg("attacks").arg(&cut).assert().code(2).stderr(contains("cut.parquet: "));
    setwise()
        .args(["attacks", "--format=parquet"])
        .write_stdin(whole)
        .assert()
        .code(2)
        .stderr(contains("are read from files"));
    // With --strict, a bad line leaves no file.
    let count = || fs::read_dir(folder.0.path()).unwrap().count();
    let before = count();
    let out = folder.path("out.parquet");
    common::attacks(&["--strict", "-o", out.to_str().unwrap()], "8/8 w").code(2);
    assert_eq!(count(), before);
}

/// Tests files with one changed byte, some of which make the reader panic. An error has exit code 2
/// and names the file, and nothing is written.
#[test]
fn damaged_files_are_named() {
    let folder = Folder::new();
    let fens: ArrayRef = Arc::new(StringArray::from(fens(10)));
    let mut panics = 0;
    for kind in ["arrow", "parquet"] {
        let whole = folder.path(&format!("whole.{kind}"));
        write(&whole, vec![("fen", fens.clone())]);
        let whole = fs::read(whole).unwrap();
        let damaged = folder.path(&format!("damaged.{kind}"));
        for at in (8..whole.len()).step_by(11) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x80;
            fs::write(&damaged, bytes).unwrap();
            let out = folder.path("out.csv");
            let mut command = setwise();
            command.arg("attacks").arg(&damaged).arg("-o").arg(&out).arg("--strict");
            let output = command.output().unwrap();
            let errors = String::from_utf8(output.stderr).unwrap();
            match output.status.code() {
                Some(0) => fs::remove_file(out).unwrap(),
                Some(2) => {
                    assert!(errors.contains(&format!("damaged.{kind}:")), "{errors}");
                    assert!(!errors.contains("panicked") && !out.exists(), "{errors}");
                    panics += usize::from(errors.contains("its reader failed"));
                }
                code => panic!("byte {at} of {kind}: {code:?}: {errors}"),
            }
        }
    }
    assert!(panics > 0, "no reader panicked");
    assert_eq!(fs::read_dir(folder.0.path()).unwrap().count(), 4, "nothing else is left");
}
