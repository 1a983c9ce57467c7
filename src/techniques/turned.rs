#![doc = include_str!("../../docs/techniques/turned.md")]

use super::borrow;
use crate::kernels::generic::bytes;

/// The board flipped over the diagonal from a8 to h1. Bit i of byte b of the result is the square
/// on rank `7 - i` and file `7 - b`, counted from 0. South becomes east, and north becomes west.
/// The flip is its own inverse, and consists of three exchanges: of 4x4 blocks, of 2x2 blocks and
/// of single squares.
///
/// ```
/// use setwise::techniques::turned;
/// assert_eq!(turned::turn(0xff), 0x8080_8080_8080_8080); // the first rank becomes the h-file
/// assert_eq!(turned::turn(turned::turn(0x1234_5678_9abc_def0)), 0x1234_5678_9abc_def0);
/// ```
#[must_use]
#[inline]
pub const fn turn(board: u64) -> u64 {
    let mut board = board;
    // In each block, two opposite quadrants change places. `difference` holds their XOR.
    let difference = (board ^ board >> 36) & 0x0000_0000_0f0f_0f0f;
    board ^= difference ^ difference << 36;
    let difference = (board ^ board >> 18) & 0x0000_3333_0000_3333;
    board ^= difference ^ difference << 18;
    let difference = (board ^ board >> 9) & 0x0055_0055_0055_0055;
    board ^ difference ^ difference << 9
}

/// The board with its files reversed: east becomes west.
///
/// ```
/// assert_eq!(setwise::techniques::turned::reverse(0x0100_0000_0000_0080), 0x8000_0000_0000_0001);
/// ```
#[must_use]
#[inline]
pub const fn reverse(board: u64) -> u64 {
    bytes::reverse(board)
}

/// Attacks of all rooks: along the ranks of the board, and along the ranks of the turned board.
///
/// ```
/// use setwise::{board, techniques::turned};
/// let (rooks, occupied) = (1 << 27, 1 << 51 | 1 << 25);
/// assert_eq!(turned::rook_attacks(rooks, occupied), board::rook_attacks(rooks, occupied));
/// ```
#[must_use]
#[inline]
pub const fn rook_attacks(rooks: u64, occupied: u64) -> u64 {
    along_ranks(rooks, occupied) | turn(along_ranks(turn(rooks), turn(occupied)))
}

/// Attacks along the ranks: east on the board itself, west on the reversed board.
#[inline]
const fn along_ranks(rooks: u64, occupied: u64) -> u64 {
    borrow::east_attacks(rooks, occupied) | borrow::west_attacks(rooks, occupied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_maps_to_its_mirror_image() {
        for file in 0..8 {
            for rank in 0..8 {
                let square = 1_u64 << (8 * rank + file);
                assert_eq!(turn(square), 1 << (8 * (7 - file) + 7 - rank));
                assert_eq!(reverse(square), 1 << (8 * rank + 7 - file));
            }
        }
    }
}
