//! The pieces on a board.

use std::{fmt, mem};

use setwise::position::Position;
use setwise::threats::CODES;

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

/// By [`Piece::code`], its bits as sets: all squares or none.
static PLANES: [[u64; 4]; 16] = {
    let (mut planes, mut i) = ([[0; 4]; 16], 0);
    while i < 64 {
        planes[i / 4][i % 4] = ((i / 4 >> (i % 4) & 1) as u64).wrapping_neg();
        i += 1;
    }
    planes
};

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
    /// Plane `n` contains the squares whose [`Piece::code`] has bit `n` set.
    planes: [u64; 4],
}

impl Placement {
    /// The empty board.
    pub const EMPTY: Placement = Placement { planes: [0; 4] };

    /// Builds a placement from its [planes](Placement::planes). What the methods return is
    /// unspecified if the code of a square is above 12.
    #[must_use]
    #[inline]
    pub fn from_planes(planes: [u64; 4]) -> Placement {
        Placement { planes }
    }

    /// Four planes. Plane `n` contains the squares whose [`Piece::code`] has bit `n` set.
    ///
    /// ```
    /// let placement: setwise_positions::Placement = "8/8/8/8/p7/8/8/R1k5".parse()?;
    /// // A white rook on a1 (4), a black king on c1 (12), a black pawn on a4 (7).
    /// assert_eq!(placement.planes(), [1 << 24, 1 << 24, 1 | 1 << 2 | 1 << 24, 1 << 2]);
    /// # Ok::<(), setwise_positions::FenError>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn planes(&self) -> [u64; 4] {
        self.planes
    }

    /// Puts a piece on a square (0 to 63). Replaces any piece that is there.
    ///
    /// # Panics
    ///
    /// If `square` is above 63.
    pub fn put(&mut self, side: Side, piece: Piece, square: u32) {
        assert!(square < 64, "square {square} must be below 64");
        self.replace(square, piece.code(side));
    }

    /// Sets the [`Piece::code`] of a square; 0 empties it.
    #[inline(always)]
    pub(crate) fn replace(&mut self, square: u32, code: u8) {
        for (bit, plane) in self.planes.iter_mut().enumerate() {
            *plane = *plane & !(1 << square) | u64::from(code >> bit & 1) << square;
        }
    }

    /// Empties a square, and sets the [`Piece::code`] of another one.
    #[inline(always)]
    pub(crate) fn shift(&mut self, from: u32, to: u32, code: u8) {
        let (from, to) = (1 << (from & 63), 1 << (to & 63));
        for (plane, piece) in self.planes.iter_mut().zip(PLANES[usize::from(code & 15)]) {
            *plane = *plane & !(from | to) | piece & to;
        }
    }

    /// The set of all pieces.
    #[must_use]
    #[inline]
    pub fn occupied(&self) -> u64 {
        let [a, b, c, d] = self.planes;
        a | b | c | d
    }

    /// The pieces that are black.
    #[inline(always)]
    fn black(&self) -> u64 {
        let [a, b, c, d] = self.planes;
        // Black's pawn is 7. Its other pieces are 8 and more.
        d | a & b & c
    }

    /// The planes of kinds: 1 for a pawn to 6 for a king, whatever the side.
    #[inline(always)]
    fn kinds(&self) -> [u64; 3] {
        let [a, b, c, d] = self.planes;
        let ab = a & b;
        // Black's codes are six more: 0111 for 001, 1000 for 010, ..., 1100 for 110.
        [a, b ^ (d | ab & c), b & d | c & !ab]
    }

    /// The set of all pieces of a side.
    #[must_use]
    #[inline]
    pub fn side(&self, side: Side) -> u64 {
        match side {
            Side::White => self.occupied() & !self.black(),
            Side::Black => self.black(),
        }
    }

    /// The set of a side's pieces of one kind.
    #[must_use]
    #[inline]
    pub fn pieces(&self, side: Side, piece: Piece) -> u64 {
        match side {
            Side::White => self.with_code(piece.code(Side::White)),
            Side::Black => self.with_code(piece.code(Side::Black)),
        }
    }

    #[inline(always)]
    fn with_code(&self, code: u8) -> u64 {
        let mut set = !0;
        for (bit, plane) in self.planes.iter().enumerate() {
            set &= if code >> bit & 1 == 1 { *plane } else { !plane };
        }
        set
    }

    /// The set of a side's rooks and queens.
    #[must_use]
    #[inline]
    pub fn orthogonal(&self, side: Side) -> u64 {
        // Rooks and queens are 4 and 5, and 10 and 11.
        let [_, b, c, d] = self.planes;
        match side {
            Side::White => c & !b & !d,
            Side::Black => d & b & !c,
        }
    }

    /// The set of a side's bishops and queens.
    #[must_use]
    #[inline]
    pub fn diagonal(&self, side: Side) -> u64 {
        // Bishops and queens are 3 and 5, and 9 and 11.
        let [a, b, c, d] = self.planes;
        match side {
            Side::White => a & (b ^ c) & !d,
            Side::Black => a & d & !c,
        }
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
        // Pawn 1, knight 2, bishop 3, rook 4, queen 5, king 6.
        let [a, b, c] = self.kinds();
        let queens = a & c;
        [self.side(Side::White), b & !c | queens, c, (a ^ b) & !queens]
    }

    /// The piece on a square (0 to 63), or `None` if the square is empty.
    ///
    /// # Panics
    ///
    /// If `square` is above 63.
    #[must_use]
    pub fn on(&self, square: u32) -> Option<(Side, Piece)> {
        assert!(square < 64, "square {square} must be below 64");
        CODES[usize::from(self.code(square))]
    }

    /// The [`Piece::code`] of a square below 64.
    #[inline(always)]
    fn code(&self, square: u32) -> u8 {
        let [a, b, c, d] = self.planes.map(|plane| (plane >> square & 1) as u8);
        a | b << 1 | c << 2 | d << 3
    }

    /// The [`Piece::code`] of each square, a1 first; 0 if it is empty.
    ///
    /// ```
    /// let fen = setwise_positions::Fen::parse(b"7k/8/8/8/8/8/8/R6K w - -")?;
    /// let codes = fen.placement().codes();
    /// assert_eq!((codes[0], codes[1], codes[7], codes[63]), (4, 0, 6, 12));
    /// # Ok::<(), setwise_positions::FenError>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn codes(&self) -> [u8; 64] {
        let mut codes = [0; 64];
        for (square, code) in (0..).zip(&mut codes) {
            *code = self.code(square);
        }
        codes
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
                    *plane |= if piece.code(side) >> bit & 1 == 1 { set } else { 0 };
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
        for (piece, set) in Piece::ALL.into_iter().zip(sets) {
            let both = Side::BOTH.map(|side| placement.pieces(side, piece));
            assert_eq!(both[0] | both[1], set | set.swap_bytes());
        }
        assert_eq!(Placement::from(&Position::from(&placement)), placement);
        assert!("8/8/8/8/8/8/8/8 w".parse::<Placement>().is_err());
    }
}
