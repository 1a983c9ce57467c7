//! The table of a technique that works on one board at a time, composed of a few loops.
//!
//! A technique's own are the loops for each ray and fill, and those for rooks, bishops and queens ([`Parts`]). All else
//! is said once for all techniques, block of boards by block: from one loop to the next the boards wait in
//! the first-level cache. So every loop exists once, and the compiler can vectorise it where the technique allows.

use core::ffi::CStr;
use core::mem::MaybeUninit;
use core::ops::Range;

use super::compass::Direction;
use super::line::Line;
use super::table::{BatchFrom, BatchLineFrom, One2};
use super::{ABI_VERSION, Table, counts};

/// Boards in a block.
const BOARDS: usize = 64;

/// The memory of a block of boards, by their bytes: anywhere, and only as many are set as there are. (To clear
/// them all would take longer than a few boards do.)
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Block([MaybeUninit<[u8; 8]>; BOARDS]);

impl Block {
    pub(super) const UNSET: Block = Block([MaybeUninit::uninit(); BOARDS]);

    /// # Safety
    /// The board is set.
    #[inline(always)]
    pub(super) unsafe fn get(&self, board: usize) -> u64 {
        // SAFETY: the caller's contract.
        u64::from_ne_bytes(unsafe { self.0[board].assume_init() })
    }

    /// Sets the boards of some fours, each by its number.
    #[inline(always)]
    pub(super) fn set(&mut self, fours: usize, f: impl Fn(usize) -> u64) {
        for i in 0..4 * fours.min(BOARDS / 4) {
            self.0[i].write(f(i).to_ne_bytes());
        }
    }

    /// `self[i] = f(self[i], i)` for the boards of some fours.
    ///
    /// # Safety
    /// These boards are set.
    #[inline(always)]
    pub(super) unsafe fn update(&mut self, fours: usize, f: impl Fn(u64, usize) -> u64) {
        for i in 0..4 * fours.min(BOARDS / 4) {
            // SAFETY: the caller's contract.
            let squares = unsafe { self.get(i) };
            self.0[i].write(f(squares, i).to_ne_bytes());
        }
    }

    /// `self |= a & b` for the boards of some fours. (Out of line the compiler knows that they do not overlap.)
    ///
    /// # Safety
    /// These boards are set in all three.
    #[inline(never)]
    unsafe extern "C" fn add(&mut self, a: &Block, b: &Block, fours: usize) {
        // SAFETY: the caller's contract.
        unsafe { self.update(fours, |squares, i| squares | (a.get(i) & b.get(i))) }
    }

    /// `self &= a & b` for the boards of some fours.
    ///
    /// # Safety
    /// These boards are set in all three.
    #[inline(never)]
    unsafe extern "C" fn keep(&mut self, a: &Block, b: &Block, fours: usize) {
        // SAFETY: the caller's contract.
        unsafe { self.update(fours, |squares, i| squares & a.get(i) & b.get(i)) }
    }

    /// `self = a | b | c` for the boards of some fours.
    ///
    /// # Safety
    /// These boards are set in the three sets.
    #[inline(never)]
    unsafe extern "C" fn unite(&mut self, a: &Block, b: &Block, c: &Block, fours: usize) {
        // SAFETY: the caller's contract.
        self.set(fours, |i| unsafe { a.get(i) | b.get(i) | c.get(i) });
    }
}

/// An operation on the first boards of a block, `sliders, occupied, attacks, fours`: these fours of boards are set in the
/// inputs, and are then in the output; the CPU has the features of the kernel.
///
/// In fours, because then a loop over vectors leaves no rest; of the C ABI, because that does not unwind.
pub(super) type Loop = unsafe extern "C" fn(&Block, &Block, &mut Block, usize);
/// The same along one ray. In one function for all directions the shift is by a register, which takes no
/// longer, and a table of eight would be eight times the code.
pub(super) type RayLoop = unsafe extern "C" fn(Direction, &Block, &Block, &mut Block, usize);

/// `output = f(a, b)`, board by board.
///
/// # Safety
/// As [`Loop`].
#[inline(always)]
pub(super) unsafe fn map(
    a: &Block,
    b: &Block,
    output: &mut Block,
    fours: usize,
    f: impl Fn(u64, u64) -> u64,
) {
    // SAFETY: the caller's contract.
    output.set(fours, |i| unsafe { f(a.get(i), b.get(i)) });
}

/// What a technique brings. What has a default is composed of the rest; override what it does better.
pub(super) trait Parts {
    const RAY: RayLoop;
    /// The sets are generators and propagators.
    const FILL: RayLoop;
    const ROOK: Loop;
    const BISHOP: Loop;
    const QUEEN: Loop = queen_loop::<Self>;

    const ROOK_ONE: One2;
    const BISHOP_ONE: One2;
    const QUEEN_ONE: One2 = queen_one::<Self>;

    const ROOK_FROM: BatchFrom = rook_from::<Self>;
    const BISHOP_FROM: BatchFrom = bishop_from::<Self>;
    const QUEEN_FROM: BatchFrom = queen_from::<Self>;
    const LINE_FROM: BatchLineFrom = line_from::<Self>;
}

/// The table of a technique.
pub(super) const fn table<T: Parts>(name: &CStr) -> Table {
    Table {
        size: size_of::<Table>() as u32,
        abi_version: ABI_VERSION,
        name: name.as_ptr(),
        rook_attacks: rook::<T>,
        bishop_attacks: bishop::<T>,
        queen_attacks: queen::<T>,
        slider_attacks: slider::<T>,
        ray_attacks: ray::<T>,
        occluded_fill: fill::<T>,
        rook_attacks_one: T::ROOK_ONE,
        bishop_attacks_one: T::BISHOP_ONE,
        queen_attacks_one: T::QUEEN_ONE,
        slider_attacks_one: slider_one::<T>,
        slider_attacks_split: split::<T>,
        xray_rook_attacks: xray_rook::<T>,
        xray_bishop_attacks: xray_bishop::<T>,
        xray_queen_attacks: xray_queen::<T>,
        pins: pins::<T>,
        intersection_counts: counts::batch,
        rook_attacks_from: T::ROOK_FROM,
        bishop_attacks_from: T::BISHOP_FROM,
        queen_attacks_from: T::QUEEN_FROM,
        line_attacks_from: T::LINE_FROM,
    }
}

/// Cuts a batch into blocks: calls `f` with the blocks of the inputs, those for the outputs, and which boards they are.
/// All of a block is read before any of it is written, so that output and input may be the same.
///
/// # Safety
/// Every pointer is valid for `boards` boards, of any alignment; an output may be exactly one of the
/// inputs, but overlaps nothing else.
#[inline(always)]
unsafe fn each_block<const N: usize, const M: usize>(
    inputs: [*const u64; N],
    outputs: [*mut u64; M],
    boards: usize,
    f: impl Fn([&Block; N], &mut [Block; M], Range<usize>),
) {
    let mut rest = [Block::UNSET; N];
    let mut results = [Block::UNSET; M];
    let mut done = 0;
    while done < boards {
        let count = BOARDS.min(boards - done);
        // SAFETY: the caller's contract. The references, to whole blocks only, end before the outputs are written.
        unsafe {
            if count < BOARDS {
                for n in 0..N {
                    let boards = rest[n].0.as_mut_ptr();
                    boards.copy_from_nonoverlapping(inputs[n].add(done).cast(), count);
                    // The last boards of the last four: empty.
                    boards.add(count).write_bytes(0, count.wrapping_neg() % 4);
                }
            }
            let blocks = core::array::from_fn(|n| {
                if count < BOARDS {
                    &rest[n]
                } else {
                    &*inputs[n].add(done).cast::<Block>()
                }
            });
            f(blocks, &mut results, done..done + count);
            for m in 0..M {
                let to = outputs[m].add(done).cast();
                results[m].0.as_ptr().copy_to_nonoverlapping(to, count);
            }
        }
        done += count;
    }
}

/// How many fours hold these boards.
#[inline(always)]
fn fours(boards: &Range<usize>) -> usize {
    boards.len().div_ceil(4)
}

/// A batch by one loop.
///
/// # Safety
/// As [`Batch2`](super::table::Batch2).
#[inline(never)]
unsafe extern "C" fn by(
    sliders: *const u64,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    operation: Loop,
) {
    // SAFETY: the caller's contract.
    unsafe {
        each_block(
            [sliders, occupied],
            [attacks],
            boards,
            |[sliders, occupied], [attacks], range| {
                operation(sliders, occupied, attacks, fours(&range));
            },
        );
    }
}

/// Fewer boards than this go one by one: a block's memory takes longer.
const FEW: usize = 5;

/// A batch of fewer boards than [`FEW`].
///
/// # Safety
/// As [`Batch2`](super::table::Batch2).
#[inline(never)]
unsafe extern "C" fn one_by_one(
    sliders: *const u64,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    one: One2,
) {
    for i in 0..boards {
        // SAFETY: the caller's contract.
        unsafe {
            let result = one(
                sliders.add(i).read_unaligned(),
                occupied.add(i).read_unaligned(),
            );
            attacks.add(i).write_unaligned(result);
        }
    }
}

macro_rules! batch2 {
    ($($name:ident, $operation:ident, $one:ident;)*) => { $(
        unsafe extern "C" fn $name<T: Parts + ?Sized>(
            sliders: *const u64,
            occupied: *const u64,
            attacks: *mut u64,
            boards: usize,
        ) {
            // SAFETY: the table's contract.
            unsafe {
                if boards < FEW {
                    one_by_one(sliders, occupied, attacks, boards, T::$one);
                } else {
                    by(sliders, occupied, attacks, boards, T::$operation);
                }
            }
        }
    )* };
}
batch2! {
    rook, ROOK, ROOK_ONE;
    bishop, BISHOP, BISHOP_ONE;
    queen, QUEEN, QUEEN_ONE;
}

/// A batch by one loop along a ray.
///
/// # Safety
/// As [`BatchRay`](super::table::BatchRay).
#[inline(never)]
unsafe extern "C" fn ray_by(
    direction: u8,
    sliders: *const u64,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    operation: RayLoop,
) {
    let sets = [sliders, occupied];
    // SAFETY: the caller's contract.
    unsafe {
        each_block(
            sets,
            [attacks],
            boards,
            |[sliders, occupied], [attacks], range| {
                let direction = Direction::ALL[usize::from(direction % 8)];
                operation(direction, sliders, occupied, attacks, fours(&range));
            },
        );
    }
}

macro_rules! batch_ray {
    ($($name:ident, $operation:ident;)*) => { $(
        unsafe extern "C" fn $name<T: Parts + ?Sized>(
            direction: u8,
            sliders: *const u64,
            occupied: *const u64,
            attacks: *mut u64,
            boards: usize,
        ) {
            // SAFETY: the table's contract.
            unsafe { ray_by(direction, sliders, occupied, attacks, boards, T::$operation) }
        }
    )* };
}
batch_ray! {
    ray, RAY;
    fill, FILL;
}

unsafe extern "C" fn slider<T: Parts + ?Sized>(
    orthogonal: *const u64,
    diagonal: *const u64,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
) {
    #[inline(never)]
    unsafe extern "C" fn by(
        orthogonal: *const u64,
        diagonal: *const u64,
        occupied: *const u64,
        attacks: *mut u64,
        boards: usize,
        rook: Loop,
        bishop: Loop,
    ) {
        let sets = [orthogonal, diagonal, occupied];
        // SAFETY: the caller's contract.
        unsafe {
            each_block(sets, [attacks], boards, |sets, [attacks], range| {
                let mut others = Block::UNSET;
                let fours = fours(&range);
                both(rook, bishop, sets, [attacks, &mut others], fours);
                attacks.add(&others, &others, fours);
            });
        }
    }
    // SAFETY: the table's contract.
    unsafe {
        if boards < FEW {
            for i in 0..boards {
                let [orthogonal, diagonal, occupied] =
                    [orthogonal, diagonal, occupied].map(|set| set.add(i).read_unaligned());
                let result = slider_one::<T>(orthogonal, diagonal, occupied);
                attacks.add(i).write_unaligned(result);
            }
            return;
        }
        let (rook, bishop) = (T::ROOK, T::BISHOP);
        by(
            orthogonal, diagonal, occupied, attacks, boards, rook, bishop,
        );
    }
}

unsafe extern "C" fn split<T: Parts + ?Sized>(
    orthogonal: *const u64,
    diagonal: *const u64,
    occupied: *const u64,
    straight: *mut u64,
    oblique: *mut u64,
    boards: usize,
) {
    #[inline(never)]
    unsafe extern "C" fn by(
        orthogonal: *const u64,
        diagonal: *const u64,
        occupied: *const u64,
        straight: *mut u64,
        oblique: *mut u64,
        boards: usize,
        rook: Loop,
        bishop: Loop,
    ) {
        let sets = [orthogonal, diagonal, occupied];
        // SAFETY: the caller's contract.
        unsafe {
            each_block(sets, [straight, oblique], boards, |sets, results, range| {
                both(rook, bishop, sets, results.each_mut(), fours(&range));
            });
        }
    }
    // SAFETY: the table's contract.
    unsafe {
        let (rook, bishop) = (T::ROOK, T::BISHOP);
        by(
            orthogonal, diagonal, occupied, straight, oblique, boards, rook, bishop,
        );
    }
}

/// The attacks of two kinds of sliders, each of which also blocks the other.
///
/// # Safety
/// As [`Loop`].
#[inline(always)]
unsafe fn both(
    rook: Loop,
    bishop: Loop,
    [orthogonal, diagonal, occupied]: [&Block; 3],
    [straight, oblique]: [&mut Block; 2],
    fours: usize,
) {
    let mut all = Block::UNSET;
    // SAFETY: the caller's contract.
    unsafe {
        all.unite(orthogonal, diagonal, occupied, fours);
        rook(orthogonal, &all, straight, fours);
        bishop(diagonal, &all, oblique, fours);
    }
}

/// X-rays along every `step`th ray from the `first`, as [`sliced_compound`](super::sliced_compound) tells them.
///
/// # Safety
/// As [`Batch3`](super::table::Batch3).
#[inline(never)]
unsafe extern "C" fn xray_by(
    sliders: *const u64,
    blockers: *const u64,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    ray: RayLoop,
    first: usize,
    step: usize,
) {
    let sets = [sliders, blockers, occupied];
    // SAFETY: the caller's contract.
    unsafe {
        each_block(sets, [attacks], boards, |sets, [attacks], range| {
            let [sliders, blockers, occupied] = sets;
            let fours = fours(&range);
            let mut all = Block::UNSET;
            all.unite(sliders, occupied, occupied, fours);
            let (mut seen, mut beyond) = (Block::UNSET, Block::UNSET);
            attacks.set(fours, |_| 0);
            for &direction in Direction::ALL.iter().skip(first).step_by(step) {
                ray(direction, sliders, &all, &mut seen, fours);
                seen.keep(&all, blockers, fours);
                ray(direction, &seen, &all, &mut beyond, fours);
                attacks.add(&beyond, &beyond, fours);
            }
        });
    }
}

macro_rules! xray {
    ($name:ident, $first:literal, $step:literal) => {
        unsafe extern "C" fn $name<T: Parts + ?Sized>(
            sliders: *const u64,
            blockers: *const u64,
            occupied: *const u64,
            attacks: *mut u64,
            boards: usize,
        ) {
            let ray = T::RAY;
            // SAFETY: the table's contract.
            unsafe {
                xray_by(
                    sliders, blockers, occupied, attacks, boards, ray, $first, $step,
                );
            }
        }
    };
}
xray!(xray_rook, 0, 2);
xray!(xray_bishop, 1, 2);
xray!(xray_queen, 0, 1);

unsafe extern "C" fn pins<T: Parts + ?Sized>(
    kings: *const u64,
    own: *const u64,
    orthogonal: *const u64,
    diagonal: *const u64,
    occupied: *const u64,
    pinned: *mut u64,
    pinners: *mut u64,
    boards: usize,
) {
    /// Pins, as [`sliced_compound`](super::sliced_compound) tells them.
    #[inline(never)]
    unsafe extern "C" fn by(
        kings: *const u64,
        own: *const u64,
        orthogonal: *const u64,
        diagonal: *const u64,
        occupied: *const u64,
        pinned: *mut u64,
        pinners: *mut u64,
        boards: usize,
        ray: RayLoop,
    ) {
        let sets = [kings, own, orthogonal, diagonal, occupied];
        // SAFETY: the caller's contract.
        unsafe {
            each_block(sets, [pinned, pinners], boards, |sets, results, range| {
                let [kings, own, orthogonal, diagonal, occupied] = sets;
                let [pinned, pinners] = results;
                let fours = fours(&range);
                let mut all = Block::UNSET;
                all.unite(kings, orthogonal, diagonal, fours);
                all.add(own, own, fours);
                all.add(occupied, occupied, fours);
                let (mut between, mut seen) = (Block::UNSET, Block::UNSET);
                pinned.set(fours, |_| 0);
                pinners.set(fours, |_| 0);
                for direction in Direction::ALL {
                    let line = [orthogonal, diagonal][direction as usize % 2];
                    ray(direction, kings, &all, &mut between, fours);
                    ray(direction.opposite(), line, &all, &mut seen, fours);
                    between.keep(&seen, own, fours);
                    pinned.add(&between, &between, fours);
                    ray(direction, &between, &all, &mut seen, fours);
                    pinners.add(&seen, line, fours);
                }
            });
        }
    }
    // SAFETY: the table's contract.
    unsafe {
        by(
            kings,
            own,
            orthogonal,
            diagonal,
            occupied,
            pinned,
            pinners,
            boards,
            T::RAY,
        );
    }
}

/// The union of two loops.
unsafe extern "C" fn queen_loop<T: Parts + ?Sized>(
    queens: &Block,
    occupied: &Block,
    attacks: &mut Block,
    fours: usize,
) {
    let mut others = Block::UNSET;
    // SAFETY: the loop's contract.
    unsafe {
        (T::ROOK)(queens, occupied, attacks, fours);
        (T::BISHOP)(queens, occupied, &mut others, fours);
        attacks.add(&others, &others, fours);
    }
}

unsafe extern "C" fn queen_one<T: Parts + ?Sized>(queens: u64, occupied: u64) -> u64 {
    // SAFETY: the CPU has the features of the kernel.
    unsafe { (T::ROOK_ONE)(queens, occupied) | (T::BISHOP_ONE)(queens, occupied) }
}

unsafe extern "C" fn slider_one<T: Parts + ?Sized>(
    orthogonal: u64,
    diagonal: u64,
    occupied: u64,
) -> u64 {
    let occupied = occupied | orthogonal | diagonal;
    // SAFETY: the CPU has the features of the kernel.
    unsafe { (T::ROOK_ONE)(orthogonal, occupied) | (T::BISHOP_ONE)(diagonal, occupied) }
}

/// A batch of squares by an operation on blocks of sets of one slider each.
///
/// # Safety
/// As [`BatchFrom`], and `operation` as [`Loop`].
#[inline(always)]
unsafe fn from_sets(
    squares: *const u8,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    operation: impl Fn(&Block, &Block, &mut Block, usize),
) {
    // SAFETY: the caller's contract.
    unsafe {
        each_block([occupied], [attacks], boards, |sets, [attacks], range| {
            let fours = fours(&range);
            let mut sliders = Block::UNSET;
            // Where the last four has fewer squares, the last one again.
            sliders.set(fours, |i| {
                let square = squares.add((range.start + i).min(boards - 1)).read();
                1 << (square & 63)
            });
            operation(&sliders, sets[0], attacks, fours);
        });
    }
}

/// A batch of squares by a loop.
///
/// # Safety
/// As [`BatchFrom`].
#[inline(never)]
unsafe extern "C" fn from_by(
    squares: *const u8,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    operation: Loop,
) {
    // SAFETY: the caller's contract.
    unsafe {
        from_sets(
            squares,
            occupied,
            attacks,
            boards,
            |sliders, occupied, attacks, fours| {
                operation(sliders, occupied, attacks, fours);
            },
        );
    }
}

macro_rules! from_square {
    ($($name:ident, $operation:ident;)*) => { $(
        unsafe extern "C" fn $name<T: Parts + ?Sized>(
            squares: *const u8,
            occupied: *const u64,
            attacks: *mut u64,
            boards: usize,
        ) {
            // SAFETY: the table's contract.
            unsafe { from_by(squares, occupied, attacks, boards, T::$operation) }
        }
    )* };
}
from_square! {
    rook_from, ROOK;
    bishop_from, BISHOP;
    queen_from, QUEEN;
}

/// Both rays of a line.
unsafe extern "C" fn line_from<T: Parts + ?Sized>(
    line: u8,
    squares: *const u8,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
) {
    #[inline(never)]
    unsafe extern "C" fn by(
        line: u8,
        squares: *const u8,
        occupied: *const u64,
        attacks: *mut u64,
        boards: usize,
        ray: RayLoop,
    ) {
        let [there, back] = Line::ALL[usize::from(line % 4)].directions();
        // SAFETY: the caller's contract.
        unsafe {
            from_sets(
                squares,
                occupied,
                attacks,
                boards,
                |sliders, occupied, attacks, fours| {
                    let mut others = Block::UNSET;
                    ray(there, sliders, occupied, attacks, fours);
                    ray(back, sliders, occupied, &mut others, fours);
                    attacks.add(&others, &others, fours);
                },
            );
        }
    }
    // SAFETY: the table's contract.
    unsafe { by(line, squares, occupied, attacks, boards, T::RAY) }
}
