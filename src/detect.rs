//! Detects the CPU features that kernels need.
//!
//! `features!` is the table of all features. Those of the compile target need no detection. The
//! others exist on x86-64 only, where CPUID and XGETBV are read once. This does not use the
//! standard library, which many programs lack, and which has no name for XOP. There is no list of
//! CPU models: on CPUs newer than this release, CPUID and XCR0 decide.
//!
//! Wide registers count only if the operating system saves them (XCR0). Features that build on AVX
//! count only if AVX is present, because a hypervisor may hide AVX but leave the AVX2 bit set. The
//! vendor matters for Intel's BMI2 without AVX, and for XOP, which is trusted only on AMD.
//!
//! Source: Intel's and AMD's manuals, instruction CPUID.

use crate::kernels::table::str_eq;

/// Defines [`NAMES`], [`COMPILED`] and `Facts::features` from the table of features.
macro_rules! features {
    (
        $($name:literal $register:ident $bit:literal $saved:ident [$($need:literal)*] $($trusted:ident)?;)*
        compile_target: $($other:literal)*;
    ) => {
        /// The names of all features.
        const NAMES: &[&str] = &[$($name,)* $($other),*];

        /// The features of the compile target.
        #[allow(unexpected_cfgs, reason = "the compiler knows neither `osxsave` nor all targets")]
        pub(crate) const COMPILED: u32 =
            $(if cfg!(target_feature = $name) { set(&[$name]) } else { 0 } |)*
            $(if cfg!(target_feature = $other) { set(&[$other]) } else { 0 } |)* 0;

        impl Facts {
            /// The features that can be used.
            fn features(&self) -> u32 {
                let mut found = 0;
                $(
                    let needs = const { set(&[$($need),*]) };
                    if self.registers[$register] >> $bit & 1 == 1
                        && self.registers[XCR0] & $saved == $saved
                        && found & needs == needs
                        $(&& self.$trusted(found))?
                    {
                        found |= const { set(&[$name]) };
                    }
                )*
                found
            }
        }
    };
}

// Each line has a feature's name as in `is_x86_feature_detected!` (`osxsave` is ours), its register
// and bit of CPUID, the register states that the operating system must save, the features above it
// that it needs, and a method of `Facts` that must also be true.
features! {
    "sse2" LEAF1_EDX 26 ANY [];
    "ssse3" LEAF1_ECX 9 ANY [];
    "popcnt" LEAF1_ECX 23 ANY [];
    "osxsave" LEAF1_ECX 27 ANY [];
    "avx" LEAF1_ECX 28 YMM ["osxsave"];
    "fma" LEAF1_ECX 12 YMM ["avx"];
    "f16c" LEAF1_ECX 29 YMM ["avx"];
    "avx2" LEAF7_EBX 5 YMM ["avx"];
    "bmi2" LEAF7_EBX 8 ANY [] has_bmi;
    "gfni" LEAF7_ECX 8 ANY [];
    "xop" EXTENDED_ECX 11 YMM ["avx"] is_amd;
    // Rust's `avx512f` implies AVX2, FMA and F16C, which a hypervisor may hide.
    "avx512f" LEAF7_EBX 16 ZMM ["avx2" "fma" "f16c"];
    "avx512bw" LEAF7_EBX 30 ZMM ["avx512f"];
    "avx512vl" LEAF7_EBX 31 ZMM ["avx512f"];
    "avx512vbmi" LEAF7_ECX 1 ZMM ["avx512f"];
    "avx512vbmi2" LEAF7_ECX 6 ZMM ["avx512f"];
    compile_target: "neon" "simd128";
}

// Bit 31 marks the cache of what was detected, and one bit stands for unknown names.
const _: () = assert!(NAMES.len() < 31);

/// The set of features with these names: bit `i` for `NAMES[i]`. An unknown name sets a bit that no
/// CPU has.
pub(crate) const fn set(names: &[&str]) -> u32 {
    let (mut set, mut i) = (0, 0);
    while i < names.len() {
        let mut n = 0;
        while n < NAMES.len() && !str_eq(names[i], NAMES[n]) {
            n += 1;
        }
        set |= 1 << n;
        i += 1;
    }
    set
}

/// What CPUID and XGETBV report. A plain value, so tests can describe any CPU.
#[derive(Clone, Copy, Default)]
struct Facts {
    /// `GenuineIntel`, `AuthenticAMD`...
    vendor: [u8; 12],
    /// See [`REGISTERS`]. Those of a leaf that the CPU lacks are 0.
    registers: [u32; REGISTERS.len()],
}

/// The registers with bits of features: of CPUID's leaves 1, 7 (subleaf 0) and `8000_0001h`, and
/// the low half of XCR0, which has the register states that the operating system saves.
const REGISTERS: [&str; 6] = ["1.ecx", "1.edx", "7.ebx", "7.ecx", "81.ecx", "xcr0"];
const LEAF1_ECX: usize = 0;
const LEAF1_EDX: usize = 1;
const LEAF7_EBX: usize = 2;
const LEAF7_ECX: usize = 3;
const EXTENDED_ECX: usize = 4;
const XCR0: usize = 5;

/// Register states in XCR0.
const ANY: u32 = 0;
const YMM: u32 = 0b110;
const ZMM: u32 = 0b1110_0110;

impl Facts {
    /// Other targets, Miri and SGX enclaves: only features of the compile target count.
    #[cfg(not(all(target_arch = "x86_64", not(miri), not(target_env = "sgx"))))]
    fn read() -> Facts {
        Facts::default()
    }

    /// Reads the registers. Slow: in a virtual machine, each CPUID takes microseconds.
    #[cfg(all(target_arch = "x86_64", not(miri), not(target_env = "sgx")))]
    fn read() -> Facts {
        use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
        // SAFETY: every x86-64 CPU has CPUID; leaves beyond the highest are not read. OSXSAVE is
        // set only on CPUs with XSAVE, and then XGETBV is enabled.
        unsafe {
            let (leaf0, leaf1) = (__cpuid(0), __cpuid(1));
            let leaf7 = (leaf0.eax >= 7).then(|| __cpuid_count(7, 0));
            let [ebx7, ecx7] = leaf7.map_or([0; 2], |leaf| [leaf.ebx, leaf.ecx]);
            let has_extended = __cpuid(0x8000_0000).eax > 0x8000_0000;
            let extended = if has_extended { __cpuid(0x8000_0001).ecx } else { 0 };
            let saved = if leaf1.ecx >> 27 & 1 == 1 { _xgetbv(0) as u32 } else { 0 };
            let mut vendor = [0; 12];
            let parts = [leaf0.ebx, leaf0.edx, leaf0.ecx];
            for (bytes, part) in vendor.chunks_exact_mut(4).zip(parts) {
                bytes.copy_from_slice(&part.to_le_bytes());
            }
            Facts { vendor, registers: [leaf1.ecx, leaf1.edx, ebx7, ecx7, extended, saved] }
        }
    }

    /// Some Intel CPUs without AVX set the BMI bits but do not have the instructions (erratum
    /// SKL052).
    fn has_bmi(&self, found: u32) -> bool {
        self.vendor != *b"GenuineIntel" || found & const { set(&["avx"]) } != 0
    }

    fn is_amd(&self, _: u32) -> bool {
        self.vendor == *b"AuthenticAMD"
    }
}

/// No cache, because nothing is read, and some of these targets have no `AtomicU32`.
#[cfg(not(target_arch = "x86_64"))]
fn detected() -> u32 {
    Facts::read().features()
}

/// The features of this CPU. The first call reads CPUID.
#[cfg(target_arch = "x86_64")]
fn detected() -> u32 {
    use core::sync::atomic::{AtomicU32, Ordering};
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

/// Whether the CPU and its operating system support all these features.
pub(crate) fn has(names: &[&str]) -> bool {
    let unproven = set(names) & !COMPILED;
    unproven == 0 || unproven & !detected() == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::CATALOGUE;

    /// An unknown name would silently disable the kernels that need it.
    #[test]
    fn every_feature_that_a_kernel_needs_is_known() {
        for need in CATALOGUE.iter().flat_map(|kernel| kernel.needs) {
            assert!(NAMES.contains(need), "{need}: add it to `features!` in src/detect.rs");
        }
    }

    /// The standard library does not know `osxsave`, and that of the oldest Rust not `xop`.
    #[test]
    #[cfg(all(target_arch = "x86_64", feature = "std", not(miri)))]
    fn agrees_with_the_standard_library() {
        macro_rules! compare {
            ($($name:tt)*) => {
                $(
                    let theirs = std::arch::is_x86_feature_detected!($name);
                    assert_eq!(has(&[$name]), theirs, $name);
                )*
                let others = ["osxsave", "xop", "neon", "simd128"];
                let all = set(&[$($name),*]) | set(&others);
                assert_eq!(all, set(NAMES), "compare every feature, or list it in `others`");
            };
        }
        compare! {
            "sse2" "ssse3" "popcnt" "fma" "f16c" "avx" "avx2" "bmi2" "gfni"
            "avx512f" "avx512bw" "avx512vl" "avx512vbmi" "avx512vbmi2"
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
        assert!(known.eq(NAMES), "BITS in src/detect.rs must have the features of {NAMES:?}");
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
