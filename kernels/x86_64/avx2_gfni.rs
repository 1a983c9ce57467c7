//! AVX2 with GFNI: the rank slices of `avx2`, westward by one-instruction shifts and bit reversals; rooks on whole boards, turned.
//!
//! GFNI exists without AVX-512 (Alder Lake, Arrow Lake...), so it is a kernel of its own.

use crate::kernels::shells::kernel;

kernel! {
    name: c"avx2-gfni",
    technique: "rank slices of 32 boards in YMM registers: borrow both ways, westward in ranks reversed by gf2p8affineqb; rooks on whole boards, turned by it",
    on: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["avx2", "gfni"],
    driver: RankSlices<Ymm<Gfni>, Borrow, FourRaysAndTurns, EverythingAndOneRegister>,
}
