//! Whole boards side by side in a vector; and registers, eight of which make a block of rank slices.

use super::lanes::Lanes;
use crate::kernels::geometry::Towards;

/// A vector of boards, eight bytes each; a `u64` is one.
pub(crate) trait Boards: Lanes {
    /// Boards in a vector.
    const BOARDS: usize;

    /// # Safety
    /// The CPU has the features of this type, and `from` is readable for `BOARDS` boards
    /// (of any alignment).
    unsafe fn load(from: *const u64) -> Self;
    /// # Safety
    /// `to` is writable for `BOARDS` boards (of any alignment).
    unsafe fn store(self, to: *mut u64);

    /// One and the same set on every board.
    fn same(self, squares: u64) -> Self;
    /// Every square moved to the one of a number that is so much greater (`up`) or smaller.
    fn shift(self, up: bool, squares: u32) -> Self;

    /// So many steps, round the edges of the board.
    #[inline(always)]
    fn steps<D: Towards>(self, course: D, steps: u32) -> Self {
        self.shift(D::UP, steps * course.distance())
    }

    /// Whether [`turn`](Boards::turn) is one instruction; then [`Lanes::REVERSES`], too.
    const TURNS: bool = false;

    /// Every board turned over its antidiagonal: byte `b`, bit `i` of the result is the square of rank `7 - i`, file `7 - b`. So south is
    /// east. Its own inverse. Only if [`TURNS`](Boards::TURNS).
    #[inline(always)]
    fn turn(self) -> Self {
        unreachable!()
    }

    /// One step; what would leave the board vanishes.
    #[inline(always)]
    fn step<D: Towards>(self, course: D) -> Self {
        self.steps(course, 1) & self.same(course.may_enter())
    }
}

/// A register: as loaded a vector of boards, or one rank of `8 * BOARDS` boards, a byte each.
pub(crate) trait Register: Boards {
    /// The vector of the same instruction set that has no more than four boards.
    type Four: Boards;
    /// The vector of two boards.
    type Two: Boards;

    /// Cuts a block of boards into rank slices: byte `k` of slice `i` is rank `i` of board `k`,
    /// in an order of boards that is the same for every slice.
    fn slice(boards: [Self; 8]) -> [Self; 8];
    /// Puts rank slices together again: the inverse of [`slice`](Register::slice).
    fn unslice(ranks: [Self; 8]) -> [Self; 8];

    /// Loads the first `boards` of a vector's boards; the others are empty.
    ///
    /// # Safety
    /// The CPU has the features of this type, and `from` is readable for `boards` boards, less than [`BOARDS`](Boards::BOARDS).
    unsafe fn load_first(from: *const u64, boards: usize) -> Self;
    /// Stores the first `boards` of a vector's boards.
    ///
    /// # Safety
    /// `to` is writable for `boards` boards, less than [`BOARDS`](Boards::BOARDS).
    unsafe fn store_first(self, to: *mut u64, boards: usize);

    /// A vector of boards with one square each, of numbers of which the low six bits count.
    ///
    /// # Safety
    /// The CPU has the features of this type, and `squares` is readable for `BOARDS` bytes.
    #[inline(always)]
    unsafe fn of_squares(squares: *const u8) -> Self {
        let mut boards = [0; MOST_BOARDS / 8];
        // SAFETY: the caller's contract; a vector has at most an eighth of the boards of the largest block.
        unsafe {
            for i in 0..Self::BOARDS {
                boards[i] = 1 << (squares.add(i).read() & 63);
            }
            Self::load(boards.as_ptr())
        }
    }

    /// Loads a vector, or the boards that are left.
    ///
    /// # Safety
    /// The CPU has the features of this type, and `from` is readable for `left` boards.
    #[inline(always)]
    unsafe fn load_some(from: *const u64, left: usize) -> Self {
        // SAFETY: the caller's contract.
        unsafe {
            if left >= Self::BOARDS {
                Self::load(from)
            } else {
                Self::load_first(from, left)
            }
        }
    }

    /// Stores a vector, or the boards that are left.
    ///
    /// # Safety
    /// `to` is writable for `left` boards.
    #[inline(always)]
    unsafe fn store_some(self, to: *mut u64, left: usize) {
        // SAFETY: the caller's contract.
        unsafe {
            if left >= Self::BOARDS {
                self.store(to);
            } else {
                self.store_first(to, left);
            }
        }
    }

    /// One byte for each board of a block, in the order that boards have in slices. This and the two that follow are for squares' numbers, and
    /// not for single boards.
    ///
    /// # Safety
    /// The CPU has the features of this type, and `bytes` is readable for `8 * BOARDS` bytes.
    #[inline(always)]
    unsafe fn slice_bytes(_bytes: *const u8) -> Self {
        unreachable!()
    }
    /// 0xff in each byte where the two differ, else 0.
    #[inline(always)]
    fn differ(self, _other: Self) -> Self {
        unreachable!()
    }
    /// The file of each square's number, as a set of one square: `1 << (byte % 8)`, of numbers below 64.
    #[inline(always)]
    fn file_of_square(self) -> Self {
        unreachable!()
    }
}

/// The boards of the largest block: eight vectors of 64 bytes.
pub(crate) const MOST_BOARDS: usize = 64;
