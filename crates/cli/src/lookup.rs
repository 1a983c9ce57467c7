//! An independent reference: looks up each slider's attacks in the tables of a published chess
//! crate.

use std::ops::BitOr;

use cozy_chess::{BitBoard, Square, get_bishop_moves, get_rook_moves};

/// The operations that the look-up can check.
pub(crate) const OPERATIONS: [&str; 4] =
    ["rook_attacks", "bishop_attacks", "queen_attacks", "slider_attacks"];

/// Unites the attacks of all sliders.
fn unite(sliders: u64, occupied: u64, look_up: fn(Square, BitBoard) -> BitBoard) -> u64 {
    let look_up = |square| look_up(square, BitBoard(occupied)).0;
    BitBoard(sliders).into_iter().map(look_up).fold(0, u64::bitor)
}

/// The result of one of the [`OPERATIONS`] for one board.
pub(crate) fn attacks(operation: &str, inputs: &[u64]) -> u64 {
    let occupied = inputs.iter().fold(0, |all, set| all | set);
    let rooks = |sliders| unite(sliders, occupied, get_rook_moves);
    let bishops = |sliders| unite(sliders, occupied, get_bishop_moves);
    match operation {
        "rook_attacks" => rooks(inputs[0]),
        "bishop_attacks" => bishops(inputs[0]),
        "queen_attacks" => rooks(inputs[0]) | bishops(inputs[0]),
        "slider_attacks" => rooks(inputs[0]) | bishops(inputs[1]),
        _ => unreachable!("no look-up for {operation}"),
    }
}
