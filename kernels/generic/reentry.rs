//! Code that re-enters a kernel through its own table: it cuts a batch into chunks, and calls
//! entries of the same kernel for each chunk. So a kernel needs no second copy of its code.
//!
//! | | is called by the entries of | calls, for each chunk |
//! |---|---|---|
//! | [`stream`] | all operations on sets and squares, for long batches | the same entry, which writes to the stack |
//! | [`mobility`] | `rook_mobility` and similar ones | `rook_attacks` and similar ones |
//! | [`maps_in_chunks`] | `attack_maps` | `in_columns` |
//! | [`checks_in_chunks`] | `checks` | `pins`, `slider_attacks_split` |
//! | [`maps_by_entries`] | `in_columns`, for what fills no block | the attacks of each kind of piece |
//!
//! # Streaming
//!
//! An ordinary store first reads the line that it overwrites. A *non-temporal* store of a whole
//! line does not, which saves a quarter to a third of the memory traffic. Kernels need no code for
//! this. The batch is cut into chunks of eight lines. The kernel's entry point writes the results
//! of each chunk to the stack, and [`stream`] streams them from there to the output. The inputs of
//! later chunks are prefetched. The output may have any alignment.
//!
//! Whether this is faster depends on the CPU and its memory, so only [`stream_above`] turns it on.

use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::board_vector::Register;
use super::leapers;
use super::maps_and_checks::{
    CHECKS, MAPS, POSITION, load_side, load_two, of_side, pawns_ahead, store_two,
};
use super::sliced_maps::{BISHOPS, KNIGHTS, Needed, PAWNS, QUEENS, ROOKS, needed};
use crate::kernels::geometry::{AttackMaps, Checks, MapColumns, Position};
use crate::kernels::table::{ErasedCall, Kernel};

/// Boards or positions per chunk: one block of the widest registers. The results of an output fill
/// eight cache lines.
const CHUNK: usize = 64;

/// Bytes per cache line.
const LINE: usize = 64;

/// Prefetch distance, in chunks.
const PREFETCH_DISTANCE: usize = 4;

/// Shortest batch for which peeling to an aligned start pays off.
const PEEL_FROM: usize = 1024;

/// Batches with more bytes of results are streamed.
static THRESHOLD: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Makes calls with more than `bytes` of results (8 per board and output) write them with
/// non-temporal stores, past the caches. Applies to all threads. `usize::MAX`, the initial setting,
/// means never.
///
/// Only kernels with AVX2 or AVX-512 have such stores. They do not first read the memory that they
/// overwrite, but leave no results in the caches. Results are the same.
///
/// They gain on some CPUs only: `docs/performance.md` lists which, by how much. So time your own
/// work before you set it. 16 MiB is a good threshold where they gain: caches may still hold
/// smaller results for their next reader.
///
/// ```
/// setwise::stream_above(16 << 20); // batches of more than two million boards
/// # setwise::stream_above(usize::MAX);
/// ```
pub fn stream_above(bytes: usize) {
    THRESHOLD.store(bytes, Ordering::Relaxed);
}

/// A register type's functions for writing past the caches.
pub(crate) struct Streaming {
    /// Copies whole cache lines with non-temporal stores. The arguments are the source, the
    /// destination and the number of lines. The CPU must have the features of the register type,
    /// and the destination must be aligned to a line.
    pub(crate) copy: unsafe fn(*const u8, *mut u8, usize),
    /// Prefetches the cache line that contains an address, which may lie outside the batch.
    pub(crate) prefetch: fn(*const u8),
    /// Orders non-temporal stores before later ones.
    pub(crate) fence: fn(),
    /// Whether a register is as long as a cache line, so that every unaligned access touches two
    /// lines. If so, long batches are peeled.
    pub(crate) peels: bool,
}

/// Whether [`stream`] should compute a batch. `results` is the number of outputs; the first output
/// is written to `to`.
#[inline(always)]
pub(crate) fn is_long(
    streaming: &Streaming,
    results: usize,
    to: *const u64,
    boards: usize,
) -> bool {
    // Checked first, so that a short batch costs only one comparison.
    boards > CHUNK
        && (boards > longest(results)
            || streaming.peels
                && boards >= PEEL_FROM
                && !to.addr().is_multiple_of(LINE)
                && to.addr().is_multiple_of(8))
}

/// The length of the longest batch that is not streamed, in boards.
#[inline(always)]
fn longest(results: usize) -> usize {
    THRESHOLD.load(Ordering::Relaxed) / (8 * results)
}

/// An input array.
#[derive(Clone, Copy)]
pub(crate) struct Input {
    start: *const u8,
    /// Bytes per element.
    size: usize,
}

impl Input {
    pub(crate) fn new(start: *const u8, size: usize) -> Self {
        Input { start, size }
    }
}

/// The largest numbers of inputs and of outputs of any operation.
const INPUTS: usize = 5;
const OUTPUTS: usize = 2;

#[repr(align(64))]
struct Results([MaybeUninit<u64>; CHUNK]);

/// Computes a long batch with the kernel's entry, which is called for each chunk if the results are
/// streamed. Otherwise it is called for the boards before a cache line, and for all others.
///
/// # Safety
/// The table's contract for the entry. The CPU has the features of the register type.
#[cold]
#[inline(never)]
pub(crate) unsafe fn stream(
    streaming: &Streaming,
    (entry, kernels, parameter, boards): (ErasedCall, &Kernel, u8, usize),
    inputs: &[Input],
    outputs: &[*mut u64],
) {
    debug_assert!(inputs.len() <= INPUTS && outputs.len() <= OUTPUTS);
    let call = |first: usize, boards: usize, outputs: [*mut u64; OUTPUTS]| {
        let mut at = [core::ptr::null(); INPUTS];
        for (at, input) in at.iter_mut().zip(inputs) {
            *at = input.start.wrapping_add(input.size * first);
        }
        let outputs = outputs.map(<*mut u64>::cast);
        // SAFETY: the caller's contract covers this part of the batch.
        unsafe { entry(kernels, parameter, at.as_ptr(), outputs.as_ptr(), boards) };
    };
    let from = |board: usize| {
        let mut at = [core::ptr::null_mut(); OUTPUTS];
        for (at, output) in at.iter_mut().zip(outputs) {
            *at = output.wrapping_add(board);
        }
        at
    };
    let [first_output, _] = from(0);
    let done = to_line(first_output).min(boards);
    if done > 0 {
        call(0, done, from(0));
    }
    if boards <= longest(outputs.len()) {
        return call(done, boards - done, from(done));
    }
    let mut results = [const { Results([MaybeUninit::uninit(); CHUNK]) }; OUTPUTS];
    for done in (done..boards).step_by(CHUNK) {
        let count = CHUNK.min(boards - done);
        for input in inputs {
            let ahead = done + PREFETCH_DISTANCE * CHUNK;
            let ahead = input.start.wrapping_add(input.size * ahead);
            for line in (0..input.size * CHUNK).step_by(LINE) {
                (streaming.prefetch)(ahead.wrapping_add(line));
            }
        }
        call(done, count, results.each_mut().map(|results| results.0.as_mut_ptr().cast()));
        for (results, to) in results.iter().zip(from(done)).take(outputs.len()) {
            // SAFETY: the caller's contract; the entry has written `count` results and no longer
            // reads any input of this chunk.
            unsafe { copy(streaming, results.0.as_ptr().cast(), to, count) };
        }
    }
    (streaming.fence)();
}

/// The number of whole boards before the first cache line boundary of an output.
fn to_line(to: *const u64) -> usize {
    to.cast::<u8>().align_offset(LINE) / 8
}

/// Copies results to an output. Whole lines are written with non-temporal stores.
///
/// # Safety
/// The pointers are valid for `boards` boards. The CPU has the features of the register type.
unsafe fn copy(streaming: &Streaming, from: *const u64, to: *mut u64, boards: usize) {
    let (from, to, bytes) = (from.cast::<u8>(), to.cast::<u8>(), 8 * boards);
    let first = to.align_offset(LINE).min(bytes);
    let lines = (bytes - first) / LINE;
    let last = first + lines * LINE;
    // SAFETY: the caller's contract; the three parts make up the `bytes` bytes.
    unsafe {
        to.copy_from_nonoverlapping(from, first);
        (streaming.copy)(from.add(first), to.add(first), lines);
        to.add(last).copy_from_nonoverlapping(from.add(last), bytes - last);
    }
}

/// Boards per chunk. The attacks on these boards stay on the stack until they are counted.
const COUNTED: usize = 256;

/// The function [`intersections`], compiled for one instruction set.
type Count = unsafe fn(*const u64, *const u64, *mut u32, usize);

/// `counts[i]` = the number of squares in `a[i] & b[i]`. A plain loop, which the compiler turns
/// into the best code for the features of the calling function: `popcnt`, `pshufb` look-ups or byte
/// arithmetic.
///
/// # Safety
/// The sets are readable and `counts` is writable for `boards` elements (of any alignment).
#[inline(always)]
pub(crate) unsafe fn intersections(a: *const u64, b: *const u64, counts: *mut u32, boards: usize) {
    for i in 0..boards {
        // SAFETY: the caller's contract.
        unsafe {
            let common = a.add(i).read_unaligned() & b.add(i).read_unaligned();
            counts.add(i).write_unaligned(common.count_ones());
        }
    }
}

/// Computes attacks chunk by chunk and counts the attacked targets. `inputs` holds the inputs of
/// the attack operation, then the targets.
///
/// # Safety
/// The table's contract for the entry `attacks`. `count` is a function of the same kernel.
#[inline(never)]
pub(crate) unsafe fn mobility(
    (attacks, kernels): (ErasedCall, &Kernel),
    count: Count,
    inputs: &[*const u64],
    counts: *mut u32,
    boards: usize,
) {
    let Some((targets, sets)) = inputs.split_last() else {
        return;
    };
    let mut chunk = [const { MaybeUninit::<u64>::uninit() }; COUNTED];
    let mut done = 0;
    while done < boards {
        let left = COUNTED.min(boards - done);
        let mut at = [core::ptr::null(); 3];
        for (at, set) in at.iter_mut().zip(sets) {
            *at = set.wrapping_add(done).cast();
        }
        // SAFETY: the caller's contract; at least `left` boards are left, and `attacks` writes
        // `left` boards of the chunk.
        unsafe {
            attacks(kernels, 0, at.as_ptr(), &chunk.as_mut_ptr().cast(), left);
            count(chunk.as_ptr().cast(), targets.add(done), counts.add(done), left);
        }
        done += left;
    }
}

/// The columns of a chunk, one for each set.
type Columns<const SETS: usize> = MaybeUninit<[[u64; CHUNK]; SETS]>;

/// The columns' addresses.
#[inline(always)]
fn starts<const SETS: usize>(columns: &mut Columns<SETS>) -> [*mut u64; SETS] {
    let start = columns.as_mut_ptr().cast::<u64>();
    core::array::from_fn(|i| start.wrapping_add(i * CHUNK))
}

/// Computes the maps of whole chunks of positions, and returns the number of positions done.
/// Transposes each chunk into columns, calls the kernel's [`in_columns`](Kernel::in_columns), and
/// transposes the results back.
///
/// # Safety
/// Both pointers are valid for `count` elements (of any alignment). The CPU has the features of `R`
/// and of the kernel.
#[inline(always)]
pub(super) unsafe fn maps_in_chunks<R: Register>(
    kernels: &Kernel,
    positions: *const Position,
    maps: *mut AttackMaps,
    count: usize,
) -> usize {
    let mut done = 0;
    let (mut pieces, mut results) = (Columns::<POSITION>::uninit(), Columns::<MAPS>::uninit());
    let (pieces, results) = (starts(&mut pieces), starts(&mut results));
    let columns = MapColumns::new(pieces.map(<*mut u64>::cast_const), results);
    while count - done >= CHUNK {
        // SAFETY: the caller's contract: a chunk is left; the columns have its length.
        unsafe {
            let from = positions.add(done).cast::<u64>();
            let to = maps.add(done).cast::<u64>();
            for v in 0..CHUNK / R::BOARDS {
                let at = v * R::BOARDS;
                for pair in 0..POSITION / 2 {
                    let [even, odd] = load_two::<R>(from.add(at * POSITION), POSITION, 2 * pair);
                    even.store(pieces[2 * pair].add(at));
                    odd.store(pieces[2 * pair + 1].add(at));
                }
            }
            (kernels.in_columns)(kernels, &columns, CHUNK);
            for v in 0..CHUNK / R::BOARDS {
                let at = v * R::BOARDS;
                for pair in 0..MAPS / 2 {
                    let even = R::load(results[2 * pair].add(at));
                    let odd = R::load(results[2 * pair + 1].add(at));
                    store_two([even, odd], to.add(at * MAPS), MAPS, 2 * pair);
                }
            }
        }
        done += CHUNK;
    }
    done
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
/// Both pointers are valid for `count` elements (of any alignment). The CPU has the features of `R`
/// and of the kernel.
#[inline(always)]
pub(super) unsafe fn checks_in_chunks<R: Register>(
    kernels: &Kernel,
    positions: *const Position,
    checks: *mut Checks,
    count: usize,
) -> usize {
    let mut done = 0;
    let mut columns = MaybeUninit::<SidesColumns>::uninit();
    while count - done >= CHUNK {
        // SAFETY: the caller's contract: a chunk is left.
        unsafe {
            chunk_of_checks::<R>(
                kernels,
                positions.add(done).cast(),
                checks.add(done).cast(),
                &mut columns,
            );
        }
        done += CHUNK;
    }
    done
}

/// # Safety
/// The contract of [`checks_in_chunks`], for one chunk.
#[inline(always)]
unsafe fn chunk_of_checks<R: Register>(
    kernels: &Kernel,
    positions: *const u64,
    checks: *mut u64,
    columns: &mut MaybeUninit<SidesColumns>,
) {
    let mut column = [columns.as_mut_ptr().cast::<u64>(); COLUMNS];
    for i in 0..COLUMNS {
        column[i] = column[i].wrapping_add(i * 2 * CHUNK);
    }
    let [kings, own, orthogonal, diagonal, occupied, pinned, pinners, straight, oblique] = column;
    for v in 0..CHUNK / R::BOARDS {
        // SAFETY: the caller's contract covers vector `v` of the chunk. In the columns, it covers
        // vector `v` of each side's half.
        unsafe {
            let from = positions.add(v * R::BOARDS * POSITION);
            let sets: [[R; 6]; 2] = [load_side(from, 0), load_side(from, 1)];
            let mut all = sets[0][0];
            for side in 0..2 {
                let at = side * CHUNK + v * R::BOARDS;
                let [pawns, knights, bishops, rooks, queens, king] = sets[side];
                let [_, _, other_bishops, other_rooks, other_queens, _] = sets[1 - side];
                let pieces = pawns | knights | bishops | rooks | queens | king;
                all = all | pieces;
                king.store(kings.add(at));
                pieces.store(own.add(at));
                (other_rooks | other_queens).store(orthogonal.add(at));
                (other_bishops | other_queens).store(diagonal.add(at));
            }
            all.store(occupied.add(v * R::BOARDS));
            all.store(occupied.add(CHUNK + v * R::BOARDS));
        }
    }
    // SAFETY: the caller's contract: the CPU can run the kernel; the columns have `boards`
    // elements.
    unsafe {
        let boards = 2 * CHUNK;
        (kernels.pins)(kings, own, orthogonal, diagonal, occupied, pinned, pinners, boards);
        (kernels.slider_attacks_split)(kings, kings, occupied, straight, oblique, boards);
    }
    for v in 0..CHUNK / R::BOARDS {
        // SAFETY: as above.
        unsafe {
            let from = positions.add(v * R::BOARDS * POSITION);
            let sets: [[R; 6]; 2] = [load_side(from, 0), load_side(from, 1)];
            let mut checkers = [sets[0][0]; 2];
            for side in 0..2 {
                let at = side * CHUNK + v * R::BOARDS;
                let king = sets[side][5];
                let [pawns, knights, ..] = sets[1 - side];
                checkers[side] = pawns_ahead(side, king) & pawns
                    | leapers::knight_attacks(king) & knights
                    | R::load(straight.add(at)) & R::load(orthogonal.add(at))
                    | R::load(oblique.add(at)) & R::load(diagonal.add(at));
            }
            let at = v * R::BOARDS;
            let pinned = [R::load(pinned.add(at)), R::load(pinned.add(CHUNK + at))];
            let pinners = [R::load(pinners.add(at)), R::load(pinners.add(CHUNK + at))];
            let to = checks.add(at * CHECKS);
            store_two(checkers, to, CHECKS, 0);
            store_two(pinned, to, CHECKS, 2);
            store_two(pinners, to, CHECKS, 4);
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
    kernels: &Kernel,
    columns: &MapColumns,
    first: usize,
    count: usize,
) {
    let (needed, mut first) = (needed(columns), first);
    while first < count {
        let boards = CHUNK.min(count - first);
        // SAFETY: the caller's contract covers this part of the positions.
        unsafe { maps_of_chunk(kernels, columns, &needed, first, boards) };
        first += boards;
    }
}

/// A column of a chunk: one set for each board.
type Set = [u64; CHUNK];

/// # Safety
/// The contract of [`maps_by_entries`], for `boards` positions (at most [`CHUNK`]) from `first` on.
unsafe fn maps_of_chunk(
    kernels: &Kernel,
    columns: &MapColumns,
    needed: &Needed,
    first: usize,
    boards: usize,
) {
    let mut pieces = [[[0; CHUNK]; 6]; 2];
    let mut occupied = [0; CHUNK];
    for (sets, from) in pieces.as_flattened_mut().iter_mut().zip(columns.pieces.as_flattened()) {
        // SAFETY: the caller's contract.
        unsafe { copy_boards(from.add(first), sets.as_mut_ptr(), boards) };
        add(&mut occupied, sets);
    }
    for side in 0..2 {
        let mut attacks = [[0; CHUNK]; 6];
        for kind in (0..6).filter(|&kind| needed[side][kind]) {
            let (set, to) = (pieces[side][kind].as_ptr(), attacks[kind].as_mut_ptr());
            // SAFETY: the caller's contract; the arrays have room for the boards.
            unsafe {
                match kind {
                    PAWNS => (kernels.pawn_attacks)(side as u8, set, to, boards),
                    KNIGHTS => (kernels.knight_attacks)(set, to, boards),
                    BISHOPS => (kernels.bishop_attacks)(set, occupied.as_ptr(), to, boards),
                    ROOKS => (kernels.rook_attacks)(set, occupied.as_ptr(), to, boards),
                    QUEENS => (kernels.queen_attacks)(set, occupied.as_ptr(), to, boards),
                    _ => (kernels.king_attacks)(set, to, boards),
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
                // SAFETY: the caller's contract.
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
    // SAFETY: the caller's contract.
    unsafe { to.cast::<u8>().copy_from_nonoverlapping(from.cast(), 8 * boards) };
}
