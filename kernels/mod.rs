//! The shelf: one file per kernel, and what they share.
//!
//! Three strata. [`lanes`] is the small trait of vector operations; [`rank_slices`] is the algorithm over it;
//! a kernel's file implements the trait for its register type and wraps the algorithm in thin
//! `#[target_feature]` shells. Techniques that work on one board at a time fill the
//! same table through [`blocks`]. Nothing here knows of detection or dispatch, but for the clones of `portable`, among which
//! `multiversion` chooses.
//!
//! A new kernel is a file with a `KERNEL`, its `mod` line and its line in [`every_kernel`]. Of rank slices: a register type that
//! implements [`lanes::Lanes`], [`shells::base`] for a new width, and [`shells::rank_sliced`], which says what is the
//! kernel's own and from whose table it has the rest. Of one board at a time: [`elementwise::Technique`] or
//! [`per_slider::PerSlider`]. A CPU feature that no kernel needed before must be made known to `src/detect`
//! (a test fails until it is).

// Index loops over registers: iterator adaptors are not `inline(always)`, and a vector that passes
// through a function without the shell's features goes through memory.
#![allow(clippy::needless_range_loop)]
#![cfg_attr(
    not(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_endian = "little"),
        all(target_arch = "wasm32", target_feature = "simd128")
    )),
    allow(
        dead_code,
        unused_macros,
        unused_imports,
        reason = "here is no kernel with vector registers, for which most of it is"
    )
)]

use core::ffi::CStr;

mod batch;
mod batch_from;
pub(crate) mod between;
mod blocks;
mod bytes;
mod chunks;
pub(crate) mod compass;
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
mod plain_slices;
mod rank_slices;
mod rays;
mod reversal;
mod shells;
mod short;
mod sliced_compound;
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

/// What a kernel's file says of it.
pub(crate) struct Kernel {
    /// None if it is not compiled in.
    table: Option<Table>,
    name: &'static str,
    technique: &'static str,
    needs: &'static [&'static str],
}

impl Kernel {
    #[allow(clippy::large_types_passed_by_value, reason = "at compile time")]
    const fn new(
        name: &'static CStr,
        technique: &'static str,
        needs: &'static [&'static str],
        table: Option<Table>,
    ) -> Kernel {
        Kernel {
            table,
            name: match name.to_str() {
                Ok(name) => name,
                Err(_) => panic!("kernel names are ASCII"),
            },
            technique,
            needs,
        }
    }
}

/// A kernel of the registry.
pub(crate) struct Entry {
    /// None if it is not compiled in.
    pub(crate) table: Option<&'static Table>,
    pub(crate) name: &'static str,
    /// CPU features by the names of `std::arch::is_*_feature_detected!`.
    pub(crate) needs: &'static [&'static str],
}

/// Puts the table of a kernel, if there is one, in a static.
macro_rules! entry {
    ($kernel:ident) => {{
        static TABLE: Option<Table> = $kernel::KERNEL.table;
        Entry {
            table: TABLE.as_ref(),
            name: $kernel::KERNEL.name,
            needs: $kernel::KERNEL.needs,
        }
    }};
}

macro_rules! technique {
    ($kernel:ident) => {
        $kernel::KERNEL.technique
    };
}

/// Every kernel known to the crate, best first. The order is a measurement's, not a width's:
/// `cargo bench --features lookup,switch --bench ratios` prints it.
macro_rules! every_kernel {
    ($of:ident) => {
        [
            $of!(avx512),
            $of!(avx2_gfni),
            $of!(avx2),
            $of!(neon),
            $of!(simd128),
            $of!(xop),
            $of!(sse2),
            if VECTORS {
                $of!(portable)
            } else {
                $of!(scalar)
            },
            if VECTORS {
                $of!(scalar)
            } else {
                $of!(portable)
            },
            $of!(ssse3),
            $of!(xop_emulated),
            $of!(borrow),
            $of!(kogge_stone),
            $of!(dumb7fill),
            $of!(pext),
            $of!(hyperbola),
            $of!(magic),
            $of!(switch),
        ]
    };
}

macro_rules! count {
    ($kernel:ident) => {
        ()
    };
}
const KERNELS: usize = every_kernel!(count).len();

pub(crate) static REGISTRY: [Entry; KERNELS] = every_kernel!(entry);

/// What each kernel of the registry does, in a line: apart, for a program that does not show it should not contain it.
pub(crate) static TECHNIQUES: [&str; KERNELS] = every_kernel!(technique);
