//! One board by variable shifts: its rays are lanes of a register, each shifted by its own number of squares.
//!
//! By the proof of an instruction set ([`cpu`](super::cpu)), inlined: for an engine whose hot loop is compiled for each instruction set, as in
//! `examples/per_level.rs`. The kernels' [`slider_attacks_one`](crate::Kernels::slider_attacks_one) are these behind a call.

use crate::kernels::x86_64::variable_shifts as vectors;
use crate::techniques::cpu::{Avx2, Avx512};

/// Attacks of rooks (`orthogonal`) and bishops (`diagonal`) of one board, a queen being in both: the rays north-east, north-west, north and east in the four
/// lanes of an AVX2 register, shifted up by `vpsllvq`, and the four opposite ones in another, shifted down; three doubling steps.
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
    // SAFETY: the proof.
    unsafe { vectors::four_rays(orthogonal, diagonal, occupied | orthogonal | diagonal) }
}

/// The same with all eight rays in one AVX-512 register: `vprolvq` moves a lane up or down, and what it carries round an edge is masked.
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
    // SAFETY: the proof.
    unsafe { vectors::eight_rays(orthogonal, diagonal, occupied | orthogonal | diagonal) }
}
