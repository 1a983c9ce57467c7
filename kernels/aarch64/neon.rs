//! NEON (AArch64, little-endian): 16 boards in rank slices.
//!
//! A flood step is one instruction (`bsl`), and byte shifts need no masks. `rbit` reverses ranks
//! for the westward ray. `uzp1` and `uzp2` deinterleave, so slicing takes three steps. With
//! interleaving it would take four.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "neon",
    description: "rank slices of 16 boards in NEON registers: borrow both ways, westward in ranks reversed with rbit",
    targets: all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
    features: ["neon"],
    imports: { aarch64::register::Neon, generic::{one_board::TwoKinds, rank_slices::RankSlices} },
    driver: RankSlices<Neon, TwoKinds<Neon>>,
}
