//! `setwise probe`: the CPU and all kernels.

use std::fmt::Write as _;

use serde::Serialize;
use setwise::Kernel;
use setwise_measure::figures::{self, KernelRow};
use setwise_measure::machine::Machine;
use setwise_measure::number::capacity;

use crate::draw::{FAINT, STRONG, styled};
use crate::failure::Failure;
use crate::kernel::{self, Choice};
use crate::print;

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

pub(crate) fn run(choice: Choice, json: bool) -> Result<(), Failure> {
    if json {
        return print::json(&Probe::new(choice));
    }
    let Cpu { machine, features } = Cpu::probe();
    let features = styled(FAINT, &features.join(" "));
    print::text(&(heading(&machine) + &format!("     {features}\n\n") + &kernels(choice)))
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

/// The CPU. (The library's own detection chooses the kernel.)
#[derive(Debug, Serialize)]
struct Cpu {
    #[serde(flatten)]
    machine: Machine,
    /// The features that kernels need and this CPU has.
    features: Vec<String>,
}

impl Cpu {
    fn probe() -> Cpu {
        let entries = figures::kernels();
        let compiled = entries.iter().filter(|entry| entry.status != "not-compiled");
        let present = compiled.flat_map(|entry| {
            entry.needs.iter().filter(|need| !entry.missing.contains(need)).cloned()
        });
        let mut features: Vec<_> = present.collect();
        features.sort_unstable();
        features.dedup();
        Cpu { machine: Machine::probe(), features }
    }
}

/// The CPU and its caches, in two lines.
pub(crate) fn heading(machine: &Machine) -> String {
    let mut text = format!("{}  {}", styled(STRONG, "CPU"), machine.title());
    if let (Some(family), Some(model), Some(stepping)) =
        (machine.family, machine.model, machine.stepping)
    {
        let _ = write!(text, " (family {family}, model {model}, stepping {stepping})");
    }
    let _ = write!(text, "\n     {}, {} threads", machine.arch, machine.threads);
    for cache in &machine.caches {
        let _ = write!(text, ", L{} {}", cache.level, capacity(cache.bytes));
    }
    if machine.hypervisor == Some(true) {
        text += ", under a hypervisor";
    }
    text + "\n"
}
