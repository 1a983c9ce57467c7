//! The C library: the functions of `setwise-capi-functions` and, if `setwise` lacks `std`, the
//! panic handler that a `no_std` library needs. `include/setwise.h` documents it.
//!
//! Without the standard library there is no unwinding, so builds that unwind (debug builds, tests)
//! have it.
#![cfg_attr(panic = "abort", no_std)]

pub use setwise_capi_functions::*;

#[cfg(panic = "abort")]
kernels::without_std! { mod bare; }
