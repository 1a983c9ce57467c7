//! Our own reading of CPUID and XCR0, for x86-64 without the standard library, and for XOP.
//!
//! Wide registers count only if the operating system saves them (XCR0). The vendor matters for
//! Intel's BMI2 without AVX, and for XOP, which is trusted only on AMD.
//!
//! Source: Intel's and AMD's manuals, instruction CPUID.

/// What CPUID and XGETBV report. A plain value, so tests can describe any CPU.
#[derive(Clone, Copy, Default)]
pub(super) struct Facts {
    /// `GenuineIntel`, `AuthenticAMD`...
    pub(super) vendor: [u8; 12],
    /// See [`REGISTERS`]. Those of a leaf that the CPU lacks are 0.
    pub(super) registers: [u32; REGISTERS.len()],
}

/// The registers with bits of features: of CPUID's leaves 1, 7 (subleaf 0) and `8000_0001h`, and
/// the low half of XCR0, which has the register states that the operating system saves.
pub(super) const REGISTERS: [&str; 6] = ["1.ecx", "1.edx", "7.ebx", "7.ecx", "81.ecx", "xcr0"];
pub(super) const LEAF1_ECX: usize = 0;
pub(super) const LEAF1_EDX: usize = 1;
pub(super) const LEAF7_EBX: usize = 2;
pub(super) const LEAF7_ECX: usize = 3;
pub(super) const EXTENDED_ECX: usize = 4;
const XCR0: usize = 5;

/// Register states in XCR0.
pub(super) const ANY: u32 = 0;
pub(super) const YMM: u32 = 0b110;
pub(super) const ZMM: u32 = 0b1110_0110;

impl Facts {
    /// Other targets, Miri and SGX enclaves: only features of the compile target count.
    #[cfg(not(all(target_arch = "x86_64", not(miri), not(target_env = "sgx"))))]
    pub(super) fn read() -> Facts {
        Facts::default()
    }

    /// Reads the registers. Slow: in a virtual machine, each CPUID takes microseconds.
    #[cfg(all(target_arch = "x86_64", not(miri), not(target_env = "sgx")))]
    pub(super) fn read() -> Facts {
        use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
        // SAFETY: every x86-64 CPU has CPUID; leaves beyond the highest are not read. OSXSAVE is
        // set only on CPUs with XSAVE, and then XGETBV is enabled.
        unsafe {
            let (leaf0, leaf1) = (__cpuid(0), __cpuid(1));
            let leaf7 = (leaf0.eax >= 7).then(|| __cpuid_count(7, 0));
            let [ebx7, ecx7] = leaf7.map_or([0; 2], |leaf| [leaf.ebx, leaf.ecx]);
            let has_extended = __cpuid(0x8000_0000).eax > 0x8000_0000;
            let extended = if has_extended { __cpuid(0x8000_0001).ecx } else { 0 };
            let saved = if leaf1.ecx >> 27 & 1 == 1 { _xgetbv(0) as u32 } else { 0 };
            let mut vendor = [0; 12];
            let parts = [leaf0.ebx, leaf0.edx, leaf0.ecx];
            for (bytes, part) in vendor.chunks_exact_mut(4).zip(parts) {
                bytes.copy_from_slice(&part.to_le_bytes());
            }
            Facts { vendor, registers: [leaf1.ecx, leaf1.edx, ebx7, ecx7, extended, saved] }
        }
    }

    /// Whether the bit is set, and the operating system saves the states `saved`.
    #[inline(always)] // With a constant register, it cannot panic.
    pub(super) fn shows(&self, register: usize, bit: u32, saved: u32) -> bool {
        let osxsave = self.registers[LEAF1_ECX] >> 27 & 1 == 1;
        let is_saved = saved == ANY || osxsave && self.registers[XCR0] & saved == saved;
        self.registers[register] >> bit & 1 == 1 && is_saved
    }

    /// Some Intel CPUs without AVX set the BMI bits but do not have the instructions (erratum
    /// SKL052).
    pub(super) fn has_bmi(&self) -> bool {
        self.vendor != *b"GenuineIntel" || self.shows(LEAF1_ECX, 28, YMM)
    }

    pub(super) fn is_amd(&self) -> bool {
        self.vendor == *b"AuthenticAMD"
    }
}
