//! SSE2: 16 boards in rank slices, eastward rays with `psubb` and `pandn`.
//!
//! Source of the eastward ray: Gerd Isenberg, Computer Chess Club, 22 May 2005.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "sse2",
    description: "rank slices of 16 boards in XMM registers: borrow eastward (psubb, pandn), Kogge-Stone westward",
    targets: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["sse2"],
    imports: {
        generic::{one_board::TwoKinds, board_rays::Borrow},
        generic::rank_slices::{RankSlices, SliceAttacksAndSquares},
        x86_64::{SSE2_MOVES, SSE2_THREATS, shifts::WordShifts, xmm::Xmm},
    },
    threats: SSE2_THREATS,
    moves: SSE2_MOVES,
    driver: RankSlices<Xmm<WordShifts>, TwoKinds<Xmm<WordShifts>>, Borrow, SliceAttacksAndSquares>,
}
