//! AVX2: 32 boards in rank slices. A single board is computed with four rays per register.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "avx2",
    description: "rank slices of 32 boards in YMM registers: borrow eastward (vpsubb, vpandn), Kogge-Stone westward",
    targets: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["avx2"],
    detected: ["popcnt"],
    imports: {
        generic::rank_slices::RankSlices,
        x86_64::{moves::AVX2_MOVES, threats_avx2_batch::AVX2_THREATS, shifts::WordShifts, variable_shifts::FourRays, ymm::Ymm},
    },
    threats: AVX2_THREATS,
    moves: AVX2_MOVES,
    driver: RankSlices<Ymm<WordShifts>, FourRays>,
}
