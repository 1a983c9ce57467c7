//! What macOS says of AVX-512.
//!
//! A thread there begins without the registers of AVX-512, and XCR0 without their bits; the first AVX-512 instruction traps, and the system gives the thread both. So
//! XCR0 says nothing, and the system is asked: `hw.optional.avx512f`. Before macOS 12.2 (Darwin 21.3) it could lose the mask registers at a
//! context switch or a signal: there AVX-512 is as good as missing.
//!
//! Source: Apple, "Addressing architectural differences in your macOS code" (which to ask), XNU's `osfmk/i386/fpu.c` (what happens), and for
//! the fault golang/go issue 49233.

/// Whether a thread gets the registers of AVX-512 when it first uses one.
#[cfg(target_os = "macos")]
pub(super) fn zmm_on_demand() -> bool {
    let has = ask::<4>(c"hw.optional.avx512f");
    let release = ask::<64>(c"kern.osrelease");
    has.is_some_and(|has| has != [0; 4]) && release.is_some_and(|release| keeps_masks(&release))
}

/// A value of the system's, zeros behind it; `None` if there is none or it is longer.
#[cfg(target_os = "macos")]
fn ask<const SIZE: usize>(name: &core::ffi::CStr) -> Option<[u8; SIZE]> {
    use core::ffi::{c_char, c_int, c_void};
    use core::ptr::{from_mut, null_mut};

    // Of libSystem, which every program there is linked to.
    unsafe extern "C" {
        fn sysctlbyname(
            name: *const c_char,
            old: *mut c_void,
            old_size: *mut usize,
            new: *mut c_void,
            new_size: usize,
        ) -> c_int;
    }
    let mut value = [0; SIZE];
    let mut size = SIZE;
    // SAFETY: a string, a buffer and its size; nothing is set.
    let result = unsafe {
        sysctlbyname(
            name.as_ptr(),
            from_mut(&mut value).cast(),
            &raw mut size,
            null_mut(),
            0,
        )
    };
    (result == 0).then_some(value)
}

/// Whether a release of Darwin, `major.minor.patch`, keeps the mask registers.
fn keeps_masks(release: &[u8]) -> bool {
    let mut numbers = release.split(|byte| !byte.is_ascii_digit()).map(|digits| {
        digits.iter().fold(0_u32, |number, digit| {
            number
                .saturating_mul(10)
                .saturating_add(u32::from(digit - b'0'))
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
    fn masks_are_kept_from_darwin_21_3_on() {
        for (release, kept) in [
            ("21.3.0\0\0", true),
            ("21.10.0", true),
            ("22.0.0", true),
            ("25.1.0", true),
            ("21.2.9", false),
            ("20.6.0", false),
            ("9.8.0", false),
            ("21", false),
            ("", false),
            ("x.9", false),
        ] {
            assert_eq!(keeps_masks(release.as_bytes()), kept, "{release}");
        }
    }

    /// The system agrees with what its own tool says.
    #[test]
    #[cfg(all(target_os = "macos", target_arch = "x86_64"))]
    fn as_the_systems_tool_says() {
        let told = std::process::Command::new("sysctl")
            .args(["-n", "hw.optional.avx512f", "kern.osrelease"])
            .output()
            .unwrap();
        let told = String::from_utf8(told.stdout).unwrap();
        let (has, release) = told.trim().split_once('\n').unwrap();
        assert_eq!(
            super::zmm_on_demand(),
            has == "1" && keeps_masks(release.as_bytes())
        );
    }
}
