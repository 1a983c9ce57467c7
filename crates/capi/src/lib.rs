//! The C library: the functions of `setwise-capi-functions` and, if `setwise` is built without
//! `std`, the panic handler that a `no_std` library needs. `include/setwise.h` documents the
//! functions.
//!
//! Builds that unwind (debug builds, tests) link the standard library, which unwinding needs.
#![cfg_attr(panic = "abort", no_std)]

pub use setwise_capi_functions::*;

#[cfg(panic = "abort")]
kernels::without_std! { mod bare; }
