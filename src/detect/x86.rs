//! Detection of x86 features from CPUID and XGETBV.
//!
//! [`Facts`] is a plain value, so tests can describe any CPU. Wide registers count only if the
//! operating system saves them (XCR0). Features that build on AVX count only if AVX is present,
//! because a hypervisor may hide AVX but leave the AVX2 bit set.
//!
//! Source: Intel's and AMD's manuals, instruction CPUID.
#![cfg_attr(
    any(miri, target_env = "sgx"),
    allow(dead_code, unused_imports, reason = "Miri and SGX enclaves have no CPUID")
)]

use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use core::sync::atomic::{AtomicU32, Ordering};

use crate::kernels::table::str_eq;

/// The relevant registers of CPUID, and XCR0.
#[derive(Debug, Clone, Copy, Default)]
struct Facts {
    /// `GenuineIntel`, `AuthenticAMD`...
    vendor: [u8; 12],
    /// Leaf 1.
    leaf1_eax: u32,
    leaf1_ecx: u32,
    leaf1_edx: u32,
    /// Leaf 7, subleaf 0.
    leaf7_ebx: u32,
    leaf7_ecx: u32,
    /// Leaf `8000_0001h`.
    extended_ecx: u32,
    /// The register states that the operating system saves (the low half of XCR0); 0 without
    /// OSXSAVE.
    xcr0: u32,
}

const ANY: u32 = 0;
const YMM: u32 = 0b110;
const ZMM: u32 = 0b1110_0110;

/// Defines [`NAMES`], `Facts::has` and [`compiled_for`] from the table of features.
macro_rules! features {
    ($(
        $name:literal $register:ident $bit:literal $saved:ident [$($need:literal)*] $($trusted:ident)?;
    )*) => {
        /// All features that the choice of a kernel depends on. A feature's index is its bit in the
        /// cache of [`has`].
        const NAMES: &[&str] = &[$($name),*];

        impl Facts {
            /// Whether a feature can be used.
            fn has(&self, feature: &str) -> bool {
                match feature {
                    $($name => {
                        bit(self.$register, $bit)
                            && self.xcr0 & $saved == $saved
                            $(&& self.has($need))*
                            $(&& self.$trusted())?
                    })*
                    _ => false,
                }
            }
        }

        /// Whether the compile target has the feature, so that detection is unnecessary.
        #[allow(unexpected_cfgs, reason = "the compiler does not know our own features")]
        pub(super) const fn compiled_for(feature: &str) -> bool {
            $((cfg!(target_feature = $name) && str_eq(feature, $name)))||*
        }
    };
}

// Each line has a feature's name, its register and bit of CPUID, the register states that the
// operating system must save, the features that it builds on, and a method of `Facts` that must
// also be true. `osxsave` and `slow-pext` are names of ours.
features! {
    "sse2" leaf1_edx 26 ANY [];
    "ssse3" leaf1_ecx 9 ANY [];
    "popcnt" leaf1_ecx 23 ANY [];
    "fma" leaf1_ecx 12 YMM ["avx"];
    "f16c" leaf1_ecx 29 YMM ["avx"];
    "osxsave" leaf1_ecx 27 ANY [];
    "avx" leaf1_ecx 28 YMM ["osxsave"];
    "avx2" leaf7_ebx 5 YMM ["avx"];
    "bmi2" leaf7_ebx 8 ANY [] has_bmi;
    "slow-pext" leaf7_ebx 8 ANY [] slow_pext;
    "gfni" leaf7_ecx 8 ANY [];
    "xop" extended_ecx 11 YMM ["avx"] is_amd;
    // Rust's `avx512f` implies AVX2, FMA and F16C, which a hypervisor may hide.
    "avx512f" leaf7_ebx 16 ZMM ["avx2" "fma" "f16c"];
    "avx512bw" leaf7_ebx 30 ZMM ["avx512f"];
    "avx512vl" leaf7_ebx 31 ZMM ["avx512f"];
    "avx512vbmi" leaf7_ecx 1 ZMM ["avx512f"];
    "avx512vbmi2" leaf7_ecx 6 ZMM ["avx512f"];
}

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

/// The register states that the system saves: XCR0, plus the AVX-512 states if the system enables
/// those on demand.
fn saved(xcr0: u32, zmm_on_demand: impl Fn() -> bool) -> u32 {
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
unsafe fn xcr0() -> u32 {
    // SAFETY: OSXSAVE is set, so register 0 can be read.
    #[allow(unused_unsafe, reason = "safe in newer toolchains")]
    unsafe {
        _xgetbv(0) as u32
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
        // Features that are ours, or that the standard library of the oldest Rust does not know.
        let mut compared = vec!["osxsave", "slow-pext", "xop"];
        macro_rules! compare {
            ($($name:tt)*) => { $(
                // The standard library trusts XCR0, where macOS sets the AVX-512 bits only after a
                // thread's first AVX-512 instruction.
                if !(cfg!(target_os = "macos") && $name.starts_with("avx512")) {
                    assert_eq!(has($name), std::arch::is_x86_feature_detected!($name), $name);
                }
                compared.push($name);
            )* };
        }
        compare!("sse2" "ssse3" "popcnt" "fma" "f16c" "avx" "avx2" "bmi2" "gfni");
        compare!("avx512f" "avx512bw" "avx512vl" "avx512vbmi" "avx512vbmi2");
        for name in NAMES {
            let known = compared.contains(name);
            assert!(known, "{name}: compare it here in src/detect/x86.rs, or list why not");
        }
    }

    /// An unknown feature name would silently disable the kernels that need it.
    #[test]
    fn every_feature_that_a_kernel_needs_is_known() {
        for kernel in CATALOGUE {
            for need in kernel.needs.iter().chain(kernel.slow_on) {
                let known = NAMES.contains(need) || ["neon", "simd128"].contains(need);
                let name = kernel.name;
                assert!(known, "`{name}` needs {need}: add it to `features!` in src/detect/x86.rs");
            }
        }
    }

    const INTEL: &[u8; 12] = b"GenuineIntel";
    const AMD: &[u8; 12] = b"AuthenticAMD";
    const HYGON: &[u8; 12] = b"HygonGenuine";
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

    type Register = fn(&mut Facts) -> &mut u32;

    /// The registers of [`Facts`] that have bits of features.
    const REGISTERS: &[(&str, Register)] = &[
        ("1.ecx", |facts| &mut facts.leaf1_ecx),
        ("1.edx", |facts| &mut facts.leaf1_edx),
        ("7.ebx", |facts| &mut facts.leaf7_ebx),
        ("7.ecx", |facts| &mut facts.leaf7_ecx),
        ("81.ecx", |facts| &mut facts.extended_ecx),
        ("xcr0", |facts| &mut facts.xcr0),
    ];

    /// Sets the bits that `words` lists as features of [`BITS`] or as `register:bit`. A minus sign
    /// before a bit clears it.
    fn set(facts: &mut Facts, words: &str) {
        for word in words.split_whitespace() {
            if let Some((name, bit)) = word.trim_start_matches('-').split_once(':') {
                let register = REGISTERS.iter().find(|(register, _)| *register == name);
                let (_, register) =
                    register.unwrap_or_else(|| panic!("{name} is not in REGISTERS"));
                let (register, bit) = (register(facts), 1 << bit.parse::<u32>().unwrap());
                *register = if word.starts_with('-') { *register & !bit } else { *register | bit };
            } else {
                let (_, bits) = BITS.iter().find(|(name, _)| *name == word).expect(word);
                set(facts, bits);
            }
        }
    }

    /// A CPU with the features and bits that `words` lists.
    fn cpu(vendor: &[u8; 12], words: &str) -> Facts {
        let mut facts = Facts { vendor: *vendor, ..Facts::default() };
        set(&mut facts, words);
        facts
    }

    /// With only its bits set, each feature is detected. With one of them cleared and all other
    /// bits set, it is not.
    #[test]
    #[cfg_attr(miri, ignore = "no unsafe code, and thousands of strings")]
    fn every_feature_needs_its_bits_and_no_others() {
        let all = |vendor: &[u8; 12]| {
            let mut facts = cpu(vendor, "");
            for (_, register) in REGISTERS {
                *register(&mut facts) = !0;
            }
            facts
        };
        for name in NAMES {
            let tested = *name == "slow-pext" || BITS.iter().any(|(feature, _)| feature == name);
            assert!(tested, "{name} is missing in BITS in src/detect/x86.rs");
        }
        for (feature, _) in BITS {
            let mut needed = cpu(AMD, feature);
            assert!(needed.has(feature), "{feature} with only its bits");
            for (name, register) in REGISTERS {
                for i in 0..32 {
                    let mut without = all(AMD);
                    *register(&mut without) &= !(1 << i);
                    let is_needed = bit(*register(&mut needed), i);
                    assert_eq!(without.has(feature), !is_needed, "{feature} without {name}:{i}");
                }
            }
        }
        assert!(all(AMD).has("xop") && !all(INTEL).has("xop") && !all(HYGON).has("xop"));
    }

    #[test]
    fn pext_is_slow_on_amd_before_zen_3() {
        let slow = |vendor, leaf1_eax| Facts { leaf1_eax, ..cpu(vendor, "bmi2") }.has("slow-pext");
        assert!(slow(AMD, 0x0066_0f01)); // family 15h, Excavator
        assert!(slow(AMD, 0x0087_0f10)); // family 17h, Zen 2
        assert!(slow(HYGON, 0x0090_0f01)); // family 18h
        assert!(!slow(AMD, 0x00a2_0f10)); // family 19h, Zen 3
        assert!(!slow(AMD, 0x00b0_0f21)); // family 1ah, Zen 5
        assert!(!slow(INTEL, 0x0003_06c3)); // Haswell
    }

    /// BMI2 counts as missing on Intel CPUs without AVX, as in the standard library.
    #[test]
    fn bmi2_without_avx_is_not_trusted_on_intel() {
        assert!(!cpu(INTEL, "bmi2 osxsave xcr0:1 xcr0:2").has("bmi2")); // Celeron G3900
        assert!(cpu(INTEL, "bmi2 avx").has("bmi2"));
        assert!(cpu(AMD, "bmi2").has("bmi2"));
    }

    /// Tries XCR0 on macOS before and after a thread's first AVX-512 instruction, and on systems
    /// that never save the ZMM registers.
    #[test]
    fn avx512_may_be_enabled_on_demand() {
        let has = |xcr0, on_demand: bool| {
            let xcr0 = saved(xcr0, || on_demand);
            Facts { xcr0, ..cpu(INTEL, "avx512bw") }.has("avx512bw")
        };
        assert!(has(YMM, true) && has(ZMM, true) && has(ZMM, false));
        assert!(!has(YMM, false) && !has(0b10, true) && !has(0, true));
    }

    /// The best kernel for a CPU with these features, compiled in or not.
    fn best(has: impl Fn(&str) -> bool) -> &'static str {
        let mut kernels = CATALOGUE.iter();
        let best = kernels.find(|info| info.needs.iter().all(|need| has(need)));
        best.map_or("none", KernelInfo::name)
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
            assert_eq!(best(|feature| facts.has(feature)), expected, "{name}");
        }
        assert_eq!(best(|feature| feature == "neon"), "neon");
        assert_eq!(best(|feature| feature == "simd128"), "simd128");
        assert!(["scalar", "portable"].contains(&best(|_| false)), "anything else");
    }
}
