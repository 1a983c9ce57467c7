//! PEXT look-ups: one BMI2 instruction computes the index into a table of attacks.
//!
//! The page [`magic`](super::magic) explains both kinds of look-up.

use crate::Square;
use crate::kernels::generic::per_slider::PerSlider as _;
use crate::kernels::x86_64::pext::Pext;
use crate::techniques::cpu::Bmi2;

/// Attacks of a rook: a PEXT and a load.
///
/// ```
/// use setwise::techniques::{cpu::Bmi2, pext};
/// use setwise::{Square, board};
/// if let Some(cpu) = Bmi2::detect() {
///     let attacks = pext::rook_attacks(cpu, Square::D4, 1 << 51);
///     assert_eq!(attacks, board::rook_attacks_from(Square::D4, 1 << 51));
/// }
/// ```
#[must_use]
#[inline]
pub fn rook_attacks(_cpu: Bmi2, square: Square, occupied: u64) -> u64 {
    Pext::rook_attacks(square.number(), occupied)
}

/// Attacks of a bishop: a PEXT and a load.
///
/// ```
/// use setwise::techniques::{cpu::Bmi2, pext};
/// use setwise::{Square, board};
/// if let Some(cpu) = Bmi2::detect() {
///     let attacks = pext::bishop_attacks(cpu, Square::D4, 1 << 45);
///     assert_eq!(attacks, board::bishop_attacks_from(Square::D4, 1 << 45));
/// }
/// ```
#[must_use]
#[inline]
pub fn bishop_attacks(_cpu: Bmi2, square: Square, occupied: u64) -> u64 {
    Pext::bishop_attacks(square.number(), occupied)
}
