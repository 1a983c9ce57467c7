//! The driver of the SIMD kernels: full blocks in rank slices, the rest as whole boards.

use core::hint::black_box;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;

use super::board_rays::{BoardRays, Borrow};
use super::board_vector::{BoardVector, MAX_BLOCK, Register};
use super::driver::Driver;
use super::from_square::{self, FromSquare};
use super::games;
use super::legal_counts;
use super::maps_and_checks;
use super::one_board::OneBoard;
use super::one_square::SliderLines;
use super::operation::{Operation, SlicedOperation, Sliders};
use super::positions::{self, CheckArrays};
use super::rays::{LineAttacks, RayOperation, for_direction, for_line};
use super::sliced_maps;
use crate::kernels::geometry::{
    AttackMaps, Checks, Direction, GamePosition, KingColumns, Line, MapColumns, PieceColumns,
    PlaneColumns, Position,
};
use crate::kernels::table::Kernel;

/// Which operations a kernel slices. The rest run on whole boards or square by square, which halves
/// the code of kernels that are rarely chosen.
pub(crate) trait SlicePolicy {
    /// Whether to slice attacks of rooks alone.
    const ROOKS: bool = true;
    /// Whether to slice attacks from squares, and attacks with two results.
    const SQUARES: bool = true;
    /// Whether to slice x-rays and pins.
    const XRAYS: bool = true;
    /// Whether to slice operations on whole positions.
    const POSITIONS: bool = true;
}

pub(crate) struct SliceAll;
impl SlicePolicy for SliceAll {}

/// For registers that flip boards cheaply: for rooks, flipping is faster than slicing.
pub(crate) struct SliceAllButRooks;
impl SlicePolicy for SliceAllButRooks {
    const ROOKS: bool = false;
}

pub(crate) struct SliceAttacksAndSquares;
impl SlicePolicy for SliceAttacksAndSquares {
    const XRAYS: bool = false;
}

pub(crate) struct SliceAttacks;
impl SlicePolicy for SliceAttacks {
    const SQUARES: bool = false;
    const XRAYS: bool = false;
    const POSITIONS: bool = false;
}

/// Full blocks of eight `R` vectors run in rank slices. Remainders too short to slice, and
/// operations that the policy does not slice, run as whole boards with the technique `T`. Single
/// boards run with `One`.
pub(crate) struct RankSlices<R, One, T = Borrow, Policy = SliceAll>(
    PhantomData<(R, One, T, Policy)>,
);

impl<R, One, T, Policy: SlicePolicy> RankSlices<R, One, T, Policy> {
    const fn slices<Op: SlicedOperation<N, M>, const N: usize, const M: usize>() -> bool {
        match Op::ATTACKS {
            Some(Sliders { diagonal: None, .. }) => Policy::ROOKS,
            Some(_) => M == 1 || Policy::SQUARES,
            None => Policy::XRAYS,
        }
    }
}

impl<R, One, T, Policy> Driver for RankSlices<R, One, T, Policy>
where
    R: Register,
    One: OneBoard,
    T: BoardRays<R> + BoardRays<R::Four>,
    Policy: SlicePolicy,
{
    type One = One;
    /// Not used: this driver overrides every method.
    type Rays = Borrow;

    #[inline(always)]
    unsafe fn boards<Op: Operation<N, M>, const N: usize, const M: usize>(
        op: Op,
        inputs: [*const u64; N],
        outputs: [*mut u64; M],
        boards: usize,
    ) {
        // SAFETY: the arrays are valid for `boards` boards.
        unsafe { whole_boards::<Op, R, T, N, M>(op, inputs, outputs, boards) }
    }

    /// A last, shorter block runs through the same code as a full block. Vectors that would reach
    /// beyond the end are moved back, so that they end with the last board. Some boards are then
    /// computed twice, but no memory outside the batch is touched. So does a first, shorter block,
    /// which aligns the stores of the others.
    #[inline(always)]
    unsafe fn sets<Op: SlicedOperation<N, M>, const N: usize, const M: usize>(
        op: Op,
        inputs: [*const u64; N],
        outputs: [*mut u64; M],
        boards: usize,
    ) {
        if !Self::slices::<Op, N, M>() {
            // SAFETY: the arrays are valid for `boards` boards.
            return unsafe { whole_boards::<Op, R, T, N, M>(op, inputs, outputs, boards) };
        }
        const {
            assert!(Op::MAX_UNSLICED_VECTORS > 0, "a block needs at least one whole vector");
        };
        align_stack();
        let mut done = 0;
        let mut block = first_block::<R>(outputs[0], boards);
        let mut offsets = offsets::<R>(block);
        while boards - done > Op::MAX_UNSLICED_VECTORS * R::BOARDS {
            let left = boards - done;
            if left < block {
                offsets = self::offsets::<R>(left);
            }
            // SAFETY: every vector starts at or after `done` and ends at or
            // before `boards`, and all loads come before the first store.
            unsafe {
                let mut sets = [[R::load(inputs[0].add(done)); 8]; N];
                macro_rules! slice {
                    ($($n:literal)*) => { $(if $n < N {
                        for v in 0..8 {
                            sets[$n][v] = R::load(inputs[$n].add(done).add(offsets[v]));
                        }
                        sets[$n] = R::slice(sets[$n]);
                    })* };
                }
                const { assert!(N <= 5, "each set is sliced") };
                // Unrolled by hand. A loop kept the slices in memory: 1.08x the time on SSE2.
                slice!(0 1 2 3 4);
                let results = op.slices(sets);
                for m in 0..M {
                    let result = R::unslice(results[m]);
                    for v in 0..8 {
                        result[v].store(outputs[m].add(done).add(offsets[v]));
                    }
                }
            }
            done += left.min(block);
            if fills_line::<R>() {
                block = 8 * R::BOARDS;
                offsets = self::offsets::<R>(block);
            }
        }
        // SAFETY: the arrays are valid for the boards after the first `done`.
        unsafe {
            let inputs = inputs.map(|set| set.add(done));
            let outputs = outputs.map(|set| set.add(done));
            remainder::<Op, R, T, N, M>(op, inputs, outputs, boards - done);
        }
    }

    #[inline(always)]
    unsafe fn rays<Op: RayOperation>(
        direction: Direction,
        inputs: [*const u64; 2],
        outputs: [*mut u64; 1],
        boards: usize,
    ) {
        // SAFETY: the arrays are valid for `boards` boards.
        unsafe {
            for_direction!(direction, |ray| {
                whole_boards::<_, R, T, 2, 1>(Op::along(ray), inputs, outputs, boards);
            });
        }
    }

    /// Runs in rank slices if the policy slices squares. If it does not slice rooks, rooks run on
    /// whole boards instead. Short remainders and everything else run square by square.
    #[inline(always)]
    unsafe fn squares<Op: FromSquare>(
        op: Op,
        squares: *const u8,
        occupied: *const u64,
        attacks: *mut u64,
        boards: usize,
    ) {
        let mut done = 0;
        if Policy::SQUARES && !Policy::ROOKS && !op.follows(Line::Diagonal) {
            // SAFETY: the arrays are valid for `boards` boards.
            done = unsafe { whole_squares::<_, R, T>(op, squares, occupied, attacks, boards) };
        } else if Policy::SQUARES {
            align_stack();
            let mut block = first_block::<R>(attacks, boards);
            let mut offsets = offsets::<R>(block);
            // Shorter remainders run one by one, because slicing them gains little or nothing. One
            // block takes as long as 8 (SSE2), 15 (AVX2) or 18 (AVX-512) boards that are computed
            // one by one (Emerald Rapids).
            while boards - done >= R::BOARDS + 8 {
                let left = boards - done;
                if left < block {
                    offsets = self::offsets::<R>(left);
                }
                // SAFETY: every vector starts at or after `done` and ends at
                // or before `boards`, all loads come before the first store, and no block has more
                // boards than `MAX_BLOCK`.
                unsafe {
                    let squares = squares.add(done);
                    let mut sets = [R::load(occupied.add(done)); 8];
                    for v in 0..8 {
                        sets[v] = R::load(occupied.add(done).add(offsets[v]));
                    }
                    let numbers = if left.min(block) == 8 * R::BOARDS {
                        R::slice_bytes(squares)
                    } else {
                        let mut numbers = [0; MAX_BLOCK];
                        for v in 0..8 {
                            let to = numbers.as_mut_ptr().add(v * R::BOARDS);
                            to.copy_from_nonoverlapping(squares.add(offsets[v]), R::BOARDS);
                        }
                        R::slice_bytes(numbers.as_ptr())
                    };
                    let results = from_square::attacks(op, numbers, R::slice(sets));
                    let results = R::unslice(results);
                    for v in 0..8 {
                        results[v].store(attacks.add(done).add(offsets[v]));
                    }
                }
                done += left.min(block);
                if fills_line::<R>() {
                    block = 8 * R::BOARDS;
                    offsets = self::offsets::<R>(block);
                }
            }
        }
        // SAFETY: the arrays are valid for `boards` boards.
        unsafe { one_by_one::<Op, One>(op, squares, occupied, attacks, done..boards) };
    }

    /// Uses vectors of whole boards if a vector holds four boards or more. Rejected: vectors of two
    /// boards, which take 1.3x the time of single squares (SSE2, Emerald Rapids).
    #[inline(always)]
    unsafe fn line_squares(
        line: LineAttacks,
        squares: *const u8,
        occupied: *const u64,
        attacks: *mut u64,
        boards: usize,
    ) {
        let mut done = 0;
        // SAFETY: the arrays are valid for `boards` boards.
        unsafe {
            if Policy::SQUARES && R::BOARDS >= 4 {
                done = whole_squares::<_, R, T>(line, squares, occupied, attacks, boards);
            }
            for_line!(line, |along| {
                one_by_one::<_, One>(along, squares, occupied, attacks, done..boards);
            });
        }
    }

    #[inline(always)]
    unsafe fn in_columns(kernel: &Kernel, columns: &MapColumns, count: usize) {
        align_stack();
        // SAFETY: the arrays are valid for `count` positions, and the first `done` are done.
        unsafe {
            let done = match (Policy::POSITIONS, Policy::ROOKS) {
                (true, true) => sliced_maps::in_blocks::<R, T, true>(columns, count),
                (true, false) => sliced_maps::in_blocks::<R, T, false>(columns, count),
                (false, _) => 0,
            };
            positions::maps_by_entries(kernel, columns, done, count);
        }
    }

    #[inline(always)]
    unsafe fn attack_maps(
        kernel: &Kernel,
        positions: *const Position,
        maps: *mut AttackMaps,
        count: usize,
    ) {
        align_stack();
        // SAFETY: the arrays are valid for `count` positions, and the first `done` are done.
        unsafe {
            let done = if Policy::POSITIONS {
                positions::maps_in_chunks::<R>(kernel, positions, maps, count)
            } else {
                0
            };
            let (positions, maps) = (positions.add(done), maps.add(done));
            maps_and_checks::in_vectors::<R::Four, R::Two, T>(positions, maps, count - done);
        }
    }

    #[inline(always)]
    unsafe fn plane_counts(_kernel: &Kernel, columns: &PlaneColumns, count: usize) {
        align_stack();
        // SAFETY: the caller's contract.
        unsafe { legal_counts::in_blocks::<R>(columns, count) }
    }

    #[inline(always)]
    unsafe fn column_counts(kernel: &Kernel, columns: &PieceColumns, count: usize) {
        // SAFETY: the caller's contract.
        unsafe { games::counts_in_columns::<R>(kernel, columns, count) }
    }

    #[inline(always)]
    unsafe fn array_counts(
        kernel: &Kernel,
        positions: *const GamePosition,
        moves: *mut u8,
        checks: *mut u8,
        count: usize,
    ) {
        // SAFETY: the caller's contract.
        unsafe { games::counts_in_array::<R>(kernel, positions, [moves, checks], count) }
    }

    #[inline(always)]
    unsafe fn checks(
        kernel: &Kernel,
        positions: *const Position,
        checks: *mut Checks,
        count: usize,
    ) {
        align_stack();
        // SAFETY: the arrays are valid for `count` positions, and the first `done` are done.
        unsafe {
            // Unless pins are sliced, one position at a time is faster.
            let done = if Policy::XRAYS {
                let arrays = CheckArrays { positions: positions.cast(), checks: checks.cast() };
                positions::checks_in_chunks::<R, _>(kernel, &arrays, count)
            } else {
                0
            };
            maps_and_checks::checks_one_by_one(positions.add(done), checks.add(done), count - done);
        }
    }

    #[inline(always)]
    unsafe fn check_columns(kernel: &Kernel, columns: &KingColumns, count: usize) {
        align_stack();
        // SAFETY: the columns are valid for `count` boards, and the first `done` are done.
        unsafe {
            let done = if Policy::XRAYS {
                positions::checks_in_chunks::<R, _>(kernel, columns, count)
            } else {
                0
            };
            positions::checks_one_by_one(columns, done..count);
        }
    }
}

/// Computes attacks from squares one at a time.
///
/// # Safety
/// The contract of [`Driver::squares`], for these boards.
#[inline(always)]
pub(super) unsafe fn one_by_one<Op: SliderLines, One: OneBoard>(
    op: Op,
    squares: *const u8,
    occupied: *const u64,
    attacks: *mut u64,
    boards: Range<usize>,
) {
    for i in boards {
        // SAFETY: the arrays have a board `i`, and the CPU has the features of `One`.
        unsafe {
            let (square, occupied) = (squares.add(i).read() & 63, u64::load(occupied.add(i)));
            One::new().attacks_from(op, square, occupied).store(attacks.add(i));
        }
    }
}

/// Computes attacks from squares, one full vector of whole boards at a time. Each square becomes a
/// set with one bit. Returns the number of boards done.
///
/// # Safety
/// The contract of [`Driver::squares`].
#[inline(always)]
unsafe fn whole_squares<Op: Operation<2, 1>, R: Register, T: BoardRays<R>>(
    op: Op,
    squares: *const u8,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
) -> usize {
    let mut done = 0;
    while boards - done >= R::BOARDS {
        // SAFETY: a whole vector is left.
        unsafe {
            let sets = [R::of_squares(squares.add(done)), R::load(occupied.add(done))];
            let [result] = op.boards::<R, T>(sets);
            result.store(attacks.add(done));
        }
        done += R::BOARDS;
    }
    done
}

/// The offsets of a block's eight vectors if `left` boards remain. `left` must be at least
/// `R::BOARDS`.
#[inline(always)]
fn offsets<R: Register>(left: usize) -> [usize; 8] {
    let mut offsets = [0; 8];
    for v in 0..8 {
        offsets[v] = (v * R::BOARDS).min(left - R::BOARDS);
    }
    offsets
}

/// Bytes per cache line.
const LINE: usize = 64;

/// Shortest batch for which a first step to an aligned output pays off, in boards.
const ALIGNED_FROM: usize = 1024;

/// Whether a register fills a cache line, so that every misaligned store touches two lines. Long
/// batches then begin with a shorter step, after which the stores to the first output are aligned.
const fn fills_line<R: Register>() -> bool {
    8 * R::BOARDS == LINE
}

/// The number of boards in the first block.
#[inline(always)]
fn first_block<R: Register>(to: *const u64, boards: usize) -> usize {
    8 * R::BOARDS - misaligned_boards::<R>(to, boards)
}

/// The number of boards by which a long batch's output lies beyond a cache line, rounded down; 0 if
/// the batch is short. An output whose address is not a multiple of 8 takes the step, too, although
/// its stores stay misaligned. With a test for it, calls of eight boards take up to 1.2 times the
/// time (rooks with `avx512-gfni` on a Zen 5).
#[inline(always)]
fn misaligned_boards<R: Register>(to: *const u64, boards: usize) -> usize {
    if fills_line::<R>() && boards >= ALIGNED_FROM { to.addr() % LINE / 8 } else { 0 }
}

/// Makes the compiler align the stack frame of the calling function. Otherwise, depending on the
/// caller's stack pointer, spilled vectors may straddle cache lines, which takes up to 2x the time.
#[inline(always)]
fn align_stack() {
    #[repr(align(64))]
    struct CacheLine(#[allow(dead_code, reason = "only its size and alignment matter")] [u8; 64]);
    // A variable, because a constant or a zero-sized value would not be on the stack.
    let line = MaybeUninit::<CacheLine>::uninit();
    black_box(line.as_ptr());
}

/// Computes full vectors of whole boards in one loop, then the remainder.
///
/// # Safety
/// The contract of [`Driver::boards`].
#[inline(always)]
unsafe fn whole_boards<Op, R, T, const N: usize, const M: usize>(
    op: Op,
    inputs: [*const u64; N],
    outputs: [*mut u64; M],
    boards: usize,
) where
    Op: Operation<N, M>,
    R: Register,
    T: BoardRays<R>,
{
    let mut done = 0;
    // Usually the whole batch. A batch that needs a first step to an aligned output ends twice.
    let mut end = match misaligned_boards::<R>(outputs[0], boards) {
        0 => boards,
        beyond => R::BOARDS - beyond,
    };
    loop {
        // Short operations have an extra loop for full vectors. Checking for a partial vector would
        // take longer than the operation.
        if N <= 2 {
            while end - done >= R::BOARDS {
                // SAFETY: a whole vector is left.
                unsafe {
                    let mut sets = [R::load(inputs[0].add(done)); N];
                    for n in 1..N {
                        sets[n] = R::load(inputs[n].add(done));
                    }
                    let results = op.boards::<R, T>(sets);
                    for m in 0..M {
                        results[m].store(outputs[m].add(done));
                    }
                }
                done += R::BOARDS;
            }
        }
        // SAFETY: the arrays are valid for the boards after the first `done`.
        unsafe {
            let inputs = inputs.map(|set| set.add(done));
            let outputs = outputs.map(|set| set.add(done));
            remainder::<Op, R, T, N, M>(op, inputs, outputs, end - done);
        }
        if !fills_line::<R>() || end == boards {
            break;
        }
        (done, end) = (end, boards);
    }
}

/// Computes vectors of whole boards, the last of which may be partial. The operation's code exists
/// only once.
///
/// # Safety
/// The contract of [`Driver::boards`].
#[inline(always)]
unsafe fn remainder<Op, R, T, const N: usize, const M: usize>(
    op: Op,
    inputs: [*const u64; N],
    outputs: [*mut u64; M],
    boards: usize,
) where
    Op: Operation<N, M>,
    R: Register,
    T: BoardRays<R>,
{
    let mut done = 0;
    while done < boards {
        let left = boards - done;
        // SAFETY: `left` boards are left.
        unsafe {
            let mut sets = [R::load_some(inputs[0].add(done), left); N];
            for n in 1..N {
                sets[n] = R::load_some(inputs[n].add(done), left);
            }
            let results = op.boards::<R, T>(sets);
            for m in 0..M {
                results[m].store_some(outputs[m].add(done), left);
            }
        }
        done += R::BOARDS;
    }
}
