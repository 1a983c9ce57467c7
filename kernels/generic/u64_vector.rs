//! A `u64` as a vector of eight bytes: one board, or one rank of eight boards.

use super::board_vector::BoardVector;
use super::bytes;
use super::rank_bytes::{RankBytes, Shifted};
use crate::kernels::geometry::direction::A_FILE;

impl RankBytes for u64 {
    const WEST_WRAPS: bool = true;
    type West = Shifted;

    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        u64::from(byte) * A_FILE
    }
    #[inline(always)]
    fn sub_bytes(self, other: Self) -> Self {
        bytes::subtract(self, other)
    }
    #[inline(always)]
    fn east(self) -> Self {
        (self << 1) & !A_FILE
    }
    #[inline(always)]
    fn west<const FILES: i32>(self) -> Self {
        self >> FILES
    }
    #[inline(always)]
    fn east_attacks(sliders: Self, occupied: Self) -> Self {
        bytes::east_attacks(sliders, occupied)
    }
}

impl BoardVector for u64 {
    const BOARDS: usize = 1;

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: one board is readable. Rank 1 is the lowest byte by value, whatever the
        // endianness.
        unsafe { from.read_unaligned() }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: one board is writable.
        unsafe { to.write_unaligned(self) }
    }
    #[inline(always)]
    fn splat_board(self, squares: u64) -> Self {
        squares
    }
    #[inline(always)]
    fn shift(self, up: bool, squares: u32) -> Self {
        if up { self << squares } else { self >> squares }
    }
}
