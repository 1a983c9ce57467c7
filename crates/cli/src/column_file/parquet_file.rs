//! Parquet files: the columns to read, and limits on the pages.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_schema::{ArrowError, DataType, Field, Schema};
use flate2::read::MultiGzDecoder;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{Compression, Encoding};
use parquet::errors::ParquetError;
use parquet::file::metadata::{FooterTail, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::{ChunkReader, Length};

use super::columns::{Batches, RECORD, find_columns};
use super::limits::{MAX_METADATA, ROWS, check, exceeds, longer_than};
use super::thrift::{PageHeader, check_metadata};

/// The maximum total size of the pages for a chunk of rows, in bytes. For each page, the largest of
/// three sizes counts: stored, decompressed, and the memory for a dictionary's values.
pub(super) const MAX_PAGES: u64 = 256 << 20;
/// Encodings of strings that are refused. In both, the compressed data of a page say how many
/// values follow, and the reader allocates memory for that number. In `DELTA_BYTE_ARRAY`, each
/// value can also repeat almost the whole page.
pub(super) const REFUSED: [Encoding; 2] =
    [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY];

pub(super) fn open(mut file: File) -> Result<(Batches, bool), ArrowError> {
    let mut tail = [0; 8];
    let before_tail = file.seek(SeekFrom::End(-8))?;
    file.read_exact(&mut tail)?;
    let tail = FooterTail::try_new(&tail)?;
    if tail.is_encrypted_footer() {
        return Err(ArrowError::SchemaError("the file is encrypted".into()));
    }
    let length = tail.metadata_length() as u64;
    check("the metadata", length, (MAX_METADATA as u64).min(before_tail))?;
    let mut bytes = vec![0; length as usize];
    file.seek(SeekFrom::Start(before_tail - length))?;
    file.read_exact(&mut bytes)?;
    check_metadata(&bytes).map_err(ArrowError::SchemaError)?;
    let metadata = Arc::new(ParquetMetaDataReader::decode_metadata(&bytes)?);
    let rows = count_rows(&metadata)?;
    // Skip the Arrow schema in the metadata: only the Parquet schema is needed.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let mut metadata = ArrowReaderMetadata::try_new(metadata, options.clone())?;
    // Refuse groups without fields. Arrow's schema leaves them out, but the mask below counts them
    // as columns, so its indices would be wrong.
    let roots = metadata.parquet_schema().root_schema().get_fields().len();
    if roots != metadata.schema().fields().len() {
        return Err(ArrowError::SchemaError("a column is a group without fields".into()));
    }
    let pairs = metadata.metadata().file_metadata().key_value_metadata();
    let record = pairs.into_iter().flatten().find(|pair| pair.key == RECORD);
    let record = record.and_then(|pair| pair.value.as_deref());
    let (columns, has_sets) = find_columns(metadata.schema(), record)?;
    let mask = ProjectionMask::roots(metadata.parquet_schema(), columns.iter().copied());
    if !has_sets {
        // Read FENs as string views: unlike strings, they do not repeat a dictionary's text for
        // each row.
        let fields = metadata.schema().fields().iter().enumerate().map(|(at, field)| {
            let is_fen = columns.contains(&at);
            let view = || Field::new(field.name(), DataType::Utf8View, field.is_nullable());
            if is_fen { Arc::new(view()) } else { Arc::clone(field) }
        });
        let schema = Schema::new(fields.collect::<Vec<_>>());
        let options = options.with_schema(Arc::new(schema));
        metadata = ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options)?;
    }
    let mut has_gzip = false;
    for group in metadata.metadata().row_groups() {
        for (leaf, column) in group.columns().iter().enumerate() {
            if !mask.leaf_included(leaf) {
                continue;
            }
            let name = column.column_path();
            let mut encodings = column.encodings();
            if let Some(encoding) = encodings.find(|encoding| REFUSED.contains(encoding)) {
                return Err(ArrowError::SchemaError(format!(
                    "column {name}: the encoding {encoding} takes memory without limit; write the \
                     column with the encoding PLAIN or with a dictionary"
                )));
            }
            match column.compression() {
                // For LZ4, the reader tries three formats, and one of them ignores the page's size.
                Compression::LZ4 => {
                    return Err(ArrowError::SchemaError(format!(
                        "column {name}: the compression LZ4 takes memory without limit; compress \
                         the column with LZ4_RAW, Snappy or Zstandard"
                    )));
                }
                compression @ (Compression::BROTLI(_) | Compression::LZO) => {
                    return Err(ArrowError::SchemaError(format!(
                        "column {name}: the compression {compression} is not supported; compress \
                         the column with Snappy or Zstandard"
                    )));
                }
                Compression::GZIP(_) => has_gzip = true,
                _ => {}
            }
        }
    }
    let used = Arc::new(AtomicU64::new(0));
    let pages = Pages { file, has_gzip, used: Arc::clone(&used) };
    let mut reader = ParquetRecordBatchReaderBuilder::new_with_metadata(pages, metadata)
        .with_projection(mask)
        .with_batch_size(ROWS)
        .build()?;
    // The reader ends without an error if the pages have too few rows, so count the missing rows.
    let mut left = rows;
    let batches = std::iter::from_fn(move || {
        used.store(0, Ordering::Relaxed);
        let batch = reader.next();
        match &batch {
            Some(Ok(batch)) => left = left.saturating_sub(batch.num_rows() as u64),
            None if left > 0 => {
                let missing = std::mem::take(&mut left);
                let message = format!("{missing} of the {rows} rows are missing");
                return Some(Err(ArrowError::SchemaError(message)));
            }
            _ => {}
        }
        batch
    });
    Ok((Box::new(batches), has_sets))
}

/// Returns the number of rows. The file's total must be the sum over its row groups, because the
/// reader would stop at a smaller total without an error.
fn count_rows(metadata: &ParquetMetaData) -> Result<u64, ArrowError> {
    let total = metadata.file_metadata().num_rows();
    let numbers = metadata.row_groups().iter().map(|group| u64::try_from(group.num_rows()));
    let sum: u64 = numbers.map(|number| number.unwrap_or(u64::MAX)).fold(0, u64::saturating_add);
    if u64::try_from(total) == Ok(sum) {
        return Ok(sum);
    }
    let message = format!("the metadata: {total} rows in the file, but {sum} in the row groups");
    Err(ArrowError::SchemaError(message))
}

/// The memory that the reader allocates for each value of a dictionary, in bytes.
const VIEW: u64 = 16;

/// A Parquet file whose pages are checked before the reader decompresses them.
struct Pages {
    file: File,
    /// Whether a column to be read is compressed with gzip. The `parquet` crate compares a gzip
    /// page with the size in its header only after it has decompressed the page, so `check` does it
    /// first.
    has_gzip: bool,
    /// The total size of the pages that were read for the current chunk of rows.
    used: Arc<AtomicU64>,
}

impl Pages {
    /// Checks the page at the start of the stream `page`.
    fn check(&self, page: &mut impl Read) -> Result<(), String> {
        let header = PageHeader::read(page).ok_or("the header of a page is invalid")?;
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
        if self.has_gzip {
            let mut data = page.take(header.stored);
            let levels = io::copy(&mut data.by_ref().take(header.levels), &mut io::sink());
            // The Parquet reader reports all other errors.
            let is_longer = || longer_than(MultiGzDecoder::new(data), header.decompressed);
            if levels.is_ok() && is_longer().unwrap_or(false) {
                return Err("a page is longer than its header says".into());
            }
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

    /// Checks the page at `start`, then returns a reader that starts there. The `parquet` crate
    /// calls this to read the page's header.
    fn get_read(&self, start: u64) -> parquet::errors::Result<BufReader<File>> {
        self.check(&mut self.file.get_read(start)?).map_err(ParquetError::General)?;
        self.file.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<bytes::Bytes> {
        self.file.get_bytes(start, length)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression as Level;
    use flate2::write::GzEncoder;

    use super::*;

    fn pages(bytes: &[u8], has_gzip: bool) -> Pages {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        Pages { file, has_gzip, used: Arc::default() }
    }

    #[test]
    fn the_sizes_of_pages_are_limited() {
        // Headers up to the encoding, which each case appends (zigzag: 12 is encoding 6, 14 is
        // encoding 7). `page` is a data page of 100 MiB. `dictionary` claims 16 Mi + 1 values in 0
        // bytes.
        let page = b"\x15\0\x15\x80\x80\x80\x64\x15\x02\x2c\x15\x02\x15";
        let dictionary = b"\x15\x04\x15\0\x15\0\x4c\x15\x82\x80\x80\x10\x15";
        for (header, encoding, read, message) in [
            (page, 0, 2, "the pages of a few rows: 314572800 bytes"),
            (page, 12, 0, "a page has an encoding that the metadata does not name"),
            (page, 14, 0, "a page has an encoding that the metadata does not name"),
            (dictionary, 0, 0, "the pages of a few rows: 268435472 bytes"),
        ] {
            let pages = pages(&[&header[..], &[encoding, 0, 0]].concat(), false);
            for _ in 0..read {
                assert!(pages.get_read(0).is_ok());
            }
            let error = pages.get_read(0).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    /// Pages of two gzip members that decompress to 60 bytes. Their headers claim various sizes. In
    /// a data page of version 2, the levels (here four bytes) are not compressed.
    #[test]
    fn pages_of_gzip_are_not_longer_than_their_headers_say() {
        let member = || {
            let mut encoder = GzEncoder::new(Vec::new(), Level::fast());
            encoder.write_all(&[b'x'; 30]).unwrap();
            encoder.finish().unwrap()
        };
        let data = [member(), member()].concat();
        for (size, is_accepted) in [(61, true), (60, true), (59, false), (0, false)] {
            let sizes = |more: usize| {
                let stored = 2 * (data.len() + more);
                [0x15, 2 * size, 0x15, 0x80 | stored as u8, (stored >> 7) as u8]
            };
            let first = [&[0x15, 0], &sizes(0)[..], &[0x2c, 0x15, 2, 0x15, 0, 0, 0], &data];
            let second = [
                &[0x15, 6],
                &sizes(4)[..],
                &[0x5c, 0x15, 2, 0x15, 0, 0x15, 2, 0x15, 0, 0x15, 2, 0x15, 6, 0, 0],
                b"\x1f\x8b\x08\0",
                &data,
            ];
            for page in [first.concat(), second.concat()] {
                assert_eq!(pages(&page, true).get_read(0).is_ok(), is_accepted, "{size}");
                assert!(pages(&page, false).get_read(0).is_ok());
            }
        }
    }
}
