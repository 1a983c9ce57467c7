//! `setwise probe`: the CPU and all kernels.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;
use setwise::{Figure, Kernel};

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
    let budget = Duration::try_from_secs_f64(options.seconds)
        .map_err(|error| Failure::Input(format!("--seconds {}: {error}", options.seconds)))?;
    let operation = options.operation.as_str();
    let calibration = Kernel::calibrate(budget, operation, options.boards as usize)
        .map_err(|error| Failure::Input(format!("--operation: {error}")))?;
    let timed = |figure: &Figure| Timed {
        name: figure.kernels.name(),
        nanoseconds_a_board: figure.nanoseconds,
    };
    let found = Calibrated {
        operation,
        boards: options.boards,
        fastest: calibration.fastest().name(),
        kernels: calibration.figures().iter().map(timed).collect(),
    };
    if json {
        return print::json(&found);
    }
    let mut text = format!("{operation}, {} boards per call, on real positions\n\n", found.boards);
    text += "kernel      ns per board  x fastest\n";
    let fastest = found.kernels[0].nanoseconds_a_board;
    for kernel in &found.kernels {
        let (name, time) = (kernel.name, kernel.nanoseconds_a_board);
        let _ = writeln!(text, "{name:13}{time:11.2}{:11.2}", time / fastest);
    }
    print::text(&text)
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
