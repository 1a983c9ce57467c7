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

/// Whether `pext` is there but microcoded, and slower than a multiplication: on AMD (and Hygon) before
/// family 19h, by vendor and family from CPUID.
#[cfg(all(feature = "lookup", target_arch = "x86_64"))]
pub(crate) fn slow_pext() -> bool {
    use core::arch::x86_64::__cpuid;
    // SAFETY: every x86-64 CPU has CPUID and these leaves. (Later compilers know.)
    #[allow(unused_unsafe)]
    let (id, version) = unsafe { (__cpuid(0), __cpuid(1)) };
    is_slow_pext([id.ebx, id.edx, id.ecx], version.eax)
}

/// By the registers EBX, EDX and ECX of leaf 0, and EAX of leaf 1.
#[cfg(all(feature = "lookup", target_arch = "x86_64"))]
fn is_slow_pext(vendor: [u32; 3], version: u32) -> bool {
    let mut name = [0; 12];
    for (bytes, register) in name.chunks_exact_mut(4).zip(vendor) {
        bytes.copy_from_slice(&register.to_le_bytes());
    }
    // Extended families count from 0fh on.
    let family = match (version >> 8) & 0xf {
        0xf => 0xf + ((version >> 20) & 0xff),
        family => family,
    };
    matches!(&name, b"AuthenticAMD" | b"HygonGenuine") && family < 0x19
}

/// Elsewhere there is no `pext` kernel to be slow.
#[cfg(not(all(feature = "lookup", target_arch = "x86_64")))]
pub(crate) fn slow_pext() -> bool {
    false
}

#[cfg(all(test, feature = "lookup", target_arch = "x86_64"))]
mod tests {
    use super::is_slow_pext;

    #[test]
    fn pext_is_slow_on_amd_before_zen_3() {
        let vendor = |name: &[u8; 12]| {
            let register = |i| u32::from_le_bytes(name[i..i + 4].try_into().unwrap());
            [register(0), register(4), register(8)]
        };
        let amd = vendor(b"AuthenticAMD");
        assert!(is_slow_pext(amd, 0x0060_0f12)); // family 15h
        assert!(is_slow_pext(amd, 0x0087_0f10)); // family 17h, Zen 2
        assert!(!is_slow_pext(amd, 0x00a2_0f10)); // family 19h, Zen 3
        assert!(!is_slow_pext(amd, 0x00b2_0f40)); // family 1ah, Zen 5
        assert!(is_slow_pext(vendor(b"HygonGenuine"), 0x0090_0f01)); // family 18h
        assert!(!is_slow_pext(vendor(b"GenuineIntel"), 0x0003_06c3)); // Haswell
    }
}
