//! The counts of legal moves, on random boards. `tests/legal_counts.rs` has positions of games, and
//! every length and address.

use std::sync::OnceLock;

use setwise::Kernel;
use setwise::moves::{GamePosition, State};
use setwise_check::moves::legal_counts;

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

/// Compares the counts of a kernel with the oracle, which is asked only once for all kernels.
pub(crate) fn agree(plan: &Plan, kernel: &'static Kernel) -> Checked {
    static EXPECTED: OnceLock<Vec<(GamePosition, (u8, u8))>> = OnceLock::new();
    let expected = EXPECTED.get_or_init(|| {
        let mut random = fastrand::Rng::with_seed(plan.config.seed);
        let count = plan.config.budget.random_boards.min(20_000) / 10 + 65;
        let positions = (0..count).map(|_| any(&mut random));
        positions.map(|position| (position, legal_counts(&position))).collect()
    });
    let positions: Vec<GamePosition> = expected.iter().map(|(position, _)| *position).collect();
    let [mut moves, mut checks] = [vec![7; positions.len()], vec![7; positions.len()]];
    kernel.legal_counts(&positions, &mut moves, &mut checks);
    for (i, (position, expected)) in expected.iter().enumerate() {
        let found = (moves[i], checks[i]);
        if found != *expected {
            return Err(format!("{position:?}: {found:?}, expected {expected:?}"));
        }
    }
    Ok(positions.len() as u64)
}
