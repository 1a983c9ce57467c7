#![doc = include_str!("../../docs/techniques/rank_slices.md")]

use super::borrow;
use crate::kernels::generic::transpose;
use crate::kernels::geometry::direction::A_FILE;

/// Cuts eight boards into slices: byte `k` of row `i` is rank `i` of board `k`. The cut is its own
/// inverse. It consists of three exchanges of 4, 2 and 1 bytes between pairs of rows.
///
/// ```
/// use setwise::techniques::rank_slices;
/// let mut boards = [0; 8];
/// boards[3] = 0x8877_6655_4433_2211;
/// let rows = rank_slices::cut(boards);
/// assert_eq!(rows[0], 0x11 << 24); // the first rank of board 3, in byte 3
/// assert_eq!(rank_slices::cut(rows), boards);
/// ```
#[must_use]
#[inline]
pub fn cut(boards: [u64; 8]) -> [u64; 8] {
    transpose::transpose_words(boards)
}

/// One of the three exchanges of [`cut`], between rows that are 4, 2 or 1 apart. The rows are
/// divided into groups of 8, 4 or 2 bytes. The upper half of each group in the first row changes
/// places with the lower half of the same group in the second row.
///
/// # Panics
/// If `apart` is not 4, 2 or 1.
///
/// ```
/// use setwise::techniques::rank_slices::{cut, exchange};
/// let boards: [u64; 8] = core::array::from_fn(|k| 0x0706_0504_0302_0100 + 0x1010_1010_1010_1010 * k as u64);
/// let rows = exchange(boards, 4);
/// assert_eq!(rows[0], 0x4342_4140_0302_0100); // the lower halves of boards 4 and 0
/// assert_eq!(exchange(exchange(rows, 2), 1), cut(boards));
/// ```
#[must_use]
pub const fn exchange(rows: [u64; 8], apart: usize) -> [u64; 8] {
    let (bits, low) = match apart {
        4 => (32, 0x0000_0000_ffff_ffff),
        2 => (16, 0x0000_ffff_0000_ffff),
        1 => (8, 0x00ff_00ff_00ff_00ff),
        _ => panic!("`apart` must be 4, 2 or 1"),
    };
    let mut rows = rows;
    let mut i = 0;
    while i < 8 {
        if i & apart == 0 {
            let difference = ((rows[i] >> bits) ^ rows[i + apart]) & low;
            rows[i] ^= difference << bits;
            rows[i + apart] ^= difference;
        }
        i += 1;
    }
    rows
}

/// Moves three floods into the next row. The straight flood stays in its file, and the diagonal
/// floods move one file east and one file west.
///
/// ```
/// use setwise::techniques::rank_slices;
/// assert_eq!(rank_slices::arrive([0x10, 0x10, 0x10]), [0x10, 0x20, 0x08]);
/// assert_eq!(rank_slices::arrive([0x80, 0x80, 0x01]), [0x80, 0, 0]); // two leave the board
/// ```
#[must_use]
#[inline]
pub const fn arrive(floods: [u64; 3]) -> [u64; 3] {
    [floods[0], (floods[1] & !(A_FILE << 7)) << 1, (floods[2] & !A_FILE) >> 1]
}

/// The floods that leave a row: the arriving floods without those stopped by a blocker, plus the
/// row's own sliders.
///
/// ```
/// use setwise::techniques::rank_slices;
/// assert_eq!(rank_slices::leave([0b0011, 0b0001, 0], 0b0010, 0b1000), [0b1001, 0b1001, 0b1000]);
/// ```
#[must_use]
#[inline]
pub const fn leave(floods: [u64; 3], occupied: u64, sliders: u64) -> [u64; 3] {
    let [straight, east, west] = floods;
    [straight & !occupied | sliders, east & !occupied | sliders, west & !occupied | sliders]
}

/// Attacks of the queens of eight boards.
///
/// Rays to the north and south step from row to row; diagonal rays also move one file. East is the
/// [borrow](borrow::east_attacks), and west is the borrow [on reversed
/// ranks](borrow::west_attacks).
///
/// ```
/// use setwise::{board, techniques::rank_slices};
/// let (queens, occupied) = ([1 << 27; 8], [1 << 51, 0, 1 << 25, 1 << 45, 1 << 9, 1 << 34, 1 << 20, !0]);
/// let attacks = rank_slices::queen_attacks(queens, occupied);
/// for i in 0..8 {
///     assert_eq!(attacks[i], board::queen_attacks(queens[i], occupied[i]));
/// }
/// ```
#[must_use]
pub fn queen_attacks(queens: [u64; 8], occupied: [u64; 8]) -> [u64; 8] {
    let (queens, occupied) = (cut(queens), cut(occupied));
    let mut attacks = [0; 8];
    for i in 0..8 {
        attacks[i] = borrow::east_attacks(queens[i], occupied[i])
            | borrow::west_attacks(queens[i], occupied[i]);
    }
    for upward in [true, false] {
        let row = |step: usize| if upward { step } else { 7 - step };
        let mut floods = [queens[row(0)]; 3];
        for i in (1..8).map(row) {
            floods = arrive(floods);
            attacks[i] |= floods[0] | floods[1] | floods[2];
            floods = leave(floods, occupied[i], queens[i]);
        }
    }
    cut(attacks)
}
