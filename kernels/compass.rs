//! The compass rose: the eight ray directions and one step in each of them.

/// One of the eight ray directions, clockwise from north.
///
/// The numbers are the step on a board whose bit 0 is a1, bit 7 h1 and bit 63 h8
/// (little-endian rank-file mapping):
///
/// ```text
///   NorthWest +7   North +8   NorthEast +9
///        West -1      .       East      +1
///   SouthWest -9   South -8   SouthEast -7
/// ```
///
/// A step never wraps round a board edge.
///
/// ```
/// use setwise::Direction;
/// assert_eq!(Direction::NorthEast.offset(), 9);
/// assert_eq!(Direction::NorthEast.opposite(), Direction::SouthWest);
/// assert_eq!(Direction::East.step(1 << 7), 0); // h1 has no eastern neighbour
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Direction {
    /// Towards rank 8: +8.
    North = 0,
    /// Towards h8: +9.
    NorthEast = 1,
    /// Towards the h-file: +1.
    East = 2,
    /// Towards h1: -7.
    SouthEast = 3,
    /// Towards rank 1: -8.
    South = 4,
    /// Towards a1: -9.
    SouthWest = 5,
    /// Towards the a-file: -1.
    West = 6,
    /// Towards a8: +7.
    NorthWest = 7,
}

/// The a-file of every rank: bit 0 of each byte.
pub(crate) const A_FILE: u64 = 0x0101_0101_0101_0101;
/// The h-file of every rank: bit 7 of each byte.
pub(crate) const H_FILE: u64 = A_FILE << 7;

impl Direction {
    /// All directions, clockwise from north: `ALL[d as usize] == d`.
    pub const ALL: [Direction; 8] = [
        Direction::North,
        Direction::NorthEast,
        Direction::East,
        Direction::SouthEast,
        Direction::South,
        Direction::SouthWest,
        Direction::West,
        Direction::NorthWest,
    ];
    /// The four directions of a rook.
    pub const ORTHOGONAL: [Direction; 4] = [
        Direction::North,
        Direction::East,
        Direction::South,
        Direction::West,
    ];
    /// The four directions of a bishop.
    pub const DIAGONAL: [Direction; 4] = [
        Direction::NorthEast,
        Direction::SouthEast,
        Direction::SouthWest,
        Direction::NorthWest,
    ];

    /// The difference of square numbers made by one step, from -9 to +9.
    #[must_use]
    pub const fn offset(self) -> i32 {
        [8, 9, 1, -7, -8, -9, -1, 7][self as usize]
    }

    /// The direction that leads back.
    #[must_use]
    pub const fn opposite(self) -> Direction {
        Direction::ALL[(self as usize + 4) % 8]
    }

    /// Moves every square of a board one step; squares that would leave the board vanish.
    #[must_use]
    #[inline(always)]
    pub const fn step(self, board: u64) -> u64 {
        shift(board & self.may_leave(), self.offset())
    }

    /// The squares from which one step does not wrap round the a- or h-file's edge.
    /// (Leaving over the first or last rank needs no mask: the bit is shifted out.)
    #[inline(always)]
    const fn may_leave(self) -> u64 {
        match self.offset() {
            9 | 1 | -7 => !H_FILE,
            7 | -1 | -9 => !A_FILE,
            _ => !0,
        }
    }

    /// The squares that one step can reach without a wrap: the mask to put on a propagator.
    #[inline(always)]
    pub(crate) const fn may_enter(self) -> u64 {
        self.opposite().may_leave()
    }
}

/// Shifts a board by a signed number of squares.
#[inline(always)]
pub(crate) const fn shift(board: u64, squares: i32) -> u64 {
    if squares >= 0 {
        board << squares
    } else {
        board >> -squares
    }
}
