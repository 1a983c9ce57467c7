//! AVX-512 of the Ice Lake class: 64 boards in rank slices, westward rays by GFNI, masked
//! remainders. The compiler turns bitwise operations with three inputs into `vpternlog`.
//!
//! Slicing with masked shuffles (`exchange` in `zmm.rs`) takes 0.93x the time of unpacking for
//! bishops and 0.92x for queens (Sapphire Rapids). Rooks are computed on whole boards, which GFNI
//! flips.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "avx512-gfni",
    description: "rank slices of 64 boards in ZMM registers: borrow both ways, westward in ranks reversed with gf2p8affineqb, masked remainders; rooks on whole boards, flipped with it",
    targets: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["avx512f", "avx512bw", "avx512vl", "avx512vbmi", "avx512bitalg", "gfni"],
    detected: ["avx512vbmi2", "popcnt"],
    imports: {
        generic::{rank_slices::{RankSlices, SliceAllButRooks}, board_rays::FlippedBorrow},
        x86_64::{moves::AVX512_MOVES, threats_avx512_batch::AVX512_THREATS, gfni::Gfni, variable_shifts::FourRotatedRays, zmm::Zmm},
    },
    threats: AVX512_THREATS,
    moves: AVX512_MOVES,
    driver: RankSlices<Zmm<Gfni>, FourRotatedRays, FlippedBorrow, SliceAllButRooks>,
    shares: avx512 [
        xray_bishop_attacks, occluded_fill, knight_attacks, king_attacks, pawn_attacks,
        rook_attacks_one, bishop_attacks_one, queen_attacks_one, slider_attacks_one,
        sliders_by_kind_one, side_attacks_one, doubly_attacked_one,
    ],
}
