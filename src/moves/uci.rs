//! Moves as the UCI protocol writes them.

use core::fmt;

use super::{GamePosition, Move, ROOM};
use crate::{Piece, Square, board};

/// How castling is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Castling {
    /// The king's two squares, such as `e1g1`.
    #[default]
    Standard,
    /// The squares of king and rook, such as `e1h1`, as in Chess960.
    Chess960,
}

/// A move as text: four letters, or five with a promotion.
///
/// ```
/// use setwise::moves::{Castling, GamePosition, Move, State};
/// use setwise::position::Position;
/// use setwise::Square;
/// let mut position = Position::default();
/// (position.pieces[0][3], position.pieces[0][5]) = (1 << 7, 1 << 4); // rook h1, king e1
/// position.pieces[1][5] = 1 << 56; // king a8
/// let position = GamePosition::new(position, State { castling: [0x80, 0], ..State::default() });
/// let castles = Move::new(Square::E1, Square::H1, None);
/// assert_eq!(castles.to_uci(&position, Castling::Standard).as_str(), "e1g1");
/// assert_eq!(castles.to_uci(&position, Castling::Chess960).as_str(), "e1h1");
/// assert_eq!(Move::from_uci("e1g1", &position), Some(castles));
/// assert_eq!(Move::from_uci("e1h1", &position), Some(castles));
/// assert_eq!(Move::from_uci("e1e8", &position), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Uci {
    letters: [u8; 5],
    length: u8,
}

impl Uci {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.letters[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl fmt::Display for Uci {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Uci {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Uci({self})")
    }
}

impl Move {
    /// Whether the move is castling in this position: the king goes to a piece of its own side.
    #[must_use]
    pub const fn is_castling(self, position: &GamePosition) -> bool {
        let [p, n, b, r, q, k] = position.position.pieces[position.state.side as usize & 1];
        k & self.from().bitboard() != 0 && (p | n | b | r | q) & self.to().bitboard() != 0
    }

    /// The move as the UCI protocol writes it. The position says whether it is castling.
    #[must_use]
    pub const fn to_uci(self, position: &GamePosition, castling: Castling) -> Uci {
        let (from, mut to) = (self.from(), self.to());
        if matches!(castling, Castling::Standard) && self.is_castling(position) {
            let file = if to.index() > from.index() { 6 } else { 2 };
            to = Square::masked(from.rank() * 8 + file);
        }
        let promotion = match self.promotion() {
            Some(Piece::Knight) => b'n',
            Some(Piece::Bishop) => b'b',
            Some(Piece::Rook) => b'r',
            Some(Piece::Queen) => b'q',
            _ => 0,
        };
        let letters =
            [b'a' + from.file(), b'1' + from.rank(), b'a' + to.file(), b'1' + to.rank(), promotion];
        Uci { letters, length: 4 + (promotion != 0) as u8 }
    }

    /// The legal move that a text of the UCI protocol names; castling in either
    /// [form](Castling). `None` if the text is no move, or the move is not legal.
    ///
    /// If the king may also step where it would castle to (in Chess960), the text means the step.
    #[must_use]
    pub fn from_uci(text: &str, position: &GamePosition) -> Option<Move> {
        let (squares, promotion) = match *text.as_bytes() {
            [a, b, c, d] => ([a, b, c, d], None),
            [a, b, c, d, promotion] => {
                let piece = match promotion {
                    b'n' => Piece::Knight,
                    b'b' => Piece::Bishop,
                    b'r' => Piece::Rook,
                    b'q' => Piece::Queen,
                    _ => return None,
                };
                ([a, b, c, d], Some(piece))
            }
            _ => return None,
        };
        let square = |file: u8, rank: u8| {
            Square::from_file_rank(file.wrapping_sub(b'a'), rank.wrapping_sub(b'1'))
        };
        let (from, to) = (square(squares[0], squares[1])?, square(squares[2], squares[3])?);
        let named = Move::new(from, to, promotion);
        let mut list = [Move::default(); ROOM];
        let count = board::legal_moves(position, &mut list);
        let legal = &list[..count];
        if legal.contains(&named) {
            return Some(named);
        }
        // The king's two squares.
        let is_named = |castles: &&Move| {
            castles.is_castling(position)
                && castles.to_uci(position, Castling::Standard).as_str() == text
        };
        legal.iter().find(is_named).copied()
    }
}
