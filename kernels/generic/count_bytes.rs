//! Blocks of positions in rank slices whose results are bytes: what counting needs of a register.

use super::board_vector::{BoardVector, Register};
use super::rank_bytes::RankBytes;
use super::transpose::transpose_words;

/// A value of one byte per board, for blocks of as many boards as it has bytes.
pub(crate) trait CountBytes: RankBytes {
    /// Boards per block.
    const BLOCK: usize;

    /// Cuts a block of a column into rank slices.
    ///
    /// # Safety
    /// The CPU has the features of this type, and `from` is readable for a block of boards (of any
    /// alignment).
    unsafe fn slice_column(from: *const u64) -> [Self; 8];
    /// Loads one byte per board, in the slices' order of boards.
    ///
    /// # Safety
    /// The CPU has the features of this type, and `from` is readable for [`BLOCK`](Self::BLOCK)
    /// bytes.
    unsafe fn load_bytes(from: *const u8) -> Self;
    /// Stores one byte per board, in the order of memory: the inverse of
    /// [`load_bytes`](CountBytes::load_bytes).
    ///
    /// # Safety
    /// `to` is writable for [`BLOCK`](Self::BLOCK) bytes.
    unsafe fn store_bytes(self, to: *mut u8);

    /// The bytewise sum, at most 255.
    fn add_saturating(self, other: Self) -> Self;
    /// 0xff in each byte that is 0, else 0.
    fn zero_mask(self) -> Self;
    /// The number of bits of each byte.
    fn count_bits(self) -> Self;
    /// The file of each square number below 64 as a set: `1 << (byte % 8)`.
    fn file_of_square(self) -> Self;
}

impl<R: Register> CountBytes for R {
    const BLOCK: usize = 8 * R::BOARDS;

    #[inline(always)]
    unsafe fn slice_column(from: *const u64) -> [R; 8] {
        // SAFETY: a block is eight vectors.
        unsafe {
            let mut boards = [R::load(from); 8];
            for v in 1..8 {
                boards[v] = R::load(from.add(v * R::BOARDS));
            }
            R::slice(boards)
        }
    }
    #[inline(always)]
    unsafe fn load_bytes(from: *const u8) -> R {
        // SAFETY: the caller's contract.
        unsafe { R::slice_bytes(from) }
    }
    #[inline(always)]
    unsafe fn store_bytes(self, to: *mut u8) {
        // SAFETY: the caller's contract.
        unsafe { self.unslice_bytes(to) }
    }
    #[inline(always)]
    fn add_saturating(self, other: R) -> R {
        Register::add_saturating(self, other)
    }
    #[inline(always)]
    fn zero_mask(self) -> R {
        !self.ne_mask(self.splat(0))
    }
    #[inline(always)]
    fn count_bits(self) -> R {
        Register::count_bits(self)
    }
    #[inline(always)]
    fn file_of_square(self) -> R {
        Register::file_of_square(self)
    }
}

/// A word: one rank of eight boards.
impl CountBytes for u64 {
    const BLOCK: usize = 8;

    #[inline(always)]
    unsafe fn slice_column(from: *const u64) -> [u64; 8] {
        let mut boards = [0; 8];
        for v in 0..8 {
            // SAFETY: a block is eight boards.
            boards[v] = unsafe { u64::load(from.add(v)) };
        }
        transpose_words(boards)
    }
    #[inline(always)]
    unsafe fn load_bytes(from: *const u8) -> u64 {
        // SAFETY: eight bytes are readable. The first board is in the lowest byte, as in
        // `transpose_words`.
        u64::from_le(unsafe { from.cast::<u64>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store_bytes(self, to: *mut u8) {
        // SAFETY: eight bytes are writable.
        unsafe { to.cast::<u64>().write_unaligned(self.to_le()) }
    }
    #[inline(always)]
    fn add_saturating(self, other: u64) -> u64 {
        const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
        let sum = (self & !HIGH) + (other & !HIGH) ^ (self ^ other) & HIGH;
        let carry = (self & other | (self | other) & !sum) & HIGH;
        sum | (carry >> 7) * 0xff
    }
    #[inline(always)]
    fn zero_mask(self) -> u64 {
        const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
        let any = ((self & !HIGH) + !HIGH | self) & HIGH;
        ((any ^ HIGH) >> 7) * 0xff
    }
    #[inline(always)]
    fn count_bits(self) -> u64 {
        let pairs = self - (self >> 1 & self.splat(0x55));
        let fours = (pairs & self.splat(0x33)) + (pairs >> 2 & self.splat(0x33));
        (fours & self.splat(0x0f)) + (fours >> 4 & self.splat(0x0f))
    }
    #[inline(always)]
    fn file_of_square(self) -> u64 {
        let mut files = [0; 8];
        for (file, square) in files.iter_mut().zip(self.to_le_bytes()) {
            *file = 1 << (square & 7);
        }
        u64::from_le_bytes(files)
    }
}
