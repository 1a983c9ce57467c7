//! AMD XOP (Bulldozer to Excavator): `vpperm` reverses bits and cuts boards into slices, `vpcmov`
//! is a flood step, `vpshlb` shifts bytes.
//!
//! `xop-emulated` is the same code with these three instructions in software.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "xop",
    description: "rank slices of 16 boards in XMM registers, cut with vpperm: borrow both ways, westward in ranks reversed with vpperm; vpcmov, vpshlb",
    targets: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["avx"],
    detected: ["xop"],
    imports: {
        generic::{one_board::General, board_rays::Borrow},
        generic::rank_slices::{RankSlices, SliceAttacks},
        x86_64::{SSE2_MOVES, SSE2_THREATS, vpperm::{Hardware, Xop}, xmm::Xmm},
    },
    threats: SSE2_THREATS,
    moves: SSE2_MOVES,
    driver: RankSlices<Xmm<Xop<Hardware>>, General, Borrow, SliceAttacks>,
    shares: sse2 [
        rook_attacks_one, doubly_attacked_one, legal_counts, legal_counts_in_columns,
        legal_counts_in_planes,
    ],
}
