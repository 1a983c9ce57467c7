//! Traits for vectors of whole boards and for registers. Eight registers hold a block of rank
//! slices.

use super::rank_bytes::{RankBytes, ReverseBits};
use crate::kernels::geometry::RayDirection;

/// A vector of boards, eight bytes each. A `u64` is a vector of one board.
pub(crate) trait BoardVector: RankBytes {
    /// Boards per vector.
    const BOARDS: usize;

    /// # Safety
    /// The CPU has the features of this type, and `from` is readable for `BOARDS` boards
    /// (of any alignment).
    unsafe fn load(from: *const u64) -> Self;
    /// # Safety
    /// `to` is writable for `BOARDS` boards (of any alignment).
    unsafe fn store(self, to: *mut u64);

    /// A vector with the same set on every board.
    fn splat_board(self, squares: u64) -> Self;
    /// Shifts every board by `squares`: left if `up`, else right.
    fn shift(self, up: bool, squares: u32) -> Self;

    /// Moves `steps` squares without masking wraps.
    #[inline(always)]
    fn steps<D: RayDirection>(self, direction: D, steps: u32) -> Self {
        self.shift(D::UP, steps * direction.distance())
    }

    /// Moves one square; bits that would leave the board vanish.
    #[inline(always)]
    fn step<D: RayDirection>(self, direction: D) -> Self {
        self.steps(direction, 1) & self.splat_board(direction.wrap_mask())
    }
}

/// Makes a vector of two boards.
///
/// # Safety
/// The CPU has the features of `P`.
#[inline(always)]
pub(super) unsafe fn pair<P: BoardVector>(white: u64, black: u64) -> P {
    const { assert!(P::BOARDS == 2) };
    // SAFETY: the CPU has the features of `P`; the array is two words.
    unsafe { P::load([white, black].as_ptr()) }
}

/// Returns the two boards of a vector.
#[inline(always)]
pub(super) fn words<P: BoardVector>(pair: P) -> [u64; 2] {
    let mut words = [0; 2];
    // SAFETY: the array is two words; the value proves that the CPU has the features.
    unsafe { pair.store(words.as_mut_ptr()) };
    words
}

/// Boards that are cheap to flip over the antidiagonal.
pub(crate) trait FlipAntidiagonal: BoardVector + ReverseBits {
    /// Flips every board over the antidiagonal, so that south becomes east. Bit `i` of byte `b` of
    /// the result is the square on rank `7 - i`, file `7 - b`. The flip is its own inverse.
    fn flip_antidiagonal(self) -> Self;
}

/// A register. It holds either a vector of boards or one rank of `8 * BOARDS` boards, one byte per
/// board.
pub(crate) trait Register: BoardVector {
    /// The widest vector of the same instruction set with at most four boards.
    type Four: BoardVector;
    /// The vector of two boards.
    type Two: BoardVector;

    /// Cuts a block of boards into rank slices: byte `k` of slice `i` is rank `i` of board `k`. The
    /// order of boards depends on the register type, but is the same for every slice.
    fn slice(boards: [Self; 8]) -> [Self; 8];
    /// Joins rank slices into boards: the inverse of [`slice`](Register::slice).
    fn unslice(ranks: [Self; 8]) -> [Self; 8];

    /// Loads the first `boards` boards of a vector; the others are empty.
    ///
    /// # Safety
    /// The CPU has the features of this type, and `from` is readable for `boards` boards, fewer
    /// than [`BOARDS`](BoardVector::BOARDS).
    unsafe fn load_first(from: *const u64, boards: usize) -> Self;
    /// Stores the first `boards` boards of a vector.
    ///
    /// # Safety
    /// `to` is writable for `boards` boards, fewer than [`BOARDS`](BoardVector::BOARDS).
    unsafe fn store_first(self, to: *mut u64, boards: usize);

    /// A vector of boards with one square each, from square numbers. Only the low six bits of each
    /// number count.
    ///
    /// # Safety
    /// The CPU has the features of this type, and `squares` is readable for `BOARDS` bytes.
    #[inline(always)]
    unsafe fn of_squares(squares: *const u8) -> Self {
        let mut boards = [0; MAX_BLOCK / 8];
        // SAFETY: `BOARDS` bytes are readable; a vector has at most an eighth of the boards of the
        // largest block.
        unsafe {
            for i in 0..Self::BOARDS {
                boards[i] = 1 << (squares.add(i).read() & 63);
            }
            Self::load(boards.as_ptr())
        }
    }

    /// Loads a full vector, or the `left` remaining boards.
    ///
    /// # Safety
    /// The CPU has the features of this type, and `from` is readable for `left` boards.
    #[inline(always)]
    unsafe fn load_some(from: *const u64, left: usize) -> Self {
        // SAFETY: `left` boards are readable, and no more are loaded.
        unsafe {
            if left >= Self::BOARDS { Self::load(from) } else { Self::load_first(from, left) }
        }
    }

    /// Stores a full vector, or the `left` remaining boards.
    ///
    /// # Safety
    /// `to` is writable for `left` boards.
    #[inline(always)]
    unsafe fn store_some(self, to: *mut u64, left: usize) {
        // SAFETY: `left` boards are writable, and no more are stored.
        unsafe {
            if left >= Self::BOARDS {
                self.store(to);
            } else {
                self.store_first(to, left);
            }
        }
    }

    /// Loads 16 bytes for each 16-byte lane, from addresses `stride` words apart. The default is
    /// for registers of one lane.
    ///
    /// # Safety
    /// The CPU has the features of this type, and all these bytes are readable (of any alignment).
    #[inline(always)]
    unsafe fn load_lanes(from: *const u64, _stride: usize) -> Self {
        const { assert!(size_of::<Self>() == 16) };
        // SAFETY: the vector has 16 bytes, so its only lane is readable.
        unsafe { Self::load(from) }
    }
    /// Stores each 16-byte lane, to addresses `stride` words apart.
    ///
    /// # Safety
    /// All these bytes are writable (of any alignment).
    #[inline(always)]
    unsafe fn store_lanes(self, to: *mut u64, _stride: usize) {
        const { assert!(size_of::<Self>() == 16) };
        // SAFETY: the vector has 16 bytes, so its only lane is writable.
        unsafe { self.store(to) }
    }
    /// Transposes the words of each lane of two vectors. In each lane, the first result holds the
    /// low words of both vectors, the second the high words. This function is its own inverse.
    fn transpose_lanes(self, other: Self) -> (Self, Self);

    /// Loads one square number for each board of a block, in the slices' order of boards. The
    /// result is not a vector of boards: it is an argument for [`ne_mask`](Register::ne_mask) and
    /// [`file_of_square`](Register::file_of_square). The default is for slices that keep the boards
    /// in memory order.
    ///
    /// # Safety
    /// The CPU has the features of this type, and `bytes` is readable for `8 * BOARDS` bytes.
    #[inline(always)]
    unsafe fn slice_bytes(bytes: *const u8) -> Self {
        // SAFETY: as many bytes are readable as a vector has.
        unsafe { Self::load(bytes.cast()) }
    }
    /// Stores one byte for each board of a block, in the order of memory: the inverse of
    /// [`slice_bytes`](Register::slice_bytes).
    ///
    /// # Safety
    /// `bytes` is writable for `8 * BOARDS` bytes.
    #[inline(always)]
    unsafe fn unslice_bytes(self, bytes: *mut u8) {
        // SAFETY: as many bytes are writable as a vector has.
        unsafe { self.store(bytes.cast()) }
    }
    /// The bytewise sum, at most 255.
    fn add_saturating(self, other: Self) -> Self;
    /// The number of bits of each byte.
    #[inline(always)]
    fn count_bits(self) -> Self {
        // Not `add_fields(self, Self::add_saturating)`: what is passed would not be inlined.
        let pairs = self.sub_bytes(self.west::<1>() & self.splat(0x55));
        let low = pairs & self.splat(0x33);
        let fours = low.add_saturating(pairs.west::<2>() & self.splat(0x33));
        let low = fours & self.splat(0x0f);
        low.add_saturating(fours.west::<4>() & self.splat(0x0f))
    }
    /// A mask: 0xff in each byte in which the two values differ, else 0.
    fn ne_mask(self, other: Self) -> Self;
    /// The file of each square number below 64 as a set: `1 << (byte % 8)`.
    fn file_of_square(self) -> Self;
}

/// Number of boards in the largest block: eight vectors of 64 bytes.
pub(crate) const MAX_BLOCK: usize = 64;
