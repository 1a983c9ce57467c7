//! The four lines through a square.

use super::direction::{A_FILE, Direction};

/// One of the four lines through a square: a slider moves along it in two opposite directions.
///
/// ```
/// use setwise::{Direction, Line};
/// assert_eq!(Line::Diagonal.directions(), [Direction::NorthEast, Direction::SouthWest]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
pub enum Line {
    /// West and east.
    Rank = 0,
    /// South and north.
    File = 1,
    /// South-west and north-east: parallel to a1-h8.
    Diagonal = 2,
    /// South-east and north-west: parallel to h1-a8.
    Antidiagonal = 3,
}

impl Line {
    /// All lines: `ALL[line as usize] == line`.
    pub const ALL: [Line; 4] = [Line::Rank, Line::File, Line::Diagonal, Line::Antidiagonal];

    /// The inverse of `Line as u8`; only the low two bits count.
    pub(crate) const fn from_index(number: u8) -> Line {
        Line::ALL[number as usize % 4]
    }

    /// The line along which a direction runs.
    #[must_use]
    pub const fn along(direction: Direction) -> Line {
        match direction {
            Direction::East | Direction::West => Line::Rank,
            Direction::North | Direction::South => Line::File,
            Direction::NorthEast | Direction::SouthWest => Line::Diagonal,
            Direction::NorthWest | Direction::SouthEast => Line::Antidiagonal,
        }
    }

    /// The two directions of the line. Square numbers grow in the first.
    #[must_use]
    pub const fn directions(self) -> [Direction; 2] {
        match self {
            Line::Rank => [Direction::East, Direction::West],
            Line::File => [Direction::North, Direction::South],
            Line::Diagonal => [Direction::NorthEast, Direction::SouthWest],
            Line::Antidiagonal => [Direction::NorthWest, Direction::SouthEast],
        }
    }
}

/// The inverse of `Line as u8`. The error is the invalid number.
///
/// ```
/// use setwise::Line;
/// assert_eq!(Line::try_from(1), Ok(Line::File));
/// assert_eq!(Line::try_from(4), Err(4));
/// ```
impl TryFrom<u8> for Line {
    type Error = u8;
    fn try_from(number: u8) -> Result<Line, u8> {
        Line::ALL.get(usize::from(number)).copied().ok_or(number)
    }
}

/// Both diagonals through each square, without the square itself. (Ranks and files are cheap to
/// compute.)
static DIAGONALS: [[u64; 2]; 64] = {
    let mut lines = [[0; 2]; 64];
    let mut square = 0;
    while square < 64 {
        let mut line = 0;
        while line < 2 {
            let [there, back] = Line::ALL[2 + line].directions();
            lines[square][line] = walk(there, 1 << square) | walk(back, 1 << square);
            line += 1;
        }
        square += 1;
    }
    lines
};

/// All squares from `square` to the edge in one direction, without `square` itself.
const fn walk(direction: Direction, mut square: u64) -> u64 {
    let mut squares = 0;
    while square != 0 {
        square = direction.step(square);
        squares |= square;
    }
    squares
}

/// The line through a square without the square itself.
#[inline(always)]
pub(crate) const fn line_of(line: Line, square: u8) -> u64 {
    let alone = 1 << square;
    match line {
        Line::Rank => (0xff << (square & 0o70)) ^ alone,
        Line::File => (A_FILE << (square & 7)) ^ alone,
        Line::Diagonal | Line::Antidiagonal => DIAGONALS[square as usize][line as usize - 2],
    }
}

/// The four lines through one square without the square itself, indexed by `Line as usize`. They
/// fit in one AVX2 register.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct SquareLines(pub(crate) [u64; 4]);

/// The lines through each square.
pub(crate) static LINES: [SquareLines; 64] = {
    let mut lines = [SquareLines([0; 4]); 64];
    let mut square = 0;
    while square < 64 {
        let mut line = 0;
        while line < 4 {
            lines[square].0[line] = line_of(Line::ALL[line], square as u8);
            line += 1;
        }
        square += 1;
    }
    lines
};
