//! A checked square.

use core::fmt;

use bytemuck::{CheckedBitPattern, NoUninit};

/// A square of the board, 0 to 63: a1 = 0, h1 = 7, a8 = 56, h8 = 63.
///
/// With `bytemuck` a whole slice of bytes is checked in one call:
///
/// ```
/// use setwise::Square;
/// let bytes = [0u8, 7, 63];
/// let squares: &[Square] = bytemuck::checked::try_cast_slice(&bytes)?;
/// assert_eq!(squares[2], Square::new(63).unwrap());
/// assert!(bytemuck::checked::try_cast_slice::<u8, Square>(&[64]).is_err());
/// # Ok::<(), bytemuck::checked::CheckedCastError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Square(u8);

// SAFETY: a transparent `u8` has no padding and no uninitialised bytes.
unsafe impl NoUninit for Square {}
// SAFETY: `Bits` has the same layout, and the check is the type's invariant.
unsafe impl CheckedBitPattern for Square {
    type Bits = u8;
    fn is_valid_bit_pattern(bits: &u8) -> bool {
        *bits < 64
    }
}

impl Square {
    /// The square with this number, or `None` from 64 on.
    #[must_use]
    pub const fn new(index: u8) -> Option<Square> {
        if index < 64 {
            Some(Square(index))
        } else {
            None
        }
    }

    /// The square of a file and a rank, each 0 to 7, or `None`.
    #[must_use]
    pub const fn from_file_rank(file: u8, rank: u8) -> Option<Square> {
        if file < 8 && rank < 8 {
            Some(Square(8 * rank + file))
        } else {
            None
        }
    }

    /// The number of the square, 0 to 63.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The same as the byte it is.
    pub(crate) const fn number(self) -> u8 {
        self.0
    }

    /// The board with this square alone.
    ///
    /// ```
    /// # use setwise::Square;
    /// assert_eq!(Square::new(9).unwrap().bitboard(), 0x200);
    /// ```
    #[must_use]
    pub const fn bitboard(self) -> u64 {
        1 << self.0
    }
}

/// Algebraic: `e4`.
impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, rank) = (b'a' + self.0 % 8, b'1' + self.0 / 8);
        write!(f, "{}{}", char::from(file), char::from(rank))
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The byte is 64 or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidSquare(pub u8);

impl fmt::Display for InvalidSquare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is not a square: squares are 0 (a1) to 63 (h8)",
            self.0
        )
    }
}

impl core::error::Error for InvalidSquare {}

impl TryFrom<u8> for Square {
    type Error = InvalidSquare;
    fn try_from(index: u8) -> Result<Square, InvalidSquare> {
        Square::new(index).ok_or(InvalidSquare(index))
    }
}

impl From<Square> for u8 {
    fn from(square: Square) -> u8 {
        square.0
    }
}
