//! The pieces on a board.

use std::{fmt, mem};

use setwise::position::Position;

use crate::{Piece, Side};

/// The letter of a piece in a FEN: upper case for white.
///
/// ```
/// use setwise_positions::{Piece, Side, letter};
/// assert_eq!(letter(Side::Black, Piece::Knight), 'n');
/// ```
#[must_use]
pub const fn letter(side: Side, piece: Piece) -> char {
    let letter = b"PNBRQK"[piece as usize];
    match side {
        Side::White => letter as char,
        Side::Black => letter.to_ascii_lowercase() as char,
    }
}

/// The code of a kind of piece, from 1 to 6. Codes 1, 2 and 3 are the sliders: bit 0 is set if they
/// move along ranks and files, bit 1 if along diagonals.
const fn kind(piece: Piece) -> u8 {
    match piece {
        Piece::Rook => 0b001,
        Piece::Bishop => 0b010,
        Piece::Queen => 0b011,
        Piece::Pawn => 0b100,
        Piece::Knight => 0b101,
        Piece::King => 0b110,
    }
}

/// The pieces, indexed by their [code](kind).
const PIECES: [Option<Piece>; 8] = {
    let mut pieces = [None; 8];
    let mut i = 0;
    while i < 6 {
        pieces[kind(Piece::ALL[i]) as usize] = Some(Piece::ALL[i]);
        i += 1;
    }
    pieces
};

/// The [code](kind) of a piece of this side. Bit 3 is set for black.
pub(crate) const fn code(side: Side, piece: Piece) -> u8 {
    kind(piece) | (side as u8) << 3
}

/// The pieces on a board. The position need not be legal. For example, it may have no king, nine
/// queens, or pawns on the first rank.
///
/// A set has one bit per square: a1 is bit 0, h1 bit 7, h8 bit 63.
///
/// ```
/// use setwise_positions::{Piece, Placement, Side};
/// let placement: Placement = "8/8/8/8/p7/8/8/R1k5".parse()?;
/// assert_eq!(placement.pieces(Side::White, Piece::Rook), 1);
/// assert_eq!(placement.occupied(), 1 | 1 << 2 | 1 << 24);
/// assert_eq!(placement.to_string(), "8/8/8/8/p7/8/8/R1k5");
/// # Ok::<(), setwise_positions::FenError>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Placement {
    /// Plane `n` contains the squares whose [`code`] has bit `n` set.
    planes: [u64; 4],
}

impl Placement {
    /// The empty board.
    pub const EMPTY: Placement = Placement { planes: [0; 4] };

    /// Builds a placement from four planes. Plane `n` contains the squares whose [`code`] has bit
    /// `n` set.
    pub(crate) fn from_planes(planes: [u64; 4]) -> Placement {
        Placement { planes }
    }

    /// Puts a piece on a square (0 to 63). Replaces any piece that is there.
    ///
    /// # Panics
    ///
    /// If `square` is above 63.
    pub fn put(&mut self, side: Side, piece: Piece, square: u32) {
        assert!(square < 64, "square {square} must be below 64");
        self.replace(square, code(side, piece));
    }

    /// Sets the [`code`] of a square; 0 empties it.
    #[inline(always)]
    pub(crate) fn replace(&mut self, square: u32, code: u8) {
        for (bit, plane) in self.planes.iter_mut().enumerate() {
            *plane = *plane & !(1 << square) | u64::from(code >> bit & 1) << square;
        }
    }

    /// The set of all pieces.
    #[must_use]
    #[inline]
    pub fn occupied(&self) -> u64 {
        self.planes[0] | self.planes[1] | self.planes[2]
    }

    /// The set of all pieces of a side.
    #[must_use]
    #[inline]
    pub fn side(&self, side: Side) -> u64 {
        self.occupied() & self.squares_of(side)
    }

    /// The set of a side's pieces of one kind.
    #[must_use]
    #[inline]
    pub fn pieces(&self, side: Side, piece: Piece) -> u64 {
        let code = kind(piece);
        let mut set = self.squares_of(side);
        for (bit, plane) in self.planes[..3].iter().enumerate() {
            set &= if code >> bit & 1 == 1 { *plane } else { !plane };
        }
        set
    }

    /// The set of a side's rooks and queens.
    #[must_use]
    #[inline]
    pub fn orthogonal(&self, side: Side) -> u64 {
        self.planes[0] & !self.planes[2] & self.squares_of(side)
    }

    /// The set of a side's bishops and queens.
    #[must_use]
    #[inline]
    pub fn diagonal(&self, side: Side) -> u64 {
        self.planes[1] & !self.planes[2] & self.squares_of(side)
    }

    /// The planes of [`GamePlanes`](setwise::moves::GamePlanes).
    ///
    /// ```
    /// use setwise::moves::{GamePosition, State};
    /// use setwise::position::Position;
    /// let fen = setwise_positions::Fen::parse(b"r1bqkbnr/pppppppp/2n5/8/8/4P3/PPPP1PPP/RNBQKBNR w")?;
    /// let placement = fen.placement();
    /// let position = GamePosition::new(Position::from(placement), State::default());
    /// assert_eq!(placement.game_planes(), position.planes());
    /// # Ok::<(), setwise_positions::FenError>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn game_planes(&self) -> [u64; 4] {
        // Rook 1, bishop 2, queen 3, pawn 4, knight 5, king 6: see `kind`.
        let [a, b, c, black] = self.planes;
        [(a | b | c) & !black, b & !c | a & c, a & !c | b & c, c]
    }

    /// The piece on a square (0 to 63), or `None` if the square is empty.
    ///
    /// # Panics
    ///
    /// If `square` is above 63.
    #[must_use]
    pub fn on(&self, square: u32) -> Option<(Side, Piece)> {
        assert!(square < 64, "square {square} must be below 64");
        let [a, b, c, black] = self.planes.map(|plane| (plane >> square & 1) as usize);
        PIECES[a | b << 1 | c << 2].map(|piece| (Side::BOTH[black], piece))
    }

    /// The piece on each square, a1 first, as in [`binpack::Board::codes`](crate::binpack): twice
    /// its kind (pawn 0, knight 1, bishop 2, rook 3, queen 4, king 5), plus 1 if it is black; 12 if
    /// there is none.
    ///
    /// ```
    /// let fen = setwise_positions::Fen::parse(b"7k/8/8/8/8/8/8/R6K w - -")?;
    /// let codes = fen.placement().codes();
    /// assert_eq!((codes[0], codes[1], codes[7], codes[63]), (6, 12, 10, 11));
    /// # Ok::<(), setwise_positions::FenError>(())
    /// ```
    #[must_use]
    pub fn codes(&self) -> [u8; 64] {
        std::array::from_fn(|square| match self.on(square as u32) {
            Some((side, piece)) => 2 * piece as u8 + side as u8,
            None => crate::binpack::EMPTY,
        })
    }

    /// Appends the first field of a FEN to `text`.
    pub fn write(&self, text: &mut Vec<u8>) {
        for rank in (0..8).rev() {
            let mut empty = 0;
            for square in 8 * rank..8 * rank + 8 {
                let piece = self.on(square);
                empty += u8::from(piece.is_none());
                if empty > 0 && (piece.is_some() || square % 8 == 7) {
                    text.push(b'0' + mem::take(&mut empty));
                }
                text.extend(piece.map(|(side, piece)| letter(side, piece) as u8));
            }
            if rank > 0 {
                text.push(b'/');
            }
        }
    }

    /// The squares of a side's pieces, from bit 3 of each square's code. White's set also includes
    /// all empty squares, whose code is 0.
    #[inline]
    fn squares_of(&self, side: Side) -> u64 {
        match side {
            Side::White => !self.planes[3],
            Side::Black => self.planes[3],
        }
    }
}

impl From<&Position> for Placement {
    /// # Panics
    ///
    /// If two sets share a square.
    fn from(position: &Position) -> Placement {
        let mut placement = Placement::EMPTY;
        for side in Side::BOTH {
            for piece in Piece::ALL {
                let set = position.pieces[side as usize][piece as usize];
                assert!(placement.occupied() & set == 0, "two pieces on one square");
                for (bit, plane) in placement.planes.iter_mut().enumerate() {
                    *plane |= if code(side, piece) >> bit & 1 == 1 { set } else { 0 };
                }
            }
        }
        placement
    }
}

impl From<&Placement> for Position {
    fn from(placement: &Placement) -> Position {
        let pieces = Side::BOTH.map(|side| Piece::ALL.map(|piece| placement.pieces(side, piece)));
        Position { pieces }
    }
}

impl fmt::Display for Placement {
    /// Writes the first field of a FEN.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        self.write(&mut text);
        f.pad(&String::from_utf8_lossy(&text))
    }
}

impl fmt::Debug for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Placement({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::{Piece, Placement, Position, Side};

    #[test]
    fn every_set_of_the_initial_position() {
        let text = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
        let placement: Placement = text.parse().unwrap();
        let sets = [0xff00, 0x42, 0x24, 0x81, 0x8, 0x10_u64];
        for (piece, set) in Piece::ALL.into_iter().zip(sets) {
            assert_eq!(placement.pieces(Side::White, piece), set);
            assert_eq!(placement.pieces(Side::Black, piece), set.swap_bytes());
        }
        assert_eq!(placement.occupied(), 0xffff_0000_0000_ffff);
        assert_eq!(placement.side(Side::Black), 0xffff << 48);
        assert_eq!(placement.orthogonal(Side::White), 0x89);
        assert_eq!(placement.diagonal(Side::White), 0x2c);
        assert_eq!(placement.orthogonal(Side::Black), 0x89 << 56);
        assert_eq!(placement.diagonal(Side::Black), 0x2c << 56);
        assert_eq!(placement.on(4), Some((Side::White, Piece::King)));
        assert_eq!(placement.on(57), Some((Side::Black, Piece::Knight)));
        assert_eq!(placement.on(27), None);
        assert_eq!(Placement::from(&Position::from(&placement)), placement);
        assert!("8/8/8/8/8/8/8/8 w".parse::<Placement>().is_err());
    }
}
