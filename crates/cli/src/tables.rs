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

/// Rows that are read at once.
const ROWS: usize = 2048;

/// The sets of a position, as the columns are called. (`setwise attacks --record position` writes them so.)
const SETS: [&str; 5] = [
    "white_orthogonal",
    "black_orthogonal",
    "white_diagonal",
    "black_diagonal",
    "occupied",
];

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// A file that is being read.
pub(crate) struct Tables {
    batches: Batches,
    has_sets: bool,
    rows: u64,
}

/// Some rows of a file.
#[derive(Clone)]
pub(crate) struct Rows {
    /// The number of the first, counted from 1.
    pub(crate) first: u64,
    columns: Vec<ArrayRef>,
    has_sets: bool,
}

impl Tables {
    pub(crate) fn open(is_parquet: bool, mut file: File) -> Result<Tables, String> {
        let told = |error: ArrowError| error.to_string();
        let (batches, has_sets): (Batches, bool) = if is_parquet {
            let builder = ParquetRecordBatchReaderBuilder::try_new(file)
                .map_err(|error| error.to_string())?;
            let (columns, has_sets) = columns(builder.schema())?;
            let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
            let reader = builder.with_projection(mask).with_batch_size(ROWS).build();
            (
                Box::new(reader.map_err(|error| error.to_string())?),
                has_sets,
            )
        } else {
            let schema = FileReader::try_new(&file, None).map_err(told)?.schema();
            let (columns, has_sets) = columns(&schema)?;
            file.rewind().map_err(|error| error.to_string())?;
            let reader = FileReader::try_new_buffered(file, Some(columns)).map_err(told)?;
            (Box::new(reader.flat_map(cut)), has_sets)
        };
        Ok(Tables {
            batches,
            has_sets,
            rows: 0,
        })
    }

    /// The next rows, if there are any.
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
        Ok(Some(Rows {
            first,
            columns,
            has_sets: self.has_sets,
        }))
    }
}

/// A batch of any size in pieces.
fn cut(batch: Result<RecordBatch, ArrowError>) -> Vec<Result<RecordBatch, ArrowError>> {
    match batch {
        Err(error) => vec![Err(error)],
        Ok(batch) => (0..batch.num_rows())
            .step_by(ROWS)
            .map(|start| Ok(batch.slice(start, ROWS.min(batch.num_rows() - start))))
            .collect(),
    }
}

/// Which columns are wanted, and whether they are sets.
fn columns(schema: &Schema) -> Result<(Vec<usize>, bool), String> {
    let place = |name: &str| {
        schema
            .fields()
            .iter()
            .position(|field| field.name() == name)
    };
    let sets: Vec<usize> = SETS.iter().filter_map(|name| place(name)).collect();
    if let Some(fen) = place("fen").or_else(|| place("epd")) {
        let field = schema.field(fen);
        return match field.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Ok((vec![fen], false)),
            kind => Err(format!(
                "column {}: it is of {kind}, not of strings",
                field.name()
            )),
        };
    }
    if sets.len() < SETS.len() {
        let names: Vec<&str> = schema
            .fields()
            .iter()
            .map(|field| &**field.name())
            .collect();
        return Err(format!(
            "it has no column fen or epd, nor all of {}; its columns are {}",
            SETS.join(", "),
            names.join(", ")
        ));
    }
    for &set in &sets {
        let field = schema.field(set);
        if !matches!(field.data_type(), DataType::UInt64 | DataType::Int64) {
            let (name, kind) = (field.name(), field.data_type());
            return Err(format!(
                "column {name}: it is of {kind}, not of 64-bit numbers"
            ));
        }
    }
    Ok((sets, true))
}

impl Rows {
    /// Whether they are sets, and no FENs.
    pub(crate) fn has_sets(&self) -> bool {
        self.has_sets
    }

    /// Reads the FENs.
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

    /// Appends the sets of the rows, as kernels take them, with the rows' numbers; a null is an error.
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

/// The numbers of a column, signed ones as the bits that they are.
fn numbers(column: &ArrayRef) -> &[u64] {
    match column.data_type() {
        DataType::UInt64 => column.as_primitive::<UInt64Type>().values(),
        _ => bytemuck::cast_slice(column.as_primitive::<Int64Type>().values()),
    }
}
