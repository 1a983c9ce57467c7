//! The real positions that are embedded in the program: those of famous games.

use cozy_chess::{Board, Color, Piece};

use crate::corpus::{self, CorpusError};
use setwise_positions::{Placement, Side};

/// The embedded games, as their format's module describes it.
const TEXT: &str = include_str!("../data/games.txt");

/// How many games are embedded.
pub(crate) fn count() -> Result<usize, CorpusError> {
    Ok(corpus::parse(TEXT)?.len())
}

/// The distinct positions of all games, in order.
pub(crate) fn positions() -> Result<Vec<Placement>, CorpusError> {
    let mut boards = Vec::new();
    for game in corpus::parse(TEXT)? {
        boards.extend(corpus::replay(&game)?);
    }
    Ok(corpus::distinct(boards).iter().map(placement).collect())
}

/// The game and the move number (of both sides together) that lead to a placement first.
pub(crate) fn whereabouts(wanted: &Placement) -> Option<String> {
    for game in corpus::parse(TEXT).ok()? {
        let boards = corpus::replay(&game).ok()?;
        if let Some(ply) = boards.iter().position(|board| placement(board) == *wanted) {
            let event = game.event;
            let last = match ply.checked_sub(1) {
                None => "before the first move".into(),
                Some(ply) => {
                    let dots = if ply.is_multiple_of(2) { "." } else { "..." };
                    format!("after {}{dots}{}", ply / 2 + 1, game.moves[ply])
                }
            };
            let (white, black, year) = (game.white, game.black, game.year);
            return Some(format!("{white} - {black}, {event} {year}, {last}"));
        }
    }
    None
}

fn placement(board: &Board) -> Placement {
    Placement::from_sets(|side, kind| {
        let colour = match side {
            Side::White => Color::White,
            Side::Black => Color::Black,
        };
        board.colored_pieces(colour, Piece::ALL[kind as usize]).0
    })
}

#[cfg(test)]
mod tests {
    use super::{TEXT, corpus, count, placement, positions, whereabouts};
    use setwise_positions::Fen;
    use std::collections::HashSet;

    #[test]
    fn enough_games_that_replay_legally() {
        assert!(count().unwrap() >= 20);
        for game in corpus::parse(TEXT).unwrap() {
            corpus::replay(&game).unwrap_or_else(|error| panic!("{error}"));
        }
        let placements: HashSet<_> = positions().unwrap().into_iter().collect();
        assert!(placements.len() >= 1500, "{}", placements.len());
    }

    #[test]
    fn an_illegal_game_is_refused() {
        let text = TEXT.replacen("1.e4 ", "1.e5 ", 1);
        let game = &corpus::parse(&text).unwrap()[0];
        assert!(corpus::replay(game).is_err());
    }

    #[test]
    fn first_position_is_known_by_its_whereabouts() {
        let first = positions().unwrap()[0];
        let text = whereabouts(&first).unwrap();
        assert!(text.ends_with("before the first move"), "{text}");
    }

    /// The FEN reader and the chess crate that writes them agree on every position.
    #[test]
    fn fen_reader_agrees_with_the_chess_crate() {
        for game in corpus::parse(TEXT).unwrap() {
            for board in corpus::replay(&game).unwrap() {
                for text in [board.to_string(), format!("{board:#}")] {
                    let fen = Fen::parse(text.as_bytes())
                        .unwrap_or_else(|error| panic!("{text}: {error}"));
                    assert_eq!(*fen.placement(), placement(&board), "{text}");
                    assert_eq!(fen.to_string(), text);
                }
            }
        }
    }
}
