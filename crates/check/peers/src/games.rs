//! Positions of random games: half of them from the standard position, half of Chess960.

use cozy_chess::BoardBuilder;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Position as _};

use crate::compare::Comparison;
use crate::peers::{code, game_position};

/// The longest game.
const PLIES: usize = 250;

pub fn compare(positions: usize, to: &mut Comparison) {
    let mut random = fastrand::Rng::with_seed(2);
    let (mut left, mut standard) = (positions, true);
    while left > 0 {
        let start = if standard { 518 } else { random.u32(..960) };
        standard = !standard;
        let mut chess = start_position(start);
        let mut position = game_position(&chess);
        for _ in 0..PLIES.min(left) {
            to.push(position, &chess);
            left -= 1;
            let moves = chess.legal_moves();
            let Some(&played) = moves.get(random.usize(..moves.len().max(1))) else { break };
            let after = setwise::board::play(&position, code(played));
            chess.play_unchecked(played);
            position = game_position(&chess);
            if after != position {
                to.wrong(&format!("after {played:?}: {after:?}, not {position:?}"));
            }
        }
    }
}

/// One of the 960 positions in which games begin.
pub fn start_position(number: u32) -> Chess {
    let board = BoardBuilder::chess960_startpos(number).build().expect("a position");
    let fen: Fen = format!("{board:#}").parse().expect("a FEN");
    fen.into_position(CastlingMode::Chess960).expect("a position")
}
