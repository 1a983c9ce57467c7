//! Famous chess games, for demonstrations and benchmarks (feature `famous-games`).

use std::collections::HashSet;

use cozy_chess::util::{display_san_move, parse_san_move};
use cozy_chess::{Board, Color, GameStatus, Piece as Man};
use setwise::position::Position;

use crate::Placement;

/// A line for each game. The first line describes the columns.
const TEXT: &str = include_str!("../data/famous_games.tsv");

/// One of the famous games.
#[derive(Debug, Clone)]
pub struct FamousGame {
    /// The player of the white pieces.
    pub white: &'static str,
    /// The player of the black pieces.
    pub black: &'static str,
    /// The event or place.
    pub event: &'static str,
    /// The year of play.
    pub year: &'static str,
    /// The moves of both sides, alternately, in SAN without numbers.
    pub moves: Vec<&'static str>,
    /// The pieces before the first move, then after each move.
    pub placements: Vec<Placement>,
    boards: Vec<Board>,
}

/// All games, in order of year.
///
/// # Panics
///
/// Never: a test reads all games.
#[must_use]
pub fn games() -> Vec<FamousGame> {
    let read = |line| FamousGame::read(line).unwrap_or_else(|fault| panic!("{line}: {fault}"));
    TEXT.lines().skip(1).map(read).collect()
}

/// The distinct positions of all games, in the order in which they first occur. Positions that
/// differ in the side to move, in castling rights or in the en passant square are distinct.
#[must_use]
pub fn positions() -> Vec<Placement> {
    let mut seen = HashSet::new();
    let mut positions = Vec::new();
    for game in games() {
        for (board, placement) in game.boards.iter().zip(game.placements) {
            // The hash excludes the move counters.
            if seen.insert(board.hash()) {
                positions.push(placement);
            }
        }
    }
    positions
}

impl FamousGame {
    /// Reads a game's line. Checks that the moves are legal, numbered and in strict SAN, and that
    /// the result is right.
    fn read(line: &'static str) -> Result<FamousGame, String> {
        let columns: Vec<&str> = line.split('\t').collect();
        let &[white, black, event, year, result, all] = &columns[..] else {
            return Err("a game has six columns".into());
        };
        let (mut moves, mut boards) = (Vec::new(), vec![Board::default()]);
        for token in all.split(' ') {
            let mut board = boards[moves.len()].clone();
            let number = match board.side_to_move() {
                Color::White => format!("{}.", moves.len() / 2 + 1),
                Color::Black => String::new(),
            };
            let san = token.strip_prefix(&*number).unwrap_or_default();
            let play = parse_san_move(&board, san).map_err(|_| format!("{token} is not legal"))?;
            let strict = display_san_move(&board, play).to_string();
            if strict != san {
                return Err(format!("{token} should be {number}{strict}"));
            }
            board.play(play);
            moves.push(san);
            boards.push(board);
        }
        let last = &boards[moves.len()];
        let right = match (last.status(), last.side_to_move()) {
            (GameStatus::Won, Color::Black) => "1-0",
            (GameStatus::Won, Color::White) => "0-1",
            (GameStatus::Drawn, _) => "1/2-1/2",
            // A player resigned, or both agreed to a draw: any result in the header is right.
            (GameStatus::Ongoing, _) => result,
        };
        if result != right {
            return Err(format!("the last move makes it {right}"));
        }
        Ok(FamousGame {
            white,
            black,
            event,
            year,
            moves,
            placements: boards.iter().map(placement).collect(),
            boards,
        })
    }
}

fn placement(board: &Board) -> Placement {
    let kinds = Man::ALL.map(|man| board.pieces(man).0);
    Placement::from(&Position::from_sets(kinds, Color::ALL.map(|color| board.colors(color).0)))
}

#[cfg(test)]
mod tests {
    use super::{FamousGame, games, positions};
    use crate::Fen;

    #[test]
    fn all_games_are_legal() {
        let games = games();
        assert_eq!((games.len(), positions().len()), (47, 3408));
        for game in &games {
            assert!(game.year.len() == 4 && game.year.parse::<u16>().is_ok());
            // Our FEN reader agrees with `cozy-chess`, which writes the FENs.
            for (board, placement) in game.boards.iter().zip(&game.placements) {
                for text in [board.to_string(), format!("{board:#}")] {
                    let fen = Fen::parse(text.as_bytes()).unwrap();
                    assert_eq!(fen.placement(), placement, "{text}");
                    assert_eq!(fen.to_string(), text);
                }
            }
        }
    }

    #[test]
    fn faults_are_found() {
        for (line, fault) in [
            ("A\tB\tC\t1900\t0-1\t1.f3 e5 2.g5 Qh4#", "2.g5 is not legal"),
            ("A\tB\tC\t1900\t0-1\t1.f3 e5 3.g4 Qh4#", "3.g4 is not legal"),
            ("A\tB\tC\t1900\t0-1\t1.f3 e5 2.g4 Qh4+", "Qh4+ should be Qh4#"),
            ("A\tB\tC\t1900\t1-0\t1.f3 e5 2.g4 Qh4#", "the last"),
            ("A\tB\tC\t1900\t1.e4", "a game has six columns"),
        ] {
            let error = FamousGame::read(line).unwrap_err();
            assert!(error.starts_with(fault), "{error}");
        }
    }
}
