//! Batches of whole positions, chunk by chunk. Each chunk is transposed into columns on the stack,
//! and entries of the same kernel run on these columns. So a kernel needs no second copy of their
//! code.
//!
//! | | computes | calls |
//! |---|---|---|
//! | [`maps_in_chunks`] | `attack_maps` | `attack_maps_in_columns` |
//! | [`checks_in_chunks`] | `checks`, `checks_in_columns` | `pins`, `slider_attacks_split` |
//! | [`maps_by_entries`] | `attack_maps_in_columns`, for positions that fill no block | the attacks of each kind of piece |

use core::mem::MaybeUninit;
use core::ops::Range;

use super::board_vector::Register;
use super::leapers;
use super::maps_and_checks::{
    self, CHECKS, MAPS, POSITION, load_side, load_two, of_side, pawns_ahead, store_two,
};
use super::sliced_maps::{BISHOPS, KNIGHTS, Needed, PAWNS, QUEENS, ROOKS, needed};
use crate::kernels::geometry::{AttackMaps, Checks, KingColumns, MapColumns, Position};
use crate::kernels::table::Kernel;

/// Positions per chunk: one block of the widest registers.
const CHUNK: usize = 64;

/// The columns of a chunk, one for each set.
type Columns<const SETS: usize> = MaybeUninit<[[u64; CHUNK]; SETS]>;

/// The columns' addresses.
#[inline(always)]
fn starts<const SETS: usize>(columns: &mut Columns<SETS>) -> [*mut u64; SETS] {
    let start = columns.as_mut_ptr().cast::<u64>();
    core::array::from_fn(|i| start.wrapping_add(i * CHUNK))
}

/// Computes the maps of whole chunks of positions, and returns the number of positions done.
/// Transposes each chunk into columns, calls the kernel's `attack_maps_in_columns`, and
/// transposes the results back.
///
/// # Safety
/// Both pointers are valid for `count` elements (of any alignment). The CPU has the features of `R`
/// and of the kernel.
#[inline(always)]
pub(super) unsafe fn maps_in_chunks<R: Register>(
    kernel: &Kernel,
    positions: *const Position,
    maps: *mut AttackMaps,
    count: usize,
) -> usize {
    let mut done = 0;
    let (mut pieces, mut results) = (Columns::<POSITION>::uninit(), Columns::<MAPS>::uninit());
    let (pieces, results) = (starts(&mut pieces), starts(&mut results));
    let columns = MapColumns::new(pieces.map(<*mut u64>::cast_const), results);
    while count - done >= CHUNK {
        // SAFETY: a chunk is left; the columns have its length.
        unsafe {
            let from = positions.add(done).cast::<u64>();
            let to = maps.add(done).cast::<u64>();
            for v in 0..CHUNK / R::BOARDS {
                let board = v * R::BOARDS;
                for pair in 0..POSITION / 2 {
                    let [even, odd] = load_two::<R>(from.add(board * POSITION), POSITION, 2 * pair);
                    even.store(pieces[2 * pair].add(board));
                    odd.store(pieces[2 * pair + 1].add(board));
                }
            }
            (kernel.attack_maps_in_columns)(&raw const columns, CHUNK);
            for v in 0..CHUNK / R::BOARDS {
                let board = v * R::BOARDS;
                for pair in 0..MAPS / 2 {
                    let even = R::load(results[2 * pair].add(board));
                    let odd = R::load(results[2 * pair + 1].add(board));
                    store_two([even, odd], to.add(board * MAPS), MAPS, 2 * pair);
                }
            }
        }
        done += CHUNK;
    }
    done
}

/// Where positions are, and where their checks go.
pub(super) trait CheckPlaces {
    /// Whether checkers, and whether pins are wanted.
    fn wanted(&self) -> [bool; 2];

    /// The sets of a vector of positions that begins at position `i`.
    ///
    /// # Safety
    /// The positions are there. The CPU has the features of `R`.
    unsafe fn load<R: Register>(&self, i: usize) -> [[R; 6]; 2];

    /// Stores results for the kings of both sides: checkers (0), pinned (1) or pinners (2).
    ///
    /// # Safety
    /// As for [`load`](CheckPlaces::load).
    unsafe fn store<R: Register>(&self, i: usize, result: usize, sets: [R; 2]);
}

/// The words of arrays of positions and checks.
pub(super) struct CheckArrays {
    pub(super) positions: *const u64,
    pub(super) checks: *mut u64,
}

impl CheckPlaces for CheckArrays {
    #[inline(always)]
    fn wanted(&self) -> [bool; 2] {
        [true; 2]
    }

    #[inline(always)]
    unsafe fn load<R: Register>(&self, i: usize) -> [[R; 6]; 2] {
        // SAFETY: the caller's contract.
        unsafe {
            let from = self.positions.add(i * POSITION);
            [load_side(from, 0), load_side(from, 1)]
        }
    }

    #[inline(always)]
    unsafe fn store<R: Register>(&self, i: usize, result: usize, sets: [R; 2]) {
        // SAFETY: the caller's contract.
        unsafe { store_two(sets, self.checks.add(i * CHECKS), CHECKS, 2 * result) }
    }
}

impl CheckPlaces for KingColumns {
    #[inline(always)]
    fn wanted(&self) -> [bool; 2] {
        let is_there = |columns: [*mut u64; 2]| !columns[0].is_null() || !columns[1].is_null();
        [is_there(self.checkers), is_there(self.pinned) || is_there(self.pinners)]
    }

    #[inline(always)]
    unsafe fn load<R: Register>(&self, i: usize) -> [[R; 6]; 2] {
        // SAFETY: the caller's contract.
        unsafe {
            let mut sets = [[R::load(self.pieces[0][0].add(i)); 6]; 2];
            for kind in 0..6 {
                sets[0][kind] = R::load(self.pieces[0][kind].add(i));
                sets[1][kind] = R::load(self.pieces[1][kind].add(i));
            }
            sets
        }
    }

    #[inline(always)]
    unsafe fn store<R: Register>(&self, i: usize, result: usize, sets: [R; 2]) {
        let columns = [self.checkers, self.pinned, self.pinners][result];
        for side in 0..2 {
            if !columns[side].is_null() {
                // SAFETY: the caller's contract; the column is there.
                unsafe { sets[side].store(columns[side].add(i)) };
            }
        }
    }
}

/// Computes the checks of positions in columns one position at a time.
///
/// # Safety
/// Columns that are not null are valid for these positions (of any alignment). No result overlaps
/// another column.
#[inline(never)]
pub(super) unsafe fn checks_one_by_one(columns: &KingColumns, positions: Range<usize>) {
    for i in positions {
        let mut position = Position::default();
        for (set, column) in
            position.pieces.as_flattened_mut().iter_mut().zip(columns.pieces.as_flattened())
        {
            // SAFETY: the column has a position `i`.
            *set = unsafe { column.add(i).read_unaligned() };
        }
        let Checks { checkers, pinned, pinners } = maps_and_checks::checks(&position);
        let to = [columns.checkers, columns.pinned, columns.pinners];
        for (sets, to) in [checkers, pinned, pinners].iter().zip(&to) {
            for (set, to) in sets.iter().zip(to) {
                if !to.is_null() {
                    // SAFETY: the column has a position `i`.
                    unsafe { to.add(i).write_unaligned(*set) };
                }
            }
        }
    }
}

/// The number of columns that [`checks_in_chunks`] uses for a chunk: inputs, then results. Each
/// column holds White's boards, then Black's.
const COLUMNS: usize = 9;
type SidesColumns = [[u64; 2 * CHUNK]; COLUMNS];

/// Computes the checks of whole chunks of positions, and returns the number of positions done.
/// Transposes each chunk into columns, and calls the kernel's own `pins` and `slider_attacks_split`
/// on the columns. A slider gives check if it stands where a king's ray ends. Rejected for its
/// size: pins and checks in one pass over the same slices, which takes 0.9x the time (AVX-512) but
/// adds 10 KB of code per kernel.
///
/// # Safety
/// The places are valid for `count` elements (of any alignment). The CPU has the features of `R`
/// and of the kernel.
#[inline(always)]
pub(super) unsafe fn checks_in_chunks<R: Register, P: CheckPlaces>(
    kernel: &Kernel,
    places: &P,
    count: usize,
) -> usize {
    let mut done = 0;
    let mut columns = MaybeUninit::<SidesColumns>::uninit();
    while count - done >= CHUNK {
        // SAFETY: a chunk is left.
        unsafe { chunk_of_checks::<R, P>(kernel, places, done, &mut columns) };
        done += CHUNK;
    }
    done
}

/// # Safety
/// The contract of [`checks_in_chunks`], for the chunk that begins at position `first`.
#[inline(always)]
unsafe fn chunk_of_checks<R: Register, P: CheckPlaces>(
    kernel: &Kernel,
    places: &P,
    first: usize,
    columns: &mut MaybeUninit<SidesColumns>,
) {
    let mut column = [columns.as_mut_ptr().cast::<u64>(); COLUMNS];
    for i in 0..COLUMNS {
        column[i] = column[i].wrapping_add(i * 2 * CHUNK);
    }
    let [kings, own, orthogonal, diagonal, occupied, pinned, pinners, straight, oblique] = column;
    for v in 0..CHUNK / R::BOARDS {
        // SAFETY: the chunk has a vector `v`, and each side's half of the columns has one.
        unsafe {
            let sets: [[R; 6]; 2] = places.load(first + v * R::BOARDS);
            let mut all = sets[0][0];
            for side in 0..2 {
                let board = side * CHUNK + v * R::BOARDS;
                let [pawns, knights, bishops, rooks, queens, king] = sets[side];
                let [_, _, other_bishops, other_rooks, other_queens, _] = sets[1 - side];
                let pieces = pawns | knights | bishops | rooks | queens | king;
                all = all | pieces;
                king.store(kings.add(board));
                pieces.store(own.add(board));
                (other_rooks | other_queens).store(orthogonal.add(board));
                (other_bishops | other_queens).store(diagonal.add(board));
            }
            all.store(occupied.add(v * R::BOARDS));
            all.store(occupied.add(CHUNK + v * R::BOARDS));
        }
    }
    let boards = 2 * CHUNK;
    let [wants_checkers, wants_pins] = places.wanted();
    if wants_checkers {
        // SAFETY: the CPU can run the kernel; the columns have `boards` elements.
        unsafe { (kernel.slider_attacks_split)(kings, kings, occupied, straight, oblique, boards) };
        for v in 0..CHUNK / R::BOARDS {
            // SAFETY: as above.
            unsafe {
                let sets: [[R; 6]; 2] = places.load(first + v * R::BOARDS);
                let mut checkers = [sets[0][0]; 2];
                for side in 0..2 {
                    let board = side * CHUNK + v * R::BOARDS;
                    let king = sets[side][5];
                    let [pawns, knights, ..] = sets[1 - side];
                    checkers[side] = pawns_ahead(side, king) & pawns
                        | leapers::knight_attacks(king) & knights
                        | R::load(straight.add(board)) & R::load(orthogonal.add(board))
                        | R::load(oblique.add(board)) & R::load(diagonal.add(board));
                }
                places.store(first + v * R::BOARDS, 0, checkers);
            }
        }
    }
    if wants_pins {
        // SAFETY: as above.
        unsafe {
            (kernel.pins)(kings, own, orthogonal, diagonal, occupied, pinned, pinners, boards);
            for v in 0..CHUNK / R::BOARDS {
                let board = v * R::BOARDS;
                for (result, sets) in [(1, pinned), (2, pinners)] {
                    let sets = [R::load(sets.add(board)), R::load(sets.add(CHUNK + board))];
                    places.store(first + board, result, sets);
                }
            }
        }
    }
}

/// Computes the maps of the positions from `first` on. Calls the kernel's entries for each set.
///
/// # Safety
/// Columns that are not null are valid for `count` boards (of any alignment). No result overlaps
/// another column. The CPU has the features of the kernel.
#[inline(never)]
pub(super) unsafe fn maps_by_entries(
    kernel: &Kernel,
    columns: &MapColumns,
    first: usize,
    count: usize,
) {
    let (needed, mut first) = (needed(columns), first);
    while first < count {
        let boards = CHUNK.min(count - first);
        // SAFETY: the columns have `boards` boards from `first` on.
        unsafe { maps_of_chunk(kernel, columns, &needed, first, boards) };
        first += boards;
    }
}

/// A column of a chunk: one set for each board.
type Set = [u64; CHUNK];

/// # Safety
/// The contract of [`maps_by_entries`], for `boards` positions (at most [`CHUNK`]) from `first` on.
unsafe fn maps_of_chunk(
    kernel: &Kernel,
    columns: &MapColumns,
    needed: &Needed,
    first: usize,
    boards: usize,
) {
    let mut pieces = [[[0; CHUNK]; 6]; 2];
    let mut occupied = [0; CHUNK];
    for (sets, from) in pieces.as_flattened_mut().iter_mut().zip(columns.pieces.as_flattened()) {
        // SAFETY: the column has `boards` boards from `first` on.
        unsafe { copy_boards(from.add(first), sets.as_mut_ptr(), boards) };
        add(&mut occupied, sets);
    }
    for side in 0..2 {
        let mut attacks = [[0; CHUNK]; 6];
        for kind in (0..6).filter(|&kind| needed[side][kind]) {
            let (set, to) = (pieces[side][kind].as_ptr(), attacks[kind].as_mut_ptr());
            // SAFETY: the CPU can run the kernel; the arrays have room for the boards.
            unsafe {
                match kind {
                    PAWNS => (kernel.pawn_attacks)(side as u8, set, to, boards),
                    KNIGHTS => (kernel.knight_attacks)(set, to, boards),
                    BISHOPS => (kernel.bishop_attacks)(set, occupied.as_ptr(), to, boards),
                    ROOKS => (kernel.rook_attacks)(set, occupied.as_ptr(), to, boards),
                    QUEENS => (kernel.queen_attacks)(set, occupied.as_ptr(), to, boards),
                    _ => (kernel.king_attacks)(set, to, boards),
                }
            }
        }
        let (all, by_lesser) = (columns.all[side], columns.by_lesser[side]);
        let mut united = [[0; CHUNK]; 2];
        if !all.is_null() || !by_lesser.is_null() {
            united = unions(&attacks, &pieces[1 - side]);
        }
        let results = attacks.iter().zip(columns.attacks[side]);
        for (set, to) in results.chain([(&united[0], all), (&united[1], by_lesser)]) {
            if !to.is_null() {
                // SAFETY: the column is there, and has `boards` boards from `first` on.
                unsafe { copy_boards(set.as_ptr(), to.add(first), boards) };
            }
        }
    }
}

// Not inlined, because the compiler unrolls these loops into long code.
#[inline(never)]
fn add(all: &mut Set, set: &Set) {
    for (all, set) in all.iter_mut().zip(set) {
        *all |= *set;
    }
}

/// For each board, the union of a side's attacks, and the enemy pieces that the side threatens.
#[inline(never)]
fn unions(attacks: &[Set; 6], others: &[Set; 6]) -> [Set; 2] {
    let mut unions = [[0; CHUNK]; 2];
    for i in 0..CHUNK {
        let (attacks, others) =
            (attacks.each_ref().map(|set| set[i]), others.each_ref().map(|set| set[i]));
        [unions[0][i], unions[1][i]] = of_side(&attacks, &others).into();
    }
    unions
}

/// Copies boards, which need no alignment.
///
/// # Safety
/// The pointers are valid for `boards` boards, which do not overlap.
unsafe fn copy_boards(from: *const u64, to: *mut u64, boards: usize) {
    // SAFETY: both are valid for `8 * boards` bytes, which do not overlap.
    unsafe { to.cast::<u8>().copy_from_nonoverlapping(from.cast(), 8 * boards) };
}
