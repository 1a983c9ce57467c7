//! `setwise endgame`: endings without pawns and with up to four men, distance to mate.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use setwise_endgame::{
    Attacks, Ending, FileError, Options, Passes, Position, Progress, Report, Table, Value,
    Verified, VerifyError, start_threads, summary, verify,
};

use crate::args::{AttackWay, EndgameAction, EndgameOptions, PassCount};
use crate::draw::{GOOD, WRONG, styled};
use crate::failure::Failure;
use crate::kernel::Choice;
use crate::print;
use crate::signals;

/// Held while a file is written, so that an interrupt waits until it is there as a whole.
static WRITING: Mutex<()> = Mutex::new(());

pub(crate) fn run(choice: Choice, options: &EndgameOptions, json: bool) -> Result<(), Failure> {
    if let (Some(action), [name, ..]) = (&options.action, &*options.names) {
        let action = action.name();
        return Err(Failure::Input(format!(
            "{}: endings stand behind `{action}`",
            print::escape(name)
        )));
    }
    if options.output.is_some() && options.tables.is_some() {
        return Err(Failure::Input("--tables does not go with --output".into()));
    }
    signals::when_interrupted(|| std::mem::forget(WRITING.lock()));
    start_threads(options.threads).map_err(|error| {
        let threads = options.threads;
        Failure::Input(format!(
            "{threads} threads cannot be started: {error} (--threads tells how many)"
        ))
    })?;
    let tables = Tables::new(choice, options);
    match &options.action {
        None => solve(&tables, &endings(&options.names)?, json),
        Some(EndgameAction::All) => solve(&tables, &Endings::Several(Ending::all()), json),
        Some(EndgameAction::Probe { fen }) => probe(&tables, &fen.join(" "), json),
        Some(EndgameAction::Verify { names }) => check(&tables, &endings(names)?, json),
    }
}

/// The version of what is printed as JSON.
const SCHEMA: u32 = 2;

/// What was asked for: a text tells more of one ending than of several.
enum Endings {
    One(Ending),
    Several(Vec<Ending>),
}

impl Endings {
    fn list(&self) -> &[Ending] {
        match self {
            Endings::One(ending) => std::slice::from_ref(ending),
            Endings::Several(endings) => endings,
        }
    }
}

/// What was found of each ending, for programs.
#[derive(Serialize)]
struct Found<'a, T> {
    schema: u32,
    endings: &'a [T],
}

fn print_json(endings: &[impl Serialize]) -> Result<(), Failure> {
    let schema = SCHEMA;
    print::json(&Found { schema, endings })
}

fn endings(names: &[String]) -> Result<Endings, Failure> {
    let mut endings = Vec::new();
    for name in names {
        if name.eq_ignore_ascii_case("all") {
            endings.extend(Ending::all());
        } else {
            endings.push(name.parse().map_err(input)?);
        }
    }
    Ok(match <[Ending; 1]>::try_from(endings) {
        Ok([ending]) => Endings::One(ending),
        Err(endings) => Endings::Several(endings),
    })
}

#[allow(clippy::needless_pass_by_value)] // as `map_err` passes it
fn input(error: impl ToString) -> Failure {
    Failure::Input(print::escape(&error.to_string()))
}

fn solve(tables: &Tables<'_>, endings: &Endings, json: bool) -> Result<(), Failure> {
    let mut reports = Vec::new();
    for ending in endings.list() {
        reports.push(tables.get(ending)?.1);
    }
    if json {
        return print_json(&reports);
    }
    match (endings, &*reports) {
        (Endings::One(_), [report]) => print::text(&report.to_string()),
        _ => print::text(&summary(&reports)),
    }
}

/// A position's value, for programs.
#[derive(Serialize)]
struct Probed {
    schema: u32,
    fen: String,
    ending: String,
    turn: String,
    value: &'static str,
    /// To mate; none for a draw or an illegal position.
    moves: Option<usize>,
    line: Vec<String>,
}

fn probe(tables: &Tables<'_>, fen: &str, json: bool) -> Result<(), Failure> {
    let position: Position = fen.parse().map_err(input)?;
    let (table, _) = tables.get(&position.ending())?;
    let turn = position.turn();
    let (value, moves, text) = match table.probe(&position) {
        Value::Win(n) => ("win", Some(n), format!("{turn} to move wins: mate in {n}")),
        Value::Loss(0) => ("loss", Some(0), format!("{turn} to move is mated")),
        Value::Loss(n) => {
            let text = format!("{turn} to move loses: mated in {n}");
            ("loss", Some(n), text)
        }
        Value::Draw => ("draw", None, format!("{turn} to move: a draw")),
        Value::Illegal => {
            let text = "illegal: the kings touch, or the side not to move is in check";
            ("illegal", None, text.to_owned())
        }
    };
    let line: Vec<String> = table
        .line(&position)
        .into_iter()
        .map(|step| step.san)
        .collect();
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

/// What the check of an ending found, for programs.
#[derive(Serialize)]
struct Checked {
    name: String,
    ok: bool,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Positions whose value was checked, and the moves that were made in them.
    #[serde(skip_serializing_if = "Option::is_none")]
    white_to_move: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    black_to_move: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<u64>,
}

impl Checked {
    fn new(ending: &Ending, result: Result<Verified, VerifyError>, seconds: f64) -> Checked {
        let (verified, error) = match result {
            Ok(verified) => (Some(verified), None),
            Err(error) => (None, Some(error.to_string())),
        };
        Checked {
            name: ending.to_string(),
            ok: error.is_none(),
            seconds,
            error,
            white_to_move: verified.map(|verified| verified.white_to_move),
            black_to_move: verified.map(|verified| verified.black_to_move),
            moves: verified.map(|verified| verified.moves),
        }
    }

    fn text(&self) -> String {
        let Checked { name, seconds, .. } = self;
        if let (Some(white), Some(black), Some(moves)) =
            (self.white_to_move, self.black_to_move, self.moves)
        {
            let ok = styled(GOOD, "ok");
            format!(
                "{name:<5} {ok}: {white} positions with white to move, {black} with black to move, {moves} moves, {seconds:.1} s\n"
            )
        } else {
            let error = self.error.as_deref().unwrap_or_default();
            format!("{name:<5} {}: {error}\n", styled(WRONG, "WRONG"))
        }
    }
}

fn check(tables: &Tables<'_>, endings: &Endings, json: bool) -> Result<(), Failure> {
    let mut results = Vec::new();
    for ending in endings.list() {
        let (table, _) = tables.get(ending)?;
        let bar = bar(ProgressBar::new(64), "{msg} {bar:40} {percent}%");
        bar.set_message(format!("{ending}: checking"));
        let start = Instant::now();
        let result = verify(&table, tables.threads, Some(&|done| bar.set_position(done)));
        bar.finish_and_clear();
        let checked = Checked::new(ending, result, start.elapsed().as_secs_f64());
        // It takes seconds an ending: tell each as it is done.
        if !json {
            print::text(&checked.text())?;
        }
        results.push(checked);
    }
    let wrong: Vec<&str> = results
        .iter()
        .filter(|checked| !checked.ok)
        .map(|checked| checked.name.as_str())
        .collect();
    let verdict = if wrong.is_empty() {
        Ok(())
    } else {
        Err(Failure::Check(format!("wrong: {}", wrong.join(", "))))
    };
    let printed = if json { print_json(&results) } else { Ok(()) };
    // A wrong value outweighs a reader that went away.
    verdict.and(printed)
}

/// Where tables come from, and where they go.
struct Tables<'a> {
    threads: usize,
    attacks: Attacks,
    passes: Passes,
    read_from: Option<&'a Path>,
    write_to: Option<&'a Path>,
}

impl<'a> Tables<'a> {
    fn new(choice: Choice, options: &'a EndgameOptions) -> Tables<'a> {
        let attacks = match options.attacks {
            Some(AttackWay::Kernels) => Attacks::Kernels(choice.kernels),
            // Whoever forces a kernel wants it used.
            None if choice.forced => Attacks::Kernels(choice.kernels),
            Some(AttackWay::Tables) | None => Attacks::Tables,
        };
        Tables {
            threads: options.threads,
            attacks,
            passes: match options.passes {
                PassCount::One => Passes::One,
                PassCount::Two => Passes::Two,
            },
            read_from: options.tables.as_deref(),
            write_to: options.output.as_deref(),
        }
    }

    fn get(&self, ending: &Ending) -> Result<(Table, Report), Failure> {
        match self.read_from {
            Some(folder) => read(&file(folder, ending), ending),
            None => self.generate(ending),
        }
    }

    fn generate(&self, ending: &Ending) -> Result<(Table, Report), Failure> {
        // Before the work, not after it.
        if let Some(folder) = self.write_to {
            fs::create_dir_all(folder)
                .map_err(|error| input(format!("{}: {error}", folder.display())))?;
        }
        let bar = bar(ProgressBar::no_length(), "{spinner} {msg}");
        let progress = |progress: &Progress| {
            let Progress {
                ending,
                moves,
                won,
                lost,
                ..
            } = progress;
            bar.set_message(format!("{ending}: mate in {moves}: {won} won, {lost} lost"));
            bar.tick();
        };
        let (table, report) = Report::measure(
            ending,
            &Options {
                threads: self.threads,
                attacks: self.attacks,
                passes: self.passes,
                progress: Some(&progress),
            },
        );
        bar.finish_and_clear();
        if let Some(folder) = self.write_to {
            let _writing = WRITING.lock();
            table.save(&file(folder, ending)).map_err(input)?;
        }
        Ok((table, report))
    }
}

fn read(path: &Path, ending: &Ending) -> Result<(Table, Report), Failure> {
    let start = Instant::now();
    let table = Table::load(path).map_err(|error| match error {
        FileError::Io { .. } => input(error), // names the path itself
        other => input(format!("{}: {other}", path.display())),
    })?;
    let found = table.ending();
    if found != ending {
        let path = print::name(path);
        return Err(input(format!(
            "{path}: a table of {found}, not of {ending}"
        )));
    }
    let report = Report::new(&table, start.elapsed().as_secs_f64(), table.bytes());
    Ok((table, report))
}

fn file(folder: &Path, ending: &Ending) -> PathBuf {
    folder.join(format!("{ending}.swe"))
}

/// Drawn on stderr, and only if that is a terminal.
fn bar(bar: ProgressBar, template: &str) -> ProgressBar {
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
