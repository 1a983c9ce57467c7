//! The first layer of a network whose inputs are threats, kept up to date by
//! [`Changes`](setwise::threats::Changes).
//!
//! Plays 1,000 random games. After each move, the updated sums must equal sums computed from
//! scratch. Prints the time of both.
//!
//! ```text
//! cargo run --release --example threats
//! ```

use std::hint::black_box;
use std::time::Instant;

use cozy_chess::{Board, Move, Piece};
use setwise::threats::{Changes, IndexList, IndexTable, MOST, Rules, Threat};
use setwise::{Kernel, Side, Square};

use features::{EMPTY, Features, LATER_SET, View};

#[path = "threats_indices.rs"]
#[allow(dead_code, reason = "an example of its own")]
mod features;

/// A board in the codes of `features`.
type Codes = [u8; 64];

/// The neurons of the first layer, for each side.
const WIDTH: usize = 128;

/// A network with random weights.
struct Network {
    table: Box<IndexTable>,
    rules: Rules,
    rows: Vec<[i16; WIDTH]>,
}

impl Network {
    fn new() -> Network {
        let features = Features::new(LATER_SET);
        let mut random = fastrand::Rng::with_seed(1);
        let row = |_| [(); WIDTH].map(|()| random.i16(-64..64));
        Network {
            table: features.table(),
            rules: features.rules(),
            rows: (0..features.inputs).map(row).collect(),
        }
    }
}

/// The sums of the first layer, and the view of each side.
#[derive(Clone, PartialEq)]
struct Accumulator {
    sums: [[i16; WIDTH]; 2],
    views: [View; 2],
}

fn views(codes: &Codes) -> [View; 2] {
    [(Side::White, 5), (Side::Black, 11)].map(|(side, king)| {
        let square = codes.iter().position(|&code| code == king).expect("a king");
        View::new(side, square as u8)
    })
}

impl Accumulator {
    fn add(&mut self, side: usize, network: &Network, threats: &[Threat], sign: i16) {
        // Room for seven more than needed saves time.
        let (view, mut memory) = (self.views[side], [0; MOST + 7]);
        let mut lists = [IndexList::new(view.side(), view.is_mirrored(), &mut memory)];
        Kernel::active().threat_indices(threats, &network.table, 0, &mut lists);
        for index in lists[0].indices() {
            let row = &network.rows[*index as usize];
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
    let mut codes = [EMPTY; 64];
    for square in board.occupied() {
        let (color, piece) = (board.color_on(square).unwrap(), board.piece_on(square).unwrap());
        codes[square as usize] = piece as u8 + 6 * color as u8;
    }
    codes
}

/// A move on a board of codes.
enum Step {
    Ordinary {
        from: Square,
        to: Square,
        placed: u8,
    },
    /// Castling and en passant: the new codes of three or four squares.
    Special(Vec<(Square, u8)>),
}

impl Step {
    fn new(board: &Board, chosen: Move) -> Step {
        let piece = board.piece_on(chosen.from).unwrap();
        let side = board.side_to_move();
        let castles = board.color_on(chosen.to) == Some(side);
        let en_passant = piece == Piece::Pawn
            && chosen.from.file() != chosen.to.file()
            && !board.occupied().has(chosen.to);
        if castles || en_passant {
            let mut after = board.clone();
            after.play_unchecked(chosen);
            let (before, after) = (codes(board), codes(&after));
            let edited = (0..64).filter(|&i| before[usize::from(i)] != after[usize::from(i)]);
            let edit = |i: u8| (Square::masked(i), after[usize::from(i)]);
            return Step::Special(edited.map(edit).collect());
        }
        let [from, to] = [chosen.from, chosen.to].map(|square| Square::masked(square as u8));
        let placed = chosen.promotion.unwrap_or(piece) as u8 + 6 * side as u8;
        Step::Ordinary { from, to, placed }
    }

    /// Makes the move. Returns whether a king moves.
    fn make(&self, codes: &mut Codes, rules: &Rules, changes: &mut Changes) -> bool {
        let kernel = Kernel::active();
        match self {
            &Step::Ordinary { from, to, placed } => {
                // Before the board is written.
                kernel.threats_moved(codes, from, to, placed, rules, changes);
                (codes[from.index()], codes[to.index()]) = (EMPTY, placed);
                placed % 6 == 5
            }
            Step::Special(edits) => {
                kernel.threats_edited(codes, edits, rules, changes);
                for (square, code) in edits {
                    codes[square.index()] = *code;
                }
                true
            }
        }
    }
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

/// A random game of at most 100 moves.
struct Game {
    start: Codes,
    steps: Vec<Step>,
}

/// Games from the start position and from [`POSITIONS`].
fn games(count: usize) -> Vec<Game> {
    let mut random = fastrand::Rng::with_seed(2);
    let game = |i| {
        let start: Option<&&str> = POSITIONS.get(i % 4);
        let mut board = start.map_or_else(Board::default, |fen| fen.parse().unwrap());
        let mut game = Game { start: codes(&board), steps: vec![] };
        for _ in 0..100 {
            let legal = moves(&board);
            if legal.is_empty() {
                break;
            }
            let chosen = legal[random.usize(..legal.len())];
            game.steps.push(Step::new(&board, chosen));
            board.play_unchecked(chosen);
        }
        game
    };
    (0..count).map(game).collect()
}

/// Replays the games with updated sums. Calls `visit` after each move.
fn update(games: &[Game], network: &Network, mut visit: impl FnMut(&Accumulator, &Codes)) {
    let mut changes = Changes::new();
    for game in games {
        let mut board = game.start;
        let mut accumulator = Accumulator::from_scratch(&board, network);
        for step in &game.steps {
            let king = step.make(&mut board, &network.rules, &mut changes);
            accumulator.update(&changes, king, &board, network);
            visit(&accumulator, &board);
        }
    }
}

fn compare(count: usize, network: &Network) {
    let games = games(count);
    let mut positions = vec![];
    update(&games, network, |accumulator, codes| {
        assert!(*accumulator == Accumulator::from_scratch(codes, network), "{codes:?}");
        positions.push(*codes);
    });
    let steps = games.iter().flat_map(|game| &game.steps);
    let special = steps.filter(|step| matches!(step, Step::Special(_))).count();
    assert!(special > 0);
    println!(
        "{count} games, {} moves, {special} of them castling or en passant: all sums agree",
        positions.len()
    );
    // The faster of a few rounds.
    let time = |run: &dyn Fn()| {
        let round = || {
            let start = Instant::now();
            run();
            start.elapsed()
        };
        let fastest = (0..5).map(|_| round()).min().unwrap();
        fastest.as_nanos() as f64 / positions.len() as f64
    };
    let updated = time(&|| update(&games, network, |sums, _| _ = black_box(sums)));
    let from_scratch = time(&|| {
        for codes in &positions {
            black_box(Accumulator::from_scratch(codes, network));
        }
    });
    println!(
        "`{}`: {updated:.0} ns per move, from scratch {from_scratch:.0} ns",
        Kernel::active().name()
    );
}

fn main() {
    let network = Network::new();
    compare(1_000, &network);
}

#[test]
fn updated_sums_equal_fresh_ones() {
    let network = Network::new();
    compare(20, &network);
}
