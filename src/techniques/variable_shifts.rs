//! One board with variable shifts: each lane of a register holds one ray, and is shifted by its own
//! count.
//!
//! The functions take a proof of the instruction set ([`cpu`](super::cpu)) and are inlined. They
//! are for engines whose hot loop is compiled once per instruction set, as in
//! `examples/per_level.rs`. [`Kernels::slider_attacks_one`](crate::Kernels::slider_attacks_one)
//! calls the same code through the table.

use crate::kernels::x86_64::variable_shifts as vectors;
use crate::techniques::cpu::{Avx2, Avx512};

/// Attacks of the orthogonal sliders (rooks, queens) and diagonal sliders (bishops, queens) of one
/// board. The rays north-east, north-west, north and east are the four lanes of an AVX2 register,
/// shifted left with `vpsllvq`. The four opposite rays are the lanes of another register, shifted
/// right. Three doubling steps fill all lanes.
///
/// ```
/// use setwise::board;
/// use setwise::techniques::{cpu::Avx2, variable_shifts};
/// let (rooks, bishops, occupied) = (1, 1 << 27, 1 << 29 | 1 << 45);
/// if let Some(cpu) = Avx2::detect() {
///     assert_eq!(variable_shifts::sliders_in_two_registers(cpu, rooks, bishops, occupied), board::slider_attacks(rooks, bishops, occupied));
/// }
/// ```
#[must_use]
#[inline(always)]
pub fn sliders_in_two_registers(_cpu: Avx2, orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
    // SAFETY: `_cpu` proves that the CPU has the features.
    unsafe { vectors::four_rays(orthogonal, diagonal, occupied | orthogonal | diagonal) }
}

/// The same attacks as [`sliders_in_two_registers`], with all eight rays in one AVX-512 register.
/// `vprolvq` rotates each lane in either direction, and a mask clears the wraps.
///
/// ```
/// use setwise::board;
/// use setwise::techniques::{cpu::Avx512, variable_shifts};
/// let (rooks, bishops, occupied) = (1, 1 << 27, 1 << 29 | 1 << 45);
/// if let Some(cpu) = Avx512::detect() {
///     assert_eq!(variable_shifts::sliders_in_one_register(cpu, rooks, bishops, occupied), board::slider_attacks(rooks, bishops, occupied));
/// }
/// ```
#[must_use]
#[inline(always)]
pub fn sliders_in_one_register(_cpu: Avx512, orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
    // SAFETY: `_cpu` proves that the CPU has the features.
    unsafe { vectors::eight_rays(orthogonal, diagonal, occupied | orthogonal | diagonal) }
}
