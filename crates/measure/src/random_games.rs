//! Positions of random games, for legal moves.

use cozy_chess::{Board, Color, Piece};
use setwise::moves::{GamePosition, State};
use setwise::position::Position;

/// A position of a game, also as `cozy-chess` has it.
#[derive(Clone)]
pub(crate) struct RandomGame {
    pub(crate) position: GamePosition,
    pub(crate) board: Board,
}

/// Positions of random games of at most 120 moves, the same in every run.
pub(crate) fn random_games(count: usize) -> Vec<RandomGame> {
    let mut rng = fastrand::Rng::with_seed(0x6a3e);
    let (mut games, mut board, mut plies) = (Vec::with_capacity(count), Board::default(), 0);
    while games.len() < count {
        let mut moves = Vec::new();
        board.generate_moves(|of_piece| {
            moves.extend(of_piece);
            false
        });
        match rng.choice(moves) {
            Some(chosen) if plies < 120 => {
                board.play_unchecked(chosen);
                plies += 1;
                games.push(RandomGame { position: game_position(&board), board: board.clone() });
            }
            _ => (board, plies) = (Board::default(), 0),
        }
    }
    games
}

fn game_position(board: &Board) -> GamePosition {
    let files = |color| {
        let rights = board.castle_rights(color);
        [rights.short, rights.long].into_iter().flatten().map(|file| 1 << file as u8).sum()
    };
    let en_passant_rank = if board.side_to_move() == Color::White { 5 } else { 2 };
    let state = State {
        side: board.side_to_move() as u8,
        en_passant: board
            .en_passant()
            .map_or(State::NO_EN_PASSANT, |file| file as u8 + 8 * en_passant_rank),
        castling: Color::ALL.map(files),
    };
    let set = |color| Piece::ALL.map(|piece| board.colored_pieces(color, piece).0);
    GamePosition::new(Position { pieces: Color::ALL.map(set) }, state)
}
