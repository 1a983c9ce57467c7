//! The code of `xop` for CPUs without XOP: `vpperm`, `vpcmov` and `vpshlb` in software on SSSE3.
//!
//! Each `vpperm` calls a function of about forty instructions, which computes all eight operations.
//! Slicing a set takes 24 calls, each rank's westward ray takes 3, and unslicing takes none. The
//! kernel exists to run XOP's code bit for bit, not to be fast.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "xop-emulated",
    description: "the code of xop, with vpperm (all eight operations, any selector), vpcmov and vpshlb in software",
    targets: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["ssse3"],
    imports: {
        generic::{one_board::General, board_rays::Borrow},
        generic::rank_slices::{RankSlices, SliceAttacks},
        x86_64::{SSE2_MOVES, SSE2_THREATS, vpperm::{Software, Xop}, xmm::Xmm},
    },
    threats: SSE2_THREATS,
    moves: SSE2_MOVES,
    driver: RankSlices<Xmm<Xop<Software>>, General, Borrow, SliceAttacks>,
    shares: ssse3 [
        xray_bishop_attacks, occluded_fill, rook_attacks_from, line_attacks_from, knight_attacks,
        king_attacks, pawn_attacks, rook_attacks_one, bishop_attacks_one, side_attacks_one,
        doubly_attacked_one, legal_counts, legal_counts_in_columns, legal_counts_in_planes,
    ],
}
