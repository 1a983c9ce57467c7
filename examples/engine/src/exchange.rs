//! Exchanges of pieces on one square, by look-ups of `cozy-chess`. They order the captures.

use cozy_chess::{
    BitBoard, Board, Color, Move, Piece, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_rook_moves,
};

use crate::evaluation::MATERIAL;

/// Whether the exchange that a capture starts loses material. Both sides capture with their least
/// valuable piece as long as they gain by it. Pins are ignored, and a pawn on the last rank stays a
/// pawn.
pub fn loses(board: &Board, capture: Move) -> bool {
    let Move { from, to, .. } = capture;
    let Some(mover) = board.piece_on(from) else { return false };
    let mut occupied = board.occupied() - from.bitboard() - to.bitboard();
    let taken = board.piece_on(to).unwrap_or_else(|| {
        // En passant.
        occupied -= from.rank().bitboard() & to.file().bitboard();
        Piece::Pawn
    });
    // What the side to move must gain to thwart the other. If nothing, it need not capture.
    let mut needed = MATERIAL[taken as usize] + 1;
    let (mut side, mut on_square) = (board.side_to_move(), mover);
    let mut loses = false;
    loop {
        side = !side;
        let attackers = attackers(board, capture, occupied);
        let own = attackers & board.colors(side);
        let least = |kind: &Piece| !(own & board.pieces(*kind)).is_empty();
        let Some(kind) = Piece::ALL.into_iter().find(least) else { return loses };
        if kind == Piece::King && attackers != own {
            return loses;
        }
        needed = MATERIAL[on_square as usize] - needed + 1;
        loses = !loses;
        if needed <= 0 {
            return !loses;
        }
        on_square = kind;
        occupied -= (own & board.pieces(kind)).next_square().map_or(BitBoard::EMPTY, Into::into);
    }
}

/// The pieces in `occupied` that attack the target of a move.
fn attackers(board: &Board, Move { to, .. }: Move, occupied: BitBoard) -> BitBoard {
    let pieces = |kind| board.pieces(kind);
    let pawns = |side: Color| get_pawn_attacks(to, !side) & board.colored_pieces(side, Piece::Pawn);
    let attackers = get_bishop_moves(to, occupied) & (pieces(Piece::Bishop) | pieces(Piece::Queen))
        | get_rook_moves(to, occupied) & (pieces(Piece::Rook) | pieces(Piece::Queen))
        | get_knight_moves(to) & pieces(Piece::Knight)
        | get_king_moves(to) & pieces(Piece::King)
        | pawns(Color::White)
        | pawns(Color::Black);
    attackers & occupied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchanges_by_hand() {
        for (fen, capture, expected) in [
            ("4k3/8/8/3p4/8/8/8/3QK3 w - - 0 1", "d1d5", false), // unprotected
            ("4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1", "d1d5", true), // by a pawn
            ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", false), // a second rook behind it
            ("3rk3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", true),
            ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", false), // en passant, recaptured
            ("8/8/2k5/3p4/8/8/3R4/3RK3 w - - 0 1", "d2d5", false),  // the king cannot recapture
            ("8/8/2k5/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", true),     // the king can
        ] {
            let board: Board = fen.parse().expect("a position");
            assert_eq!(loses(&board, capture.parse().expect("a move")), expected, "{fen}");
        }
    }
}
