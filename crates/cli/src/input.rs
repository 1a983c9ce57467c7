//! Files of positions: one after the other, decompressed if they are compressed, each by its format.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use indicatif::{ProgressBar, ProgressStyle};
use setwise_positions::{Block, Blocks, Detected, Format, Records};

use crate::args::InputFormat;
use crate::failure::Failure;
use crate::print;
#[cfg(feature = "columns")]
use crate::tables::{Rows, Tables};

/// A stream that threads may share.
type Stream = Box<dyn Read + Send>;

/// The files that are still to be read.
pub(crate) struct Inputs {
    waiting: VecDeque<PathBuf>,
    current: Option<Current>,
    format: InputFormat,
    names: Vec<String>,
    started: usize,
    single: bool,
    of_records: Option<&'static str>,
    progress: ProgressBar,
}

/// A file that is being read.
struct Current {
    format: Format,
    blocks: Reader,
}

enum Reader {
    Lines(Blocks<Stream>),
    Records(Records<Stream>),
    #[cfg(feature = "columns")]
    Tables(Tables),
}

/// Some lines, records or rows of a file.
#[derive(Default)]
pub(crate) struct Piece {
    /// The file's number.
    pub(crate) file: usize,
    pub(crate) format: Format,
    /// Empty if there are rows.
    pub(crate) block: Block,
    #[cfg(feature = "columns")]
    pub(crate) rows: Option<Rows>,
}

impl Inputs {
    /// These files, `-` for stdin, of a format; one line or record at a time if `single`; text is refused if something is wanted that only records have. Says at once if a file
    /// is not there.
    pub(crate) fn new(
        paths: &[PathBuf],
        format: InputFormat,
        single: bool,
        of_records: Option<&'static str>,
        progress: ProgressBar,
    ) -> Result<Inputs, Failure> {
        let mut bytes = Some(0);
        for path in paths {
            if is_stdin(path) {
                bytes = None;
                continue;
            }
            let there = fs::metadata(path).map_err(|error| wrong(path, &error))?;
            if there.is_dir() {
                return Err(wrong(path, &io::ErrorKind::IsADirectory.into()));
            }
            bytes = bytes
                .filter(|_| there.is_file())
                .map(|bytes| bytes + there.len());
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
            of_records,
            progress,
        })
    }

    /// As messages name the files.
    pub(crate) fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    /// Makes a piece the next lines or records, or tells that there are none.
    pub(crate) fn next(&mut self, piece: &mut Piece) -> Result<bool, Failure> {
        #[cfg(feature = "columns")]
        {
            piece.rows = None;
        }
        loop {
            if let Some(Current { format, blocks }) = &mut self.current {
                piece.file = self.started - 1;
                piece.format = *format;
                let name = &self.names[piece.file];
                let failure = |error| Failure::Input(format!("{name}: {error}"));
                let is_one = match blocks {
                    Reader::Lines(lines) => lines.next(&mut piece.block).map_err(failure)?,
                    Reader::Records(records) => records.next(&mut piece.block).map_err(failure)?,
                    #[cfg(feature = "columns")]
                    Reader::Tables(tables) => {
                        let failure = |what| Failure::Input(format!("{name}: {what}"));
                        piece.rows = tables.next().map_err(failure)?;
                        piece.rows.is_some()
                    }
                };
                if let (true, Some(column), Format::Text) = (is_one, self.of_records, format) {
                    let kind = match blocks {
                        #[cfg(feature = "columns")]
                        Reader::Tables(_) => "a file of columns",
                        _ => "FEN or EPD",
                    };
                    return Err(Failure::Input(format!(
                        "{name}: --columns: {column} is in bulletformat, marlinformat and viriformat, and not in {kind}, as this is"
                    )));
                }
                if is_one {
                    return Ok(true);
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
        let wrong = |error| wrong(path, &error);
        let (file, is_patient): (Stream, bool) = if is_stdin(path) {
            (Box::new(io::stdin()), false)
        } else {
            let mut file = File::open(path).map_err(wrong)?;
            let is_patient = file.metadata().map_err(wrong)?.is_file();
            let asked = match self.format {
                InputFormat::Auto if is_patient => table(&mut file).map_err(wrong)?,
                InputFormat::Parquet => Some(PARQUET),
                InputFormat::Arrow => Some(ARROW),
                _ => None,
            };
            if let Some(asked) = asked {
                return open_table(path, file, asked);
            }
            (Box::new(file), is_patient)
        };
        let stream = decompress(Box::new(self.progress.wrap_read(file)));
        let (stream, is_compressed) = stream.map_err(wrong)?;
        let (stream, format) = match self.format {
            InputFormat::Epd => (stream, Format::Text),
            InputFormat::Bullet => (stream, Format::Bullet),
            InputFormat::Marlin => (stream, Format::Marlin),
            InputFormat::Viri => (stream, Format::Viri),
            InputFormat::Parquet | InputFormat::Arrow => {
                let what = "Parquet and Arrow IPC are read from files, not from a stream";
                return Err(Failure::Input(format!("{}: {what}", name(path))));
            }
            InputFormat::Auto => {
                let mut stream = stream;
                let (detected, start) = Format::detect_stream(&mut stream).map_err(wrong)?;
                let whole = io::Cursor::new(start).chain(stream);
                (Box::new(whole) as Stream, decide(path, &detected)?)
            }
        };
        let fills = is_patient && is_compressed;
        let blocks = if format == Format::Text {
            let mut lines = Blocks::new(stream);
            lines = if fills { lines.filled() } else { lines };
            Reader::Lines(if self.single { lines.single() } else { lines })
        } else {
            let mut records = Records::new(format, stream);
            records = if fills { records.filled() } else { records };
            Reader::Records(if self.single {
                records.single()
            } else {
                records
            })
        };
        Ok(Current { format, blocks })
    }
}

/// What a file is, if it is one of columns, by its first bytes. It is then read from the beginning.
fn table(file: &mut File) -> io::Result<Option<&'static str>> {
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

const PARQUET: &str = "Parquet";
const ARROW: &str = "Arrow IPC";

#[cfg(feature = "columns")]
fn open_table(path: &Path, file: File, kind: &str) -> Result<Current, Failure> {
    let tables = Tables::open(kind == PARQUET, file);
    let tables = tables.map_err(|what| Failure::Input(format!("{}: {what}", name(path))))?;
    Ok(Current {
        format: Format::Text,
        blocks: Reader::Tables(tables),
    })
}

#[cfg(not(feature = "columns"))]
#[allow(clippy::needless_pass_by_value, reason = "as with the feature")]
fn open_table(path: &Path, _: File, kind: &str) -> Result<Current, Failure> {
    let what = format!("{kind} is read if the command line is built with --features columns");
    Err(Failure::Input(format!("{}: {what}", name(path))))
}

/// One format, if need be by the file's extension. It is never guessed.
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
        "it is no text, and what it begins with is wrong in every format known".into()
    } else {
        format!("it can be {}", names.join(" or "))
    };
    Err(Failure::Input(format!(
        "{}: {what}: say which format it is by --format",
        name(path)
    )))
}

/// The extension of a file, without that of its compression.
fn extension(path: &Path) -> Option<String> {
    let last = path.extension()?;
    let path = if last == "gz" || last == "zst" {
        Path::new(path.file_stem()?)
    } else {
        path
    };
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// What a stream contains, if it is gzip or Zstandard, by its first bytes.
fn decompress(mut stream: Stream) -> io::Result<(Stream, bool)> {
    const GZIP: &[u8] = &[0x1f, 0x8b];
    const ZSTANDARD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
    let mut start = Vec::new();
    // No more than is needed to know: the first line may come slowly.
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

/// For data of a known size or not; drawn on stderr, if that is a terminal and no data is drawn there too.
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
    if is_stdin(path) {
        "<stdin>".into()
    } else {
        print::name(path)
    }
}

fn wrong(path: &Path, error: &io::Error) -> Failure {
    Failure::Input(format!("{}: {error}", name(path)))
}
