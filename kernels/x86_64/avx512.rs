//! AVX-512 of the Ice Lake class: 64 boards in rank slices, westward by GFNI, three-input steps by `vpternlog`
//! (which the compiler forms), tails by masks.
//!
//! The cut is by masked shuffles ([`exchange`](super::zmm)): against unpacking, 0.93 of the time for bishops and 0.92 for queens on a Sapphire
//! Rapids core. Rooks are on whole boards, turned by GFNI.

use crate::kernels::shells::kernel;

kernel! {
    name: c"avx512",
    technique: "rank slices of 64 boards in ZMM registers: borrow both ways, westward in ranks reversed by gf2p8affineqb, masked tails; rooks on whole boards, turned by it",
    on: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["avx512f", "avx512bw", "avx512vl", "avx512vbmi", "gfni"],
    driver: RankSlices<Zmm<Gfni>, Borrow, EightRays, EverythingAndOneRegister>,
}
