//! What the look-up kernels share: which squares matter to a slider, and where its attacks are.
//!
//! A slider's attacks depend on the inner squares of its lines, those that have another one behind them. For
//! each square there is a stretch of table with a place for every occupancy of these; `build.rs` writes
//! the tables (feature `lookup`), a kernel finds the place. They are here to compare with: the other kernels need none.

use crate::kernels::geometry::line::line_of;
use crate::kernels::geometry::{Direction, Line};

/// The attacks of one kind of slider, as `build.rs` wrote them.
pub(in crate::kernels) struct Attacks<const BYTES: usize> {
    /// Little-endian, square after square.
    pub(in crate::kernels) bytes: &'static [u8; BYTES],
    pub(in crate::kernels) squares: [Relevant; 64],
}

/// What matters to a slider on one square.
#[derive(Clone, Copy)]
pub(in crate::kernels) struct Relevant {
    /// The inner squares of its lines.
    pub(in crate::kernels) mask: u64,
    /// The place of its first entry.
    pub(in crate::kernels) first: usize,
}

impl<const BYTES: usize> Attacks<BYTES> {
    pub(in crate::kernels) const fn new(bytes: &'static [u8; BYTES], lines: [Line; 2]) -> Self {
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
        assert!(8 * first == BYTES, "a place for every occupancy");
        Attacks { bytes, squares }
    }

    #[inline(always)]
    pub(in crate::kernels) fn at(&self, place: usize) -> u64 {
        let (entries, _) = self.bytes.as_chunks();
        u64::from_le_bytes(entries[place])
    }
}

/// The squares of a line, without one of them, from which it goes on in both directions.
pub(in crate::kernels) const fn inner_squares(line: Line, square: u8) -> u64 {
    let [there, back] = line.directions();
    line_of(line, square) & goes_on(there) & goes_on(back)
}

/// The squares with a neighbour in a direction.
const fn goes_on(direction: Direction) -> u64 {
    direction.opposite().step(!0)
}

/// Rook attacks have 102,400 places, bishop attacks 5,248.
pub(in crate::kernels) const ROOK_BYTES: usize = 8 * 102_400;
pub(in crate::kernels) const BISHOP_BYTES: usize = 8 * 5_248;

/// The lines of a rook.
pub(in crate::kernels) const STRAIGHT: [Line; 2] = [Line::Rank, Line::File];
/// The lines of a bishop.
pub(in crate::kernels) const DIAGONALS: [Line; 2] = [Line::Diagonal, Line::Antidiagonal];

/// A static with the table that `build.rs` wrote under a name.
macro_rules! table {
    ($name:literal, $lines:expr) => {
        $crate::kernels::any_cpu::lookup::Attacks::new(
            include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".bin")),
            $lines,
        )
    };
}
pub(in crate::kernels) use table;
