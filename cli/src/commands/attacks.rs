//! `setwise attacks`: a file of positions, evaluated in chunks.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use setwise::Kernels;

use crate::args::{AttacksOptions, InputFormat};
use crate::failure::Failure;
use crate::fen::{self, Fen, FenError, Field};
use crate::kernel::Choice;
use crate::lines::{Line, Lines, MAX_LINE};
use crate::output::{Output, Record};
use crate::position::{Boards, Side};
use crate::print;

/// Positions evaluated at once: enough to fill any kernel's blocks, few enough to stay in the cache.
const CHUNK: usize = 1024;

pub(crate) fn run(choice: Choice, options: &AttacksOptions, json: bool) -> Result<(), Failure> {
    let InputFormat::Epd = options.format;
    let source = Source::open(&options.input)?;
    let mut output = match &options.output {
        Some(path) if path != Path::new("-") => Output::create(path, json)?,
        _ => Output::stdout(),
    };
    let started = Instant::now();
    let Source {
        name,
        reader,
        progress,
    } = source;
    let mut lines = Lines::new(reader);
    let mut chunk = Chunk::default();
    let (mut positions, mut bad) = (0_u64, 0_u64);
    loop {
        let line = lines
            .next()
            .map_err(|error| Failure::Input(format!("{name}: {error}")))?;
        let Some(line) = line else { break };
        let number = line.number;
        match read(&line) {
            Ok(None) => {}
            Ok(Some(fen)) => {
                positions += 1;
                chunk.push(number, &fen);
                if chunk.is_full() {
                    chunk.evaluate_into(choice.kernels, &mut output)?;
                }
            }
            Err(error) => {
                let message = format!("{name}:{number}: {error}");
                if options.strict {
                    chunk.evaluate_into(choice.kernels, &mut output)?;
                    output.abandon()?;
                    return Err(Failure::Input(message));
                }
                bad += 1;
                progress.suspend(|| print::note(&message));
            }
        }
    }
    chunk.evaluate_into(choice.kernels, &mut output)?;
    output.finish()?;
    progress.finish_and_clear();
    let seconds = started.elapsed().as_secs_f64();
    let rate = positions as f64 / seconds / 1e6;
    print::note(&format!(
        "positions: {positions}, bad lines: {bad}, kernel: {}, {seconds:.2} s ({rate:.2} million positions/s)",
        choice.kernels.name()
    ));
    match bad {
        0 => Ok(()),
        1 => Err(Failure::Input(format!("{name}: a bad line was left out"))),
        _ => Err(Failure::Input(format!(
            "{name}: {bad} bad lines were left out"
        ))),
    }
}

/// Where positions come from.
struct Source {
    /// As messages name it.
    name: String,
    reader: Box<dyn BufRead>,
    progress: ProgressBar,
}

impl Source {
    fn open(path: &Path) -> Result<Source, Failure> {
        const BUFFER: usize = 256 * 1024;
        let (name, input, size): (_, Box<dyn Read>, _) = if path == Path::new("-") {
            ("<stdin>".into(), Box::new(io::stdin()), None)
        } else {
            let name = path.display().to_string();
            let wrong = |error| Failure::Input(format!("{name}: {error}"));
            let file = File::open(path).map_err(wrong)?;
            let there = fs::metadata(path).map_err(wrong)?;
            if there.is_dir() {
                return Err(wrong(io::ErrorKind::IsADirectory.into()));
            }
            let size = there.is_file().then_some(there.len());
            (name, Box::new(file), size)
        };
        // Drawn on stderr, and only if that is a terminal.
        let progress = match size {
            Some(size) => ProgressBar::new(size).with_style(
                ProgressStyle::with_template("{bar:40} {percent}% {bytes_per_sec}, {eta} left")
                    .unwrap_or_else(|_| ProgressStyle::default_bar()),
            ),
            None => ProgressBar::new_spinner().with_style(
                ProgressStyle::with_template("{spinner} {bytes} read, {bytes_per_sec}")
                    .unwrap_or_else(|_| ProgressStyle::default_spinner()),
            ),
        };
        let reader = BufReader::with_capacity(BUFFER, progress.wrap_read(input));
        Ok(Source {
            name,
            reader: Box::new(reader),
            progress,
        })
    }
}

/// The position of a line, or nothing for a blank line or a comment.
fn read<'a>(line: &Line<'a>) -> Result<Option<Fen<'a>>, FenError> {
    let Some(bytes) = line.bytes else {
        let reason = format!("it is longer than {MAX_LINE} bytes");
        return Err(FenError::new(Field::Line, reason));
    };
    let bytes = bytes.trim_ascii();
    if bytes.is_empty() || bytes[0] == b'#' {
        return Ok(None);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => fen::parse(text).map(Some),
        Err(error) => {
            let reason = format!("it is not UTF-8 from byte {} on", error.valid_up_to() + 1);
            Err(FenError::new(Field::Line, reason))
        }
    }
}

/// Positions that wait for their evaluation. Its memory is used again for the next ones.
#[derive(Default)]
struct Chunk {
    numbers: Vec<u64>,
    /// The FENs, one behind the other, and where each ends.
    fens: String,
    fen_ends: Vec<usize>,
    boards: Boards,
    rook: Vec<u64>,
    bishop: Vec<u64>,
    slider: Vec<u64>,
}

impl Chunk {
    fn push(&mut self, number: u64, fen: &Fen<'_>) {
        self.numbers.push(number);
        for (i, field) in fen.fields().iter().enumerate() {
            if i > 0 {
                self.fens.push(' ');
            }
            self.fens.push_str(field);
        }
        self.fen_ends.push(self.fens.len());
        self.boards.push(&fen.placement);
    }

    fn is_full(&self) -> bool {
        self.numbers.len() == CHUNK
    }

    /// Writes two records for each position and empties the chunk.
    fn evaluate_into(&mut self, kernels: &Kernels, output: &mut Output) -> Result<(), Failure> {
        let Boards {
            orthogonal,
            diagonal,
            occupied,
        } = &self.boards;
        for attacks in [&mut self.rook, &mut self.bishop, &mut self.slider] {
            attacks.resize(occupied.len(), 0);
        }
        kernels.rook_attacks(orthogonal, occupied, &mut self.rook);
        kernels.bishop_attacks(diagonal, occupied, &mut self.bishop);
        kernels.slider_attacks(orthogonal, diagonal, occupied, &mut self.slider);

        let mut start = 0;
        for (position, (&line, &end)) in self.numbers.iter().zip(&self.fen_ends).enumerate() {
            for side in Side::BOTH {
                let board = 2 * position + side as usize;
                output.write(&Record {
                    line,
                    fen: &self.fens[start..end],
                    side,
                    boards: [
                        orthogonal[board],
                        diagonal[board],
                        occupied[board],
                        self.rook[board],
                        self.bishop[board],
                        self.slider[board],
                    ],
                })?;
            }
            start = end;
        }
        self.numbers.clear();
        self.fens.clear();
        self.fen_ends.clear();
        self.boards.clear();
        Ok(())
    }
}
