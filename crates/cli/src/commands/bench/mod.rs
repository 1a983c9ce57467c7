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
use setwise_measure::search::{self, Tables};
use setwise_measure::settings::Options;
use setwise_measure::{report, run};

use crate::failure::Failure;
use crate::kernel::Choice;
use crate::output::atomic_file::AtomicFile;
use crate::print;
use setwise_positions::{Batch, Piece, Placement, Side, famous_games};

pub(crate) use options::{ABOUT, BenchOptions, Workload};

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
    if let Some(workload) = options.workload {
        return in_search(choice, options, workload);
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

/// Measures a workload of a search, and prints its tables.
fn in_search(choice: Choice, options: &BenchOptions, workload: Workload) -> Result<(), Failure> {
    let bad = |path: &Path, what| Failure::Input(format!("--epd {}: {what}", print::name(path)));
    let path = options.epd.as_deref();
    let read = |path| fs::read_to_string(path).map_err(|error| bad(path, error.to_string()));
    let starts = path.map(read).transpose()?;
    let mut tables = Tables { text: String::new(), divisor: if options.quick { 20 } else { 1 } };
    let measure = match workload {
        Workload::Walk => search::walk::measure,
        Workload::Threats => search::threats::measure,
    };
    measure(&mut tables, &choice.candidates(), starts.as_deref()).map_err(|error| {
        path.map_or_else(|| Failure::Input(error.clone()), |path| bad(path, print::escape(&error)))
    })?;
    print::text(tables.text.trim_start())
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
        counters: options.counters.unwrap_or(!options.quick),
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
        options.counters.map(|on| format!("--counters={}", if on { "on" } else { "off" })),
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

#[cfg(test)]
mod tests {
    use setwise::Kernel;
    use setwise_measure::counters::{Event, Source};
    use setwise_measure::figures::Section;
    use setwise_measure::machine::Machine;
    use setwise_measure::number::{name, round, significant};

    use super::*;

    const EVENTS: [Event; 9] = [
        Event::CoreCycles,
        Event::Instructions,
        Event::BranchMisses,
        Event::FirstLevelMisses,
        Event::LastLevelMisses,
        Event::StallCycles,
        Event::TaskNanoseconds,
        Event::PageFaults,
        Event::ContextSwitches,
    ];

    /// Counters that count event `i` 1,000 * `i` + 5,000 times in every region of code.
    struct Fixed(&'static [Event], f64);

    fn per_region(event: Event) -> f64 {
        let place = EVENTS.iter().position(|other| *other == event).unwrap();
        5000.0 + 1000.0 * place as f64
    }

    impl Source for Fixed {
        fn events(&self) -> &[Event] {
            self.0
        }

        fn start(&mut self) {}

        fn stop(&mut self) {
            self.1 += 1.0;
        }

        fn take(&mut self) -> (Vec<f64>, f64) {
            let regions = std::mem::take(&mut self.1);
            let counts = self.0.iter().map(|&event| per_region(event) * regions).collect();
            (counts, if self.0.len() > 3 { 0.5 } else { 1.0 })
        }
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
            counters: true,
            ..Options::default()
        };
        let open = |_: &Machine| -> (setwise_measure::counters::Sources, _) {
            let [first, second] = [&EVENTS[..3], &EVENTS[3..]].map(|events| Fixed(events, 0.0));
            (vec![Box::new(first), Box::new(second)], Some("none here".into()))
        };
        let mut run = run::measure_with(&options, open, &mut |_, _| ());
        // No model of the CPU.
        run.machine.vendor = None;

        // Samples of 16,384 boards. If the order is new, every iteration is a region.
        let count = |section: Section, boards: usize, event: Event| match section {
            Section::Operations | Section::Positions => per_region(event) / 4096.0,
            Section::Cold => per_region(event) / 64.0,
            Section::Sweep => per_region(event) / (16_384_usize.next_multiple_of(boards) as f64),
            _ => per_region(event) / 16_384.0,
        };
        let json: serde_json::Value = serde_json::from_str(&lines(&run)).unwrap();
        assert_eq!(json["counters"]["refused"], "none here");
        for figure in json["figures"].as_array().unwrap() {
            let section = serde_json::from_value(figure["section"].clone()).unwrap();
            let boards = figure["boards"].as_u64().unwrap() as usize;
            assert_eq!(figure["counts"].as_object().unwrap().len(), EVENTS.len(), "{figure}");
            for event in EVENTS {
                let found = figure["counts"][name(event)].as_f64();
                assert_eq!(found, Some(round(count(section, boards, event))), "{figure}");
            }
        }

        // The row of `scalar` in each table.
        let (csv, text, page) = (run.csv(), text::run(&run), report::page(&[run.clone()]));
        for (title, section) in [
            ("slider_attacks, operations", Section::Operations),
            ("slider_attacks, positions", Section::Positions),
            ("slider_attacks, repeated", Section::Repeated),
            ("slider_attacks_one, throughput", Section::Throughput),
            ("slider_attacks_one, latency", Section::Latency),
            ("slider_attacks_one, cold", Section::Cold),
        ] {
            let of = |event| round(count(section, 0, event));
            let ipc = of(Event::Instructions) / of(Event::CoreCycles);
            let counts: Vec<f64> = EVENTS.into_iter().map(of).collect();
            let numbers = [&counts[..2], &[ipc], &counts[2..]];
            let cells: Vec<String> = numbers.concat().into_iter().map(significant).collect();
            let (_, table) = text.split_once(title).expect(title);
            let row = table.lines().find(|line| line.starts_with("scalar ")).unwrap();
            assert_eq!(row.split_whitespace().skip(1).collect::<Vec<_>>(), cells, "{title}");
            let (_, table) = page.split_once(&format!("<summary>{title}</summary>")).expect(title);
            let (_, row) = table.split_once("<tr><th scope=\"row\">scalar</th>").unwrap();
            let expected = format!("<td>{}</td></tr>", cells.join("</td><td>"));
            assert!(row.starts_with(&expected), "{title}: {row:.300}");
            let (operation, section) = title.split_once(", ").unwrap();
            let row = csv.lines().find(|line| {
                line.starts_with(&format!("{section},{operation},")) && line.contains(",scalar,")
            });
            let header = csv.lines().next().unwrap().split(',');
            let csv: Vec<_> = header.zip(row.unwrap().split(',')).collect();
            let named =
                |name: &str| csv.iter().find(|(header, _)| *header == name).unwrap().1.to_owned();
            assert_eq!(named("ipc"), round(ipc).to_string());
            for (event, count) in EVENTS.iter().zip(counts) {
                assert_eq!(named(&name(event)), count.to_string(), "{title}");
            }
        }

        for expected in [
            "context switches; no hardware counters: none here; estimated, counters ran 50 %",
            // 7,000 misses and 5,000 cycles per region.
            "For slider_attacks, the CPU mispredicts 1.71 branches of cozy-magic per board in a new \
             order (1.22 core cycles) and 0.427 in the same order (0.305), which is why look-ups \
             are slow on new boards; for scalar, 1.71 and 0.427.",
        ] {
            let plain = text.replace("\u{1b}[2m", "").replace("\u{1b}[0m", "");
            let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words.contains(expected), "{text}");
            assert!(page.contains(expected));
        }
    }
}
