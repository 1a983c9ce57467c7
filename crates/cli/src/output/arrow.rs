//! Records as columns: Arrow IPC and Parquet files.

use std::fs::File;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, Int16Array, RecordBatch, UInt8Array, UInt64Array};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::columns::Column;
use super::{Evaluated, Layout};
use crate::column_file::RECORD;

/// The number of records per row group. The Parquet writer holds a row group in memory until it is
/// complete.
const ROW_GROUP: usize = 128 * 1024;

pub(crate) struct ArrowFormat {
    layout: Layout,
    schema: SchemaRef,
    is_parquet: bool,
}

impl ArrowFormat {
    pub(super) fn new(layout: Layout, is_parquet: bool) -> ArrowFormat {
        let fields = layout.fields.iter().map(|field| {
            let kind = match field.column {
                Column::Fen => DataType::Utf8,
                Column::Score => DataType::Int16,
                Column::Side | Column::Result => DataType::UInt8,
                _ => DataType::UInt64,
            };
            Field::new(&field.name, kind, false)
        });
        let metadata = [(RECORD.to_owned(), layout.of.name())].into();
        let schema = Schema::new_with_metadata(fields.collect::<Vec<_>>(), metadata);
        let schema = Arc::new(schema);
        ArrowFormat { layout, schema, is_parquet }
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(super) fn batch(&self, positions: &Evaluated<'_>) -> RecordBatch {
        let per_position = self.layout.per_position;
        let count = positions.lines.len();
        let columns = self.layout.fields.iter().map(|field| -> ArrayRef {
            match field.column {
                Column::Line => {
                    Arc::new(UInt64Array::from_iter_values(each(positions.lines, per_position)))
                }
                Column::Score => {
                    let scores = each(&positions.scores[..count], per_position);
                    Arc::new(Int16Array::from_iter_values(scores))
                }
                Column::Result => {
                    let results = each(&positions.results[..count], per_position);
                    Arc::new(UInt8Array::from_iter_values(results))
                }
                Column::Fen => {
                    let mut texts = StringBuilder::new();
                    each(&positions.fens[..count], per_position)
                        .for_each(|fen| texts.append_value(fen));
                    Arc::new(texts.finish())
                }
                Column::Side => {
                    Arc::new(UInt8Array::from_iter_values((0..count).flat_map(|_| [0, 1])))
                }
                column => {
                    let board = column.board().unwrap_or_default();
                    let boards = &positions.boards[board][..2 * count];
                    if per_position == 2 {
                        return Arc::new(UInt64Array::from(boards.to_vec()));
                    }
                    let boards = boards.iter().skip(field.side.unwrap_or(0)).step_by(2);
                    Arc::new(UInt64Array::from_iter_values(boards.copied()))
                }
            }
        });
        RecordBatch::try_new(Arc::clone(&self.schema), columns.collect())
            .expect("columns of the schema's types and of equal length")
    }

    pub(super) fn writer(&self, file: File) -> Result<BatchWriter, ArrowError> {
        let schema = Arc::clone(&self.schema);
        if !self.is_parquet {
            let writer = FileWriter::try_new_buffered(file, &schema)?;
            return Ok(BatchWriter::Arrow(Box::new(writer)));
        }
        // The Parquet writer does not copy the Arrow schema's metadata to the file's metadata.
        let record = KeyValue::new(RECORD.to_owned(), self.layout.of.name());
        let properties = WriterProperties::builder()
            .set_key_value_metadata(Some(vec![record]))
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            // A dictionary would not save space, because boards rarely repeat.
            .set_dictionary_enabled(false)
            .set_max_row_group_row_count(Some(ROW_GROUP));
        let writer = ArrowWriter::try_new(file, schema, Some(properties.build()))?;
        Ok(BatchWriter::Parquet(Box::new(writer)))
    }
}

/// Repeats the value of each position for each of its records.
fn each<T: Copy>(values: &[T], per_position: usize) -> impl Iterator<Item = T> {
    values.iter().flat_map(move |&value| std::iter::repeat_n(value, per_position))
}

/// Writes a file batch by batch.
pub(crate) enum BatchWriter {
    Arrow(Box<FileWriter<std::io::BufWriter<File>>>),
    Parquet(Box<ArrowWriter<File>>),
}

impl BatchWriter {
    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        match self {
            BatchWriter::Arrow(writer) => writer.write(batch),
            BatchWriter::Parquet(writer) => Ok(writer.write(batch)?),
        }
    }

    pub(super) fn finish(self) -> Result<(), ArrowError> {
        match self {
            BatchWriter::Arrow(mut writer) => writer.finish(),
            BatchWriter::Parquet(writer) => writer.close().map(drop).map_err(Into::into),
        }
    }
}
