//! An outside reference: the table look-ups of a published chess crate, slider by slider.

use cozy_chess::{BitBoard, get_bishop_moves, get_rook_moves};

/// What it knows.
pub(crate) const OPERATIONS: [&str; 4] = [
    "rook_attacks",
    "bishop_attacks",
    "queen_attacks",
    "slider_attacks",
];

fn rooks(sliders: u64, occupied: u64) -> u64 {
    BitBoard(sliders).into_iter().fold(0, |all, square| {
        all | get_rook_moves(square, BitBoard(occupied)).0
    })
}

fn bishops(sliders: u64, occupied: u64) -> u64 {
    BitBoard(sliders).into_iter().fold(0, |all, square| {
        all | get_bishop_moves(square, BitBoard(occupied)).0
    })
}

/// The attacks of one board, by one of the [`OPERATIONS`].
pub(crate) fn attacks(operation: &str, inputs: &[u64]) -> u64 {
    let blocked = inputs.iter().fold(0, |all, set| all | set);
    match operation {
        "rook_attacks" => rooks(inputs[0], blocked),
        "bishop_attacks" => bishops(inputs[0], blocked),
        "queen_attacks" => rooks(inputs[0], blocked) | bishops(inputs[0], blocked),
        "slider_attacks" => rooks(inputs[0], blocked) | bishops(inputs[1], blocked),
        _ => unreachable!("{operation} is not looked up"),
    }
}
