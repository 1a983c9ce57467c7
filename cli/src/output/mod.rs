//! Where the records of `attacks` go: JSON lines, CSV or a `NumPy` array.

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
pub(crate) use columns::{Column, Layout, RecordOf, Records};
use npy::Npy;
use text::Text;

/// How records are written.
pub(crate) enum Format {
    Text(Text),
    Npy(Npy),
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
            _ => Err(Failure::Input(format!(
                "--output {}: the extension must be .jsonl, .csv or .npy",
                print::name(path)
            ))),
        }
    }

    fn layout(&self) -> &Layout {
        match self {
            Format::Text(text) => text.layout(),
            Format::Npy(npy) => npy.layout(),
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
        }
    }

    fn header(&self, records: u64) -> Vec<u8> {
        match self {
            Format::Text(text) => text.header(),
            Format::Npy(npy) => npy.header(records),
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

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.buffer[..self.length]
    }
}

/// An output that is complete once it is finished; until then, a file of that name is not touched.
pub(crate) enum Output {
    Stdout,
    File(AtomicFile),
}

impl Output {
    /// To a file, or to stdout.
    pub(crate) fn create(path: Option<&Path>, format: &Format) -> Result<Output, Failure> {
        let mut output = match path {
            Some(path) => Output::File(AtomicFile::create(path)?),
            None if signals::stdout_is_closed() => return Err(Failure::closed_stdout()),
            None => Output::Stdout,
        };
        output.write(&format.header(0))?;
        Ok(output)
    }

    /// Hands bytes to the operating system.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
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
        }
    }

    /// Completes the output of so many positions; a file gets its name now.
    pub(crate) fn finish(self, format: &Format, positions: u64) -> Result<(), Failure> {
        let records = positions * format.layout().rows as u64;
        let Output::File(mut file) = self else {
            return Ok(());
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
