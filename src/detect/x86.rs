//! Detection of x86 features from CPUID and XGETBV.
//!
//! [`Facts`] is a plain value, so tests can describe any CPU. Wide registers count only if the
//! operating system saves them (XCR0). Features that build on AVX count only if AVX is present,
//! because a hypervisor may hide AVX but leave the AVX2 bit set. The vendor matters for Intel's
//! BMI2 without AVX, and for XOP, which is trusted only on AMD.
//!
//! Source: Intel's and AMD's manuals, instruction CPUID.
#![cfg_attr(
    any(miri, target_env = "sgx"),
    allow(dead_code, unused_imports, reason = "Miri and SGX enclaves have no CPUID")
)]

use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use core::sync::atomic::{AtomicU32, Ordering};

use super::set;

/// What CPUID and XGETBV report.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Facts {
    /// `GenuineIntel`, `AuthenticAMD`...
    vendor: [u8; 12],
    /// See [`REGISTERS`]. Those of a leaf that the CPU lacks are 0.
    pub(super) registers: [u32; REGISTERS.len()],
}

/// The registers with bits of features: of CPUID's leaves 1, 7 (subleaf 0) and `8000_0001h`, and
/// the low half of XCR0, which has the register states that the operating system saves.
const REGISTERS: [&str; 6] = ["1.ecx", "1.edx", "7.ebx", "7.ecx", "81.ecx", "xcr0"];
pub(super) const LEAF1_ECX: usize = 0;
pub(super) const LEAF1_EDX: usize = 1;
pub(super) const LEAF7_EBX: usize = 2;
pub(super) const LEAF7_ECX: usize = 3;
pub(super) const EXTENDED_ECX: usize = 4;
pub(super) const XCR0: usize = 5;

pub(super) const ANY: u32 = 0;
pub(super) const YMM: u32 = 0b110;
pub(super) const ZMM: u32 = 0b1110_0110;

impl Facts {
    /// Returns no features: only those of the compile target count.
    #[cfg(any(miri, target_env = "sgx"))]
    fn read() -> Facts {
        Facts::default()
    }

    /// Reads the registers. Slow: in a virtual machine, each CPUID takes microseconds.
    #[cfg(not(any(miri, target_env = "sgx")))]
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
        // SAFETY: OSXSAVE is set, so XGETBV is enabled.
        let saved = if leaf1.ecx >> 27 & 1 == 1 { unsafe { xcr0() } } else { 0 };
        let [ebx, ecx] = leaf7.map_or([0; 2], |leaf| [leaf.ebx, leaf.ecx]);
        let extended = extended.map_or(0, |leaf| leaf.ecx);
        Facts { vendor, registers: [leaf1.ecx, leaf1.edx, ebx, ecx, extended, saved] }
    }

    /// Some Intel CPUs without AVX set the BMI bits but do not have the instructions (erratum
    /// SKL052).
    pub(super) fn has_bmi(&self, found: u32) -> bool {
        self.vendor != *b"GenuineIntel" || found & const { set(&["avx"]) } != 0
    }

    pub(super) fn is_amd(&self, _: u32) -> bool {
        self.vendor == *b"AuthenticAMD"
    }
}

/// # Safety
/// OSXSAVE must be set.
#[target_feature(enable = "xsave")]
unsafe fn xcr0() -> u32 {
    // SAFETY: OSXSAVE is set, so register 0 can be read.
    #[allow(unused_unsafe, reason = "safe in newer toolchains")]
    unsafe {
        _xgetbv(0) as u32
    }
}

/// The features of this CPU. The first call reads CPUID.
pub(super) fn detected() -> u32 {
    /// The bit that marks the cache as filled.
    const FILLED: u32 = 1 << 31;
    static CACHE: AtomicU32 = AtomicU32::new(0);
    let mut features = CACHE.load(Ordering::Relaxed);
    if features == 0 {
        features = FILLED | Facts::read().features();
        CACHE.store(features, Ordering::Relaxed);
    }
    features
}

#[cfg(test)]
mod tests {
    use super::super::NAMES;
    use super::*;
    use crate::kernels::CATALOGUE;

    #[test]
    #[cfg(all(feature = "std", not(miri)))]
    fn agrees_with_the_standard_library() {
        macro_rules! detected {
            ($($name:tt)*) => { [$(($name, std::arch::is_x86_feature_detected!($name))),*] };
        }
        let theirs = detected! {
            "sse2" "ssse3" "popcnt" "fma" "f16c" "avx" "avx2" "bmi2" "gfni"
            "avx512f" "avx512bw" "avx512vl" "avx512vbmi" "avx512vbmi2"
        };
        for &name in NAMES {
            if let Some((_, theirs)) = theirs.iter().find(|(other, _)| *other == name) {
                assert_eq!(crate::detect::has(&[name]), *theirs, "{name}");
            } else {
                // The standard library of the oldest Rust does not know `xop`.
                let known = ["osxsave", "xop", "neon", "simd128"].contains(&name);
                assert!(known, "{name}: compare it here in src/detect/x86.rs, or list why not");
            }
        }
    }

    const INTEL: &[u8; 12] = b"GenuineIntel";
    const AMD: &[u8; 12] = b"AuthenticAMD";
    const VIA: &[u8; 12] = b"CentaurHauls";

    /// The bits of each feature, from the manuals, and the features that it builds on.
    const BITS: &[(&str, &str)] = &[
        ("sse2", "1.edx:26"),
        ("ssse3", "1.ecx:9"),
        ("popcnt", "1.ecx:23"),
        ("osxsave", "1.ecx:27"),
        ("avx", "osxsave 1.ecx:28 xcr0:1 xcr0:2"),
        ("fma", "avx 1.ecx:12"),
        ("f16c", "avx 1.ecx:29"),
        ("avx2", "avx 7.ebx:5"),
        ("bmi2", "7.ebx:8"),
        ("gfni", "7.ecx:8"),
        ("xop", "avx 81.ecx:11"),
        ("avx512f", "avx2 fma f16c 7.ebx:16 xcr0:5 xcr0:6 xcr0:7"),
        ("avx512bw", "avx512f 7.ebx:30"),
        ("avx512vl", "avx512f 7.ebx:31"),
        ("avx512vbmi", "avx512f 7.ecx:1"),
        ("avx512vbmi2", "avx512f 7.ecx:6"),
    ];

    /// Sets the bits that `words` lists as features of [`BITS`] or as `register:bit`. A minus sign
    /// before a bit clears it.
    fn write(facts: &mut Facts, words: &str) {
        for word in words.split_whitespace() {
            if let Some((name, bit)) = word.trim_start_matches('-').split_once(':') {
                let i = REGISTERS.iter().position(|register| *register == name).expect(word);
                let bit = 1 << bit.parse::<u32>().unwrap();
                facts.registers[i] |= bit;
                if word.starts_with('-') {
                    facts.registers[i] ^= bit;
                }
            } else {
                let (_, bits) = BITS.iter().find(|(name, _)| *name == word).expect(word);
                write(facts, bits);
            }
        }
    }

    /// A CPU with the features and bits that `words` lists.
    fn cpu(vendor: &[u8; 12], words: &str) -> Facts {
        let mut facts = Facts { vendor: *vendor, ..Facts::default() };
        write(&mut facts, words);
        facts
    }

    impl Facts {
        fn has(&self, name: &str) -> bool {
            self.features() & set(&[name]) != 0
        }
    }

    /// With only its bits set, each feature is detected. With one of them cleared and all other
    /// bits set, it is not.
    #[test]
    #[cfg_attr(miri, ignore = "no unsafe code, and thousands of strings")]
    fn every_feature_needs_its_bits_and_no_others() {
        let known = BITS.iter().map(|(name, _)| name).chain(&["neon", "simd128"]);
        assert!(known.eq(NAMES), "BITS in src/detect/x86.rs must have the features of {NAMES:?}");
        let all = |vendor: &[u8; 12]| Facts { vendor: *vendor, registers: [!0; REGISTERS.len()] };
        for (feature, _) in BITS {
            let needed = cpu(AMD, feature);
            assert!(needed.has(feature), "{feature} with only its bits");
            for (i, register) in REGISTERS.iter().enumerate() {
                for bit in 0..32 {
                    let mut without = all(AMD);
                    without.registers[i] &= !(1 << bit);
                    let is_needed = needed.registers[i] >> bit & 1 == 1;
                    assert_eq!(
                        without.has(feature),
                        !is_needed,
                        "{feature} without {register}:{bit}"
                    );
                }
            }
        }
        assert!(all(AMD).has("xop") && !all(INTEL).has("xop"));
    }

    /// BMI2 counts as missing on Intel CPUs without AVX, as in the standard library.
    #[test]
    fn bmi2_without_avx_is_not_trusted_on_intel() {
        assert!(!cpu(INTEL, "bmi2 osxsave xcr0:1 xcr0:2").has("bmi2")); // Celeron G3900
        assert!(cpu(INTEL, "bmi2 avx").has("bmi2"));
        assert!(cpu(AMD, "bmi2").has("bmi2"));
    }

    /// The best kernel for a CPU with these features, compiled in or not.
    fn best(features: u32) -> &'static str {
        CATALOGUE.iter().find(|info| set(info.needs) & !features == 0).unwrap().name
    }

    #[test]
    fn each_cpu_gets_its_kernel() {
        let avx = "ssse3 popcnt fma f16c avx";
        let haswell = &format!("{avx} avx2 bmi2");
        let skylake_x = &format!("{haswell} avx512bw avx512vl");
        let ice_lake = &format!("{skylake_x} avx512vbmi avx512vbmi2 gfni");
        for (name, vendor, words, expected) in [
            ("Athlon 64, Phenom II", AMD, "", "sse2"),
            ("Core 2, Nehalem", INTEL, "ssse3", "sse2"),
            ("Sandy Bridge", INTEL, avx, "sse2"),
            ("Bulldozer, Piledriver", AMD, &format!("{avx} xop"), "xop"),
            ("Bulldozer, OS without AVX state", AMD, &format!("{avx} xop -xcr0:2"), "sse2"),
            ("Excavator", AMD, &format!("{haswell} xop"), "avx2"),
            ("Haswell", INTEL, haswell, "avx2"),
            ("VIA with AVX2 and no BMI", VIA, &format!("{avx} avx2"), "avx2"),
            ("Zen 1 to Zen 3", AMD, haswell, "avx2"),
            ("Skylake-X", INTEL, skylake_x, "avx512"),
            ("Cannon Lake", INTEL, &format!("{skylake_x} avx512vbmi"), "avx512"),
            ("Ice Lake", INTEL, ice_lake, "avx512-gfni"),
            ("Ice Lake, OS without ZMM", INTEL, &format!("{ice_lake} -xcr0:6"), "avx2-gfni"),
            ("Tremont: GFNI without AVX", INTEL, "ssse3 gfni", "sse2"),
            ("Alder Lake", INTEL, &format!("{haswell} gfni"), "avx2-gfni"),
            ("Zen 4, Zen 5", AMD, ice_lake, "avx512-gfni"),
            ("AVX2, OS saves no YMM", INTEL, &format!("{haswell} -xcr0:2"), "sse2"),
            ("AVX2 in CPUID, no OSXSAVE", INTEL, &format!("{haswell} -1.ecx:27"), "sse2"),
            ("AVX hidden, not AVX2 and GFNI", INTEL, &format!("{haswell} gfni -1.ecx:28"), "sse2"),
        ] {
            let facts = cpu(vendor, &format!("sse2 {words}"));
            assert_eq!(best(facts.features()), expected, "{name}");
        }
        assert_eq!(best(set(&["neon"])), "neon");
        assert_eq!(best(set(&["simd128"])), "simd128");
        assert!(["scalar", "portable"].contains(&best(0)), "anything else");
    }
}
