//! The C library: the functions of `setwise-capi-functions` and, if `setwise` lacks `std`, the
//! panic handler that a `no_std` library needs. `include/setwise.h` documents it.
#![no_std]

pub use setwise_capi_functions::*;

kernels::without_std! { mod bare; }
