//! Operations made of a kernel's others, block by block: one copy of each for all kernels.
//!
//! From one function of the table to the next the boards wait in the first-level cache. The functions here take the
//! arguments of the entry they serve, in its order, and after them what they are made of: an entry only adds that and jumps.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::compass::Direction;
use super::line::{Line, line_of};
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
    pub(super) unsafe extern "C" fn add(&mut self, a: &Block, b: &Block, fours: usize) {
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
pub(super) fn fours(boards: &Range<usize>) -> usize {
    boards.len().div_ceil(4)
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
            let fours = fours(&range);
            both(
                rook_attacks,
                bishop_attacks,
                sets,
                [attacks, &mut others],
                fours,
            );
            attacks.add(&others, &others, fours);
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
                fours(&range),
            );
        });
    }
}

/// The attacks of two kinds of sliders, each of which also blocks the other.
///
/// # Safety
/// The sets' fours of boards are set; the CPU has what the functions need.
#[inline(always)]
unsafe fn both(
    rook_attacks: Batch2,
    bishop_attacks: Batch2,
    [orthogonal, diagonal, occupied]: [&Block; 3],
    [straight, oblique]: [&mut Block; 2],
    fours: usize,
) {
    let mut all = Block::UNSET;
    // SAFETY: the caller's contract.
    unsafe {
        all.unite(orthogonal, diagonal, occupied, fours);
        rook_attacks(
            orthogonal.boards(),
            all.boards(),
            straight.boards_mut(),
            4 * fours,
        );
        bishop_attacks(
            diagonal.boards(),
            all.boards(),
            oblique.boards_mut(),
            4 * fours,
        );
    }
}

/// X-rays along every `step`th ray from the `first`, as [`sliced_compound`](super::sliced_compound) tells them.
///
/// # Safety
/// As [`Batch3`](super::table::Batch3), for the CPU that `ray_attacks` needs.
#[inline(never)]
pub(super) unsafe extern "C" fn xray_attacks(
    sliders: *const u64,
    blockers: *const u64,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
    ray_attacks: BatchRay,
    first: u8,
    step: u8,
) {
    let sets = [sliders, blockers, occupied];
    // SAFETY: the caller's contract.
    unsafe {
        each_block(sets, [attacks], boards, |sets, [attacks], range| {
            let [sliders, blockers, occupied] = sets;
            let fours = fours(&range);
            let ray = |direction: u8, sliders: &Block, occupied: &Block, seen: &mut Block| {
                ray_attacks(
                    direction,
                    sliders.boards(),
                    occupied.boards(),
                    seen.boards_mut(),
                    4 * fours,
                );
            };
            let mut all = Block::UNSET;
            all.unite(sliders, occupied, occupied, fours);
            let (mut seen, mut beyond) = (Block::UNSET, Block::UNSET);
            attacks.set(fours, |_| 0);
            let mut direction = first;
            while direction < 8 {
                ray(direction, sliders, &all, &mut seen);
                seen.keep(&all, blockers, fours);
                ray(direction, &seen, &all, &mut beyond);
                attacks.add(&beyond, &beyond, fours);
                direction += step;
            }
        });
    }
}

/// Pins, as [`sliced_compound`](super::sliced_compound) tells them.
///
/// # Safety
/// As [`Batch5To2`](super::table::Batch5To2), for the CPU that `ray_attacks` needs.
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
    ray_attacks: BatchRay,
) {
    let sets = [kings, own, orthogonal, diagonal, occupied];
    // SAFETY: the caller's contract.
    unsafe {
        each_block(sets, [pinned, pinners], boards, |sets, results, range| {
            let [kings, own, orthogonal, diagonal, occupied] = sets;
            let [pinned, pinners] = results;
            let fours = fours(&range);
            let ray =
                |direction: Direction, sliders: &Block, occupied: &Block, seen: &mut Block| {
                    let (sliders, occupied) = (sliders.boards(), occupied.boards());
                    ray_attacks(
                        direction as u8,
                        sliders,
                        occupied,
                        seen.boards_mut(),
                        4 * fours,
                    );
                };
            let mut all = Block::UNSET;
            all.unite(kings, orthogonal, diagonal, fours);
            all.add(own, own, fours);
            all.add(occupied, occupied, fours);
            let (mut between, mut seen) = (Block::UNSET, Block::UNSET);
            pinned.set(fours, |_| 0);
            pinners.set(fours, |_| 0);
            for direction in Direction::ALL {
                let line = [orthogonal, diagonal][direction as usize % 2];
                ray(direction, kings, &all, &mut between);
                ray(direction.opposite(), line, &all, &mut seen);
                between.keep(&seen, own, fours);
                pinned.add(&between, &between, fours);
                ray(direction, &between, &all, &mut seen);
                pinners.add(&seen, line, fours);
            }
        });
    }
}

/// A batch of squares by an operation on blocks of sets of one slider each.
///
/// # Safety
/// As [`BatchFrom`], and `operation` is given fours of boards that are set and sets as many.
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
            |sliders, occupied, attacks, fours| {
                set_attacks(
                    sliders.boards(),
                    occupied.boards(),
                    attacks.boards_mut(),
                    4 * fours,
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
                let (sliders, occupied) = (sliders.boards(), occupied.boards());
                ray_attacks(
                    there as u8,
                    sliders,
                    occupied,
                    attacks.boards_mut(),
                    4 * fours,
                );
                ray_attacks(
                    back as u8,
                    sliders,
                    occupied,
                    others.boards_mut(),
                    4 * fours,
                );
                attacks.add(&others, &others, fours);
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
    let line = Line::ALL[usize::from(line % 4)];
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
