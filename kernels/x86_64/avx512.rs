//! AVX-512 of the Skylake-X class (also Cascade Lake and Cooper Lake), which has neither GFNI nor
//! VBMI. Blocks and slicing are the same as in `avx512-gfni`; westward rays use shifts.
//!
//! Takes 0.50x (queens), 0.54x (rooks) and 0.52x (sliders) the time of `avx2` on Cascade Lake, and
//! 0.62-0.70x on Emerald Rapids.
//!
//! A blocked fill step is one instruction (`vpternlog`). So a westward Kogge-Stone ray takes 11
//! instructions, whereas `avx2` takes 14 for half as many boards. Reversal with `pshufb` would take
//! 18.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "avx512",
    description: "rank slices of 64 boards in ZMM registers: borrow eastward, Kogge-Stone westward, masked remainders",
    targets: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["avx512f", "avx512bw", "avx512vl"],
    detected: ["popcnt"],
    imports: {
        generic::rank_slices::RankSlices,
        x86_64::{moves::AVX2_MOVES, threats_avx2_batch::AVX2_THREATS, shifts::WordShifts, variable_shifts::FourRotatedRays, zmm::Zmm},
    },
    threats: AVX2_THREATS,
    moves: AVX2_MOVES,
    driver: RankSlices<Zmm<WordShifts>, FourRotatedRays>,
}
