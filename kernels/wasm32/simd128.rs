//! WebAssembly's 128-bit vectors: 16 boards in rank slices.
//!
//! A WebAssembly engine without these instructions rejects the whole module. So this kernel is
//! compiled only with `-C target-feature=+simd128`.

use crate::kernels::entry_points::kernel;

kernel! {
    name: "simd128",
    description: "rank slices of 16 boards in WebAssembly vectors: borrow eastward, Kogge-Stone westward",
    targets: all(target_arch = "wasm32", target_feature = "simd128"),
    features: ["simd128"],
    imports: { generic::{one_board::TwoKinds, rank_slices::RankSlices}, wasm32::register::Simd128 },
    driver: RankSlices<Simd128, TwoKinds<Simd128>>,
}
