//! Positions from random games. The crate `cozy-chess` provides the rules.

use cozy_chess::{BitBoard, Board, Color, GameStatus, Move, Piece};

use crate::boards::{Boards, Sets};

const SEED: u64 = 0x5e7_015e;

/// Openings from which the playouts start, as moves in UCI notation.
const OPENINGS: [&str; 8] = [
    "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1h1 f8e7 f1e1 b7b5",
    "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 c1g5 e7e6",
    "e2e4 e7e6 d2d4 d7d5 b1c3 f8b4 e4e5 c7c5 a2a3 b4c3 b2c3 g8e7",
    "e2e4 c7c6 d2d4 d7d5 b1c3 d5e4 c3e4 c8f5 e4g3 f5g6 h2h4 h7h6",
    "d2d4 d7d5 c2c4 e7e6 b1c3 g8f6 c1g5 f8e7 e2e3 e8h8 g1f3 h7h6",
    "d2d4 g8f6 c2c4 g7g6 b1c3 f8g7 e2e4 d7d6 g1f3 e8h8 f1e2 e7e5",
    "d2d4 g8f6 c2c4 e7e6 b1c3 f8b4 e2e3 e8h8 f1d3 d7d5 g1f3 c7c5",
    "c2c4 e7e5 b1c3 g8f6 g1f3 b8c6 g2g3 d7d5 c4d5 f6d5 f1g2 d5b6",
];

/// The maximum number of plies in a playout after the opening.
const PLAYOUT_PLIES: usize = 100;

/// Positions from games that continue a known opening with random legal moves. Each position gives
/// two boards: one with White's sliders, then one with Black's.
///
/// # Panics
/// If an opening in this file is not legal.
#[must_use]
pub fn playouts(count: usize) -> Boards {
    let mut rng = fastrand::Rng::with_seed(SEED);
    let mut openings = OPENINGS.iter().cycle();
    Boards::collect("playouts", count, || {
        let mut board = Board::default();
        let mut boards = Vec::new();
        for uci in openings.next().expect("a cycle").split(' ') {
            let uci: Move = uci.parse().expect("the openings are in UCI notation");
            board.try_play(uci).expect("the openings are legal");
            boards.extend(both_sides(&board));
        }
        for _ in 0..PLAYOUT_PLIES {
            if board.status() != GameStatus::Ongoing {
                break;
            }
            let mut moves = Vec::new();
            board.generate_moves(|of_one_piece| {
                moves.extend(of_one_piece);
                false
            });
            board.play_unchecked(moves[rng.usize(..moves.len())]);
            boards.extend(both_sides(&board));
        }
        boards
    })
}

fn both_sides(board: &Board) -> [Sets; 2] {
    let occupied: BitBoard = board.occupied();
    [Color::White, Color::Black].map(|color| {
        let [bishops, rooks, queens] = [Piece::Bishop, Piece::Rook, Piece::Queen]
            .map(|piece| (board.pieces(piece) & board.colors(color)).0);
        Sets {
            orthogonal: rooks | queens,
            diagonal: bishops | queens,
            queens,
            occupied: occupied.0,
            theirs: board.colors(!color).0,
            king: board.colored_pieces(!color, Piece::King).0,
        }
    })
}
