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
use setwise_measure::starts::Starts;
use setwise_measure::{counters, report, run};

use crate::failure::Failure;
use crate::kernel::Choice;
use crate::output::atomic_file::AtomicFile;
use crate::print;
use setwise_positions::{Batch, Piece, Placement, Side, famous_games};

pub(crate) use options::{ABOUT, BenchOptions};

/// The maximum number of boards taken from the positions of games or of a file.
const POSITION_BOARDS: usize = 4096;
const STEPS: u16 = 200;

pub(crate) fn run(choice: Choice, options: &BenchOptions, json: bool) -> Result<(), Failure> {
    if !options.compare.is_empty() {
        return compare::run(options, json);
    }
    // clap does not require `--compare` if an option that conflicts with it is given.
    if options.fail_above.is_some() {
        let what = "--fail-above compares saved runs: save this one with --json, then name two runs \
                    after --compare";
        return Err(Failure::Input(what.into()));
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
        if let Some(refused) = run.counters.as_ref().and_then(|counted| counted.refused.as_ref()) {
            print::note(&format!("no hardware counters: {refused}"));
        }
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
    let walk = options.walk.then(|| starts(options.epd.as_deref())).transpose()?;
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
    let default = match (options.quick, options.walk) {
        (true, _) => 6.0,
        (false, true) => 60.0,
        (false, false) => 120.0,
    };
    let counters = options.counters.unwrap_or(!options.quick && !options.walk);
    Ok(Options {
        quick: options.quick,
        seconds: options.seconds.unwrap_or(default),
        kernels: choice.candidates(),
        operations,
        boards: options.boards.clone(),
        positions: positions.filter(|_| !options.walk),
        walk,
        techniques: options.techniques,
        counters: counters.then_some(counters::open as _),
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
        choice.forced.then(|| format!("--kernel {}", choice.kernel.name())),
        options.seconds.map(|seconds| format!("--seconds {seconds}")),
        list("--operation", &options.operation),
        list("--boards", &boards),
        options.epd.as_ref().map(|_| "--epd".into()),
        options.techniques.then(|| "--techniques".into()),
        options.walk.then(|| "--walk".into()),
        options.counters.map(|on| format!("--counters={}", if on { "on" } else { "off" })),
    ];
    given.into_iter().flatten().collect()
}

/// The positions in which the games of a walk start: those of the file or of the famous games.
fn starts(path: Option<&Path>) -> Result<Starts, Failure> {
    let Some(path) = path else {
        let games = famous_games::games();
        let sides = || ["w", "b"].into_iter().cycle();
        let positions = games.iter().flat_map(|game| game.placements.iter().zip(sides()));
        let lines: Vec<_> =
            positions.map(|(pieces, side)| format!("{pieces} {side} - -\n")).collect();
        return Starts::new(&lines.concat()).map_err(Failure::Input);
    };
    let bad = |error: String| Failure::Input(format!("--epd {}: {error}", print::name(path)));
    let lines = fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
    Starts::new(&lines).map_err(|error| bad(print::escape(&error)))
}

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
        let html = self.html.map(|file| (file, report::page(runs)));
        let svg = self.svg.map(|file| (file, setwise_measure::drawing(&runs[0])));
        for (mut file, text) in html.into_iter().chain(svg) {
            file.write(text.as_bytes())?;
            file.publish()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use setwise::Kernel;
    use setwise_measure::counters::{Opened, Source};
    use setwise_measure::figures::Section;
    use setwise_measure::machine::Machine;
    use setwise_measure::number::{name, round, significant};

    use super::*;

    /// What the counters of each group count in every region of code.
    const GROUPS: [&[(&str, f64)]; 2] =
        [&[("core_cycles", 5e3), ("instructions", 6e3)], &[("stall_cycles", 7e3)]];

    /// A group of counters, and the number of regions since they were read. The second group ran
    /// half of the time.
    struct Fixed(usize, f64);

    impl Source for Fixed {
        fn start(&mut self) {}

        fn stop(&mut self) {
            self.1 += 1.0;
        }

        fn take(&mut self) -> (Vec<(&'static str, Option<f64>)>, f64) {
            let regions = std::mem::take(&mut self.1);
            let counts = GROUPS[self.0].iter().map(|&(name, count)| (name, Some(count * regions)));
            (counts.collect(), [1.0, 0.5][self.0])
        }
    }

    fn open(_: &Machine) -> Opened {
        (vec![Box::new(Fixed(0, 0.0)), Box::new(Fixed(1, 0.0))], Some("none here".into()))
    }

    /// Every count is in the JSON, the CSV, the text and the report.
    #[test]
    fn counts_are_printed() {
        let sets: Vec<Sets> = famous_games::positions().iter().flat_map(sets).collect();
        let options = Options {
            quick: true,
            kernels: vec![Kernel::by_name("scalar").unwrap()],
            operations: vec![Operation::named("slider_attacks").unwrap()],
            positions: BoardSet::of("games", &sets, 64).map(|boards| (boards, "some".into())),
            counters: Some(open),
            ..Options::default()
        };
        let run = run::measure(&options, &mut |_, _| ());
        let json: serde_json::Value = serde_json::from_str(&lines(&run)).unwrap();
        let (csv, text, page) =
            (run.csv(), text::run(&run), report::page(std::slice::from_ref(&run)));
        for (figure, json) in run.figures.iter().zip(json["figures"].as_array().unwrap()) {
            // Samples of 16,384 boards. If the order is new, every iteration is a region.
            let boards_per_region = match figure.section {
                Section::Operations | Section::Positions => 4096,
                Section::Cold => 64,
                Section::Sweep => 16_384_usize.next_multiple_of(figure.boards),
                _ => 16_384,
            };
            let per_board = |count: f64| round(count / boards_per_region as f64);
            let [cycles, instructions, stalls] = [5e3, 6e3, 7e3].map(per_board);
            let counts = serde_json::json!({
                "core_cycles": cycles, "instructions": instructions, "stall_cycles": stalls
            });
            assert_eq!(json["counts"], counts, "{json}");

            let (section, operation) = (name(figure.section), &figure.operation);
            let ipc = instructions / cycles;
            let row = format!("{section},{operation},{},scalar,", figure.input);
            let numbers = format!(",{cycles},{instructions},{},,,,{stalls},,,,", round(ipc));
            let has_row = |line: &str| line.starts_with(&row) && line.contains(&numbers);
            assert!(csv.lines().any(has_row), "{row} {numbers}\n{csv}");

            if figure.section == Section::Sweep {
                continue; // Has no table of counters.
            }
            let cells = [cycles, instructions, ipc, stalls].map(significant);
            let title = format!("{operation}, {section}");
            let (_, table) = text.split_once(&title).expect(&title);
            let row = table.lines().find(|line| line.starts_with("scalar ")).unwrap();
            assert!(row.split_whitespace().skip(1).eq(cells.clone()), "{title}: {row}");
            let (_, table) = page.split_once(&format!("<summary>{title}</summary>")).expect(&title);
            let (_, row) = table.split_once("<tr><th scope=\"row\">scalar</th>").unwrap();
            let expected = format!("<td>{}</td></tr>", cells.join("</td><td>"));
            assert!(row.starts_with(&expected), "{title}: {row:.300}");
        }

        let names = GROUPS.concat().into_iter().map(|counter| counter.0).collect::<Vec<_>>();
        assert_eq!(json["counters"]["events"], serde_json::json!(names));
        assert_eq!(json["counters"]["refused"], "none here");
        let plain = text.replace("\u{1b}[2m", "").replace("\u{1b}[0m", "");
        let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        let expected =
            "stall cycles; no hardware counters: none here; estimated, counters ran 50 %";
        assert!(words.contains(expected) && page.contains(expected), "{text}");
    }
}
