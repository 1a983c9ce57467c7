//! Input files: read one after the other, decompressed, each in its own format.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use indicatif::ProgressBar;
use setwise_positions::binpack::Filter;
use setwise_positions::{Block, Blocks, Detected, Fen, Format, decompress};

use crate::args::InputFormat;
use crate::failure::Failure;
use crate::output::Column;
use crate::print;

/// A stream that can move to another thread.
type Stream = Box<dyn Read + Send>;

/// The input files. [`next`](Inputs::next) reads them one after the other, in chunks.
pub(crate) struct Inputs {
    waiting: VecDeque<PathBuf>,
    current: Option<Current>,
    format: InputFormat,
    names: Vec<String>,
    started: usize,
    single: bool,
    filter: Filter,
    /// A requested column that only records and games have.
    needs: Option<Column>,
    progress: ProgressBar,
}

/// The file being read.
struct Current {
    format: Format,
    blocks: Blocks<Stream>,
}

/// A chunk of a file: lines, records or games.
#[derive(Default)]
pub(crate) struct Chunk {
    /// The file's index in `Inputs::names`.
    pub(crate) file: usize,
    pub(crate) format: Format,
    pub(crate) block: Block,
}

impl Inputs {
    /// Checks that the files exist; `-` is stdin. If `single`, a chunk is one line, record or game.
    /// If a file lacks the column that the output `needs`, [`next`](Inputs::next) returns an error.
    pub(crate) fn new(
        paths: &[PathBuf],
        format: InputFormat,
        single: bool,
        needs: Option<Column>,
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
        let progress = if let Some(bytes) = bytes {
            progress.set_length(bytes);
            print::bar(progress, "{bar:40} {percent}% {bytes_per_sec}, {eta} left")
        } else {
            print::bar(progress, "{spinner} {bytes} read, {bytes_per_sec}")
        };
        Ok(Inputs {
            waiting: paths.iter().cloned().collect(),
            current: None,
            format,
            names: paths.iter().map(|path| name(path)).collect(),
            started: 0,
            single,
            filter: Filter::default(),
            needs,
            progress,
        })
    }

    /// Sets which entries of binpack to skip. Then all files must be binpack.
    pub(crate) fn filter(&mut self, filter: Filter) {
        self.filter = filter;
    }

    /// The file names, as messages show them.
    pub(crate) fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    /// Reads the next chunk. Returns `false` at the end of the last file.
    pub(crate) fn next(&mut self, chunk: &mut Chunk) -> Result<bool, Failure> {
        loop {
            if let Some(Current { format, blocks }) = &mut self.current {
                chunk.file = self.started - 1;
                chunk.format = *format;
                let failure =
                    |what: String| Failure::Input(format!("{}: {what}", self.names[chunk.file]));
                if blocks.next(&mut chunk.block).map_err(|error| failure(error.to_string()))? {
                    return match self.needs {
                        Some(column) if !column.is_in(*format) => {
                            let only = match column {
                                Column::Ply => "binpack has",
                                _ => "bulletformat, marlinformat, viriformat and binpack have",
                            };
                            let column = column.name();
                            Err(failure(format!(
                                "--columns: only {only} {column}, and this is {format}"
                            )))
                        }
                        _ => Ok(true),
                    };
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

    fn check_filter(&self, path: &Path, format: Format) -> Result<(), Failure> {
        if self.filter == Filter::default() || format == Format::Binpack {
            return Ok(());
        }
        Err(failure(path, "only entries of binpack can be skipped, and this is not binpack"))
    }

    fn open(&self, path: &Path) -> Result<Current, Failure> {
        let failure = |error| failure(path, &error);
        let (stream, is_file): (Stream, bool) = if is_stdin(path) {
            (Box::new(io::stdin()), false)
        } else {
            let file = File::open(path).map_err(failure)?;
            let is_file = file.metadata().map_err(failure)?.is_file();
            (Box::new(file), is_file)
        };
        let stream = decompress(self.progress.wrap_read(stream));
        let (mut stream, is_compressed) = stream.map_err(failure)?;
        let format = match self.format {
            InputFormat::Epd => Format::Text,
            InputFormat::Bullet => Format::Bullet,
            InputFormat::Marlin => Format::Marlin,
            InputFormat::Viri => Format::Viri,
            InputFormat::Binpack => Format::Binpack,
            InputFormat::Auto => {
                let (detected, start) = Format::detect_stream(&mut stream).map_err(failure)?;
                if detected != Detected::One(Format::Binpack)
                    && let Some(what) = resembles(&start)
                {
                    return Err(self::failure(path, what));
                }
                stream = Box::new(io::Cursor::new(start).chain(stream));
                decide(path, &detected)?
            }
        };
        self.check_filter(path, format)?;
        let mut blocks = Blocks::of(format, stream).filter(self.filter);
        if is_file && is_compressed {
            blocks = blocks.filled();
        }
        if self.single {
            blocks = blocks.single();
        }
        Ok(Current { format, blocks })
    }
}

/// If the start of a file looks like another kind of file, returns a message that names this kind
/// and says what to do.
fn resembles(start: &[u8]) -> Option<&'static str> {
    const OWN: &str =
        "this looks like the output of `setwise attacks`; evaluate the original file instead";
    const ARROW: &str = "this is Arrow IPC; use setwise-sql or the Python package";
    const CSV: &str = "this looks like CSV; write its FENs to a file first, one per line";
    if start.starts_with(b"\x93NUMPY") {
        return Some("this is a NumPy array; expected FEN or EPD lines");
    }
    // An encrypted Parquet file starts with PARE. Arrow's stream format starts with a marker and
    // the length of the schema; in a record, these bytes would be an occupancy of more than 32
    // squares.
    match start {
        [b'P', b'A', b'R', b'1' | b'E', ..] => {
            return Some("this is Parquet; use setwise-sql or the Python package");
        }
        [b'A', b'R', b'R', b'O', b'W', b'1', 0, 0, ..] => return Some(ARROW),
        [0xff, 0xff, 0xff, 0xff, length @ ..] if length.iter().take(4).any(|&byte| byte != 0) => {
            return Some(ARROW);
        }
        _ => {}
    }
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let mut lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let line = lines.find(|line| !line.is_empty())?;
    if line.starts_with(b"#") || Fen::parse(line).is_ok() {
        return None;
    }
    let fields = |separator| line.split(move |&byte| byte == separator);
    let names = || fields(b',');
    let has = |what: &[u8]| line.windows(what.len()).any(|window| window == what);
    // Column names have no slashes or spaces; a FEN has slashes.
    let is_name = |name: &[u8]| !name.contains(&b'/') && !name.contains(&b' ');
    match line {
        _ if is_pgn(text) => {
            Some("this looks like PGN; convert it to EPD first, as `pgn-extract -Wepd` does")
        }
        [b'{', ..] if has(b"\"side\":\"white\"") || has(b"\"white_") => Some(OWN),
        [b'{', ..] => Some("this looks like JSON; write its FENs to a file first, one per line"),
        _ if names().any(is_board_column) => Some(OWN),
        b"fen" | b"epd" => Some(CSV),
        _ if is_header(line, b',') || is_header(line, b';') => Some(CSV),
        _ if is_header(line, b'\t')
            || start.contains(&b'\n')
                && line.contains(&b'\t')
                && fields(b'\t').any(|field| field.contains(&b' ') && is_fen(field)) =>
        {
            Some("this looks like TSV; write its FENs to a file first, one per line")
        }
        // Without a line feed, the line may be truncated EPD. In that case, the text before a comma
        // in an operation can pass for a FEN.
        _ if names().count() > 1
            && (names().all(is_name) || start.contains(&b'\n') && names().any(is_fen)) =>
        {
            Some(CSV)
        }
        _ => None,
    }
}

/// Whether this is the start of a PGN file: a tag or the first move, after any comments. A comment
/// alone does not suffice, because FENs may follow it.
fn is_pgn(text: &[u8]) -> bool {
    let mut text = text.trim_ascii_start();
    loop {
        let end = match text {
            [b'%' | b';', ..] => b'\n',
            // A comment. In JSON, a quote or a closing brace follows the opening brace.
            [b'{', rest @ ..] if !matches!(rest.trim_ascii_start(), [b'"' | b'}', ..]) => b'}',
            _ => break,
        };
        let Some(length) = text.iter().position(|&byte| byte == end) else {
            return false;
        };
        text = text[length + 1..].trim_ascii_start();
    }
    match text {
        [b'[', b'A'..=b'Z', ..] => true,
        [b'1', b'.', next, ..] => next.is_ascii_alphabetic() || b" .\r\n".contains(next),
        _ => false,
    }
}

/// Whether a line is a header: names of columns, one of which is `fen` or `epd`, ignoring case.
/// Names may contain spaces but no slashes, so a line of EPD is not a header.
fn is_header(line: &[u8], separator: u8) -> bool {
    let name = |name: &[u8]| {
        let name = name.trim_ascii();
        let inner = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\""));
        inner.unwrap_or(name).to_ascii_lowercase()
    };
    let mut names = line.split(|&byte| byte == separator).map(name);
    line.contains(&separator)
        && !line.contains(&b'/')
        && names.any(|name| name == b"fen" || name == b"epd")
}

fn is_fen(field: &[u8]) -> bool {
    Fen::parse(field.trim_ascii()).is_ok()
}

/// Whether this is the name of a column of boards in the output of `setwise attacks`.
fn is_board_column(name: &[u8]) -> bool {
    let name = str::from_utf8(name).unwrap_or_default();
    let prefix = ["white_", "black_"].into_iter().find_map(|prefix| name.strip_prefix(prefix));
    let column = Column::from_str(prefix.unwrap_or(name), false);
    column.is_ok_and(|column| column.board().is_some())
}

/// Returns the detected format. If several formats fit, the file's extension must name one of them.
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

/// The file's extension in lower case, ignoring a final `.gz` or `.zst`.
fn extension(path: &Path) -> Option<String> {
    let last = path.extension()?;
    let path = if last == "gz" || last == "zst" { Path::new(path.file_stem()?) } else { path };
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// A progress bar on stderr. Hidden if stderr is not a terminal, or if data is written to a
/// terminal.
pub(crate) fn progress(data_to_stdout: bool) -> ProgressBar {
    if data_to_stdout && io::stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    ProgressBar::no_length()
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
