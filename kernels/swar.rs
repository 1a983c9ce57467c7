//! A `u64` as a vector of eight bytes: the lanes of the scalar kernel.

use super::compass::A_FILE;
use super::lanes::Lanes;

/// Eight bytes in a general register.
#[derive(Clone, Copy)]
pub(super) struct Swar(u64);

impl Lanes for Swar {
    const BOARDS: usize = 1;
    const WEST_LEAKS: bool = true;
    const EAST_LEAKS: bool = true;

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
        Swar(self.0 << 1)
    }

    #[inline(always)]
    fn west<const FILES: i32>(self) -> Self {
        Swar(self.0 >> FILES)
    }

    /// Subtraction with a barrier: the a-file, which no eastward ray attacks, is set, so that a
    /// borrow out of a rank ends there, and a slider on the h-file merely clears it.
    #[inline(always)]
    fn east_attacks(sliders: Self, occupied: Self) -> Self {
        let occupied = occupied.0 | sliders.0;
        let minuend = occupied | A_FILE;
        Swar((occupied ^ minuend.wrapping_sub(sliders.0 << 1)) & !A_FILE)
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
    for (distance, mask) in [
        (4, 0x0000_0000_ffff_ffff),
        (2, 0x0000_ffff_0000_ffff),
        (1, 0x00ff_00ff_00ff_00ff),
    ] {
        for i in 0..8 {
            if i & distance == 0 {
                let (low, high) = (m[i].0, m[i + distance].0);
                let bits = 8 * distance;
                let swap = ((low >> bits) ^ high) & mask;
                m[i].0 = low ^ (swap << bits);
                m[i + distance].0 = high ^ swap;
            }
        }
    }
    m
}
