//! AVX-512 of the Ice Lake class: 64 boards in rank slices, westward by GFNI, three-input steps by `vpternlog`
//! (which the compiler forms), masked remainders.
//!
//! Slices by masked shuffles ([`exchange`](super::zmm)): 0.93x the time of unpacking for bishops, 0.92x for queens
//! (Sapphire Rapids). Rooks are on whole boards, flipped by GFNI.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "avx512",
    technique: "rank slices of 64 boards in ZMM registers: borrow both ways, westward in ranks reversed by gf2p8affineqb, masked remainders; rooks on whole boards, flipped by it",
    on: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["avx512f", "avx512bw", "avx512vl", "avx512vbmi", "gfni"],
    driver: RankSlices<Zmm<Gfni>, EightRays, FlippedBorrow, SliceAllButRooks>,
}
