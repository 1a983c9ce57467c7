//! Movement of the men. Squares are numbered a1 = 0, h1 = 7, h8 = 63.

use setwise::{Direction, Square, board};

use crate::Piece;

/// The directions in which a sliding piece moves. A knight has none.
pub(crate) fn directions(piece: Piece) -> impl Iterator<Item = Direction> {
    let moves = move |direction: Direction| {
        let diagonal = direction.offset() % 8 != 0 && direction.offset().abs() != 1;
        if diagonal { piece.is_diagonal() } else { piece.is_orthogonal() }
    };
    Direction::ALL.into_iter().filter(move |&direction| moves(direction))
}

/// The squares a piece attacks, up to and including the first occupied square on each ray.
pub(crate) fn attacks(piece: Piece, square: usize, occupied: u64) -> u64 {
    let set = 1 << square;
    match piece {
        Piece::Queen => board::queen_attacks(set, occupied),
        Piece::Rook => board::rook_attacks(set, occupied),
        Piece::Bishop => board::bishop_attacks(set, occupied),
        Piece::Knight => board::knight_attacks(set),
    }
}

/// The squares between two squares on a common line. Empty if they share no line.
pub(crate) fn between(from: usize, to: usize) -> u64 {
    let [from, to] = [from, to].map(|at| Square::new(at as u8).expect("a square"));
    board::between(from, to)
}
