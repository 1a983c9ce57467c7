//! The kernels of x86-64: registers of three widths, and the operations of each instruction set.
//!
//! On soft-float targets (OS kernels) vector registers are off limits. There only `pext` is
//! compiled, which needs no vectors. The other kernels have only their catalogue entries.
#![allow(clippy::wildcard_imports, reason = "the names of intrinsics say where they are from")]

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod byte_shifts;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod gfni;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) mod hyperbola;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod move_slots;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod moves;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod registers;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod shifts;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod threats_avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod threats_avx2_batch;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod threats_avx512;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod threats_avx512_batch;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod threats_sse2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) mod variable_shifts;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) mod vpperm;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) mod whole_boards;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod xmm;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod ymm;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod zmm;

pub(super) mod avx2;
pub(super) mod avx2_gfni;
pub(super) mod avx512;
pub(super) mod avx512_gfni;
pub(crate) mod pext;
pub(super) mod sse2;
pub(super) mod ssse3;
pub(super) mod xop;
pub(super) mod xop_emulated;

/// The lists of moves of the kernels without AVX2.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
use crate::kernels::generic::moves::PORTABLE as SSE2_MOVES;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use moves::SSE2_MOVES;

/// The threats of the kernels without AVX2.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
use crate::kernels::generic::threats::scan_all::PORTABLE as SSE2_THREATS;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use threats_sse2::SSE2_THREATS;

/// One byte per file, from a to h: byte `i` is `1 << i`.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
const FILES: i64 = 0x8040_2010_0804_0201_u64.cast_signed();
