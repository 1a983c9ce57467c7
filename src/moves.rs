//! Legal moves of many positions: positions with their state, and moves.
//!
//! A [`GamePosition`] has what the rules of chess need: the pieces, the side to move, castling
//! rights and the en passant square. Columns ([`GameColumns`], [`GamePlanes`]) hold the same for
//! many positions, one array for each part.

mod uci;

use core::fmt;

pub use crate::kernels::geometry::{GamePosition, Move, State};
use crate::position::{Position, PositionColumns};
use crate::{Piece, Square};
pub use uci::{Castling, Uci};

/// The most legal moves that a position of a game has.
pub const MOST: usize = 218;

impl Move {
    /// Makes a move. A promotion to a pawn or a king is none.
    #[must_use]
    #[inline]
    pub const fn new(from: Square, to: Square, promotion: Option<Piece>) -> Move {
        let code = match promotion {
            Some(Piece::Knight) => 1,
            Some(Piece::Bishop) => 2,
            Some(Piece::Rook) => 3,
            Some(Piece::Queen) => 4,
            _ => 0,
        };
        Move(from.number() as u16 | (to.number() as u16) << 6 | code << 12)
    }

    /// The move with these [bits](Move).
    #[must_use]
    #[inline]
    pub const fn from_bits(bits: u16) -> Move {
        Move(bits)
    }

    /// The [bits](Move) of the move.
    #[must_use]
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The square that the piece leaves.
    #[must_use]
    #[inline]
    pub const fn from(self) -> Square {
        Square::masked(self.0 as u8)
    }

    /// The square that the piece goes to. If the king castles, that of its rook.
    #[must_use]
    #[inline]
    pub const fn to(self) -> Square {
        Square::masked((self.0 >> 6) as u8)
    }

    /// What a pawn becomes on the last rank.
    #[must_use]
    #[inline]
    pub const fn promotion(self) -> Option<Piece> {
        match self.0 >> 12 & 7 {
            1 => Some(Piece::Knight),
            2 => Some(Piece::Bishop),
            3 => Some(Piece::Rook),
            4 => Some(Piece::Queen),
            _ => None,
        }
    }
}

/// For example `Move(a7 b8 Queen)`.
impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Move({} {}", self.from(), self.to())?;
        if let Some(piece) = self.promotion() {
            write!(f, " {piece:?}")?;
        }
        f.write_str(")")
    }
}

/// The states of positions in columns: one byte per position in each.
///
/// See [`State`] for what the bytes mean. All slices have the same length.
#[derive(Debug, Clone, Copy)]
pub struct StateColumns<'a> {
    /// The side to move: 0 White, 1 Black.
    pub side: &'a [u8],
    /// The en passant square, or 64 or more.
    pub en_passant: &'a [u8],
    /// White's rooks that may castle, then Black's.
    pub castling: [&'a [u8]; 2],
}

/// Positions with their states in columns: twelve sets and four bytes per position.
///
/// All slices have the same length.
#[derive(Debug, Clone, Copy)]
pub struct GameColumns<'a> {
    /// The pieces, as [`attack_maps_in_columns`](crate::position::attack_maps_in_columns) takes
    /// them.
    pub positions: PositionColumns<'a>,
    /// Side to move, en passant and castling.
    pub states: StateColumns<'a>,
}

/// Positions with their states in columns: four sets and four bytes per position. This is the
/// shortest form, and the fastest to count moves in.
///
/// The four sets are the [planes](GamePosition::planes). All slices have the same length.
#[derive(Debug, Clone, Copy)]
pub struct GamePlanes<'a> {
    /// White's pieces; knights, bishops and queens; rooks, queens and kings; pawns, knights and
    /// kings.
    pub planes: [&'a [u64]; 4],
    /// Side to move, en passant and castling.
    pub states: StateColumns<'a>,
}

impl GamePosition {
    /// The pieces in four sets: White's pieces; knights, bishops and queens of both sides; rooks,
    /// queens and kings; pawns, knights and kings.
    ///
    /// A piece is in one or two of the last three sets, which say what kind it is.
    ///
    /// ```
    /// use setwise::moves::{GamePosition, State};
    /// use setwise::position::Position;
    /// let mut position = Position::default();
    /// position.pieces[0][5] = 1 << 4; // A white king on e1
    /// position.pieces[1][4] = 1 << 60; // A black queen on e8
    /// let planes = GamePosition::new(position, State::default()).planes();
    /// assert_eq!(planes, [1 << 4, 1 << 60, 1 << 4 | 1 << 60, 1 << 4]);
    /// ```
    #[must_use]
    pub const fn planes(&self) -> [u64; 4] {
        self.position.planes()
    }
}

impl Position {
    /// See [`GamePosition::planes`].
    #[must_use]
    pub const fn planes(&self) -> [u64; 4] {
        let [white, [p, n, b, r, q, k]] = self.pieces;
        let [wp, wn, wb, wr, wq, wk] = white;
        let diagonal = [wn | wb | wq, n | b | q];
        let orthogonal = [wr | wq | wk, r | q | k];
        let others = [wp | wn | wk, p | n | k];
        [
            diagonal[0] | orthogonal[0] | others[0],
            diagonal[0] | diagonal[1],
            orthogonal[0] | orthogonal[1],
            others[0] | others[1],
        ]
    }

    /// The position with these [planes](GamePosition::planes).
    ///
    /// A square that is in all three of the last sets holds a king. White's set counts only where
    /// there is a piece.
    ///
    /// ```
    /// use setwise::position::Position;
    /// let mut position = Position::default();
    /// position.pieces[1][2] = 1 << 61; // A black bishop on f8
    /// position.pieces[0][1] = 1 << 1; // A white knight on b1
    /// assert_eq!(Position::from_planes(position.planes()), position);
    /// ```
    #[must_use]
    pub const fn from_planes([white, diagonal, orthogonal, others]: [u64; 4]) -> Position {
        let kinds = [
            others & !diagonal & !orthogonal,
            others & diagonal & !orthogonal,
            diagonal & !orthogonal & !others,
            orthogonal & !diagonal & !others,
            diagonal & orthogonal & !others,
            orthogonal & others,
        ];
        Position::from_sets(kinds, [white, !white])
    }
}

#[cfg(test)]
mod tests {
    use super::{GamePosition, Move, State};
    use crate::position::Position;
    use crate::{Piece, Square};

    #[test]
    fn moves_have_three_parts() {
        for from in 0..64 {
            for to in 0..64 {
                let (from, to) = (Square::masked(from), Square::masked(to));
                for (code, promotion) in [
                    (0, None),
                    (1, Some(Piece::Knight)),
                    (2, Some(Piece::Bishop)),
                    (3, Some(Piece::Rook)),
                    (4, Some(Piece::Queen)),
                ] {
                    let made = Move::new(from, to, promotion);
                    assert_eq!((made.from(), made.to(), made.promotion()), (from, to, promotion));
                    assert_eq!(made.bits() >> 12, code);
                    assert_eq!(Move::from_bits(made.bits()), made);
                }
            }
        }
        let none = Move::new(Square::A1, Square::A2, Some(Piece::King));
        assert_eq!(none.promotion(), None);
        assert_eq!(std::format!("{:?}", Move::from_bits(0x1e3f)), "Move(h8 a8 Knight)");
    }

    /// Each kind and side has planes of its own.
    #[test]
    fn planes_keep_all_pieces() {
        let mut position = Position::default();
        for side in 0..2 {
            for kind in 0..6 {
                position.pieces[side][kind] = 1 << ((side * 6 + kind) * 5);
            }
        }
        assert_eq!(Position::from_planes(position.planes()), position);
        assert_eq!(position.planes()[0], position.of(crate::Side::White));
        // All planes at once: a king. White's plane alone: nothing.
        let odd = Position::from_planes([0b11, 0b01, 0b01, 0b01]);
        assert_eq!(odd.pieces, [[0, 0, 0, 0, 0, 1], [0; 6]]);
    }

    #[test]
    fn a_position_is_plain_data() {
        let state = State { side: 1, en_passant: 20, castling: [1, 0x80] };
        let words: [u64; 13] =
            bytemuck::cast(GamePosition::new(Position { pieces: [[7; 6], [9; 6]] }, state));
        assert_eq!(words[..12], [7, 7, 7, 7, 7, 7, 9, 9, 9, 9, 9, 9]);
        assert_eq!(words[12].to_ne_bytes(), [1, 20, 1, 0x80, 0, 0, 0, 0]);
    }
}
