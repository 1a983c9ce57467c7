//! Detects CPU features by the names that kernels use.
//!
//! With feature `std`, the standard library detects features (`std::arch::is_*_feature_detected!`).
//! [`x86`] reads CPUID and XGETBV once to detect features that the standard library has no name for
//! (XOP), and all features in a `no_std` program. There is no list of CPU models: on CPUs newer
//! than this release, CPUID and XCR0 decide.
//!
//! Vendor and family matter only for old CPUs: the slow `pext` of AMD and Hygon, Intel's BMI2
//! without AVX, and XOP, which is trusted only on AMD. On targets other than x86-64, only
//! features enabled at compile time count. On macOS, AVX-512 needs a separate check (`macos`).

/// The one table of x86 features: for each its name, its register and bit of CPUID, the register
/// states that the operating system must save, the features that it builds on, and a method of
/// `Facts` that must also be true. The standard library detects the first group, too. Every other
/// list of features comes from this table.
macro_rules! features {
    ($then:ident) => {
        $then! {
            std {
                "sse2" leaf1_edx 26 ANY [];
                "ssse3" leaf1_ecx 9 ANY [];
                "popcnt" leaf1_ecx 23 ANY [];
                "fma" leaf1_ecx 12 YMM ["avx"];
                "f16c" leaf1_ecx 29 YMM ["avx"];
                "avx" leaf1_ecx 28 YMM ["osxsave"];
                "avx2" leaf7_ebx 5 YMM ["avx"];
                "bmi2" leaf7_ebx 8 ANY [] has_bmi;
                "gfni" leaf7_ecx 8 ANY [];
                // Rust's `avx512f` implies AVX2, FMA and F16C, which a hypervisor may hide.
                "avx512f" leaf7_ebx 16 ZMM ["avx2" "fma" "f16c"];
                "avx512bw" leaf7_ebx 30 ZMM ["avx512f"];
                "avx512vl" leaf7_ebx 31 ZMM ["avx512f"];
                "avx512vbmi" leaf7_ecx 1 ZMM ["avx512f"];
                "avx512vbmi2" leaf7_ecx 6 ZMM ["avx512f"];
            }
            own {
                "osxsave" leaf1_ecx 27 ANY [];
                "xop" extended_ecx 11 YMM ["avx"] is_amd;
                "slow-pext" leaf7_ebx 8 ANY [] slow_pext;
            }
        }
    };
}

#[cfg(all(target_arch = "x86_64", any(target_os = "macos", test)))]
mod macos;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use crate::kernels::table::str_eq;

/// Whether the CPU and its operating system support a feature.
pub(crate) fn has(feature: &str) -> bool {
    if compiled_for(feature) {
        return true;
    }
    #[cfg(target_arch = "x86_64")]
    {
        detected(feature)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// Whether the compile target has the feature, so that detection is unnecessary.
const fn compiled_for(feature: &str) -> bool {
    macro_rules! compiled {
        (std { $($name:literal $register:ident $bit:literal $saved:ident $needs:tt $($trusted:ident)?;)* }
            $($rest:tt)*
        ) => {
            $((cfg!(target_feature = $name) && str_eq(feature, $name)))||*
        };
    }
    features!(compiled)
        || cfg!(target_feature = "neon") && str_eq(feature, "neon")
        || cfg!(target_feature = "simd128") && str_eq(feature, "simd128")
}

/// The features of targets other than x86. They are never detected: the compile target has them or
/// not.
#[cfg(test)]
const OTHER_TARGETS: [&str; 2] = ["neon", "simd128"];

/// Whether the compile target has all these features.
pub(crate) const fn all_compiled_for(features: &[&str]) -> bool {
    let mut i = 0;
    while i < features.len() {
        if !compiled_for(features[i]) {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(all(target_arch = "x86_64", feature = "std"))]
fn detected(feature: &str) -> bool {
    // The standard library trusts XCR0, where macOS sets the AVX-512 bits only after a thread's
    // first AVX-512 instruction.
    if cfg!(target_os = "macos") && feature.starts_with("avx512") {
        return x86::has(feature);
    }
    macro_rules! detect {
        (std { $($name:tt $register:ident $bit:literal $saved:ident $needs:tt $($trusted:ident)?;)* }
            $($rest:tt)*
        ) => {
            match feature {
                $($name => std::arch::is_x86_feature_detected!($name),)*
                _ => x86::has(feature),
            }
        };
    }
    features!(detect)
}

#[cfg(all(target_arch = "x86_64", not(feature = "std")))]
fn detected(feature: &str) -> bool {
    x86::has(feature)
}
