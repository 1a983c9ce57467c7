//! The first layer of a network whose inputs are threats, kept up to date by
//! [`Changes`](setwise::threats::Changes).
//!
//! Plays 1,000 random games. After each move, the updated sums must equal sums computed from
//! scratch.
//!
//! ```text
//! cargo run --release --example threats
//! ```

use cozy_chess::{Board, Move};
use setwise::threats::{Changes, MOST, Rules, Threat};
use setwise::{Kernel, Piece, Side, Square};

use features::{Features, LATER_SET, View};

#[path = "threats_indices.rs"]
#[allow(dead_code, reason = "an example of its own")]
mod features;

/// A board in the codes of [`CODES`](setwise::threats::CODES).
type Codes = [u8; 64];

/// The neurons of the first layer, for each side.
const WIDTH: usize = 128;

/// A network with random weights.
struct Network {
    features: Features,
    rules: Rules,
    rows: Vec<[i16; WIDTH]>,
}

impl Network {
    fn new() -> Network {
        let features = Features::new(LATER_SET);
        let mut random = fastrand::Rng::with_seed(1);
        let row = |_| [(); WIDTH].map(|()| random.i16(-64..64));
        Network { rules: features.rules(), rows: (0..features.inputs).map(row).collect(), features }
    }
}

/// The sums of the first layer, and the view of each side.
#[derive(Clone, PartialEq)]
struct Accumulator {
    sums: [[i16; WIDTH]; 2],
    views: [View; 2],
}

fn views(codes: &Codes) -> [View; 2] {
    Side::BOTH.map(|side| {
        let king = Piece::King.code(side);
        let square = codes.iter().position(|&code| code == king).expect("a king");
        View::new(side, square as u8)
    })
}

impl Accumulator {
    fn add(&mut self, side: usize, network: &Network, threats: &[Threat], sign: i16) {
        let index = |threat: &Threat| network.features.index(self.views[side], *threat);
        for index in threats.iter().filter_map(index) {
            let row = &network.rows[index as usize];
            for (sum, weight) in self.sums[side].iter_mut().zip(row) {
                *sum = sum.wrapping_add(sign * weight);
            }
        }
    }

    fn from_scratch(codes: &Codes, network: &Network) -> Accumulator {
        let mut accumulator = Accumulator { sums: [[0; WIDTH]; 2], views: views(codes) };
        (0..2).for_each(|side| accumulator.refresh(side, codes, network));
        accumulator
    }

    /// Computes one side's sums from scratch.
    fn refresh(&mut self, side: usize, codes: &Codes, network: &Network) {
        // Room for `MOST` threats is enough for any board.
        let (mut offsets, mut threats) = ([0; 2], [Threat::default(); MOST]);
        let boards = std::slice::from_ref(codes);
        Kernel::active().threats(boards, &network.rules, &mut offsets, &mut threats);
        self.sums[side] = [0; WIDTH];
        self.add(side, network, &threats[..offsets[1] as usize], 1);
    }

    /// Updates the sums after a move. `codes` are the board after it.
    fn update(&mut self, changes: &Changes, king: bool, codes: &Codes, network: &Network) {
        let views = if king { views(codes) } else { self.views };
        for (side, view) in views.into_iter().enumerate() {
            if self.views[side] == view {
                self.add(side, network, changes.removed(), -1);
                self.add(side, network, changes.added(), 1);
            } else {
                // A king that crosses the middle mirrors the whole board.
                self.views[side] = view;
                self.refresh(side, codes, network);
            }
        }
    }
}

fn codes(board: &Board) -> Codes {
    let mut codes = [0; 64];
    for square in board.occupied() {
        let (color, piece) = (board.color_on(square).unwrap(), board.piece_on(square).unwrap());
        codes[square as usize] = 1 + piece as u8 + 6 * color as u8;
    }
    codes
}

/// Makes a move on a board of codes, whose codes are `after` it. Returns the squares and the new
/// codes that differ.
fn make(
    codes: &mut Codes,
    after: &Codes,
    rules: &Rules,
    changes: &mut Changes,
) -> Vec<(Square, u8)> {
    let kernel = Kernel::active();
    let differ = (0..64_u8).filter(|&i| codes[usize::from(i)] != after[usize::from(i)]);
    let edits: Vec<(Square, u8)> =
        differ.map(|i| (Square::masked(i), after[usize::from(i)])).collect();
    // Before the board is written.
    match edits[..] {
        [(from, 0), (to, placed)] | [(to, placed), (from, 0)] => {
            kernel.threats_moved(codes, from, to, placed, rules, changes);
        }
        // Castling and en passant: three or four squares.
        _ => kernel.threats_edited(codes, &edits, rules, changes),
    }
    *codes = *after;
    edits
}

fn moves(board: &Board) -> Vec<Move> {
    let mut moves = vec![];
    board.generate_moves(|some| {
        moves.extend(some);
        false
    });
    moves
}

/// With castling, en passant, and promotions.
const POSITIONS: [&str; 3] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
];

/// Plays random games of at most 100 moves, from the start position and from [`POSITIONS`].
fn play(games: usize, network: &Network) {
    let (mut random, mut changes) = (fastrand::Rng::with_seed(2), Changes::new());
    let (mut played, mut special) = (0, 0);
    for game in 0..games {
        let start: Option<&&str> = POSITIONS.get(game % 4);
        let mut board = start.map_or_else(Board::default, |fen| fen.parse().unwrap());
        let mut own = codes(&board);
        let mut accumulator = Accumulator::from_scratch(&own, network);
        for _ in 0..100 {
            let legal = moves(&board);
            let Some(chosen) = random.choice(legal) else { break };
            board.play_unchecked(chosen);
            let edits = make(&mut own, &codes(&board), &network.rules, &mut changes);
            let kings = Side::BOTH.map(|side| Piece::King.code(side));
            let king = edits.iter().any(|(_, code)| kings.contains(code));
            accumulator.update(&changes, king, &own, network);
            assert!(accumulator == Accumulator::from_scratch(&own, network), "{board}");
            played += 1;
            special += usize::from(edits.len() > 2);
        }
    }
    assert!(special > 0);
    println!(
        "{games} games, {played} moves, {special} of them castling or en passant: all sums agree \
         (`{}`)",
        Kernel::active().name()
    );
}

fn main() {
    play(1_000, &Network::new());
}

#[test]
fn updated_sums_equal_fresh_ones() {
    play(20, &Network::new());
}
