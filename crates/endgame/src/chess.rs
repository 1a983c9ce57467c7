//! Converts positions to and from boards of `cozy-chess`, whose move generator shares no code with
//! the solver.

use cozy_chess::{Board, BoardBuilder};

use crate::{Piece, Position, Side};

pub(crate) fn color(color: Side) -> cozy_chess::Color {
    match color {
        Side::White => cozy_chess::Color::White,
        Side::Black => cozy_chess::Color::Black,
    }
}

pub(crate) fn piece(piece: Piece) -> cozy_chess::Piece {
    match piece {
        Piece::Queen => cozy_chess::Piece::Queen,
        Piece::Rook => cozy_chess::Piece::Rook,
        Piece::Bishop => cozy_chess::Piece::Bishop,
        Piece::Knight => cozy_chess::Piece::Knight,
    }
}

/// Converts a position to a board. `None` if the position is illegal.
pub(crate) fn board(position: &Position) -> Option<Board> {
    let mut builder = BoardBuilder::empty();
    builder.side_to_move = color(position.turn());
    let kings = Side::BOTH.map(|side| (side, cozy_chess::Piece::King, position.king(side)));
    let pieces = position.pieces().map(|(side, man, square)| (side, piece(man), square));
    for (side, man, square) in pieces.chain(kings) {
        let square = cozy_chess::Square::index(square.into());
        *builder.square_mut(square) = Some((man, color(side)));
    }
    build(&builder)
}

/// Builds a board. `None` if it is illegal, or if the kings are adjacent, which `cozy-chess`
/// accepts.
pub(crate) fn build(builder: &BoardBuilder) -> Option<Board> {
    let board = builder.build().ok()?;
    let [white, black] = Side::BOTH.map(|side| board.king(color(side)));
    (!cozy_chess::get_king_moves(white).has(black)).then_some(board)
}

/// Converts a board to a position. The board must have no pawns and at most four men.
pub(crate) fn position(board: &Board) -> Position {
    board.to_string().parse().expect("a position without pawns or castling rights")
}
