//! Input files: read one after the other, decompressed, each in its own format.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use indicatif::{ProgressBar, ProgressStyle};
use setwise_positions::{Block, Blocks, Detected, Format};

use crate::args::InputFormat;
#[cfg(feature = "columns")]
use crate::column_file::{ColumnFile, Rows};
use crate::failure::Failure;
use crate::output::Column;
use crate::print;

/// A stream that can move to another thread.
type Stream = Box<dyn Read + Send>;

/// The files still to be read.
pub(crate) struct Inputs {
    waiting: VecDeque<PathBuf>,
    current: Option<Current>,
    format: InputFormat,
    names: Vec<String>,
    started: usize,
    single: bool,
    needs: Needs,
    progress: ProgressBar,
}

/// Data that the output needs but some inputs lack.
#[derive(Clone, Copy)]
pub(crate) struct Needs {
    /// A column that only records and games have.
    pub(crate) of_records: Option<Column>,
    /// All pieces, which columns of sets lack.
    #[cfg_attr(not(feature = "columns"), allow(dead_code, reason = "no input has such columns"))]
    pub(crate) pieces: bool,
}

/// The file being read.
struct Current {
    format: Format,
    reader: Reader,
}

enum Reader {
    Blocks(Blocks<Stream>),
    #[cfg(feature = "columns")]
    Columns(ColumnFile),
}

/// A chunk of a file: lines, records, games or rows.
#[derive(Default)]
pub(crate) struct Chunk {
    /// The file's index among `Inputs::names`.
    pub(crate) file: usize,
    pub(crate) format: Format,
    /// Empty in a chunk of rows.
    pub(crate) block: Block,
    #[cfg(feature = "columns")]
    pub(crate) rows: Option<Rows>,
}

impl Inputs {
    /// Checks that the files exist; `-` is stdin. If `single`, a chunk is one line, record or game.
    /// A file that lacks what the output `needs` is an error.
    pub(crate) fn new(
        paths: &[PathBuf],
        format: InputFormat,
        single: bool,
        needs: Needs,
        progress: ProgressBar,
    ) -> Result<Inputs, Failure> {
        let mut bytes = Some(0);
        for path in paths {
            if is_stdin(path) {
                bytes = None;
                continue;
            }
            let metadata = fs::metadata(path).map_err(|error| failure(path, &error))?;
            if metadata.is_dir() {
                return Err(failure(path, io::Error::from(io::ErrorKind::IsADirectory)));
            }
            bytes = bytes.filter(|_| metadata.is_file()).map(|bytes| bytes + metadata.len());
        }
        let template = match bytes {
            Some(bytes) => {
                progress.set_length(bytes);
                "{bar:40} {percent}% {bytes_per_sec}, {eta} left"
            }
            None => "{spinner} {bytes} read, {bytes_per_sec}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            progress.set_style(style);
        }
        Ok(Inputs {
            waiting: paths.iter().cloned().collect(),
            current: None,
            format,
            names: paths.iter().map(|path| name(path)).collect(),
            started: 0,
            single,
            needs,
            progress,
        })
    }

    /// The file names, as messages show them.
    pub(crate) fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    /// Reads the next chunk. Returns `false` at the end of the last file.
    pub(crate) fn next(&mut self, chunk: &mut Chunk) -> Result<bool, Failure> {
        loop {
            if let Some(Current { format, reader }) = &mut self.current {
                chunk.file = self.started - 1;
                chunk.format = *format;
                let name = &self.names[chunk.file];
                if reader.next(chunk).map_err(|error| Failure::Input(format!("{name}: {error}")))? {
                    #[cfg(feature = "columns")]
                    if self.needs.pieces && chunk.rows.as_ref().is_some_and(Rows::has_sets) {
                        return Err(Failure::Input(format!(
                            "{name}: --record maps needs all pieces: a column fen or epd"
                        )));
                    }
                    match (self.needs.of_records, format) {
                        (Some(column), Format::Text) => {
                            let (column, kind) = (column.name(), reader.kind());
                            return Err(Failure::Input(format!(
                                "{name}: --columns: only bulletformat, marlinformat and viriformat \
                                 have {column}, and this is {kind}"
                            )));
                        }
                        _ => return Ok(true),
                    }
                }
                self.current = None;
            }
            let Some(path) = self.waiting.pop_front() else {
                return Ok(false);
            };
            self.started += 1;
            self.current = Some(self.open(&path)?);
        }
    }

    fn open(&self, path: &Path) -> Result<Current, Failure> {
        let failure = |error| failure(path, &error);
        let (stream, is_file): (Stream, bool) = if is_stdin(path) {
            (Box::new(io::stdin()), false)
        } else {
            let mut file = File::open(path).map_err(failure)?;
            let is_file = file.metadata().map_err(failure)?.is_file();
            let column_format = match self.format {
                InputFormat::Auto if is_file => detect_columns(&mut file).map_err(failure)?,
                InputFormat::Parquet => Some(PARQUET),
                InputFormat::Arrow => Some(ARROW),
                _ => None,
            };
            if let Some(column_format) = column_format {
                return open_columns(path, file, column_format);
            }
            (Box::new(file), is_file)
        };
        let stream = decompress(Box::new(self.progress.wrap_read(stream)));
        let (mut stream, is_compressed) = stream.map_err(failure)?;
        let format = match self.format {
            InputFormat::Epd => Format::Text,
            InputFormat::Bullet => Format::Bullet,
            InputFormat::Marlin => Format::Marlin,
            InputFormat::Viri => Format::Viri,
            InputFormat::Parquet | InputFormat::Arrow => {
                let what = "Parquet and Arrow IPC are read from files, not from a stream";
                return Err(self::failure(path, what));
            }
            InputFormat::Auto => {
                let (detected, start) = Format::detect_stream(&mut stream).map_err(failure)?;
                stream = Box::new(io::Cursor::new(start).chain(stream));
                decide(path, &detected)?
            }
        };
        let mut blocks = Blocks::of(format, stream);
        if is_file && is_compressed {
            blocks = blocks.filled();
        }
        if self.single {
            blocks = blocks.single();
        }
        let reader = Reader::Blocks(blocks);
        Ok(Current { format, reader })
    }
}

impl Reader {
    /// Reads the next chunk of the file. Returns `false` at its end.
    fn next(&mut self, chunk: &mut Chunk) -> Result<bool, String> {
        #[cfg(feature = "columns")]
        {
            chunk.rows = None;
        }
        match self {
            Reader::Blocks(blocks) => {
                blocks.next(&mut chunk.block).map_err(|error| error.to_string())
            }
            #[cfg(feature = "columns")]
            Reader::Columns(columns) => {
                chunk.rows = columns.next()?;
                Ok(chunk.rows.is_some())
            }
        }
    }

    /// The format's name in messages. Records and games have names of their own.
    fn kind(&self) -> &'static str {
        match self {
            Reader::Blocks(_) => "FEN or EPD",
            #[cfg(feature = "columns")]
            Reader::Columns(_) => "a file of columns",
        }
    }
}

const PARQUET: &str = "Parquet";
const ARROW: &str = "Arrow IPC";

/// Detects Parquet and Arrow IPC by the first bytes, then rewinds the file.
fn detect_columns(file: &mut File) -> io::Result<Option<&'static str>> {
    let mut start = Vec::new();
    Read::take(&mut *file, 8).read_to_end(&mut start)?;
    io::Seek::rewind(file)?;
    Ok(if start.starts_with(b"PAR1") {
        Some(PARQUET)
    } else if start == b"ARROW1\0\0" {
        Some(ARROW)
    } else {
        None
    })
}

#[cfg(feature = "columns")]
fn open_columns(path: &Path, file: File, format: &str) -> Result<Current, Failure> {
    let columns = ColumnFile::open(format == PARQUET, file);
    Ok(Current {
        format: Format::Text,
        reader: Reader::Columns(columns.map_err(|what| failure(path, what))?),
    })
}

#[cfg(not(feature = "columns"))]
#[allow(clippy::needless_pass_by_value, reason = "same signature as with the feature")]
fn open_columns(path: &Path, _: File, format: &str) -> Result<Current, Failure> {
    let what = format!("{format} needs a build with --features columns");
    Err(failure(path, what))
}

/// Returns the detected format. If several formats fit, the file's extension decides; if it does
/// not, that is an error.
fn decide(path: &Path, detected: &Detected) -> Result<Format, Failure> {
    let candidates = match detected {
        Detected::One(format) => return Ok(*format),
        Detected::Several(candidates) => &candidates[..],
        Detected::More => &[],
    };
    let by_extension = match extension(path).as_deref() {
        Some("bullet") => Some(Format::Bullet),
        Some("marlin") => Some(Format::Marlin),
        Some("viri") => Some(Format::Viri),
        _ => None,
    };
    if let Some(format) = by_extension.filter(|format| candidates.contains(format)) {
        return Ok(format);
    }
    let names: Vec<&str> = candidates.iter().map(|format| format.name()).collect();
    let what = if names.is_empty() {
        "it is not text, and its start does not fit any other format".into()
    } else {
        format!("it can be {}", names.join(" or "))
    };
    Err(failure(path, format!("{what}: name the format with --format")))
}

/// The file's extension in lower case, ignoring a compression extension.
fn extension(path: &Path) -> Option<String> {
    let last = path.extension()?;
    let path = if last == "gz" || last == "zst" { Path::new(path.file_stem()?) } else { path };
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// Decompresses a stream that starts with the magic bytes of gzip or Zstandard. Also returns
/// whether it was compressed.
fn decompress(mut stream: Stream) -> io::Result<(Stream, bool)> {
    const GZIP: &[u8] = &[0x1f, 0x8b];
    const ZSTANDARD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
    let mut start = Vec::new();
    // Read no more than needed: the first line may arrive slowly.
    let may_be = |magic: &[u8], start: &[u8]| magic.starts_with(start) && magic != start;
    while may_be(GZIP, &start) || may_be(ZSTANDARD, &start) {
        if Read::take(&mut stream, 1).read_to_end(&mut start)? == 0 {
            break;
        }
    }
    let (is_gzip, is_zstandard) = (start == GZIP, start == ZSTANDARD);
    let whole = io::Cursor::new(start).chain(stream);
    Ok(if is_gzip {
        (Box::new(MultiGzDecoder::new(whole)), true)
    } else if is_zstandard {
        (Box::new(zstd::Decoder::new(whole)?), true)
    } else {
        (Box::new(whole), false)
    })
}

/// A progress bar on stderr. Hidden unless stderr is a terminal and data goes elsewhere.
pub(crate) fn progress(data_to_stdout: bool) -> ProgressBar {
    if data_to_stdout && io::stdout().is_terminal() {
        ProgressBar::hidden()
    } else {
        ProgressBar::no_length()
    }
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

fn name(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".into() } else { print::name(path) }
}

fn failure(path: &Path, what: impl std::fmt::Display) -> Failure {
    Failure::Input(format!("{}: {what}", name(path)))
}
