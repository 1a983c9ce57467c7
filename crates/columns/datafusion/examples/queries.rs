//! Measures the time of whole queries on Parquet files, with and without the functions. Usage:
//! `queries [EPD]`.
//!
//! The data are 40 million uncompressed rows of two sets, and 4 million FENs from the lines of the
//! file `EPD` (default: a few built-in positions). `SETWISE_ROWS` sets the number of rows of sets;
//! there are a tenth as many FENs. The files take 900 MB in a temporary folder. Queries alternate,
//! and each runs seven times. The fastest run counts.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
use datafusion::error::Result;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use parquet::arrow::ArrowWriter;

/// Each query: its name, its SQL, and the index of the same query without the function.
const QUERIES: [(&str, &str, usize); 5] = [
    ("sets, without", "SELECT bit_xor(queens ^ occupied) FROM sets", 0),
    ("sets, queen_attacks", "SELECT bit_xor(queen_attacks(queens, occupied)) FROM sets", 0),
    (
        "sets, pins",
        "SELECT bit_xor(pins(queens, occupied, queens, queens, occupied)['pinned']) FROM sets",
        0,
    ),
    ("texts, without", "SELECT sum(octet_length(fen)) FROM texts", 3),
    ("texts, fen_slider_attacks", "SELECT bit_xor(fen_slider_attacks(fen, 'white')) FROM texts", 3),
];

fn main() -> Result<()> {
    let rows = std::env::var("SETWISE_ROWS")
        .map_or(40_000_000, |rows| rows.parse().expect("SETWISE_ROWS must be a number"));
    let lines = match std::env::args().nth(1) {
        Some(path) => std::fs::read_to_string(path)?,
        None => "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n\
            r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 10\n\
            8/5pk1/6p1/3R4/7P/2r3P1/5PK1/8 w - - 3 42"
            .into(),
    };
    let folder = tempfile::tempdir()?;
    let (sets, texts) = (folder.path().join("sets.parquet"), folder.path().join("texts.parquet"));
    write_sets(&sets, rows)?;
    let fens: Vec<&str> = lines.lines().filter(|line| !line.trim().is_empty()).collect();
    assert!(!fens.is_empty(), "the file must have a line");
    write_texts(&texts, rows / 10, &fens)?;

    println!("{}, {rows} rows of sets, {} of texts", setwise::Kernel::active().name(), rows / 10);
    for threads in [1, 2] {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(threads).build()?;
        runtime.block_on(async {
            let config = SessionConfig::new().with_target_partitions(threads);
            let mut context = SessionContext::new_with_config(config);
            setwise_datafusion::register(&mut context)?;
            for (name, path) in [("sets", &sets), ("texts", &texts)] {
                let path = path.to_str().expect("a path in UTF-8");
                context.register_parquet(name, path, ParquetReadOptions::default()).await?;
            }
            let mut fastest = [f64::INFINITY; QUERIES.len()];
            for _ in 0..7 {
                for (fastest, (_, query, _)) in fastest.iter_mut().zip(QUERIES) {
                    let start = Instant::now();
                    context.sql(query).await?.collect().await?;
                    *fastest = fastest.min(start.elapsed().as_secs_f64());
                }
            }
            for (i, (name, _, other)) in QUERIES.iter().enumerate() {
                let rows = if name.starts_with("sets") { rows } else { rows / 10 };
                println!(
                    "threads {threads}: {name}: {:.1} million rows per second, {:.2} relative to without",
                    rows as f64 / fastest[i] / 1e6,
                    fastest[*other] / fastest[i]
                );
            }
            Ok::<_, datafusion::error::DataFusionError>(())
        })?;
    }
    Ok(())
}

fn write_sets(path: &Path, rows: usize) -> Result<()> {
    let mut random = fastrand::Rng::with_seed(1);
    write(path, rows, 1 << 20, |rows| {
        let queens = (0..rows).map(|_| 1_u64 << random.u8(..64) | 1 << random.u8(..64));
        let queens: ArrayRef = Arc::new(UInt64Array::from_iter_values(queens));
        let occupied = (0..rows).map(|_| random.u64(..) & random.u64(..));
        let occupied: ArrayRef = Arc::new(UInt64Array::from_iter_values(occupied));
        RecordBatch::try_from_iter([("queens", queens), ("occupied", occupied)])
    })
}

fn write_texts(path: &Path, rows: usize, fens: &[&str]) -> Result<()> {
    let mut fens = fens.iter().cycle();
    write(path, rows, 1 << 17, |rows| {
        let fens: ArrayRef = Arc::new(StringArray::from_iter_values(fens.by_ref().take(rows)));
        RecordBatch::try_from_iter([("fen", fens)])
    })
}

/// Writes `rows` rows in batches of `part` rows, without compression or dictionaries.
fn write(
    path: &Path,
    rows: usize,
    part: usize,
    mut batch: impl FnMut(usize) -> std::result::Result<RecordBatch, arrow_schema::ArrowError>,
) -> Result<()> {
    let properties = parquet::file::properties::WriterProperties::builder()
        .set_dictionary_enabled(false)
        .build();
    let schema = batch(0)?.schema();
    let mut writer = ArrowWriter::try_new(File::create(path)?, schema, Some(properties))?;
    let mut left = rows;
    while left > 0 {
        let batch = batch(left.min(part))?;
        left -= batch.num_rows();
        writer.write(&batch)?;
    }
    writer.close()?;
    Ok(())
}
