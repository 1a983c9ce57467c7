//! Arrow IPC files: the record batches, and limits on their sizes.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{
    Block, CompressionType, convert, root_as_footer_with_opts, root_as_message_with_opts,
};
use arrow_schema::{ArrowError, DataType, Schema};
use flatbuffers::VerifierOptions;
use lz4_flex::frame::FrameDecoder;

use super::columns::{Batches, RECORD, find_columns};
use super::limits::{MAX_METADATA, ROWS, check, longer_than};

/// The maximum size of a record batch in the file, in bytes.
const MAX_BATCH: usize = 1 << 30;
/// The maximum size of a record batch after decompression, in bytes.
const MAX_DECOMPRESSED: u64 = 256 << 20;

pub(super) fn open(mut file: File) -> Result<(Batches, bool), ArrowError> {
    let length = file.metadata()?.len();
    let mut tail = [0; 10];
    file.seek(SeekFrom::End(-10))?;
    file.read_exact(&mut tail)?;
    let size = read_footer_length(tail)?;
    check("the footer", size as u64, (MAX_METADATA as u64).min(length - 10))?;
    let mut footer = vec![0; size];
    file.seek(SeekFrom::Start(length - 10 - size as u64))?;
    file.read_exact(&mut footer)?;
    let footer = root_as_footer_with_opts(&verifier(), &footer).map_err(|error| invalid(&error))?;
    let schema = footer.schema().ok_or_else(|| wrong("the footer has no schema"))?;
    if !schema.endianness().equals_to_target_endianness() {
        return Err(wrong("the byte order is not that of this computer"));
    }
    let schema = convert::fb_to_schema(schema);
    let record = schema.metadata().get(RECORD);
    let (columns, has_sets) = find_columns(&schema, record.map(String::as_str))?;
    let schema = Arc::new(with_bytes(&schema));
    let decoder = FileDecoder::new(schema, footer.version()).with_projection(columns);
    let blocks: Vec<Block> = footer.recordBatches().iter().flatten().copied().collect();
    // The file's length minus the lengths of the batches read so far. If the next batch is longer
    // than this, batches overlap.
    let mut left = length;
    let batches = blocks.into_iter().filter_map(move |block| {
        let batch = read_block(&mut file, &block, length).and_then(|bytes| {
            left = left
                .checked_sub(bytes.len() as u64)
                .ok_or_else(|| wrong("record batches overlap"))?;
            decoder.read_record_batch(&block, &bytes)
        });
        batch.transpose()
    });
    Ok((Box::new(batches.flat_map(split)), has_sets))
}

/// The schema with binary types in place of string types. The reader would validate the UTF-8 of
/// each string view, so many views of the same long string would take hours. The FEN parser checks
/// the bytes instead.
fn with_bytes(schema: &Schema) -> Schema {
    let fields = schema.fields().iter().map(|field| {
        let kind = match field.data_type() {
            DataType::Utf8 => DataType::Binary,
            DataType::LargeUtf8 => DataType::LargeBinary,
            DataType::Utf8View => DataType::BinaryView,
            _ => return Arc::clone(field),
        };
        Arc::new(field.as_ref().clone().with_data_type(kind))
    });
    Schema::new(fields.collect::<Vec<_>>())
}

fn verifier() -> VerifierOptions {
    VerifierOptions { max_apparent_size: MAX_METADATA, ..VerifierOptions::default() }
}

fn wrong(what: &str) -> ArrowError {
    ArrowError::SchemaError(what.into())
}

fn invalid(error: &flatbuffers::InvalidFlatbuffer) -> ArrowError {
    ArrowError::ParseError(format!("the description of its columns is invalid: {error}"))
}

/// Reads the bytes of a record batch: a message, which describes it, then its body.
fn read_block(file: &mut File, block: &Block, length: u64) -> Result<Buffer, ArrowError> {
    let numbers = [block.offset(), block.metaDataLength().into(), block.bodyLength()];
    let [start, message, body] = numbers.map(|number| u64::try_from(number).unwrap_or(u64::MAX));
    let size = message.saturating_add(body);
    check("a record batch", size, (MAX_BATCH as u64).min(length.saturating_sub(start)))?;
    let mut bytes = MutableBuffer::from_len_zeroed(size as usize);
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut bytes)?;
    let bytes = Buffer::from(bytes);
    let (message, body) = bytes.split_at(message as usize);
    // The bytes are an optional marker of four bytes, the message's length in four bytes, and the
    // message.
    let ([0xff, 0xff, 0xff, 0xff, _, _, _, _, message @ ..] | [_, _, _, _, message @ ..]) = message
    else {
        return Err(wrong("a record batch has no message"));
    };
    let message =
        root_as_message_with_opts(&verifier(), message).map_err(|error| invalid(&error))?;
    if let Some(batch) = message.header_as_record_batch()
        && let Some(compression) = batch.compression()
    {
        let mut size = 0_u64;
        for buffer in batch.buffers().into_iter().flatten().filter(|buffer| buffer.length() > 0) {
            let numbers = [buffer.offset(), buffer.length()];
            let [start, length] = numbers.map(|number| usize::try_from(number).unwrap_or(0));
            let bytes = body.get(start..).unwrap_or_default();
            // Each buffer starts with its length after decompression, or with -1 if it is not
            // compressed.
            let Some((decompressed, bytes)) = bytes.split_first_chunk() else { continue };
            let decompressed = i64::from_le_bytes(*decompressed).max(0).cast_unsigned();
            size = size.saturating_add(decompressed);
            check("a record batch after decompression", size, MAX_DECOMPRESSED)?;
            // The LZ4 reader checks this length only after decompression, so it is checked here.
            if compression.codec() == CompressionType::LZ4_FRAME && decompressed > 0 {
                let stream = FrameDecoder::new(&bytes[..bytes.len().min(length)]);
                let is_longer = longer_than(stream, decompressed);
                if is_longer.map_err(|error| wrong(&format!("a buffer: {error}")))? {
                    return Err(wrong("a buffer is longer than it says"));
                }
            }
        }
    }
    Ok(bytes)
}

/// Splits a batch into chunks of at most [`ROWS`] rows.
fn split(batch: Result<RecordBatch, ArrowError>) -> Vec<Result<RecordBatch, ArrowError>> {
    match batch {
        Err(error) => vec![Err(error)],
        Ok(batch) => (0..batch.num_rows())
            .step_by(ROWS)
            .map(|start| Ok(batch.slice(start, ROWS.min(batch.num_rows() - start))))
            .collect(),
    }
}
