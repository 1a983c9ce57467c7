//! What the crates say about a position.

use cozy_chess::{Board, BoardBuilder};
use setwise::moves::{GamePosition, Move, State};
use setwise::position::Position;
use setwise::{Piece, Square};
use shakmaty::{Chess, Color, EnPassantMode, Position as _, Role};

/// The legal moves of a position in ascending order, and the number of pieces that give check.
pub type Legal = (Vec<Move>, usize);

fn square(square: shakmaty::Square) -> Square {
    Square::new(square as u8).expect("a square")
}

/// The position of `shakmaty`.
pub fn game_position(chess: &Chess) -> GamePosition {
    let board = chess.board();
    let sets = Color::ALL
        .map(|color| Role::ALL.map(|role| u64::from(board.by_color(color) & board.by_role(role))));
    let rights = u64::from(chess.castles().castling_rights()).to_le_bytes();
    let state = State {
        side: u8::from(chess.turn() == Color::Black),
        en_passant: chess
            .ep_square(EnPassantMode::PseudoLegal)
            .map_or(State::NO_EN_PASSANT, |square| square as u8),
        castling: [rights[0], rights[7]],
    };
    // The order of colours there is black, white.
    let [black, white] = if Color::ALL[0] == Color::Black { sets } else { [sets[1], sets[0]] };
    GamePosition::new(Position { pieces: [white, black] }, state)
}

/// The move as `setwise` writes it.
pub fn code(played: shakmaty::Move) -> Move {
    use shakmaty::Move::{Castle, EnPassant, Normal, Put};
    match played {
        Normal { from, to, promotion, .. } => {
            let piece = promotion.map(|role| match role {
                Role::Pawn => Piece::Pawn,
                Role::Knight => Piece::Knight,
                Role::Bishop => Piece::Bishop,
                Role::Rook => Piece::Rook,
                Role::Queen => Piece::Queen,
                Role::King => Piece::King,
            });
            Move::new(square(from), square(to), piece)
        }
        EnPassant { from, to } => Move::new(square(from), square(to), None),
        Castle { king, rook } => Move::new(square(king), square(rook), None),
        Put { .. } => unreachable!("not a move of chess"),
    }
}

pub fn by_shakmaty(chess: &Chess) -> Legal {
    let mut moves: Vec<Move> = chess.legal_moves().into_iter().map(code).collect();
    moves.sort_unstable_by_key(|played| played.bits());
    (moves, chess.checkers().count())
}

pub fn by_cozy(board: &Board) -> Legal {
    let square = |square: cozy_chess::Square| Square::new(square as u8).expect("a square");
    let mut moves = vec![];
    board.generate_moves(|of_piece| {
        moves.extend(of_piece.into_iter().map(|played| {
            let promotion = played.promotion.map(|piece| Piece::ALL[piece as usize]);
            Move::new(square(played.from), square(played.to), promotion)
        }));
        false
    });
    moves.sort_unstable_by_key(|played| played.bits());
    (moves, board.checkers().len() as usize)
}

/// The position in `cozy-chess`. `None` if that crate does not accept it, such as one with more
/// than 16 pieces of a side.
pub fn cozy_board(chess: &Chess) -> Option<Board> {
    let mut builder = BoardBuilder::empty();
    let color = |color| match color {
        Color::White => cozy_chess::Color::White,
        Color::Black => cozy_chess::Color::Black,
    };
    let at = |square: shakmaty::Square| cozy_chess::Square::index(square as usize);
    for (square, piece) in chess.board().clone() {
        let kind = cozy_chess::Piece::index(piece.role as usize - 1);
        *builder.square_mut(at(square)) = Some((kind, color(piece.color)));
    }
    builder.side_to_move = color(chess.turn());
    for of in Color::ALL {
        let rook = |side| {
            let rook = chess.castles().rook(of, side)?;
            Some(at(rook).file())
        };
        let rights = builder.castle_rights_mut(color(of));
        rights.short = rook(shakmaty::CastlingSide::KingSide);
        rights.long = rook(shakmaty::CastlingSide::QueenSide);
    }
    builder.en_passant = chess.ep_square(EnPassantMode::PseudoLegal).map(at);
    builder.build().ok()
}
