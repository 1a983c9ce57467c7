//! The fallback everywhere: the rank-sliced algorithm on `u64` as a vector of eight bytes.
//!
//! Rooks alone do not repay the cut into slices; they go board by board as in the `borrow` kernel
//! (against Kogge-Stone for baseline x86-64 on a Zen 5: 0.83 that way, 1.05 in slices). So do attacks in two
//! sets, x-rays and pins.

use super::batch::Few;
use super::swar::Swar;
use super::{borrow, hyperbola, shells};

shells::rank_sliced! {
    name: c"scalar",
    technique: "rank slices of 8 boards in general registers (SWAR); rooks by borrow, board by board",
    on: all(),
    features: [],
    lanes: Swar, few: super::FEW, rest: crate::kernels::borrow::TABLE,
    rook_attacks: borrow::TABLE.rook_attacks,
    slider_attacks_split: borrow::TABLE.slider_attacks_split,
    rook_attacks_from: hyperbola::TABLE.rook_attacks_from,
    bishop_attacks_from: hyperbola::TABLE.bishop_attacks_from,
    queen_attacks_from: hyperbola::TABLE.queen_attacks_from,
    line_attacks_from: hyperbola::TABLE.line_attacks_from,
}

/// Less than a block goes board by board.
const FEW: Few = Few {
    rooks: borrow::TABLE.rook_attacks,
    bishops: borrow::TABLE.bishop_attacks,
    sliders: borrow::TABLE.slider_attacks,
};
