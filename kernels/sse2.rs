//! SSE2: 16 boards in rank slices, `psubb` and `pandn` eastward.
//!
//! Source: Gerd Isenberg, Computer Chess Club, 22 May 2005, for the eastward ray.

use super::shells;
#[cfg(target_arch = "x86_64")]
use super::x86::{west_by_words, xmm_lanes};

#[cfg(target_arch = "x86_64")]
xmm_lanes!(Sse2 { west_by_words!(_mm_srli_epi16); });

shells::base! {
    on: target_arch = "x86_64",
    features: ["sse2"],
    lanes: Sse2, one: crate::kernels::borrow::TABLE,
}

shells::rank_sliced! {
    name: c"sse2",
    technique: "rank slices of 16 boards in XMM registers: borrow eastward (psubb, pandn), Kogge-Stone westward",
    on: target_arch = "x86_64",
    features: ["sse2"],
    lanes: Sse2, few: super::base::FEW,
    own: [rook_attacks, bishop_attacks, queen_attacks, slider_attacks, slider_attacks_split, rook_attacks_from, bishop_attacks_from, queen_attacks_from],
    rest: base::TABLE,
}
