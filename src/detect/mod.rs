//! Detects the CPU features that kernels need.
//!
//! `features!` is the table of all features. Those of the compile target need no detection. For the
//! others, [`x86`] reads CPUID and XGETBV once. It does not use the standard library, which many
//! programs lack, and which has no name for XOP. There is no list of CPU models: on CPUs newer than
//! this release, CPUID and XCR0 decide. On targets other than x86-64, only features of the compile
//! target count.

use crate::kernels::table::str_eq;

#[cfg(target_arch = "x86_64")]
mod x86;

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

        #[cfg(target_arch = "x86_64")]
        impl x86::Facts {
            /// The features that can be used.
            fn features(&self) -> u32 {
                let mut found = 0;
                $(
                    let needs = const { set(&[$($need),*]) };
                    if self.registers[x86::$register] >> $bit & 1 == 1
                        && self.registers[x86::XCR0] & x86::$saved == x86::$saved
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

/// Whether the CPU and its operating system support all these features.
pub(crate) fn has(names: &[&str]) -> bool {
    let unproven = set(names) & !COMPILED;
    #[cfg(target_arch = "x86_64")]
    let unproven = if unproven == 0 { 0 } else { unproven & !x86::detected() };
    unproven == 0
}

/// An unknown name would silently disable the kernels that need it.
#[test]
fn every_feature_that_a_kernel_needs_is_known() {
    for need in crate::kernels::CATALOGUE.iter().flat_map(|kernel| kernel.needs) {
        assert!(NAMES.contains(need), "{need}: add it to `features!` in src/detect/mod.rs");
    }
}
