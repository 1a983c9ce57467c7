//! The inputs: random boards, and positions from playouts.

use cozy_chess::{BitBoard, Board, Color, GameStatus, Move, Piece};

/// Boards, from which an operation's inputs are taken by name.
pub(crate) struct Boards {
    pub(crate) name: &'static str,
    boards: Vec<One>,
}

/// The sliders of one side, and what else an operation may ask for.
struct One {
    orthogonal: u64,
    diagonal: u64,
    queens: u64,
    occupied: u64,
    /// The other side's pieces.
    theirs: u64,
    /// The other side's king.
    king: u64,
}

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

/// Plies after the opening at which a playout is abandoned.
const PLAYOUT_PLIES: usize = 100;

impl Boards {
    /// Every square is occupied with probability 0.35; one to three of the occupied squares,
    /// drawn anew for each set, are the sliders.
    pub(crate) fn random(count: usize) -> Boards {
        let mut rng = fastrand::Rng::with_seed(SEED);
        let mut others = fastrand::Rng::with_seed(!SEED);
        Boards::collect("random", count, || {
            let occupied = loop {
                let occupied =
                    (0..64).fold(0, |set, square| set | u64::from(rng.f64() < 0.35) << square);
                if occupied != 0 {
                    break occupied;
                }
            };
            let draw = |count: u32, rng: &mut fastrand::Rng| {
                let mut set = 0u64;
                while set.count_ones() < count.min(occupied.count_ones()) {
                    set |= 1 << rng.u32(0..64) & occupied;
                }
                set
            };
            let mut sliders = || draw(rng.u32(1..=3), &mut rng);
            vec![One {
                orthogonal: sliders(),
                diagonal: sliders(),
                queens: sliders(),
                occupied,
                theirs: occupied & others.u64(..),
                king: draw(1, &mut others),
            }]
        })
    }

    /// Positions of legal games whose moves are random after a known opening: legal chess
    /// positions, though no master's. Two boards a position: white's sliders, black's.
    pub(crate) fn playouts(count: usize) -> Boards {
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

    fn collect(name: &'static str, count: usize, mut more: impl FnMut() -> Vec<One>) -> Boards {
        let mut boards = Vec::with_capacity(count);
        while boards.len() < count {
            boards.extend(more().into_iter().take(count - boards.len()));
        }
        Boards { name, boards }
    }

    pub(crate) fn len(&self) -> usize {
        self.boards.len()
    }

    /// What an operation takes by this name, one word a board.
    ///
    /// # Panics
    /// If no operation takes that: a new name needs its line here.
    pub(crate) fn column(&self, input: &str) -> Vec<u64> {
        let word: fn(&One) -> u64 = match input {
            "rooks" | "orthogonal" => |one| one.orthogonal,
            "bishops" | "diagonal" => |one| one.diagonal,
            "queens" | "sliders" | "generators" => |one| one.queens,
            "occupied" => |one| one.occupied,
            "propagators" => |one| !one.occupied,
            "blockers" | "own" => |one| one.theirs,
            "kings" => |one| one.king,
            "targets" => |one| one.theirs | !one.occupied,
            "squares" | "a" => |one| one.king.trailing_zeros().into(),
            "b" => |one| u64::from((one.orthogonal | one.diagonal).trailing_zeros()) % 64,
            _ => panic!("no boards for `{input}`"),
        };
        self.boards.iter().map(word).collect()
    }
}

fn both_sides(board: &Board) -> [One; 2] {
    let occupied: BitBoard = board.occupied();
    [Color::White, Color::Black].map(|color| {
        let [bishops, rooks, queens] = [Piece::Bishop, Piece::Rook, Piece::Queen]
            .map(|piece| (board.pieces(piece) & board.colors(color)).0);
        One {
            orthogonal: rooks | queens,
            diagonal: bishops | queens,
            queens,
            occupied: occupied.0,
            theirs: board.colors(!color).0,
            king: board.colored_pieces(!color, Piece::King).0,
        }
    })
}
