//! The kernels: one table of function pointers each.
//!
//! | | knows | holds |
//! |---|---|---|
//! | [`geometry`] | nothing | directions, lines |
//! | [`operations`] | nothing | the list of operations |
//! | [`generic`] | geometry | the algorithms, for any register, and the drivers of batches |
//! | [`table`], [`entry_points`] | the list, generic | the table; `kernel!`, which fills it |
//! | [`any_cpu`], `x86_64`, `aarch64`, `wasm32` | generic, entry_points | registers, and a file for each kernel |
//! | this file | all | the catalogue |
//!
//! # The way of a board in a batch
//!
//! From `setwise::queen_attacks` (made of the list by `src/operations.rs`) a batch goes to the method of the active kernel,
//! [`Kernels::queen_attacks`], which compares the lengths and calls the table's entry of that name: with AVX2 the shell `queen_attacks` that [`entry_points::kernel!`]
//! made in `x86_64/avx2.rs`. Its driver, [`RankSlices::sets`](generic::batch::RankSlices), cuts a block of boards into slices and has them computed by
//! the operation's body, [`Queen::slices`](generic::attacks::Queen); a step of it is [`RankBytes::flood`](generic::rank_bytes::RankBytes::flood), which
//! for a `Ymm` register is `vpandn` and `vpor`. From the shell on all of this is inlined. (Too few boards for slices go as whole boards, by [`Queen::boards`](generic::attacks::Queen).)
//!
//! # To add something
//!
//! An operation: its line in [`operations`], its body in [`generic`], its `const` form in `src/board.rs`, its oracle in `crates/measure/src/walk.rs`. (For a new argument's name, its role in `tests/runner/operations.rs`.) A kernel:
//! its file with a `kernel!` (and for a new register the type, which implements [`Register`](generic::board_vector::Register)), its `mod` line and its line in the catalogue.
//! A CPU feature that no kernel needed before must be made known to `src/detect` (a test fails until it is).
#![allow(
    clippy::needless_range_loop,
    reason = "iterator adaptors are not `inline(always)`, and a vector that passes through a function without the shell's features goes through memory"
)]
#![allow(
    clippy::precedence,
    reason = "`a & b | c` is how the literature writes fills"
)]
#![cfg_attr(
    not(all(target_arch = "x86_64", target_feature = "sse2")),
    allow(
        dead_code,
        unused_imports,
        unused_macros,
        reason = "x86-64 uses all that is shared, other targets a part"
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

pub use table::{KernelInfo, Kernels};

/// Whether every CPU of the target has vectors for the compiler to use: then byte arrays beat words.
const VECTORS: bool = cfg!(any(
    target_feature = "sse2",
    target_feature = "neon",
    target_feature = "simd128"
));

/// Every kernel known to the crate, best first. The order is a measurement's, not a width's:
/// `cargo bench -p setwise-measure --features setwise/lookup,setwise/switch --bench ratios` prints it.
pub(crate) static CATALOGUE: &[KernelInfo] = &[
    x86_64::avx512::KERNEL,
    x86_64::avx2_gfni::KERNEL,
    x86_64::avx512bw::KERNEL,
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
    any_cpu::borrow::KERNEL,
    any_cpu::kogge_stone::KERNEL,
    any_cpu::dumb7fill::KERNEL,
    x86_64::pext::KERNEL,
    any_cpu::hyperbola::KERNEL,
    any_cpu::magic::KERNEL,
    x86_64::xop_emulated::KERNEL,
    any_cpu::switch::KERNEL,
];
