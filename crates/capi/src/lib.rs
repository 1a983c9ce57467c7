//! The C library: the functions of `setwise-capi-functions` and, without the standard library, what a `no_std` library
//! needs. Its documentation is `include/setwise.h`.
#![no_std]

pub use setwise_capi_functions::*;

kernels::without_std! { mod bare; }
