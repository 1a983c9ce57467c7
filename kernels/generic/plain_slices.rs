//! Rank slices in plain integers: a driver for any CPU, which the compiler vectorises.
//!
//! A block of 64 boards is sliced by transposing 8x8 bytes in `u64`s, eight boards at a time. Then
//! a loop over the slices computes the attacks across ranks, in an integer type whose bytes are
//! ranks. Every loop has a fixed number of iterations, so the compiler can vectorise it without a
//! remainder. All kinds of attacks use the same few loops.

use core::marker::PhantomData;

use bytemuck::Pod;

use super::attacks::across_and_along;
use super::board_rays::Borrow;
use super::board_vector::BoardVector;
use super::driver::Driver;
use super::from_square::FromSquare;
use super::one_board::General;
use super::operation::{SlicedOperation, Sliders};
use super::rank_bytes::{RankBytes, along_rank};
use super::rank_slices::one_by_one;
use super::rays::{LineAttacks, for_line};
use super::transpose::transpose_words;

/// Computes attacks in blocks of 64 boards, in values of `T`. Remainders and all other operations
/// run board by board, with [`Borrow`].
pub(crate) struct PlainSlices<T>(PhantomData<T>);

/// An integer type for computing attacks on slices.
pub(crate) trait SliceInteger: RankBytes + Pod {
    /// If `orthogonal`, sets `attacks` to the attacks of orthogonal sliders; otherwise adds the
    /// attacks of diagonal sliders.
    fn add(orthogonal: bool, attacks: &mut Slices, sliders: &Slices, occupied: &Slices);
}

/// Implements [`SliceInteger::add`] with `PER_RANK` values per rank of the block. The byte order in
/// a value does not matter, as long as it is the same for all sets.
#[inline(always)]
pub(crate) fn add<T: RankBytes + Pod, const PER_RANK: usize>(
    orthogonal: bool,
    attacks: &mut Slices,
    sliders: &Slices,
    occupied: &Slices,
) {
    if orthogonal {
        attacks_along_ranks(attacks, sliders, occupied);
        add_across::<T, PER_RANK, true, false>(attacks, sliders, occupied);
    } else {
        add_across::<T, PER_RANK, false, true>(attacks, sliders, occupied);
    }
}

#[inline(always)]
fn add_across<
    T: RankBytes + Pod,
    const PER_RANK: usize,
    const ORTHOGONAL: bool,
    const DIAGONAL: bool,
>(
    attacks: &mut Slices,
    sliders: &Slices,
    occupied: &Slices,
) {
    let attacks: &mut [[T; PER_RANK]; 8] = bytemuck::cast_mut(attacks);
    let sliders: &[[T; PER_RANK]; 8] = bytemuck::cast_ref(sliders);
    let occupied: &[[T; PER_RANK]; 8] = bytemuck::cast_ref(occupied);
    for i in 0..PER_RANK {
        let (mut s, mut o) = ([sliders[0][i]; 8], [occupied[0][i]; 8]);
        for rank in 1..8 {
            s[rank] = sliders[rank][i];
            o[rank] = occupied[rank][i];
        }
        let ranks = across_and_along::<T, ORTHOGONAL, DIAGONAL, false>(s, s, o);
        for rank in 0..8 {
            attacks[rank][i] = attacks[rank][i] | ranks[rank];
        }
    }
}

/// Sets `attacks` to the attacks along ranks, in a short loop over words.
#[inline(always)]
fn attacks_along_ranks(attacks: &mut Slices, rooks: &Slices, occupied: &Slices) {
    let sets = rooks.as_flattened().iter().zip(occupied.as_flattened());
    for (attacks, (&rooks, &occupied)) in attacks.as_flattened_mut().iter_mut().zip(sets) {
        *attacks = along_rank(rooks, occupied);
    }
}

/// Boards per block.
const BOARDS: usize = 64;
/// Distance, in boards, between boards that are transposed together.
const STRIDE: usize = BOARDS / 8;

/// A sliced block. A word holds one rank of eight boards, and the words of a rank are adjacent.
pub(crate) type Slices = [[u64; STRIDE]; 8];

/// # Safety
/// `from` is readable for a block of boards.
#[inline(never)]
unsafe fn slice(from: *const u64, slices: &mut Slices) {
    for i in 0..STRIDE {
        let mut eight = [0; 8];
        for n in 0..8 {
            // SAFETY: `STRIDE * n + i` is below `BOARDS`.
            eight[n] = unsafe { u64::load(from.add(STRIDE * n + i)) };
        }
        let ranks = transpose_words(eight);
        for rank in 0..8 {
            slices[rank][i] = ranks[rank];
        }
    }
}

/// # Safety
/// `to` is writable for a block of boards.
#[inline(never)]
unsafe fn unslice(slices: &Slices, to: *mut u64) {
    for i in 0..STRIDE {
        let mut ranks = [0; 8];
        for rank in 0..8 {
            ranks[rank] = slices[rank][i];
        }
        let eight = transpose_words(ranks);
        for n in 0..8 {
            // SAFETY: `STRIDE * n + i` is below `BOARDS`.
            unsafe { eight[n].store(to.add(STRIDE * n + i)) };
        }
    }
}

impl<T: SliceInteger> Driver for PlainSlices<T> {
    type One = General;
    type Rays = Borrow;

    #[inline(always)]
    unsafe fn sets<Op: SlicedOperation<N, M>, const N: usize, const M: usize>(
        op: Op,
        mut inputs: [*const u64; N],
        mut outputs: [*mut u64; M],
        boards: usize,
    ) {
        let mut left = boards;
        // Slicing rooks alone does not pay off in `u64`s: compared with vectorised Kogge-Stone,
        // `scalar` took 1.05x the time with slices and 0.83x without (Zen 5).
        let pays = |sliders: &Sliders| sliders.diagonal.is_some() || size_of::<T>() < 8;
        if let Some(sliders) = Op::ATTACKS.filter(pays) {
            let mut sets = [[[0; STRIDE]; 8]; N];
            let mut results = [[[0; STRIDE]; 8]; M];
            while left >= BOARDS {
                // SAFETY: a whole block is left, and it is read before its results are written.
                unsafe {
                    for n in 0..N {
                        slice(inputs[n], &mut sets[n]);
                        inputs[n] = inputs[n].add(BOARDS);
                    }
                    attacks::<T>(sliders, &mut sets, &mut results);
                    for m in 0..M {
                        unslice(&results[m], outputs[m]);
                        outputs[m] = outputs[m].add(BOARDS);
                    }
                }
                left -= BOARDS;
            }
        }
        // SAFETY: the arrays are valid for the `left` boards that are left.
        unsafe { Self::boards(op, inputs, outputs, left) }
    }

    #[inline(always)]
    unsafe fn squares<Op: FromSquare>(
        op: Op,
        squares: *const u8,
        occupied: *const u64,
        attacks: *mut u64,
        boards: usize,
    ) {
        // SAFETY: the arrays are valid for `boards` boards.
        unsafe { one_by_one::<Op, General>(op, squares, occupied, attacks, 0..boards) };
    }

    #[inline(always)]
    unsafe fn line_squares(
        line: LineAttacks,
        squares: *const u8,
        occupied: *const u64,
        attacks: *mut u64,
        boards: usize,
    ) {
        // SAFETY: the arrays are valid for `boards` boards.
        unsafe {
            for_line!(line, |along| {
                one_by_one::<_, General>(along, squares, occupied, attacks, 0..boards);
            });
        }
    }
}

/// Computes the attacks of the sliders in one block of boards. Every slider is also a blocker. The
/// last of `sets` is the occupancy.
fn attacks<T: SliceInteger>(sliders: Sliders, sets: &mut [Slices], results: &mut [Slices]) {
    let Some((occupied, sets)) = sets.split_last_mut() else {
        return;
    };
    for set in &*sets {
        for (occupied, sliders) in occupied.as_flattened_mut().iter_mut().zip(set.as_flattened()) {
            *occupied |= sliders;
        }
    }
    if let Some(result) = results.last_mut() {
        *result = [[0; STRIDE]; 8];
    }
    // Uses `get`, because the C library must not contain panics.
    let set = |n: Option<usize>| n.and_then(|n| sets.get(n));
    if let (Some(set), Some(result)) = (set(sliders.orthogonal), results.first_mut()) {
        T::add(true, result, set, occupied);
    }
    if let (Some(set), Some(result)) = (set(sliders.diagonal), results.last_mut()) {
        T::add(false, result, set, occupied);
    }
}
