//! Records as columns: files of Arrow IPC and Parquet.

use std::fs::File;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, Int16Array, RecordBatch, UInt8Array, UInt64Array};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field as ArrowField, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use super::columns::Value;
use super::{Layout, Records};

/// Records that are compressed together: what a writer of Parquet has in memory.
const ROW_GROUP: usize = 128 * 1024;

pub(crate) struct Table {
    layout: Layout,
    schema: SchemaRef,
    is_parquet: bool,
}

impl Table {
    pub(super) fn new(layout: Layout, is_parquet: bool) -> Table {
        let fields = layout.fields.iter().map(|field| {
            let kind = match field.value {
                Value::Line | Value::Board(..) => DataType::UInt64,
                Value::Fen => DataType::Utf8,
                Value::Score => DataType::Int16,
                Value::Side | Value::Result => DataType::UInt8,
            };
            ArrowField::new(&field.name, kind, false)
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        Table {
            layout,
            schema,
            is_parquet,
        }
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The records of positions.
    pub(super) fn batch(&self, records: &Records<'_>) -> RecordBatch {
        let rows = self.layout.rows;
        let positions = records.lines.len();
        let columns = self.layout.fields.iter().map(|field| -> ArrayRef {
            match field.value {
                Value::Line => {
                    let lines = each(&records.lines[..positions], rows);
                    Arc::new(UInt64Array::from_iter_values(lines))
                }
                Value::Score => {
                    let scores = each(&records.scores[..positions], rows);
                    Arc::new(Int16Array::from_iter_values(scores))
                }
                Value::Result => {
                    let results = each(&records.results[..positions], rows);
                    Arc::new(UInt8Array::from_iter_values(results))
                }
                Value::Fen => {
                    let mut texts = StringBuilder::new();
                    for fen in &records.fens[..positions] {
                        (0..rows).for_each(|_| texts.append_value(fen));
                    }
                    Arc::new(texts.finish())
                }
                Value::Side => Arc::new(UInt8Array::from_iter_values(
                    (0..positions).flat_map(|_| [0, 1]),
                )),
                Value::Board(board, side) => {
                    let boards = &records.boards[board][..2 * positions];
                    match (rows, side) {
                        (1, Some(side)) => {
                            let boards = boards.iter().skip(side).step_by(2);
                            Arc::new(UInt64Array::from_iter_values(boards.copied()))
                        }
                        _ => Arc::new(UInt64Array::from(boards.to_vec())),
                    }
                }
            }
        });
        RecordBatch::try_new(Arc::clone(&self.schema), columns.collect())
            .expect("columns of the schema's types, all as long")
    }

    /// What writes to a file.
    pub(super) fn writer(&self, file: File) -> Result<Writer, ArrowError> {
        let schema = Arc::clone(&self.schema);
        if !self.is_parquet {
            let writer = FileWriter::try_new_buffered(file, &schema)?;
            return Ok(Writer::Arrow(Box::new(writer)));
        }
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            // Boards hardly repeat.
            .set_dictionary_enabled(false)
            .set_max_row_group_row_count(Some(ROW_GROUP));
        let writer = ArrowWriter::try_new(file, schema, Some(properties.build()))?;
        Ok(Writer::Parquet(Box::new(writer)))
    }
}

/// A value of each position, in each of its records.
fn each<T: Copy>(values: &[T], rows: usize) -> impl Iterator<Item = T> {
    let of_position = move |&value: &T| std::iter::repeat_n(value, rows);
    values.iter().flat_map(of_position)
}

/// A file that grows batch by batch.
pub(crate) enum Writer {
    Arrow(Box<FileWriter<std::io::BufWriter<File>>>),
    Parquet(Box<ArrowWriter<File>>),
}

impl Writer {
    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        match self {
            Writer::Arrow(writer) => writer.write(batch),
            Writer::Parquet(writer) => Ok(writer.write(batch)?),
        }
    }

    pub(super) fn finish(self) -> Result<(), ArrowError> {
        match self {
            Writer::Arrow(mut writer) => writer.finish(),
            Writer::Parquet(writer) => writer.close().map(drop).map_err(Into::into),
        }
    }
}
