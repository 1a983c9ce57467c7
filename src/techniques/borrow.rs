#![doc = include_str!("../../docs/techniques/borrow.md")]

use crate::kernels::generic::bytes;
use crate::kernels::geometry::direction::A_FILE;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod vectors;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub use vectors::*;

/// The intermediate results of [`east_attacks`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subtraction {
    /// The occupied squares, the sliders, and the a-file as barrier.
    pub minuend: u64,
    /// The sliders times two: the square east of each slider. For a slider on the h-file this is an
    /// a-file square, where the barrier absorbs the subtraction.
    pub subtrahend: u64,
    /// `minuend - subtrahend`.
    pub difference: u64,
    /// The XOR of the difference and the occupied squares: each slider's ray, and bits of the
    /// a-file that do not count.
    pub changed: u64,
    /// The attacks: the changed bits without the a-file.
    pub attacks: u64,
}

/// Computes [`east_attacks`] step by step.
///
/// ```
/// use setwise::techniques::borrow;
/// let steps = borrow::subtraction(0b0000_1000, 0b0100_1010);
/// assert_eq!(steps.minuend & 0xff, 0b0100_1011);
/// assert_eq!(steps.subtrahend, 0b0001_0000);
/// assert_eq!(steps.difference & 0xff, 0b0011_1011); // borrowed from the g-file
/// assert_eq!(steps.changed & 0xff, 0b0111_0001);
/// assert_eq!(steps.attacks, borrow::east_attacks(0b0000_1000, 0b0100_1010));
/// ```
#[must_use]
#[inline]
pub const fn subtraction(sliders: u64, occupied: u64) -> Subtraction {
    let occupied = occupied | sliders;
    let (minuend, subtrahend) = (occupied | A_FILE, sliders << 1);
    let difference = minuend.wrapping_sub(subtrahend);
    Subtraction {
        minuend,
        subtrahend,
        difference,
        changed: occupied ^ difference,
        attacks: east_attacks(sliders, occupied),
    }
}

/// Attacks eastward with one 64-bit subtraction and the a-file as the barrier between ranks. This
/// takes 6 operations. One of them adds the sliders to `occupied`.
///
/// ```
/// assert_eq!(setwise::techniques::borrow::east_attacks(0b0000_1000, 0b0100_1010), 0b0111_0000);
/// ```
#[must_use]
#[inline(always)]
pub const fn east_attacks(sliders: u64, occupied: u64) -> u64 {
    bytes::east_attacks(sliders, occupied)
}

/// Attacks eastward with a bytewise subtraction. With an instruction that subtracts bytes, it takes
/// three operations (`pandn`, `psubb`, `pxor`) if all sliders are in `occupied`, else four. Here,
/// on a `u64`, the subtraction alone takes [seven](super::adder::psubb).
///
/// ```
/// use setwise::techniques::borrow;
/// assert_eq!(borrow::east_attacks_bytewise(0b0000_1000, 0b0100_1010), 0b0111_0000);
/// ```
#[must_use]
#[inline(always)]
pub const fn east_attacks_bytewise(sliders: u64, occupied: u64) -> u64 {
    let others = occupied & !sliders;
    bytes::subtract(others, sliders) ^ (occupied | sliders)
}

/// Attacks westward: reverses the bits of each byte of both sets, computes [`east_attacks`], and
/// [reverses](super::turned::reverse) the result.
///
/// A reversal takes 15 operations: it exchanges neighbouring groups of 1, 2 and 4 bits, with five
/// operations per exchange. Three reversals and the ray take 51 operations, but
/// [Kogge-Stone](super::kogge_stone::attacks) takes only 14 and two masks. This form pays off where
/// one instruction reverses the bits of each byte, as in `west_attacks_in_ymm`.
///
/// Source: "Hyperbola Quintessence", Chess Programming Wiki, which reverses the bits rank by rank
/// for the other direction.
///
/// ```
/// assert_eq!(setwise::techniques::borrow::west_attacks(0b0000_1000, 0b0100_1010), 0b0000_0110);
/// ```
#[must_use]
#[inline(always)]
pub const fn west_attacks(sliders: u64, occupied: u64) -> u64 {
    bytes::reverse(east_attacks(bytes::reverse(sliders), bytes::reverse(occupied)))
}

/// Attacks along the ranks in both directions. West is [`east_attacks`] on the board with all bits
/// reversed, the set-wise generalisation of Hyperbola Quintessence. Files and diagonals have no
/// such form, because the squares of other lines lie between their squares.
///
/// ```
/// use setwise::{Direction, board, techniques::borrow};
/// let (rook, occupied) = (0b0000_1000, 0b0100_1010);
/// let both = [Direction::East, Direction::West].map(|d| board::ray_attacks(d, rook, occupied));
/// assert_eq!(borrow::along_ranks(rook, occupied), both[0] | both[1]);
/// ```
#[must_use]
#[inline(always)]
pub const fn along_ranks(sliders: u64, occupied: u64) -> u64 {
    let west = east_attacks(sliders.reverse_bits(), occupied.reverse_bits());
    east_attacks(sliders, occupied) | west.reverse_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a board drawn as in the article, with the a-file on the right.
    fn drawn(ranks: [&str; 8]) -> u64 {
        ranks.iter().fold(0, |board, rank| {
            assert_eq!(rank.len(), 8);
            rank.bytes().fold(board, |board, square| board << 1 | u64::from(square == b'1'))
        })
    }

    #[test]
    fn the_steps_of_the_example_in_the_source() {
        let sliders = drawn([
            "......1.", "....1...", "......1.", ".....1..", //
            "........", "......1.", ".......1", "1.......",
        ]);
        let occupied = drawn([
            "1..1..1.", "1...1...", "11....1.", ".11..1..", //
            "........", "......1.", ".......1", "1.......",
        ]);
        let difference = (occupied | A_FILE).wrapping_sub(sliders << 1);
        let with_barrier = drawn([
            "1...1111", ".1111..1", "1.111111", ".1.111.1", //
            "........", "1111111.", "1111111.", "1......1",
        ]);
        assert_eq!(difference, with_barrier);
        let changed = drawn([
            "...111.1", "1111...1", ".11111.1", "..111..1", //
            "........", "111111..", "11111111", ".......1",
        ]);
        assert_eq!(occupied ^ difference, changed);
        let attacks = drawn([
            "...111..", "1111....", ".11111..", "..111...", //
            "........", "111111..", "1111111.", "........",
        ]);
        assert_eq!(changed & !A_FILE, attacks);
        assert_eq!(east_attacks(sliders, occupied), attacks);
    }
}
