//! Rank slices: a block of boards cut until each row holds one rank of all of them.
//!
//! Here a row is a `u64` and a block is eight boards; registers hold 16, 32 or 64. The kernel `scalar` cuts with [`cut`], and has eight such blocks side by side.
//!
//! Source: this project's; the rays are those of the other techniques.

use super::borrow;
use super::turned::reverse;
use crate::kernels::generic::transpose;
use crate::kernels::geometry::direction::A_FILE;

/// Cuts eight boards: byte `k` of row `i` is rank `i` of board `k`. Its own inverse: three exchanges of 4, 2 and 1 bytes between pairs of rows.
///
/// ```
/// use setwise::techniques::rank_slices;
/// let mut boards = [0; 8];
/// boards[3] = 0x8877_6655_4433_2211;
/// let rows = rank_slices::cut(boards);
/// assert_eq!(rows[0], 0x11 << 24); // its first rank, in its place among the eight
/// assert_eq!(rank_slices::cut(rows), boards);
/// ```
#[must_use]
#[inline]
pub fn cut(boards: [u64; 8]) -> [u64; 8] {
    transpose::transpose_words(boards)
}

/// Attacks of the queens of eight boards, with a step of each ray a row.
///
/// North and south a step is the next row; on diagonals the flood also moves one file. East is the borrow, west the same
/// in reversed ranks.
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
    let east = |row: u64| (row & !(A_FILE << 7)) << 1;
    let west = |row: u64| (row & !A_FILE) >> 1;
    let mut attacks = [0; 8];
    for i in 0..8 {
        attacks[i] = borrow::east_attacks(queens[i], occupied[i])
            | reverse(borrow::east_attacks(
                reverse(queens[i]),
                reverse(occupied[i]),
            ));
    }
    for upward in [true, false] {
        let row = |step: usize| if upward { step } else { 7 - step };
        let mut floods = [queens[row(0)]; 3];
        for i in (1..8).map(row) {
            floods = [floods[0], east(floods[1]), west(floods[2])];
            attacks[i] |= floods[0] | floods[1] | floods[2];
            floods = floods.map(|flood| flood & !occupied[i] | queens[i]);
        }
    }
    cut(attacks)
}
