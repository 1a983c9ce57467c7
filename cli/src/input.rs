//! Files of positions: one after the other, decompressed if they are compressed.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use indicatif::{ProgressBar, ProgressStyle};
use setwise_positions::{Block, Blocks};

use crate::failure::Failure;
use crate::print;

/// A stream that threads may share.
type Stream = Box<dyn Read + Send>;

/// The files that are still to be read.
pub(crate) struct Inputs {
    waiting: VecDeque<PathBuf>,
    current: Option<Blocks<Stream>>,
    names: Vec<String>,
    started: usize,
    single: bool,
    progress: ProgressBar,
}

impl Inputs {
    /// These files, `-` for stdin; one line at a time if `single`. Says at once if one is not there.
    pub(crate) fn new(
        paths: &[PathBuf],
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

    /// The next lines, and the number of their file; `None` at the end of the last.
    pub(crate) fn next(&mut self, block: &mut Block) -> Result<Option<usize>, Failure> {
        loop {
            if let Some(current) = &mut self.current {
                let number = self.started - 1;
                let failure = |error| Failure::Input(format!("{}: {error}", self.names[number]));
                if current.next(block).map_err(failure)? {
                    return Ok(Some(number));
                }
                self.current = None;
            }
            let Some(path) = self.waiting.pop_front() else {
                return Ok(None);
            };
            self.started += 1;
            let blocks = self.open(&path).map_err(|error| wrong(&path, &error))?;
            self.current = Some(if self.single { blocks.single() } else { blocks });
        }
    }

    fn open(&self, path: &Path) -> io::Result<Blocks<Stream>> {
        let (file, is_patient): (Stream, bool) = if is_stdin(path) {
            (Box::new(io::stdin()), false)
        } else {
            let file = File::open(path)?;
            let is_patient = file.metadata()?.is_file();
            (Box::new(file), is_patient)
        };
        let (stream, is_compressed) = decompress(Box::new(self.progress.wrap_read(file)))?;
        let blocks = Blocks::new(stream);
        Ok(if is_patient && is_compressed {
            blocks.filled()
        } else {
            blocks
        })
    }
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
