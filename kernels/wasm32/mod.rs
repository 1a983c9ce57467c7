//! The kernel for WebAssembly.

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod register;

pub(super) mod simd128;
