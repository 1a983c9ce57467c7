//! `setwise probe`: the CPU and all kernels.

use std::cell::Cell;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde::Serialize;
use setwise::Kernel;
use setwise_check::{Case, Operation, call};
use setwise_positions::{Side, famous_games};

use crate::args::ProbeOptions;
use crate::cpu::Cpu;
use crate::draw::{FAINT, STRONG, styled};
use crate::failure::Failure;
use crate::kernel::{self, Choice, Entry};
use crate::print;

#[derive(Serialize)]
struct Probe {
    cpu: Cpu,
    active: &'static str,
    kernels: Vec<Entry>,
}

/// The result of a calibration.
#[derive(Serialize)]
struct Calibrated<'a> {
    operation: &'a str,
    boards: u32,
    fastest: &'static str,
    kernels: Vec<Timed>,
}

#[derive(Serialize)]
struct Timed {
    name: &'static str,
    nanoseconds_a_board: f64,
}

fn calibrate(options: &ProbeOptions, json: bool) -> Result<(), Failure> {
    let start = Instant::now();
    let budget = Duration::try_from_secs_f64(options.seconds)
        .map_err(|error| Failure::Input(format!("--seconds {}: {error}", options.seconds)))?;
    let name = options.operation.as_str();
    let first = Operation::all().find(|operation| operation.info.name() == name);
    let operation = first
        .ok_or_else(|| Failure::Input(format!("--operation: there is no operation `{name}`")))?;
    let mut columns = operation.columns(&cases(options.boards as usize));
    // Enough boards per turn to make the cost of reading the clock negligible.
    let calls = 2000_u32.div_ceil(options.boards);
    let mut kernels: Vec<Timed> = Kernel::available()
        .map(|kernel| Timed { name: kernel.name(), nanoseconds_a_board: f64::INFINITY })
        .collect();
    let mut rounds = 0;
    while rounds < 3 || start.elapsed() < budget {
        for (timed, kernel) in kernels.iter_mut().zip(Kernel::available()) {
            let time = Cell::new(Duration::ZERO);
            call(&operation, &mut columns, &|inputs, outputs| {
                let start = Instant::now();
                for _ in 0..calls {
                    operation.info.call(kernel, operation.parameter, inputs, outputs);
                }
                time.set(start.elapsed());
            });
            let time = time.get().as_secs_f64() * 1e9 / f64::from(calls * options.boards);
            timed.nanoseconds_a_board = time.min(timed.nanoseconds_a_board);
        }
        rounds += 1;
    }
    kernels.sort_by(|a, b| a.nanoseconds_a_board.total_cmp(&b.nanoseconds_a_board));
    let fastest = kernels[0].name;
    let found = Calibrated { operation: name, boards: options.boards, fastest, kernels };
    if json {
        return print::json(&found);
    }
    let mut text = format!("{name}, {} boards per call, on real positions\n\n", found.boards);
    text += "kernel      ns per board  x fastest\n";
    let fastest = found.kernels[0].nanoseconds_a_board;
    for kernel in &found.kernels {
        let (name, time) = (kernel.name, kernel.nanoseconds_a_board);
        let _ = writeln!(text, "{name:13}{time:11.2}{:11.2}", time / fastest);
    }
    print::text(&text)
}

/// Positions of famous games: for each position the sliders of White, then those of Black.
fn cases(count: usize) -> Vec<Case> {
    let positions = famous_games::positions();
    let sides = positions.iter().flat_map(|placement| {
        Side::BOTH.map(|side| Case {
            sliders: placement.orthogonal(side),
            others: placement.diagonal(side),
            occupied: placement.occupied(),
        })
    });
    let cases: Vec<Case> = sides.collect();
    cases.iter().copied().cycle().take(count).collect()
}

pub(crate) fn run(choice: Choice, options: &ProbeOptions, json: bool) -> Result<(), Failure> {
    if options.calibrate {
        return calibrate(options, json);
    }
    let cpu = Cpu::probe();
    if json {
        return print::json(&Probe {
            cpu,
            active: choice.kernels.name(),
            kernels: kernel::entries(),
        });
    }
    print::text(&(heading(&cpu) + &features(&cpu) + "\n" + &kernels(choice)))
}

/// The line that describes the CPU.
pub(crate) fn heading(cpu: &Cpu) -> String {
    format!("{}  {}\n", styled(STRONG, "CPU"), cpu.title())
}

/// The table of all kernels, then the kernel in use and why it was chosen.
pub(crate) fn kernels(choice: Choice) -> String {
    let why = if choice.forced {
        "forced"
    } else if choice.candidates().len() < Kernel::available().count() {
        "the best that can run here and is not disabled"
    } else {
        "the best that can run here"
    };
    let name = styled(STRONG, choice.kernels.name());
    format!(
        "{}\n{}\nin use: {name} ({why})\n",
        styled(STRONG, "kernels, best first"),
        kernel::table(Some(choice.kernels))
    )
}

/// The detected features, wrapped to lines.
fn features(cpu: &Cpu) -> String {
    const WIDTH: usize = 90;
    let mut text = String::new();
    let mut line = String::new();
    for feature in &cpu.features {
        if line.len() + feature.len() > WIDTH {
            let _ = writeln!(text, "     {}", styled(FAINT, line.trim_end()));
            line.clear();
        }
        line += feature;
        line.push(' ');
    }
    if !line.is_empty() {
        let _ = writeln!(text, "     {}", styled(FAINT, line.trim_end()));
    }
    text
}
