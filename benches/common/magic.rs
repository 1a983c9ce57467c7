//! Peer: every slider popped from its set and looked up by magic multiplication, with the published crate
//! `cozy-chess`.

use cozy_chess::{BitBoard, Square, get_bishop_moves, get_rook_moves};

use super::Operation;
use super::contender::Contender;
use super::looped::looped;

pub(crate) const NAME: &str = "cozy-magic";

pub(super) fn contender(operation: Operation) -> Option<Contender> {
    let magic = looped!(NAME, rook, bishop, queen, slider);
    // SAFETY: these loops are compiled for no further features.
    unsafe { magic.contender(operation) }
}

#[inline(always)]
fn popped(sliders: u64, look_up: impl Fn(Square) -> BitBoard) -> u64 {
    BitBoard(sliders)
        .into_iter()
        .fold(0, |attacked, square| attacked | look_up(square).0)
}

#[inline(always)]
fn rook(rooks: u64, occupied: u64) -> u64 {
    let occupied = BitBoard(occupied | rooks);
    popped(rooks, |square| get_rook_moves(square, occupied))
}

#[inline(always)]
fn bishop(bishops: u64, occupied: u64) -> u64 {
    let occupied = BitBoard(occupied | bishops);
    popped(bishops, |square| get_bishop_moves(square, occupied))
}

#[inline(always)]
fn queen(queens: u64, occupied: u64) -> u64 {
    let occupied = BitBoard(occupied | queens);
    popped(queens, |square| {
        get_rook_moves(square, occupied) | get_bishop_moves(square, occupied)
    })
}

#[inline(always)]
fn slider(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
    let occupied = occupied | orthogonal | diagonal;
    rook(orthogonal, occupied) | bishop(diagonal, occupied)
}
