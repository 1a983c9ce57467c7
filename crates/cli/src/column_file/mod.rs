//! Parquet and Arrow IPC files of positions: a column of FENs, or columns of sets.
//!
//! Files are not trusted. The readers validate the data that they decode. If a reader panics, the
//! program reports an error in the file.

mod arrow_file;
mod columns;
mod limits;
mod parquet_file;
mod thrift;

use std::any::Any;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType};
#[allow(unused_imports, reason = "only the output uses it, and tests compile this alone")]
pub(crate) use columns::RECORD;
use columns::{Batches, SETS};
use setwise_measure::printable::is_printable;
use setwise_positions::{Batch, LineError};

/// The minimum size of a file, in bytes: Parquet's magic number, a length, the magic number again.
const SHORTEST: u64 = 12;

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
    /// The number of the first row. Rows are counted from 1.
    first: u64,
    columns: Vec<ArrayRef>,
    has_sets: bool,
}

impl ColumnFile {
    /// Opens a file. `name` is its name in messages.
    pub(crate) fn open(is_parquet: bool, file: File, name: String) -> Result<ColumnFile, String> {
        let open = || match file.metadata()?.len() {
            0..SHORTEST => Err(ArrowError::SchemaError("the file is too short".into())),
            _ if is_parquet => parquet_file::open(file),
            _ => arrow_file::open(file),
        };
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

/// Installs a panic hook for the readers. If panics unwind, the hook prints nothing about a
/// reader's panic, because [`guarded`] returns it as an error. If panics abort, the hook prints the
/// error and ends the process with exit code 2.
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

/// Calls `read` for the file `name`, and turns a panic of the reader into an error.
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

/// Truncates a message and escapes its control characters, because it may quote the file.
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

impl Rows {
    /// Whether the rows hold sets, not FENs.
    pub(crate) fn has_sets(&self) -> bool {
        self.has_sets
    }

    /// Reads the FENs. A null is an error.
    pub(crate) fn read_fens(&self, batch: &mut Batch) {
        let column = &self.columns[0];
        // Parquet's reader returns string views, but does not always validate their UTF-8. So they
        // are read as bytes.
        let views = column.as_string_view_opt().map(|texts| texts.clone().to_binary_view());
        let views = views.as_ref().or_else(|| column.as_binary_view_opt());
        for (row, line) in (0..column.len()).zip(self.first..) {
            let text = match (views, column.data_type()) {
                _ if column.is_null(row) => &[],
                (Some(views), _) => views.value(row),
                (None, DataType::Binary) => column.as_binary::<i32>().value(row),
                (None, _) => column.as_binary::<i64>().value(row),
            };
            batch.read_line(text, line);
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

/// The numbers of a column. Signed numbers are reinterpreted as unsigned.
fn numbers(column: &ArrayRef) -> &[u64] {
    match column.data_type() {
        DataType::UInt64 => column.as_primitive::<UInt64Type>().values(),
        _ => bytemuck::cast_slice(column.as_primitive::<Int64Type>().values()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Seek;
    use std::sync::Arc;

    use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt64Array};
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{Compression, GzipLevel, ZstdLevel};
    use parquet::file::properties::{WriterProperties, WriterVersion};

    use super::parquet_file::{MAX_PAGES, REFUSED};
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

    /// Changes every byte of each file in two ways, and truncates each file at many lengths.
    #[test]
    fn damaged_files_are_errors_or_can_be_read() {
        contain_panics();
        let (mut refused, mut total) = (0, 0);
        let gzip =
            WriterProperties::builder().set_compression(Compression::GZIP(GzipLevel::default()));
        let gzip = gzip.build();
        for batch in [fens(20), sets(20)] {
            for whole in [
                arrow(&batch, None),
                arrow(&batch, Some(CompressionType::ZSTD)),
                arrow(&batch, Some(CompressionType::LZ4_FRAME)),
                parquet(&batch, WriterProperties::default()),
                parquet(&batch, compressed(WriterVersion::PARQUET_2_0)),
                parquet(&batch, gzip.clone()),
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

    /// Tests files that claim sizes above the limits, and files whose data are longer than they
    /// claim.
    #[test]
    fn memory_is_limited() {
        let mut bytes = arrow(&sets(3000), Some(CompressionType::ZSTD));
        assert_eq!(rows(&bytes), Ok(3000));
        let prefix = 24_000_u64.to_le_bytes();
        let at = bytes.windows(8).position(|window| window == prefix).unwrap();
        // `size` is the decompressed size that the first of five columns claims.
        for (size, message) in [(1 << 40, "1099511627776 "), (256 << 20, "268459456 ")] {
            bytes[at..at + 8].copy_from_slice(&u64::to_le_bytes(size));
            let error = rows(&bytes).unwrap_err();
            let message = "a record batch after decompression: ".to_owned() + message;
            assert!(error.starts_with(&message), "{error}");
        }

        // A buffer that decompresses to one byte more than it claims.
        let mut bytes = arrow(&sets(3000), Some(CompressionType::LZ4_FRAME));
        assert_eq!(rows(&bytes), Ok(3000));
        let at = bytes.windows(8).position(|window| window == prefix).unwrap();
        bytes[at..at + 8].copy_from_slice(&u64::to_le_bytes(23_999));
        assert_eq!(rows(&bytes), Err("a buffer is longer than it says".into()));

        // A gzip page that decompresses to 64 bytes more than it claims.
        let gzip = Compression::GZIP(GzipLevel::default());
        let properties = WriterProperties::builder().set_compression(gzip);
        let properties = properties.set_dictionary_enabled(false).build();
        let mut bytes = parquet(&sets(3000), properties);
        let header = b"\x15\0\x15\x80\xf7\x02";
        let at = bytes.windows(6).position(|window| window == header).unwrap();
        bytes[at + 4] -= 1;
        let error = rows(&bytes).unwrap_err();
        assert!(error.ends_with("a page is longer than its header says"), "{error}");

        // Arrow stores the footer's length in 4 bytes, 10 bytes before the end. Parquet stores the
        // metadata's length in 4 bytes, 8 bytes before the end.
        let mut bytes = arrow(&sets(1), None);
        let at = bytes.len() - 10;
        bytes[at..at + 4].copy_from_slice(&i32::MAX.to_le_bytes());
        assert!(rows(&bytes).unwrap_err().starts_with("the footer: 2147483647 bytes"));
        let mut bytes = parquet(&sets(1), WriterProperties::default());
        let at = bytes.len() - 8;
        bytes[at..at + 4].copy_from_slice(&(65_u32 << 20).to_le_bytes());
        assert!(rows(&bytes).unwrap_err().starts_with("the metadata: 68157440 bytes"));
    }

    /// Checks that rows that repeat one long text need memory for one copy only.
    #[test]
    fn repeated_texts_take_no_more_memory() {
        let text = || "8/8/8/8/8/8/8/8 w - - 0 ".to_owned() + &"1".repeat(100_000);
        let texts = StringArray::from_iter_values((0..4096).map(|_| text()));
        let batch = RecordBatch::try_from_iter([("fen", Arc::new(texts) as ArrayRef)]).unwrap();
        let properties = WriterProperties::builder().set_writer_version(WriterVersion::PARQUET_1_0);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&parquet(&batch, properties.build())).unwrap();
        let mut file = ColumnFile::open(true, file, "x".into()).unwrap();
        let (mut count, mut positions) = (0, Batch::default());
        while let Some(rows) = file.next().unwrap() {
            rows.read_fens(&mut positions);
            count += rows.columns[0].len();
            let bytes = rows.columns[0].get_array_memory_size();
            assert!(bytes < 1 << 20, "{bytes} bytes for {} rows", rows.columns[0].len());
        }
        assert_eq!((count, positions.len(), positions.errors().len()), (4096, 0, 4096));
        let error = positions.errors()[0].to_string();
        assert_eq!(error, "1: line: it is longer than 65536 bytes");
    }

    #[test]
    fn files_that_are_too_short() {
        let too_short = Err("the file is too short".to_owned());
        assert_eq!(rows(b""), too_short);
        assert_eq!(rows(b"PAR1\0\0\0PAR1"), too_short);
        let error = rows(b"PAR1\x05\0\0\0PAR1");
        assert_eq!(error, Err("the metadata: 5 bytes exceed the limit of 4".into()));
        assert_eq!(rows(b"PAR1\0\0\0\0PARE"), Err("the file is encrypted".into()));
    }

    /// Tests a file whose footer refers three times to the first record batch.
    #[test]
    fn record_batches_do_not_overlap() {
        let options = IpcWriteOptions::default();
        let schema = sets(1).schema();
        let mut writer = FileWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
        for count in [3000, 1, 1] {
            writer.write(&sets(count)).unwrap();
        }
        let mut bytes = writer.into_inner().unwrap();
        assert_eq!(rows(&bytes), Ok(3002));
        // A footer entry has 24 bytes and starts with the offset of the batch's message. The first
        // batch follows the schema's message.
        let start = bytes.windows(4).position(|window| window == [0xff; 4]).unwrap();
        let schema = 8 + u32::from_le_bytes(*bytes[start + 4..].first_chunk().unwrap()) as usize;
        let first = ((start + schema) as u64).to_le_bytes();
        let at = bytes.windows(8).rposition(|window| window == first).unwrap();
        let block: [u8; 24] = *bytes[at..].first_chunk().unwrap();
        bytes[at + 24..at + 72].copy_from_slice(&[block; 2].concat());
        assert_eq!(rows(&bytes), Err("record batches overlap".into()));
    }

    #[test]
    fn missing_rows_are_an_error() {
        let properties = WriterProperties::builder().set_dictionary_enabled(false).build();
        let whole = parquet(&fens(3000), properties);
        assert_eq!(rows(&whole), Ok(3000));
        // Changes the number of rows in the file, which follows the schema, from 3,000 to 0.
        let mut bytes = whole.clone();
        let after = b"\x16\xf0\x2e\x19";
        let at = bytes.windows(4).position(|window| window == after).unwrap();
        bytes[at + 1..at + 3].copy_from_slice(b"\x80\0");
        let message = "the metadata: 0 rows in the file, but 3000 in the row groups";
        assert_eq!(rows(&bytes), Err(message.into()));
        // Changes the number of values in the page of FENs from 3,000 to 2,999.
        let mut bytes = whole;
        let header = b"\x2c\x15\xf0\x2e";
        let at = bytes.windows(4).rposition(|window| window == header).unwrap();
        bytes[at + 2] = 0xee;
        assert_eq!(rows(&bytes), Err("1 of the 3000 rows are missing".into()));
    }

    /// Encodings are refused only in the columns that are read.
    #[test]
    fn some_encodings_and_compressions_are_refused() {
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
        for (compression, is_refused) in [
            (Compression::LZ4, true),
            (Compression::LZ4_RAW, false),
            (Compression::SNAPPY, false),
            (Compression::GZIP(GzipLevel::default()), false),
        ] {
            let properties = WriterProperties::builder().set_compression(compression).build();
            let result = rows(&parquet(&sets(3000), properties));
            if is_refused {
                let message = "column \"white_orthogonal\": the compression LZ4 takes memory";
                assert!(result.unwrap_err().starts_with(message));
            } else {
                assert_eq!(result, Ok(3000));
            }
        }
        // The test cannot write Brotli, so it changes the code of the compression, which follows
        // the name of the column.
        let properties = WriterProperties::builder().set_compression(Compression::LZ4_RAW).build();
        let mut bytes = parquet(&sets(3000), properties);
        let name = b"white_orthogonal\x15\x0e";
        let at = bytes.windows(name.len()).position(|window| window == name).unwrap();
        bytes[at + name.len() - 1] = 0x08;
        let message = "column \"white_orthogonal\": the compression BROTLI";
        assert!(rows(&bytes).unwrap_err().starts_with(message));
    }

    /// Tests the error message for a panic of the reader. In builds where panics abort, the panic
    /// hook prints this message.
    #[test]
    fn a_panic_is_an_error_of_the_file() {
        for panic in [&"at \u{1b}[2J" as &(dyn Any + Send), &"at \u{1b}[2J".to_owned()] {
            let message = "the file is damaged: its reader failed: at \\u{1b}[2J";
            assert_eq!(damaged(panic), message);
        }
        let long = damaged(&"x".repeat(1000));
        assert!(long.ends_with("xx...") && long.len() < 600, "{long}");
        contain_panics();
        let result = guarded("x", || -> Result<(), ArrowError> { panic!("as a test") });
        assert_eq!(result, Err("the file is damaged: its reader failed: as a test".into()));
    }

    /// Tests the error for a file without the required columns. The message quotes the names of the
    /// file's columns.
    #[test]
    fn messages_are_printable() {
        let column: ArrayRef = Arc::new(UInt64Array::from(vec![0]));
        let batch = RecordBatch::try_from_iter([("\u{202e}a\u{1b}[2J", column)]).unwrap();
        let error = rows(&arrow(&batch, None)).unwrap_err();
        assert!(error.ends_with("; it has \\u{202e}a\\u{1b}[2J"), "{error}");
    }

    /// Tests a schema with a group without fields before the columns. Arrow's schema leaves such
    /// groups out.
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

    /// The limit on the size of pages applies to one chunk of rows, not to the whole file.
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
}
