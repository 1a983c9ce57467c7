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
}

impl Inputs {
    /// These files, `-` for stdin, of a format; one line or record at a time if `single`. Says at once if one is not there.
    pub(crate) fn new(
        paths: &[PathBuf],
        format: InputFormat,
        single: bool,
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
            progress,
        })
    }

    /// As messages name the files.
    pub(crate) fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    /// The next lines or records, with the number of their file and its format; `None` at the end of the last.
    pub(crate) fn next(&mut self, block: &mut Block) -> Result<Option<(usize, Format)>, Failure> {
        loop {
            if let Some(Current { format, blocks }) = &mut self.current {
                let number = self.started - 1;
                let failure = |error| Failure::Input(format!("{}: {error}", self.names[number]));
                let is_one = match blocks {
                    Reader::Lines(lines) => lines.next(block),
                    Reader::Records(records) => records.next(block),
                };
                if is_one.map_err(failure)? {
                    return Ok(Some((number, *format)));
                }
                self.current = None;
            }
            let Some(path) = self.waiting.pop_front() else {
                return Ok(None);
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
            let file = File::open(path).map_err(wrong)?;
            let is_patient = file.metadata().map_err(wrong)?.is_file();
            (Box::new(file), is_patient)
        };
        let stream = decompress(Box::new(self.progress.wrap_read(file)));
        let (stream, is_compressed) = stream.map_err(wrong)?;
        let (stream, format) = match self.format {
            InputFormat::Epd => (stream, Format::Text),
            InputFormat::Bullet => (stream, Format::Bullet),
            InputFormat::Marlin => (stream, Format::Marlin),
            InputFormat::Viri => (stream, Format::Viri),
            InputFormat::Auto => {
                let (stream, detected) = detect(stream).map_err(wrong)?;
                (stream, decide(path, &detected)?)
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

/// Looks at the beginning of a stream, and no further than it takes. Returns the whole stream.
fn detect(mut stream: Stream) -> io::Result<(Stream, Detected)> {
    let mut start = Vec::new();
    let mut is_whole = false;
    loop {
        match Format::detect(&start, is_whole) {
            Detected::More => {}
            detected => return Ok((Box::new(io::Cursor::new(start).chain(stream)), detected)),
        }
        let before = start.len();
        start.resize(Format::SAMPLE, 0);
        let read = stream.read(&mut start[before..]);
        start.truncate(before + read.as_ref().map_or(0, |&count| count));
        match read {
            Ok(0) => is_whole = true,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
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
        let mut byte = [0];
        match stream.read(&mut byte) {
            Ok(0) => break,
            Ok(_) => start.push(byte[0]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
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
