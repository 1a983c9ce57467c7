//! `setwise probe`: the CPU and the catalogue of kernels.

use std::fmt::Write as _;

use serde::Serialize;

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

pub(crate) fn run(choice: Choice, json: bool) -> Result<(), Failure> {
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

/// The CPU in a line.
pub(crate) fn heading(cpu: &Cpu) -> String {
    format!("{}  {}\n", styled(STRONG, "CPU"), cpu.title())
}

/// The catalogue and the choice.
pub(crate) fn kernels(choice: Choice) -> String {
    let why = if choice.forced {
        "forced"
    } else if !kernel::disabled().is_empty() {
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

/// The detected features, wrapped.
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
