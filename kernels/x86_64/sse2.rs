//! SSE2: 16 boards in rank slices, `psubb` and `pandn` eastward.
//!
//! Source: Gerd Isenberg, Computer Chess Club, 22 May 2005, for the eastward ray.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "sse2",
    technique: "rank slices of 16 boards in XMM registers: borrow eastward (psubb, pandn), Kogge-Stone westward",
    on: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["sse2"],
    driver: RankSlices<Xmm<WordShifts>, General, Borrow, SliceAttacksAndSquares>,
}
