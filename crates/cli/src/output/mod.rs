//! Where the records of `attacks` go: JSON lines, CSV or a `NumPy` array.

pub(crate) mod atomic_file;
mod columns;
mod npy;
#[cfg(feature = "columns")]
mod table;
mod text;

use std::io::{self, Write};
use std::path::Path;

use crate::failure::Failure;
use crate::print;
use crate::signals;
use atomic_file::AtomicFile;
pub(crate) use columns::{Column, Layout, RecordOf, Records};
use npy::Npy;
use text::Text;

/// How records are written.
pub(crate) enum Format {
    Text(Text),
    Npy(Npy),
    #[cfg(feature = "columns")]
    Table(table::Table),
}

impl Format {
    /// That of stdout, or of a file's extension; these columns, or all.
    pub(crate) fn new(
        path: Option<&Path>,
        columns: &[Column],
        of: RecordOf,
    ) -> Result<Format, Failure> {
        let layout = Layout::new(columns, of)?;
        let Some(path) = path else {
            return Ok(Format::Text(Text::json_lines(layout)));
        };
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("jsonl" | "ndjson") => Ok(Format::Text(Text::json_lines(layout))),
            Some("csv") => Ok(Format::Text(Text::csv(layout))),
            Some("npy") if columns.contains(&Column::Fen) => Err(Failure::Input(
                "--columns: an .npy file has numbers only, no fen".into(),
            )),
            Some("npy") => Ok(Format::Npy(Npy::new(layout))),
            #[cfg(feature = "columns")]
            Some("arrow") => Ok(Format::Table(table::Table::new(layout, false))),
            #[cfg(feature = "columns")]
            Some("parquet") => Ok(Format::Table(table::Table::new(layout, true))),
            #[cfg(not(feature = "columns"))]
            Some(kind @ ("arrow" | "parquet")) => Err(Failure::Input(format!(
                "--output {}: .{kind} is written if the command line is built with --features columns",
                print::name(path)
            ))),
            _ => Err(Failure::Input(format!(
                "--output {}: the extension must be .jsonl, .csv, .npy, .arrow or .parquet",
                print::name(path)
            ))),
        }
    }

    fn layout(&self) -> &Layout {
        match self {
            Format::Text(text) => text.layout(),
            Format::Npy(npy) => npy.layout(),
            #[cfg(feature = "columns")]
            Format::Table(table) => table.layout(),
        }
    }

    /// Whether records have the column.
    pub(crate) fn needs(&self, column: Column) -> bool {
        self.layout().needs(column)
    }

    /// Replaces bytes by the records of the positions.
    pub(crate) fn write(&self, records: &Records<'_>, bytes: &mut Bytes) {
        bytes.length = 0;
        match self {
            Format::Text(text) => text.write(records, bytes),
            Format::Npy(npy) => npy.write(records, bytes),
            #[cfg(feature = "columns")]
            Format::Table(table) => bytes.batch = Some(table.batch(records)),
        }
    }

    fn header(&self, records: u64) -> Vec<u8> {
        match self {
            Format::Text(text) => text.header(),
            Format::Npy(npy) => npy.header(records),
            #[cfg(feature = "columns")]
            Format::Table(_) => Vec::new(),
        }
    }

    /// Whether the header is known only at the end.
    fn counts(&self) -> bool {
        matches!(self, Format::Npy(_))
    }
}

/// Bytes that are written again and again, so that their memory is cleared only once.
#[derive(Default)]
pub(crate) struct Bytes {
    buffer: Vec<u8>,
    length: usize,
    /// In place of bytes, for a file of columns.
    #[cfg(feature = "columns")]
    batch: Option<arrow_array::RecordBatch>,
}

impl Bytes {
    /// Space for so many bytes behind those that are there, of which some are then told as [written](Bytes::wrote).
    fn space(&mut self, count: usize) -> &mut [u8] {
        let end = self.length + count;
        if self.buffer.len() < end {
            self.buffer.resize(end.max(2 * self.buffer.len()), 0);
        }
        &mut self.buffer[self.length..end]
    }

    fn wrote(&mut self, count: usize) {
        self.length += count;
    }

    fn as_slice(&self) -> &[u8] {
        &self.buffer[..self.length]
    }
}

/// An output that is complete once it is finished; until then, a file of that name is not touched.
pub(crate) enum Output {
    Stdout,
    File(AtomicFile),
    #[cfg(feature = "columns")]
    Table(AtomicFile, table::Writer),
}

impl Output {
    /// To a file, or to stdout.
    pub(crate) fn create(path: Option<&Path>, format: &Format) -> Result<Output, Failure> {
        let mut output = match path {
            Some(path) => Output::to_file(AtomicFile::create(path)?, format)?,
            None if signals::stdout_is_closed() => return Err(Failure::closed_stdout()),
            None => Output::Stdout,
        };
        output.write_bytes(&format.header(0))?;
        Ok(output)
    }

    #[cfg(feature = "columns")]
    fn to_file(mut file: AtomicFile, format: &Format) -> Result<Output, Failure> {
        let Format::Table(table) = format else {
            return Ok(Output::File(file));
        };
        let mut writer = None;
        file.with(|file| {
            writer = Some(table.writer(file.try_clone()?).map_err(io::Error::other)?);
            Ok(())
        })?;
        Ok(match writer {
            Some(writer) => Output::Table(file, writer),
            None => Output::File(file),
        })
    }

    #[cfg(not(feature = "columns"))]
    #[allow(clippy::unnecessary_wraps, reason = "as with the feature")]
    fn to_file(file: AtomicFile, _: &Format) -> Result<Output, Failure> {
        Ok(Output::File(file))
    }

    /// Hands records on.
    pub(crate) fn write(&mut self, bytes: &Bytes) -> Result<(), Failure> {
        #[cfg(feature = "columns")]
        if let Output::Table(file, writer) = self {
            let Some(batch) = &bytes.batch else {
                return Ok(());
            };
            return file.with(|_| writer.write(batch).map_err(io::Error::other));
        }
        self.write_bytes(bytes.as_slice())
    }

    /// Hands bytes to the operating system.
    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if bytes.is_empty() {
            return Ok(());
        }
        match self {
            Output::Stdout => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(bytes)?;
                Ok(stdout.flush()?)
            }
            Output::File(file) => file.with(|file| file.write_all(bytes)),
            #[cfg(feature = "columns")]
            Output::Table(..) => Ok(()),
        }
    }

    /// Completes the output of so many positions; a file gets its name now.
    pub(crate) fn finish(self, format: &Format, positions: u64) -> Result<(), Failure> {
        let records = positions * format.layout().rows as u64;
        let mut file = match self {
            Output::Stdout => return Ok(()),
            Output::File(file) => file,
            #[cfg(feature = "columns")]
            Output::Table(mut file, writer) => {
                file.with(|_| writer.finish().map_err(io::Error::other))?;
                file
            }
        };
        if format.counts() {
            file.with(|file| {
                io::Seek::rewind(file)?;
                file.write_all(&format.header(records))
            })?;
        }
        file.publish()
    }
}
