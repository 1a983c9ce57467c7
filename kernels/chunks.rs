//! Operations made of a kernel's others, chunk by chunk in the first-level cache: one copy for all kernels.

use super::line::{Line, line_of};
use super::table::{Batch2, BatchFrom};

/// Boards at a time: a buffer is 1 KiB.
const CHUNK: usize = 128;

/// Attacks in two sets by a kernel's rook and bishop attacks.
///
/// # Safety
/// As [`Batch3To2`](super::table::Batch3To2), for the CPU that `rook_attacks` and `bishop_attacks` need.
#[inline(never)]
#[allow(clippy::too_many_arguments, reason = "each is a column of the batch")]
pub(super) unsafe fn slider_attacks_split(
    rook_attacks: Batch2,
    bishop_attacks: Batch2,
    orthogonal: *const u64,
    diagonal: *const u64,
    occupied: *const u64,
    straight: *mut u64,
    oblique: *mut u64,
    boards: usize,
) {
    let (mut all, mut result) = ([0; CHUNK], [0; CHUNK]);
    for start in (0..boards).step_by(CHUNK) {
        let boards = CHUNK.min(boards - start);
        // SAFETY: the caller's contract for the boards from `start` on. An output may be one of the inputs, so
        // nothing is written before all is read.
        unsafe {
            let (orthogonal, diagonal) = (orthogonal.add(start), diagonal.add(start));
            let occupied = occupied.add(start);
            for (i, all) in all.iter_mut().enumerate().take(boards) {
                *all = occupied.add(i).read_unaligned()
                    | orthogonal.add(i).read_unaligned()
                    | diagonal.add(i).read_unaligned();
            }
            rook_attacks(orthogonal, all.as_ptr(), result.as_mut_ptr(), boards);
            bishop_attacks(diagonal, all.as_ptr(), oblique.add(start), boards);
            straight
                .add(start)
                .cast::<u8>()
                .copy_from_nonoverlapping(result.as_ptr().cast(), 8 * boards);
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
