//! The tables of the look-up kernels. For each slider square, they hold a mask of inner squares,
//! and the attacks for every occupancy of the inner squares.
//!
//! The *inner squares* are all squares of a slider's rays except the last one of each ray. The
//! attacks depend on no other squares. `build.rs` writes the tables (feature `lookup`), and each
//! kernel finds the entry for an occupancy in its own way. These kernels exist for comparison; the
//! other kernels need no such tables.

use crate::kernels::geometry::line::line_of;
use crate::kernels::geometry::{Direction, Line};

/// The attack table of one kind of slider, written by `build.rs`: little-endian entries, square by
/// square. Aligned so that no entry straddles two cache lines.
#[repr(C, align(64))]
pub(in crate::kernels) struct Attacks<const BYTES: usize>(pub(in crate::kernels) [u8; BYTES]);

/// The part of the table that belongs to one square.
#[derive(Clone, Copy)]
pub(in crate::kernels) struct Relevant {
    /// The inner squares of the slider's lines.
    pub(in crate::kernels) mask: u64,
    /// The index of the first entry.
    pub(in crate::kernels) first: usize,
}

impl<const BYTES: usize> Attacks<BYTES> {
    /// The entry at an index. Rejected: an unchecked index, which is not measurably faster.
    #[inline(always)]
    pub(in crate::kernels) fn at(&self, index: usize) -> u64 {
        let (entries, _) = self.0.as_chunks();
        u64::from_le_bytes(entries[index])
    }
}

/// Each square's part of a table of `bytes` bytes.
pub(in crate::kernels) const fn relevant(lines: [Line; 2], bytes: usize) -> [Relevant; 64] {
    let mut squares = [Relevant { mask: 0, first: 0 }; 64];
    let mut first = 0;
    let mut square = 0;
    while square < 64 {
        let number = square as u8;
        let mask = inner_squares(lines[0], number) | inner_squares(lines[1], number);
        squares[square] = Relevant { mask, first };
        first += 1 << mask.count_ones();
        square += 1;
    }
    assert!(8 * first == bytes, "the table must have an entry for every occupancy");
    squares
}

/// The squares of the line through a square, without that square and the line's two ends.
pub(in crate::kernels) const fn inner_squares(line: Line, square: u8) -> u64 {
    let [there, back] = line.directions();
    line_of(line, square) & has_neighbour(there) & has_neighbour(back)
}

/// The squares with a neighbour in a direction.
const fn has_neighbour(direction: Direction) -> u64 {
    direction.opposite().step(!0)
}

/// Size of the rook table: 102,400 entries of eight bytes.
pub(in crate::kernels) const ROOK_BYTES: usize = 8 * 102_400;
/// Size of the bishop table: 5,248 entries of eight bytes.
pub(in crate::kernels) const BISHOP_BYTES: usize = 8 * 5_248;

/// The lines of a rook.
pub(in crate::kernels) const STRAIGHT: [Line; 2] = [Line::Rank, Line::File];
/// The lines of a bishop.
pub(in crate::kernels) const DIAGONALS: [Line; 2] = [Line::Diagonal, Line::Antidiagonal];

/// Includes the table that `build.rs` wrote under this name.
macro_rules! table {
    ($name:literal) => {
        $crate::kernels::any_cpu::lookup::Attacks(*include_bytes!(concat!(
            env!("OUT_DIR"),
            "/",
            $name,
            ".bin"
        )))
    };
}
pub(in crate::kernels) use table;
