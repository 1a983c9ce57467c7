#![doc = include_str!("../../docs/techniques/hyperbola.md")]

use crate::kernels::generic::one_square;
use crate::kernels::geometry::direction::A_FILE;
use crate::kernels::geometry::line::line_of;
use crate::{Line, Square};

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod vectors;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub use vectors::*;
mod vpperm;
pub use vpperm::vpperm;

/// Attacks along a file or a diagonal. A byte swap (`bswap`) reverses the line, because each rank
/// has at most one square of the line. This takes about ten operations.
///
/// # Panics
/// If `line` is the rank, because a byte swap does not reverse the squares of a rank.
///
/// ```
/// use setwise::{Line, Square, board, techniques::hyperbola};
/// let attacks = hyperbola::by_byte_swap(Line::File, Square::D4, 1 << 51);
/// assert_eq!(attacks, board::line_attacks_from(Line::File, Square::D4, 1 << 51));
/// ```
#[must_use]
#[inline(always)]
pub const fn by_byte_swap(line: Line, square: Square, occupied: u64) -> u64 {
    assert!(
        !matches!(line, Line::Rank),
        "the line must be a file or diagonal: a byte swap does not reverse a rank"
    );
    one_square::by_byte_swap(line, square.number(), occupied)
}

/// Attacks along any of the four lines. A reversal of all 64 bits reverses every line. It takes one
/// instruction on AArch64 (`rbit`), and shifts and masks on x86. This is the generalised getter of
/// the article "Hyperbola Quintessence".
///
/// ```
/// use setwise::{Line, Square, board, techniques::hyperbola};
/// for line in Line::ALL {
///     let attacks = hyperbola::by_bit_reversal(line, Square::D4, 1 << 51 | 1 << 25);
///     assert_eq!(attacks, board::line_attacks_from(line, Square::D4, 1 << 51 | 1 << 25));
/// }
/// ```
#[must_use]
#[inline(always)]
pub const fn by_bit_reversal(line: Line, square: Square, occupied: u64) -> u64 {
    one_square::by_bit_reversal(line, square.number(), occupied)
}

/// The intermediate results of [`by_bit_reversal`], on the board and on the reversed board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TwoBoards {
    /// The line without the slider's square.
    pub line: u64,
    /// The occupied squares of the line, and the slider.
    pub occupied: u64,
    /// `occupied` minus twice the slider. It differs from `occupied` in the ray towards higher
    /// squares.
    pub forward: u64,
    /// `occupied` with all bits reversed.
    pub reversed: u64,
    /// `reversed` minus twice the reversed slider.
    pub backward: u64,
    /// `backward` with all bits reversed.
    pub returned: u64,
    /// The attacks: the bits of the line in which `forward` and `returned` differ.
    pub attacks: u64,
}

/// Computes [`by_bit_reversal`] step by step.
///
/// ```
/// use setwise::techniques::hyperbola;
/// use setwise::{Line, Square};
/// let steps = hyperbola::two_boards(Line::Rank, Square::D1, 1 << 1 | 1 << 6);
/// assert_eq!(steps.occupied, 0b0100_1010);
/// assert_eq!(steps.forward, 0b0011_1010);
/// assert_eq!(steps.reversed.reverse_bits(), steps.occupied);
/// assert_eq!(steps.backward.reverse_bits(), steps.returned);
/// assert_eq!(steps.returned & 0xff, 0b0100_1100);
/// assert_eq!(steps.attacks, hyperbola::by_bit_reversal(Line::Rank, Square::D1, 1 << 1 | 1 << 6));
/// ```
#[must_use]
#[inline]
pub const fn two_boards(line: Line, square: Square, occupied: u64) -> TwoBoards {
    let (mask, slider) = (line_of(line, square.number()), 1 << square.number());
    let occupied = occupied & mask | slider;
    let reversed = occupied.reverse_bits();
    let backward = reversed.wrapping_sub(slider.reverse_bits() << 1);
    TwoBoards {
        line: mask,
        occupied,
        forward: occupied.wrapping_sub(slider << 1),
        reversed,
        backward,
        returned: backward.reverse_bits(),
        attacks: by_bit_reversal(line, square, occupied),
    }
}

/// Attacks along the rank from a 512-byte table for the first rank. The index consists of the
/// slider's file and the occupancy of the six inner squares. The occupancy of the two outer squares
/// is not needed, because it does not change the attacks.
///
/// ```
/// use setwise::{Line, Square, board, techniques::hyperbola};
/// let attacks = hyperbola::rank_by_table(Square::D4, 1 << 25);
/// assert_eq!(attacks, board::line_attacks_from(Line::Rank, Square::D4, 1 << 25));
/// ```
#[must_use]
#[inline(always)]
pub const fn rank_by_table(square: Square, occupied: u64) -> u64 {
    one_square::rank_by_table(square.number(), occupied)
}

/// Attacks along the rank with Cooijmans' mapping. The rank is spread over the main diagonal, where
/// a byte swap reverses it. Summing all ranks maps the result back. Two multiplications replace the
/// table.
///
/// ```
/// use setwise::{Line, Square, board, techniques::hyperbola};
/// let attacks = hyperbola::rank_by_main_diagonal(Square::D4, 1 << 25);
/// assert_eq!(attacks, board::line_attacks_from(Line::Rank, Square::D4, 1 << 25));
/// ```
#[must_use]
#[inline(always)]
pub const fn rank_by_main_diagonal(square: Square, occupied: u64) -> u64 {
    const MAIN_DIAGONAL: u64 = 0x8040_2010_0804_0201;
    let (file, rank) = (square.number() % 8, square.number() / 8 * 8);
    let copies = ((occupied >> rank) & 0xff) * A_FILE;
    let attacks = one_square::by_byte_swap(Line::Diagonal, 9 * file, copies & MAIN_DIAGONAL);
    (attacks.wrapping_mul(A_FILE) >> 56) << rank
}

/// Attacks along all four lines, as in the kernel `hyperbola`: [`rank_by_table`] once and
/// [`by_byte_swap`] three times.
///
/// ```
/// use setwise::{Square, board, techniques::hyperbola};
/// let d4 = Square::D4;
/// assert_eq!(hyperbola::queen(d4, 1 << 51), board::queen_attacks_from(d4, 1 << 51));
/// ```
#[must_use]
#[inline(always)]
pub const fn queen(square: Square, occupied: u64) -> u64 {
    one_square::queen_attacks(square.number(), occupied)
}

/// Attacks along both diagonals, as in the kernel `hyperbola`: [`by_byte_swap`] twice.
///
/// ```
/// use setwise::{Square, board, techniques::hyperbola};
/// let d4 = Square::D4;
/// assert_eq!(hyperbola::bishop(d4, 1 << 45), board::bishop_attacks_from(d4, 1 << 45));
/// ```
#[must_use]
#[inline(always)]
pub const fn bishop(square: Square, occupied: u64) -> u64 {
    one_square::bishop_attacks(square.number(), occupied)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For every square and line, `forward` and `returned` must differ in exactly the attacks.
    #[test]
    fn the_steps_lead_to_the_attacks() {
        let mut random = fastrand::Rng::with_seed(64);
        for number in 0..64 {
            let square = Square::new(number).unwrap();
            for line in Line::ALL {
                for _ in 0..100 {
                    let occupied = random.u64(..) & random.u64(..);
                    let steps = two_boards(line, square, occupied);
                    assert_eq!((steps.forward ^ steps.returned) & steps.line, steps.attacks);
                }
            }
        }
    }

    /// The numbers are those of the article's drawing: a line as a byte, and the reversed byte.
    #[test]
    fn the_example_in_the_source() {
        let (o, r) = (0b1101_0101_u8, 0b0001_0000_u8);
        let (reversed_o, reversed_r) = (o.reverse_bits(), r.reverse_bits());
        assert_eq!((reversed_o, reversed_r), (0b1010_1011, 0b0000_1000));
        // The first subtraction clears the slider.
        let (cleared, reversed_cleared) = (o - r, reversed_o - reversed_r);
        assert_eq!((cleared, reversed_cleared), (0b1100_0101, 0b1010_0011));
        // The second subtraction borrows from the next blocker.
        let (up, down) = (cleared - r, reversed_cleared - reversed_r);
        assert_eq!((up, down), (0b1011_0101, 0b1001_1011));
        assert_eq!(down.reverse_bits(), 0b1101_1001);
        let attacks = up ^ down.reverse_bits();
        assert_eq!(attacks, 0b0110_1100);
        // The same line, once as a rank and once as a file.
        let (board, rank) = (u64::from(o), u64::from(attacks));
        assert_eq!(by_bit_reversal(Line::Rank, Square::E1, board), rank);
        assert_eq!(rank_by_table(Square::E1, board), rank);
        let file =
            |byte: u8| (0..8).map(|rank| u64::from(byte >> rank & 1) << (8 * rank)).sum::<u64>();
        assert_eq!(by_byte_swap(Line::File, Square::A5, file(o)), file(attacks));
    }
}
