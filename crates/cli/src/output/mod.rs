//! The output of `attacks`: JSON lines, CSV, a `NumPy` array, or an archive of such arrays.

pub(crate) mod atomic_file;
mod columns;
mod npy;
mod npz;
mod text;

use std::path::Path;

use crate::failure::Failure;
use crate::print;
use atomic_file::AtomicFile;
pub(crate) use columns::{BOARDS, Column, Evaluated, Layout, RecordOf};
use npy::Npy;
use npz::{Archive, Npz};
use text::Text;

/// The extension of a file name, in lower case.
pub(crate) fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// The format of the output.
pub(crate) enum OutputFormat {
    Text(Text),
    Npy(Npy),
    Npz(Npz),
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
        match extension(path).as_deref() {
            Some("jsonl" | "ndjson") => Ok(OutputFormat::Text(Text::json_lines(layout, decimal))),
            Some("npy" | "npz") if columns.contains(&Column::Fen) => {
                Err(Failure::Input("--columns: NumPy files have numbers only, no fen".into()))
            }
            Some("npz") if of == RecordOf::Threats => Ok(OutputFormat::Npz(Npz::new(layout))),
            Some("npz") => wrong("it is for --record threats: use .npy"),
            _ if of == RecordOf::Threats => wrong("threats are written to .jsonl or .npz"),
            Some("csv") => Ok(OutputFormat::Text(Text::csv(layout, decimal))),
            Some("arrow" | "parquet") => wrong("use setwise-sql or the Python package"),
            _ if decimal => wrong("--decimal is for .csv and .jsonl"),
            Some("npy") => Ok(OutputFormat::Npy(Npy::new(layout))),
            _ => wrong("the extension must be .jsonl, .csv, .npy or .npz"),
        }
    }

    fn layout(&self) -> &Layout {
        match self {
            OutputFormat::Text(text) => text.layout(),
            OutputFormat::Npy(npy) => npy.layout(),
            OutputFormat::Npz(npz) => npz.layout(),
        }
    }

    /// Whether the records contain this column.
    pub(crate) fn needs(&self, column: Column) -> bool {
        self.layout().needs(column)
    }

    /// Replaces the buffer's contents with the records of the positions.
    pub(crate) fn write(&self, positions: &Evaluated<'_>, records: &mut Vec<u8>) {
        match self {
            OutputFormat::Text(text) => {
                records.clear();
                text.write(positions, records);
            }
            OutputFormat::Npy(npy) => npy.write(positions, records),
            OutputFormat::Npz(npz) => npz.write(positions, records),
        }
    }

    fn header(&self, records: u64) -> Vec<u8> {
        match self {
            OutputFormat::Text(text) => text.header(),
            OutputFormat::Npy(npy) => npy.header(records),
            OutputFormat::Npz(_) => Vec::new(),
        }
    }
}

/// An open output. An existing file of the same name stays untouched until `finish`.
pub(crate) enum Output {
    Stdout,
    File(AtomicFile),
    Archive(Archive),
}

impl Output {
    /// Opens a file, or stdout, and writes the header.
    pub(crate) fn create(path: Option<&Path>, format: &OutputFormat) -> Result<Output, Failure> {
        let mut output = match (path, format) {
            (None, _) => Output::Stdout,
            (Some(path), OutputFormat::Npz(npz)) => Output::Archive(Archive::create(path, npz)?),
            (Some(path), _) => Output::File(AtomicFile::create(path)?),
        };
        output.write(&format.header(0))?;
        Ok(output)
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match self {
            Output::Stdout if bytes.is_empty() => Ok(()),
            Output::Stdout => print::bytes(bytes),
            Output::File(file) => file.write(bytes),
            Output::Archive(archive) => archive.write(bytes),
        }
    }

    /// Completes the output and gives a file its final name.
    pub(crate) fn finish(self, format: &OutputFormat, positions: u64) -> Result<(), Failure> {
        let mut file = match self {
            Output::Stdout => return Ok(()),
            Output::Archive(archive) => return archive.finish(positions),
            Output::File(file) => file,
        };
        if let OutputFormat::Npy(npy) = format {
            // The header contains the number of records, which is known only now.
            let records = positions * npy.layout().per_position as u64;
            file.write_at_start(&npy.header(records))?;
        }
        file.publish()
    }
}
