//! AVX2 with GFNI: the rank slices of `avx2`, with westward rays by bit reversal and
//! one-instruction shifts. Rooks are computed on whole, flipped boards.
//!
//! A separate kernel, because some CPUs have GFNI but not AVX-512 (Alder Lake, Arrow Lake...).

use crate::kernels::entry_points::kernel;

kernel! {
    name: "avx2-gfni",
    description: "rank slices of 32 boards in YMM registers: borrow both ways, westward in ranks reversed with gf2p8affineqb; rooks on whole boards, flipped with it",
    targets: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["avx2", "gfni"],
    detected: ["popcnt"],
    imports: {
        generic::{rank_slices::{RankSlices, SliceAllButRooks}, board_rays::FlippedBorrow},
        x86_64::{moves::AVX2_MOVES, threats_avx2_batch::AVX2_THREATS, gfni::Gfni, variable_shifts::FourRaysAndFlips, ymm::Ymm},
    },
    threats: AVX2_THREATS,
    moves: AVX2_MOVES,
    driver: RankSlices<Ymm<Gfni>, FourRaysAndFlips, FlippedBorrow, SliceAllButRooks>,
    shares: avx2 [
        xray_bishop_attacks, occluded_fill, knight_attacks, king_attacks, pawn_attacks,
        bishop_attacks_one, queen_attacks_one, slider_attacks_one,
        sliders_by_kind_one, side_attacks_one, doubly_attacked_one,
        legal_counts, legal_counts_in_columns, legal_counts_in_planes,
    ],
}
