//! `setwise bench`: measures by the engine of `setwise-measure`, prints, draws, compares.

mod options;
mod text;

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use setwise_measure::boards::{Boards, Sets};
use setwise_measure::compare;
use setwise_measure::figures::Run;
use setwise_measure::operation::Operation;
use setwise_measure::plan;
use setwise_measure::report;
use setwise_measure::settings::Options;

use crate::failure::Failure;
use crate::kernel::Choice;
use crate::output::atomic_file::AtomicFile;
use crate::print;
use setwise_positions::{Batch, Piece, Placement, Side, famous_games};

pub(crate) use options::{ABOUT, BenchOptions};

/// Positions are drawn evenly down to so many boards.
const POSITION_BOARDS: usize = 4096;
/// Of the progress bar.
const STEPS: u16 = 200;

pub(crate) fn run(choice: Choice, options: &BenchOptions, json: bool) -> Result<(), Failure> {
    if !options.compare.is_empty() {
        return compare_runs(options, json);
    }
    let plan = plan_of(choice, options)?;
    let drawn = Drawn::create(options)?;
    let run = measure(&plan);
    drawn.write(std::slice::from_ref(&run))?;
    let printed = if json {
        print::json(&run)
    } else if options.csv {
        print::text(&run.csv())
    } else {
        print::text(&text::run(&run))
    };
    // A wrong result outweighs a reader that went away.
    match run.wrong.as_slice() {
        [] => printed,
        wrong => Err(Failure::Check(format!(
            "wrong, and not timed: {}",
            wrong.join("\n")
        ))),
    }
}

fn measure(plan: &Options) -> Run {
    let bar = ProgressBar::new(u64::from(STEPS)).with_style(
        ProgressStyle::with_template("{bar:30} {elapsed} {wide_msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar.enable_steady_tick(Duration::from_millis(500));
    let run = plan::run(plan, &mut |part, what| {
        let step = (0..STEPS).rfind(|&step| f64::from(step) <= part * f64::from(STEPS));
        bar.set_position(step.unwrap_or_default().into());
        bar.set_message(what.to_owned());
    });
    bar.finish_and_clear();
    run
}

/// The options in the engine's terms.
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
                "--operation {name}: there is no such operation; there are {}",
                names.join(", ")
            )));
        }
    }
    for (option, kernel) in [
        ("slow", options.slow.as_ref().map(|(name, _)| name)),
        ("wrong", options.wrong.as_ref()),
    ] {
        if let Some(name) = kernel
            && setwise::Kernels::by_name(name).is_err()
        {
            return Err(Failure::Input(format!(
                "--{option} {name}: there is no such kernel here"
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
    let positions = Boards::of(name, &sets, POSITION_BOARDS).map(|boards| (boards, about));
    let default = if options.quick { 6.0 } else { 120.0 };
    Ok(Options {
        quick: options.quick,
        seconds: options.seconds.unwrap_or(default),
        kernels: choice.candidates(),
        operations,
        boards: options.boards.clone(),
        positions,
        techniques: options.techniques,
        threads: usize::from(options.threads),
        given: given(choice, options),
        slowed: options
            .slow
            .clone()
            .map(|(name, factor)| (name, factor - 1.0)),
        broken: options.wrong.clone(),
    })
}

/// The options that make this run another than the usual one. (No file names: they tell of the machine's user.)
fn given(choice: Choice, options: &BenchOptions) -> Vec<String> {
    let mut given = Vec::new();
    let mut add = |there: bool, option: String| given.extend(there.then_some(option));
    add(options.quick, "--quick".into());
    add(choice.forced, format!("--kernel {}", choice.kernels.name()));
    add(
        options.seconds.is_some(),
        format!("--seconds {}", options.seconds.unwrap_or_default()),
    );
    add(
        !options.operation.is_empty(),
        format!("--operation {}", options.operation.join(",")),
    );
    let boards: Vec<_> = options.boards.iter().map(usize::to_string).collect();
    add(!boards.is_empty(), format!("--boards {}", boards.join(",")));
    add(options.epd.is_some(), "--epd".into());
    add(
        options.threads > 1,
        format!("--threads {}", options.threads),
    );
    add(options.techniques, "--techniques".into());
    if let Some((kernel, factor)) = &options.slow {
        add(true, format!("--slow {kernel}={factor}"));
    }
    given
}

/// The boards of a file's positions.
fn read_positions(path: &Path) -> Result<Vec<Sets>, Failure> {
    let name = path.display();
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
        return Err(bad(": there are no positions in it".into()));
    }
    Ok(all)
}

/// What the operations may ask for, of both sides.
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

/// Prints and draws saved runs.
fn compare_runs(options: &BenchOptions, json: bool) -> Result<(), Failure> {
    let read = |path: &std::path::PathBuf| {
        let told = |what: String| Failure::Input(format!("--compare {}: {what}", path.display()));
        let text = fs::read_to_string(path).map_err(|error| told(error.to_string()))?;
        Run::read(&text).map_err(told)
    };
    let runs = options
        .compare
        .iter()
        .map(read)
        .collect::<Result<Vec<_>, _>>()?;
    Drawn::create(options)?.write(&runs)?;
    let comparisons: Vec<_> = runs[1..]
        .iter()
        .map(|after| compare::changes(&runs[0], after))
        .collect();
    let common = !comparisons.is_empty() && comparisons.iter().all(|changes| !changes.is_empty());
    if options.fail_above.is_some() && !common {
        return Err(Failure::Input(
            "--fail-above: the runs have no figure in common".into(),
        ));
    }
    let printed = if json {
        let means: Vec<_> = comparisons
            .iter()
            .map(|changes| compare::means(changes))
            .collect();
        print::json(&serde_json::json!({ "changes": comparisons, "means": means }))
    } else if let [run] = runs.as_slice() {
        print::text(&text::run(run))
    } else {
        print::text(&text::comparison(&runs, &comparisons))
    };
    let Some(limit) = options.fail_above else {
        return printed;
    };
    let mut slower = Vec::new();
    for changes in &comparisons {
        let single = changes.iter().filter(|change| change.exceeds(limit));
        slower.extend(single.map(|change| {
            format!(
                "{} {} ({}, {}, {} boards a call): {:.2} times slower, from {:.3} to {:.3}",
                change.contender,
                change.operation,
                change.section.name(),
                change.input,
                change.boards_a_call,
                change.factor,
                change.before.median,
                change.after.median
            )
        }));
        let means = compare::means(changes);
        let together = means.iter().filter(|mean| mean.exceeds(limit));
        slower.extend(together.map(|mean| {
            format!(
                "{}: {:.2} times slower in the mean of {} figures",
                mean.contender, mean.factor, mean.figures
            )
        }));
    }
    match slower.as_slice() {
        [] => printed,
        slower => Err(Failure::Check(format!(
            "slower by more than {limit}:\n{}",
            slower.join("\n")
        ))),
    }
}

/// The report and the drawing, if asked for: created before anything is measured, and complete or not there.
struct Drawn {
    html: Option<AtomicFile>,
    svg: Option<AtomicFile>,
}

impl Drawn {
    fn create(options: &BenchOptions) -> Result<Drawn, Failure> {
        let create =
            |path: &Option<std::path::PathBuf>| path.as_deref().map(AtomicFile::create).transpose();
        Ok(Drawn {
            html: create(&options.html)?,
            svg: create(&options.svg)?,
        })
    }

    fn write(self, runs: &[Run]) -> Result<(), Failure> {
        let write = |file: Option<AtomicFile>, draw: &dyn Fn() -> String| {
            let Some(mut file) = file else {
                return Ok(());
            };
            file.with(|file| file.write_all(draw().as_bytes()))?;
            file.publish()
        };
        write(self.html, &|| report::page(runs))?;
        write(self.svg, &|| report::drawing(&runs[0]))
    }
}
