//! Rooks in four views: each ray is a subtraction of bytes, in a view of the board in which it leads east.
//!
//! A board *turned* over its antidiagonal has its files where the ranks were; a board with the bits of each byte *reversed* has east and
//! west exchanged. So four views of the same board, as it is, reversed, turned, turned and reversed, have the four rays of all rooks as eastward ones. With
//! GFNI each view is one instruction (`gf2p8affineqb`); here they are plain operations on a `u64`. The kernels `avx512` and `avx2-gfni` compute
//! rooks of batches this way.
//!
//! Source: this project's; eastward by subtraction is Gerd Isenberg's.

use super::borrow;

/// The board turned over the diagonal from a8 to h1: byte b, bit i of the result is the square of rank `7 - i`, file `7 - b`, counted from
/// 0. South becomes east, north becomes west. Its own inverse: three exchanges of blocks of 4, 2 and 1 squares.
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
    // What the two halves of each block differ in, along the diagonal that the exchange crosses.
    let differ = (board ^ board >> 36) & 0x0000_0000_0f0f_0f0f;
    board ^= differ ^ differ << 36;
    let differ = (board ^ board >> 18) & 0x0000_3333_0000_3333;
    board ^= differ ^ differ << 18;
    let differ = (board ^ board >> 9) & 0x0055_0055_0055_0055;
    board ^ differ ^ differ << 9
}

/// The board with the files in reverse: east becomes west.
///
/// ```
/// use setwise::techniques::turned;
/// assert_eq!(turned::reverse(0x0100_0000_0000_0080), 0x8000_0000_0000_0001);
/// ```
#[must_use]
#[inline]
pub const fn reverse(board: u64) -> u64 {
    board.swap_bytes().reverse_bits()
}

/// Attacks of all rooks: along the ranks, and along the ranks of the turned board.
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

/// East as the board is, west in the reversed one.
#[inline]
const fn along_ranks(rooks: u64, occupied: u64) -> u64 {
    let west = borrow::east_attacks(reverse(rooks), reverse(occupied));
    borrow::east_attacks(rooks, occupied) | reverse(west)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_goes_to_its_mirror_image() {
        for file in 0..8 {
            for rank in 0..8 {
                let square = 1_u64 << (8 * rank + file);
                assert_eq!(turn(square), 1 << (8 * (7 - file) + 7 - rank));
                assert_eq!(reverse(square), 1 << (8 * rank + 7 - file));
            }
        }
    }
}
