//! Detection of AVX-512 on macOS.
//!
//! A thread starts without the AVX-512 registers, and XCR0 lacks their bits. The thread's first
//! AVX-512 instruction traps, and then the system enables the registers and sets the bits. So XCR0
//! proves nothing, and the sysctl `hw.optional.avx512f` decides. Before macOS 12.2 (Darwin 21.3), a
//! context switch or signal could lose the mask registers, so AVX-512 counts as missing on these
//! systems.
//!
//! Sources: Apple, "Addressing architectural differences in your macOS code" (the sysctl); XNU's
//! `osfmk/i386/fpu.c` (the trap); golang/go issue 49233 (the lost masks).

/// Whether the system enables the AVX-512 registers when a thread first uses them.
#[cfg(target_os = "macos")]
pub(super) fn zmm_on_demand() -> bool {
    let (mut has, mut release) = ([0; 4], [0; 64]);
    read(c"hw.optional.avx512f", &mut has)
        && read(c"kern.osrelease", &mut release)
        && has != [0; 4]
        && keeps_masks(&release)
}

/// Reads a sysctl into the start of `value`. Returns false if it does not exist or is longer.
#[cfg(target_os = "macos")]
fn read(name: &core::ffi::CStr, value: &mut [u8]) -> bool {
    use core::ffi::{c_char, c_int, c_void};

    // Every macOS program links libSystem, which defines this function.
    unsafe extern "C" {
        fn sysctlbyname(
            name: *const c_char,
            old: *mut c_void,
            old_size: *mut usize,
            new: *mut c_void,
            new_size: usize,
        ) -> c_int;
    }
    let (mut size, none) = (value.len(), core::ptr::null_mut());
    // SAFETY: `name` is a C string, `value` has `size` bytes, and no new value is set.
    let error =
        unsafe { sysctlbyname(name.as_ptr(), value.as_mut_ptr().cast(), &raw mut size, none, 0) };
    error == 0
}

/// Whether a Darwin release, `major.minor.patch`, preserves the mask registers.
fn keeps_masks(release: &[u8]) -> bool {
    let mut numbers = release.split(|byte| !byte.is_ascii_digit()).map(|digits| {
        digits.iter().fold(0_u32, |number, digit| {
            number.saturating_mul(10).saturating_add(u32::from(digit - b'0'))
        })
    });
    let major = numbers.next().unwrap_or(0);
    let minor = numbers.next().unwrap_or(0);
    (major, minor) >= (21, 3)
}

#[cfg(test)]
mod tests {
    use super::keeps_masks;

    #[test]
    fn darwin_preserves_masks_since_21_3() {
        for release in ["21.3.0\0\0", "21.10.0", "22.0.0", "25.1.0"] {
            assert!(keeps_masks(release.as_bytes()), "{release}");
        }
        for release in ["21.2.9", "20.6.0", "9.8.0", "21", "", "x.9"] {
            assert!(!keeps_masks(release.as_bytes()), "{release}");
        }
    }

    #[test]
    #[cfg(all(target_os = "macos", target_arch = "x86_64"))]
    fn agrees_with_the_command_sysctl() {
        let output = std::process::Command::new("sysctl")
            .args(["-n", "hw.optional.avx512f", "kern.osrelease"])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let (has, release) = text.trim().split_once('\n').unwrap();
        assert_eq!(super::zmm_on_demand(), has == "1" && keeps_masks(release.as_bytes()));
    }
}
