//! The kernel for WebAssembly.

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod register;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use register::Simd128;

pub(super) mod simd128;
