//! An outside reference: the table look-ups of a published chess crate, slider by slider.

use cozy_chess::{BitBoard, get_bishop_moves, get_rook_moves};

use crate::operation::Operation;

fn rooks(sliders: u64, occupied: BitBoard) -> u64 {
    BitBoard(sliders)
        .into_iter()
        .fold(0, |all, square| all | get_rook_moves(square, occupied).0)
}

fn bishops(sliders: u64, occupied: BitBoard) -> u64 {
    BitBoard(sliders)
        .into_iter()
        .fold(0, |all, square| all | get_bishop_moves(square, occupied).0)
}

/// The attacks of one board, or `None` for a single ray or fill, which the look-ups do not know.
pub(crate) fn attacks(
    operation: Operation,
    [sliders, diagonal, occupied]: [u64; 3],
) -> Option<u64> {
    let blocked = BitBoard(occupied | sliders);
    match operation {
        Operation::Rook => Some(rooks(sliders, blocked)),
        Operation::Bishop => Some(bishops(sliders, blocked)),
        Operation::Queen => Some(rooks(sliders, blocked) | bishops(sliders, blocked)),
        Operation::Slider => {
            let blocked = blocked | BitBoard(diagonal);
            Some(rooks(sliders, blocked) | bishops(diagonal, blocked))
        }
        Operation::Ray(_) | Operation::Fill(_) => None,
    }
}
