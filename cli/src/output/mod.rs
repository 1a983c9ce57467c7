//! Where the records of `attacks` go: JSON lines, CSV or a `NumPy` array.

mod atomic_file;
mod csv;
mod jsonl;
mod npy;

use std::io::{self, BufWriter};
use std::path::Path;

use crate::failure::Failure;
use crate::position::Side;
use atomic_file::AtomicFile;

/// The attacks of one side of one position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'a> {
    /// The line of the input, counted from 1.
    pub(crate) line: u64,
    /// The fields that were read, ASCII without quotes and backslashes.
    pub(crate) fen: &'a str,
    pub(crate) side: Side,
    pub(crate) boards: [u64; 6],
}

/// The names of [`Record::boards`], in order.
pub(crate) const BOARD_NAMES: [&str; 6] = [
    "orthogonal",
    "diagonal",
    "occupied",
    "rook_attacks",
    "bishop_attacks",
    "slider_attacks",
];

/// Takes records one after the other.
trait Sink {
    fn write(&mut self, record: &Record<'_>) -> io::Result<()>;

    /// Hands everything to the operating system.
    fn flush(&mut self) -> io::Result<()>;

    /// Writes what can only be written at the end.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Buffered more than usual: records are written at hundreds of megabytes a second.
const BUFFER: usize = 256 * 1024;

#[derive(Clone, Copy)]
enum Format {
    JsonLines,
    Csv,
    Npy,
}

impl Format {
    fn of(path: &Path) -> Result<Format, Failure> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("jsonl" | "ndjson") => Ok(Format::JsonLines),
            Some("csv") => Ok(Format::Csv),
            Some("npy") => Ok(Format::Npy),
            _ => Err(Failure::Input(format!(
                "--output {}: the extension must be .jsonl, .csv or .npy",
                path.display()
            ))),
        }
    }
}

/// An output that is complete once it is finished; until then, a file of that name is not touched.
pub(crate) struct Output {
    sink: Box<dyn Sink>,
    file: Option<AtomicFile>,
}

impl Output {
    /// To stdout, as JSON lines.
    pub(crate) fn stdout() -> Output {
        let stdout = BufWriter::with_capacity(BUFFER, io::stdout().lock());
        Output {
            sink: Box::new(jsonl::JsonLines::new(stdout)),
            file: None,
        }
    }

    /// To a file, in the format of its extension.
    pub(crate) fn create(path: &Path, json: bool) -> Result<Output, Failure> {
        let format = Format::of(path)?;
        if json && !matches!(format, Format::JsonLines) {
            return Err(Failure::Input(format!(
                "--json does not go with --output {}",
                path.display()
            )));
        }
        let wrong = |error: io::Error| Failure::Input(format!("{}: {error}", path.display()));
        let file = AtomicFile::create(path).map_err(wrong)?;
        let writer = BufWriter::with_capacity(BUFFER, file.writer().map_err(wrong)?);
        let sink: Box<dyn Sink> = match format {
            Format::JsonLines => Box::new(jsonl::JsonLines::new(writer)),
            Format::Csv => Box::new(csv::Csv::new(writer)?),
            Format::Npy => Box::new(npy::Npy::new(writer)?),
        };
        Ok(Output {
            sink,
            file: Some(file),
        })
    }

    pub(crate) fn write(&mut self, record: &Record<'_>) -> Result<(), Failure> {
        Ok(self.sink.write(record)?)
    }

    /// What was written so far stays, unless it was to become a file.
    pub(crate) fn abandon(mut self) -> Result<(), Failure> {
        match self.file {
            Some(_) => Ok(()),
            None => Ok(self.sink.flush()?),
        }
    }

    /// Completes the output; a file gets its name now.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.sink.finish()?;
        match self.file {
            Some(file) => Ok(file.publish()?),
            None => Ok(()),
        }
    }
}

/// Lower-case hexadecimal digits of every byte.
const DIGITS: [[u8; 2]; 256] = {
    let mut digits = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        digits[byte] = [
            b"0123456789abcdef"[byte / 16],
            b"0123456789abcdef"[byte % 16],
        ];
        byte += 1;
    }
    digits
};

/// `0x` and 16 digits: most of what is written, so not by the formatting machinery.
#[inline]
fn hex(board: u64) -> [u8; 18] {
    let mut text = *b"0x0000000000000000";
    for (pair, byte) in text[2..].chunks_exact_mut(2).zip(board.to_be_bytes()) {
        pair.copy_from_slice(&DIGITS[usize::from(byte)]);
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn hex_is_what_the_formatter_writes() {
        for board in [0, 1, u64::MAX, 0x0123_4567_89ab_cdef, 1 << 63] {
            assert_eq!(super::hex(board), crate::print::hex(board).as_bytes());
        }
    }
}
