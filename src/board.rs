//! The operations for one board: `const`, portable, inlinable, no dispatch.
//!
//! Eastward rays are one subtraction (the borrow runs from each slider to the next occupied
//! square, with a barrier on the a-file); the other rays are Kogge-Stone fills. From a single
//! square, Hyperbola Quintessence: two subtractions a line, and a small table for the rank. For more than one
//! board, or where the CPU's best instructions are wanted, use the batch operations at
//! the crate's root or [`Kernels::rook_attacks_one`](crate::Kernels::rook_attacks_one).
//!
//! Every slider passed also blocks, as everywhere in this crate.
//!
//! ```
//! use setwise::board;
//! // A rook on a1, a pawn on a3: the file up to a3, the whole first rank.
//! const ATTACKS: u64 = board::rook_attacks(1, 1 << 16);
//! assert_eq!(ATTACKS, 0x0000_0000_0001_01fe);
//! ```

use crate::kernels::hyperbola::lines;
use crate::kernels::{borrow, kogge_stone};
use crate::{Direction, Line, Square};

/// The squares attacked by all rooks of one board.
///
/// ```
/// use setwise::board;
/// assert_eq!(board::rook_attacks(1, 0), 0x0101_0101_0101_01fe);
/// ```
#[must_use]
#[inline]
pub const fn rook_attacks(rooks: u64, occupied: u64) -> u64 {
    borrow::rook_attacks(rooks, occupied)
}

/// The squares attacked by all bishops of one board.
///
/// ```
/// use setwise::board;
/// assert_eq!(board::bishop_attacks(1, 1 << 18), 0x0000_0000_0004_0200); // a1, blocked on c3
/// ```
#[must_use]
#[inline]
pub const fn bishop_attacks(bishops: u64, occupied: u64) -> u64 {
    borrow::bishop_attacks(bishops, occupied)
}

/// The squares attacked by all queens of one board.
///
/// ```
/// use setwise::board;
/// assert_eq!(board::queen_attacks(1, 0), board::rook_attacks(1, 0) | board::bishop_attacks(1, 0));
/// ```
#[must_use]
#[inline]
pub const fn queen_attacks(queens: u64, occupied: u64) -> u64 {
    rook_attacks(queens, occupied) | bishop_attacks(queens, occupied)
}

/// The squares attacked by the orthogonal sliders (rooks, queens) along ranks and files and by the
/// diagonal ones (bishops, queens) along diagonals. All of them block.
///
/// ```
/// use setwise::board;
/// // Rook a1 stands in the way of the bishop on c1? No: they move differently, both block.
/// let attacks = board::slider_attacks(1, 4, 0);
/// assert_eq!(attacks & 0xff, 0b110); // b1 and c1 by the rook, nothing beyond the bishop
/// ```
#[must_use]
#[inline]
pub const fn slider_attacks(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
    let occupied = occupied | orthogonal | diagonal;
    rook_attacks(orthogonal, occupied) | bishop_attacks(diagonal, occupied)
}

/// The squares attacked in one direction: up to and with the first occupied square.
///
/// ```
/// use setwise::{Direction, board};
/// assert_eq!(board::ray_attacks(Direction::West, 1 << 7, 1 << 3), 0b0111_1000);
/// ```
#[must_use]
#[inline]
pub const fn ray_attacks(direction: Direction, sliders: u64, occupied: u64) -> u64 {
    borrow::ray_attacks(direction, sliders, occupied)
}

/// The smallest set that contains the generators, and with a square also the next one in that direction if it is
/// on the board and among the propagators.
///
/// ```
/// use setwise::{Direction, board};
/// // From a1 north over empty squares until the blocker on a4.
/// assert_eq!(board::occluded_fill(Direction::North, 1, !(1 << 24)), 0x0001_0101);
/// ```
#[must_use]
#[inline]
pub const fn occluded_fill(direction: Direction, generators: u64, propagators: u64) -> u64 {
    kogge_stone::occluded_fill(direction, generators, propagators)
}

/// The squares attacked by a rook on a square. Whether that square is in `occupied` makes no difference.
///
/// ```
/// use setwise::{Square, board};
/// const A1: Square = Square::new(0).unwrap();
/// const ATTACKS: u64 = board::rook_attacks_from(A1, 1 << 16);
/// assert_eq!(ATTACKS, 0x0000_0000_0001_01fe);
/// ```
#[must_use]
#[inline]
pub const fn rook_attacks_from(square: Square, occupied: u64) -> u64 {
    lines::rook_attacks(square.number(), occupied)
}

/// The squares attacked by a bishop on a square. Whether that square is in `occupied` makes no difference.
///
/// ```
/// use setwise::{Square, board};
/// let a1 = Square::new(0).unwrap();
/// assert_eq!(board::bishop_attacks_from(a1, 1 << 18), 0x0000_0000_0004_0200); // blocked on c3
/// ```
#[must_use]
#[inline]
pub const fn bishop_attacks_from(square: Square, occupied: u64) -> u64 {
    lines::bishop_attacks(square.number(), occupied)
}

/// The squares attacked by a queen on a square. Whether that square is in `occupied` makes no difference.
///
/// ```
/// use setwise::{Square, board};
/// let a1 = Square::new(0).unwrap();
/// assert_eq!(board::queen_attacks_from(a1, 0), board::queen_attacks(1, 0));
/// ```
#[must_use]
#[inline]
pub const fn queen_attacks_from(square: Square, occupied: u64) -> u64 {
    lines::queen_attacks(square.number(), occupied)
}

/// The squares attacked along one line, both ways, by a slider on a square. Whether that square is in
/// `occupied` makes no difference.
///
/// ```
/// use setwise::{Line, Square, board};
/// let e1 = Square::new(4).unwrap();
/// assert_eq!(board::line_attacks_from(Line::Rank, e1, 0b0100_0010), 0b0110_1110);
/// ```
#[must_use]
#[inline]
pub const fn line_attacks_from(line: Line, square: Square, occupied: u64) -> u64 {
    lines::line_attacks(line, square.number(), occupied)
}
