//! SSSE3: westward rays by bit reversal with `pshufb`.
//!
//! Two look-ups reverse a byte: the reversed low nibble becomes the high nibble, and vice versa.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "ssse3",
    technique: "rank slices of 16 boards in XMM registers: borrow both ways, westward in ranks reversed by pshufb; from squares both diagonals by pshufb",
    on: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["ssse3"],
    driver: RankSlices<Xmm<Pshufb>, DiagonalsByPshufb, Borrow, SliceAttacks>,
}
