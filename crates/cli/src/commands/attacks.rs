//! `setwise attacks`: files of positions, evaluated block by block.

use std::path::Path;
use std::time::Instant;

use indicatif::ProgressBar;
use setwise::Kernels;
use setwise_positions::{Batch, Field, Format as Input, LineError};

use crate::args::AttacksOptions;
use crate::failure::Failure;
use crate::input::{Inputs, Piece, progress};
use crate::kernel::Choice;
use crate::output::{Bytes, Column, Format, Output, Records};
use crate::pipeline::{self, Sink, Source};
use crate::print;

/// Positions evaluated at once: enough to fill any kernel's blocks, few enough to stay in the cache.
const CHUNK: usize = 1024;

pub(crate) fn run(choice: Choice, options: &AttacksOptions, json: bool) -> Result<(), Failure> {
    let path = options
        .output
        .as_deref()
        .filter(|path| *path != Path::new("-"));
    let format = Format::new(path, &options.columns, options.record)?;
    if let Some(path) = path.filter(|path| json && !is_json_lines(path)) {
        let name = print::name(path);
        return Err(Failure::Input(format!(
            "--json does not go with --output {name}"
        )));
    }
    let progress = progress(path.is_none());
    let of_records = options.columns.iter().find(|column| column.is_of_records());
    let inputs = Inputs::new(
        &options.inputs,
        options.format,
        options.unbuffered,
        of_records.map(|column| column.name()),
        progress.clone(),
    )?;
    let writer = Writer {
        output: Output::create(path, &format)?,
        names: inputs.names(),
        is_strict: options.strict,
        positions: 0,
        bad: BadLines::default(),
        progress: progress.clone(),
    };
    let started = Instant::now();
    let format = std::sync::Arc::new(format);
    let evaluation = Evaluation {
        kernels: choice.kernels,
        format: std::sync::Arc::clone(&format),
        is_strict: options.strict,
    };
    let work = move |job: &mut Job| evaluation.evaluate(job);
    let (writer, result) = pipeline::run(threads(options.threads), inputs, work, writer);
    progress.finish_and_clear();
    let Writer {
        output,
        names,
        positions,
        bad,
        ..
    } = writer;
    let result = result.and_then(|()| output.finish(&format, positions));
    let is_closed = matches!(&result, Err(failure) if failure.is_closed_pipe());
    if !is_closed {
        result?;
    }
    if !is_closed || bad.total > 0 {
        let seconds = started.elapsed().as_secs_f64();
        let rate = positions as f64 / seconds / 1e6;
        print::note(&format!(
            "positions: {positions}, bad {}s: {bad}, kernel: {}, {seconds:.2} s ({rate:.2} million positions/s)",
            bad.line(),
            choice.kernels.name()
        ));
    }
    if bad.total == 0 || options.skip_bad {
        return Ok(());
    }
    let name = if let [name] = &*names {
        format!("{name}: ")
    } else {
        String::new()
    };
    let line = bad.line();
    let were = if bad.total == 1 {
        format!("a bad {line} was")
    } else {
        format!("{} bad {line}s were", bad.total)
    };
    Err(Failure::Input(format!("{name}{were} left out")))
}

fn is_json_lines(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "jsonl" || extension == "ndjson")
}

/// As many as were asked for, or one a processor.
fn threads(asked: usize) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        asked => asked,
    }
}

/// Some lines or records of a file and all that becomes of them. Its memory is used again for the next ones.
#[derive(Default)]
pub(crate) struct Job {
    piece: Piece,
    batch: Batch,
    /// The number of each position.
    lines: Vec<u64>,
    errors: Vec<LineError>,
    orthogonal: Vec<u64>,
    diagonal: Vec<u64>,
    occupied: Vec<u64>,
    attacks: [Vec<u64>; 3],
    /// How many of the positions are written.
    positions: usize,
    bytes: Bytes,
}

impl Source for Inputs {
    type Job = Job;

    fn next(&mut self, job: &mut Job) -> Result<bool, Failure> {
        Inputs::next(self, &mut job.piece)
    }
}

/// From lines to the bytes of records.
struct Evaluation {
    kernels: &'static Kernels,
    format: std::sync::Arc<Format>,
    is_strict: bool,
}

impl Evaluation {
    fn evaluate(&self, job: &mut Job) {
        for set in [&mut job.orthogonal, &mut job.diagonal, &mut job.occupied] {
            set.clear();
        }
        self.read(job);
        job.positions = match &job.errors[..] {
            [first, ..] if self.is_strict => job.lines.partition_point(|&line| line < first.line),
            _ => job.lines.len(),
        };
        let batch = &job.batch;
        let chunks = job
            .orthogonal
            .chunks(CHUNK)
            .zip(job.diagonal.chunks(CHUNK))
            .zip(job.occupied.chunks(CHUNK));
        let [rook, bishop, slider] = &mut job.attacks;
        for (column, attacks) in [
            (Column::RookAttacks, &mut *rook),
            (Column::BishopAttacks, &mut *bishop),
            (Column::SliderAttacks, &mut *slider),
        ] {
            let count = if self.format.needs(column) {
                job.occupied.len()
            } else {
                0
            };
            attacks.resize(count, 0);
            for (attacks, ((orthogonal, diagonal), occupied)) in
                attacks.chunks_mut(CHUNK).zip(chunks.clone())
            {
                match column {
                    Column::RookAttacks => self.kernels.rook_attacks(orthogonal, occupied, attacks),
                    Column::BishopAttacks => {
                        self.kernels.bishop_attacks(diagonal, occupied, attacks);
                    }
                    _ => self
                        .kernels
                        .slider_attacks(orthogonal, diagonal, occupied, attacks),
                }
            }
        }
        let mut fens: Vec<&str> = Vec::new();
        if self.format.needs(Column::Fen) {
            fens.extend(batch.fens());
            // Of sets without text there is none.
            fens.resize(job.lines.len(), "");
        }
        let records = Records {
            lines: &job.lines[..job.positions],
            fens: &fens,
            boards: [
                &job.orthogonal,
                &job.diagonal,
                &job.occupied,
                rook,
                bishop,
                slider,
            ],
            scores: batch.scores(),
            results: batch.results(),
        };
        self.format.write(&records, &mut job.bytes);
    }

    /// Lines, records or rows to sets.
    fn read(&self, job: &mut Job) {
        let Job {
            piece,
            batch,
            lines,
            errors,
            orthogonal,
            diagonal,
            occupied,
            ..
        } = job;
        lines.clear();
        errors.clear();
        batch.clear();
        batch.keep_text(self.format.needs(Column::Fen));
        #[cfg(feature = "columns")]
        match &piece.rows {
            Some(rows) if rows.has_sets() => {
                return rows.read_sets(lines, [orthogonal, diagonal, occupied], errors);
            }
            Some(rows) => rows.read_fens(batch),
            None => batch.read_block(piece.format, &piece.block),
        }
        #[cfg(not(feature = "columns"))]
        batch.read_block(piece.format, &piece.block);
        lines.extend_from_slice(batch.lines());
        errors.extend_from_slice(batch.errors());
        batch.boards(orthogonal, diagonal, occupied);
    }
}

/// Writes records in the order of their lines, and tells of bad ones.
struct Writer {
    output: Output,
    names: Vec<String>,
    is_strict: bool,
    positions: u64,
    bad: BadLines,
    progress: ProgressBar,
}

impl Sink<Job> for Writer {
    fn take(&mut self, job: &Job) -> Result<(), Failure> {
        let name = &self.names[job.piece.file];
        let errors = &job.errors[..];
        // Told before a reader may be found to have gone: they count in any case.
        if let ([first, ..], true) = (errors, self.is_strict) {
            self.output.write(&job.bytes)?;
            return Err(Failure::Input(told(name, job.piece.format, first)));
        }
        for error in errors {
            if let Some(message) = self.bad.add(name, job.piece.format, error) {
                self.progress.suspend(|| print::note(&message));
            }
        }
        self.output.write(&job.bytes)?;
        self.positions += job.positions as u64;
        Ok(())
    }
}

/// Lines that were no positions, by the field that was wrong.
#[derive(Default)]
struct BadLines {
    total: u64,
    /// Not only lines.
    has_records: bool,
    by_field: Vec<(Field, u64)>,
}

impl BadLines {
    /// So many are told one by one.
    const TOLD: u64 = 20;

    /// As messages call one.
    fn line(&self) -> &'static str {
        if self.has_records { "record" } else { "line" }
    }

    /// Counts one and says what is to be told of it.
    fn add(&mut self, name: &str, format: Input, error: &LineError) -> Option<String> {
        self.total += 1;
        self.has_records |= format != Input::Text;
        let field = error.error.field();
        match self.by_field.iter_mut().find(|(known, _)| *known == field) {
            Some((_, count)) => *count += 1,
            None => self.by_field.push((field, 1)),
        }
        if self.total <= BadLines::TOLD {
            Some(told(name, format, error))
        } else if self.total == BadLines::TOLD + 1 {
            let (at, line) = (error.line, self.line());
            Some(format!("{name}:{at}: further bad {line}s are counted only"))
        } else {
            None
        }
    }
}

/// As messages tell of a bad line or record.
fn told(name: &str, format: Input, error: &LineError) -> String {
    match format {
        Input::Text => format!("{name}:{error}"),
        Input::Bullet | Input::Marlin => format!("{name}: record {error}"),
        Input::Viri => format!("{name}: position {error}"),
    }
}

impl std::fmt::Display for BadLines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.total)?;
        let mut fields = self.by_field.clone();
        fields.sort_unstable();
        let kinds: Vec<String> = fields
            .iter()
            .map(|(field, count)| format!("{field} {count}"))
            .collect();
        if kinds.is_empty() {
            Ok(())
        } else {
            write!(f, " ({})", kinds.join(", "))
        }
    }
}
