//! The kernels.
#![allow(
    clippy::needless_range_loop,
    reason = "iterator adaptors are not `inline(always)`, and a vector that passes through a function without the shell's features goes through memory"
)]
#![allow(
    clippy::precedence,
    reason = "`a & b | c` is how the literature writes fills"
)]

pub(crate) mod any_cpu;
pub(crate) mod generic;
pub(crate) mod geometry;
pub(crate) mod operations;
pub(crate) mod shells;
pub(crate) mod table;

mod aarch64;
mod wasm32;
mod x86_64;

pub use table::{KernelInfo, Kernels};

/// Whether every CPU of the target has vectors for the compiler to use: then byte arrays beat words.
const VECTORS: bool = cfg!(any(
    target_feature = "sse2",
    target_feature = "neon",
    target_feature = "simd128"
));

/// Every kernel known to the crate, best first. The order is a measurement's, not a width's:
/// `cargo bench --features lookup,switch --bench ratios` prints it.
pub(crate) static CATALOGUE: [KernelInfo; 18] = [
    x86_64::avx512::KERNEL,
    x86_64::avx2_gfni::KERNEL,
    x86_64::avx2::KERNEL,
    aarch64::neon::KERNEL,
    wasm32::simd128::KERNEL,
    x86_64::xop::KERNEL,
    x86_64::sse2::KERNEL,
    if VECTORS {
        any_cpu::portable::KERNEL
    } else {
        any_cpu::scalar::KERNEL
    },
    if VECTORS {
        any_cpu::scalar::KERNEL
    } else {
        any_cpu::portable::KERNEL
    },
    x86_64::ssse3::KERNEL,
    x86_64::xop_emulated::KERNEL,
    any_cpu::borrow::KERNEL,
    any_cpu::kogge_stone::KERNEL,
    any_cpu::dumb7fill::KERNEL,
    x86_64::pext::KERNEL,
    any_cpu::hyperbola::KERNEL,
    any_cpu::magic::KERNEL,
    any_cpu::switch::KERNEL,
];
