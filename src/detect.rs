//! Which CPU features are there: by name, as the kernels ask for them.

/// Whether the CPU (and the operating system) has a feature, by its name in
/// `std::arch::is_x86_feature_detected!`.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) fn has(feature: &str) -> bool {
    macro_rules! ask {
        ($($name:tt),*) => {
            match feature {
                $($name => std::arch::is_x86_feature_detected!($name),)*
                _ => false,
            }
        };
    }
    ask!(
        "sse2",
        "ssse3",
        "sse4.1",
        "popcnt",
        "avx",
        "avx2",
        "bmi1",
        "bmi2",
        "gfni",
        "avx512f",
        "avx512bw",
        "avx512vl",
        "avx512vbmi"
    )
}

/// Without `std`: what the program is compiled for.
#[cfg(not(all(feature = "std", target_arch = "x86_64")))]
pub(crate) fn has(feature: &str) -> bool {
    match feature {
        "sse2" => cfg!(target_feature = "sse2"),
        "ssse3" => cfg!(target_feature = "ssse3"),
        "avx2" => cfg!(target_feature = "avx2"),
        _ => false,
    }
}
