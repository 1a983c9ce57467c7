//! `setwise bench`: measures with `setwise-measure`; prints, draws and compares the figures.

mod compare;
mod options;
mod text;

use std::fs;
use std::path::Path;
use std::time::Duration;

use indicatif::ProgressBar;
use setwise_measure::boards::{BoardSet, Sets};
use setwise_measure::figures::Run;
use setwise_measure::operation::Operation;
use setwise_measure::settings::Options;
use setwise_measure::{report, run};

use crate::failure::Failure;
use crate::kernel::Choice;
use crate::output::atomic_file::AtomicFile;
use crate::print;
use setwise_positions::{Batch, Piece, Placement, Side, famous_games};

pub(crate) use options::{ABOUT, BenchOptions};

/// The maximum number of boards taken from the positions of games or of a file.
const POSITION_BOARDS: usize = 4096;
/// The number of steps of the progress bar.
const STEPS: u16 = 200;

pub(crate) fn run(choice: Choice, options: &BenchOptions, json: bool) -> Result<(), Failure> {
    if !options.compare.is_empty() {
        return compare::run(options, json);
    }
    // clap does not require `--compare` if an option that conflicts with it is given.
    if options.fail_above.is_some() {
        return Err(Failure::Input("--fail-above: nothing to compare with: add --compare".into()));
    }
    let plan = plan_of(choice, options)?;
    let drawn = Drawn::create(options)?;
    let run = measure(&plan);
    drawn.write(std::slice::from_ref(&run))?;
    let printed = if json {
        print::json(&run)
    } else if options.summary {
        print::text(&lines(&run.clone().summary()))
    } else if options.csv {
        print::text(&run.csv())
    } else {
        print::text(&text::run(&run))
    };
    // A wrong result takes precedence over a closed stdout.
    match run.wrong.as_slice() {
        [] => printed,
        wrong => Err(Failure::Check(format!("wrong, and not timed: {}", wrong.join("\n")))),
    }
}

/// Formats a run as JSON with one figure per line, so that a diff shows which figures changed.
fn lines(run: &Run) -> String {
    let json = serde_json::to_string(run).expect("plain data");
    json.replace("{\"section\"", "\n{\"section\"") + "\n"
}

fn measure(plan: &Options) -> Run {
    let bar = print::bar(ProgressBar::new(STEPS.into()), "{bar:30} {elapsed} {wide_msg}");
    bar.enable_steady_tick(Duration::from_millis(500));
    let run = run::measure(plan, &mut |part, step_name| {
        let step = (0..STEPS).rfind(|&step| f64::from(step) <= part * f64::from(STEPS));
        bar.set_position(step.unwrap_or_default().into());
        bar.set_message(step_name.to_owned());
    });
    bar.finish_and_clear();
    run
}

/// Converts the command-line options to those of the benchmark.
fn plan_of(choice: Choice, options: &BenchOptions) -> Result<Options, Failure> {
    let mut operations = Vec::new();
    for name in &options.operation {
        let known = operations.len();
        operations.extend(
            Operation::all()
                .filter(|operation| operation.title() == *name || operation.name == name),
        );
        if operations.len() == known {
            let mut names: Vec<_> = Operation::all().map(|operation| operation.name).collect();
            names.dedup();
            return Err(Failure::Input(format!(
                "--operation {}: unknown operation, expected one of {}",
                print::escape(name),
                names.join(", ")
            )));
        }
    }
    let (sets, name, about) = if let Some(path) = &options.epd {
        let sets = read_positions(path)?;
        let about = format!("{} positions of a file, both sides", sets.len() / 2);
        (sets, "file", about)
    } else {
        let placements = famous_games::positions();
        let about = format!("{} positions of famous games, both sides", placements.len());
        (placements.iter().flat_map(sets).collect(), "games", about)
    };
    let positions = BoardSet::of(name, &sets, POSITION_BOARDS).map(|boards| (boards, about));
    let default = if options.quick { 6.0 } else { 120.0 };
    Ok(Options {
        quick: options.quick,
        seconds: options.seconds.unwrap_or(default),
        kernels: choice.candidates(),
        operations,
        boards: options.boards.clone(),
        positions,
        techniques: options.techniques,
        given: given(choice, options),
    })
}

/// The command-line options, for the run's JSON. File names are left out because they may be
/// private.
fn given(choice: Choice, options: &BenchOptions) -> Vec<String> {
    let boards: Vec<_> = options.boards.iter().map(usize::to_string).collect();
    let list = |option, values: &[String]| {
        (!values.is_empty()).then(|| format!("{option} {}", values.join(",")))
    };
    let given = [
        options.quick.then(|| "--quick".into()),
        choice.forced.then(|| format!("--kernel {}", choice.kernels.name())),
        options.seconds.map(|seconds| format!("--seconds {seconds}")),
        list("--operation", &options.operation),
        list("--boards", &boards),
        options.epd.as_ref().map(|_| "--epd".into()),
        options.techniques.then(|| "--techniques".into()),
    ];
    given.into_iter().flatten().collect()
}

/// Reads the boards of a file's positions.
fn read_positions(path: &Path) -> Result<Vec<Sets>, Failure> {
    let name = print::name(path);
    let bad = |what: String| Failure::Input(format!("--epd {name}{what}"));
    let bytes = fs::read(path).map_err(|error| bad(format!(": {error}")))?;
    let mut batch = Batch::default();
    batch.keep_text(false);
    batch.read(&bytes, 1);
    if let [error, ..] = batch.errors() {
        return Err(bad(format!(":{error}")));
    }
    let all: Vec<Sets> = batch.placements().iter().flat_map(sets).collect();
    if all.is_empty() {
        return Err(bad(": no positions found".into()));
    }
    Ok(all)
}

/// The inputs of operations on a position, for white and for black.
fn sets(placement: &Placement) -> [Sets; 2] {
    [(Side::White, Side::Black), (Side::Black, Side::White)].map(|(side, other)| {
        let (orthogonal, diagonal) = (placement.orthogonal(side), placement.diagonal(side));
        Sets {
            orthogonal,
            diagonal,
            queens: orthogonal & diagonal,
            occupied: placement.occupied(),
            theirs: placement.side(other),
            king: placement.pieces(other, Piece::King),
        }
    })
}

/// The report and drawing files, if requested. They are created before the measurement and
/// published only when complete.
struct Drawn {
    html: Option<AtomicFile>,
    svg: Option<AtomicFile>,
}

impl Drawn {
    fn create(options: &BenchOptions) -> Result<Drawn, Failure> {
        let create =
            |path: &Option<std::path::PathBuf>| path.as_deref().map(AtomicFile::create).transpose();
        Ok(Drawn { html: create(&options.html)?, svg: create(&options.svg)? })
    }

    fn write(self, runs: &[Run]) -> Result<(), Failure> {
        let write = |file: Option<AtomicFile>, draw: &dyn Fn() -> String| {
            let Some(mut file) = file else {
                return Ok(());
            };
            file.write(draw().as_bytes())?;
            file.publish()
        };
        write(self.html, &|| report::page(runs))?;
        write(self.svg, &|| setwise_measure::drawing(&runs[0]))
    }
}
