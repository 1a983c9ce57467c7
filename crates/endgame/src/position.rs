//! Positions and their FEN.

use std::fmt;
use std::str::FromStr;

use setwise::board::king_attacks;
use setwise_positions::{Fen, Field, Piece as Man, Placement};

use crate::bitmap::bits;
use crate::geometry::attacks;
use crate::{Ending, Piece, Side};

/// A position: two kings, at most two pieces, and the side to move. Squares are numbered a1 = 0,
/// h1 = 7, h8 = 63.
///
/// No two men share a square, but the position need not be [legal](Self::is_legal).
///
/// ```
/// use setwise_endgame::{Side, Piece, Position};
/// let position: Position = "7k/8/6K1/8/8/8/8/Q7 w - - 0 1".parse().unwrap();
/// let queen = (Side::White, Piece::Queen, 0);
/// assert_eq!(position, Position::new(Side::White, [46, 63], &[queen]).unwrap());
/// assert_eq!(position.ending().to_string(), "KQK");
/// assert!(position.is_legal() == false); // black is in check and white is to move
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    turn: Side,
    kings: [u8; 2],
    /// The pieces, sorted by colour (white first), then strength (strongest first), then square.
    pieces: [Option<(Side, Piece, u8)>; 2],
}

/// The reason why a [`Position`] cannot be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PositionError(String);

fn too_many(men: usize) -> PositionError {
    PositionError(format!("the position has {men} men: at most four are supported, kings included"))
}

impl Position {
    /// Creates a position. `kings` has the squares of white's king and black's king.
    ///
    /// # Errors
    ///
    /// If there are more than two pieces, a square is above 63, or two men share a square.
    pub fn new(
        turn: Side,
        kings: [u8; 2],
        pieces: &[(Side, Piece, u8)],
    ) -> Result<Self, PositionError> {
        if pieces.len() > 2 {
            return Err(too_many(pieces.len() + 2));
        }
        let mut occupied = 0u64;
        for square in kings.into_iter().chain(pieces.iter().map(|piece| piece.2)) {
            if square > 63 {
                let reason = format!("{square} is not a square: they are numbered 0 to 63");
                return Err(PositionError(reason));
            }
            if occupied >> square & 1 != 0 {
                return Err(PositionError(format!("two men stand on square {square} (a1 is 0)")));
            }
            occupied |= 1 << square;
        }
        let mut sorted = [None; 2];
        for (to, &piece) in sorted.iter_mut().zip(pieces) {
            *to = Some(piece);
        }
        if pieces.len() == 2 {
            sorted.sort_unstable();
        }
        Ok(Self { turn, kings, pieces: sorted })
    }

    /// The side to move.
    #[must_use]
    pub fn turn(&self) -> Side {
        self.turn
    }

    /// The square of a side's king.
    #[must_use]
    pub fn king(&self, color: Side) -> u8 {
        self.kings[color as usize]
    }

    /// The pieces other than the kings: white's before black's, each side's strongest first.
    pub fn pieces(&self) -> impl Iterator<Item = (Side, Piece, u8)> + '_ {
        self.pieces.into_iter().flatten()
    }

    /// The ending, which lists the men on the board.
    #[must_use]
    pub fn ending(&self) -> Ending {
        let [white, black] = Side::BOTH
            .map(|color| self.pieces().filter(|man| man.0 == color).map(|man| man.1).collect());
        Ending::new(white, black)
    }

    /// The same position with the colours of all men and of the side to move swapped.
    #[must_use]
    pub fn swapped(&self) -> Self {
        let mut pieces =
            self.pieces.map(|man| man.map(|(color, piece, square)| (color.other(), piece, square)));
        // A single piece must not be sorted, because `None` would come first.
        if pieces[1].is_some() {
            pieces.sort_unstable();
        }
        Self { turn: self.turn.other(), kings: [self.kings[1], self.kings[0]], pieces }
    }

    /// Whether the position is legal: the kings are not adjacent, and the side that is not to move
    /// is not in check.
    #[must_use]
    pub fn is_legal(&self) -> bool {
        let [white, black] = self.kings.map(usize::from);
        let occupied =
            self.pieces().fold(1 << white | 1 << black, |set: u64, man| set | 1 << man.2);
        let target = 1u64 << self.king(self.turn.other());
        king_attacks(1 << white) >> black & 1 == 0
            && self
                .pieces()
                .filter(|man| man.0 == self.turn)
                .all(|(_, piece, square)| attacks(piece, square.into(), occupied) & target == 0)
    }
}

impl fmt::Display for Position {
    /// Writes the FEN.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut placement = Placement::EMPTY;
        for color in Side::BOTH {
            placement.put(color, Man::King, self.king(color).into());
        }
        for (color, piece, square) in self.pieces() {
            placement.put(color, piece.man(), square.into());
        }
        write!(f, "{placement}")?;
        f.write_str(if self.turn == Side::White { " w - - 0 1" } else { " b - - 0 1" })
    }
}

impl FromStr for Position {
    type Err = PositionError;

    /// Parses a FEN by the rules of [`setwise_positions::Fen`]. The side to move is required.
    /// Castling rights and en passant square must be `-` or missing.
    fn from_str(text: &str) -> Result<Self, PositionError> {
        let bad = |reason: String| PositionError(format!("not a FEN: {reason}"));
        let fen = Fen::parse(text.as_bytes()).map_err(|error| bad(error.to_string()))?;
        let turn = fen.side().ok_or_else(|| bad("side to move: it is missing".into()))?;
        let mut kings = [0; 2];
        let mut pieces = Vec::new();
        for color in Side::BOTH {
            let squares =
                |man: Man| bits(fen.placement().pieces(color, man)).map(|square| square as u8);
            if squares(Man::Pawn).next().is_some() {
                let reason = "the position has a pawn: only Q, R, B and N are supported";
                return Err(PositionError(reason.into()));
            }
            for piece in Piece::ALL {
                pieces.extend(squares(piece.man()).map(|square| (color, piece, square)));
            }
            let found: Vec<u8> = squares(Man::King).collect();
            let [king] = found[..] else {
                let count = found.len();
                let reason =
                    format!("the position has {count} {} kings, must have one", color.name());
                return Err(PositionError(reason));
            };
            kings[color as usize] = king;
        }
        for (number, field) in [(2, Field::Castling), (3, Field::EnPassant)] {
            if let Some(other) = fen.field(number).filter(|&text| text != "-") {
                return Err(bad(format!(
                    "{field}: without pawns and castling it must be `-`, not `{other}`"
                )));
            }
        }
        Self::new(turn, kings, &pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fens_survive_a_round_trip() {
        for fen in [
            "k7/8/8/8/8/8/8/K7 w - - 0 1",
            "7k/8/6K1/8/8/8/8/Q7 b - - 0 1",
            "8/3r4/1k6/8/8/8/6Q1/4K3 w - - 0 1",
            "8/8/8/2k5/8/8/5bN1/4K3 b - - 0 1",
        ] {
            assert_eq!(fen.parse::<Position>().unwrap().to_string(), fen);
        }
        let short: Position = "8/8/8/2k5/8/8/5bN1/4K3 b".parse().unwrap();
        assert_eq!(short.ending().to_string(), "KNKB");
        assert_eq!(short.swapped().swapped(), short);
    }

    #[test]
    fn bad_fens_say_what_is_wrong() {
        for (fen, expected) in [
            ("", "piece placement"),
            ("kK7/8/8/8/8/8/8/8 w", "rank 8"),
            ("♔k6/8/8/8/8/8/8/8 w", "`♔`"),
            ("kK6/8/8/8/8/8/8/8", "side to move"),
            ("8/8/8/8/8/8/8/8 w", "0 white kings"),
            ("kK6/8/8/8/8/8/8/K7 w", "2 white kings"),
            ("kK6/8/8/8/8/8/P7/8 w", "pawn"),
            ("kK6/8/8/8/8/8/8/QQQ5 w", "5 men"),
            ("kK6/8/8/8/8/8/8/8 w KQ", "castling"),
            ("kK6/8/8/8/8/8/8/8 w - e3", "en passant"),
        ] {
            let error = fen.parse::<Position>().unwrap_err().to_string();
            assert!(error.contains(expected), "{fen}: {error}");
        }
        assert!(Position::new(Side::White, [0, 0], &[]).is_err());
        assert!(Position::new(Side::White, [0, 64], &[]).is_err());
    }
}
