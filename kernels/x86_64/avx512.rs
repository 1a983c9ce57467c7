//! AVX-512 of the Ice Lake class: 64 boards in rank slices, westward by GFNI, three-input steps by `vpternlog`
//! (which the compiler forms), tails by masks.
//!
//! The cut is by unpacking, as for AVX2. Two-source byte permutes (VBMI) need 24 a cut where unpacking needs 32, but a queen
//! took 0.48 of avx2's time with them and takes 0.37 without, on Zen 5.

use crate::kernels::shells::kernel;

kernel! {
    name: c"avx512",
    technique: "rank slices of 64 boards in ZMM registers: borrow both ways, westward in ranks reversed by gf2p8affineqb, masked tails",
    on: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["avx512f", "avx512bw", "avx512vl", "avx512vbmi", "gfni"],
    driver: RankSlices<Zmm<Gfni>, Borrow, EightRays>,
}
