//! Peer: looks up the attacks of one slider at a time by magic multiplication, with the published
//! crate `cozy-chess`.

use cozy_chess::{BitBoard, Square, get_bishop_moves, get_rook_moves};

use super::looped::looped;
use crate::contender::Contender;
use crate::operation::Operation;

/// The peer's name in the figures.
pub const NAME: &str = "cozy-magic";

pub(super) fn contenders(operation: Operation) -> Vec<Contender> {
    looped! { operation; [NAME] => {
        rook_attacks(rooks, occupied) = popped(rooks, occupied | rooks, get_rook_moves);
        bishop_attacks(bishops, occupied) = popped(bishops, occupied | bishops, get_bishop_moves);
        queen_attacks(queens, occupied) = popped(queens, occupied | queens, |square, occupied| {
            get_rook_moves(square, occupied) | get_bishop_moves(square, occupied)
        });
        slider_attacks(orthogonal, diagonal, occupied) = {
            let occupied = occupied | orthogonal | diagonal;
            popped(orthogonal, occupied, get_rook_moves)
                | popped(diagonal, occupied, get_bishop_moves)
        };
    } }
}

#[inline(always)]
fn popped(sliders: u64, occupied: u64, look_up: impl Fn(Square, BitBoard) -> BitBoard) -> u64 {
    BitBoard(sliders)
        .into_iter()
        .fold(0, |attacked, square| attacked | look_up(square, BitBoard(occupied)).0)
}
