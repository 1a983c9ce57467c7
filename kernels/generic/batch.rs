//! The drivers: how a batch of any length is cut into blocks, vectors and single boards.

use core::hint::black_box;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;

use super::boards::{Boards, MOST_BOARDS, Register};
use super::counts::{self, Count};
use super::from_square::{self, FromSquare};
use super::lanes::Lanes;
use super::long::{Lines, Ordinary};
use super::maps::{self, InVectors, OnPosition, OnWords};
use super::one_board::{OneBoard, Shared};
use super::one_square::{self, Follows};
use super::operation::{Operation, Sliders};
use super::rays::AlongRay;
use super::technique::{Borrow, Technique};
use crate::kernels::geometry::direction::{ANY, Course, EAST, NORTH, SOUTH, WEST};
use crate::kernels::geometry::{Direction, Line, Position};

/// What runs the operations of a kernel.
pub(crate) trait Driver {
    /// `outputs[..][i] = op(inputs[..][i])` for `i < boards`.
    ///
    /// # Safety
    /// The CPU has what the driver needs; every pointer is valid for `boards` boards (of any alignment); an output may be
    /// exactly one of the inputs, but overlaps nothing else.
    unsafe fn sets<Op: Operation<N, M>, const N: usize, const M: usize>(
        op: Op,
        inputs: [*const u64; N],
        outputs: [*mut u64; M],
        boards: usize,
    );

    /// The operation in a direction.
    ///
    /// # Safety
    /// As [`sets`](Driver::sets).
    unsafe fn rays<Op: AlongRay>(
        direction: Direction,
        inputs: [*const u64; 2],
        outputs: [*mut u64; 1],
        boards: usize,
    );

    /// `attacks[i]` = the attacks of a slider on `squares[i]`, of which the low six bits count.
    ///
    /// # Safety
    /// As [`sets`](Driver::sets).
    unsafe fn squares<Op: FromSquare>(
        op: Op,
        squares: *const u8,
        occupied: *const u64,
        attacks: *mut u64,
        boards: usize,
    );

    /// `results[i] = op(positions[i])`.
    ///
    /// # Safety
    /// The CPU has what the driver needs; both pointers are valid for so many, of any alignment.
    unsafe fn positions<Op: OnPosition>(
        op: Op,
        positions: *const Position,
        results: *mut Op::Result,
        count: usize,
    );

    /// How squares are counted, if not in a way of the instruction set's own.
    const COUNT: Option<Count> = Some(counts::on_any_cpu);

    /// How one board is computed.
    type One: OneBoard;
    /// How lines are written past the caches.
    type Lines: Lines;
}

/// Evaluates a body for a direction, with one loop for all that shift to the left by a number in a register, and one for those to the right; but attacks
/// that are no fills have loops of their own (see [`Borrow`]): east, west where a register reverses, and along files where it turns.
macro_rules! each_side {
    ($Op:ty, $B:ty, $direction:expr, |$course:ident| $body:expr) => {
        match $direction {
            Direction::East if <$Op>::ATTACKS => each_side!(@ $course = EAST; $body),
            Direction::West if <$Op>::ATTACKS && <$B>::REVERSES => each_side!(@ $course = WEST; $body),
            Direction::North if <$Op>::ATTACKS && <$B>::TURNS => each_side!(@ $course = NORTH; $body),
            Direction::South if <$Op>::ATTACKS && <$B>::TURNS => each_side!(@ $course = SOUTH; $body),
            direction if direction.offset() > 0 => {
                each_side!(@ $course = Course::<true, ANY>::of(direction); $body)
            }
            direction => each_side!(@ $course = Course::<false, ANY>::of(direction); $body),
        }
    };
    (@ $course:ident = $value:expr; $body:expr) => {{
        let $course = $value;
        $body
    }};
}

/// Which operations a kernel cuts into rank slices. Everything else is on whole boards, or from squares one by one: what is not hot in a kernel that others are
/// ahead of, at half the code.
pub(crate) trait Scope {
    /// Whether [`FromSquare`]s and attacks of two results are; and whether whole positions are in vectors.
    const SQUARES: bool;
    /// Whether x-rays and pins are.
    const THROUGH: bool;
    /// Whether what is on whole boards is by code that kernels share; single rays are not, nor boards that are too few for slices.
    const SHARED: bool = false;

    /// Attacks from one square below 64: where too few boards are left for slices (fewer than a vector and eight), or squares are not in slices.
    ///
    /// # Safety
    /// The CPU has the kernel's features.
    #[inline(always)]
    unsafe fn from_square<Op: Follows>(op: Op, square: u8, occupied: u64) -> u64 {
        one_square::attacks(op, square, occupied)
    }
}

pub(crate) struct Everything;
impl Scope for Everything {
    const SQUARES: bool = true;
    const THROUGH: bool = true;
}

pub(crate) struct AttacksAndSquares;
impl Scope for AttacksAndSquares {
    const SQUARES: bool = true;
    const THROUGH: bool = false;
}

pub(crate) struct Attacks;
impl Scope for Attacks {
    const SQUARES: bool = false;
    const THROUGH: bool = false;
}

/// As [`Attacks`], and little else: for kernels that show a technique of the block.
pub(crate) struct BlocksAlone;
impl Scope for BlocksAlone {
    const SQUARES: bool = false;
    const THROUGH: bool = false;
    const SHARED: bool = true;
}

/// Blocks in rank slices; too few boards for slices as whole boards, or if there is less than a vector of what needs slices
/// most, board by board; single boards by a technique of their own.
pub(crate) struct RankSlices<R, Few, One, Sliced = Everything>(PhantomData<(R, Few, One, Sliced)>);

impl<R: Boards, Few, One, Sliced: Scope> RankSlices<R, Few, One, Sliced> {
    /// Whether an operation is cut into slices.
    const fn slices<Op: Operation<N, M>, const N: usize, const M: usize>() -> bool {
        let wanted = match Op::ATTACKS {
            // Rooks need no slices where boards are turned.
            Some(Sliders { diagonal: None, .. }) => !R::TURNS,
            Some(_) => M == 1 || Sliced::SQUARES,
            None => Sliced::THROUGH,
        };
        Op::SLICED && wanted
    }
}

impl<R, Few, One, Sliced> Driver for RankSlices<R, Few, One, Sliced>
where
    R: Register + Lines,
    Few: Technique<R>,
    One: OneBoard,
    Sliced: Scope,
{
    #[inline(always)]
    unsafe fn positions<Op: OnPosition>(
        op: Op,
        positions: *const Position,
        results: *mut Op::Result,
        count: usize,
    ) {
        // SAFETY: the caller's contract.
        unsafe {
            if Sliced::SQUARES && Op::BY_RAYS {
                let rays = InVectors::<R::Four, R::Two, Borrow>::new();
                maps::each(op, rays, positions, results, count);
            } else {
                let rays = const { &OnWords::of::<Borrow>() };
                maps::each_on_words(op, rays, positions, results, count);
            }
        }
    }

    const COUNT: Option<Count> = None;
    type One = One;
    type Lines = R;

    /// There is one copy of a block's code. In the last block, vectors that would reach beyond the end are moved
    /// back onto the last boards: some boards are computed twice, none is touched out of bounds.
    #[inline(always)]
    unsafe fn sets<Op: Operation<N, M>, const N: usize, const M: usize>(
        op: Op,
        inputs: [*const u64; N],
        outputs: [*mut u64; M],
        boards: usize,
    ) {
        let mut done = 0;
        if Self::slices::<Op, N, M>() {
            align_stack();
            let mut offsets = offsets::<R>(8 * R::BOARDS);
            while boards - done > Op::FEW * R::BOARDS && boards - done >= R::BOARDS {
                let left = boards - done;
                if left < 8 * R::BOARDS {
                    offsets = self::offsets::<R>(left);
                }
                // SAFETY: the caller's contract; every vector starts at or after `done` and ends at or before
                // `boards`, and all loads come before the first store.
                unsafe {
                    let mut sets = [[R::load(inputs[0].add(done)); 8]; N];
                    macro_rules! cut {
                        ($($n:literal)*) => { $(if $n < N {
                            for v in 0..8 {
                                sets[$n][v] = R::load(inputs[$n].add(done).add(offsets[v]));
                            }
                            sets[$n] = R::slice(sets[$n]);
                        })* };
                    }
                    const { assert!(N <= 5, "each set is cut") };
                    // Not in a loop, which with SSE2 stayed one, with slices in memory, and took 1.08 of the time.
                    cut!(0 1 2 3 4);
                    let results = op.slices(sets);
                    for m in 0..M {
                        let result = R::unslice(results[m]);
                        for v in 0..8 {
                            result[v].store(outputs[m].add(done).add(offsets[v]));
                        }
                    }
                }
                done += left.min(8 * R::BOARDS);
            }
        }
        // SAFETY: the caller's contract; `done` boards are done.
        unsafe {
            let (inputs, outputs, left) =
                (add(inputs, done), add_mut(outputs, done), boards - done);
            if Sliced::SHARED && !Self::slices::<Op, N, M>()
                || Self::slices::<Op, N, M>() && Op::FEW == 0
            {
                each_board::<Op, Borrow, N, M>(op, inputs, outputs, left);
            } else {
                whole_boards::<Op, R, Few, N, M>(op, inputs, outputs, left);
            }
        }
    }

    #[inline(always)]
    unsafe fn rays<Op: AlongRay>(
        direction: Direction,
        inputs: [*const u64; 2],
        outputs: [*mut u64; 1],
        boards: usize,
    ) {
        // SAFETY: the caller's contract.
        unsafe {
            each_side!(Op, R, direction, |course| {
                whole_boards::<_, R, Few, 2, 1>(Op::towards(course), inputs, outputs, boards);
            });
        }
    }

    /// As sets; few squares one by one.
    #[inline(always)]
    unsafe fn squares<Op: FromSquare>(
        op: Op,
        squares: *const u8,
        occupied: *const u64,
        attacks: *mut u64,
        boards: usize,
    ) {
        let mut done = 0;
        if !Sliced::SQUARES || !Op::SLICED && R::BOARDS < 4 {
            // One by one. (Along a line a vector of two boards takes 1.3 of the time, with SSE2 on Emerald Rapids.)
        } else if !Op::SLICED || R::TURNS && !op.follows(Line::Diagonal) {
            while boards - done >= R::BOARDS {
                // SAFETY: the caller's contract; a whole vector is left.
                unsafe {
                    let sets = [
                        R::of_squares(squares.add(done)),
                        R::load(occupied.add(done)),
                    ];
                    let [result] = op.sets().boards::<R, Few>(sets);
                    result.store(attacks.add(done));
                }
                done += R::BOARDS;
            }
        } else {
            align_stack();
            let mut offsets = offsets::<R>(8 * R::BOARDS);
            // A block takes as long as some 8 (SSE2), 15 (AVX2) or 18 (AVX-512) squares one by one, on Emerald Rapids; a vector and eight more is near enough to all.
            while boards - done >= R::BOARDS + 8 {
                let left = boards - done;
                if left < 8 * R::BOARDS {
                    offsets = self::offsets::<R>(left);
                }
                // SAFETY: the caller's contract; every vector starts at or after `done` and ends at or before
                // `boards`, all loads come before the first store, and no block has more boards than `MOST_BOARDS`.
                unsafe {
                    let squares = squares.add(done);
                    let mut block = [R::load(occupied.add(done)); 8];
                    for v in 0..8 {
                        block[v] = R::load(occupied.add(done).add(offsets[v]));
                    }
                    let numbers = if left >= 8 * R::BOARDS {
                        R::slice_bytes(squares)
                    } else {
                        let mut numbers = [0; MOST_BOARDS];
                        for v in 0..8 {
                            let to = numbers.as_mut_ptr().add(v * R::BOARDS);
                            to.copy_from_nonoverlapping(squares.add(offsets[v]), R::BOARDS);
                        }
                        R::slice_bytes(numbers.as_ptr())
                    };
                    let results = from_square::attacks(op, numbers, R::slice(block));
                    let results = R::unslice(results);
                    for v in 0..8 {
                        results[v].store(attacks.add(done).add(offsets[v]));
                    }
                }
                done += left.min(8 * R::BOARDS);
            }
        }
        // SAFETY: the caller's contract.
        unsafe { one_by_one::<Op, Sliced>(op, squares, occupied, attacks, done..boards) };
    }
}

/// Attacks from squares one by one.
///
/// # Safety
/// As [`Driver::squares`], of these boards.
#[inline(always)]
pub(super) unsafe fn one_by_one<Op: FromSquare, By: Scope>(
    op: Op,
    squares: *const u8,
    occupied: *const u64,
    attacks: *mut u64,
    boards: Range<usize>,
) {
    for i in boards {
        // SAFETY: the caller's contract.
        unsafe {
            let (square, occupied) = (squares.add(i).read() & 63, u64::load(occupied.add(i)));
            By::from_square(op, square, occupied).store(attacks.add(i));
        }
    }
}

/// Where the eight vectors of a block start, if `left` boards are left, at least one vector of them.
#[inline(always)]
fn offsets<R: Register>(left: usize) -> [usize; 8] {
    let mut offsets = [0; 8];
    for v in 0..8 {
        offsets[v] = (v * R::BOARDS).min(left - R::BOARDS);
    }
    offsets
}

/// All pointers moved on by so many boards.
///
/// # Safety
/// They are valid for so many.
#[inline(always)]
unsafe fn add<const N: usize>(mut pointers: [*const u64; N], boards: usize) -> [*const u64; N] {
    for n in 0..N {
        // SAFETY: the caller's contract.
        pointers[n] = unsafe { pointers[n].add(boards) };
    }
    pointers
}

/// # Safety
/// As [`add`].
#[inline(always)]
unsafe fn add_mut<const M: usize>(mut pointers: [*mut u64; M], boards: usize) -> [*mut u64; M] {
    for m in 0..M {
        // SAFETY: the caller's contract.
        pointers[m] = unsafe { pointers[m].add(boards) };
    }
    pointers
}

/// Makes the compiler align the stack of the function this is inlined into, for the vectors that it spills. Where
/// nothing else asks for it, spills may straddle cache lines, at up to twice the time, by the
/// caller's stack pointer.
#[inline(always)]
fn align_stack() {
    #[repr(align(64))]
    struct Line(#[allow(dead_code, reason = "it takes up room")] [u8; 64]);
    // A variable of the function: a constant, or nothing at all, would not be on its stack.
    let line = MaybeUninit::<Line>::uninit();
    black_box(line.as_ptr());
}

/// Vector by vector, as whole boards; the last vector may be a part of one.
///
/// # Safety
/// As [`Driver::sets`].
#[inline(always)]
unsafe fn whole_boards<Op, R, T, const N: usize, const M: usize>(
    op: Op,
    inputs: [*const u64; N],
    outputs: [*mut u64; M],
    boards: usize,
) where
    Op: Operation<N, M>,
    R: Register,
    T: Technique<R>,
{
    let mut done = 0;
    if N == 2 && (!Op::SLICED || R::TURNS) {
        // Short operations on whole vectors have a loop of their own: to ask each time how much is left takes longer than they.
        while boards - done >= R::BOARDS {
            // SAFETY: the caller's contract; a whole vector is left.
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
    while done < boards {
        let left = boards - done;
        // SAFETY: the caller's contract; `left` boards are left.
        unsafe {
            // One copy of the operation for whole vectors and parts.
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

/// Board by board, in a loop that the compiler can vectorise where the technique allows.
pub(crate) struct EachBoard<T>(PhantomData<T>);

impl<T: Technique<u64>> Driver for EachBoard<T> {
    #[inline(always)]
    unsafe fn positions<Op: OnPosition>(
        op: Op,
        positions: *const Position,
        results: *mut Op::Result,
        count: usize,
    ) {
        // SAFETY: the caller's contract.
        unsafe { maps::each_on_words(op, const { &OnWords::of::<T>() }, positions, results, count) }
    }

    type One = Shared;
    type Lines = Ordinary;

    #[inline(always)]
    unsafe fn sets<Op: Operation<N, M>, const N: usize, const M: usize>(
        op: Op,
        inputs: [*const u64; N],
        outputs: [*mut u64; M],
        boards: usize,
    ) {
        // SAFETY: the caller's contract.
        unsafe { each_board::<Op, T, N, M>(op, inputs, outputs, boards) }
    }

    #[inline(always)]
    unsafe fn rays<Op: AlongRay>(
        direction: Direction,
        inputs: [*const u64; 2],
        outputs: [*mut u64; 1],
        boards: usize,
    ) {
        // SAFETY: the caller's contract.
        unsafe {
            each_side!(Op, u64, direction, |course| {
                each_board::<_, T, 2, 1>(Op::towards(course), inputs, outputs, boards);
            });
        }
    }

    /// By sets of one square each.
    #[inline(always)]
    unsafe fn squares<Op: FromSquare>(
        op: Op,
        squares: *const u8,
        occupied: *const u64,
        attacks: *mut u64,
        boards: usize,
    ) {
        if !T::VECTORISES {
            for i in 0..boards {
                // SAFETY: the caller's contract.
                unsafe {
                    let (square, occupied) =
                        (squares.add(i).read() & 63, u64::load(occupied.add(i)));
                    T::from_square(op, square, occupied).store(attacks.add(i));
                }
            }
            return;
        }
        let mut sliders = [0; CHUNK];
        let mut done = 0;
        while done < boards {
            let count = CHUNK.min(boards - done);
            // SAFETY: the caller's contract.
            unsafe {
                for i in 0..count {
                    sliders[i] = 1 << (squares.add(done + i).read() & 63);
                }
                let inputs = [sliders.as_ptr(), occupied.add(done)];
                each_board::<_, T, 2, 1>(op.sets(), inputs, [attacks.add(done)], count);
            }
            done += count;
        }
    }
}

/// Boards that are read before any is written: so that output and input may be the same, and the compiler knows which memory is written.
const CHUNK: usize = 64;

/// A chunk of each of some sets.
type Sets<const N: usize> = [[MaybeUninit<u64>; CHUNK]; N];

/// The boards of a chunk, a multiple of eight, so that the loop leaves no rest.
type Loop<Op, const N: usize, const M: usize> = unsafe fn(Op, [*const u64; N], &mut Sets<M>, usize);

/// [`EachBoard`] for one operation.
///
/// # Safety
/// As [`Driver::sets`].
#[inline(always)]
unsafe fn each_board<Op: Operation<N, M>, T: Technique<u64>, const N: usize, const M: usize>(
    op: Op,
    inputs: [*const u64; N],
    outputs: [*mut u64; M],
    boards: usize,
) {
    const { assert!(T::ANY_CPU, "the loops have no features") };
    // SAFETY: the caller's contract.
    unsafe { chunks(op, inputs, outputs, boards, in_chunk::<Op, T, N, M>) }
}

/// # Safety
/// The sets are readable for so many boards (of any alignment).
#[inline(never)]
unsafe fn in_chunk<Op: Operation<N, M>, T: Technique<u64>, const N: usize, const M: usize>(
    op: Op,
    sets: [*const u64; N],
    results: &mut Sets<M>,
    boards: usize,
) {
    for i in 0..8 * (boards / 8).min(CHUNK / 8) {
        let mut board = [0; N];
        for n in 0..N {
            // SAFETY: the caller's contract.
            board[n] = unsafe { u64::load(sets[n].add(i)) };
        }
        let attacks = op.boards::<u64, T>(board);
        for m in 0..M {
            results[m][i].write(attacks[m]);
        }
    }
}

/// Chunk after chunk, the loop reads the boards where they are, or those of a last chunk from a copy, and its results are copied; shared by all techniques.
///
/// # Safety
/// As [`Driver::sets`].
#[inline(never)]
unsafe fn chunks<Op: Copy, const N: usize, const M: usize>(
    op: Op,
    inputs: [*const u64; N],
    outputs: [*mut u64; M],
    boards: usize,
    each: Loop<Op, N, M>,
) {
    let mut rest = [[MaybeUninit::<u64>::uninit(); CHUNK]; N];
    let mut results = [[MaybeUninit::uninit(); CHUNK]; M];
    let mut done = 0;
    while done < boards {
        let count = CHUNK.min(boards - done);
        // SAFETY: the caller's contract; what is missing to the last eight of a chunk is set to empty.
        unsafe {
            let mut sets = add(inputs, done);
            if !count.is_multiple_of(8) {
                for n in 0..N {
                    let set = rest[n].as_mut_ptr();
                    let bytes = sets[n].cast::<u8>();
                    set.cast::<u8>().copy_from_nonoverlapping(bytes, 8 * count);
                    set.add(count).write_bytes(0, count.wrapping_neg() % 8);
                    sets[n] = set.cast();
                }
            }
            each(op, sets, &mut results, count.next_multiple_of(8));
            for m in 0..M {
                let to = outputs[m].add(done).cast::<u8>();
                to.copy_from_nonoverlapping(results[m].as_ptr().cast(), 8 * count);
            }
        }
        done += count;
    }
}
