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
pub(crate) use columns::{ATTACKS_BY_KIND, Column, Columns, Evaluated, Layout, OF_MOVES, RecordOf};
use npz::Archive;
use text::Text;

/// The extension of a file name, in lower case.
fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

pub(crate) struct OutputFormat {
    layout: Layout,
    encoding: Encoding,
}

enum Encoding {
    Text(Text),
    Npy,
    Npz,
}

impl OutputFormat {
    /// Chooses the format by the file's extension, or JSON lines for stdout. If `columns` is empty,
    /// the default columns are written. In text, boards are hexadecimal, or decimal if `decimal`.
    pub(crate) fn new(
        path: Option<&Path>,
        columns: &[Column],
        record: RecordOf,
        decimal: bool,
    ) -> Result<OutputFormat, Failure> {
        let layout = Layout::new(columns, record)?;
        let text = |is_json| Encoding::Text(Text::new(&layout, is_json, decimal));
        let Some(path) = path else {
            return Ok(OutputFormat { encoding: text(true), layout });
        };
        let wrong =
            |what: &str| Err(Failure::Input(format!("--output {}: {what}", print::name(path))));
        let encoding = match extension(path).as_deref() {
            Some("jsonl" | "ndjson") => text(true),
            Some("npy" | "npz") if columns.contains(&Column::Fen) => {
                return Err(Failure::Input(
                    "--columns: NumPy files have numbers only, no fen".into(),
                ));
            }
            Some("npz") if record == RecordOf::Threats => Encoding::Npz,
            Some("npz") => return wrong("it is for --record threats: use .npy"),
            _ if record == RecordOf::Threats => {
                return wrong("threats are written to .jsonl or .npz");
            }
            Some("csv") => text(false),
            Some("arrow" | "parquet") => return wrong("use the Python package"),
            _ if decimal => return wrong("--decimal is for .csv and .jsonl"),
            Some("npy") => Encoding::Npy,
            _ => return wrong("the extension must be .jsonl, .csv, .npy or .npz"),
        };
        let is_text = matches!(encoding, Encoding::Text(_));
        let layout = if is_text { layout } else { layout.without_fen() };
        Ok(OutputFormat { layout, encoding })
    }

    pub(crate) fn is_json_lines(&self) -> bool {
        matches!(&self.encoding, Encoding::Text(text) if text.header.is_empty())
    }

    pub(crate) fn needs(&self, column: Column) -> bool {
        self.layout.needs(column)
    }

    /// Replaces the buffer's contents with the records of the positions.
    pub(crate) fn write(&self, positions: &Evaluated<'_>, records: &mut Vec<u8>) {
        match &self.encoding {
            Encoding::Text(text) => text.write(positions, records),
            Encoding::Npy => npy::write(&self.layout, positions, records),
            Encoding::Npz => npz::write(&self.layout, positions, records),
        }
    }

    fn header(&self, records: u64) -> Vec<u8> {
        match &self.encoding {
            Encoding::Text(text) => text.header.clone().into_bytes(),
            Encoding::Npy => npy::file_header(&self.layout, records),
            Encoding::Npz => Vec::new(),
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
        let mut output = match (path, &format.encoding) {
            (None, _) => Output::Stdout,
            (Some(path), Encoding::Npz) => Output::Archive(Archive::create(path, &format.layout)?),
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
        if matches!(format.encoding, Encoding::Npy) {
            // The header contains the number of records, which is known only now.
            let records = positions * format.layout.per_position as u64;
            file.write_at_start(&format.header(records))?;
        }
        file.publish()
    }
}
