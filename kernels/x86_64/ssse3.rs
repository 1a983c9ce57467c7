//! SSSE3: the westward ray by bit reversal with `pshufb`.
//!
//! A byte is reversed by two look-ups, one for each nibble: the reversal of the low nibble goes high
//! and the other way round.

use crate::kernels::shells::kernel;

kernel! {
    name: c"ssse3",
    technique: "rank slices of 16 boards in XMM registers: borrow both ways, westward in ranks reversed by pshufb; from squares both diagonals by pshufb",
    on: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["ssse3"],
    driver: RankSlices<Xmm<Pshufb>, Borrow, Shared, AttacksAndPshufb>,
}
