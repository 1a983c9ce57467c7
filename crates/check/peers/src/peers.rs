//! What the crates say about a position.

use cozy_chess::{Board, BoardBuilder};
use setwise::moves::{GamePosition, Move, State};
use setwise::position::Position;
use setwise::{Piece, Square};
use shakmaty::{CastlingSide, Chess, Color, EnPassantMode, Position as _, Role};

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

/// The same from lists of one kind of piece and one square each, because a list of `shakmaty` has
/// no room for more than 256 moves.
pub fn by_shakmaty_in_parts(chess: &Chess) -> Legal {
    let squares = shakmaty::Square::ALL;
    let parts = Role::ALL.into_iter().flat_map(|role| squares.map(|to| (role, to)));
    let pieces = parts.flat_map(|(role, to)| chess.san_candidates(role, to));
    let castling = CastlingSide::ALL.into_iter().flat_map(|side| chess.castling_moves(side));
    let mut moves: Vec<Move> = pieces.chain(castling).map(code).collect();
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

/// Whether a capture en passant is possible but for checks and pins, or a king may castle from or
/// to other squares than in standard chess.
pub fn takes_slow_path(position: &GamePosition) -> bool {
    let state = position.state;
    let us = usize::from(state.side & 1);
    let [pawns, .., king] = position.position.pieces[us];
    let beside = 1_u64.checked_shl(state.en_passant.into()).is_some_and(|square| {
        let behind = if us == 0 { square >> 8 } else { square << 8 };
        let [a_file, h_file] = [0x0101_0101_0101_0101, 0x8080_8080_8080_8080];
        pawns & ((behind & !a_file) >> 1 | (behind & !h_file) << 1) != 0
    });
    let rights = state.castling[us];
    let at_home = king == 1 << [4, 60][us];
    beside || rights & 0x7e != 0 || rights != 0 && !at_home
}
