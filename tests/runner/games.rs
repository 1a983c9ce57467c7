//! The numbers and lists of legal moves, and the positions after them, on random boards.
//! `tests/legal_counts.rs` and `tests/legal_moves.rs` have positions of games, and every length and
//! address.

use std::sync::OnceLock;

use setwise::Kernel;
use setwise::moves::{GamePosition, Move, State};
use setwise_check::moves::{Game, legal_counts, legal_moves};

use crate::check::{Checked, Plan};

/// A board with one king of each side, most of the time, and any other pieces.
fn any(random: &mut fastrand::Rng) -> GamePosition {
    let mut squares: Vec<u32> = (0..64).collect();
    random.shuffle(&mut squares);
    let mut position = GamePosition::default();
    position.state = State {
        side: random.u8(..2),
        en_passant: random.u8(..65),
        castling: [random.u8(..), random.u8(..)],
    };
    let pieces = random.usize(2..40);
    for (i, square) in squares.into_iter().take(pieces).enumerate() {
        let kind = if i < 2 { 5 } else { random.usize(..5) };
        let edge = kind == 0 && !(8..56).contains(&square);
        let square = 1 << if edge && random.u32(..8) != 0 { square ^ 0o30 } else { square };
        if position.position.occupied() & square == 0 {
            position.position.pieces[if i < 2 { i } else { random.usize(..2) }][kind] |= square;
        }
    }
    position
}

/// Positions, and what the oracle says of them.
struct Expected {
    positions: Vec<GamePosition>,
    counts: Vec<(u8, u8)>,
    offsets: Vec<u32>,
    moves: Vec<Move>,
    after: Vec<GamePosition>,
}

impl Expected {
    fn new(plan: &Plan) -> Expected {
        let mut random = fastrand::Rng::with_seed(plan.config.seed);
        let count = plan.config.budget.random_boards.min(20_000) / 10 + 65;
        let positions: Vec<GamePosition> = (0..count).map(|_| any(&mut random)).collect();
        let counts = positions.iter().map(legal_counts).collect();
        let (mut offsets, mut moves, mut after) = (vec![0], vec![], vec![]);
        for position in &positions {
            let legal = legal_moves(position);
            let game = Game::from(position);
            after.extend(legal.iter().map(|played| GamePosition::from(&game.after(*played))));
            moves.extend(legal);
            offsets.push(moves.len() as u32);
        }
        Expected { positions, counts, offsets, moves, after }
    }
}

/// Compares the counts and lists of a kernel, and the positions after the moves, with the oracle,
/// which is asked only once for all kernels.
pub(crate) fn agree(plan: &Plan, kernel: &'static Kernel) -> Checked {
    static EXPECTED: OnceLock<Expected> = OnceLock::new();
    let expected = EXPECTED.get_or_init(|| Expected::new(plan));
    let positions = &expected.positions;
    let [mut moves, mut checks] = [vec![7; positions.len()], vec![7; positions.len()]];
    kernel.legal_counts(positions, &mut moves, &mut checks);
    for (i, (position, expected)) in positions.iter().zip(&expected.counts).enumerate() {
        let found = (moves[i], checks[i]);
        if found != *expected {
            return Err(format!("{position:?}: {found:?}, expected {expected:?}"));
        }
    }

    let mut offsets = vec![!0; positions.len() + 1];
    let mut moves = vec![Move::default(); expected.moves.len()];
    let done = kernel.legal_moves(positions, &mut offsets, &mut moves);
    if done != positions.len() {
        return Err(format!("lists of {done} positions of {}", positions.len()));
    }
    for (i, position) in positions.iter().enumerate() {
        let range = |offsets: &[u32]| offsets[i] as usize..offsets[i + 1] as usize;
        let list = range(&expected.offsets);
        if range(&offsets) != list || moves[list.clone()] != expected.moves[list.clone()] {
            let found = moves.get(range(&offsets));
            return Err(format!("{position:?}: {found:?}, expected {:?}", &expected.moves[list]));
        }
    }

    let mut after = vec![GamePosition::default(); moves.len()];
    kernel.successors(positions, &offsets, &moves, &mut after);
    for ((played, found), expected) in moves.iter().zip(&after).zip(&expected.after) {
        if found != expected {
            return Err(format!("after {played:?}: {found:?}, expected {expected:?}"));
        }
    }
    Ok((positions.len() + moves.len()) as u64)
}
