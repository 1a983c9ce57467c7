//! Operations made of a kernel's others, chunk by chunk in the first-level cache: one copy for all kernels.

use super::line::{Line, line_of};
use super::table::{Batch2, BatchFrom};

/// Boards at a time: a buffer is 1 KiB.
const CHUNK: usize = 128;

/// The union of rook attacks of one set and bishop attacks of another, which both block, by a kernel's functions for either.
///
/// # Safety
/// As [`Batch3`](super::table::Batch3), for the CPU that the two functions need.
#[inline(never)]
pub(super) unsafe fn slider_attacks(
    of: [Batch2; 2],
    sets: [*const u64; 3],
    attacks: *mut u64,
    boards: usize,
) {
    let mut oblique = [0; CHUNK];
    for start in (0..boards).step_by(CHUNK) {
        let boards = CHUNK.min(boards - start);
        // SAFETY: the caller's contract for the boards from `start` on.
        unsafe {
            let sets = [sets[0].add(start), sets[1].add(start), sets[2].add(start)];
            let attacks = attacks.add(start);
            slider_attacks_split(of, sets, [attacks, oblique.as_mut_ptr()], boards);
            for (i, oblique) in oblique.iter().enumerate().take(boards) {
                let attacks = attacks.add(i);
                attacks.write_unaligned(attacks.read_unaligned() | oblique);
            }
        }
    }
}

/// Rook attacks of one set and bishop attacks of another, which both block, by a kernel's functions for either.
///
/// # Safety
/// As [`Batch3To2`](super::table::Batch3To2), for the CPU that the two functions need.
#[inline(never)]
pub(super) unsafe fn slider_attacks_split(
    [rook_attacks, bishop_attacks]: [Batch2; 2],
    [orthogonal, diagonal, occupied]: [*const u64; 3],
    [straight, oblique]: [*mut u64; 2],
    boards: usize,
) {
    let (mut all, mut rooks) = ([0; CHUNK], [0; CHUNK]);
    for start in (0..boards).step_by(CHUNK) {
        let boards = CHUNK.min(boards - start);
        // SAFETY: the caller's contract for the boards from `start` on. An output may be one of the inputs, so
        // none is written before all inputs are read.
        unsafe {
            let (orthogonal, diagonal) = (orthogonal.add(start), diagonal.add(start));
            let occupied = occupied.add(start);
            for (i, all) in all.iter_mut().enumerate().take(boards) {
                *all = occupied.add(i).read_unaligned()
                    | orthogonal.add(i).read_unaligned()
                    | diagonal.add(i).read_unaligned();
            }
            rook_attacks(orthogonal, all.as_ptr(), rooks.as_mut_ptr(), boards);
            bishop_attacks(diagonal, all.as_ptr(), oblique.add(start), boards);
            let straight = straight.add(start).cast::<u8>();
            straight.copy_from_nonoverlapping(rooks.as_ptr().cast(), 8 * boards);
        }
    }
}

/// Attacks from squares by a kernel's attacks of sets.
///
/// # Safety
/// As [`BatchFrom`], for the CPU that `set_attacks` needs.
#[inline(never)]
pub(super) unsafe fn attacks_from(
    set_attacks: Batch2,
    squares: *const u8,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
) {
    let mut sets = [0; CHUNK];
    for start in (0..boards).step_by(CHUNK) {
        let boards = CHUNK.min(boards - start);
        // SAFETY: the caller's contract for the boards from `start` on.
        unsafe {
            for (i, set) in sets.iter_mut().enumerate().take(boards) {
                *set = 1 << (squares.add(start + i).read() & 63);
            }
            set_attacks(
                sets.as_ptr(),
                occupied.add(start),
                attacks.add(start),
                boards,
            );
        }
    }
}

/// Attacks along one line by a kernel's attacks from squares along that line and others.
///
/// # Safety
/// As [`BatchFrom`], for the CPU that `attacks_from` needs.
#[inline(never)]
pub(super) unsafe fn line_attacks_from(
    attacks_from: BatchFrom,
    line: Line,
    squares: *const u8,
    occupied: *const u64,
    attacks: *mut u64,
    boards: usize,
) {
    for start in (0..boards).step_by(CHUNK) {
        let boards = CHUNK.min(boards - start);
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
