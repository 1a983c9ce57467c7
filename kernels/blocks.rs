//! The table of a technique that works on one board at a time, composed of a few loops.
//!
//! A technique's own are the loops for rays and fills, and those for rooks, bishops and queens ([`Parts`]). All else
//! is composed of these block by block ([`chunks`]); but x-rays, pins and rays of few boards are Kogge-Stone's for
//! all ([`rays`]). So every loop exists once, and the compiler can vectorise it where the technique allows.

use core::ffi::CStr;

use super::chunks::{self, Block, each_block, eights};
use super::compass::Direction;
use super::table::{BatchFrom, BatchLineFrom, One2, One3};
use super::{ABI_VERSION, Table, counts, rays};

/// An operation on the first boards of a block, `sliders, occupied, attacks, eights`: these eights of boards are set in the
/// inputs, and are then in the output; the CPU has the features of the kernel.
///
/// In eights, because then a loop over vectors leaves no rest; of the C ABI, because that does not unwind.
pub(super) type Loop = unsafe extern "C" fn(&Block, &Block, &mut Block, usize);
/// The same along one ray. In one function for all directions the shift is by a register, which takes little
/// longer; a table of eight functions would be eight times the code.
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
    eights: usize,
    f: impl Fn(u64, u64) -> u64,
) {
    // SAFETY: the caller's contract.
    output.set(eights, |i| unsafe { f(a.get(i), b.get(i)) });
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
        xray_rook_attacks: xray_rook,
        xray_bishop_attacks: xray_bishop,
        xray_queen_attacks: xray_queen,
        pins: chunks::pins,
        intersection_counts: counts::batch,
        rook_attacks_from: T::ROOK_FROM,
        bishop_attacks_from: T::BISHOP_FROM,
        queen_attacks_from: T::QUEEN_FROM,
        line_attacks_from: T::LINE_FROM,
    }
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
                operation(sliders, occupied, attacks, eights(&range));
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
                operation(
                    Direction::numbered(direction),
                    sliders,
                    occupied,
                    attacks,
                    eights(&range),
                );
            },
        );
    }
}

macro_rules! batch_ray {
    ($($name:ident, $operation:ident, $attacks:literal;)*) => { $(
        unsafe extern "C" fn $name<T: Parts + ?Sized>(
            direction: u8,
            sliders: *const u64,
            occupied: *const u64,
            attacks: *mut u64,
            boards: usize,
        ) {
            // SAFETY: the table's contract.
            unsafe {
                if boards < FEW {
                    rays::one_by_one(direction, sliders, occupied, attacks, boards, $attacks);
                } else {
                    ray_by(direction, sliders, occupied, attacks, boards, T::$operation);
                }
            }
        }
    )* };
}
batch_ray! {
    ray, RAY, true;
    fill, FILL, false;
}

/// The same of three sets.
///
/// # Safety
/// As [`Batch3`](super::table::Batch3).
#[inline(never)]
unsafe extern "C" fn sliders_one_by_one(
    orthogonal: *const u64,
    diagonal: *const u64,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    one: One3,
) {
    for i in 0..boards {
        // SAFETY: the caller's contract.
        unsafe {
            let result = one(
                orthogonal.add(i).read_unaligned(),
                diagonal.add(i).read_unaligned(),
                occupied.add(i).read_unaligned(),
            );
            attacks.add(i).write_unaligned(result);
        }
    }
}

/// Defines entries that are composed: `<T>` if of the technique's own, else of what is the same for all.
macro_rules! composed {
    ($($name:ident $(<$T:ident>)?($($argument:ident: $kind:ty),*) = $by:ident($($part:expr),*);)*) => { $(
        unsafe extern "C" fn $name $(<$T: Parts + ?Sized>)?($($argument: $kind),*) {
            // SAFETY: the table's contract.
            unsafe { chunks::$by($($argument,)* $($part),*) }
        }
    )* };
}
composed! {
    split<T>(
        orthogonal: *const u64, diagonal: *const u64, occupied: *const u64,
        straight: *mut u64, oblique: *mut u64, boards: usize
    ) = slider_attacks_split(rook::<T>, bishop::<T>);
    rook_from<T>(squares: *const u8, occupied: *const u64, attacks: *mut u64, boards: usize)
        = attacks_from(rook::<T>);
    bishop_from<T>(squares: *const u8, occupied: *const u64, attacks: *mut u64, boards: usize)
        = attacks_from(bishop::<T>);
    queen_from<T>(squares: *const u8, occupied: *const u64, attacks: *mut u64, boards: usize)
        = attacks_from(queen::<T>);
    line_from<T>(line: u8, squares: *const u8, occupied: *const u64, attacks: *mut u64, boards: usize)
        = line_attacks_by_rays(ray::<T>);
    xray_rook(sliders: *const u64, blockers: *const u64, occupied: *const u64, attacks: *mut u64, boards: usize)
        = xray_attacks(0, 2);
    xray_bishop(sliders: *const u64, blockers: *const u64, occupied: *const u64, attacks: *mut u64, boards: usize)
        = xray_attacks(1, 2);
    xray_queen(sliders: *const u64, blockers: *const u64, occupied: *const u64, attacks: *mut u64, boards: usize)
        = xray_attacks(0, 1);
}

unsafe extern "C" fn slider<T: Parts + ?Sized>(
    orthogonal: *const u64,
    diagonal: *const u64,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
) {
    // SAFETY: the table's contract.
    unsafe {
        if boards < FEW {
            sliders_one_by_one(
                orthogonal,
                diagonal,
                occupied,
                attacks,
                boards,
                slider_one::<T>,
            );
        } else {
            chunks::slider_attacks(
                orthogonal,
                diagonal,
                occupied,
                attacks,
                boards,
                rook::<T>,
                bishop::<T>,
            );
        }
    }
}

/// The union of two loops.
unsafe extern "C" fn queen_loop<T: Parts + ?Sized>(
    queens: &Block,
    occupied: &Block,
    attacks: &mut Block,
    eights: usize,
) {
    let mut others = Block::UNSET;
    // SAFETY: the loop's contract.
    unsafe {
        (T::ROOK)(queens, occupied, attacks, eights);
        (T::BISHOP)(queens, occupied, &mut others, eights);
        attacks.add(&others, eights);
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
