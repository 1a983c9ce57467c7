//! The output of `attacks`: JSON lines, CSV, a `NumPy` array, Arrow IPC or Parquet.

#[cfg(feature = "columns")]
mod arrow;
pub(crate) mod atomic_file;
mod columns;
mod npy;
mod text;

use std::io::{self, Write};
use std::path::Path;

use crate::failure::Failure;
use crate::print;
use crate::signals;
use atomic_file::AtomicFile;
pub(crate) use columns::{BOARDS, Column, Evaluated, Layout, RecordOf};
use npy::Npy;
use text::Text;

/// The format of the output.
pub(crate) enum OutputFormat {
    Text(Text),
    Npy(Npy),
    #[cfg(feature = "columns")]
    Arrow(arrow::ArrowFormat),
}

impl OutputFormat {
    /// Chooses the format by the file's extension, or JSON lines for stdout. If `columns` is empty,
    /// the default columns are written. In text, boards are hexadecimal, or decimal if `decimal`.
    pub(crate) fn new(
        path: Option<&Path>,
        columns: &[Column],
        of: RecordOf,
        decimal: bool,
    ) -> Result<OutputFormat, Failure> {
        let layout = Layout::new(columns, of)?;
        let Some(path) = path else {
            return Ok(OutputFormat::Text(Text::json_lines(layout, decimal)));
        };
        let wrong =
            |what: &str| Err(Failure::Input(format!("--output {}: {what}", print::name(path))));
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("jsonl" | "ndjson") => Ok(OutputFormat::Text(Text::json_lines(layout, decimal))),
            Some("csv") => Ok(OutputFormat::Text(Text::csv(layout, decimal))),
            _ if decimal => wrong("--decimal is for .csv and .jsonl"),
            Some("npy") if columns.contains(&Column::Fen) => {
                Err(Failure::Input("--columns: an .npy file has numbers only, no fen".into()))
            }
            Some("npy") => Ok(OutputFormat::Npy(Npy::new(layout))),
            #[cfg(feature = "columns")]
            Some(kind @ ("arrow" | "parquet")) => {
                let format = arrow::ArrowFormat::new(layout, kind == "parquet");
                Ok(OutputFormat::Arrow(format))
            }
            #[cfg(not(feature = "columns"))]
            Some(kind @ ("arrow" | "parquet")) => {
                wrong(&format!(".{kind} needs a build with --features columns"))
            }
            _ => wrong("the extension must be .jsonl, .csv, .npy, .arrow or .parquet"),
        }
    }

    fn layout(&self) -> &Layout {
        match self {
            OutputFormat::Text(text) => text.layout(),
            OutputFormat::Npy(npy) => npy.layout(),
            #[cfg(feature = "columns")]
            OutputFormat::Arrow(arrow) => arrow.layout(),
        }
    }

    /// Whether the records contain this column.
    pub(crate) fn needs(&self, column: Column) -> bool {
        self.layout().needs(column)
    }

    /// Replaces the buffer's contents with the records of the positions.
    pub(crate) fn write(&self, positions: &Evaluated<'_>, buffer: &mut Buffer) {
        match self {
            OutputFormat::Text(text) => {
                buffer.bytes.clear();
                text.write(positions, &mut buffer.bytes);
            }
            OutputFormat::Npy(npy) => npy.write(positions, &mut buffer.bytes),
            #[cfg(feature = "columns")]
            OutputFormat::Arrow(arrow) => buffer.batch = Some(arrow.batch(positions)),
        }
    }

    fn header(&self, records: u64) -> Vec<u8> {
        match self {
            OutputFormat::Text(text) => text.header(),
            OutputFormat::Npy(npy) => npy.header(records),
            #[cfg(feature = "columns")]
            OutputFormat::Arrow(_) => Vec::new(),
        }
    }

    /// Whether the header contains the number of records, which is known only at the end.
    fn counts(&self) -> bool {
        matches!(self, OutputFormat::Npy(_))
    }
}

/// Records ready to be written.
#[derive(Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    /// The records for Arrow IPC and Parquet, which do not use `bytes`.
    #[cfg(feature = "columns")]
    batch: Option<arrow_array::RecordBatch>,
}

/// An open output. An existing file of the same name stays untouched until `finish`.
pub(crate) enum Output {
    Stdout,
    File(AtomicFile),
    #[cfg(feature = "columns")]
    Arrow(AtomicFile, arrow::BatchWriter),
}

impl Output {
    /// Opens a file, or stdout, and writes the header.
    pub(crate) fn create(path: Option<&Path>, format: &OutputFormat) -> Result<Output, Failure> {
        let mut output = match path {
            Some(path) => Output::to_file(AtomicFile::create(path)?, format)?,
            None if signals::stdout_is_closed() => return Err(Failure::closed_stdout()),
            None => Output::Stdout,
        };
        output.write_bytes(&format.header(0))?;
        Ok(output)
    }

    #[cfg(feature = "columns")]
    fn to_file(mut file: AtomicFile, format: &OutputFormat) -> Result<Output, Failure> {
        let OutputFormat::Arrow(arrow) = format else {
            return Ok(Output::File(file));
        };
        let writer = file.with(|file| arrow.writer(file.try_clone()?).map_err(io::Error::other))?;
        Ok(Output::Arrow(file, writer))
    }

    #[cfg(not(feature = "columns"))]
    #[allow(clippy::unnecessary_wraps, reason = "same signature as with the feature")]
    fn to_file(file: AtomicFile, _: &OutputFormat) -> Result<Output, Failure> {
        Ok(Output::File(file))
    }

    pub(crate) fn write(&mut self, buffer: &Buffer) -> Result<(), Failure> {
        #[cfg(feature = "columns")]
        if let (Output::Arrow(file, writer), Some(batch)) = (&mut *self, &buffer.batch) {
            return file.with(|_| writer.write(batch).map_err(io::Error::other));
        }
        self.write_bytes(&buffer.bytes)
    }

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
            Output::Arrow(..) => Ok(()),
        }
    }

    /// Completes the output and gives a file its final name.
    pub(crate) fn finish(self, format: &OutputFormat, positions: u64) -> Result<(), Failure> {
        let records = positions * format.layout().per_position as u64;
        let mut file = match self {
            Output::Stdout => return Ok(()),
            Output::File(file) => file,
            #[cfg(feature = "columns")]
            Output::Arrow(mut file, writer) => {
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
