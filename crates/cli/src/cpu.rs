//! A description of the CPU, to be printed. Kernels are chosen by the library's own detection.

use std::fmt::Write as _;

use serde::Serialize;
use setwise::{Kernel, KernelStatus};

use crate::print;

/// The CPU that runs this process. JSON omits fields that the target does not provide.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Cpu {
    arch: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    vendor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    brand: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stepping: Option<u8>,
    threads: usize,
    /// The `std::arch` names of the detected features.
    pub(crate) features: Vec<&'static str>,
}

impl Cpu {
    pub(crate) fn probe() -> Cpu {
        let mut cpu = Cpu {
            arch: std::env::consts::ARCH,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            features: features(),
            ..Cpu::default()
        };
        cpu.add_features_of_kernels();
        cpu.identify();
        cpu
    }

    /// The brand (or else the architecture) and the model, on one line.
    pub(crate) fn title(&self) -> String {
        let mut title = self.brand.clone().unwrap_or_else(|| self.arch.into());
        if let (Some(family), Some(model), Some(stepping)) =
            (self.family, self.model, self.stepping)
        {
            let _ = write!(title, " (family {family}, model {model}, stepping {stepping})");
        }
        let _ = write!(title, ", {}, {} threads", self.arch, self.threads);
        title
    }

    /// Adds features that the library detects but `features()` does not list.
    fn add_features_of_kernels(&mut self) {
        for info in Kernel::catalogue() {
            let missing: Vec<_> = match info.status() {
                KernelStatus::Available => Vec::new(),
                KernelStatus::Unsupported(missing) => missing.names().collect(),
                _ => continue,
            };
            for &need in info.needs() {
                if !missing.contains(&need) && !self.features.contains(&need) {
                    self.features.push(need);
                }
            }
        }
    }

    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    fn identify(&mut self) {
        let cpuid = raw_cpuid::CpuId::new();
        self.vendor = cpuid.get_vendor_info().map(|v| v.as_str().to_owned());
        self.brand = cpuid
            .get_processor_brand_string()
            .map(|b| b.as_str().trim().to_owned())
            .map(|brand| print::escape(&brand))
            .filter(|brand| !brand.is_empty());
        if let Some(info) = cpuid.get_feature_info() {
            self.family = Some(info.family_id());
            self.model = Some(info.model_id());
            self.stepping = Some(info.stepping_id());
        }
    }

    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    fn identify(&mut self) {}
}

/// Collects those of the named features that the standard library detects.
#[allow(unused_macros, reason = "some targets have no detection")]
macro_rules! detected {
    ($detect:ident: $($name:tt)*) => {
        [$(($name, std::arch::$detect!($name))),*]
            .into_iter()
            .filter_map(|(name, is_detected)| is_detected.then_some(name))
            .collect()
    };
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn features() -> Vec<&'static str> {
    detected!(is_x86_feature_detected:
        "sse" "sse2" "sse3" "ssse3" "sse4.1" "sse4.2" "sse4a" "popcnt" "lzcnt" "tbm" "bmi1" "bmi2"
        "pclmulqdq" "aes" "sha" "avx" "f16c" "fma" "avx2" "avxvnni" "gfni" "vaes" "vpclmulqdq"
        "avx512f" "avx512cd" "avx512bw" "avx512dq" "avx512vl" "avx512ifma" "avx512vbmi"
        "avx512vbmi2" "avx512vnni" "avx512bitalg" "avx512vpopcntdq" "avx512bf16" "avx512fp16"
        "avx512vp2intersect"
    )
}

#[cfg(target_arch = "aarch64")]
fn features() -> Vec<&'static str> {
    detected!(is_aarch64_feature_detected:
        "neon" "asimd" "crc" "aes" "sha2" "sha3" "dotprod" "fp16" "i8mm" "bf16" "sve" "sve2"
    )
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> Vec<&'static str> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::Cpu;

    #[test]
    fn features_of_available_kernels_are_listed() {
        let cpu = Cpu::probe();
        assert!(!cpu.title().is_empty());
        for info in setwise::Kernel::catalogue() {
            if info.status() == setwise::KernelStatus::Available {
                for need in info.needs() {
                    assert!(cpu.features.contains(need), "{need}");
                }
            }
        }
    }
}
