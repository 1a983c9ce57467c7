//! AVX-512 of the Skylake-X class (also Cascade Lake and Cooper Lake), which has neither GFNI nor
//! VBMI. Blocks and slicing are those of `avx512`; westward rays use shifts.
//!
//! Takes 0.50x (queens), 0.54x (rooks) and 0.52x (sliders) the time of `avx2` on Cascade Lake,
//! 0.62x to 0.70x on Emerald Rapids.
//!
//! A blocked step of a fill is one instruction (`vpternlog`), so Kogge-Stone westward takes 11
//! instructions instead of the 14 of `avx2`, for twice the boards. Reversal by `pshufb` would take
//! 18.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "avx512bw",
    technique: "rank slices of 64 boards in ZMM registers: borrow eastward, Kogge-Stone westward, masked remainders",
    on: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["avx512f", "avx512bw", "avx512vl"],
    driver: RankSlices<Zmm<WordShifts>, EightRays>,
}
