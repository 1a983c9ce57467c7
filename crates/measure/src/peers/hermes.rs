//! Peer: looks up the attacks of one slider at a time by magic multiplication, with the published
//! crate `hermes-simd`.

use hermes_simd::{bishop_attacks, rook_attacks};

use super::looped::looped;
use crate::contender::Contender;
use crate::operation::Operation;

/// The peer's name in the figures.
pub const NAME: &str = "hermes-magic";

pub(super) fn contenders(operation: Operation) -> Vec<Contender> {
    looped! { operation; [NAME] => {
        rook_attacks(rooks, occupied) = popped(rooks, occupied | rooks, rook_attacks);
        bishop_attacks(bishops, occupied) = popped(bishops, occupied | bishops, bishop_attacks);
        queen_attacks(queens, occupied) = popped(queens, occupied | queens, |square, occupied| {
            rook_attacks(square, occupied) | bishop_attacks(square, occupied)
        });
        slider_attacks(orthogonal, diagonal, occupied) = {
            let occupied = occupied | orthogonal | diagonal;
            popped(orthogonal, occupied, rook_attacks) | popped(diagonal, occupied, bishop_attacks)
        };
    } }
}

#[inline(always)]
fn popped(mut sliders: u64, occupied: u64, look_up: impl Fn(u8, u64) -> u64) -> u64 {
    let mut attacked = 0;
    while sliders != 0 {
        attacked |= look_up(sliders.trailing_zeros() as u8, occupied);
        sliders &= sliders - 1;
    }
    attacked
}
