//! The kernels, each a table of function pointers.
//!
//! | | depends on | contains |
//! |---|---|---|
//! | [`geometry`] | nothing | directions, lines |
//! | [`operations`] | nothing | the list of operations |
//! | [`table`] | geometry, operations | the table of function pointers |
//! | [`generic`] | geometry, table | the algorithms for any register, and the drivers that run batches |
//! | [`entry_points`] | geometry, operations, table, generic | `kernel!`, which fills the table |
//! | [`any_cpu`], `x86_64`, `aarch64`, `wasm32` | geometry, generic, `entry_points` | registers, and a file for each kernel |
//! | this file | all | the catalogue |
//!
//! # From the public function to the instruction
//!
//! `setwise::queen_attacks` (generated from the list by `src/operations.rs`) calls the method
//! [`Kernel::queen_attacks`] of the active kernel. This method checks that all slices have the
//! same length, and calls the table's entry of the same name. On AVX2 that is the function
//! `queen_attacks` that [`kernel!`](entry_points::kernel) generates in `x86_64/avx2.rs`. The
//! function's driver, [`RankSlices::sets`](generic::rank_slices::RankSlices), cuts a block of
//! boards into rank slices and calls the operation's body,
//! [`Attacks::slices`](generic::attacks::Attacks). One step of the body is
//! [`RankBytes::flood`](generic::rank_bytes::RankBytes::flood): `vpandn` and `vpor` on a `Ymm`
//! register. Everything that the entry point calls is inlined into it. A batch too small to slice
//! runs as whole boards, with [`Attacks::boards`](generic::attacks::Attacks).
//!
//! # Adding something
//!
//! An operation needs an entry in [`operations`], a body in [`generic`], a `const` form in
//! `src/board.rs` and an oracle in `crates/check/src/oracle.rs`.
//!
//! A kernel needs a file with a `kernel!` invocation, a `mod` line and a line in the catalogue. A
//! new register is a type that implements [`Register`](generic::board_vector::Register). A CPU
//! feature that no other kernel needs must be added to `features!` in `src/detect.rs` (a test fails
//! until it is).
#![allow(
    clippy::needless_range_loop,
    reason = "iterator adaptors are not `inline(always)`: one that is not inlined lacks the entry point's CPU features, so it receives vectors in memory"
)]
#![allow(clippy::precedence, reason = "`a & b | c` is how the literature writes fills")]
#![cfg_attr(
    any(
        not(setwise_kernels = "all"),
        not(feature = "techniques"),
        test,
        not(all(target_arch = "x86_64", target_feature = "sse2"))
    ),
    allow(
        dead_code,
        unused_imports,
        unused_macros,
        reason = "together, the kernels of x86-64 and of the feature `techniques` use all of the shared code; other catalogues use only a part of it"
    )
)]

pub(crate) mod any_cpu;
pub(crate) mod entry_points;
pub(crate) mod generic;
pub(crate) mod geometry;
pub(crate) mod operations;
pub(crate) mod table;

mod aarch64;
mod wasm32;
pub(crate) mod x86_64;

pub use table::{Kernel, KernelInfo};

/// Every kernel known to the crate, best first. The order follows measured speed, not vector width.
/// `setwise bench` prints the measurements.
pub(crate) static CATALOGUE: &[KernelInfo] = &[
    x86_64::avx512_gfni::KERNEL,
    x86_64::avx512::KERNEL,
    x86_64::avx2_gfni::KERNEL,
    x86_64::avx2::KERNEL,
    aarch64::neon::KERNEL,
    wasm32::simd128::KERNEL,
    x86_64::xop::KERNEL,
    x86_64::sse2::KERNEL,
    if VECTORS { any_cpu::portable::KERNEL } else { any_cpu::scalar::KERNEL },
    if VECTORS { any_cpu::scalar::KERNEL } else { any_cpu::portable::KERNEL },
    x86_64::ssse3::KERNEL,
    any_cpu::borrow::KERNEL,
    any_cpu::kogge_stone::KERNEL,
    any_cpu::dumb7fill::KERNEL,
    x86_64::pext::KERNEL,
    any_cpu::hyperbola::KERNEL,
    any_cpu::magic::KERNEL,
    x86_64::xop_emulated::KERNEL,
    any_cpu::switch::KERNEL,
];

/// True if every CPU of the target has vectors. If so, `portable` is faster than `scalar`.
const VECTORS: bool =
    cfg!(any(target_feature = "sse2", target_feature = "neon", target_feature = "simd128"));
