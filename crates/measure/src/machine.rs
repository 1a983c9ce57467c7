//! Describes the machine with facts from CPUID and the operating system, and with measured clock
//! rates.

use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use setwise_positions::printable;

use crate::number::round;

/// The CPU and its environment. Facts that cannot be read are left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// The architecture, as Rust names it.
    pub arch: String,
    /// The operating system, as Rust names it.
    pub os: String,
    /// The CPU's vendor.
    pub vendor: Option<String>,
    /// The CPU's brand string.
    pub brand: Option<String>,
    /// The display family, from CPUID.
    pub family: Option<u8>,
    /// The display model, from CPUID.
    pub model: Option<u8>,
    /// The stepping, from CPUID.
    pub stepping: Option<u8>,
    /// Whether CPUID reports a hypervisor.
    pub hypervisor: Option<bool>,
    /// The number of hardware threads that this process may use.
    pub threads: usize,
    /// The data caches that the operating system reports, starting with the first level.
    pub caches: Vec<Cache>,
    /// Linux's CPU frequency governor.
    pub governor: Option<String>,
    /// Linux's policy for transparent huge pages.
    pub huge_pages: Option<String>,
    /// The core clock in GHz, measured with a chain of scalar instructions.
    pub clock_ghz: f64,
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
        #[allow(unused_mut, reason = "changed on x86")]
        let mut machine = Machine {
            arch: std::env::consts::ARCH.into(),
            os: std::env::consts::OS.into(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            caches: caches(),
            governor: read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            huge_pages: read("/sys/kernel/mm/transparent_hugepage/enabled"),
            clock_ghz: round(clock_ghz(Duration::from_millis(20))),
            ..Machine::default()
        };
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        {
            let cpuid = raw_cpuid::CpuId::new();
            let brand = cpuid.get_processor_brand_string();
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            machine.vendor = cpuid.get_vendor_info().map(|v| printable(v.as_str()));
            machine.brand = brand.map(|brand| printable(&words(brand.as_str())));
            machine.brand = machine.brand.filter(|brand| !brand.is_empty());
            if let Some(info) = cpuid.get_feature_info() {
                machine.family = Some(info.family_id());
                machine.model = Some(info.model_id());
                machine.stepping = Some(info.stepping_id());
                machine.hypervisor = Some(info.has_hypervisor());
            }
        }
        machine
    }

    /// The CPU's brand string, or else the architecture, followed by the microarchitecture if it is
    /// known and the brand does not contain it.
    #[must_use]
    pub fn title(&self) -> String {
        let name = self.brand.as_deref().unwrap_or(&self.arch);
        match self.microarchitecture() {
            Some(known) if !name.contains(known) => format!("{name} ({known})"),
            _ => name.into(),
        }
    }

    /// The name of the microarchitecture, if it is known.
    #[must_use]
    pub fn microarchitecture(&self) -> Option<&'static str> {
        let vendor = self.vendor.as_deref()?;
        microarchitecture(vendor, self.family?, self.model?, self.stepping?)
    }

    /// The capacity of the largest cache, in bytes.
    #[must_use]
    pub fn last_level(&self) -> Option<usize> {
        self.caches.iter().map(|cache| cache.bytes).max()
    }
}

/// The name of an x86 microarchitecture by CPUID's display family, display model and stepping, if
/// it is known. Virtual machines often hide the brand string, but not these numbers.
fn microarchitecture(vendor: &str, family: u8, model: u8, stepping: u8) -> Option<&'static str> {
    Some(match (vendor, family, model) {
        ("GenuineIntel", 6, 0x2a | 0x2d) => "Sandy Bridge",
        ("GenuineIntel", 6, 0x3a | 0x3e) => "Ivy Bridge",
        ("GenuineIntel", 6, 0x3c | 0x3f | 0x45 | 0x46) => "Haswell",
        ("GenuineIntel", 6, 0x3d | 0x47 | 0x4f | 0x56) => "Broadwell",
        ("GenuineIntel", 6, 0x55) if stepping >= 10 => "Cooper Lake",
        ("GenuineIntel", 6, 0x55) if stepping >= 5 => "Cascade Lake",
        ("GenuineIntel", 6, 0x4e | 0x55 | 0x5e) => "Skylake",
        ("GenuineIntel", 6, 0x8e | 0x9e) => "Kaby Lake or Coffee Lake",
        ("GenuineIntel", 6, 0xa5 | 0xa6) => "Comet Lake",
        ("GenuineIntel", 6, 0x6a | 0x6c | 0x7d | 0x7e) => "Ice Lake",
        ("GenuineIntel", 6, 0x8c | 0x8d) => "Tiger Lake",
        ("GenuineIntel", 6, 0xa7) => "Rocket Lake",
        ("GenuineIntel", 6, 0x97 | 0x9a) => "Alder Lake",
        ("GenuineIntel", 6, 0xb7 | 0xba | 0xbf) => "Raptor Lake",
        ("GenuineIntel", 6, 0xaa | 0xac) => "Meteor Lake",
        ("GenuineIntel", 6, 0xb5 | 0xc5 | 0xc6) => "Arrow Lake",
        ("GenuineIntel", 6, 0xbd) => "Lunar Lake",
        ("GenuineIntel", 6, 0x8f) => "Sapphire Rapids",
        ("GenuineIntel", 6, 0xcf) => "Emerald Rapids",
        ("GenuineIntel", 6, 0xad | 0xae) => "Granite Rapids",
        ("GenuineIntel", 6, 0xbe) => "Gracemont",
        ("HygonGenuine", 0x18, _) => "Dhyana",
        ("AuthenticAMD", 0x15, 0x00 | 0x01) => "Bulldozer",
        ("AuthenticAMD", 0x15, 0x02 | 0x10..=0x1f) => "Piledriver",
        ("AuthenticAMD", 0x15, 0x30..=0x3f) => "Steamroller",
        ("AuthenticAMD", 0x15, 0x60..=0x7f) => "Excavator",
        ("AuthenticAMD", 0x17, 0x08 | 0x18) => "Zen+",
        ("AuthenticAMD", 0x17, 0x00..=0x2f | 0x50..=0x5f) => "Zen",
        ("AuthenticAMD", 0x17, _) => "Zen 2",
        ("AuthenticAMD", 0x19, 0x00..=0x0f | 0x20..=0x5f) => "Zen 3",
        ("AuthenticAMD", 0x19, _) => "Zen 4",
        ("AuthenticAMD", 0x1a, _) => "Zen 5",
        _ => return None,
    })
}

fn read(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(printable(text.trim()))
}

/// The data caches of the first CPU, from Linux's /sys or else from CPUID.
fn caches() -> Vec<Cache> {
    let mut caches: Vec<Cache> = (0..8)
        .filter_map(|index| {
            let value =
                |what| read(&format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{what}"));
            let size =
                value("type").filter(|kind| kind != "Instruction").and_then(|_| value("size"))?;
            let kib: usize = size.strip_suffix('K')?.parse().ok()?;
            Some(Cache { level: value("level")?.parse().ok()?, bytes: kib << 10 })
        })
        .collect();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if caches.is_empty() {
        let parameters = raw_cpuid::CpuId::new().get_cache_parameters().into_iter().flatten();
        let data = parameters.filter(|c| c.cache_type() != raw_cpuid::CacheType::Instruction);
        caches.extend(data.map(|cache| {
            let line = cache.physical_line_partitions() * cache.coherency_line_size();
            let bytes = cache.associativity() * line * cache.sets();
            Cache { level: cache.level(), bytes }
        }));
    }
    caches.sort_by_key(|cache| cache.level);
    caches
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
    use super::Machine;

    #[test]
    fn this_machine_has_a_clock_and_a_name() {
        let machine = Machine::probe();
        assert!(!machine.title().is_empty() && machine.threads > 0);
        // The limits are wide, because an unoptimised build executes more instructions per step.
        assert!((0.01..20.0).contains(&machine.clock_ghz), "{machine:?}");
        assert!(machine.caches.iter().map(|cache| cache.level).is_sorted());
    }

    /// CPUs get the names of their microarchitectures, which are known from other sources.
    #[test]
    fn titles_name_the_microarchitecture_once() {
        let title = |brand: &str, vendor: &str, [family, model, stepping]: [u8; 3]| {
            let (family, model, stepping) = (Some(family), Some(model), Some(stepping));
            let (brand, vendor) = (Some(brand.into()), Some(vendor.into()));
            Machine { vendor, brand, family, model, stepping, ..Machine::default() }.title()
        };
        let (intel, amd) = ("GenuineIntel", "AuthenticAMD");
        assert_eq!(title("Xeon", intel, [6, 207, 2]), "Xeon (Emerald Rapids)");
        assert_eq!(title("Xeon Platinum 8175", intel, [6, 85, 4]), "Xeon Platinum 8175 (Skylake)");
        assert_eq!(title("Xeon", intel, [6, 85, 7]), "Xeon (Cascade Lake)");
        assert_eq!(title("EPYC 7R32", amd, [23, 49, 0]), "EPYC 7R32 (Zen 2)");
        assert_eq!(title("EPYC 9R14", amd, [25, 17, 1]), "EPYC 9R14 (Zen 4)");
        assert_eq!(title("EPYC, Zen 5", amd, [26, 68, 0]), "EPYC, Zen 5");
        assert_eq!(title("C3", "CentaurHauls", [6, 207, 2]), "C3");
    }
}
