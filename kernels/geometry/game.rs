//! A position with all that the rules of chess need to know, and a move.

use core::hash::{Hash, Hasher};

use super::Position;

/// What the rules need to know about a position beside its pieces.
///
/// A castling right is a rook that may still castle. This serves standard chess and Chess960.
///
/// ```
/// use setwise::moves::State;
/// // Standard chess before the first move: the rooks on the a- and h-files.
/// let state = State { castling: [0x81, 0x81], ..State::default() };
/// assert_eq!((state.side, state.en_passant), (0, State::NO_EN_PASSANT));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct State {
    /// The side to move: 0 White, 1 Black. Only the lowest bit counts.
    pub side: u8,
    /// The square behind a pawn that has just advanced two squares, to which an enemy pawn can go
    /// to capture it; [`NO_EN_PASSANT`](State::NO_EN_PASSANT), or any number above 63, if there is
    /// none.
    pub en_passant: u8,
    /// White's rooks that may castle, then Black's: bit `f` is the rook on file `f` of the side's
    /// first rank.
    pub castling: [u8; 2],
}

impl State {
    /// The value of [`en_passant`](State::en_passant) if there is no such square.
    pub const NO_EN_PASSANT: u8 = 64;
}

/// White to move, no castling, no en passant.
impl Default for State {
    fn default() -> State {
        State { side: 0, en_passant: State::NO_EN_PASSANT, castling: [0; 2] }
    }
}

/// A position with its state: what `legal_counts` takes.
///
/// Plain data of 104 bytes, the last four of which mean nothing.
///
/// ```
/// use setwise::moves::{GamePosition, State};
/// use setwise::position::Position;
/// let mut position = Position::default();
/// position.pieces[0][5] = 1 << 4; // A white king on e1
/// let position = GamePosition::new(position, State { side: 1, ..State::default() });
/// assert_eq!(position.state.side, 1);
/// ```
#[derive(Debug, Clone, Copy, Eq, Default)]
#[repr(C)]
pub struct GamePosition {
    /// The pieces.
    pub position: Position,
    /// The side to move, en passant and castling.
    pub state: State,
    /// Fills the last word. Always 0 in what [`new`](GamePosition::new) returns.
    pub(crate) reserved: [u8; 4],
}

/// The last four bytes mean nothing, here too.
impl PartialEq for GamePosition {
    fn eq(&self, other: &GamePosition) -> bool {
        (self.position, self.state) == (other.position, other.state)
    }
}

impl Hash for GamePosition {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.position, self.state).hash(hasher);
    }
}

impl GamePosition {
    /// Makes a position from its parts.
    #[must_use]
    #[inline]
    pub const fn new(position: Position, state: State) -> GamePosition {
        GamePosition { position, state, reserved: [0; 4] }
    }
}

/// A move, in 16 bits: the square it comes from in bits 0 to 5, the square it goes to in bits 6 to
/// 11, and the promotion in bits 12 to 14.
///
/// The promotion is 0 (none), 1 (knight), 2 (bishop), 3 (rook) or 4 (queen). Castling is the king
/// that goes to the square of its own rook, in standard chess too. En passant goes to the empty
/// square.
///
/// ```
/// use setwise::moves::Move;
/// use setwise::{Piece, Square};
/// let promotes = Move::new(Square::A7, Square::B8, Some(Piece::Queen));
/// assert_eq!((promotes.from(), promotes.to()), (Square::A7, Square::B8));
/// assert_eq!(promotes.promotion(), Some(Piece::Queen));
/// assert_eq!(promotes.bits(), 48 | 57 << 6 | 4 << 12);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(transparent)]
pub struct Move(pub(crate) u16);

// SAFETY: the fields are words and bytes without padding, and any value is valid.
unsafe impl bytemuck::Zeroable for State {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for State {}
// SAFETY: as above.
unsafe impl bytemuck::Zeroable for GamePosition {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for GamePosition {}
// SAFETY: a transparent `u16`, of which any value is valid.
unsafe impl bytemuck::Zeroable for Move {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Move {}

const _: () = assert!(size_of::<State>() == 4 && size_of::<GamePosition>() == 104);

/// Positions in columns of planes, and the results of counting their moves: a pointer for each
/// column.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct PlaneColumns {
    /// See [`GamePosition::planes`].
    pub(crate) planes: [*const u64; 4],
    /// Null if White is to move in every position.
    pub(crate) side: *const u8,
    pub(crate) en_passant: *const u8,
    pub(crate) castling: [*const u8; 2],
    /// Null if it is not to be computed.
    pub(crate) moves: *mut u8,
    /// Null if it is not to be computed.
    pub(crate) checks: *mut u8,
}

/// Positions in columns of sets, with their states, and the results of counting their moves.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct PieceColumns {
    /// Indexed like [`Position::pieces`].
    pub(crate) pieces: [[*const u64; 6]; 2],
    /// Null if White is to move in every position.
    pub(crate) side: *const u8,
    pub(crate) en_passant: *const u8,
    pub(crate) castling: [*const u8; 2],
    /// Null if it is not to be computed.
    pub(crate) moves: *mut u8,
    /// Null if it is not to be computed.
    pub(crate) checks: *mut u8,
}

impl PieceColumns {
    /// All but the pieces: the planes are null.
    #[inline(always)]
    pub(crate) const fn states(&self) -> PlaneColumns {
        PlaneColumns {
            planes: [core::ptr::null(); 4],
            side: self.side,
            en_passant: self.en_passant,
            castling: self.castling,
            moves: self.moves,
            checks: self.checks,
        }
    }
}

impl PlaneColumns {
    /// The column from element `first` on. Null stays null.
    #[inline(always)]
    pub(crate) const fn later(column: *mut u8, first: usize) -> *mut u8 {
        if column.is_null() { column } else { column.wrapping_add(first) }
    }

    /// The columns from position `first` on.
    #[inline(always)]
    pub(crate) const fn from(&self, first: usize) -> PlaneColumns {
        let [a, b, c, d] = self.planes;
        let [white, black] = self.castling;
        PlaneColumns {
            planes: [
                a.wrapping_add(first),
                b.wrapping_add(first),
                c.wrapping_add(first),
                d.wrapping_add(first),
            ],
            side: Self::later(self.side.cast_mut(), first),
            en_passant: self.en_passant.wrapping_add(first),
            castling: [white.wrapping_add(first), black.wrapping_add(first)],
            moves: Self::later(self.moves, first),
            checks: Self::later(self.checks, first),
        }
    }
}

/// Positions after moves, to be written in columns of planes: a pointer for each column.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct AfterColumns {
    /// See [`GamePosition::planes`].
    pub(crate) planes: [*mut u64; 4],
    pub(crate) side: *mut u8,
    pub(crate) en_passant: *mut u8,
    pub(crate) castling: [*mut u8; 2],
}

impl AfterColumns {
    /// The columns as positions to be read.
    #[inline(always)]
    pub(crate) const fn as_input(&self) -> PlaneColumns {
        let ([a, b, c, d], [white, black]) = (self.planes, self.castling);
        PlaneColumns {
            planes: [a, b, c, d],
            side: self.side,
            en_passant: self.en_passant,
            castling: [white, black],
            moves: core::ptr::null_mut(),
            checks: core::ptr::null_mut(),
        }
    }
}
