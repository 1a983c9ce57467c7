//! AVX-512 of the Skylake-X class (Cascade Lake, Cooper Lake too), which has neither GFNI nor VBMI: the block and the cut of `avx512`, westward by shifts.
//!
//! A blocked step of a fill is one instruction (`vpternlog`), so that Kogge-Stone westward is 11 of them instead of the 14 of `avx2`, for twice the boards; reversal by
//! `pshufb` would be 18.

use crate::kernels::shells::kernel;

kernel! {
    name: c"avx512bw",
    technique: "rank slices of 64 boards in ZMM registers: borrow eastward, Kogge-Stone westward, masked tails",
    on: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["avx512f", "avx512bw", "avx512vl"],
    driver: RankSlices<Zmm<Shifts>, Borrow, EightRays, AttacksAndSquares>,
}
