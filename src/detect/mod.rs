//! Detects CPU features by the names that kernels use.
//!
//! Features enabled at compile time need no detection. For the others, [`x86`] reads CPUID and
//! XGETBV once. It does not use the standard library, which many programs lack, and which has no
//! name for XOP. There is no list of CPU models: on CPUs newer than this release, CPUID and XCR0
//! decide.
//!
//! Vendor and family matter only for old CPUs: the slow `pext` of AMD and Hygon, Intel's BMI2
//! without AVX, and XOP, which is trusted only on AMD. On targets other than x86-64, only
//! features enabled at compile time count. On macOS, AVX-512 needs a separate check (`macos`).

#[cfg(all(target_arch = "x86_64", any(target_os = "macos", test)))]
mod macos;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "x86_64")]
use x86::compiled_for;

/// Whether the CPU and its operating system support a feature.
pub(crate) fn has(feature: &str) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        compiled_for(feature) || x86::has(feature)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        compiled_for(feature)
    }
}

/// Whether the compile target has the feature.
#[cfg(not(target_arch = "x86_64"))]
const fn compiled_for(feature: &str) -> bool {
    use crate::kernels::table::str_eq;
    cfg!(target_feature = "neon") && str_eq(feature, "neon")
        || cfg!(target_feature = "simd128") && str_eq(feature, "simd128")
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
