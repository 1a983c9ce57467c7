//! SSSE3: `pshufb` cuts boards into ranks, and reverses ranks for rays along them.
//!
//! The cut pairs the ranks of two boards with a `pshufb`, then interleaves words. It takes as many
//! shuffles as without `pshufb`, and the same time (0.97-1.01x on Zen 5). Two look-ups reverse a
//! byte: the reversed low nibble becomes the high nibble, and vice versa.
//!
//! Rejected: westward diagonals in reversed ranks. They take 24 reversals of six instructions each
//! and save 14 shifts (counted, not timed). Also rejected: set-wise Hyperbola Quintessence on whole
//! boards. It needs a subtraction for each of the 15 diagonals, because a borrow must not cross
//! into the next diagonal.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "ssse3",
    description: "rank slices of 16 boards in XMM registers, cut with pshufb: borrow both ways, westward in ranks reversed with pshufb",
    targets: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["ssse3"],
    imports: {
        generic::{rank_slices::{RankSlices, SliceAttacks}, board_rays::Borrow},
        x86_64::{SSE2_MOVES, SSE2_THREATS, hyperbola::DiagonalsByPshufb, shifts::Pshufb, xmm::Xmm},
    },
    threats: SSE2_THREATS,
    moves: SSE2_MOVES,
    driver: RankSlices<Xmm<Pshufb>, DiagonalsByPshufb, Borrow, SliceAttacks>,
    shares: sse2 [
        pins, xray_rook_attacks, xray_bishop_attacks, xray_queen_attacks, ray_attacks,
        occluded_fill, knight_attacks, king_attacks, pawn_attacks, rook_attacks_one,
        bishop_attacks_one, doubly_attacked_one, legal_counts, legal_counts_in_columns, legal_counts_in_planes,
    ],
}
