//! A description of the CPU, to be printed. Kernels are chosen by the library's own detection.

use std::fmt::Write as _;

use serde::Serialize;
use setwise_measure::machine::Machine;
use setwise_measure::number::capacity;

use crate::draw::{STRONG, styled};

#[derive(Debug, Serialize)]
pub(crate) struct Cpu {
    #[serde(flatten)]
    pub(crate) machine: Machine,
    /// The features that kernels need and this CPU has.
    pub(crate) features: Vec<String>,
}

impl Cpu {
    pub(crate) fn probe() -> Cpu {
        let entries = setwise_measure::figures::kernels();
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
