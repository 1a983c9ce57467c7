//! The switch approach: nested tests of a line's squares, nearest squares first, with the attack
//! sets as constants in the code.
//!
//! Requires the feature `switch`. The kernel `switch` uses these functions.
//!
//! Source: Dann Corbit's proposal, "The Switch Approach", Chess Programming Wiki.

use crate::kernels::any_cpu::switch::Switch;
use crate::kernels::generic::per_slider::PerSlider;
use crate::{Line, Square};

/// Attacks along one line: those of the rook or bishop, masked to the line.
///
/// ```
/// use setwise::{Line, Square, board, techniques::switch};
/// let d4 = Square::new(27).unwrap();
/// for line in Line::ALL {
///     assert_eq!(switch::line_attacks(line, d4, 1 << 51), board::line_attacks_from(line, d4, 1 << 51));
/// }
/// ```
#[must_use]
#[inline]
pub fn line_attacks(line: Line, square: Square, occupied: u64) -> u64 {
    Switch::line_attacks(line, square.index() as u8, occupied)
}

/// Attacks of a rook: a jump to the square's code, and 2.33 tests per line on average if all
/// occupancies are equally likely.
///
/// ```
/// use setwise::{Square, board, techniques::switch};
/// assert_eq!(switch::rook_attacks(Square::D4, 1 << 51), board::rook_attacks_from(Square::D4, 1 << 51));
/// ```
#[must_use]
#[inline]
pub fn rook_attacks(square: Square, occupied: u64) -> u64 {
    Switch::rook_attacks(square.index() as u8, occupied)
}

/// Attacks of a bishop, along both diagonals.
///
/// ```
/// use setwise::{Square, board, techniques::switch};
/// let d4 = Square::new(27).unwrap();
/// assert_eq!(switch::bishop_attacks(d4, 1 << 45), board::bishop_attacks_from(d4, 1 << 45));
/// ```
#[must_use]
#[inline]
pub fn bishop_attacks(square: Square, occupied: u64) -> u64 {
    Switch::bishop_attacks(square.index() as u8, occupied)
}
