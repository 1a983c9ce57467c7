//! Borrow in x86-64 vector registers. Each function computes as many boards as a register holds.

use crate::kernels::x86_64::whole_boards as vectors;
use crate::techniques::cpu::{Avx2, Avx2Gfni, Ssse3};

/// Attacks eastward on two boards in one SSE2 register, with three instructions: `pandn` removes
/// the sliders from the occupied squares, `psubb` subtracts them again, and `pxor` keeps the bits
/// that changed. `psubb` subtracts each byte separately, so no barrier is needed.
///
/// The sliders must be in `occupied`: if you are not sure, pass `occupied | sliders`. For a slider
/// outside `occupied`, the result is wrong on the slider's own square.
///
/// ```
/// use setwise::techniques::borrow;
/// let (sliders, occupied) = ([0b0000_1000, 1 << 8], [0b0100_1010, 1 << 8]);
/// let attacks = borrow::east_attacks_in_xmm(sliders, occupied);
/// assert_eq!(attacks, [0b0111_0000, 0xfe << 8]);
/// assert_eq!(borrow::east_attacks_in_xmm([1; 2], [0; 2]), [0xff; 2]); // with the slider
/// ```
#[must_use]
#[inline(always)]
pub fn east_attacks_in_xmm(sliders: [u64; 2], occupied: [u64; 2]) -> [u64; 2] {
    vectors::east_in_xmm(sliders, occupied)
}

/// Attacks eastward like [`east_attacks_in_xmm`], on four boards in one AVX2 register. The sliders
/// must be in `occupied`.
///
/// ```
/// use setwise::techniques::{borrow, cpu::Avx2};
/// if let Some(cpu) = Avx2::detect() {
///     let attacks = borrow::east_attacks_in_ymm(cpu, [0b0000_1000; 4], [0b0100_1010; 4]);
///     assert_eq!(attacks, [0b0111_0000; 4]);
/// }
/// ```
#[must_use]
#[inline(always)]
pub fn east_attacks_in_ymm(_cpu: Avx2, sliders: [u64; 4], occupied: [u64; 4]) -> [u64; 4] {
    // SAFETY: `_cpu` proves that the CPU has the features.
    unsafe { vectors::east_in_ymm(sliders, occupied) }
}

/// Attacks westward on two boards in one SSSE3 register. The bits of each byte are reversed, the
/// bytes are subtracted as for eastward rays, and the result is reversed again. Two `pshufb`
/// look-ups, one per nibble, reverse a register with 6 instructions. With three reversals, this
/// form takes 22 instructions; Kogge-Stone takes 14 and two masks.
///
/// ```
/// use setwise::techniques::{borrow, cpu::Ssse3};
/// if let Some(cpu) = Ssse3::detect() {
///     let attacks = borrow::west_attacks_in_xmm(cpu, [0b0000_1000; 2], [0b0100_1010; 2]);
///     assert_eq!(attacks, [0b0000_0110; 2]);
/// }
/// ```
#[must_use]
#[inline(always)]
pub fn west_attacks_in_xmm(_cpu: Ssse3, sliders: [u64; 2], occupied: [u64; 2]) -> [u64; 2] {
    // SAFETY: `_cpu` proves that the CPU has the features.
    unsafe { vectors::west_in_xmm(sliders, occupied) }
}

/// Attacks westward like [`west_attacks_in_xmm`], on four boards in one AVX2 register. GFNI
/// reverses the bits of each byte with one instruction (`gf2p8affineqb`), so this takes 7
/// instructions.
///
/// ```
/// use setwise::techniques::{borrow, cpu::Avx2Gfni};
/// if let Some(cpu) = Avx2Gfni::detect() {
///     let attacks = borrow::west_attacks_in_ymm(cpu, [0b0000_1000; 4], [0b0100_1010; 4]);
///     assert_eq!(attacks, [0b0000_0110; 4]);
/// }
/// ```
#[must_use]
#[inline(always)]
pub fn west_attacks_in_ymm(_cpu: Avx2Gfni, sliders: [u64; 4], occupied: [u64; 4]) -> [u64; 4] {
    // SAFETY: `_cpu` proves that the CPU has the features.
    unsafe { vectors::west_in_ymm(sliders, occupied) }
}
