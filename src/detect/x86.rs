//! Detection of x86 features from CPUID and XGETBV.
//!
//! [`Facts`] is a plain value, so tests can describe any CPU. Wide registers count only if the
//! operating system saves them (XCR0). Features that build on AVX count only if AVX is present,
//! because a hypervisor may hide AVX but leave the AVX2 bit set.
//!
//! Source: Intel's and AMD's manuals, instruction CPUID.
#![cfg_attr(miri, allow(dead_code, unused_imports, reason = "Miri has no CPUID"))]

use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use core::sync::atomic::{AtomicU32, Ordering};

/// The relevant registers of CPUID, and XCR0.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Facts {
    /// `GenuineIntel`, `AuthenticAMD`...
    pub(crate) vendor: [u8; 12],
    /// Leaf 1.
    pub(crate) leaf1_eax: u32,
    pub(crate) leaf1_ecx: u32,
    pub(crate) leaf1_edx: u32,
    /// Leaf 7, subleaf 0.
    pub(crate) leaf7_ebx: u32,
    pub(crate) leaf7_ecx: u32,
    /// Leaf `8000_0001h`.
    pub(crate) extended_ecx: u32,
    /// The register states that the operating system saves; 0 without OSXSAVE.
    pub(crate) xcr0: u64,
}

const ANY: u64 = 0;
const YMM: u64 = 0b110;
const ZMM: u64 = 0b1110_0110;

impl Facts {
    /// Returns no features: only those of the compile target count.
    #[cfg(miri)]
    fn read() -> Facts {
        Facts::default()
    }

    /// Reads the registers. Slow: in a virtual machine, each CPUID takes microseconds.
    #[cfg(not(miri))]
    fn read() -> Facts {
        // SAFETY: every x86-64 CPU has CPUID; leaves beyond the highest are not read.
        #[allow(unused_unsafe, reason = "safe functions in newer toolchains")]
        let (leaf0, leaf1, leaf7, extended) = unsafe {
            let leaf0 = __cpuid(0);
            let leaf7 = (leaf0.eax >= 7).then(|| __cpuid_count(7, 0));
            let highest = __cpuid(0x8000_0000).eax;
            let extended = (highest > 0x8000_0000).then(|| __cpuid(0x8000_0001));
            (leaf0, __cpuid(1), leaf7, extended)
        };
        let mut vendor = [0; 12];
        for (bytes, register) in vendor.chunks_exact_mut(4).zip([leaf0.ebx, leaf0.edx, leaf0.ecx]) {
            bytes.copy_from_slice(&register.to_le_bytes());
        }
        Facts {
            vendor,
            leaf1_eax: leaf1.eax,
            leaf1_ecx: leaf1.ecx,
            leaf1_edx: leaf1.edx,
            leaf7_ebx: leaf7.map_or(0, |leaf| leaf.ebx),
            leaf7_ecx: leaf7.map_or(0, |leaf| leaf.ecx),
            extended_ecx: extended.map_or(0, |leaf| leaf.ecx),
            xcr0: if bit(leaf1.ecx, 27) {
                // SAFETY: OSXSAVE is set, so XGETBV is enabled.
                saved(unsafe { xcr0() }, zmm_on_demand)
            } else {
                0
            },
        }
    }

    /// Some Intel CPUs without AVX set the BMI bits but do not have the instructions (erratum
    /// SKL052).
    fn has_bmi(&self) -> bool {
        self.vendor != *b"GenuineIntel" || self.has("avx")
    }

    fn is_amd(&self) -> bool {
        self.vendor == *b"AuthenticAMD"
    }

    /// Whether `pext` is microcoded, and so slower than a multiplication. True on AMD and Hygon
    /// before family 19h.
    fn slow_pext(&self) -> bool {
        // If the family is 0fh, the extended family is added to it.
        let family = match (self.leaf1_eax >> 8) & 0xf {
            0xf => 0xf + ((self.leaf1_eax >> 20) & 0xff),
            family => family,
        };
        [*b"AuthenticAMD", *b"HygonGenuine"].contains(&self.vendor) && family < 0x19
    }
}

macro_rules! table {
    ($($list:ident { $(
        $name:literal $register:ident $bit:literal $saved:ident [$($need:literal)*] $($trusted:ident)?;
    )* })*) => {
        /// All features that the choice of a kernel depends on. A feature's index is its bit in the
        /// cache of [`has`].
        const NAMES: &[&str] = &[$($($name),*),*];

        impl Facts {
            /// Whether a feature can be used.
            pub(crate) fn has(&self, feature: &str) -> bool {
                match feature {
                    $($($name => {
                        bit(self.$register, $bit)
                            && self.xcr0 & $saved == $saved
                            $(&& self.has($need))*
                            $(&& self.$trusted())?
                    })*)*
                    _ => false,
                }
            }
        }
    };
}
features!(table);

/// The register states that the system saves: XCR0, plus the AVX-512 states if the system enables
/// those on demand.
fn saved(xcr0: u64, zmm_on_demand: impl Fn() -> bool) -> u64 {
    if xcr0 & YMM == YMM && zmm_on_demand() { xcr0 | ZMM } else { xcr0 }
}

#[cfg(target_os = "macos")]
use super::macos::zmm_on_demand;

#[cfg(not(target_os = "macos"))]
fn zmm_on_demand() -> bool {
    false
}

const fn bit(register: u32, bit: u32) -> bool {
    register >> bit & 1 == 1
}

/// # Safety
/// OSXSAVE must be set.
#[target_feature(enable = "xsave")]
unsafe fn xcr0() -> u64 {
    // SAFETY: the caller's contract.
    #[allow(unused_unsafe, reason = "safe in newer toolchains")]
    unsafe {
        _xgetbv(0)
    }
}

/// The bit that marks the cache as filled.
const FILLED: u32 = 1 << 31;

/// Whether this CPU has a feature. The first call reads CPUID.
pub(super) fn has(feature: &str) -> bool {
    static CACHE: AtomicU32 = AtomicU32::new(0);
    let mut cached = CACHE.load(Ordering::Relaxed);
    if cached & FILLED == 0 {
        let facts = Facts::read();
        cached = FILLED;
        for (i, name) in NAMES.iter().enumerate() {
            cached |= u32::from(facts.has(name)) << i;
        }
        CACHE.store(cached, Ordering::Relaxed);
    }
    NAMES.iter().position(|name| *name == feature).is_some_and(|i| bit(cached, i as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KernelInfo;
    use crate::kernels::CATALOGUE;

    #[test]
    #[cfg(all(feature = "std", not(miri)))]
    fn agrees_with_the_standard_library() {
        let facts = Facts::read();
        for name in NAMES {
            assert_eq!(facts.has(name), super::super::detected(name), "{name}");
            assert_eq!(has(name), facts.has(name), "{name}");
        }
    }

    /// An unknown feature name would silently disable the kernels that need it.
    #[test]
    fn every_feature_that_a_kernel_needs_is_known() {
        for kernel in CATALOGUE {
            for need in kernel.needs.iter().chain(kernel.slow_on) {
                let known = NAMES.contains(need);
                assert!(
                    known || super::super::OTHER_TARGETS.contains(need),
                    "`{}` needs {need}, which is missing in `features!` in src/detect/mod.rs",
                    kernel.name
                );
            }
        }
    }

    const SSE2: u32 = 1 << 26;
    const SSSE3: u32 = 1 << 9;
    const OSXSAVE: u32 = 1 << 27;
    const AVX: u32 = 1 << 28 | POPCNT; // No CPU has AVX without POPCNT.
    const POPCNT: u32 = 1 << 23;
    const FMA_AND_F16C: u32 = 1 << 12 | 1 << 29;
    const AVX2: u32 = 1 << 5;
    const BMI2: u32 = 1 << 8;
    const AVX512F: u32 = 1 << 16;
    const AVX512BW_VL: u32 = 0b11 << 30;
    const VBMI: u32 = 1 << 1;
    const VBMI2: u32 = 1 << 6;
    const GFNI: u32 = 1 << 8;
    const XOP: u32 = 1 << 11;
    const YMM: u64 = 0b111; // with x87
    const ZMM: u64 = 0b1110_0111;

    /// A CPU with these registers.
    fn cpu(vendor: &[u8; 12], ecx1: u32, ebx7: u32, ecx7: u32, extended: u32, xcr0: u64) -> Facts {
        Facts {
            vendor: *vendor,
            leaf1_eax: 0,
            leaf1_ecx: ecx1,
            leaf1_edx: SSE2,
            leaf7_ebx: ebx7,
            leaf7_ecx: ecx7,
            extended_ecx: extended,
            xcr0,
        }
    }

    #[test]
    fn pext_is_slow_on_amd_before_zen_3() {
        let slow = |vendor, leaf1_eax| {
            let facts = cpu(vendor, OSXSAVE | AVX, BMI2, 0, 0, YMM);
            Facts { leaf1_eax, ..facts }.has("slow-pext")
        };
        assert!(slow(b"AuthenticAMD", 0x0066_0f01)); // family 15h, Excavator
        assert!(slow(b"AuthenticAMD", 0x0087_0f10)); // family 17h, Zen 2
        assert!(slow(b"HygonGenuine", 0x0090_0f01)); // family 18h
        assert!(!slow(b"AuthenticAMD", 0x00a2_0f10)); // family 19h, Zen 3
        assert!(!slow(b"AuthenticAMD", 0x00b0_0f21)); // family 1ah, Zen 5
        assert!(!slow(b"GenuineIntel", 0x0003_06c3)); // Haswell
    }

    /// The bits that each feature needs are from the manuals. With only these bits set, the feature
    /// is detected. With one of them cleared and all other bits set, it is not.
    #[test]
    #[cfg_attr(miri, ignore = "no unsafe code, and half a million strings")]
    fn every_feature_needs_its_bits_and_no_others() {
        const REGISTERS: [&str; 6] = ["1.ecx", "1.edx", "7.ebx", "7.ecx", "81.ecx", "xcr0"];
        let facts = |bits: &dyn Fn(&str, u32) -> bool| {
            let [ecx1, edx1, ebx7, ecx7, ecx81, xcr0] = REGISTERS.map(|register| {
                (0..32).map(|bit| u32::from(bits(register, bit)) << bit).sum::<u32>()
            });
            Facts { leaf1_edx: edx1, ..cpu(b"AuthenticAMD", ecx1, ebx7, ecx7, ecx81, xcr0.into()) }
        };
        let avx = "1.ecx:27 1.ecx:28 xcr0:1 xcr0:2";
        let avx2 = &format!("{avx} 7.ebx:5");
        let avx512f = &format!("{avx2} 1.ecx:12 1.ecx:29 7.ebx:16 xcr0:5 xcr0:6 xcr0:7");
        let bits = [
            ("sse2", "1.edx:26"),
            ("ssse3", "1.ecx:9"),
            ("popcnt", "1.ecx:23"),
            ("avx", avx),
            ("avx2", avx2),
            ("bmi2", "7.ebx:8"),
            ("gfni", "7.ecx:8"),
            ("avx512f", avx512f),
            ("avx512bw", &format!("{avx512f} 7.ebx:30")),
            ("avx512vl", &format!("{avx512f} 7.ebx:31")),
            ("avx512vbmi", &format!("{avx512f} 7.ecx:1")),
            ("avx512vbmi2", &format!("{avx512f} 7.ecx:6")),
            ("xop", &format!("{avx} 81.ecx:11")),
            ("osxsave", "1.ecx:27"),
            ("fma", &format!("{avx} 1.ecx:12")),
            ("f16c", &format!("{avx} 1.ecx:29")),
        ];
        for name in NAMES {
            let tested = *name == "slow-pext" || bits.iter().any(|(feature, _)| feature == name);
            assert!(tested, "{name} is missing in this test's list of bits");
        }
        for (feature, needs) in bits {
            let needs: Vec<&str> = needs.split(' ').collect();
            let needed = |register: &str, bit: u32| needs.contains(&&*format!("{register}:{bit}"));
            assert!(facts(&needed).has(feature), "{feature} with only its bits");
            for register in REGISTERS {
                for bit in 0..32 {
                    let without = facts(&|other, i| (other, i) != (register, bit));
                    let is_needed = needed(register, bit);
                    assert_eq!(
                        without.has(feature),
                        !is_needed,
                        "{feature} without {register}:{bit}"
                    );
                }
            }
        }
        let all = |vendor: &[u8; 12]| Facts { vendor: *vendor, ..facts(&|_, _| true) };
        assert!(all(b"AuthenticAMD").has("xop"));
        assert!(!all(b"GenuineIntel").has("xop") && !all(b"HygonGenuine").has("xop"));
    }

    /// BMI2 counts as missing on Intel CPUs without AVX, as in the standard library.
    #[test]
    fn bmi2_without_avx_is_not_trusted_on_intel() {
        let has = |vendor, ecx1| cpu(vendor, ecx1, BMI2, 0, 0, YMM).has("bmi2");
        let hidden = SSSE3 | OSXSAVE;
        assert!(!has(b"GenuineIntel", hidden)); // Celeron G3900, Pentium G4400
        assert!(has(b"GenuineIntel", hidden | AVX));
        assert!(has(b"AuthenticAMD", hidden));
    }

    /// Tries XCR0 on macOS before and after a thread's first AVX-512 instruction, and on systems
    /// that never save the ZMM registers.
    #[test]
    fn avx512_may_be_enabled_on_demand() {
        let skylake_x = AVX2 | BMI2 | AVX512F | AVX512BW_VL;
        let has = |xcr0, on_demand: bool| {
            let avx = SSSE3 | OSXSAVE | AVX | FMA_AND_F16C;
            let saved = saved(xcr0, || on_demand);
            cpu(b"GenuineIntel", avx, skylake_x, 0, 0, saved).has("avx512bw")
        };
        assert!(has(YMM, true) && has(ZMM, true) && has(ZMM, false));
        assert!(!has(YMM, false) && !has(0b11, true) && !has(0, true));
    }

    fn best(has: impl Fn(&str) -> bool) -> &'static str {
        crate::catalogue::preferred(has).map_or("none", KernelInfo::name)
    }

    #[test]
    fn each_cpu_gets_its_kernel() {
        let (intel, amd) = (b"GenuineIntel", b"AuthenticAMD");
        let via = b"CentaurHauls";
        let avx = SSSE3 | OSXSAVE | AVX | FMA_AND_F16C;
        let skylake_x = AVX2 | BMI2 | AVX512F | AVX512BW_VL;
        let table = [
            ("Athlon 64", cpu(amd, 0, 0, 0, 0, 0), "sse2"),
            ("Core 2", cpu(intel, SSSE3, 0, 0, 0, 0), "sse2"),
            ("Nehalem", cpu(intel, SSSE3, 0, 0, 0, 0), "sse2"),
            ("Phenom II", cpu(amd, 0, 0, 0, 0, 0), "sse2"),
            ("Sandy Bridge", cpu(intel, avx, 0, 0, 0, YMM), "sse2"),
            ("Bulldozer", cpu(amd, avx, 0, 0, XOP, YMM), "xop"),
            ("Piledriver", cpu(amd, avx, 0, 0, XOP, YMM), "xop"),
            ("Excavator", cpu(amd, avx, AVX2 | BMI2, 0, XOP, YMM), "avx2"),
            (
                "Bulldozer, OS without AVX state",
                cpu(amd, SSSE3 | OSXSAVE | AVX, 0, 0, XOP, 1),
                "sse2",
            ),
            ("Haswell", cpu(intel, avx, AVX2 | BMI2, 0, 0, YMM), "avx2"),
            ("VIA with AVX2 and no BMI", cpu(via, avx, AVX2, 0, 0, YMM), "avx2"),
            ("Zen 1", cpu(amd, avx, AVX2 | BMI2, 0, 0, YMM), "avx2"),
            ("Zen 2", cpu(amd, avx, AVX2 | BMI2, 0, 0, YMM), "avx2"),
            ("Zen 3", cpu(amd, avx, AVX2 | BMI2, 0, 0, YMM), "avx2"),
            ("Skylake-X", cpu(intel, avx, skylake_x, 0, 0, ZMM), "avx512"),
            ("Cannon Lake", cpu(intel, avx, skylake_x, VBMI, 0, ZMM), "avx512"),
            ("Ice Lake", cpu(intel, avx, skylake_x, VBMI | VBMI2 | GFNI, 0, ZMM), "avx512-gfni"),
            (
                "Ice Lake, OS without ZMM",
                cpu(intel, avx, skylake_x, VBMI | VBMI2 | GFNI, 0, YMM),
                "avx2-gfni",
            ),
            ("Tremont: GFNI without AVX", cpu(intel, SSSE3, 0, GFNI, 0, 0), "sse2"),
            ("Alder Lake", cpu(intel, avx, AVX2 | BMI2, GFNI, 0, YMM), "avx2-gfni"),
            ("Zen 4", cpu(amd, avx, skylake_x, VBMI | VBMI2 | GFNI, 0, ZMM), "avx512-gfni"),
            ("Zen 5", cpu(amd, avx, skylake_x, VBMI | VBMI2 | GFNI, 0, ZMM), "avx512-gfni"),
            ("AVX2 in CPUID, OS saves no YMM", cpu(intel, avx, AVX2 | BMI2, 0, 0, 0b11), "sse2"),
            ("AVX2 in CPUID, no OSXSAVE", cpu(intel, SSSE3 | AVX, AVX2, 0, 0, 0), "sse2"),
            (
                "a hypervisor that hides AVX only",
                cpu(intel, SSSE3 | OSXSAVE, AVX2 | BMI2, GFNI, 0, YMM),
                "sse2",
            ),
        ];
        for (name, facts, expected) in table {
            assert_eq!(best(|feature| facts.has(feature)), expected, "{name}");
        }
        for name in ["Apple M1", "Graviton 2", "Cortex-A72"] {
            assert_eq!(best(|feature| feature == "neon"), "neon", "{name}");
        }
        assert_eq!(best(|feature| feature == "simd128"), "simd128", "wasm with simd128");
        assert!(["scalar", "portable"].contains(&best(|_| false)), "anything else");
    }
}
