//! Which CPU features are there, by the names that the kernels ask for.
//!
//! With feature `std` the standard library answers (`std::arch::is_*_feature_detected!`); what it
//! has no name for (XOP), and everything in a `no_std` program, comes from CPUID and XGETBV,
//! read once ([`x86`]). Of a CPU that nobody knew when this was written, its bits are believed, together with the registers that the
//! system saves: whatever needs no more than it has can run, and the order is the catalogue's. Its name and family are asked for in two cases, both of old CPUs:
//! AMD's slow `pext`, and Intel's BMI2 without AVX. XOP is believed of AMD alone. On other targets than x86-64, and in an SGX enclave, a kernel is there if the program is
//! compiled for it. Of AVX-512, macOS is asked (`macos`).

#[cfg(all(target_arch = "x86_64", any(target_os = "macos", test)))]
mod macos;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

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

/// Whether the program already assumes the feature, so that there is nothing to detect.
const fn compiled_for(feature: &str) -> bool {
    macro_rules! compiled {
        ($($name:literal)*) => {
            $((cfg!(target_feature = $name) && same(feature, $name)))||*
        };
    }
    compiled!("sse2" "ssse3" "avx" "avx2" "bmi2" "gfni" "avx512f" "avx512bw" "avx512vl" "avx512vbmi" "neon" "simd128")
}

/// Whether that is so of all these features.
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

/// `a == b` in constants.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(all(target_arch = "x86_64", feature = "std"))]
fn detected(feature: &str) -> bool {
    // The standard library goes by XCR0 alone, in which the bits of AVX-512 are missing there at first.
    if cfg!(target_os = "macos") && feature.starts_with("avx512") {
        return x86::has(feature);
    }
    macro_rules! ask {
        ($($name:tt)*) => {
            match feature {
                $($name => std::arch::is_x86_feature_detected!($name),)*
                _ => x86::has(feature),
            }
        };
    }
    ask!("sse2" "ssse3" "avx" "avx2" "bmi2" "gfni" "avx512f" "avx512bw" "avx512vl" "avx512vbmi")
}

#[cfg(all(target_arch = "x86_64", not(feature = "std")))]
fn detected(feature: &str) -> bool {
    x86::has(feature)
}
