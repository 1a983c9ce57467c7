//! Stores the values of an ending, one byte per position, and checks each value against the
//! position's moves.

use std::ops::Range;

use cozy_chess::{Board, BoardBuilder, Square};

use super::{Verified, VerifyError};
use crate::wins::swapped_index;
use crate::{Ending, Side, Table, Value, Wins, chess};

/// The value of a position in one byte: `n` for a win in n, `-n - 1` for a loss in n, 0 for a draw
/// or an illegal position.
pub(crate) type Code = i8;

fn decode(code: Code) -> Value {
    match code {
        0 => Value::Draw,
        1.. => Value::Win(code.unsigned_abs().into()),
        _ => Value::Loss(usize::from(code.unsigned_abs()) - 1),
    }
}

/// The value of a move for the side that makes it. `code` is the value of the position after the
/// move, for the opponent.
fn of_move(code: Code) -> Code {
    if code > 0 { -code - 1 } else { -code }
}

/// Ranks a value for the side to move; higher is better. From best to worst: quick wins, slow wins,
/// draws, slow losses, quick losses.
fn rank(code: Code) -> i16 {
    match code {
        0 => 0,
        1.. => 256 - i16::from(code),
        _ => -256 - i16::from(code),
    }
}

/// The values of one ending.
pub(crate) struct Values {
    ending: Ending,
    /// The values with white to move, then those with black to move, both by position index as in
    /// [`Wins`].
    pub(crate) codes: [Vec<Code>; 2],
}

impl Values {
    /// The values of an ending, given white's and black's wins.
    fn new(ending: &Ending, wins: [Option<&Wins>; 2]) -> Result<Self, VerifyError> {
        let mut twice = None;
        let size = 1 << (6 * ending.men());
        let mut codes = [vec![0; size], vec![0; size]];
        for (winner, wins) in Side::BOTH.into_iter().zip(wins) {
            let Some(wins) = wins else { continue };
            for (turn, depths) in [(winner, &wins.won), (winner.other(), &wins.lost)] {
                for (depth, n) in depths.iter().zip(0..) {
                    for index in depth.positions() {
                        // Black's wins are stored with the colours swapped.
                        let is_swapped = winner == Side::Black;
                        let index = if is_swapped { swapped_index(ending, index) } else { index };
                        let code = &mut codes[turn as usize][index];
                        if *code != 0 {
                            twice = Some((turn, index));
                        }
                        *code = if turn == winner { n } else { -n - 1 };
                    }
                }
            }
        }
        if let Some((turn, index)) = twice {
            let position = Wins::none(ending, None).position(turn, index);
            return Err(VerifyError::Twice { position });
        }
        let ending = ending.clone();
        Ok(Self { ending, codes })
    }
}

/// The values of an ending and of the endings that captures lead to.
pub(crate) struct Verifier {
    pub(crate) main: Values,
    /// The values after a capture, indexed by the captured piece's digit in the position index,
    /// highest digit first. `None` if only the kings are left.
    captures: Vec<Option<Values>>,
}

impl Verifier {
    pub(crate) fn new(table: &Table) -> Result<Self, VerifyError> {
        let ending = table.ending();
        let main = Values::new(ending, Side::BOTH.map(|color| Some(table.wins(color))))?;
        let side = |color| ending.pieces(color).iter().map(move |&piece| (color, piece));
        let pieces: Vec<_> = Side::BOTH.into_iter().flat_map(side).collect();
        let captures = (0..pieces.len()).map(|taken| {
            let mut left = pieces.iter().enumerate().filter(|&(index, _)| index != taken);
            let Some((_, &(color, piece))) = left.next() else {
                return Ok(None);
            };
            let alone = Ending::new(vec![piece], Vec::new());
            let wins = table.conversions.iter().find(|wins| wins.ending == alone);
            let values = match color {
                Side::White => Values::new(&alone, [wins, None]),
                Side::Black => Values::new(&alone.swapped(), [None, wins]),
            };
            values.map(Some)
        });
        let captures = captures.collect::<Result<_, _>>()?;
        Ok(Self { main, captures })
    }

    /// Checks the positions with these indices.
    pub(crate) fn part(&self, indices: Range<usize>) -> Result<Verified, VerifyError> {
        let ending = &self.main.ending;
        let of_side = |side| {
            let pieces = ending.pieces(side).iter();
            pieces.map(move |&piece| (chess::piece(piece), chess::color(side)))
        };
        let kings = Side::BOTH.map(|side| (cozy_chess::Piece::King, chess::color(side)));
        let men: Vec<_> = Side::BOTH.into_iter().flat_map(of_side).chain(kings).rev().collect();
        let mut count = [0; 2];
        let mut moves = 0;
        for index in indices.start..indices.end.min(self.main.codes[0].len()) {
            let mut builder = BoardBuilder::empty();
            let mut squares = 0u64;
            for (&man, place) in men.iter().zip(0..) {
                let square = index >> (6 * place) & 63;
                squares |= 1 << square;
                *builder.square_mut(Square::index(square)) = Some(man);
            }
            let is_one_each = squares.count_ones() as usize == men.len();
            for turn in Side::BOTH {
                builder.side_to_move = chess::color(turn);
                let board = is_one_each.then(|| chess::build(&builder)).flatten();
                let code = self.main.codes[turn as usize][index];
                let legal = board.is_some();
                let (expected, found) =
                    board.map_or((0, 0), |board| self.expected(&board, turn, index));
                count[turn as usize] += u64::from(legal);
                moves += found;
                if code != expected {
                    return Err(VerifyError::Value {
                        position: Wins::none(ending, None).position(turn, index),
                        table: decode(code),
                        expected: if legal { decode(expected) } else { Value::Illegal },
                    });
                }
            }
        }
        Ok(Verified { white_to_move: count[0], black_to_move: count[1], moves })
    }

    /// The value that follows from the values after each legal move, and the number of legal moves.
    fn expected(&self, board: &Board, turn: Side, index: usize) -> (Code, u64) {
        let men = self.main.ending.men();
        let place_of =
            |square: usize| (0..men).rev().find(|&place| index >> (6 * place) & 63 == square);
        let mut best: Option<Code> = None;
        let mut found = 0;
        board.generate_moves(|of_piece| {
            let mover = place_of(of_piece.from as usize).expect("a man stands where a move starts");
            let cleared = index & !(63 << (6 * mover));
            for to in of_piece.to {
                found += 1;
                let after = cleared | (to as usize) << (6 * mover);
                let code = match place_of(to as usize) {
                    None => self.main.codes[turn.other() as usize][after],
                    Some(taken) => {
                        let below = after & ((1 << (6 * taken)) - 1);
                        let left = after >> (6 * (taken + 1)) << (6 * taken) | below;
                        self.captures[men - 1 - taken]
                            .as_ref()
                            .map_or(0, |values| values.codes[turn.other() as usize][left])
                    }
                };
                let code = of_move(code);
                if best.is_none_or(|best| rank(code) > rank(best)) {
                    best = Some(code);
                }
            }
            false
        });
        let no_move = if board.checkers().is_empty() { 0 } else { -1 };
        (best.unwrap_or(no_move), found)
    }
}
