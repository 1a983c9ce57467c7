//! Parquet and Arrow IPC files of positions: a column of FENs, or columns of sets.

use std::fs::File;
use std::io::Seek;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::reader::FileReader;
use arrow_schema::{ArrowError, DataType, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use setwise_positions::{Batch, LineError};

/// Rows per chunk.
const ROWS: usize = 2048;

/// The set columns, which `setwise attacks --record position` writes.
const SETS: [&str; 5] =
    ["white_orthogonal", "black_orthogonal", "white_diagonal", "black_diagonal", "occupied"];

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// A file being read.
pub(crate) struct ColumnFile {
    batches: Batches,
    has_sets: bool,
    rows: u64,
}

/// A chunk of rows from a file.
#[derive(Clone)]
pub(crate) struct Rows {
    /// The number of the first row, from 1.
    first: u64,
    columns: Vec<ArrayRef>,
    has_sets: bool,
}

impl ColumnFile {
    pub(crate) fn open(is_parquet: bool, file: File) -> Result<ColumnFile, String> {
        let opened = if is_parquet { open_parquet(file) } else { open_arrow(file) };
        let (batches, has_sets) = opened.map_err(|error| match error {
            ArrowError::SchemaError(what) => what,
            error => error.to_string(),
        })?;
        Ok(ColumnFile { batches, has_sets, rows: 0 })
    }

    /// Reads the next rows, if there are any.
    pub(crate) fn next(&mut self) -> Result<Option<Rows>, String> {
        let Some(batch) = self.batches.next() else {
            return Ok(None);
        };
        let batch = batch.map_err(|error| error.to_string())?;
        let columns = if self.has_sets {
            let named = SETS.iter().filter_map(|name| batch.column_by_name(name));
            named.cloned().collect()
        } else {
            batch.columns().to_vec()
        };
        let first = self.rows + 1;
        self.rows += batch.num_rows() as u64;
        Ok(Some(Rows { first, columns, has_sets: self.has_sets }))
    }
}

fn open_parquet(file: File) -> Result<(Batches, bool), ArrowError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(file)?;
    let (columns, has_sets) = find_columns(builder.schema())?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), columns);
    let reader = builder.with_projection(mask).with_batch_size(ROWS).build()?;
    Ok((Box::new(reader), has_sets))
}

fn open_arrow(mut file: File) -> Result<(Batches, bool), ArrowError> {
    let schema = FileReader::try_new(&file, None)?.schema();
    let (columns, has_sets) = find_columns(&schema)?;
    file.rewind()?;
    let reader = FileReader::try_new_buffered(file, Some(columns))?;
    Ok((Box::new(reader.flat_map(split)), has_sets))
}

/// Splits a batch of any size into chunks.
fn split(batch: Result<RecordBatch, ArrowError>) -> Vec<Result<RecordBatch, ArrowError>> {
    match batch {
        Err(error) => vec![Err(error)],
        Ok(batch) => (0..batch.num_rows())
            .step_by(ROWS)
            .map(|start| Ok(batch.slice(start, ROWS.min(batch.num_rows() - start))))
            .collect(),
    }
}

/// Finds the columns to read, and whether they are sets.
fn find_columns(schema: &Schema) -> Result<(Vec<usize>, bool), ArrowError> {
    let wrong = |what: String| Err(ArrowError::SchemaError(what));
    let find = |name: &str| schema.column_with_name(name);
    if let Some((at, field)) = find("fen").or_else(|| find("epd")) {
        return match field.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok((vec![at], false)),
            kind => wrong(format!("column {}: the type is {kind}, expected strings", field.name())),
        };
    }
    let sets: Vec<_> = SETS.iter().filter_map(|name| find(name)).collect();
    if sets.len() < SETS.len() {
        let names: Vec<&str> = schema.fields().iter().map(|field| &**field.name()).collect();
        let (sets, names) = (SETS.join(", "), names.join(", "));
        return wrong(format!(
            "it must have a column fen or epd, or all of {sets}; it has {names}"
        ));
    }
    for (_, field) in &sets {
        let (name, kind) = (field.name(), field.data_type());
        if !matches!(kind, DataType::UInt64 | DataType::Int64) {
            return wrong(format!("column {name}: the type is {kind}, expected 64-bit numbers"));
        }
    }
    Ok((sets.into_iter().map(|(at, _)| at).collect(), true))
}

impl Rows {
    /// Whether the rows are sets, not FENs.
    pub(crate) fn has_sets(&self) -> bool {
        self.has_sets
    }

    /// Reads the FENs. A null is an error.
    pub(crate) fn read_fens(&self, batch: &mut Batch) {
        let column = &self.columns[0];
        let text = |row: usize| match column.data_type() {
            _ if column.is_null(row) => "",
            DataType::Utf8 => column.as_string::<i32>().value(row),
            DataType::LargeUtf8 => column.as_string::<i64>().value(row),
            _ => column.as_string_view().value(row),
        };
        for (row, line) in (0..column.len()).zip(self.first..) {
            batch.read_line(text(row).as_bytes(), line);
        }
    }

    /// Appends the row numbers, and the sets in the order that kernels expect. A null is an error.
    pub(crate) fn read_sets(
        &self,
        lines: &mut Vec<u64>,
        sets: [&mut Vec<u64>; 3],
        errors: &mut Vec<LineError>,
    ) {
        let [orthogonal, diagonal, occupied] = sets;
        let columns: Vec<&[u64]> = self.columns.iter().map(numbers).collect();
        for (row, line) in (0..columns[0].len()).zip(self.first..) {
            if let Some(null) = self.columns.iter().position(|column| column.is_null(row)) {
                errors.push(LineError::null(line, SETS[null]));
                continue;
            }
            lines.push(line);
            orthogonal.extend([columns[0][row], columns[1][row]]);
            diagonal.extend([columns[2][row], columns[3][row]]);
            occupied.extend([columns[4][row]; 2]);
        }
    }
}

/// The numbers of a column, with signed ones reinterpreted as unsigned.
fn numbers(column: &ArrayRef) -> &[u64] {
    match column.data_type() {
        DataType::UInt64 => column.as_primitive::<UInt64Type>().values(),
        _ => bytemuck::cast_slice(column.as_primitive::<Int64Type>().values()),
    }
}
