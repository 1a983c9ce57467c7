//! A `u64` as a vector of eight bytes: the lanes of the scalar kernel.

use bytemuck::{Pod, Zeroable};

use super::borrow;
use super::compass::A_FILE;
use super::lanes::{Lanes, Ranks};

/// Eight bytes in a general register.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Swar(u64);

// SAFETY: a transparent `u64`.
unsafe impl Zeroable for Swar {}
// SAFETY: as above.
unsafe impl Pod for Swar {}

impl Ranks for Swar {
    const WEST_LEAKS: bool = true;

    #[inline(always)]
    fn splat(self, byte: u8) -> Self {
        Swar(u64::from(byte) * A_FILE)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Swar(self.0 | other.0)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Swar(self.0 ^ other.0)
    }

    #[inline(always)]
    fn without(self, mask: Self) -> Self {
        Swar(self.0 & !mask.0)
    }

    #[inline(always)]
    fn east(self) -> Self {
        Swar((self.0 << 1) & !A_FILE)
    }

    #[inline(always)]
    fn west<const FILES: i32>(self) -> Self {
        Swar(self.0 >> FILES)
    }

    #[inline(always)]
    fn east_attacks(sliders: Self, occupied: Self) -> Self {
        Swar(borrow::east_attacks(sliders.0, occupied.0))
    }
}

impl Lanes for Swar {
    const BOARDS: usize = 1;

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self {
        // SAFETY: the caller's contract. Byte 0 is rank 1 by value, on every endianness.
        Swar(unsafe { from.read_unaligned() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u64) {
        // SAFETY: the caller's contract.
        unsafe { to.write_unaligned(self.0) }
    }

    #[inline(always)]
    fn shift_left(self, squares: u32) -> Self {
        Swar(self.0 << squares)
    }

    #[inline(always)]
    fn shift_right(self, squares: u32) -> Self {
        Swar(self.0 >> squares)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Swar(self.0 & other.0)
    }

    #[inline(always)]
    fn and_squares(self, squares: u64) -> Self {
        Swar(self.0 & squares)
    }

    #[inline(always)]
    fn slice(boards: [Self; 8]) -> [Self; 8] {
        transpose(boards)
    }

    #[inline(always)]
    fn unslice(ranks: [Self; 8]) -> [Self; 8] {
        transpose(ranks)
    }
}

/// Transposes an 8x8 matrix of bytes by swapping off-diagonal blocks: quarters, then pairs, then
/// single bytes. Its own inverse.
#[inline(always)]
fn transpose(mut m: [Swar; 8]) -> [Swar; 8] {
    /// Swaps the high part of each unit of row `$i` with the low part of row `$j`'s.
    macro_rules! swap {
        ($bits:literal, $low:literal: $($i:literal $j:literal),*) => { $(
            let swap = ((m[$i].0 >> $bits) ^ m[$j].0) & $low;
            m[$i].0 ^= swap << $bits;
            m[$j].0 ^= swap;
        )* };
    }
    swap!(32, 0x0000_0000_ffff_ffff: 0 4, 1 5, 2 6, 3 7);
    swap!(16, 0x0000_ffff_0000_ffff: 0 2, 1 3, 4 6, 5 7);
    swap!(8, 0x00ff_00ff_00ff_00ff: 0 1, 2 3, 4 5, 6 7);
    m
}
