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
        ($($name:literal)*) => {
            $((cfg!(target_feature = $name) && str_eq(feature, $name)))||*
        };
    }
    compiled!("sse2" "ssse3" "popcnt" "avx" "avx2" "bmi2" "gfni" "avx512f" "avx512bw" "avx512vl" "avx512vbmi" "avx512vbmi2" "neon" "simd128")
}

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
        ($($name:tt)*) => {
            match feature {
                $($name => std::arch::is_x86_feature_detected!($name),)*
                _ => x86::has(feature),
            }
        };
    }
    detect!("sse2" "ssse3" "popcnt" "avx" "avx2" "bmi2" "gfni" "avx512f" "avx512bw" "avx512vl" "avx512vbmi" "avx512vbmi2")
}

#[cfg(all(target_arch = "x86_64", not(feature = "std")))]
fn detected(feature: &str) -> bool {
    x86::has(feature)
}
