//! The table of an ending.

use crate::wins::Wins;
use crate::{Ending, Position, Side};

/// The value of a position for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The side to move mates in this number of moves.
    Win(usize),
    /// Neither side can force mate.
    Draw,
    /// The side to move is mated in this number of the opponent's moves (0: it is already mated).
    Loss(usize),
    /// The kings are adjacent, or the side not to move is in check. Also returned for positions
    /// with men that the table does not cover.
    Illegal,
}

/// The values of an ending and of the endings with fewer men that captures lead to.
///
/// ```
/// use setwise_endgame::{Options, Value, generate};
/// let table = generate(&"KRK".parse().unwrap(), &Options::default());
/// let value = |fen: &str| table.probe(&fen.parse().unwrap());
/// assert_eq!(value("7k/R7/6K1/8/8/8/8/8 w - - 0 1"), Value::Win(1));
/// assert_eq!(value("R6k/8/6K1/8/8/8/8/8 b - - 0 1"), Value::Loss(0));
/// assert_eq!(value("7k/6R1/8/8/8/8/8/K7 b - - 0 1"), Value::Draw);
/// assert_eq!(value("R6k/8/6K1/8/8/8/8/8 w - - 0 1"), Value::Illegal);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub(crate) ending: Ending,
    /// White's wins, then black's wins with the colours swapped.
    pub(crate) sides: [Wins; 2],
    /// The wins in the three-man endings that captures lead to. The side with the piece is white.
    pub(crate) conversions: Vec<Wins>,
}

impl Table {
    /// The ending.
    #[must_use]
    pub fn ending(&self) -> &Ending {
        &self.ending
    }

    /// The wins of one side. Black's wins have the colours swapped, so the attacker is always
    /// white.
    #[must_use]
    pub fn wins(&self, color: Side) -> &Wins {
        &self.sides[color as usize]
    }

    /// The value of a position of this ending, or of an ending that captures lead to.
    #[must_use]
    pub fn probe(&self, position: &Position) -> Value {
        let swapped = position.swapped();
        let ending = position.ending();
        if !self.knows(&ending) || !position.is_legal() {
            return Value::Illegal;
        }
        // Wins are stored for white only: black's wins are found by swapping the colours.
        for position in [position, &swapped] {
            let ending = position.ending();
            let wins = self.known().find(|wins| wins.ending == ending);
            if let Some(moves) = wins.and_then(|wins| wins.moves_to_mate(position)) {
                return if position.turn() == Side::White {
                    Value::Win(moves)
                } else {
                    Value::Loss(moves)
                };
            }
        }
        Value::Draw
    }

    /// Whether the table covers an ending: its own, or one that captures lead to.
    fn knows(&self, ending: &Ending) -> bool {
        *ending == self.ending
            || ending.men() < self.ending.men()
                && Side::BOTH.iter().all(|&color| {
                    ending
                        .pieces(color)
                        .iter()
                        .all(|piece| self.ending.pieces(color).contains(piece))
                })
    }

    fn known(&self) -> impl Iterator<Item = &Wins> {
        self.sides.iter().chain(&self.conversions)
    }

    /// The memory that the table's bitmaps use, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.known().map(Wins::bytes).sum()
    }
}
