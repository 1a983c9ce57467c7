//! Input files: read one after the other, decompressed, each in its own format.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use setwise_positions::binpack::{Filter, Sieve};
use setwise_positions::{Block, Blocks, Detected, Format, decompress, foreign};

use crate::args::{AttacksOptions, InputFormat};
use crate::failure::Failure;
use crate::kind::{self, Kind, PGN};
use crate::output::Column;
use crate::print;
use crate::rows::{RowReader, Rows};
use crate::table::Table;
use crate::wildcards;

/// A stream that can move to another thread.
type Stream = Box<dyn Read + Send>;

/// The input files. [`next`](Inputs::next) reads them one after the other, in chunks.
pub(crate) struct Inputs {
    waiting: VecDeque<PathBuf>,
    current: Option<Current>,
    format: InputFormat,
    names: Vec<String>,
    started: usize,
    /// Whether a chunk is one line, record or game.
    single: bool,
    filter: Filter,
    /// The filter after what was read.
    sieve: Sieve,
    /// A requested column that only records and games have.
    needs: Option<Column>,
    progress: ProgressBar,
}

struct Current {
    format: Format,
    reader: Reader,
}

enum Reader {
    Blocks(Box<Blocks<Stream>>),
    Rows(Box<RowReader>),
}

/// A chunk of a file: lines, records, games or rows.
#[derive(Default)]
pub(crate) struct Chunk {
    /// The file's index in `Inputs::names`.
    pub(crate) file: usize,
    pub(crate) format: Format,
    /// The lines, records or games, unless there are rows.
    pub(crate) block: Block,
    pub(crate) rows: Option<Rows>,
}

impl Inputs {
    /// Checks that the files exist; `-` is stdin. If a file lacks the column that the output
    /// `needs`, [`next`](Inputs::next) returns an error. Only binpack may be filtered.
    pub(crate) fn new(
        options: &AttacksOptions,
        needs: Option<Column>,
        progress: ProgressBar,
    ) -> Result<Inputs, Failure> {
        let (paths, mut bytes) = (wildcards::expand(&options.inputs), Some(0));
        for path in &paths {
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
            current: None,
            format: options.format,
            names: paths.iter().map(|path| name(path)).collect(),
            waiting: paths.into(),
            started: 0,
            single: options.unbuffered,
            filter: options.filter.filter(),
            sieve: Sieve::new(options.filter.filter(), 0),
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
                let failure = |what: String| Failure::Input(format!("{name}: {what}"));
                if reader.next(chunk, self.single).map_err(&failure)? {
                    return match self.needs {
                        Some(column) if !column.is_in(*format) => {
                            let only =
                                if column == Column::Ply { "binpack" } else { "training data" };
                            let column = column.name();
                            Err(failure(format!(
                                "--columns: only {only} has {column}, and this is {format}"
                            )))
                        }
                        _ => Ok(true),
                    };
                }
                if let Some(Current { reader: Reader::Blocks(blocks), .. }) = self.current.take() {
                    self.sieve = blocks.into_sieve();
                }
            }
            let Some(path) = self.waiting.pop_front() else {
                return Ok(false);
            };
            self.started += 1;
            self.current = Some(self.open(&path)?);
        }
    }

    /// Reports which column of a table is read, unless it has the usual name.
    fn note_column(&self, path: &Path, table: &Table) {
        let name = match &table.name {
            Some(name) if kind::is_fen_name(name) => return,
            Some(name) => format!(", {}", kind::names(&[name])),
            None => String::new(),
        };
        let note =
            format!("{}: the FENs are in column {}{name}", self::name(path), table.column + 1);
        self.progress.suspend(|| print::note(&note));
    }

    fn check_filter(&self, path: &Path, format: Format) -> Result<(), Failure> {
        if self.filter == Filter::ALL || format == Format::Binpack {
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
        let (progress, warned) = (self.progress.clone(), name(path));
        let stream = decompress(self.progress.wrap_read(stream), move || {
            let warning = format!("{warned}: the data after the gzip data is ignored");
            progress.suspend(|| print::note(&warning));
        });
        let (mut stream, is_compressed) = stream.map_err(failure)?;
        let rows = |reader| {
            self.check_filter(path, Format::Text)?;
            Ok(Current { format: Format::Text, reader: Reader::Rows(Box::new(reader)) })
        };
        let format = match self.format {
            InputFormat::Epd => Format::Text,
            InputFormat::Plain => Format::Plain,
            InputFormat::Pgn => return Err(self::failure(path, PGN)),
            InputFormat::Bullet => Format::Bullet,
            InputFormat::Marlin => Format::Marlin,
            InputFormat::Viri => Format::Viri,
            InputFormat::Binpack => Format::Binpack,
            InputFormat::Auto | InputFormat::Csv | InputFormat::Json => {
                let is_auto = self.format == InputFormat::Auto;
                let (detected, mut start) = if is_auto {
                    Format::detect_stream(&mut stream).map_err(failure)?
                } else {
                    (Detected::One(Format::Text), Vec::new())
                };
                let is_text = detected == Detected::One(Format::Text);
                if is_text {
                    read_sample(&mut stream, &mut start);
                }
                let kind = match self.format {
                    InputFormat::Csv => Kind::Table(Table::of(&start).map_err(|columns| {
                        let columns = kind::names(&columns);
                        let what = format!("no column has FENs; its columns are {columns}");
                        self::failure(path, what)
                    })?),
                    InputFormat::Json => {
                        Kind::JsonLines(kind::json_key(&start).unwrap_or_else(|| "fen".into()))
                    }
                    _ if is_text => Kind::of(&start),
                    _ => Kind::Lines,
                };
                match kind {
                    Kind::Table(table) => {
                        self.note_column(path, &table);
                        return rows(RowReader::table(&table, &start, stream));
                    }
                    Kind::Other(what) => return Err(self::failure(path, what)),
                    Kind::Lines | Kind::JsonLines(_) => {}
                }
                let format = match &kind {
                    Kind::Lines => decide(path, &detected, &start)?,
                    _ => Format::Text,
                };
                stream = Box::new(io::Cursor::new(start).chain(stream));
                if let Kind::JsonLines(key) = kind {
                    return rows(RowReader::json_lines(key, stream));
                }
                format
            }
        };
        self.check_filter(path, format)?;
        let mut blocks = Blocks::of(format, stream);
        blocks = blocks.sieve(self.sieve.clone(), self.started as u64 - 1);
        if is_file && is_compressed {
            blocks = blocks.filled();
        }
        if self.single {
            blocks = blocks.single();
        }
        Ok(Current { format, reader: Reader::Blocks(Box::new(blocks)) })
    }
}

impl Reader {
    /// Reads the next chunk of the file. Returns `false` at its end.
    fn next(&mut self, chunk: &mut Chunk, single: bool) -> Result<bool, String> {
        match self {
            Reader::Blocks(blocks) => {
                chunk.rows = None;
                blocks.next(&mut chunk.block).map_err(|error| error.to_string())
            }
            Reader::Rows(reader) => reader.next(chunk.rows.get_or_insert_default(), single),
        }
    }
}

/// Returns the detected format. If several formats fit, the file's extension must name one of them.
fn decide(path: &Path, detected: &Detected, start: &[u8]) -> Result<Format, Failure> {
    if let Some(format) = detected.of_file(path) {
        return Ok(format);
    }
    let names: Vec<&str> = match detected {
        Detected::Several(formats) => formats.iter().map(|format| format.name()).collect(),
        _ => vec![],
    };
    Err(failure(
        path,
        match foreign(start) {
            _ if !names.is_empty() => {
                format!("it can be {}: name the format with --format", names.join(" or "))
            }
            Some(what) => format!("this is {what}"),
            None => "it is not text, and its start does not fit any other format".into(),
        },
    ))
}

/// Reads until `start` shows what the text holds. A read that fails will fail again.
fn read_sample(stream: &mut Stream, start: &mut Vec<u8>) {
    let mut buffer = [0; 4096];
    while start.len() < Format::SAMPLE && !kind::is_clear(start) {
        match stream.read(&mut buffer) {
            Ok(count @ 1..) => start.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => break,
        }
    }
}

/// A progress bar on stderr. Hidden if stderr is not a terminal, or if data is written to a
/// terminal.
pub(crate) fn progress(data_to_stdout: bool) -> ProgressBar {
    if data_to_stdout && io::stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    ProgressBar::no_length()
}

pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".into() } else { print::name(path) }
}

pub(crate) fn failure(path: &Path, what: impl std::fmt::Display) -> Failure {
    Failure::Input(format!("{}: {what}", name(path)))
}
