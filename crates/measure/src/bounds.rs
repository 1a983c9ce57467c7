//! Explains the speed of the kernels: compares the measured cycles per board with a model of the
//! CPU.
//!
//! `tools/bounds.py` generated the data file from the disassembly and llvm-mca, so users do not
//! need LLVM.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::figures::{Figure, Kind, Run, Section};
use crate::machine::Machine;
use crate::number::{capacity, round};
use crate::settings::IN_CACHE;

/// A kernel that takes at most this multiple of the time of `copy-xor` has the same limit as
/// `copy-xor`: the transfer of its boards.
const AS_FAST_AS_COPY: f64 = 1.15;
/// A kernel that takes more than this multiple of the simulated time has a limit that the model
/// does not have.
const UNEXPLAINED: f64 = 1.5;

/// The contents of `data/bounds.json`.
#[derive(Deserialize)]
struct Bounds {
    /// The version of llvm-mca that simulated the kernels.
    llvm: String,
    /// The version of rustc that compiled the kernels.
    rustc: String,
    /// The names of the ports of each model.
    ports: BTreeMap<String, Vec<String>>,
    loops: Vec<Loop>,
}

impl Bounds {
    fn read() -> Bounds {
        // A test parses this embedded file, so parsing cannot fail here.
        serde_json::from_str(include_str!("../data/bounds.json")).unwrap_or_else(|_| unreachable!())
    }
}

/// The loop over blocks of a kernel's operation. All numbers are per board.
#[derive(Deserialize)]
struct Loop {
    kernel: String,
    operation: String,
    instructions: f64,
    #[serde(flatten)]
    counts: Option<Counts>,
    /// The results of each CPU's model. Empty if there is no loop over blocks, or if that loop has
    /// calls.
    #[serde(default)]
    cpus: BTreeMap<String, Model>,
}

/// Counts per board, from the disassembly of the loop over blocks.
#[derive(Clone, Copy, Deserialize, Serialize)]
struct Counts {
    vector: f64,
    lanes: f64,
    spills: f64,
}

#[derive(Deserialize)]
struct Model {
    uops: f64,
    bound: f64,
    simulated: f64,
    limit: String,
    busy: Vec<f64>,
}

/// A run's measurements of kernels, with the results of the model.
#[derive(Debug, Serialize)]
pub struct Explanation {
    /// A description of the model, in sentences.
    pub about: String,
    /// The CPUs that have a model.
    pub models: Vec<String>,
    /// One row per kernel and operation, in the order of the run.
    pub rows: Vec<Row>,
}

/// The results of one kernel for one operation. All counts and cycles are per board. Unknown values
/// are `None`.
#[derive(Debug, Serialize)]
pub struct Row {
    /// The operation, and for the longest calls also their working set.
    pub title: String,
    /// The operation.
    pub operation: String,
    /// The kernel.
    pub contender: String,
    /// Boards per call.
    pub boards_a_call: usize,
    /// Instructions.
    pub instructions: Option<f64>,
    /// Vector operations, without copies, loads and stores.
    pub vector: Option<f64>,
    /// Vector operations, each counted once for every 64-bit lane.
    pub lanes: Option<f64>,
    /// Loads from the stack and stores to it.
    pub spills: Option<f64>,
    /// Micro-operations.
    pub uops: Option<f64>,
    /// The cycles in which each port is busy, as text.
    pub busy: Option<String>,
    /// The fewest cycles that the front end and the ports of the model need.
    pub bound: Option<f64>,
    /// The cycles that the model needs, including waits for results.
    pub simulated: Option<f64>,
    /// The measured core cycles.
    pub measured: f64,
    /// The bound as a percentage of the measured cycles.
    pub percent: Option<f64>,
    /// What limits the kernel's speed.
    pub limit: String,
    /// The bounds of all models, in the order of [`Explanation::models`].
    pub bounds: Vec<Option<f64>>,
}

/// Explains the long calls of a run's kernels. `None` if there are none, or if the run is not from
/// an x86-64 CPU.
#[must_use]
pub fn explain(run: &Run) -> Option<Explanation> {
    if run.machine.arch != "x86_64" {
        return None;
    }
    let data = Bounds::read();
    let model = run.machine.microarchitecture().and_then(model);
    let rows: Vec<Row> =
        figures(run).map(|figure| row(&data, model.map(|(cpu, _)| cpu), run, figure)).collect();
    (!rows.is_empty()).then(|| Explanation {
        about: about(&data, model, run),
        models: data.ports.keys().cloned().collect(),
        rows,
    })
}

/// The kernels' figures in the caches, then those of the longest calls.
fn figures(run: &Run) -> impl Iterator<Item = &Figure> {
    let most = run.section(Section::Sweep).map(|figure| figure.boards_a_call).max();
    let longest = run.section(Section::Sweep).filter(move |figure| {
        // Leave out short calls, which spend much of their time on the call itself.
        Some(figure.boards_a_call) == most && figure.boards_a_call >= IN_CACHE
    });
    let all = run.section(Section::Operations).chain(longest);
    // Explain each figure once: a run file may repeat it thousands of times.
    let mut known = BTreeSet::new();
    all.filter(move |figure| {
        let setting = (&figure.operation, &figure.contender, figure.boards_a_call);
        figure.kind == Kind::Kernel && known.insert(setting)
    })
}

/// The model for a microarchitecture, and whether the model is of the same core.
fn model(microarchitecture: &str) -> Option<(&'static str, bool)> {
    Some(match microarchitecture {
        "Haswell" => ("haswell", true),
        "Broadwell" => ("haswell", false),
        "Skylake" | "Cascade Lake" | "Cooper Lake" | "Kaby Lake or Coffee Lake" | "Comet Lake" => {
            ("skylake-avx512", true)
        }
        "Ice Lake" => ("icelake-server", true),
        "Cannon Lake" | "Tiger Lake" | "Rocket Lake" => ("icelake-server", false),
        "Sapphire Rapids" | "Alder Lake" => ("sapphirerapids", true),
        "Emerald Rapids" | "Raptor Lake" | "Granite Rapids" | "Meteor Lake" => {
            ("sapphirerapids", false)
        }
        "Piledriver" => ("bdver2", true),
        "Bulldozer" | "Steamroller" | "Excavator" => ("bdver2", false),
        "Zen" | "Zen+" | "Dhyana" => ("znver1", true),
        "Zen 2" => ("znver2", true),
        "Zen 3" => ("znver3", true),
        "Zen 4" => ("znver4", true),
        "Zen 5" => ("znver4", false),
        _ => return None,
    })
}

fn about(data: &Bounds, model: Option<(&str, bool)>, run: &Run) -> String {
    let name = run.machine.microarchitecture().unwrap_or("this CPU");
    let mut text = match model {
        Some((cpu, true)) => format!("Model: {cpu} of llvm-mca {}.", data.llvm),
        Some((cpu, false)) => format!(
            "Model: {cpu} of llvm-mca {}, the nearest to {name}, which has none of its own. Above \
             100 %, {name} does more per cycle than the model.",
            data.llvm
        ),
        None => format!(
            "llvm-mca {} has no model of {name}, so there are counts without bounds.",
            data.llvm
        ),
    };
    text += " A kernel has no bound if the loop over its boards has calls or loops over pieces.";
    if run.version != env!("CARGO_PKG_VERSION") {
        let _ = write!(
            text,
            " The counts are those of setwise {}, the times those of {}.",
            env!("CARGO_PKG_VERSION"),
            run.version
        );
    }
    if !format!("{} ", run.rustc).starts_with(&format!("{} ", data.rustc)) {
        let _ = write!(text, " The counts are of code from {}, not {}.", data.rustc, run.rustc);
    }
    text
}

fn row(data: &Bounds, model: Option<&str>, run: &Run, figure: &Figure) -> Row {
    let here = data
        .loops
        .iter()
        .find(|one| (&one.kernel, &one.operation) == (&figure.contender, &figure.operation));
    let bounds = |cpu| Some(round(here?.cpus.get(cpu)?.bound));
    let counts = here.and_then(|one| one.counts);
    let modelled = model.and_then(|cpu| Some((&data.ports[cpu], here?.cpus.get(cpu)?)));
    let measured = run.cycles(figure);
    let beyond = figure.section == Section::Sweep;
    Row {
        title: if beyond {
            format!("{}, {}", figure.operation, capacity(figure.working_set()))
        } else {
            figure.operation.clone()
        },
        operation: figure.operation.clone(),
        contender: figure.label(),
        boards_a_call: figure.boards_a_call,
        instructions: here.map(|one| one.instructions),
        vector: counts.map(|counts| counts.vector),
        lanes: counts.map(|counts| counts.lanes),
        spills: counts.map(|counts| counts.spills),
        uops: modelled.map(|(_, model)| model.uops),
        busy: modelled.map(|(ports, model)| busy(ports, &model.busy)),
        bound: modelled.map(|(_, model)| model.bound),
        simulated: modelled.map(|(_, model)| model.simulated),
        measured: round(measured),
        percent: modelled.map(|(_, model)| (100.0 * model.bound / measured).round()),
        limit: limit(&run.machine, figure, modelled.map(|(_, model)| model), measured),
        bounds: data.ports.keys().map(|cpu| bounds(cpu.as_str())).collect(),
    }
}

/// Lists the ports that are busy, each with its number of busy cycles.
fn busy(ports: &[String], cycles: &[f64]) -> String {
    let used = ports.iter().zip(cycles).filter(|&(_, &cycles)| cycles > 0.0);
    used.map(|(port, cycles)| format!("{port} {cycles}")).collect::<Vec<_>>().join(", ")
}

/// What limits the kernel of a figure: memory, the transfer from a cache, or the model's limit.
fn limit(machine: &Machine, figure: &Figure, model: Option<&Model>, measured: f64) -> String {
    let bytes = figure.working_set();
    let level = machine.caches.iter().find(|cache| bytes <= cache.bytes);
    if level.is_none() && !machine.caches.is_empty() {
        return "memory".into();
    }
    if let Some(level) = level
        && figure.to_copy.is_some_and(|ratio| ratio.median <= AS_FAST_AS_COPY)
    {
        return format!("L{}, as fast as copy-xor", level.level);
    }
    match model {
        Some(model) if measured > UNEXPLAINED * model.simulated => {
            format!("not the model's limit ({})", model.limit)
        }
        Some(model) => model.limit.clone(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Bounds, explain, model};
    use crate::figures::Run;
    use crate::machine::Cache;
    use setwise::reflection::OperationInfo;

    /// Reads a saved run, and changes its machine to this CPU.
    fn run(vendor: &str, family: u8, model: u8) -> Run {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/runs/amd-epyc-zen-5.json");
        let mut run = Run::read(std::fs::File::open(path).unwrap()).unwrap();
        run.machine.vendor = Some(vendor.into());
        (run.machine.family, run.machine.model) = (Some(family), Some(model));
        run.version = env!("CARGO_PKG_VERSION").into();
        run.rustc = format!("{} (0 2026-01-01)", Bounds::read().rustc);
        run
    }

    #[test]
    fn the_data_are_plausible() {
        let data = Bounds::read();
        for one in &data.loops {
            let place = format!("{} {}", one.kernel, one.operation);
            assert!(OperationInfo::by_name(&one.operation).is_some(), "{place}");
            assert!(one.instructions > 0.0, "{place}");
            for (cpu, model) in &one.cpus {
                let counts = one.counts.expect("models are of counted loops");
                assert!(counts.vector <= one.instructions, "{place}");
                assert!(
                    model.bound > 0.0 && model.simulated >= 0.95 * model.bound,
                    "{place} {cpu}"
                );
                assert_eq!(model.busy.len(), data.ports[cpu].len(), "{place} {cpu}");
                assert!(!model.limit.is_empty(), "{place} {cpu}");
            }
        }
        let modelled =
            |kernel| data.loops.iter().any(|one| one.kernel == kernel && !one.cpus.is_empty());
        assert!(
            ["avx512-gfni", "avx512", "avx2-gfni", "avx2", "sse2", "xop"].map(modelled)
                == [true; 6]
        );
    }

    #[test]
    fn every_model_is_in_the_data() {
        let names = [
            "Haswell",
            "Broadwell",
            "Skylake",
            "Cascade Lake",
            "Ice Lake",
            "Sapphire Rapids",
            "Emerald Rapids",
            "Piledriver",
            "Excavator",
            "Zen",
            "Zen 2",
            "Zen 3",
            "Zen 4",
            "Zen 5",
        ];
        for name in names {
            assert!(Bounds::read().ports.contains_key(model(name).unwrap().0), "{name}");
        }
    }

    #[test]
    fn kernels_have_a_bound_or_a_reason() {
        let zen4 = explain(&run("AuthenticAMD", 25, 17)).unwrap();
        assert!(zen4.about.starts_with("Model: znver4 of llvm-mca "), "{}", zen4.about);
        assert!(
            !zen4.about.contains("nearest") && !zen4.about.contains("counts"),
            "{}",
            zen4.about
        );
        let row = |name| {
            zen4.rows
                .iter()
                .find(|r| r.contender == name && r.operation == "queen_attacks")
                .unwrap()
        };
        let avx2 = row("avx2");
        let (bound, percent) = (avx2.bound.unwrap(), avx2.percent.unwrap());
        assert!((percent - 100.0 * bound / avx2.measured).abs() <= 1.0, "{avx2:?}");
        assert!(avx2.spills.unwrap() > 0.0 && avx2.busy.as_ref().unwrap().contains("FP1 "));
        assert!(!avx2.limit.is_empty());
        assert_eq!(avx2.bounds.len(), zen4.models.len());
        // The block loop of `portable` has an inner loop. So its instructions were counted with
        // callgrind, but it has no bound.
        let portable = row("portable");
        assert!(portable.instructions.is_some() && portable.bound.is_none(), "{portable:?}");
    }

    #[test]
    fn the_model_is_named() {
        let about = |run| explain(&run).unwrap().about;
        let zen5 = about(run("AuthenticAMD", 26, 2));
        assert!(zen5.starts_with("Model: znver4 of llvm-mca "), "{zen5}");
        assert!(zen5.contains("the nearest to Zen 5"), "{zen5}");
        let unknown = explain(&run("GenuineIntel", 6, 0xfe)).unwrap();
        assert!(unknown.about.contains("has no model of this CPU"), "{}", unknown.about);
        assert!(unknown.rows.iter().all(|row| row.bound.is_none() && row.percent.is_none()));
        assert!(unknown.rows.iter().any(|row| row.vector.is_some()));
        let mut other = run("AuthenticAMD", 25, 17);
        (other.version, other.rustc) = ("0.0.9".into(), format!("{}1", Bounds::read().rustc));
        let about = about(other);
        assert!(about.contains("the times those of 0.0.9"), "{about}");
        assert!(about.contains(&format!("not {}1.", Bounds::read().rustc)), "{about}");
        let mut arm = run("AuthenticAMD", 25, 17);
        arm.machine.arch = "aarch64".into();
        assert!(explain(&arm).is_none());
    }

    #[test]
    fn slower_than_simulated_has_another_limit() {
        let mut run = run("AuthenticAMD", 25, 17);
        let rows = |run: &Run| explain(run).unwrap().rows;
        let before = rows(&run);
        let place = before.iter().position(|row| row.contender == "avx2").unwrap();
        let simulated = before[place].simulated.unwrap();
        run.clocks.clear();
        for (ratio, is_explained) in [(1.45, true), (1.55, false)] {
            let figure = run.figures.iter_mut().find(|f| f.contender == "avx2").unwrap();
            figure.counters = None;
            figure.ns.median = ratio * simulated / run.machine.clock_ghz;
            let limit = &rows(&run)[place].limit;
            assert_eq!(!limit.starts_with("not the model's limit ("), is_explained, "{limit}");
        }
        // A repeated figure is explained once.
        run.figures.extend_from_within(..);
        assert_eq!(rows(&run).len(), before.len());
    }

    #[test]
    fn boards_beyond_the_caches_are_bound_by_memory() {
        let mut run = run("AuthenticAMD", 25, 17);
        let limits = |run: &Run| -> Vec<String> {
            explain(run).unwrap().rows.into_iter().map(|row| row.limit).collect()
        };
        assert!(!limits(&run).contains(&"memory".into()));
        for (ratio, is_as_fast) in [(1.16, false), (1.14, true)] {
            let copy = run.figures.iter_mut().find(|f| f.contender == "avx2").unwrap();
            copy.to_copy = copy.to_scalar;
            copy.to_copy.as_mut().unwrap().median = ratio;
            let limits = limits(&run);
            assert_eq!(
                limits.contains(&"L2, as fast as copy-xor".into()),
                is_as_fast,
                "{limits:?}"
            );
        }
        run.machine.caches = vec![Cache { level: 1, bytes: 1 << 10, shared_by: None }];
        assert!(limits(&run).iter().all(|limit| limit == "memory"));
    }
}
