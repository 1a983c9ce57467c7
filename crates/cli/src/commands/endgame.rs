//! `setwise endgame`: distance to mate in endings of up to four men without pawns.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::ProgressBar;
use serde::Serialize;
use setwise_endgame::{
    AttackSource, Ending, Options, Position, Progress, Report, Table, Value, Verified, VerifyError,
    check_resources, summary, verify,
};

use crate::args::{EndgameAction, EndgameOptions};
use crate::draw::{GOOD, WRONG, styled};
use crate::failure::Failure;
use crate::kernel::Choice;
use crate::output::atomic_file::AtomicFile;
use crate::print::{self, bar};

pub(crate) fn run(choice: Choice, options: &EndgameOptions, json: bool) -> Result<(), Failure> {
    if let (Some(action), [name, ..]) = (&options.action, &*options.names) {
        let action = action.name();
        return Err(Failure::Input(format!(
            "{}: endings must follow `{action}`",
            print::escape(name)
        )));
    }
    if options.output.is_some() && options.tables.is_some() {
        return Err(Failure::Input("--tables and --output cannot be combined".into()));
    }
    let tables = Tables::new(choice, options);
    match &options.action {
        None => solve(&tables, &endings(&options.names)?, json),
        Some(EndgameAction::All) => solve(&tables, &Ending::all(), json),
        Some(EndgameAction::Probe { fen }) => probe(&tables, &fen.join(" "), json),
        Some(EndgameAction::Verify { names }) => check(&tables, &endings(names)?, json),
    }
}

const SCHEMA: u32 = 3;

/// The JSON document: one entry for each ending.
#[derive(Serialize)]
struct Found<'a, T> {
    schema: u32,
    endings: &'a [T],
}

fn print_json(endings: &[impl Serialize]) -> Result<(), Failure> {
    let schema = SCHEMA;
    print::json(&Found { schema, endings })
}

fn endings(names: &[String]) -> Result<Vec<Ending>, Failure> {
    let mut endings = Vec::new();
    for name in names {
        if name.eq_ignore_ascii_case("all") {
            endings.extend(Ending::all());
        } else {
            endings.push(name.parse().map_err(input)?);
        }
    }
    Ok(endings)
}

#[allow(clippy::needless_pass_by_value)] // required by `map_err`
fn input(error: impl ToString) -> Failure {
    Failure::Input(print::escape(&error.to_string()))
}

/// A single ending is printed in more detail, except in JSON.
fn solve(tables: &Tables<'_>, endings: &[Ending], json: bool) -> Result<(), Failure> {
    let reports = endings.iter().map(|ending| Ok(tables.get(ending)?.1));
    let reports = reports.collect::<Result<Vec<_>, Failure>>()?;
    match &*reports {
        _ if json => print_json(&reports),
        [report] => print::text(&report.to_string()),
        _ => print::text(&summary(&reports)),
    }
}

/// The JSON document for a position.
#[derive(Serialize)]
struct Probed {
    schema: u32,
    fen: String,
    ending: String,
    turn: String,
    value: &'static str,
    /// Moves to mate; `None` for a draw or an illegal position.
    moves: Option<usize>,
    line: Vec<String>,
}

fn probe(tables: &Tables<'_>, fen: &str, json: bool) -> Result<(), Failure> {
    let position: Position = fen.parse().map_err(input)?;
    let (table, _) = tables.get(&position.ending())?;
    let turn = position.turn().name();
    let (value, moves, text) = match table.probe(&position) {
        Value::Win(n) => ("win", Some(n), format!("{turn} to move wins: mate in {n}")),
        Value::Loss(0) => ("loss", Some(0), format!("{turn} to move is mated")),
        Value::Loss(n) => {
            let text = format!("{turn} to move loses: mated in {n}");
            ("loss", Some(n), text)
        }
        Value::Draw => ("draw", None, format!("{turn} to move: a draw")),
        Value::Illegal => {
            let text = "illegal: the kings are adjacent, or the side not to move is in check";
            ("illegal", None, text.to_owned())
        }
    };
    let line: Vec<String> = table.line(&position).into_iter().map(|step| step.san).collect();
    if !json {
        let line = line.join(" ");
        let end = if line.is_empty() { "" } else { "\n" };
        return print::text(&format!("{text}\n{line}{end}"));
    }
    print::json(&Probed {
        schema: SCHEMA,
        fen: position.to_string(),
        ending: position.ending().to_string(),
        turn: turn.to_string(),
        value,
        moves,
        line,
    })
}

/// The result of `verify` for an ending.
#[derive(Serialize)]
struct Checked {
    name: String,
    ok: bool,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(flatten)]
    verified: Option<Verified>,
}

impl Checked {
    fn new(ending: &Ending, result: Result<Verified, VerifyError>, seconds: f64) -> Checked {
        let error = result.as_ref().err().map(ToString::to_string);
        Checked {
            name: ending.to_string(),
            ok: error.is_none(),
            seconds,
            error,
            verified: result.ok(),
        }
    }

    fn text(&self) -> String {
        let Checked { name, seconds, .. } = self;
        if let Some(Verified { white_to_move, black_to_move, moves }) = self.verified {
            let ok = styled(GOOD, "ok");
            format!(
                "{name:<5} {ok}: {white_to_move} positions with white to move, {black_to_move} \
                 with black to move, {moves} moves, {seconds:.1} s\n"
            )
        } else {
            let error = self.error.as_deref().unwrap_or_default();
            format!("{name:<5} {}: {error}\n", styled(WRONG, "WRONG"))
        }
    }
}

fn check(tables: &Tables<'_>, endings: &[Ending], json: bool) -> Result<(), Failure> {
    let mut results = Vec::new();
    for ending in endings {
        let (table, _) = tables.get(ending)?;
        let bar = bar(ProgressBar::new(64), "{msg} {bar:40} {percent}%");
        bar.set_message(format!("{ending}: checking"));
        let start = Instant::now();
        let result = verify(&table, tables.threads, Some(&|done| bar.set_position(done)));
        bar.finish_and_clear();
        let checked = Checked::new(ending, result, start.elapsed().as_secs_f64());
        // An ending takes seconds, so print each result when it is ready.
        if !json {
            print::text(&checked.text())?;
        }
        results.push(checked);
    }
    let wrong = results.iter().filter(|checked| !checked.ok);
    let verdict = Failure::wrong(wrong.map(|checked| checked.name.as_str()));
    let printed = if json { print_json(&results) } else { Ok(()) };
    // A wrong value takes precedence over a closed output.
    verdict.and(printed)
}

/// Reads tables, or generates and optionally writes them.
struct Tables<'a> {
    threads: usize,
    attacks: AttackSource,
    read_from: Option<&'a Path>,
    write_to: Option<&'a Path>,
}

impl<'a> Tables<'a> {
    fn new(choice: Choice, options: &'a EndgameOptions) -> Tables<'a> {
        let by_kernel = choice.forced.then_some(AttackSource::Kernel(choice.kernel));
        Tables {
            threads: options.threads,
            attacks: by_kernel.unwrap_or(AttackSource::Tables),
            read_from: options.tables.as_deref(),
            write_to: options.output.as_deref(),
        }
    }

    fn get(&self, ending: &Ending) -> Result<(Table, Report), Failure> {
        check_resources(ending, self.threads).map_err(|error| {
            Failure::Input(match error.kind() {
                ErrorKind::OutOfMemory => error.to_string(),
                _ => format!("cannot start threads: {error} (use fewer: --threads)"),
            })
        })?;
        match self.read_from {
            Some(folder) => read(&file(folder, ending), ending),
            None => self.generate(ending),
        }
    }

    fn generate(&self, ending: &Ending) -> Result<(Table, Report), Failure> {
        // Create the output file first, so that a failure comes before the work, not after it.
        let output = match self.write_to {
            Some(folder) => {
                fs::create_dir_all(folder)
                    .map_err(|error| input(format!("{}: {error}", folder.display())))?;
                Some(AtomicFile::create(&file(folder, ending))?)
            }
            None => None,
        };
        let bar = bar(ProgressBar::no_length(), "{spinner} {msg}");
        let progress = |progress: &Progress| {
            let Progress { ending, moves, won, lost, .. } = progress;
            bar.set_message(format!("{ending}: mate in {moves}: {won} won, {lost} lost"));
            bar.tick();
        };
        let (table, report) = Report::measure(
            ending,
            &Options { threads: self.threads, attacks: self.attacks, progress: Some(&progress) },
        );
        bar.finish_and_clear();
        if let Some(mut file) = output {
            file.write(&table.to_bytes())?;
            file.publish()?;
        }
        Ok((table, report))
    }
}

fn read(path: &Path, ending: &Ending) -> Result<(Table, Report), Failure> {
    let start = Instant::now();
    let table = Table::load(path).map_err(input)?;
    let found = table.ending();
    if found != ending {
        let path = print::name(path);
        return Err(input(format!("{path}: a table of {found}, not of {ending}")));
    }
    let report = Report::new(&table, start.elapsed().as_secs_f64(), table.bytes());
    Ok((table, report))
}

fn file(folder: &Path, ending: &Ending) -> PathBuf {
    folder.join(format!("{ending}.swe"))
}
