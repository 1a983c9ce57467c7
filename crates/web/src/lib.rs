//! What the page asks of `setwise`: the list of operations over columns of boards, and the steps of techniques. For a browser it is a module with the plain
//! functions of `exports`; for the CPU it runs on a library, which the program `native` uses.
#![cfg_attr(target_arch = "wasm32", no_std)]

#[cfg(target_arch = "wasm32")]
mod exports;
pub mod operations;
pub mod steps;
pub mod walk;
