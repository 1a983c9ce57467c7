//! The game corpus: famous games as compact text, and the positions they pass through.
//!
//! # Format
//!
//! A game is a block of lines; blank lines separate games, and lines that start with `#` are
//! comments. The first line of a block is the header, five fields separated by `|`: White, Black,
//! event or place, year, result (`1-0`, `0-1` or `1/2-1/2`). The other lines hold the moves in
//! strict SAN, each White move behind its number and a dot:
//!
//! ```text
//! Paul Morphy | Duke of Brunswick and Count Isouard | Paris, Opera | 1858 | 1-0
//! 1.e4 e5 2.Nf3 d6 3.d4 Bg4
//! 4.dxe5 Bxf3
//! ```
//!
//! [`parse`] checks the text, [`replay`] the play. What is redundant (numbers, check and mate
//! marks, the result of a mate) is there to be checked, and has to be right.

use core::fmt;
use std::collections::HashSet;

use cozy_chess::{Board, Color, GameStatus};

use crate::san::parse_san;

/// One game of the corpus, borrowed from its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Game<'a> {
    /// The player of the white pieces.
    pub(crate) white: &'a str,
    /// The player of the black pieces.
    pub(crate) black: &'a str,
    /// The event or the place.
    pub(crate) event: &'a str,
    /// The year of play.
    pub(crate) year: u16,
    /// How the game ended.
    pub(crate) outcome: Outcome,
    /// The moves of both sides in turn, in SAN without numbers.
    pub(crate) moves: Vec<&'a str>,
    /// The line of the header in the corpus, counted from 1.
    pub(crate) line: usize,
}

/// `White - Black, year`, as errors name the game.
impl fmt::Display for Game<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} - {}, {}", self.white, self.black, self.year)
    }
}

/// How a game ended; a resignation or an agreed draw leaves no trace on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The side of this colour won.
    Win(Color),
    /// Nobody won.
    Draw,
}

impl Outcome {
    fn parse(text: &str) -> Option<Self> {
        [Self::Win(Color::White), Self::Win(Color::Black), Self::Draw]
            .into_iter()
            .find(|outcome| outcome.text() == text)
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Win(Color::White) => "1-0",
            Self::Win(Color::Black) => "0-1",
            Self::Draw => "1/2-1/2",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

/// What is wrong with a corpus, and where: the line, counted from 1 (for a fault in the play that of the header), the game and the fault.
pub(crate) type CorpusError = String;

/// Reads a corpus in the [format](self#format) of this module; an empty text has no games.
///
/// # Errors
///
/// The first fault in a header or in the numbering, with its line. Whether the moves are legal is
/// the business of [`replay`].
pub(crate) fn parse(text: &str) -> Result<Vec<Game<'_>>, CorpusError> {
    let mut games: Vec<Game<'_>> = Vec::new();
    let mut in_game = false;
    let lines = (1..).zip(text.lines().map(str::trim));
    for (line, content) in lines.filter(|(_, content)| !content.starts_with('#')) {
        if content.is_empty() {
            in_game = false;
        } else if in_game && let Some(game) = games.last_mut() {
            game.read_moves(line, content)?;
        } else {
            games.push(Game::from_header(line, content)?);
            in_game = true;
        }
    }
    match games.iter().find(|game| game.moves.is_empty()) {
        Some(game) => Err(game.error(game.line, "the game has no moves")),
        None => Ok(games),
    }
}

/// The positions of a game in order: the start position, then one after each move.
///
/// # Errors
///
/// The first move that is not legal or not properly written, or a result that the last position
/// contradicts: mate, stalemate, or a hundred plies without a capture or a pawn move.
pub(crate) fn replay(game: &Game<'_>) -> Result<Vec<Board>, CorpusError> {
    let mut board = Board::default();
    let mut boards = vec![board.clone()];
    for (ply, &san) in game.moves.iter().enumerate() {
        let mv = parse_san(&board, san).map_err(|error| {
            let dots = if ply.is_multiple_of(2) { "." } else { "..." };
            let fault = format!("move {}{dots}{san} {error}", ply / 2 + 1);
            game.error(game.line, &fault)
        })?;
        board.play(mv);
        boards.push(board.clone());
    }
    let played = match board.status() {
        GameStatus::Won => Outcome::Win(!board.side_to_move()),
        GameStatus::Drawn => Outcome::Draw,
        GameStatus::Ongoing => game.outcome,
    };
    if played == game.outcome {
        Ok(boards)
    } else {
        let stated = game.outcome;
        let fault = format!("the header says {stated}, the last move makes it {played}");
        Err(game.error(game.line, &fault))
    }
}

/// The boards without repetitions, in order of first appearance.
///
/// Two boards are the same position when piece placement, side to move, castling rights and en
/// passant square agree; the move counters do not matter.
pub(crate) fn distinct(boards: impl IntoIterator<Item = Board>) -> Vec<Board> {
    let mut seen = HashSet::new();
    boards
        .into_iter()
        .filter(|board| {
            let mut position = board.clone();
            position.set_halfmove_clock(0);
            position.set_fullmove_number(1);
            seen.insert(position)
        })
        .collect()
}

impl<'a> Game<'a> {
    fn from_header(line: usize, header: &'a str) -> Result<Self, CorpusError> {
        let error = |fault: String| format!("line {line}: {header}: {fault}");
        let fields: Vec<_> = header.split('|').map(str::trim).collect();
        let &[white, black, event, year, result] = fields.as_slice() else {
            let n = fields.len();
            let form = "White | Black | event | year | result";
            return Err(error(format!("a header has five fields ({form}), not {n}")));
        };
        for (name, field) in [("White", white), ("Black", black), ("event", event)] {
            if field.is_empty() {
                return Err(error(format!("the {name} field is empty")));
            }
        }
        Ok(Self {
            white,
            black,
            event,
            year: (year.parse().ok())
                .filter(|year| (1000..=9999).contains(year))
                .ok_or_else(|| error(format!("`{year}` is not a year of four digits")))?,
            outcome: Outcome::parse(result)
                .ok_or_else(|| error(format!("`{result}` is not 1-0, 0-1 or 1/2-1/2")))?,
            moves: Vec::new(),
            line,
        })
    }

    fn read_moves(&mut self, line: usize, text: &'a str) -> Result<(), CorpusError> {
        for token in text.split_whitespace() {
            let ply = self.moves.len();
            let expected = if ply.is_multiple_of(2) {
                format!("{}.", ply / 2 + 1)
            } else {
                String::new()
            };
            match token.strip_prefix(expected.as_str()) {
                Some(san) if san.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                    self.moves.push(san);
                }
                _ if expected.is_empty() => {
                    let fault = format!("a Black move without a number is due, not `{token}`");
                    return Err(self.error(line, &fault));
                }
                _ => {
                    let fault = format!("a White move behind `{expected}` is due, not `{token}`");
                    return Err(self.error(line, &fault));
                }
            }
        }
        Ok(())
    }

    fn error(&self, line: usize, fault: &str) -> CorpusError {
        format!("line {line}: {self}: {fault}")
    }
}

#[cfg(test)]
mod tests;
