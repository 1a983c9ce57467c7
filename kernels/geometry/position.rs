//! A whole position, and what is computed of one in one call.

/// The side of a piece; its number is the index into the pairs of this module's types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Side {
    /// Moves up the board.
    White,
    /// Moves down the board.
    Black,
}

impl Side {
    /// By `Side as u8`, of which the low bit counts.
    pub(crate) const fn from_index(number: u8) -> Side {
        if number % 2 == 0 {
            Side::White
        } else {
            Side::Black
        }
    }
}

/// The kind of a piece; its number is the index into the sixes of this module's types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Piece {
    /// Attacks two squares diagonally ahead.
    Pawn,
    /// Jumps.
    Knight,
    /// Slides along diagonals.
    Bishop,
    /// Slides along ranks and files.
    Rook,
    /// Slides along all lines.
    Queen,
    /// Attacks its neighbours.
    King,
}

/// A position as an engine has it: twelve sets, by side and kind. Plain data: `bytemuck` casts a `&[[u64; 12]]` to a `&[Position]`.
///
/// ```
/// use setwise::{Piece, Position, Side};
/// let mut position = Position::default();
/// position.pieces[Side::White as usize][Piece::King as usize] = 1 << 4; // e1
/// position.pieces[Side::Black as usize][Piece::Rook as usize] = 1 << 60; // e8
/// assert_eq!(position.occupied(), 1 << 4 | 1 << 60);
/// assert_eq!(position.of(Side::Black), 1 << 60);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub struct Position {
    /// White's sets, then Black's; of each side pawns, knights, bishops, rooks, queens, kings.
    pub pieces: [[u64; 6]; 2],
}

impl Position {
    /// All pieces of a side.
    #[must_use]
    #[inline]
    pub const fn of(&self, side: Side) -> u64 {
        let [pawns, knights, bishops, rooks, queens, kings] = self.pieces[side as usize];
        pawns | knights | bishops | rooks | queens | kings
    }

    /// All pieces.
    #[must_use]
    #[inline]
    pub const fn occupied(&self) -> u64 {
        self.of(Side::White) | self.of(Side::Black)
    }
}

/// What the pieces of a [`Position`] attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub struct AttackMaps {
    /// By side and kind: the squares that these pieces attack together, own ones included.
    pub attacks: [[u64; 6]; 2],
    /// By side: the union of its six.
    pub all: [u64; 2],
    /// By side: the other side's pieces that it attacks by lesser ones: knights and bishops by pawns; rooks also by knights
    /// and bishops; queens also by rooks. (What attacks a king gives check: see [`Checks`].)
    pub threats: [u64; 2],
}

/// Checks and pins of both kings of a [`Position`], each by the side whose king it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub struct Checks {
    /// The other side's pieces that attack the king.
    pub checkers: [u64; 2],
    /// The own pieces pinned to the king.
    pub pinned: [u64; 2],
    /// The other side's sliders that pin them.
    pub pinners: [u64; 2],
}

// SAFETY: arrays of words, without padding, of any value.
unsafe impl bytemuck::Zeroable for Position {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Position {}
// SAFETY: as above.
unsafe impl bytemuck::Zeroable for AttackMaps {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for AttackMaps {}
// SAFETY: as above.
unsafe impl bytemuck::Zeroable for Checks {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Checks {}
