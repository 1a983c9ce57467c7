//! Parquet and Arrow IPC files of positions: a column of FENs, or columns of sets.
//!
//! Files are not trusted. The readers validate all data that they decode. A panic of a reader is an
//! error of the file. The limits below bound the memory, whatever a file says about its sizes.

use std::any::Any;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, convert, root_as_footer_with_opts, root_as_message_with_opts};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use flatbuffers::VerifierOptions;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Encoding;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use setwise_measure::printable::is_printable;
use setwise_positions::{Batch, LineError};

/// Rows per chunk.
const ROWS: usize = 2048;

/// The maximum size of an Arrow IPC record batch in the file, in bytes.
const MAX_BATCH: usize = 1 << 30;
/// The maximum size of an Arrow IPC record batch after decompression, in bytes.
const MAX_DECOMPRESSED: u64 = 256 << 20;
/// The maximum size of the descriptions in a file: Parquet's metadata, or a footer or a message of
/// Arrow IPC after shared parts have been copied.
const MAX_METADATA: usize = 64 << 20;
/// The maximum size of the Parquet pages that a chunk of rows needs, after decompression, in bytes.
const MAX_PAGES: u64 = 256 << 20;
/// Parquet's encodings of strings that are refused. In both, the compressed data of a page say how
/// many values follow, and the reader allocates memory for that number. In `DELTA_BYTE_ARRAY`, each
/// value can also repeat almost the whole page.
const REFUSED: [Encoding; 2] = [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY];

/// The set columns, which `setwise attacks --record position` writes.
const SETS: [&str; 5] =
    ["white_orthogonal", "black_orthogonal", "white_diagonal", "black_diagonal", "occupied"];

/// Columns that `setwise attacks` writes for each side of a position, in a row of its own.
const OF_SIDES: [&str; 5] =
    ["orthogonal", "diagonal", "rook_attacks", "bishop_attacks", "slider_attacks"];

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// A file being read.
pub(crate) struct ColumnFile {
    /// The file's name in messages.
    name: String,
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
    /// Opens a file. `name` is its name in messages.
    pub(crate) fn open(is_parquet: bool, file: File, name: String) -> Result<ColumnFile, String> {
        let open = || if is_parquet { open_parquet(file) } else { open_arrow(file) };
        let (batches, has_sets) = guarded(&name, open)?;
        Ok(ColumnFile { name, batches, has_sets, rows: 0 })
    }

    /// Reads the next rows, if there are any.
    pub(crate) fn next(&mut self) -> Result<Option<Rows>, String> {
        let Some(batch) = guarded(&self.name, || self.batches.next().transpose())? else {
            return Ok(None);
        };
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

thread_local! {
    /// The name of the file that this thread is reading.
    static READING: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Makes panics of readers errors of their files. If panics do not unwind, the process ends here,
/// with exit code 2.
pub(crate) fn contain_panics() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let file = READING.with_borrow(Clone::clone);
        match file {
            None => report(panic),
            Some(_) if cfg!(panic = "unwind") => {}
            Some(file) => {
                let _ = writeln!(io::stderr(), "setwise: {file}: {}", damaged(panic.payload()));
                std::process::exit(2);
            }
        }
    }));
}

fn damaged(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default();
    short(&format!("the file is damaged: its reader failed: {text}"))
}

/// Reads from the file of this name. A panic of the reader is an error.
fn guarded<T>(name: &str, read: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, String> {
    READING.set(Some(name.to_owned()));
    let result = panic::catch_unwind(AssertUnwindSafe(read));
    READING.set(None);
    match result {
        Ok(result) => result.map_err(|error| match error {
            ArrowError::SchemaError(what) => short(&what),
            error => short(&error.to_string()),
        }),
        Err(panic) => Err(damaged(&*panic)),
    }
}

/// The start of a message, which may quote the file: of any length, with characters on which a
/// terminal would act.
fn short(message: &str) -> String {
    const LONGEST: usize = 500;
    let mut text = String::new();
    for c in message.chars() {
        if text.len() > LONGEST {
            return text + "...";
        }
        if is_printable(c) { text.push(c) } else { text.extend(c.escape_default()) }
    }
    text
}

/// The message for a file that exceeds a limit.
fn exceeds(what: &str, size: u64, limit: u64) -> String {
    format!("{what}: {size} bytes exceed the limit of {limit}")
}

fn check(what: &str, size: u64, limit: u64) -> Result<(), ArrowError> {
    if size > limit { Err(ArrowError::SchemaError(exceeds(what, size, limit))) } else { Ok(()) }
}

fn open_parquet(mut file: File) -> Result<(Batches, bool), ArrowError> {
    let mut tail = [0; 8];
    file.seek(SeekFrom::End(-8))?;
    file.read_exact(&mut tail)?;
    let [length @ .., _, _, _, _] = tail;
    check("the metadata", u32::from_le_bytes(length).into(), MAX_METADATA as u64)?;
    // Of the metadata, only the Parquet schema is needed.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let mut metadata = ArrowReaderMetadata::load(&file, options.clone())?;
    // Arrow's schema lacks columns that are groups of nothing, and the mask counts them.
    let roots = metadata.parquet_schema().root_schema().get_fields().len();
    if roots != metadata.schema().fields().len() {
        return Err(ArrowError::SchemaError("a column is a group without fields".into()));
    }
    let (columns, has_sets) = find_columns(metadata.schema())?;
    let mask = ProjectionMask::roots(metadata.parquet_schema(), columns.iter().copied());
    if !has_sets {
        // Unlike strings, views do not repeat the text of a dictionary for each row.
        let fields = metadata.schema().fields().iter().enumerate().map(|(at, field)| {
            let is_fen = columns.contains(&at);
            let view = || Field::new(field.name(), DataType::Utf8View, field.is_nullable());
            if is_fen { Arc::new(view()) } else { Arc::clone(field) }
        });
        let schema = Schema::new(fields.collect::<Vec<_>>());
        let options = options.with_schema(Arc::new(schema));
        metadata = ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options)?;
    }
    for group in metadata.metadata().row_groups() {
        for (leaf, column) in group.columns().iter().enumerate() {
            let mut encodings = column.encodings().filter(|_| mask.leaf_included(leaf));
            if let Some(encoding) = encodings.find(|encoding| REFUSED.contains(encoding)) {
                let name = column.column_path();
                return Err(ArrowError::SchemaError(format!(
                    "column {name}: the encoding {encoding} takes memory without limit; write the \
                     column with the encoding PLAIN or with a dictionary"
                )));
            }
        }
    }
    let used = Arc::new(AtomicU64::new(0));
    let pages = Pages { file, used: Arc::clone(&used) };
    let mut reader = ParquetRecordBatchReaderBuilder::new_with_metadata(pages, metadata)
        .with_projection(mask)
        .with_batch_size(ROWS)
        .build()?;
    let batches = std::iter::from_fn(move || {
        used.store(0, Ordering::Relaxed);
        reader.next()
    });
    Ok((Box::new(batches), has_sets))
}

/// A Parquet file whose pages may not exceed limits.
struct Pages {
    file: File,
    /// The size of the pages that were read for the current chunk of rows.
    used: Arc<AtomicU64>,
}

impl Pages {
    fn check(&self, header: Option<PageHeader>) -> Result<(), String> {
        let header = header.ok_or("the header of a page is invalid")?;
        // The reader allocates memory for the values of a dictionary before it reads them.
        let values = header.dictionary.saturating_mul(VIEW);
        let size = header.stored.max(header.decompressed).max(values);
        let used = self.used.fetch_add(size, Ordering::Relaxed).saturating_add(size);
        if used > MAX_PAGES {
            return Err(exceeds("the pages of a few rows", used, MAX_PAGES));
        }
        if REFUSED.map(|encoding| encoding as u64).contains(&header.encoding) {
            return Err("a page has an encoding that the metadata does not name".into());
        }
        Ok(())
    }
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for Pages {
    type T = BufReader<File>;

    /// The reader reads the header of a page from here.
    fn get_read(&self, start: u64) -> parquet::errors::Result<BufReader<File>> {
        let header = PageHeader::read(&mut self.file.get_read(start)?);
        self.check(header).map_err(ParquetError::General)?;
        self.file.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<bytes::Bytes> {
        self.file.get_bytes(start, length)
    }
}

/// The fields of a Parquet page header that limits apply to. The `parquet` crate parses headers,
/// too, but then reserves the memory for the page at once.
#[derive(Debug, Default, PartialEq)]
struct PageHeader {
    /// The sizes of the page in the file and after decompression, in bytes.
    stored: u64,
    decompressed: u64,
    /// The number of values, if the page is a dictionary.
    dictionary: u64,
    encoding: u64,
}

/// The memory for a value of a dictionary, in bytes.
const VIEW: u64 = 16;

impl PageHeader {
    fn read(from: &mut impl Read) -> Option<PageHeader> {
        let mut header = PageHeader::default();
        read_struct(from, 0, &mut |parent, field, number| match (parent, field) {
            (0, 2) => header.decompressed = number,
            (0, 3) => header.stored = number,
            (7, 1) => header.dictionary = number,
            // A data page, a data page of version 2.
            (5, 2) | (8, 4) => header.encoding = number,
            _ => {}
        })?;
        Some(header)
    }
}

/// Reads a struct in Thrift's compact protocol, with the types of fields that page headers have.
/// Passes each number of 32 bits to `found`, after its field's number and that of its struct in
/// `parent`.
fn read_struct(
    from: &mut impl Read,
    parent: u64,
    found: &mut dyn FnMut(u64, u64, u64),
) -> Option<()> {
    const NUMBER: u8 = 5;
    const STRUCT: u8 = 12;
    let mut field = 0;
    loop {
        let first = read_byte(from)?;
        if first == 0 {
            return Some(());
        }
        // The difference to the field before. With 0, a field could be repeated.
        let (difference, kind) = (u64::from(first >> 4), first & 0xf);
        if difference == 0 {
            return None;
        }
        field += difference;
        // The `parquet` crate reads these fields without a look at their types.
        match (parent, field) {
            (0 | 5, 1..=4) | (7, 1..=2) | (8, 1..=6) if kind != NUMBER => return None,
            (0, 5..=8) if kind != STRUCT => return None,
            _ => {}
        }
        match kind {
            // true, false
            1 | 2 => {}
            // The lowest bit is the sign: a negative number is huge.
            NUMBER => {
                let zigzag = u64::from(u32::try_from(read_number(from)?).ok()?);
                found(parent, field, zigzag.rotate_right(1));
            }
            // Numbers of 16 or 64 bits.
            4 | 6 => _ = read_number(from)?,
            // Bytes, in statistics.
            8 => {
                let length = read_number(from)?;
                let skipped = io::copy(&mut from.by_ref().take(length), &mut io::sink());
                skipped.ok().filter(|&skipped| skipped == length)?;
            }
            // Structs are nested twice: the statistics are in the header of a kind of page.
            STRUCT if parent == 0 => read_struct(from, field, found)?,
            STRUCT if parent < NESTED => read_struct(from, NESTED, found)?,
            _ => return None,
        }
    }
}

/// The parent of the fields of structs in structs.
const NESTED: u64 = 1 << 32;

/// Reads a number: seven bits per byte, the lowest first.
fn read_number(from: &mut impl Read) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = read_byte(from)?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte >> 7 == 0 {
            return Some(number);
        }
    }
    None
}

fn read_byte(from: &mut impl Read) -> Option<u8> {
    let mut byte = [0];
    from.read_exact(&mut byte).ok().map(|()| byte[0])
}

fn open_arrow(mut file: File) -> Result<(Batches, bool), ArrowError> {
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
    let wrong = |what: &str| ArrowError::SchemaError(what.into());
    let schema = footer.schema().ok_or_else(|| wrong("the footer has no schema"))?;
    if !schema.endianness().equals_to_target_endianness() {
        return Err(wrong("the byte order is not that of this computer"));
    }
    let schema = convert::fb_to_schema(schema);
    let (columns, has_sets) = find_columns(&schema)?;
    let decoder = FileDecoder::new(Arc::new(schema), footer.version()).with_projection(columns);
    let blocks: Vec<Block> = footer.recordBatches().iter().flatten().copied().collect();
    let batches = blocks.into_iter().filter_map(move |block| {
        let batch = read_block(&mut file, &block, length);
        batch.and_then(|bytes| decoder.read_record_batch(&block, &bytes)).transpose()
    });
    Ok((Box::new(batches.flat_map(split)), has_sets))
}

fn verifier() -> VerifierOptions {
    VerifierOptions { max_apparent_size: MAX_METADATA, ..VerifierOptions::default() }
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
    // A message follows its length. A marker may precede the length.
    let ([0xff, 0xff, 0xff, 0xff, _, _, _, _, message @ ..] | [_, _, _, _, message @ ..]) = message
    else {
        return Err(ArrowError::SchemaError("a record batch has no message".into()));
    };
    let message =
        root_as_message_with_opts(&verifier(), message).map_err(|error| invalid(&error))?;
    if let Some(batch) = message.header_as_record_batch()
        && batch.compression().is_some()
    {
        // A compressed buffer starts with its length after decompression, or -1 if it is not
        // compressed.
        let buffers = batch.buffers().into_iter().flatten().filter(|buffer| buffer.length() > 0);
        let size = buffers.fold(0_u64, |size, buffer| {
            let start = usize::try_from(buffer.offset()).unwrap_or(usize::MAX);
            let length = body.get(start..).and_then(|bytes| bytes.first_chunk());
            let length = length.map_or(0, |length| i64::from_le_bytes(*length).max(0));
            size.saturating_add(length.cast_unsigned())
        });
        check("a record batch after decompression", size, MAX_DECOMPRESSED)?;
    }
    Ok(bytes)
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
        if let Some(name) = OF_SIDES.iter().find(|name| find(name).is_some()) {
            return wrong(format!(
                "it has {} and {name}, as the output of `setwise attacks` with two rows for each \
                 position; use --record position there, or keep one row and rename {name}",
                field.name()
            ));
        }
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::file::properties::{WriterProperties, WriterVersion};

    use super::*;

    /// The number of rows of a file, or the error.
    fn rows(bytes: &[u8]) -> Result<usize, String> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file.rewind().unwrap();
        let mut file = ColumnFile::open(bytes.starts_with(b"PAR1"), file, "x".into())?;
        let (mut count, mut positions, mut errors) = (0, Batch::default(), Vec::new());
        let mut sets = [const { Vec::new() }; 4];
        while let Some(rows) = file.next()? {
            count += rows.columns[0].len();
            let [lines, sets @ ..] = &mut sets;
            if rows.has_sets() {
                rows.read_sets(lines, sets.each_mut(), &mut errors);
            } else {
                rows.read_fens(&mut positions);
            }
        }
        Ok(count)
    }

    fn fens(rows: usize) -> RecordBatch {
        let fens = StringArray::from_iter_values((0..rows).map(|row| format!("8/8 {}", row % 7)));
        let other = UInt64Array::from_iter_values(0..rows as u64);
        let columns: [(_, ArrayRef); 2] = [("other", Arc::new(other)), ("fen", Arc::new(fens))];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    fn sets(rows: usize) -> RecordBatch {
        let column: ArrayRef = Arc::new(UInt64Array::from_iter_values(0..rows as u64));
        RecordBatch::try_from_iter(SETS.map(|name| (name, Arc::clone(&column)))).unwrap()
    }

    fn arrow(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
        let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
        let mut writer =
            FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
        writer.write(batch).unwrap();
        writer.into_inner().unwrap()
    }

    fn parquet(batch: &RecordBatch, properties: WriterProperties) -> Vec<u8> {
        let mut writer =
            ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
        writer.write(batch).unwrap();
        writer.into_inner().unwrap()
    }

    fn compressed(version: WriterVersion) -> WriterProperties {
        let properties = WriterProperties::builder().set_writer_version(version);
        properties.set_compression(Compression::ZSTD(ZstdLevel::default())).build()
    }

    /// Every byte, changed in two ways, and many lengths.
    #[test]
    fn damaged_files_are_errors_or_can_be_read() {
        contain_panics();
        let (mut refused, mut total) = (0, 0);
        for batch in [fens(20), sets(20)] {
            for whole in [
                arrow(&batch, None),
                arrow(&batch, Some(CompressionType::ZSTD)),
                arrow(&batch, Some(CompressionType::LZ4_FRAME)),
                parquet(&batch, WriterProperties::default()),
                parquet(&batch, compressed(WriterVersion::PARQUET_2_0)),
            ] {
                assert_eq!(rows(&whole), Ok(20));
                for at in 0..whole.len() {
                    for change in [1, 0x80] {
                        let mut bytes = whole.clone();
                        bytes[at] ^= change;
                        refused += usize::from(rows(&bytes).is_err());
                        total += 1;
                    }
                }
                for length in (0..whole.len()).step_by(5) {
                    let error = rows(&whole[..length]).unwrap_err();
                    assert!(!error.chars().any(char::is_control) && error.len() < 600, "{error}");
                }
            }
        }
        assert!(refused > total / 10, "{refused} of {total}");
    }

    /// Files that say that they are larger after decompression than they may be.
    #[test]
    fn memory_is_limited() {
        let mut bytes = arrow(&sets(3000), Some(CompressionType::ZSTD));
        assert_eq!(rows(&bytes), Ok(3000));
        let prefix = 24_000_u64.to_le_bytes();
        let at = bytes.windows(8).position(|window| window == prefix).unwrap();
        // One column of five decompresses to so many bytes.
        for (size, message) in [(1 << 40, "1099511723776 "), (256 << 20, "268531456 ")] {
            bytes[at..at + 8].copy_from_slice(&u64::to_le_bytes(size));
            let error = rows(&bytes).unwrap_err();
            let message = "a record batch after decompression: ".to_owned() + message;
            assert!(error.starts_with(&message), "{error}");
        }

        // The footer's length is 4 bytes, 10 bytes before the end; so is the metadata's, 8 bytes.
        let mut bytes = arrow(&sets(1), None);
        let at = bytes.len() - 10;
        bytes[at..at + 4].copy_from_slice(&i32::MAX.to_le_bytes());
        assert!(rows(&bytes).unwrap_err().starts_with("the footer: 2147483647 bytes"));
        let mut bytes = parquet(&sets(1), WriterProperties::default());
        let at = bytes.len() - 8;
        bytes[at..at + 4].copy_from_slice(&(65_u32 << 20).to_le_bytes());
        assert!(rows(&bytes).unwrap_err().starts_with("the metadata: 68157440 bytes"));

        // A data page of 100 MiB in encoding 0, 6 or 7; a dictionary of 16 Mi values in no bytes.
        let page = b"\x15\0\x15\x80\x80\x80\x64\x15\x02\x2c\x15\x02\x15";
        let dictionary = b"\x15\x04\x15\0\x15\0\x4c\x15\x82\x80\x80\x10\x15";
        for (header, encoding, read, message) in [
            (page, 0, 2, "the pages of a few rows: 314572800 bytes"),
            (page, 12, 0, "a page has an encoding that the metadata does not name"),
            (page, 14, 0, "a page has an encoding that the metadata does not name"),
            (dictionary, 0, 0, "the pages of a few rows: 268435472 bytes"),
        ] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&[&header[..], &[encoding, 0, 0]].concat()).unwrap();
            let pages = Pages { file, used: Arc::default() };
            for _ in 0..read {
                assert!(pages.get_read(0).is_ok());
            }
            let error = pages.get_read(0).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    /// Rows that repeat one long text take its memory only once.
    #[test]
    fn repeated_texts_take_no_more_memory() {
        let texts = StringArray::from_iter_values((0..4096).map(|_| "x".repeat(100_000)));
        let batch = RecordBatch::try_from_iter([("fen", Arc::new(texts) as ArrayRef)]).unwrap();
        let properties = WriterProperties::builder().set_writer_version(WriterVersion::PARQUET_1_0);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&parquet(&batch, properties.build())).unwrap();
        let mut file = ColumnFile::open(true, file, "x".into()).unwrap();
        let mut count = 0;
        while let Some(rows) = file.next().unwrap() {
            count += rows.columns[0].len();
            let bytes = rows.columns[0].get_array_memory_size();
            assert!(bytes < 1 << 20, "{bytes} bytes for {} rows", rows.columns[0].len());
        }
        assert_eq!(count, 4096);
    }

    /// Only the columns that are read may not have the encodings.
    #[test]
    fn some_encodings_are_refused() {
        for encoding in REFUSED {
            for (column, is_refused) in [("fen", true), ("other", false)] {
                let text = || Arc::new(StringArray::from(vec!["8/8", "8/8 w"])) as ArrayRef;
                let batch = [("other", text()), ("fen", text())];
                let properties = WriterProperties::builder()
                    .set_dictionary_enabled(false)
                    .set_column_encoding(column.into(), encoding);
                let bytes =
                    parquet(&RecordBatch::try_from_iter(batch).unwrap(), properties.build());
                let result = rows(&bytes);
                if is_refused {
                    let error = result.unwrap_err();
                    let message = format!("column \"fen\": the encoding {encoding} takes memory");
                    assert!(error.starts_with(&message), "{error}");
                } else {
                    assert_eq!(result, Ok(2));
                }
            }
        }
    }

    /// The message of a file that lacks the columns quotes its names.
    #[test]
    fn messages_are_printable() {
        let column: ArrayRef = Arc::new(UInt64Array::from(vec![0]));
        let batch = RecordBatch::try_from_iter([("\u{202e}a\u{1b}[2J", column)]).unwrap();
        let error = rows(&arrow(&batch, None)).unwrap_err();
        assert!(error.ends_with("; it has \\u{202e}a\\u{1b}[2J"), "{error}");
    }

    /// A group without fields before the columns, which Arrow's schema does not have.
    #[test]
    fn groups_without_fields_are_refused() {
        let mut bytes = parquet(&sets(1), WriterProperties::default());
        let end = bytes.len() - 8;
        let [length @ .., _, _, _, _] = *bytes[end..].first_chunk::<8>().unwrap();
        let start = end - u32::from_le_bytes(length) as usize;
        // The schema is a list of six structs. The first is the root, which has five children.
        let root = b"\x6c\x48\x0carrow_schema\x15\x0a\0";
        let at = bytes[start..].windows(root.len()).position(|window| window == root).unwrap();
        let with = b"\x7c\x48\x0carrow_schema\x15\x0c\0\x35\0\x18\x01e\0";
        bytes.splice(start + at..start + at + root.len(), with.iter().copied());
        let end = bytes.len() - 8;
        bytes[end..end + 4].copy_from_slice(&((end - start) as u32).to_le_bytes());
        assert_eq!(rows(&bytes), Err("a column is a group without fields".into()));
    }

    /// The limit is for the pages of a few rows, not of the file.
    #[test]
    fn long_files_can_be_read() {
        let texts = StringArray::from_iter_values((0..6144).map(|_| "x".repeat(50_000)));
        let batch = RecordBatch::try_from_iter([("fen", Arc::new(texts) as ArrayRef)]).unwrap();
        let properties = WriterProperties::builder().set_dictionary_enabled(false);
        let properties = properties.set_compression(Compression::ZSTD(ZstdLevel::default()));
        let bytes = parquet(&batch, properties.build());
        assert!(bytes.len() < 1 << 20 && batch.get_array_memory_size() as u64 > MAX_PAGES);
        drop(batch);
        assert_eq!(rows(&bytes), Ok(6144));
    }

    #[test]
    fn headers_of_pages() {
        let header = |decompressed, stored, dictionary, encoding| {
            Some(PageHeader { stored, decompressed, dictionary, encoding })
        };
        for (bytes, expected) in [
            // Type 0, sizes 300 and 5; a data page of 1 value in encoding 7.
            (&b"\x15\0\x15\xd8\x04\x15\x0a\x2c\x15\x02\x15\x0e\0\0"[..], header(300, 5, 0, 7)),
            // With a checksum and statistics: three bytes and a number, which is not the encoding.
            (
                b"\x15\0\x15\x02\x15\x04\x15\x07\x1c\x15\x02\x15\0\x3c\x18\x03abc\x16\x0e\0\0\0",
                header(1, 2, 0, 0),
            ),
            // A dictionary page; a data page of version 2, whose encoding is the fourth number.
            (b"\x15\x04\x15\x02\x15\x04\x4c\x15\x06\x15\x10\x11\0\0", header(1, 2, 3, 0)),
            (
                b"\x15\x06\x15\x02\x15\x04\x5c\x15\x02\x15\x0e\x15\x02\x15\x0e\0\0",
                header(1, 2, 0, 7),
            ),
            // A negative size is huge.
            (b"\x15\0\x15\x01\x15\x0a\x2c\0\0", header(1 << 63, 5, 0, 0)),
            // A size that is bytes or of 64 bits, a page that is a number, an encoding of 33 bits.
            (b"\x15\0\x18\x02ab\x15\x0a\0", None),
            (b"\x15\0\x16\x02\x15\x0a\0", None),
            (b"\x15\0\x15\x02\x15\x0a\x25\x02\0", None),
            (b"\x15\0\x15\x02\x15\x04\x2c\x15\x02\x15\x8e\x80\x80\x80\x20\0\0", None),
            // A field twice, an unknown type, structs too deep, bytes and a number too long, cut.
            (b"\x15\0\x15\x02\x05\x04\x04\x15\x0a\0", None),
            (b"\x15\0\x15\x02\x15\x04\x05\x02\0", None),
            (b"\x99\x02\0", None),
            (b"\x5c\x5c\x1c\0\0\0\0", None),
            (b"\x98\x09abc\0", None),
            (b"\x15\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\0", None),
            (b"\x15\0\x15\x02\x15\x0a\x2c\x15\x02\x15", None),
        ] {
            assert_eq!(PageHeader::read(&mut &bytes[..]), expected, "{}", bytes.escape_ascii());
        }
    }
}
