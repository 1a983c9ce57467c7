#![doc = include_str!("../../docs/techniques/magic.md")]

use crate::Square;
use crate::kernels::any_cpu::magic::Magic;
use crate::kernels::generic::per_slider::PerSlider as _;

/// Attacks of a rook: a mask, a multiplication and a load.
///
/// ```
/// use setwise::{Square, board, techniques::magic};
/// assert_eq!(magic::rook_attacks(Square::D4, 1 << 51), board::rook_attacks_from(Square::D4, 1 << 51));
/// ```
#[must_use]
#[inline]
pub fn rook_attacks(square: Square, occupied: u64) -> u64 {
    Magic::rook_attacks(square.number(), occupied)
}

/// Attacks of a bishop: a mask, a multiplication and a load.
///
/// ```
/// use setwise::{Square, board, techniques::magic};
/// let attacks = magic::bishop_attacks(Square::D4, 1 << 45);
/// assert_eq!(attacks, board::bishop_attacks_from(Square::D4, 1 << 45));
/// ```
#[must_use]
#[inline]
pub fn bishop_attacks(square: Square, occupied: u64) -> u64 {
    Magic::bishop_attacks(square.number(), occupied)
}
