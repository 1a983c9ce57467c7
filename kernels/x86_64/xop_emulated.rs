//! The westward ray by VPPERM's bit reversal, with VPPERM in software: what XOP's instruction
//! does on the CPUs that have it, step by step on those that have SSSE3.
//!
//! The selector is constant in the kernel, so that the compiler leaves out the operations that it does not choose. What is left
//! are the two look-ups of `ssse3`: one reversal, by two ways of saying it.

use crate::kernels::shells::kernel;

kernel! {
    name: c"xop-emulated",
    technique: "rank slices of 16 boards in XMM registers: borrow both ways, westward in ranks reversed by VPPERM in software",
    on: all(target_arch = "x86_64", target_feature = "sse2"),
    features: ["ssse3"],
    driver: RankSlices<Xmm<Emulated>, Borrow, Shared, Attacks>,
}
