//! Computes rays in one direction for as many boards as a register holds, for
//! `setwise::techniques`.

use super::gfni::Gfni;
use super::shifts::{Pshufb, WordShifts};
use super::xmm::Xmm;
use super::ymm::Ymm;
use crate::kernels::generic::board_rays::{BoardRays, Dumb7Fill, KoggeStone};
use crate::kernels::generic::board_vector::BoardVector;
use crate::kernels::generic::rank_bytes::{RankBytes, ReverseBits, Reversed, West as _};
use crate::kernels::geometry::RayDirection;

/// # Safety
/// The CPU has the features of `B`.
#[inline(always)]
unsafe fn load<B: BoardVector, const N: usize>(boards: [u64; N]) -> B {
    const { assert!(N == B::BOARDS, "the boards must fill the register") };
    // SAFETY: the CPU has the features of `B`; the array has as many boards as the register.
    unsafe { B::load(boards.as_ptr()) }
}

#[inline(always)]
fn store<B: BoardVector, const N: usize>(boards: B) -> [u64; N] {
    const { assert!(N == B::BOARDS, "the boards must fill the register") };
    let mut array = [0; N];
    // SAFETY: the array has as many boards as the register.
    unsafe { boards.store(array.as_mut_ptr()) };
    array
}

/// # Safety
/// The CPU has the features of `B`.
#[inline(always)]
unsafe fn ray<T: BoardRays<B>, B: BoardVector, D: RayDirection, const N: usize>(
    direction: D,
    sliders: [u64; N],
    occupied: [u64; N],
) -> [u64; N] {
    // SAFETY: the CPU has the features of `B`.
    unsafe { store(T::ray(direction, load::<B, N>(sliders), load(occupied))) }
}

/// Eastward attacks with `pandn`, `psubb` and `pxor`. Unlike [`RankBytes::east_attacks`], this
/// function requires that `occupied` contains the sliders.
#[inline(always)]
fn east<B: RankBytes>(sliders: B, occupied: B) -> B {
    (occupied & !sliders).sub_bytes(sliders) ^ occupied
}

#[inline(always)]
fn west<B: ReverseBits>(sliders: B, occupied: B) -> B {
    Reversed::attacks(sliders, occupied)
}

#[inline(always)]
pub(crate) fn east_in_xmm(sliders: [u64; 2], occupied: [u64; 2]) -> [u64; 2] {
    // SAFETY: this file is compiled only for targets with SSE2.
    unsafe { store(east::<Xmm<WordShifts>>(load(sliders), load(occupied))) }
}

/// # Safety
/// The CPU has AVX2.
#[inline(always)]
pub(crate) unsafe fn east_in_ymm(sliders: [u64; 4], occupied: [u64; 4]) -> [u64; 4] {
    // SAFETY: the CPU has AVX2.
    unsafe { store(east::<Ymm<WordShifts>>(load(sliders), load(occupied))) }
}

/// # Safety
/// The CPU has SSSE3.
#[inline(always)]
pub(crate) unsafe fn west_in_xmm(sliders: [u64; 2], occupied: [u64; 2]) -> [u64; 2] {
    // SAFETY: the CPU has SSSE3.
    unsafe { store(west::<Xmm<Pshufb>>(load(sliders), load(occupied))) }
}

/// # Safety
/// The CPU has AVX2 and GFNI.
#[inline(always)]
pub(crate) unsafe fn west_in_ymm(sliders: [u64; 4], occupied: [u64; 4]) -> [u64; 4] {
    // SAFETY: the CPU has AVX2 and GFNI.
    unsafe { store(west::<Ymm<Gfni>>(load(sliders), load(occupied))) }
}

#[inline(always)]
pub(crate) fn kogge_stone_in_xmm<D: RayDirection>(
    direction: D,
    sliders: [u64; 2],
    occupied: [u64; 2],
) -> [u64; 2] {
    // SAFETY: this file is compiled only for targets with SSE2.
    unsafe { ray::<KoggeStone, Xmm<WordShifts>, _, _>(direction, sliders, occupied) }
}

/// # Safety
/// The CPU has AVX2.
#[inline(always)]
pub(crate) unsafe fn kogge_stone_in_ymm<D: RayDirection>(
    direction: D,
    sliders: [u64; 4],
    occupied: [u64; 4],
) -> [u64; 4] {
    // SAFETY: the CPU has AVX2.
    unsafe { ray::<KoggeStone, Ymm<WordShifts>, _, _>(direction, sliders, occupied) }
}

#[inline(always)]
pub(crate) fn dumb7_in_xmm<D: RayDirection>(
    direction: D,
    sliders: [u64; 2],
    occupied: [u64; 2],
) -> [u64; 2] {
    // SAFETY: this file is compiled only for targets with SSE2.
    unsafe { ray::<Dumb7Fill, Xmm<WordShifts>, _, _>(direction, sliders, occupied) }
}
