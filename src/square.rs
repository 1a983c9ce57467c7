//! A square number that is checked to be on the board.

use core::fmt;
use core::str::FromStr;

use bytemuck::{CheckedBitPattern, NoUninit};

/// A square of the board, 0 to 63: a1 = 0, h1 = 7, a8 = 56, h8 = 63.
///
/// `bytemuck` checks a whole slice of bytes in one call:
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
    /// The square with this number, or `None` if it is 64 or more.
    #[must_use]
    pub const fn new(index: u8) -> Option<Square> {
        if index < 64 { Some(Square(index)) } else { None }
    }

    /// The square whose number is the low six bits of `index`, without a check: for numbers that
    /// are squares already, as an engine's own.
    ///
    /// ```
    /// use setwise::Square;
    /// assert_eq!(Square::masked(9), Square::B2);
    /// assert_eq!(Square::masked(0x40), Square::A1);
    /// ```
    #[must_use]
    pub const fn masked(index: u8) -> Square {
        Square(index & 63)
    }

    /// The square on a file and a rank (0 to 7), or `None` if the file or the rank is 8 or more.
    #[must_use]
    pub const fn from_file_rank(file: u8, rank: u8) -> Option<Square> {
        if file < 8 && rank < 8 { Some(Square(8 * rank + file)) } else { None }
    }

    /// The file, 0 (a) to 7 (h).
    ///
    /// ```
    /// use setwise::Square;
    /// assert_eq!((Square::C7.file(), Square::C7.rank()), (2, 6));
    /// ```
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 % 8
    }

    /// The rank, 0 (rank 1) to 7 (rank 8).
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 / 8
    }

    /// The number of the square, 0 to 63.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The number of the square, as a byte.
    pub(crate) const fn number(self) -> u8 {
        self.0
    }

    /// The bitboard with only this square.
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

/// Defines a constant for each square.
macro_rules! constants {
    ($($rank:literal: $($name:ident)*;)*) => {
        impl Square {
            $(constants!(@ $rank 0 $($name)*);)*
        }
    };
    (@ $rank:literal $file:expr, $name:ident $($names:ident)*) => {
        #[doc = concat!("The square ", stringify!($name), ".")]
        pub const $name: Square = Square(8 * $rank + $file);
        constants!(@ $rank $file + 1, $($names)*);
    };
    (@ $rank:literal $file:expr,) => {};
    (@ $rank:literal 0 $($names:ident)*) => { constants!(@ $rank 0, $($names)*); };
}
constants! {
    0: A1 B1 C1 D1 E1 F1 G1 H1;
    1: A2 B2 C2 D2 E2 F2 G2 H2;
    2: A3 B3 C3 D3 E3 F3 G3 H3;
    3: A4 B4 C4 D4 E4 F4 G4 H4;
    4: A5 B5 C5 D5 E5 F5 G5 H5;
    5: A6 B6 C6 D6 E6 F6 G6 H6;
    6: A7 B7 C7 D7 E7 F7 G7 H7;
    7: A8 B8 C8 D8 E8 F8 G8 H8;
}

/// Algebraic notation: `e4`. [`FromStr`] parses it.
///
/// ```
/// use setwise::Square;
/// assert_eq!(Square::E4.to_string(), "e4");
/// assert_eq!("e4".parse(), Ok(Square::E4));
/// assert_eq!(format!("{:>4}", Square::E4), "  e4");
/// assert_eq!("e9".parse::<Square>().unwrap_err().to_string(), "not a square: a file from a to h and a rank from 1 to 8, as in e4");
/// ```
impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, rank) = (b'a' + self.0 % 8, b'1' + self.0 / 8);
        f.pad(str::from_utf8(&[file, rank]).unwrap_or_default())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The error for text that is not a file from `a` to `h` and a rank from `1` to `8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseSquareError(());

impl fmt::Display for ParseSquareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a square: a file from a to h and a rank from 1 to 8, as in e4")
    }
}

impl core::error::Error for ParseSquareError {}

impl FromStr for Square {
    type Err = ParseSquareError;
    fn from_str(name: &str) -> Result<Square, ParseSquareError> {
        let [file @ b'a'..=b'h', rank @ b'1'..=b'8'] = *name.as_bytes() else {
            return Err(ParseSquareError(()));
        };
        Ok(Square(8 * (rank - b'1') + file - b'a'))
    }
}

/// The error for a square number of 64 or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidSquare(pub usize);

impl fmt::Display for InvalidSquare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not a square: squares are 0 (a1) to 63 (h8)", self.0)
    }
}

impl core::error::Error for InvalidSquare {}

impl TryFrom<u8> for Square {
    type Error = InvalidSquare;
    fn try_from(index: u8) -> Result<Square, InvalidSquare> {
        Square::new(index).ok_or(InvalidSquare(index.into()))
    }
}

impl TryFrom<usize> for Square {
    type Error = InvalidSquare;
    fn try_from(index: usize) -> Result<Square, InvalidSquare> {
        let byte = u8::try_from(index).map_err(|_| InvalidSquare(index))?;
        Square::try_from(byte)
    }
}

impl From<Square> for u8 {
    fn from(square: Square) -> u8 {
        square.0
    }
}

/// Serialises the square as its number.
#[cfg(feature = "serde")]
impl serde::Serialize for Square {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.0)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Square {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Square, D::Error> {
        Square::try_from(u8::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_round_trips_and_other_input_is_rejected() {
        for index in 0..64 {
            let square = Square::new(index).unwrap();
            assert_eq!(Square::from_file_rank(index % 8, index / 8), Some(square));
            assert_eq!((square.file(), square.rank()), (index % 8, index / 8));
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(Square::try_from(usize::from(index)), Ok(square));
        }
        assert_eq!(Square::new(64), None);
        assert_eq!(Square::new(255), None);
        assert_eq!(Square::from_file_rank(8, 0), None);
        assert_eq!(Square::from_file_rank(0, 8), None);
        assert_eq!(Square::try_from(64_u8), Err(InvalidSquare(64)));
        assert_eq!(Square::try_from(320_usize), Err(InvalidSquare(320)));
        assert_eq!(
            [Square::A1, Square::H1, Square::A8, Square::H8].map(Square::index),
            [0, 7, 56, 63]
        );
        for wrong in ["", "e", "e44", "E4", "i1", "a0", "a9", "4e", "\u{e4}"] {
            assert!(wrong.parse::<Square>().is_err(), "{wrong}");
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn serde_round_trips_and_rejects_invalid_squares() {
        use crate::{Direction, Line};
        assert_eq!(serde_json::to_string(&Square::E4).unwrap(), "28");
        assert_eq!(serde_json::from_str::<Square>("28").unwrap(), Square::E4);
        let error = serde_json::from_str::<Square>("64").unwrap_err();
        assert!(error.to_string().contains("64 is not a square"), "{error}");
        assert_eq!(serde_json::to_string(&Direction::NorthWest).unwrap(), "\"NorthWest\"");
        assert_eq!(serde_json::from_str::<Line>("\"File\"").unwrap(), Line::File);
    }
}
