//! Input files: read one after the other, decompressed, each in its own format.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use setwise_positions::binpack::{Filter, Sieve};
use setwise_positions::{Block, Blocks, Detected, Format, PGN, decompress};

use crate::args::{AttacksOptions, InputFormat};
use crate::failure::Failure;
use crate::output::Column;
use crate::print;
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
    blocks: Blocks<'static>,
}

/// A chunk of a file.
#[derive(Default)]
pub(crate) struct Chunk {
    /// The file's index in `Inputs::names`.
    pub(crate) file: usize,
    pub(crate) format: Format,
    pub(crate) block: Block,
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
            if let Some(Current { format, blocks }) = &mut self.current {
                chunk.file = self.started - 1;
                chunk.format = *format;
                let name = &self.names[chunk.file];
                let failure = |what: String| Failure::Input(format!("{name}: {what}"));
                let found = blocks.next(&mut chunk.block);
                if let Some(note) = &chunk.block.note {
                    self.progress.suspend(|| print::note(&format!("{name}: {note}")));
                }
                if found.map_err(|error| failure(error.to_string()))? {
                    return match self.needs {
                        Some(column) if !column.is_in(*format) => {
                            let (column, only) = (column.name(), having(column));
                            Err(failure(format!(
                                "--columns: only {only} has {column}, and this is {format}"
                            )))
                        }
                        _ => Ok(true),
                    };
                }
                if let Some(current) = self.current.take() {
                    self.sieve = current.blocks.into_sieve();
                }
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
        let format = match self.format {
            InputFormat::Known(format) => format,
            InputFormat::Pgn => return Err(self::failure(path, PGN)),
            InputFormat::Auto => {
                let (detected, start) = Format::detect_file(&mut stream, path).map_err(failure)?;
                stream = Box::new(io::Cursor::new(start).chain(stream));
                decide(detected).map_err(|what| self::failure(path, what))?
            }
        };
        if self.filter != Filter::ALL && !format.is_sieved() {
            let what = "only entries of binpack can be skipped, and this is not binpack";
            return Err(self::failure(path, what));
        }
        let mut blocks = Blocks::of(format, stream);
        blocks = blocks.sieve(self.sieve.clone(), self.started as u64 - 1);
        if is_file && is_compressed {
            blocks = blocks.filled();
        }
        if self.single {
            blocks = blocks.single();
        }
        Ok(Current { format, blocks })
    }
}

/// The formats that have a column which some lack.
fn having(column: Column) -> &'static str {
    let mut formats = Format::ALL.iter().filter(|format| column.is_in(**format));
    match (formats.next(), formats.next()) {
        (Some(format), None) => format.name(),
        _ => "training data",
    }
}

/// Returns the detected format, or why there is none.
fn decide(detected: Detected) -> Result<Format, String> {
    match detected {
        Detected::One(format) => Ok(format),
        Detected::NotRead(what) => Err(what),
        Detected::Several(formats) if !formats.is_empty() => {
            let names: Vec<&str> = formats.into_iter().map(Format::name).collect();
            Err(format!("it can be {}: name the format with --format", names.join(" or ")))
        }
        _ => Err("it is not text, and its start does not fit any other format".into()),
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
