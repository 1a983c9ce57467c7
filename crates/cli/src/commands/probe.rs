//! `setwise probe`: the CPU and all kernels.

use serde::Serialize;
use setwise::Kernel;
use setwise_measure::figures::{self, KernelRow};

use crate::cpu::{self, Cpu};
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
