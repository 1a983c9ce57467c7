//! `setwise probe`: the CPU and all kernels.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;
use setwise::Kernel;
use setwise_check::{Case, Operation};
use setwise_measure::figures::{self, KernelRow};
use setwise_positions::famous_games;

use crate::args::ProbeOptions;
use crate::check::Evaluator;
use crate::cpu::{self, Cpu};
use crate::draw::{FAINT, STRONG, styled};
use crate::failure::Failure;
use crate::kernel::{self, Choice};
use crate::print;
use crate::race::{cases, race};

/// The JSON output: the CPU, and all kernels with the one in use.
#[derive(Serialize)]
pub(crate) struct Probe {
    cpu: Cpu,
    active: &'static str,
    kernels: Vec<KernelRow>,
}

impl Probe {
    pub(crate) fn new(choice: Choice) -> Probe {
        Probe { cpu: Cpu::probe(), active: choice.kernel.name(), kernels: figures::kernels() }
    }
}

/// The result of a calibration.
#[derive(Serialize)]
struct Calibrated<'a> {
    operation: &'a str,
    boards: usize,
    fastest: &'static str,
    kernels: Vec<Timed>,
}

#[derive(Serialize)]
struct Timed {
    name: &'static str,
    nanoseconds_a_board: f64,
}

fn calibrate(options: &ProbeOptions, json: bool) -> Result<(), Failure> {
    let budget = Duration::from_secs_f64(options.seconds);
    let name = options.operation.as_str();
    let first = Operation::all().find(|operation| operation.info.name() == name);
    let operation = first
        .ok_or_else(|| Failure::Input(format!("--operation: there is no operation `{name}`")))?;
    let boards = options.boards;
    let cases = cases(&famous_games::positions());
    let cases: Vec<Case> = cases.into_iter().cycle().take(boards).collect();
    let kernels: Vec<_> = Kernel::available().collect();
    let evaluators: Vec<_> = kernels.iter().map(|kernel| *kernel as &dyn Evaluator).collect();
    let times = race(&evaluators, &operation, &cases, budget);
    let timed = kernels.iter().enumerate().map(|(i, kernel)| Timed {
        name: kernel.name(),
        nanoseconds_a_board: times.nanoseconds(i, boards).minimum,
    });
    let mut kernels: Vec<Timed> = timed.collect();
    kernels.sort_by(|a, b| a.nanoseconds_a_board.total_cmp(&b.nanoseconds_a_board));
    let Timed { name: fastest, nanoseconds_a_board: least } = kernels[0];
    if json {
        return print::json(&Calibrated { operation: name, boards, fastest, kernels });
    }
    let mut text = format!("{name}, {boards} boards per call, on real positions\n\n");
    text += "kernel      ns per board  x fastest\n";
    for Timed { name, nanoseconds_a_board: time } in kernels {
        let _ = writeln!(text, "{name:13}{time:11.2}{:11.2}", time / least);
    }
    print::text(&text)
}

pub(crate) fn run(choice: Choice, options: &ProbeOptions, json: bool) -> Result<(), Failure> {
    if options.calibrate {
        return calibrate(options, json);
    }
    if json {
        return print::json(&Probe::new(choice));
    }
    let Cpu { machine, features } = Cpu::probe();
    let features = styled(FAINT, &features.join(" "));
    print::text(&(cpu::heading(&machine) + &format!("     {features}\n\n") + &kernels(choice)))
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
    let name = styled(STRONG, choice.kernel.name());
    format!(
        "{}\n{}\nin use: {name} ({why})\n",
        styled(STRONG, "kernels, in the order of choice"),
        kernel::table(Some(choice.kernel))
    )
}
