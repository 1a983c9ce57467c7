//! `setwise attacks`: evaluates files of positions, block by block.

use std::collections::BTreeMap;
use std::fmt;
use std::mem;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use indicatif::ProgressBar;
use setwise::Kernel;
use setwise::moves::{CountColumns, GamePlanes, StateColumns};
use setwise::position::{AttackMaps, Position};
use setwise::threats::{Rules, Threat};
use setwise_loader::{Lists, named_rules, ordered, threats_by};
use setwise_positions::{Batch, Field, Format, LineError, Placement, Side, Unit};

use crate::args::AttacksOptions;
use crate::failure::Failure;
use crate::input::{Chunk, Inputs, progress};
use crate::kernel::Choice;
use crate::output::{
    ATTACKS_BY_KIND, Column, Columns, Evaluated, OF_MOVES, Output, OutputFormat, RecordOf,
};
use crate::print;

/// Boards or positions evaluated at once: enough to fill any kernel's blocks, few enough to stay in
/// the cache.
const AT_ONCE: usize = 1024;
/// Positions whose legal moves are counted at once: their planes stay in the L1 cache.
const COUNTED_AT_ONCE: usize = 256;

pub(crate) fn run(choice: Choice, options: &AttacksOptions, json: bool) -> Result<(), Failure> {
    let path = options.output.as_deref().filter(|path| *path != Path::new("-"));
    let rules = rules(&options.pairs)?;
    let format = OutputFormat::new(path, &options.columns, options.record, options.decimal)?;
    let format = Arc::new(format);
    if let Some(path) = path.filter(|_| json && !format.is_json_lines()) {
        let name = print::name(path);
        return Err(Failure::Input(format!("--json conflicts with --output {name}")));
    }
    let progress = progress(path.is_none());
    let find = |is: fn(&Column) -> bool| options.columns.iter().copied().find(is);
    // Fewer formats have ply than the other columns.
    let record_column =
        find(|column| *column == Column::Ply).or_else(|| find(|column| column.is_of_records()));
    let mut inputs = Inputs::new(options, record_column, progress.clone())?;
    let recorder = Recorder {
        output: Output::create(path, &format)?,
        names: inputs.names(),
        is_strict: options.strict,
        positions: 0,
        bad: BadLines::default(),
        progress: progress.clone(),
    };
    let started = Instant::now();
    let converter = Converter {
        kernel: choice.kernel,
        format: Arc::clone(&format),
        is_strict: options.strict,
        record: options.record,
        rules,
    };
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let next = move |job: &mut Job| inputs.next(&mut job.chunk);
    let work = move |job: &mut Job| converter.convert(job);
    let run = ordered(threads, next, work, recorder, Recorder::take);
    let (recorder, result) = run.map_err(|error| {
        let what = format!("cannot start {threads} threads: {error} (use fewer: --threads)");
        Failure::Input(what)
    })?;
    progress.finish_and_clear();
    let Recorder { output, names, positions, bad, .. } = recorder;
    let result = result.and_then(|()| output.finish(&format, positions));
    let is_closed = matches!(&result, Err(failure) if failure.is_closed_pipe());
    if !is_closed {
        result?;
    }
    if !is_closed || bad.total > 0 {
        let seconds = started.elapsed().as_secs_f64();
        let rate = positions as f64 / seconds / 1e6;
        let (line, kernel) = (bad.line(), choice.kernel.name());
        print::note(&format!(
            "positions: {positions}, bad {line}s: {bad}, kernel: {kernel}, \
             {seconds:.2} s ({rate:.2} million positions/s)"
        ));
    }
    if bad.total == 0 || options.skip_bad {
        return Ok(());
    }
    let name = if let [name] = &*names { format!("{name}: ") } else { String::new() };
    let line = bad.line();
    let were = match bad.total {
        1 => format!("a bad {line} was"),
        total => format!("{total} bad {line}s were"),
    };
    Err(Failure::Input(format!("{name}{were} left out")))
}

/// A chunk of a file and everything computed from it. Reused for the next chunk.
#[derive(Default)]
struct Job {
    chunk: Chunk,
    batch: Batch,
    columns: Columns,
    maps: Vec<AttackMaps>,
    threats: Lists<Threat>,
    /// The number of positions to write.
    positions: usize,
    records: Vec<u8>,
}

struct Converter {
    kernel: &'static Kernel,
    format: Arc<OutputFormat>,
    is_strict: bool,
    record: RecordOf,
    rules: Rules,
}

/// The rules of threats by the name of a set of pairs, or from a file.
fn rules(pairs: &str) -> Result<Rules, Failure> {
    if let Some(rules) = named_rules(pairs) {
        return Ok(rules);
    }
    let wrong = |what: &str| Failure::Input(format!("--pairs {}: {what}", print::escape(pairs)));
    let text = std::fs::read_to_string(pairs).map_err(|error| wrong(&error.to_string()))?;
    let lines: Vec<&str> = text.split_whitespace().collect();
    let is_line = |line: &&str| line.len() == 12 && line.bytes().all(|byte| b"01".contains(&byte));
    if lines.len() != 12 || !lines.iter().all(is_line) {
        return Err(wrong("expected 12 lines of 12 digits, 0 or 1"));
    }
    Ok(setwise_loader::rules(|attacker, victim| lines[attacker].as_bytes()[victim] == b'1'))
}

impl Converter {
    fn convert(&self, job: &mut Job) {
        self.read(job);
        match self.record {
            RecordOf::Side | RecordOf::Position => self.attacks_of_sliders(&mut job.columns),
            RecordOf::Maps => self.attack_maps(job),
            RecordOf::Threats => self.threats(job),
        }
        if OF_MOVES.into_iter().any(|column| self.format.needs(column)) {
            self.legal_moves(job);
        }
        let mut fens: Vec<&str> = Vec::new();
        if self.format.needs(Column::Fen) {
            fens.extend(job.batch.fens());
        }
        let positions = Evaluated { columns: &job.columns, fens: &fens, threats: &job.threats };
        self.format.write(&positions, &mut job.records);
    }

    fn attacks_of_sliders(&self, columns: &mut Columns) {
        for column in [Column::RookAttacks, Column::BishopAttacks, Column::SliderAttacks] {
            let Some(mut attacks) = self.column(columns, column).map(mem::take) else { continue };
            let boards = [Column::Orthogonal, Column::Diagonal, Column::Occupied];
            let [orthogonal, diagonal, occupied] = boards.map(|board| &columns[board as usize]);
            attacks.resize(occupied.len(), 0);
            for (chunk, attacks) in attacks.chunks_mut(AT_ONCE).enumerate() {
                // What a column does not need is empty.
                let these = chunk * AT_ONCE..chunk * AT_ONCE + attacks.len();
                let occupied = &occupied[these.clone()];
                match column {
                    Column::RookAttacks => {
                        self.kernel.rook_attacks(&orthogonal[these], occupied, attacks);
                    }
                    Column::BishopAttacks => {
                        self.kernel.bishop_attacks(&diagonal[these], occupied, attacks);
                    }
                    _ => {
                        let (orthogonal, diagonal) = (&orthogonal[these.clone()], &diagonal[these]);
                        self.kernel.slider_attacks(orthogonal, diagonal, occupied, attacks);
                    }
                }
            }
            columns[column as usize] = attacks;
        }
    }

    fn attack_maps(&self, job: &mut Job) {
        let Job { batch, maps, columns, .. } = job;
        for column in ATTACKS_BY_KIND.into_iter().chain([Column::Attacks, Column::ByLesser]) {
            columns[column as usize].clear();
        }
        for placements in batch.placements().chunks(AT_ONCE) {
            let positions: Vec<Position> = placements.iter().map(Position::from).collect();
            maps.resize(positions.len(), AttackMaps::default());
            self.kernel.attack_maps(&positions, maps);
            for (kind, column) in ATTACKS_BY_KIND.into_iter().enumerate() {
                if let Some(to) = self.column(columns, column) {
                    to.extend(maps.iter().flat_map(|maps| maps.attacks.map(|side| side[kind])));
                }
            }
            if let Some(to) = self.column(columns, Column::Attacks) {
                to.extend(maps.iter().flat_map(|maps| maps.all));
            }
            if let Some(to) = self.column(columns, Column::ByLesser) {
                to.extend(maps.iter().flat_map(|maps| maps.by_lesser));
            }
        }
    }

    fn threats(&self, job: &mut Job) {
        let boards: Vec<[u8; 64]> = job.batch.placements().iter().map(Placement::codes).collect();
        job.threats = threats_by(self.kernel, &boards, &self.rules);
    }

    fn legal_moves(&self, job: &mut Job) {
        let Job { batch, columns, .. } = job;
        let mut planes = [[0; COUNTED_AT_ONCE]; 4];
        let mut states = [[0; COUNTED_AT_ONCE]; 4];
        let (mut moves, mut checks) = ([0; COUNTED_AT_ONCE], [0; COUNTED_AT_ONCE]);
        for column in OF_MOVES {
            columns[column as usize].clear();
        }
        let chunks = batch.placements().chunks(COUNTED_AT_ONCE);
        for (placements, given) in chunks.zip(batch.states().chunks(COUNTED_AT_ONCE)) {
            for (i, (placement, state)) in placements.iter().zip(given).enumerate() {
                for (column, plane) in planes.iter_mut().zip(placement.game_planes()) {
                    column[i] = plane;
                }
                let [white, black] = state.castling;
                let bytes = [state.side, state.en_passant, white, black];
                for (column, byte) in states.iter_mut().zip(bytes) {
                    column[i] = byte;
                }
            }
            let count = placements.len();
            let [side, en_passant, white, black] = states.each_ref().map(|bytes| &bytes[..count]);
            let planes = planes.each_ref().map(|column| &column[..count]);
            let states = StateColumns { side, en_passant, castling: [white, black] };
            let (moves, checks) = (&mut moves[..count], &mut checks[..count]);
            self.kernel.legal_counts_in_planes(
                &GamePlanes { planes, states },
                &mut CountColumns { moves: Some(&mut *moves), checks: Some(&mut *checks) },
            );
            let counts = || moves.iter().zip(&*checks);
            for column in OF_MOVES {
                let Some(to) = self.column(columns, column) else { continue };
                match column {
                    Column::Moves => to.extend(moves.iter().map(|&moves| u64::from(moves))),
                    Column::Check => to.extend(checks.iter().map(|&checks| u64::from(checks))),
                    // With 255 checks, no game has this position.
                    Column::Mate => to.extend(counts().map(|(&moves, &checks)| {
                        u64::from(moves == 0 && (1..255).contains(&checks))
                    })),
                    _ => to.extend(
                        counts().map(|(&moves, &checks)| u64::from(moves == 0 && checks == 0)),
                    ),
                }
            }
        }
        for column in OF_MOVES {
            columns[column as usize].truncate(job.positions);
        }
    }

    /// A column, if the output needs it.
    fn column<'a>(&self, columns: &'a mut Columns, column: Column) -> Option<&'a mut Vec<u64>> {
        if self.format.needs(column) { Some(&mut columns[column as usize]) } else { None }
    }

    fn read(&self, job: &mut Job) {
        let Job { chunk, batch, columns, .. } = job;
        batch.clear();
        batch.keep_text(self.format.needs(Column::Fen));
        batch.keep_states(OF_MOVES.into_iter().any(|column| self.format.needs(column)));
        batch.read_block(chunk.format, &chunk.block);
        let lines = batch.lines();
        job.positions = match batch.errors() {
            [first, ..] if self.is_strict => lines.partition_point(|&line| line < first.line),
            _ => lines.len(),
        };
        columns[Column::Line as usize].clear();
        columns[Column::Line as usize].extend_from_slice(&lines[..job.positions]);
        self.boards(columns, batch.placements());
        let scores = batch.scores().iter().map(|&score| i64::from(score).cast_unsigned());
        self.fill(columns, Column::Score, scores);
        self.fill(columns, Column::Result, batch.results().iter().map(|&result| result.into()));
        self.fill(columns, Column::Ply, batch.plies().iter().map(|&ply| ply.into()));
    }

    /// Replaces the columns of sliders and occupied squares that the output, or a column that is
    /// computed from them, needs.
    fn boards(&self, columns: &mut Columns, placements: &[Placement]) {
        use Column::{BishopAttacks, Diagonal, Occupied, Orthogonal, RookAttacks, SliderAttacks};
        let is_maps = matches!(self.record, RecordOf::Maps);
        let uses = |columns: &[Column]| {
            !is_maps && columns.iter().any(|&column| self.format.needs(column))
        };
        let is_used = [
            uses(&[Orthogonal, RookAttacks, SliderAttacks]),
            uses(&[Diagonal, BishopAttacks, SliderAttacks]),
            uses(&[Occupied, RookAttacks, BishopAttacks, SliderAttacks]),
        ];
        let of = is_used.map(|is_used| if is_used { placements } else { &[] });
        let orthogonal = |p: &Placement| Side::BOTH.map(|side| p.orthogonal(side));
        let diagonal = |p: &Placement| Side::BOTH.map(|side| p.diagonal(side));
        replace(&mut columns[Orthogonal as usize], of[0], orthogonal);
        replace(&mut columns[Diagonal as usize], of[1], diagonal);
        replace(&mut columns[Occupied as usize], of[2], |p| [p.occupied(); 2]);
    }

    /// Replaces a column with the numbers of the positions to write, if the output needs it.
    fn fill(&self, columns: &mut Columns, column: Column, numbers: impl Iterator<Item = u64>) {
        let count = columns[Column::Line as usize].len();
        if let Some(to) = self.column(columns, column) {
            to.clear();
            to.extend(numbers.take(count));
        }
    }
}

/// Replaces a column with two sets for each placement.
fn replace(column: &mut Vec<u64>, of: &[Placement], sets: impl Fn(&Placement) -> [u64; 2]) {
    // Without `clear`, `resize` leaves the numbers that are overwritten.
    column.resize(2 * of.len(), 0);
    for (to, placement) in column.as_chunks_mut().0.iter_mut().zip(of) {
        *to = sets(placement);
    }
}

/// Writes records in the order of their lines, and reports bad lines.
struct Recorder {
    output: Output,
    names: Vec<String>,
    is_strict: bool,
    positions: u64,
    bad: BadLines,
    progress: ProgressBar,
}

impl Recorder {
    fn take(&mut self, job: &Job) -> Result<(), Failure> {
        let (name, format) = (&self.names[job.chunk.file], job.chunk.format);
        if let ([first, ..], true) = (job.batch.errors(), self.is_strict) {
            self.output.write(&job.records)?;
            return Err(Failure::Input(message(name, format, first)));
        }
        // Report before writing: bad lines count even if the reader has closed the pipe.
        for error in job.batch.errors() {
            if let Some(message) = self.bad.add(name, format, error) {
                self.progress.suspend(|| print::note(&message));
            }
        }
        self.output.write(&job.records)?;
        self.positions += job.positions as u64;
        Ok(())
    }
}

/// Counts bad lines, grouped by the invalid field.
#[derive(Default)]
struct BadLines {
    total: u64,
    has_records: bool,
    by_field: BTreeMap<Field, u64>,
}

impl BadLines {
    /// The maximum number of bad lines that are reported one by one.
    const REPORTED: u64 = 20;

    /// What messages call a unit of input: `record` or `line`.
    fn line(&self) -> &'static str {
        if self.has_records { "record" } else { "line" }
    }

    /// Counts a bad line, and returns the message to print, if any.
    fn add(&mut self, name: &str, format: Format, error: &LineError) -> Option<String> {
        self.total += 1;
        self.has_records |= format.unit() != Unit::Line;
        *self.by_field.entry(error.error.field()).or_default() += 1;
        if self.total <= BadLines::REPORTED {
            Some(message(name, format, error))
        } else if self.total == BadLines::REPORTED + 1 {
            let (place, line) = (error.line, self.line());
            Some(format!("{name}:{place}: further bad {line}s are only counted"))
        } else {
            None
        }
    }
}

fn message(name: &str, format: Format, error: &LineError) -> String {
    match format.unit() {
        Unit::Line => format!("{name}:{error}"),
        Unit::Record => format!("{name}: record {error}"),
        Unit::Position => format!("{name}: position {error}"),
    }
}

impl fmt::Display for BadLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.total)?;
        let fields = self.by_field.iter().map(|(field, count)| format!("{field} {count}"));
        match fields.collect::<Vec<_>>().join(", ") {
            fields if fields.is_empty() => Ok(()),
            fields => write!(f, " ({fields})"),
        }
    }
}
