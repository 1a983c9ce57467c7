//! The shelf: one file per kernel, and what they share.
//!
//! Three strata. [`lanes`] is the small trait of vector operations; [`rank_slices`] is the algorithm over it;
//! a kernel's file implements the trait for its register type and wraps the algorithm in thin
//! `#[target_feature]` shells. Techniques that work on one board at a time fill the
//! same table through [`elementwise`]. Nothing here knows of detection or dispatch.

// Index loops over registers: iterator adaptors are not `inline(always)`, and a vector that passes
// through a function without the shell's features goes through memory.
#![allow(clippy::needless_range_loop)]

use core::ffi::CStr;

mod batch;
mod batch_from;
pub(crate) mod between;
mod blocks;
mod bytes;
pub(crate) mod compass;
mod compound;
mod counts;
mod elementwise;
#[cfg(test)]
mod forms;
#[cfg(target_arch = "x86_64")]
mod gfni;
mod lanes;
pub(crate) mod line;
#[cfg(feature = "lookup")]
mod lookup;
#[cfg(target_arch = "x86_64")]
mod one_avx2;
#[cfg(target_arch = "x86_64")]
mod one_avx512;
mod per_slider;
mod rank_slices;
mod reversal;
mod shells;
mod short;
mod sliced_squares;
#[cfg(target_arch = "x86_64")]
mod squares_x86;
mod swar;
pub(crate) mod table;
#[cfg(target_arch = "x86_64")]
mod vpperm;
#[cfg(target_arch = "x86_64")]
mod x86;

mod avx2;
mod avx2_gfni;
mod avx512;
pub(crate) mod borrow;
mod dumb7fill;
pub(crate) mod hyperbola;
pub(crate) mod kogge_stone;
mod magic;
mod neon;
mod pext;
mod portable;
mod scalar;
mod simd128;
mod sse2;
mod ssse3;
mod switch;
mod xop;
mod xop_emulated;

pub(crate) use table::Table;

/// Raised when the meaning of an existing field of the table changes.
const ABI_VERSION: u32 = 1;

/// Whether every CPU of the target has vectors for the compiler to use: then byte arrays beat words.
const VECTORS: bool = cfg!(any(
    target_feature = "sse2",
    target_feature = "neon",
    target_feature = "simd128"
));

/// Every kernel known to the crate, best first. The order is a measurement's, not a width's:
/// `cargo bench --bench kernels` prints it.
pub(crate) static REGISTRY: [Kernel; 18] = [
    avx512::KERNEL,
    avx2_gfni::KERNEL,
    avx2::KERNEL,
    neon::KERNEL,
    simd128::KERNEL,
    xop::KERNEL,
    sse2::KERNEL,
    ssse3::KERNEL,
    xop_emulated::KERNEL,
    if VECTORS {
        portable::KERNEL
    } else {
        scalar::KERNEL
    },
    if VECTORS {
        scalar::KERNEL
    } else {
        portable::KERNEL
    },
    borrow::KERNEL,
    hyperbola::KERNEL,
    pext::KERNEL,
    magic::KERNEL,
    switch::KERNEL,
    kogge_stone::KERNEL,
    dumb7fill::KERNEL,
];

/// One kernel: its table and what is said about it. The table comes first, so that a pointer
/// to the kernel is a pointer to what C sees.
#[repr(C)]
pub(crate) struct Kernel {
    pub(crate) table: Table,
    pub(crate) name: &'static str,
    pub(crate) technique: &'static str,
    /// CPU features by the names of `std::arch::is_*_feature_detected!`.
    pub(crate) needs: &'static [&'static str],
    /// Whether `table` is this kernel's; otherwise a placeholder that is never handed out.
    pub(crate) compiled: bool,
}

impl Kernel {
    #[allow(clippy::large_types_passed_by_value, reason = "at compile time")]
    const fn new(
        name: &'static CStr,
        technique: &'static str,
        needs: &'static [&'static str],
        table: Option<Table>,
    ) -> Kernel {
        let compiled = table.is_some();
        Kernel {
            table: match table {
                Some(table) => table,
                None => kogge_stone::TABLE,
            },
            name: match name.to_str() {
                Ok(name) => name,
                Err(_) => panic!("kernel names are ASCII"),
            },
            technique,
            needs,
            compiled,
        }
    }
}
