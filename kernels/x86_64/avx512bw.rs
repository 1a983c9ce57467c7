//! AVX-512 of the Skylake-X class (Cascade Lake, Cooper Lake too), which has neither GFNI nor VBMI: the block and the cut of `avx512`, westward by shifts.
//!
//! Before `avx2`: on a Emerald Rapids core it takes 0.62 to 0.70 of its time, and by llvm-mca on Skylake-X 0.39 to 0.43 of its cycles, so that even a
//! clock that falls by a third for wide registers leaves it ahead. (That is a prediction: no such CPU was at hand.)
//!
//! A blocked step of a fill is one instruction (`vpternlog`), so that Kogge-Stone westward is 11 of them instead of the 14 of `avx2`, for twice the boards; reversal by
//! `pshufb` would be 18.

use crate::kernels::shells::kernel;

kernel! {
    name: c"avx512bw",
    technique: "rank slices of 64 boards in ZMM registers: borrow eastward, Kogge-Stone westward, masked tails",
    on: all(feature = "avx512bw", target_arch = "x86_64", target_feature = "sse2"),
    features: ["avx512f", "avx512bw", "avx512vl"],
    driver: RankSlices<Zmm<Shifts>, Borrow, EightRays>,
}
