//! Describes the machine with facts from CPUID and the operating system, and with measured clock
//! rates.

use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::microarchitecture;
use crate::number::round;
use crate::printable::printable;

/// The CPU and its environment. Facts that cannot be read are left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The architecture, as Rust names it.
    pub arch: String,
    /// The operating system, as Rust names it.
    pub os: String,
    /// The CPU's vendor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor: Option<String>,
    /// The CPU's brand string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brand: Option<String>,
    /// The display family, from CPUID.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<u8>,
    /// The display model, from CPUID.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<u8>,
    /// The stepping, from CPUID.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stepping: Option<u8>,
    /// Whether CPUID reports a hypervisor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hypervisor: Option<bool>,
    /// The number of hardware threads that this process may use.
    pub threads: usize,
    /// The data caches that the operating system reports, starting with the first level.
    pub caches: Vec<Cache>,
    /// Linux's CPU frequency governor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub governor: Option<String>,
    /// Linux's policy for transparent huge pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub huge_pages: Option<String>,
    /// The core clock in GHz, measured with a chain of scalar instructions.
    pub clock_ghz: f64,
    /// Why the hardware counters cannot be read. Absent if they can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_counters: Option<String>,
}

/// One data cache of the first CPU.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// The level: 1 is nearest to the core.
    pub level: u8,
    /// The capacity in bytes.
    pub bytes: usize,
}

impl Machine {
    /// Reads all facts and measures the clocks, which takes about a tenth of a second.
    #[must_use]
    pub fn probe() -> Machine {
        let mut machine = Machine {
            arch: std::env::consts::ARCH.into(),
            os: std::env::consts::OS.into(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            caches: caches(),
            governor: read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            huge_pages: read("/sys/kernel/mm/transparent_hugepage/enabled").map(chosen),
            clock_ghz: round(clock_ghz(Duration::from_millis(20))),
            ..Machine::default()
        };
        machine.identify();
        machine
    }

    /// The CPU's brand string, or else the architecture.
    #[must_use]
    pub fn name(&self) -> &str {
        self.brand.as_deref().unwrap_or(&self.arch)
    }

    /// The [name](Machine::name), followed by the microarchitecture if it is known and the name
    /// does not contain it.
    #[must_use]
    pub fn title(&self) -> String {
        match self.microarchitecture() {
            Some(known) if !self.name().contains(known) => format!("{} ({known})", self.name()),
            _ => self.name().into(),
        }
    }

    /// The name of the CPU's microarchitecture, if it is known.
    #[must_use]
    pub fn microarchitecture(&self) -> Option<&'static str> {
        let vendor = self.vendor.as_deref()?;
        microarchitecture::name(vendor, self.family?, self.model?, self.stepping?)
    }

    /// The capacity of the largest cache, in bytes.
    #[must_use]
    pub fn last_level(&self) -> Option<usize> {
        self.caches.iter().map(|cache| cache.bytes).max()
    }

    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    fn identify(&mut self) {
        let cpuid = raw_cpuid::CpuId::new();
        self.vendor = cpuid.get_vendor_info().map(|v| printable(v.as_str()));
        self.brand = cpuid
            .get_processor_brand_string()
            .map(|brand| brand.as_str().split_whitespace().collect::<Vec<_>>().join(" "))
            .map(|brand| printable(&brand))
            .filter(|brand| !brand.is_empty());
        if let Some(info) = cpuid.get_feature_info() {
            self.family = Some(info.family_id());
            self.model = Some(info.model_id());
            self.stepping = Some(info.stepping_id());
            self.hypervisor = Some(info.has_hypervisor());
        }
    }

    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    fn identify(&mut self) {}
}

fn read(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(printable(text.trim()))
}

/// Returns the word in brackets, or else the whole text. Linux marks the active setting with
/// brackets.
fn chosen(text: String) -> String {
    match text.split_once('[').and_then(|(_, rest)| rest.split_once(']')) {
        Some((choice, _)) => choice.to_owned(),
        None => text,
    }
}

/// The data caches of the first CPU, from Linux's /sys or else from CPUID.
fn caches() -> Vec<Cache> {
    let mut caches: Vec<Cache> = (0..8)
        .filter_map(|index| {
            let of =
                |what| read(&format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{what}"));
            (of("type")? != "Instruction").then_some(())?;
            Some(Cache { level: of("level")?.parse().ok()?, bytes: capacity(&of("size")?)? })
        })
        .collect();
    if caches.is_empty() {
        caches = caches_by_cpuid();
    }
    caches.sort_by_key(|cache| cache.level);
    caches
}

/// Parses a capacity such as `48K`.
fn capacity(text: &str) -> Option<usize> {
    let (number, factor) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(number) if text.ends_with('K') => (number, 1 << 10),
        Some(number) if text.ends_with('M') => (number, 1 << 20),
        Some(number) => (number, 1 << 30),
        None => (text, 1),
    };
    Some(number.parse::<usize>().ok()? * factor)
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn caches_by_cpuid() -> Vec<Cache> {
    let parameters = raw_cpuid::CpuId::new().get_cache_parameters();
    let data = parameters
        .into_iter()
        .flatten()
        .filter(|cache| cache.cache_type() != raw_cpuid::CacheType::Instruction);
    data.map(|cache| Cache {
        level: cache.level(),
        bytes: cache.associativity()
            * cache.physical_line_partitions()
            * cache.coherency_line_size()
            * cache.sets(),
    })
    .collect()
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn caches_by_cpuid() -> Vec<Cache> {
    Vec::new()
}

/// The number of steps in the chain of instructions that measures the clock. Each step has two
/// instructions, which take one cycle each.
const STEPS: u64 = 20_000;

/// Measures the clock of this core, in cycles per nanosecond. Returns the rate of the fastest chain
/// during `length`.
///
/// This assumes that additions and exclusive ors have a latency of one cycle, as on every current
/// core.
#[must_use]
pub fn clock_ghz(length: Duration) -> f64 {
    let (started, mut fastest) = (Instant::now(), Duration::MAX);
    while started.elapsed() < length {
        let chain = Instant::now();
        let (mut word, odd) = (black_box(1u64), black_box(0x9e37_79b9_7f4a_7c15u64));
        for _ in 0..STEPS {
            word = (word ^ odd).wrapping_add(odd);
        }
        black_box(word);
        fastest = fastest.min(chain.elapsed());
    }
    (2 * STEPS) as f64 / fastest.as_nanos() as f64
}

#[cfg(test)]
mod tests {
    use super::{Machine, capacity, chosen};

    #[test]
    fn linux_files_are_parsed() {
        assert_eq!(capacity("48K"), Some(48 << 10));
        assert_eq!(capacity("2M"), Some(2 << 20));
        assert_eq!(capacity("x"), None);
        assert_eq!(chosen("always [madvise] never".into()), "madvise");
    }

    #[test]
    fn this_machine_has_a_clock_and_a_name() {
        let machine = Machine::probe();
        assert!(!machine.name().is_empty() && machine.threads > 0);
        // The limits are wide, because an unoptimised build executes more instructions per step.
        assert!((0.01..20.0).contains(&machine.clock_ghz), "{machine:?}");
        let levels: Vec<_> = machine.caches.iter().map(|cache| cache.level).collect();
        assert!(levels.is_sorted(), "{levels:?}");
    }

    #[test]
    fn titles_name_the_microarchitecture_once() {
        let mut machine = Machine {
            arch: "x86_64".into(),
            vendor: Some("GenuineIntel".into()),
            brand: Some("Intel Xeon Processor".into()),
            family: Some(6),
            model: Some(207),
            stepping: Some(2),
            ..Machine::default()
        };
        assert_eq!(machine.title(), "Intel Xeon Processor (Emerald Rapids)");
        machine.brand = Some("Intel Xeon, Emerald Rapids".into());
        assert_eq!(machine.title(), "Intel Xeon, Emerald Rapids");
        (machine.brand, machine.model) = (None, None);
        assert_eq!(machine.title(), "x86_64");
    }
}
