//! Positions with their states in other forms than planes: in arrays, and in a column for each side
//! and kind of piece. Chunk by chunk they become planes on the stack, whose moves the kernel's own
//! entry counts. So a kernel has the code that counts only once.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::board_vector::{BoardVector, Register};
use super::maps_and_checks::load_two;
use crate::kernels::geometry::{GamePosition, PieceColumns, PlaneColumns};
use crate::kernels::table::Kernel;

/// Positions per chunk: one block of the widest registers.
const CHUNK: usize = 64;

/// The planes of a chunk.
type Planes = MaybeUninit<[[u64; CHUNK]; 4]>;

/// The side to move, the en passant square and the castling rights of a chunk.
type States = [[u8; CHUNK]; 4];

/// Words of a position with its state.
const WORDS: usize = size_of::<GamePosition>() / 8;

/// The columns' addresses.
#[inline(always)]
fn starts(planes: &mut Planes) -> [*mut u64; 4] {
    let start = planes.as_mut_ptr().cast::<u64>();
    [start, start.wrapping_add(CHUNK), start.wrapping_add(2 * CHUNK), start.wrapping_add(3 * CHUNK)]
}

#[inline(always)]
fn read_only([a, b, c, d]: [*mut u64; 4]) -> [*const u64; 4] {
    [a, b, c, d]
}

/// The planes of positions whose sets are given: see [`GamePosition::planes`].
#[inline(always)]
fn planes<B: BoardVector>(white: [B; 6], black: [B; 6]) -> [B; 4] {
    let [pawns, knights, bishops, rooks, queens, kings] = white;
    let diagonal = knights | bishops | queens;
    let orthogonal = rooks | queens | kings;
    let others = pawns | knights | kings;
    let all = diagonal | orthogonal | others;
    let [pawns, knights, bishops, rooks, queens, kings] = black;
    [
        all,
        diagonal | knights | bishops | queens,
        orthogonal | rooks | queens | kings,
        others | pawns | knights | kings,
    ]
}

#[inline(always)]
unsafe fn store<B: BoardVector>(planes: [B; 4], to: [*mut u64; 4], i: usize) {
    for n in 0..4 {
        // SAFETY: the caller's contract: the columns have this vector.
        unsafe { planes[n].store(to[n].add(i)) };
    }
}

/// Counts the moves and checks of positions in columns of sets.
///
/// # Safety
/// Columns that are not null are valid for `count` positions (of any alignment). No result overlaps
/// another column. The CPU has the features of `B` and of the kernel.
#[inline(always)]
pub(super) unsafe fn counts_in_columns<B: BoardVector>(
    kernel: &Kernel,
    columns: &PieceColumns,
    count: usize,
) {
    let mut chunk = Planes::uninit();
    let to = starts(&mut chunk);
    let mut first = 0;
    while first < count {
        let positions = CHUNK.min(count - first);
        // SAFETY: the columns have these positions; the chunk has room for them.
        unsafe {
            let mut i = 0;
            while i + B::BOARDS <= positions {
                store(planes_of_columns::<B>(columns, first + i), to, i);
                i += B::BOARDS;
            }
            finish_columns(kernel, columns, first, i..positions, to);
        }
        first += positions;
    }
}

/// Makes planes of the last positions of a chunk, which fill no vector, and counts.
///
/// # Safety
/// The contract of [`counts_in_columns`], for a chunk that begins at position `first` and ends at
/// the end of `rest`.
#[inline(never)]
unsafe fn finish_columns(
    kernel: &Kernel,
    columns: &PieceColumns,
    first: usize,
    rest: Range<usize>,
    to: [*mut u64; 4],
) {
    let positions = rest.end;
    // SAFETY: the columns have these positions; the chunk has room for them.
    unsafe {
        for i in rest {
            store(planes_of_columns::<u64>(columns, first + i), to, i);
        }
        let mut part = columns.states().from(first);
        part.planes = read_only(to);
        (kernel.legal_counts_in_planes)(&raw const part, positions);
    }
}

/// # Safety
/// The columns have a vector from position `i` on. The CPU has the features of `B`.
#[inline(always)]
unsafe fn planes_of_columns<B: BoardVector>(columns: &PieceColumns, i: usize) -> [B; 4] {
    let [white, black] = &columns.pieces;
    // SAFETY: the caller's contract.
    unsafe {
        let mut sets = [[B::load(white[0].add(i)); 6]; 2];
        for kind in 0..6 {
            sets[0][kind] = B::load(white[kind].add(i));
            sets[1][kind] = B::load(black[kind].add(i));
        }
        planes(sets[0], sets[1])
    }
}

/// Counts the moves and checks of positions in an array. Results may be null.
///
/// # Safety
/// Pointers that are not null are valid for `count` elements (of any alignment). The CPU has the
/// features of `R` and of the kernel.
#[inline(always)]
pub(super) unsafe fn counts_in_array<R: Register>(
    kernel: &Kernel,
    positions: *const GamePosition,
    [moves, checks]: [*mut u8; 2],
    count: usize,
) {
    let mut chunk = Planes::uninit();
    let to = starts(&mut chunk);
    let mut states = [[0; CHUNK]; 4];
    let mut first = 0;
    while first < count {
        let length = CHUNK.min(count - first);
        // SAFETY: the array has these positions; the chunk has room for them.
        unsafe {
            let from = positions.add(first).cast::<u64>();
            let mut i = 0;
            while i + R::BOARDS <= length {
                store(planes_of_array::<R>(from.add(i * WORDS)), to, i);
                i += R::BOARDS;
            }
            finish(
                kernel,
                positions.add(first),
                i..length,
                to,
                &mut states,
                [moves, checks],
                first,
            );
        }
        first += length;
    }
}

/// [`counts_in_array`], for kernels without registers of their own.
///
/// # Safety
/// The contract of [`counts_in_array`].
#[inline(never)]
pub(super) unsafe fn counts_in_array_of_words(
    kernel: &Kernel,
    positions: *const GamePosition,
    results: [*mut u8; 2],
    count: usize,
) {
    let mut chunk = Planes::uninit();
    let to = starts(&mut chunk);
    let mut states = [[0; CHUNK]; 4];
    let mut first = 0;
    while first < count {
        let length = CHUNK.min(count - first);
        // SAFETY: the array has these positions; the chunk has room for them.
        unsafe {
            finish(kernel, positions.add(first), 0..length, to, &mut states, results, first);
        }
        first += length;
    }
}

/// [`counts_in_columns`] in words.
///
/// # Safety
/// The contract of [`counts_in_columns`].
#[inline(never)]
pub(super) unsafe fn counts_in_columns_of_words(
    kernel: &Kernel,
    columns: &PieceColumns,
    count: usize,
) {
    let mut chunk = Planes::uninit();
    let to = starts(&mut chunk);
    let mut first = 0;
    while first < count {
        let positions = CHUNK.min(count - first);
        // SAFETY: the columns have these positions; the chunk has room for them.
        unsafe { finish_columns(kernel, columns, first, 0..positions, to) };
        first += positions;
    }
}

/// Makes planes of the last positions of a chunk, which fill no vector, copies the states of all,
/// and counts.
///
/// # Safety
/// The contract of [`counts_in_array`], for a chunk that begins at `positions`, position `first` of
/// the batch, and ends at the end of `rest`.
#[inline(never)]
unsafe fn finish(
    kernel: &Kernel,
    positions: *const GamePosition,
    rest: Range<usize>,
    to: [*mut u64; 4],
    states: &mut States,
    [moves, checks]: [*mut u8; 2],
    first: usize,
) {
    let length = rest.end;
    // SAFETY: the array has these positions, and the chunk has room for them.
    unsafe {
        for i in rest {
            let [white, black] = (&raw const (*positions.add(i)).position).read_unaligned().pieces;
            store(planes(white, black), to, i);
        }
        let state = (&raw const (*positions).state).cast::<u8>();
        for i in 0..length {
            let state = state.add(i * size_of::<GamePosition>()).cast::<[u8; 4]>().read();
            // No indexing: it could panic, and the C library must not contain panics.
            for (column, byte) in states.iter_mut().zip(state) {
                column.as_mut_ptr().add(i).write(byte);
            }
        }
        let [side, en_passant, white, black] = states;
        let part = PlaneColumns {
            planes: read_only(to),
            side: side.as_ptr(),
            en_passant: en_passant.as_ptr(),
            castling: [white.as_ptr(), black.as_ptr()],
            moves: PlaneColumns::later(moves, first),
            checks: PlaneColumns::later(checks, first),
        };
        (kernel.legal_counts_in_planes)(&raw const part, length);
    }
}

/// # Safety
/// `from` is readable for a vector of positions. The CPU has the features of `R`.
#[inline(always)]
unsafe fn planes_of_array<R: Register>(from: *const u64) -> [R; 4] {
    // SAFETY: a position is a row, and has these words.
    unsafe {
        let [a, b] = load_two::<R>(from, WORDS, 0);
        let [c, d] = load_two::<R>(from, WORDS, 2);
        let [e, f] = load_two::<R>(from, WORDS, 4);
        let [g, h] = load_two::<R>(from, WORDS, 6);
        let [i, j] = load_two::<R>(from, WORDS, 8);
        let [k, l] = load_two::<R>(from, WORDS, 10);
        planes([a, b, c, d, e, f], [g, h, i, j, k, l])
    }
}
