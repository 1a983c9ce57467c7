//! Operations made of a kernel's others, block by block: one copy of each for all kernels.
//!
//! From one function of the table to the next the boards wait in the first-level cache. The functions here take the
//! arguments of the entry they serve, in its order, and after them what they are made of: an entry only adds that and jumps.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::compass::Direction;
use super::lanes::Lanes;
use super::line::{Line, line_of};
use super::rays::Ray;
use super::table::{Batch2, BatchFrom, BatchRay};

/// Boards in a block.
pub(super) const BOARDS: usize = 64;

/// The memory of a block of boards, by their bytes: anywhere, and only as many are set as there are. (To clear
/// them all would take longer than a few boards do.)
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Block([MaybeUninit<[u8; 8]>; BOARDS]);

impl Block {
    pub(super) const UNSET: Block = Block([MaybeUninit::uninit(); BOARDS]);

    /// Takes some boards; what is missing to the last eight is empty.
    ///
    /// # Safety
    /// The pointer is valid for `count` boards, which are at most a block.
    #[inline(never)]
    unsafe fn take(&mut self, from: *const u64, count: usize) {
        let boards = self.0.as_mut_ptr();
        // SAFETY: the caller's contract.
        unsafe {
            boards.copy_from_nonoverlapping(from.cast(), count);
            boards.add(count).write_bytes(0, count.wrapping_neg() % 8);
        }
    }

    /// Where the boards are.
    #[inline(always)]
    pub(super) fn boards(&self) -> *const u64 {
        self.0.as_ptr().cast()
    }

    #[inline(always)]
    pub(super) fn boards_mut(&mut self) -> *mut u64 {
        self.0.as_mut_ptr().cast()
    }

    /// # Safety
    /// The board is set.
    #[inline(always)]
    pub(super) unsafe fn get(&self, board: usize) -> u64 {
        // SAFETY: the caller's contract.
        u64::from_ne_bytes(unsafe { self.0[board].assume_init() })
    }

    /// The boards of a vector from the `start`th on.
    ///
    /// # Safety
    /// They are set, and the CPU has the features of `L`.
    #[inline(always)]
    pub(super) unsafe fn vector<L: Lanes>(&self, start: usize) -> L {
        // SAFETY: the caller's contract.
        unsafe { L::load(self.boards().add(start)) }
    }

    /// # Safety
    /// `start + L::BOARDS` is at most [`BOARDS`].
    #[inline(always)]
    pub(super) unsafe fn set_vector<L: Lanes>(&mut self, start: usize, boards: L) {
        // SAFETY: the caller's contract.
        unsafe { boards.store(self.boards_mut().add(start)) }
    }

    /// Sets the boards of some eights, each by its number.
    #[inline(always)]
    pub(super) fn set(&mut self, eights: usize, f: impl Fn(usize) -> u64) {
        for i in 0..8 * eights.min(BOARDS / 8) {
            self.0[i].write(f(i).to_ne_bytes());
        }
    }

    /// `self[i] = f(self[i], i)` for the boards of some eights.
    ///
    /// # Safety
    /// These boards are set.
    #[inline(always)]
    pub(super) unsafe fn update(&mut self, eights: usize, f: impl Fn(u64, usize) -> u64) {
        for i in 0..8 * eights.min(BOARDS / 8) {
            // SAFETY: the caller's contract.
            let squares = unsafe { self.get(i) };
            self.0[i].write(f(squares, i).to_ne_bytes());
        }
    }

    /// `self |= other` for the boards of some eights. (Out of line the compiler knows that they do not overlap.)
    ///
    /// # Safety
    /// These boards are set in both.
    #[inline(never)]
    pub(super) unsafe extern "C" fn add(&mut self, other: &Block, eights: usize) {
        // SAFETY: the caller's contract.
        unsafe { self.update(eights, |squares, i| squares | other.get(i)) }
    }

    /// `self = a | b | c` for the boards of some eights.
    ///
    /// # Safety
    /// These boards are set in the three sets.
    #[inline(never)]
    unsafe extern "C" fn unite(&mut self, a: &Block, b: &Block, c: &Block, eights: usize) {
        // SAFETY: the caller's contract.
        self.set(eights, |i| unsafe { a.get(i) | b.get(i) | c.get(i) });
    }
}

/// Cuts a batch into blocks: calls `f` with the blocks of the inputs, those for the outputs, and which boards they are.
/// All of a block is read before any of it is written, so that output and input may be the same.
///
/// # Safety
/// Every pointer is valid for `boards` boards, of any alignment; an output may be exactly one of the
/// inputs, but overlaps nothing else.
#[inline(always)]
pub(super) unsafe fn each_block<const N: usize, const M: usize>(
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
                    rest[n].take(inputs[n].add(done), count);
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

/// How many eights hold these boards.
#[inline(always)]
pub(super) fn eights(boards: &Range<usize>) -> usize {
    boards.len().div_ceil(8)
}

/// The union of rook attacks of one set and bishop attacks of another, which both block.
///
/// # Safety
/// As [`Batch3`](super::table::Batch3), for the CPU that the two functions need.
#[inline(never)]
pub(super) unsafe extern "C" fn slider_attacks(
    orthogonal: *const u64,
    diagonal: *const u64,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    rook_attacks: Batch2,
    bishop_attacks: Batch2,
) {
    let sets = [orthogonal, diagonal, occupied];
    // SAFETY: the caller's contract.
    unsafe {
        each_block(sets, [attacks], boards, |sets, [attacks], range| {
            let mut others = Block::UNSET;
            let eights = eights(&range);
            both(
                rook_attacks,
                bishop_attacks,
                sets,
                [attacks, &mut others],
                eights,
            );
            attacks.add(&others, eights);
        });
    }
}

/// Rook attacks of one set and bishop attacks of another, which both block.
///
/// # Safety
/// As [`Batch3To2`](super::table::Batch3To2), for the CPU that the two functions need.
#[inline(never)]
pub(super) unsafe extern "C" fn slider_attacks_split(
    orthogonal: *const u64,
    diagonal: *const u64,
    occupied: *const u64,
    straight: *mut u64,
    oblique: *mut u64,
    boards: usize,
    rook_attacks: Batch2,
    bishop_attacks: Batch2,
) {
    let sets = [orthogonal, diagonal, occupied];
    // SAFETY: the caller's contract.
    unsafe {
        each_block(sets, [straight, oblique], boards, |sets, results, range| {
            both(
                rook_attacks,
                bishop_attacks,
                sets,
                results.each_mut(),
                eights(&range),
            );
        });
    }
}

/// The attacks of two kinds of sliders, each of which also blocks the other.
///
/// # Safety
/// The sets' eights of boards are set; the CPU has what the functions need.
#[inline(always)]
unsafe fn both(
    rook_attacks: Batch2,
    bishop_attacks: Batch2,
    [orthogonal, diagonal, occupied]: [&Block; 3],
    [straight, oblique]: [&mut Block; 2],
    eights: usize,
) {
    let mut all = Block::UNSET;
    // SAFETY: the caller's contract.
    unsafe {
        all.unite(orthogonal, diagonal, occupied, eights);
        rook_attacks(
            orthogonal.boards(),
            all.boards(),
            straight.boards_mut(),
            8 * eights,
        );
        bishop_attacks(
            diagonal.boards(),
            all.boards(),
            oblique.boards_mut(),
            8 * eights,
        );
    }
}

/// X-rays along every `step`th ray from the `first`, as [`rays`](super::rays) tells them.
///
/// # Safety
/// As [`Batch3`](super::table::Batch3).
#[inline(never)]
pub(super) unsafe extern "C" fn xray_attacks(
    sliders: *const u64,
    blockers: *const u64,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    first: usize,
    step: usize,
) {
    let sets = [sliders, blockers, occupied];
    // SAFETY: the caller's contract.
    unsafe {
        each_block(sets, [attacks], boards, |sets, [attacks], range| {
            let [sliders, blockers, occupied] = sets;
            let eights = eights(&range);
            let (mut all, mut transparent) = (Block::UNSET, Block::UNSET);
            all.unite(sliders, occupied, occupied, eights);
            transparent.set(eights, |i| blockers.get(i) & all.get(i));
            attacks.set(eights, |_| 0);
            for &direction in Direction::ALL.iter().skip(first).step_by(step) {
                Ray::add_xray(direction, [sliders, &transparent, &all], attacks, eights);
            }
        });
    }
}

/// Pins, as [`rays`](super::rays) tells them.
///
/// # Safety
/// As [`Batch5To2`](super::table::Batch5To2).
#[inline(never)]
pub(super) unsafe extern "C" fn pins(
    kings: *const u64,
    own: *const u64,
    orthogonal: *const u64,
    diagonal: *const u64,
    occupied: *const u64,
    pinned: *mut u64,
    pinners: *mut u64,
    boards: usize,
) {
    let sets = [kings, own, orthogonal, diagonal, occupied];
    // SAFETY: the caller's contract.
    unsafe {
        each_block(sets, [pinned, pinners], boards, |sets, results, range| {
            let [kings, own, orthogonal, diagonal, occupied] = sets;
            let [pinned, pinners] = results;
            let eights = eights(&range);
            let mut all = Block::UNSET;
            all.unite(kings, orthogonal, diagonal, eights);
            all.add(own, eights);
            all.add(occupied, eights);
            pinned.set(eights, |_| 0);
            pinners.set(eights, |_| 0);
            for direction in Direction::ALL {
                let line = [orthogonal, diagonal][direction as usize % 2];
                let sets = [kings, own, line, &all];
                Ray::add_pins(direction, sets, pinned, pinners, eights);
            }
        });
    }
}

/// A batch of squares by an operation on blocks of sets of one slider each.
///
/// # Safety
/// As [`BatchFrom`], and `operation` is given eights of boards that are set and sets as many.
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
            let eights = eights(&range);
            let mut sliders = Block::UNSET;
            // Where the last eight has fewer squares, the last one again.
            sliders.set(eights, |i| {
                let square = squares.add((range.start + i).min(boards - 1)).read();
                1 << (square & 63)
            });
            operation(&sliders, sets[0], attacks, eights);
        });
    }
}

/// Attacks from squares by a kernel's attacks of sets.
///
/// # Safety
/// As [`BatchFrom`], for the CPU that `set_attacks` needs.
#[inline(never)]
pub(super) unsafe extern "C" fn attacks_from(
    squares: *const u8,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    set_attacks: Batch2,
) {
    // SAFETY: the caller's contract.
    unsafe {
        from_sets(
            squares,
            occupied,
            attacks,
            boards,
            |sliders, occupied, attacks, eights| {
                set_attacks(
                    sliders.boards(),
                    occupied.boards(),
                    attacks.boards_mut(),
                    8 * eights,
                );
            },
        );
    }
}

/// Attacks along one line by its two rays.
///
/// # Safety
/// As [`BatchLineFrom`](super::table::BatchLineFrom), for the CPU that `ray_attacks` needs.
#[inline(never)]
pub(super) unsafe extern "C" fn line_attacks_by_rays(
    line: u8,
    squares: *const u8,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    ray_attacks: BatchRay,
) {
    let [there, back] = Line::numbered(line).directions();
    // SAFETY: the caller's contract.
    unsafe {
        from_sets(
            squares,
            occupied,
            attacks,
            boards,
            |sliders, occupied, attacks, eights| {
                let mut others = Block::UNSET;
                let (sliders, occupied) = (sliders.boards(), occupied.boards());
                ray_attacks(
                    there as u8,
                    sliders,
                    occupied,
                    attacks.boards_mut(),
                    8 * eights,
                );
                ray_attacks(
                    back as u8,
                    sliders,
                    occupied,
                    others.boards_mut(),
                    8 * eights,
                );
                attacks.add(&others, eights);
            },
        );
    }
}

/// Attacks along one line by a kernel's attacks from squares along that line and others.
///
/// # Safety
/// As [`BatchLineFrom`](super::table::BatchLineFrom), for the CPU that the two functions need.
#[inline(never)]
pub(super) unsafe extern "C" fn line_attacks_from(
    line: u8,
    squares: *const u8,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    rook_attacks_from: BatchFrom,
    bishop_attacks_from: BatchFrom,
) {
    let line = Line::numbered(line);
    let attacks_from = match line {
        Line::Rank | Line::File => rook_attacks_from,
        Line::Diagonal | Line::Antidiagonal => bishop_attacks_from,
    };
    for start in (0..boards).step_by(BOARDS) {
        let boards = BOARDS.min(boards - start);
        // SAFETY: the caller's contract for the boards from `start` on.
        unsafe {
            let (squares, attacks) = (squares.add(start), attacks.add(start));
            attacks_from(squares, occupied.add(start), attacks, boards);
            for i in 0..boards {
                let (square, attacks) = (squares.add(i).read() & 63, attacks.add(i));
                attacks.write_unaligned(attacks.read_unaligned() & line_of(line, square));
            }
        }
    }
}
