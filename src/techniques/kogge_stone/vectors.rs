//! Kogge-Stone in x86-64 vector registers. Each function computes as many boards as a register
//! holds.

use crate::Direction;
use crate::kernels::geometry::direction::each_direction;
use crate::kernels::x86_64::whole_boards as vectors;
use crate::techniques::cpu::Avx2;

/// The attacks on two boards in one SSE2 register, with the operations of
/// [`attacks`](super::attacks). Each direction has its own code, so pass the direction as a
/// constant to avoid a branch.
///
/// ```
/// use setwise::{Direction, techniques::kogge_stone};
/// let attacks = kogge_stone::attacks_in_xmm(Direction::North, [1 << 27; 2], [1 << 51; 2]);
/// assert_eq!(attacks, [1 << 35 | 1 << 43 | 1 << 51; 2]);
/// ```
#[must_use]
#[inline(always)]
pub fn attacks_in_xmm(direction: Direction, sliders: [u64; 2], occupied: [u64; 2]) -> [u64; 2] {
    each_direction!(direction, |ray| vectors::kogge_stone_in_xmm(ray, sliders, occupied))
}

/// The attacks on four boards in one AVX2 register, like [`attacks_in_xmm`].
///
/// ```
/// use setwise::{Direction, techniques::{cpu::Avx2, kogge_stone}};
/// if let Some(cpu) = Avx2::detect() {
///     let (sliders, occupied) = ([1 << 27; 4], [1 << 51; 4]);
///     let attacks = kogge_stone::attacks_in_ymm(cpu, Direction::North, sliders, occupied);
///     assert_eq!(attacks, [1 << 35 | 1 << 43 | 1 << 51; 4]);
/// }
/// ```
#[must_use]
#[inline(always)]
pub fn attacks_in_ymm(
    _cpu: Avx2,
    direction: Direction,
    sliders: [u64; 4],
    occupied: [u64; 4],
) -> [u64; 4] {
    // SAFETY: `_cpu` proves that the CPU has the features.
    unsafe { each_direction!(direction, |ray| vectors::kogge_stone_in_ymm(ray, sliders, occupied)) }
}
