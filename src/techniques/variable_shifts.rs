#![doc = include_str!("../../docs/techniques/variable_shifts.md")]

use crate::Side;
use crate::kernels::generic::one_board::OneBoard;
use crate::kernels::x86_64::variable_shifts as vectors;
use crate::position::SideAttacks;
use crate::techniques::cpu::{Avx2, Avx2Gfni, Avx512};

/// A proof of an instruction set with variable shifts: [`Avx2`], [`Avx2Gfni`] or [`Avx512`].
#[allow(private_bounds, reason = "no other crate can implement this trait")]
pub trait Cpu: Copy + Code {}

/// The code for one board that a proof of an instruction set permits.
pub(crate) trait Code {
    type Code: OneBoard;
    fn code(self) -> Self::Code;
}

macro_rules! cpus {
    ($($Cpu:ident: $Code:ident;)*) => {$(
        impl Cpu for $Cpu {}

        impl Code for $Cpu {
            type Code = vectors::$Code;
            #[inline(always)]
            fn code(self) -> Self::Code {
                // SAFETY: `self` proves that the CPU has the features.
                unsafe { vectors::$Code::new() }
            }
        }
    )*};
}

cpus! {
    Avx2: FourRays;
    Avx2Gfni: FourRaysAndFlips;
    Avx512: FourRotatedRays;
}

/// Attacks of rooks, with the best code for one board: general-purpose registers with AVX2, a
/// flipped board with GFNI, four rotated lanes with AVX-512. All rooks block.
///
/// ```
/// use setwise::{board, techniques::{cpu::Avx512, variable_shifts}};
/// if let Some(cpu) = Avx512::detect() {
///     assert_eq!(variable_shifts::rooks(cpu, 1, 1 << 16), board::rook_attacks(1, 1 << 16));
/// }
/// ```
#[must_use]
#[inline(always)]
pub fn rooks<C: Cpu>(cpu: C, rooks: u64, occupied: u64) -> u64 {
    cpu.code().rook(rooks, occupied)
}

/// Attacks of bishops: two lanes shifted left and two shifted right, or four rotated lanes with
/// AVX-512. All bishops block.
///
/// ```
/// use setwise::{board, techniques::{cpu::Avx2, variable_shifts}};
/// if let Some(cpu) = Avx2::detect() {
///     assert_eq!(variable_shifts::bishops(cpu, 1, 1 << 18), board::bishop_attacks(1, 1 << 18));
/// }
/// ```
#[must_use]
#[inline(always)]
pub fn bishops<C: Cpu>(cpu: C, bishops: u64, occupied: u64) -> u64 {
    cpu.code().bishop(bishops, occupied)
}

/// Attacks of bishops, of rooks and of queens. Bishops and rooks share two registers: one holds
/// their four rays that are shifted left, the other their four rays that are shifted right. Queens
/// have two registers of their own. All share the propagators, and all these sliders block.
///
/// ```
/// use setwise::{board, techniques::{cpu::Avx2, variable_shifts}};
/// if let Some(cpu) = Avx2::detect() {
///     let attacks = variable_shifts::sliders_by_kind(cpu, 1 << 2, 1, 1 << 7, 0);
///     assert_eq!(attacks, board::sliders_by_kind(1 << 2, 1, 1 << 7, 0));
/// }
/// ```
#[must_use]
#[inline(always)]
pub fn sliders_by_kind<C: Cpu>(
    cpu: C,
    bishops: u64,
    rooks: u64,
    queens: u64,
    occupied: u64,
) -> [u64; 3] {
    cpu.code().sliders_by_kind(bishops, rooks, queens, occupied)
}

/// Attacks of one side's pieces, with [`sliders_by_kind`] for the sliders: see
/// [`Kernel::side_attacks_one`](crate::Kernel::side_attacks_one).
///
/// ```
/// use setwise::{Side, board, techniques::{cpu::Avx2, variable_shifts}};
/// let white = [1 << 8, 1 << 1, 1 << 2, 1, 1 << 3, 1 << 4];
/// if let Some(cpu) = Avx2::detect() {
///     let attacks = variable_shifts::side_attacks(cpu, Side::White, &white, 0x011f);
///     assert_eq!(attacks, board::side_attacks(Side::White, &white, 0x011f));
/// }
/// ```
#[must_use]
#[inline(always)]
pub fn side_attacks<C: Cpu>(cpu: C, side: Side, pieces: &[u64; 6], occupied: u64) -> SideAttacks {
    cpu.code().side_attacks(side, pieces, occupied)
}

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
    let code = unsafe { vectors::FourRays::new() };
    code.four_rays(orthogonal, diagonal, occupied | orthogonal | diagonal)
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
    let code = unsafe { vectors::FourRotatedRays::new() };
    code.eight_rays(orthogonal, diagonal, occupied | orthogonal | diagonal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board;

    /// Compares all functions with those of [`board`].
    #[target_feature(enable = "avx2")]
    unsafe fn check<C: Cpu>(cpu: C) {
        let mut random = fastrand::Rng::with_seed(26);
        for _ in 0..10_000 {
            let [p, n, b, r, q, k] =
                core::array::from_fn(|_| random.u64(..) & random.u64(..) & random.u64(..));
            let occupied = random.u64(..) & random.u64(..);
            assert_eq!(rooks(cpu, r, occupied), board::rook_attacks(r, occupied));
            assert_eq!(bishops(cpu, b, occupied), board::bishop_attacks(b, occupied));
            let sliders = board::sliders_by_kind(b, r, q, occupied);
            assert_eq!(sliders_by_kind(cpu, b, r, q, occupied), sliders);
            for side in [Side::White, Side::Black] {
                let pieces = [p, n, b, r, q, k];
                let attacks = board::side_attacks(side, &pieces, occupied);
                assert_eq!(side_attacks(cpu, side, &pieces, occupied), attacks);
            }
        }
    }

    #[test]
    fn inlined_forms_equal_those_of_any_cpu() {
        // SAFETY: each `cpu` proves that the CPU has AVX2.
        unsafe {
            if let Some(cpu) = Avx2::detect() {
                check(cpu);
            }
            if let Some(cpu) = Avx2Gfni::detect() {
                check(cpu);
            }
            if let Some(cpu) = Avx512::detect() {
                check(cpu);
            }
        }
    }

    #[test]
    fn sliders_in_one_and_two_registers_equal_those_of_any_cpu() {
        let mut random = fastrand::Rng::with_seed(27);
        for _ in 0..10_000 {
            let [r, b, o] = core::array::from_fn(|_| random.u64(..) & random.u64(..));
            let expected = board::slider_attacks(r, b, o);
            if let Some(cpu) = Avx2::detect() {
                assert_eq!(sliders_in_two_registers(cpu, r, b, o), expected);
            }
            if let Some(cpu) = Avx512::detect() {
                assert_eq!(sliders_in_one_register(cpu, r, b, o), expected);
            }
        }
    }
}
