//! Famous chess games, for demonstrations and benchmarks (feature `famous-games`).

use std::collections::HashSet;

use cozy_chess::util::parse_san_move;
use cozy_chess::{Board, Color, Piece as Man};
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
    TEXT.lines().skip(1).map(FamousGame::read).collect()
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
    fn read(line: &'static str) -> FamousGame {
        let columns: Vec<&str> = line.split('\t').collect();
        let &[white, black, event, year, _, moves] = &columns[..] else {
            panic!("a game has six columns: {line}");
        };
        let is_number = |c: char| c.is_ascii_digit() || c == '.';
        let moves: Vec<&str> =
            moves.split(' ').map(|token| token.trim_start_matches(is_number)).collect();
        let mut boards = vec![Board::default()];
        for san in &moves {
            let mut board = boards[boards.len() - 1].clone();
            board.play(parse_san_move(&board, san).expect("a legal move"));
            boards.push(board);
        }
        let placements = boards.iter().map(placement).collect();
        FamousGame { white, black, event, year, moves, placements, boards }
    }
}

fn placement(board: &Board) -> Placement {
    let kinds = Man::ALL.map(|man| board.pieces(man).0);
    Placement::from(&Position::from_sets(kinds, Color::ALL.map(|color| board.colors(color).0)))
}

#[cfg(test)]
mod tests {
    use cozy_chess::util::{display_san_move, parse_san_move};
    use cozy_chess::{Color, GameStatus};

    use super::{TEXT, games, positions};
    use crate::Fen;

    #[test]
    fn all_games_are_legal_and_in_strict_san() {
        let games = games();
        assert_eq!((games.len(), positions().len()), (47, 3408));
        for (game, line) in games.iter().zip(TEXT.lines().skip(1)) {
            assert!(game.year.len() == 4 && game.year.parse::<u16>().is_ok());
            let moves =
                game.boards.iter().zip(&game.moves).enumerate().map(|(ply, (board, san))| {
                    let number =
                        if ply % 2 == 0 { format!("{}.", ply / 2 + 1) } else { String::new() };
                    number
                        + &display_san_move(board, parse_san_move(board, san).unwrap()).to_string()
                });
            let [.., result, text] = &line.split('\t').collect::<Vec<_>>()[..] else { panic!() };
            assert_eq!(*text, moves.collect::<Vec<_>>().join(" "));
            let last = game.boards.last().unwrap();
            let right = match (last.status(), last.side_to_move()) {
                (GameStatus::Won, Color::Black) => "1-0",
                (GameStatus::Won, Color::White) => "0-1",
                (GameStatus::Drawn, _) => "1/2-1/2",
                // A player resigned, or both agreed to a draw: any result is right.
                (GameStatus::Ongoing, _) => result,
            };
            assert_eq!(*result, right, "{line}");
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
}
