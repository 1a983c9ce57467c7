//! Detects the CPU features that kernels need.
//!
//! `features!` is the table of all features. Those of the compile target need no detection. With
//! the feature `std`, the macros of the standard library detect the others, on every architecture
//! that has such a macro. On x86-64 without `std`, [`cpuid`] detects them. It always detects XOP,
//! which the macro of the oldest supported Rust does not know. There is no list of CPU models: on
//! CPUs newer than this release, the reports of the CPU and of the operating system decide.
//!
//! Two rules apply to both reports, so they lead to the same kernel where they differ:
//!
//! * A feature counts only if those that it builds on count. A hypervisor may hide AVX but not
//!   AVX2, or FMA but not AVX-512. The standard library may then report AVX2 without AVX, and code
//!   for AVX2 contains instructions of AVX.
//! * On macOS, AVX-512 counts only if the compile target has it. XCR0 has its bits only in threads
//!   that have already used it, so the choice would depend on the thread. And before macOS 12.2
//!   (Darwin 21.3), a context switch could lose the mask registers.
//!
//! Sources: `std_detect` of the standard library; golang/go issue 49233 for the mask registers.

use crate::kernels::table::str_eq;
use cpuid::{ANY, EXTENDED_ECX, Facts, LEAF1_ECX, LEAF1_EDX, LEAF7_EBX, LEAF7_ECX, YMM, ZMM};

mod cpuid;

/// Defines from the table of features: [`NAMES`], [`NEEDS`], [`COMPILED`], `reported_by_std` and
/// `Facts::reported`.
macro_rules! features {
    ($($arch:literal $($detected:ident)? {
        $($name:tt [$($need:tt)*] $($register:ident $bit:literal $saved:ident $($trusted:ident)?)?;)*
    })*) => {
        /// The names of all features.
        const NAMES: &[&str] = &[$($($name),*),*];

        /// The features that each feature builds on.
        const NEEDS: &[u32] = &[$($(set(&[$($need),*])),*),*];

        /// The features of the compile target.
        #[allow(unexpected_cfgs, reason = "an old compiler does not know every feature")]
        pub(crate) const COMPILED: u32 =
            $($(if cfg!(target_feature = $name) { set(&[$name]) } else { 0 } |)*)* 0;

        /// The features that the standard library reports.
        #[cfg(feature = "std")]
        fn reported_by_std() -> u32 {
            let reported = 0;
            $(
                #[cfg(target_arch = $arch)]
                let reported = reported | by_std!($($detected)?: $($name)*);
            )*
            reported
        }

        impl Facts {
            /// The features that CPUID reports, and whose registers the operating system saves.
            fn reported(&self) -> u32 {
                let mut reported = 0;
                $($($(
                    if self.shows($register, $bit, $saved) $(&& self.$trusted())? {
                        reported |= const { set(&[$name]) };
                    }
                )?)*)*
                reported
            }
        }
    };
}

/// The features among these that a macro of the standard library reports.
#[cfg(feature = "std")]
#[allow(unused_macros, reason = "some architectures have no features in the table")]
macro_rules! by_std {
    (: $($name:tt)*) => { 0 };
    ($detected:ident: $($name:tt)*) => {
        $(if std::arch::$detected!($name) { set(&[$name]) } else { 0 } |)* 0
    };
}

// For each architecture, the standard library's macro, and then the features: the name as in this
// macro, and the features that this one builds on. For x86-64 also the register and the bit of
// CPUID, the register states that the operating system must save, and a method of `Facts` that must
// also be true.
features! {
    "x86_64" is_x86_feature_detected {
        "sse2" [] LEAF1_EDX 26 ANY;
        "ssse3" [] LEAF1_ECX 9 ANY;
        "popcnt" [] LEAF1_ECX 23 ANY;
        "avx" [] LEAF1_ECX 28 YMM;
        "fma" ["avx"] LEAF1_ECX 12 YMM;
        "f16c" ["avx"] LEAF1_ECX 29 YMM;
        "avx2" ["avx"] LEAF7_EBX 5 YMM;
        "bmi2" [] LEAF7_EBX 8 ANY has_bmi;
        "gfni" [] LEAF7_ECX 8 ANY;
        // Rust's `avx512f` implies AVX2, FMA and F16C.
        "avx512f" ["avx2" "fma" "f16c"] LEAF7_EBX 16 ZMM;
        "avx512bw" ["avx512f"] LEAF7_EBX 30 ZMM;
        "avx512vl" ["avx512f"] LEAF7_EBX 31 ZMM;
        "avx512vbmi" ["avx512f"] LEAF7_ECX 1 ZMM;
        "avx512vbmi2" ["avx512f"] LEAF7_ECX 6 ZMM;
        "avx512bitalg" ["avx512f"] LEAF7_ECX 12 ZMM;
    }
    "x86_64" {
        "xop" ["avx"] EXTENDED_ECX 11 YMM is_amd;
    }
    "aarch64" is_aarch64_feature_detected {
        "neon" [];
    }
    "wasm32" {
        "simd128" [];
    }
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

/// The features that count, because those that they build on count, too.
fn usable(reported: u32) -> u32 {
    let mut found = 0;
    for (i, needs) in NEEDS.iter().enumerate() {
        if reported >> i & 1 == 1 && found & needs == *needs {
            found |= 1 << i;
        }
    }
    found
}

/// The features that the CPU and its operating system report, by the standard library if there is
/// one.
fn reported() -> u32 {
    // Reading CPUID is slow, so CPUs without XOP are spared it. Those with XOP are AMD's, with
    // SSE4a and without ADX.
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    let reads =
        std::arch::is_x86_feature_detected!("sse4a") && !std::arch::is_x86_feature_detected!("adx");
    #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
    let reads = true;
    let by_cpuid = if reads { Facts::read().reported() } else { 0 };
    #[cfg(feature = "std")]
    let by_cpuid = by_cpuid & const { set(&["xop"]) } | reported_by_std();
    by_cpuid
}

/// No cache, because nothing can be detected, and some of these targets have no `AtomicU32`.
#[cfg(not(any(target_arch = "x86_64", feature = "std")))]
fn detected() -> u32 {
    usable(reported())
}

/// The features of this CPU. The first call detects them.
#[cfg(any(target_arch = "x86_64", feature = "std"))]
fn detected() -> u32 {
    use core::sync::atomic::{AtomicU32, Ordering};
    /// The bit that marks the cache as filled.
    const FILLED: u32 = 1 << 31;
    /// See the top of this file.
    const IGNORED: u32 = if cfg!(target_vendor = "apple") { set(&["avx512f"]) } else { 0 };
    static CACHE: AtomicU32 = AtomicU32::new(0);
    let mut features = CACHE.load(Ordering::Relaxed);
    if features == 0 {
        features = FILLED | usable(reported() & !IGNORED);
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
    use super::cpuid::REGISTERS;
    use super::*;
    use crate::kernels::CATALOGUE;

    /// An unknown name would silently disable the kernels that need it.
    #[test]
    fn every_feature_that_a_kernel_needs_is_known() {
        for need in CATALOGUE.iter().flat_map(|kernel| kernel.needs) {
            assert!(NAMES.contains(need), "{need}: add it to `features!` in src/detect.rs");
        }
    }

    /// Both reports lead to the same kernels. Only ours knows XOP.
    #[test]
    #[cfg(all(target_arch = "x86_64", feature = "std", not(miri)))]
    fn agrees_with_the_standard_library() {
        let names = |set: u32| -> Vec<_> {
            NAMES.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).map(|(_, n)| n).collect()
        };
        let ours = usable(Facts::read().reported()) & !set(&["xop"]);
        assert_eq!(names(usable(reported_by_std())), names(ours));
    }

    const INTEL: &[u8; 12] = b"GenuineIntel";
    const AMD: &[u8; 12] = b"AuthenticAMD";
    const VIA: &[u8; 12] = b"CentaurHauls";

    /// The bits of each feature, from the manuals, and the features that it builds on.
    const BITS: &[(&str, &str)] = &[
        ("sse2", "1.edx:26"),
        ("ssse3", "1.ecx:9"),
        ("popcnt", "1.ecx:23"),
        ("avx", "1.ecx:27 1.ecx:28 xcr0:1 xcr0:2"),
        ("fma", "avx 1.ecx:12"),
        ("f16c", "avx 1.ecx:29"),
        ("avx2", "avx 7.ebx:5"),
        ("bmi2", "7.ebx:8"),
        ("gfni", "7.ecx:8"),
        ("avx512f", "avx2 fma f16c 7.ebx:16 xcr0:5 xcr0:6 xcr0:7"),
        ("avx512bw", "avx512f 7.ebx:30"),
        ("avx512vl", "avx512f 7.ebx:31"),
        ("avx512vbmi", "avx512f 7.ecx:1"),
        ("avx512vbmi2", "avx512f 7.ecx:6"),
        ("avx512bitalg", "avx512f 7.ecx:12"),
        ("xop", "avx 81.ecx:11"),
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
            usable(self.reported()) & set(&[name]) != 0
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
        assert!(!cpu(INTEL, "bmi2 1.ecx:27 xcr0:1 xcr0:2").has("bmi2")); // Celeron G3900
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
        let ice_lake = &format!("{skylake_x} avx512vbmi avx512vbmi2 avx512bitalg gfni");
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
            assert_eq!(best(usable(facts.reported())), expected, "{name}");
        }
        assert_eq!(best(set(&["neon"])), "neon");
        assert_eq!(best(set(&["simd128"])), "simd128");
        assert!(["scalar", "portable"].contains(&best(0)), "anything else");
    }

    /// Ice Lake, without what a hypervisor hides. The standard library may report all others.
    #[test]
    fn what_builds_on_a_hidden_feature_does_not_count() {
        let all = set(NAMES) & !set(&["xop", "neon", "simd128"]);
        for (hidden, expected) in [
            ("avx", "sse2"),
            ("avx2", "sse2"),
            ("fma", "avx2-gfni"),
            ("f16c", "avx2-gfni"),
            ("avx512f", "avx2-gfni"),
            ("gfni", "avx512"),
        ] {
            assert_eq!(best(usable(all & !set(&[hidden]))), expected, "without {hidden}");
        }
        assert_eq!(best(usable(all)), "avx512-gfni");
    }
}
