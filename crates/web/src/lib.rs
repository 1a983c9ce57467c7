//! The page's WebAssembly module: batches of boards for any operation, and the steps of techniques.

pub mod batch;
#[cfg(target_arch = "wasm32")]
mod exports;
pub mod moves;
pub mod steps;
