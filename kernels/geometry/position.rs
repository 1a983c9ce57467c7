//! A whole position, and the results of operations on whole positions.

/// A side. Its number is the first index into the arrays of [`Position`], [`AttackMaps`] and
/// [`Checks`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Side {
    /// Moves up the board.
    White,
    /// Moves down the board.
    Black,
}

impl Side {
    /// Both sides, white first.
    pub const BOTH: [Side; 2] = [Side::White, Side::Black];

    /// The opponent.
    #[must_use]
    pub const fn other(self) -> Side {
        match self {
            Side::White => Side::Black,
            Side::Black => Side::White,
        }
    }

    /// `white` or `black`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Side::White => "white",
            Side::Black => "black",
        }
    }

    /// The inverse of `Side as u8`; only the low bit counts.
    pub(crate) const fn from_index(number: u8) -> Side {
        if number.is_multiple_of(2) { Side::White } else { Side::Black }
    }
}

/// A kind of piece. Its number is the second index into [`Position::pieces`] and
/// [`AttackMaps::attacks`].
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
    /// Slides along ranks, files and diagonals.
    Queen,
    /// Attacks its neighbours.
    King,
}

impl Piece {
    /// All kinds, from the pawn to the king.
    pub const ALL: [Piece; 6] =
        [Piece::Pawn, Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];

    /// The code of a side's piece: 1 to 6 are White's pawn to king, 7 to 12 Black's. 0 is left for
    /// an empty square. It is `SETWISE_PIECE` of C.
    ///
    /// [`threats::CODES`](crate::threats::CODES) is the inverse.
    ///
    /// ```
    /// use setwise::{Piece, Side};
    /// assert_eq!(Piece::Pawn.code(Side::White), 1);
    /// assert_eq!(Piece::King.code(Side::Black), 12);
    /// ```
    #[must_use]
    pub const fn code(self, side: Side) -> u8 {
        1 + 6 * side as u8 + self as u8
    }
}

/// A position as twelve sets, by side and kind of piece.
///
/// Plain data: `bytemuck` casts a `&[[u64; 12]]` to a `&[Position]`.
///
/// ```
/// use setwise::{Piece, Side};
/// let mut position = setwise::position::Position::default();
/// position.pieces[Side::White as usize][Piece::King as usize] = 1 << 4; // e1
/// position.pieces[Side::Black as usize][Piece::Rook as usize] = 1 << 60; // e8
/// assert_eq!(position.occupied(), 1 << 4 | 1 << 60);
/// assert_eq!(position.of(Side::Black), 1 << 60);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub struct Position {
    /// White's sets, then Black's; for each side pawns, knights, bishops, rooks, queens, kings.
    pub pieces: [[u64; 6]; 2],
}

impl Position {
    /// Makes a position from one set for each kind of piece, which holds the pieces of both sides,
    /// and one set for each side. Many engines keep their boards in this form.
    ///
    /// ```
    /// use setwise::{Piece, Side};
    /// let mut kinds = [0; 6];
    /// kinds[Piece::Rook as usize] = 1 | 1 << 56; // a1, a8
    /// let position = setwise::position::Position::from_sets(kinds, [1, 1 << 56]);
    /// assert_eq!(position.pieces[Side::Black as usize][Piece::Rook as usize], 1 << 56);
    /// ```
    #[must_use]
    #[inline]
    pub const fn from_sets(kinds: [u64; 6], sides: [u64; 2]) -> Position {
        let mut pieces = [kinds; 2];
        let mut kind = 0;
        while kind < 6 {
            pieces[0][kind] &= sides[0];
            pieces[1][kind] &= sides[1];
            kind += 1;
        }
        Position { pieces }
    }

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

/// The squares that the pieces of a [`Position`] attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub struct AttackMaps {
    /// By side and kind: the squares that these pieces attack, even if a piece of the same side is
    /// there.
    pub attacks: [[u64; 6]; 2],
    /// By side: the union of the side's six sets.
    pub all: [u64; 2],
    /// By side: the enemy pieces that the side attacks with less valuable pieces. These are knights
    /// and bishops attacked by pawns; rooks attacked by pawns, knights or bishops; and queens
    /// attacked by anything but queens and kings. For attacked kings see [`Checks`].
    pub by_lesser: [u64; 2],
}

/// The squares that the pieces of one side attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub struct SideAttacks {
    /// By kind: the squares that these pieces attack, even if a piece of the same side is there.
    pub attacks: [u64; 6],
    /// The union of the six sets.
    pub all: u64,
}

/// Checks and pins of both kings of a [`Position`], indexed by the king's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub struct Checks {
    /// The enemy pieces that attack the king.
    pub checkers: [u64; 2],
    /// The king's own pieces that are pinned to it.
    pub pinned: [u64; 2],
    /// The enemy sliders that pin those pieces.
    pub pinners: [u64; 2],
}

macro_rules! plain {
    ($($Type:ty)*) => {$(
        // SAFETY: the fields are arrays of words without padding, and any value is valid.
        unsafe impl bytemuck::Zeroable for $Type {}
        // SAFETY: as above.
        unsafe impl bytemuck::Pod for $Type {}
    )*};
}
plain! { Position AttackMaps SideAttacks Checks }

/// Positions and their [`AttackMaps`] in columns: a pointer for each set. A result whose
/// pointer is null is not computed.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct MapColumns {
    pub(crate) pieces: [[*const u64; 6]; 2],
    pub(crate) attacks: [[*mut u64; 6]; 2],
    pub(crate) all: [*mut u64; 2],
    pub(crate) by_lesser: [*mut u64; 2],
}

/// Positions and their [`Checks`] in columns: a pointer for each set. A result whose pointer is
/// null is not computed.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct KingColumns {
    pub(crate) pieces: [[*const u64; 6]; 2],
    pub(crate) checkers: [*mut u64; 2],
    pub(crate) pinned: [*mut u64; 2],
    pub(crate) pinners: [*mut u64; 2],
}

impl MapColumns {
    /// Takes the columns in the order of the words of [`Position`] and [`AttackMaps`].
    pub(crate) fn new(pieces: [*const u64; 12], maps: [*mut u64; 16]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = pieces;
        let pieces = [[a, b, c, d, e, f], [g, h, i, j, k, l]];
        let [a, b, c, d, e, f, g, h, i, j, k, l, by_white, by_black, white, black] = maps;
        let attacks = [[a, b, c, d, e, f], [g, h, i, j, k, l]];
        MapColumns { pieces, attacks, all: [by_white, by_black], by_lesser: [white, black] }
    }
}
