//! Attack maps of whole positions in columns: a column for each side and kind of piece, and for
//! each set of the results. Absent results are neither computed nor written.
//!
//! This code works on blocks in rank slices. It slices the occupancy once for all six sets of
//! sliders. `positions::maps_by_entries` does the rest.

use super::attacks::sliced;
use super::board_rays::BoardRays;
use super::board_vector::Register;
use super::leapers;
use super::maps_and_checks::pawns_ahead;
use crate::kernels::geometry::MapColumns;

/// For each side and kind of piece: whether any requested result depends on the attacks of these
/// pieces.
pub(super) type Needed = [[bool; 6]; 2];

pub(super) fn needed(columns: &MapColumns) -> Needed {
    let mut needed = [[false; 6]; 2];
    for side in 0..2 {
        for kind in 0..6 {
            let threatens = kind < 4 && !columns.by_lesser[side].is_null();
            needed[side][kind] =
                !columns.attacks[side][kind].is_null() || !columns.all[side].is_null() || threatens;
        }
    }
    needed
}

pub(super) const PAWNS: usize = 0;
pub(super) const KNIGHTS: usize = 1;
pub(super) const BISHOPS: usize = 2;
pub(super) const ROOKS: usize = 3;
pub(super) const QUEENS: usize = 4;
const KINGS: usize = 5;

/// Computes the maps of whole blocks of positions, and returns the number of positions done. Rooks
/// run in rank slices only if `SLICE_ROOKS`.
///
/// # Safety
/// Columns that are not null are valid for `count` boards (of any alignment). No result overlaps
/// another column. The CPU has the features of `R` and of the technique.
#[inline(always)]
pub(super) unsafe fn in_blocks<R: Register, T: BoardRays<R>, const SLICE_ROOKS: bool>(
    columns: &MapColumns,
    count: usize,
) -> usize {
    let (needed, mut done) = (needed(columns), 0);
    while count - done >= 8 * R::BOARDS {
        // SAFETY: a block is left.
        unsafe { block::<R, T, SLICE_ROOKS>(columns, &needed, done) };
        done += 8 * R::BOARDS;
    }
    done
}

/// # Safety
/// The contract of [`in_blocks`], for the block that begins at position `first`.
#[inline(always)]
unsafe fn block<R: Register, T: BoardRays<R>, const SLICE_ROOKS: bool>(
    columns: &MapColumns,
    needed: &Needed,
    first: usize,
) {
    // SAFETY: every kind of piece has a column, which the block does not exceed.
    let zero = unsafe { R::load(columns.pieces[0][0].add(first)) }.splat(0);
    let (mut occupied, mut ranks) = ([zero; 8], [zero; 8]);
    if needed.iter().any(|side| side[BISHOPS..=QUEENS].contains(&true)) {
        for v in 0..8 {
            for side in 0..2 {
                for kind in 0..6 {
                    // SAFETY: the block has a vector `v`.
                    occupied[v] = occupied[v] | unsafe { vector(columns, side, kind, first, v) };
                }
            }
        }
        ranks = R::slice(occupied);
    }
    for side in 0..2 {
        let [needs_pawns, needs_knights, needs_bishops, needs_rooks, needs_queens, needs_kings] =
            needed[side];
        let mut sliders = [[zero; 8]; 3];
        // SAFETY: the columns have this block.
        unsafe {
            if needs_bishops {
                let set = R::slice(vectors(columns, side, BISHOPS, first));
                sliders[0] = R::unslice(sliced::<R, false, true>(set, set, ranks));
            }
            if needs_rooks && SLICE_ROOKS {
                let set = R::slice(vectors(columns, side, ROOKS, first));
                sliders[1] = R::unslice(sliced::<R, true, false>(set, set, ranks));
            } else if needs_rooks {
                for v in 0..8 {
                    sliders[1][v] = T::rook(vector(columns, side, ROOKS, first, v), occupied[v]);
                }
            }
            if needs_queens {
                let set = R::slice(vectors(columns, side, QUEENS, first));
                sliders[2] = R::unslice(sliced::<R, true, true>(set, set, ranks));
            }
        }
        for v in 0..8 {
            let (bishops, rooks, queens) = (sliders[0][v], sliders[1][v], sliders[2][v]);
            let (mut pawns, mut knights, mut kings) = (zero, zero, zero);
            // SAFETY: the block has a vector `v`.
            unsafe {
                if needs_pawns {
                    pawns = pawns_ahead(side, vector::<R>(columns, side, PAWNS, first, v));
                }
                if needs_knights {
                    let set = vector::<R>(columns, side, KNIGHTS, first, v);
                    knights = leapers::knight_attacks(set);
                }
                if needs_kings {
                    kings = leapers::king_attacks(vector::<R>(columns, side, KINGS, first, v));
                }
                let attacks = [pawns, knights, bishops, rooks, queens, kings];
                let board = first + v * R::BOARDS;
                for kind in 0..6 {
                    store(attacks[kind], columns.attacks[side][kind], board);
                }
                let minor = pawns | knights | bishops;
                store(minor | rooks | queens | kings, columns.all[side], board);
                if !columns.by_lesser[side].is_null() {
                    let other_knights: R = vector(columns, 1 - side, KNIGHTS, first, v);
                    let other_bishops = vector(columns, 1 - side, BISHOPS, first, v);
                    let other_rooks = vector(columns, 1 - side, ROOKS, first, v);
                    let other_queens = vector(columns, 1 - side, QUEENS, first, v);
                    let by_lesser = pawns & (other_knights | other_bishops)
                        | minor & other_rooks
                        | (minor | rooks) & other_queens;
                    store(by_lesser, columns.by_lesser[side], board);
                }
            }
        }
    }
}

/// # Safety
/// The contract of [`block`], for vector `v`.
#[inline(always)]
unsafe fn vector<R: Register>(
    columns: &MapColumns,
    side: usize,
    kind: usize,
    first: usize,
    v: usize,
) -> R {
    // SAFETY: the column has vector `v` of this block.
    unsafe { R::load(columns.pieces[side][kind].add(first + v * R::BOARDS)) }
}

/// # Safety
/// The contract of [`block`].
#[inline(always)]
unsafe fn vectors<R: Register>(
    columns: &MapColumns,
    side: usize,
    kind: usize,
    first: usize,
) -> [R; 8] {
    // SAFETY: a block has eight vectors.
    unsafe {
        let mut vectors = [vector(columns, side, kind, first, 0); 8];
        for v in 1..8 {
            vectors[v] = vector(columns, side, kind, first, v);
        }
        vectors
    }
}

/// Stores a vector to a column, unless the column is absent.
///
/// # Safety
/// The column is null, or writable for a vector from this board on.
#[inline(always)]
unsafe fn store<R: Register>(vector: R, column: *mut u64, board: usize) {
    if !column.is_null() {
        // SAFETY: the column is writable for this vector.
        unsafe { vector.store(column.add(board)) };
    }
}
