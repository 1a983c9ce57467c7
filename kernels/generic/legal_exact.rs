//! Legal moves that are rare, position by position: captures en passant, and castling other than
//! that of standard chess.

use super::moves::one::{Seen, castles, takers};
use crate::kernels::geometry::{PlaneColumns, State};

/// Adds the rare moves of up to eight positions from `first` on: of those whose byte of `which` is
/// not 0, the first in the lowest byte.
///
/// # Safety
/// The columns are valid for these positions, and that of the moves is not null.
#[cold]
#[inline(never)]
pub(super) unsafe fn add_rare_moves(columns: &PlaneColumns, first: usize, mut which: u64) {
    while which != 0 {
        let byte = which.trailing_zeros() / 8;
        which &= !(0xff << (8 * byte));
        let i = first + byte as usize;
        // SAFETY: the columns have position `i`.
        unsafe {
            let mut planes = [0; 4];
            for (plane, column) in planes.iter_mut().zip(columns.planes) {
                *plane = column.add(i).read_unaligned();
            }
            let side = if columns.side.is_null() { 0 } else { columns.side.add(i).read() };
            let en_passant = columns.en_passant.add(i).read();
            let [white, black] = columns.castling;
            let castling = [white.add(i).read(), black.add(i).read()];
            let moves = rare_moves(&Seen::new(planes, State { side, en_passant, castling }));
            let to = columns.moves.add(i);
            to.write(to.read().saturating_add(moves));
        }
    }
}

/// The number of captures en passant, and of castlings unless they are those of standard chess,
/// which are counted with all other moves.
fn rare_moves(seen: &Seen) -> u8 {
    const E1: u64 = 1 << 4;
    let king = seen.kings() & seen.own;
    let standard = seen.castling & 0x7e == 0 && king == E1;
    let castles = if standard { 0 } else { castles(seen) };
    (takers(seen).count_ones() + castles.count_ones()) as u8
}
