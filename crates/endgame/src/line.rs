//! Lines of best play.

use cozy_chess::Move;

use crate::{Position, Table, Value, chess};

/// A move of best play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The move in standard algebraic notation: `Qg7#`.
    pub san: String,
    /// The move in UCI notation: `a1g7`.
    pub uci: String,
    /// The position after the move.
    pub position: Position,
    /// The value of `position` for its side to move.
    pub value: Value,
}

impl Table {
    /// The line of best play for both sides, from a won or lost position to mate. The winner mates
    /// as quickly as possible, and the loser holds out as long as possible. Among equally good
    /// moves, the first in the alphabetical order of `uci` is played. The line is empty for a drawn
    /// or illegal position.
    ///
    /// ```
    /// use setwise_endgame::{Options, generate};
    /// let table = generate(&"KQK".parse().unwrap(), &Options::default());
    /// let line = table.line(&"7k/8/5K2/8/8/8/8/6Q1 b - - 0 1".parse().unwrap());
    /// assert_eq!(line.iter().map(|step| &*step.san).collect::<Vec<_>>(), ["Kh7", "Qg7#"]);
    /// ```
    #[must_use]
    pub fn line(&self, from: &Position) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut position = *from;
        while let Some(step) = self.best(&position) {
            position = step.position;
            steps.push(step);
        }
        steps
    }

    /// The best move in a won or lost position. `None` if the position is drawn, illegal or mate.
    fn best(&self, position: &Position) -> Option<Step> {
        // The value after the best move, for the opponent.
        let wanted = match self.probe(position) {
            Value::Win(moves) => Value::Loss(moves - 1),
            Value::Loss(moves) if moves > 0 => Value::Win(moves),
            _ => return None,
        };
        let board = chess::board(position)?;
        let mut moves: Vec<Move> = Vec::new();
        board.generate_moves(|of_piece| {
            moves.extend(of_piece);
            false
        });
        moves.sort_by_key(ToString::to_string);
        moves.into_iter().find_map(|best| {
            let mut after = board.clone();
            after.play_unchecked(best);
            let position = chess::position(&after);
            let value = self.probe(&position);
            (value == wanted).then(|| Step {
                san: cozy_chess::util::display_san_move(&board, best).to_string(),
                uci: best.to_string(),
                position,
                value,
            })
        })
    }
}
