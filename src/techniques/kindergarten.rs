#![doc = include_str!("../../docs/techniques/kindergarten.md")]

use crate::kernels::generic::one_square::rank_by_table;
use crate::kernels::geometry::direction::{A_FILE, H_FILE};
use crate::kernels::geometry::line::line_of;
use crate::{Line, Square};

const B_FILE: u64 = A_FILE << 1;
/// a1 to h8.
const DIAGONAL: u64 = 0x8040_2010_0804_0201;
/// c2 to h7.
const C2_TO_H7: u64 = 0x0080_4020_1008_0400;

/// Attacks along one line: two multiplications and a look-up in a table of 512 bytes. Ranks and
/// diagonals also take two masks with the line. Files take two constant masks and two shifts.
///
/// ```
/// use setwise::{Line, Square, board, techniques::kindergarten};
/// for line in Line::ALL {
///     let attacks = kindergarten::line_attacks(line, Square::D4, 1 << 51 | 1 << 25 | 1 << 45);
///     let expected = board::line_attacks_from(line, Square::D4, 1 << 51 | 1 << 25 | 1 << 45);
///     assert_eq!(attacks, expected);
/// }
/// ```
#[must_use]
#[inline(always)]
pub const fn line_attacks(line: Line, square: Square, occupied: u64) -> u64 {
    let (file, rank) = (square.file(), square.rank());
    match line {
        Line::File => {
            // The lowest bit of the index is the square on rank 7, and the highest is that on
            // rank 2.
            let inner = (occupied >> file & A_FILE).wrapping_mul(C2_TO_H7) >> 58;
            let attacks = on_first_rank(7 - rank, inner);
            (attacks.wrapping_mul(DIAGONAL) & H_FILE) >> (7 - file)
        }
        Line::Rank | Line::Diagonal | Line::Antidiagonal => {
            let mask = line_of(line, square.number());
            let inner = (occupied & mask).wrapping_mul(B_FILE) >> 58;
            on_first_rank(file, inner).wrapping_mul(A_FILE) & mask
        }
    }
}

/// Attacks on the first rank, from the occupancy of b1 to g1 in the lowest six bits.
#[inline(always)]
const fn on_first_rank(file: u8, inner: u64) -> u64 {
    rank_by_table(file, inner << 1)
}

/// Attacks of a rook, along its rank and file.
///
/// ```
/// use setwise::{Square, board, techniques::kindergarten};
/// let attacks = kindergarten::rook_attacks(Square::D4, 1 << 51);
/// assert_eq!(attacks, board::rook_attacks_from(Square::D4, 1 << 51));
/// ```
#[must_use]
#[inline(always)]
pub const fn rook_attacks(square: Square, occupied: u64) -> u64 {
    line_attacks(Line::Rank, square, occupied) | line_attacks(Line::File, square, occupied)
}

/// Attacks of a bishop, along both diagonals.
///
/// ```
/// use setwise::{Square, board, techniques::kindergarten};
/// let attacks = kindergarten::bishop_attacks(Square::D4, 1 << 45);
/// assert_eq!(attacks, board::bishop_attacks_from(Square::D4, 1 << 45));
/// ```
#[must_use]
#[inline(always)]
pub const fn bishop_attacks(square: Square, occupied: u64) -> u64 {
    line_attacks(Line::Diagonal, square, occupied)
        | line_attacks(Line::Antidiagonal, square, occupied)
}
