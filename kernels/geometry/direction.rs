//! The compass rose: the eight ray directions and one step in each of them.

/// One of the eight ray directions, clockwise from north.
///
/// Each number below is the offset of one step. Bit 0 of a board is a1, bit 7 is h1 and bit 63 is
/// h8 (little-endian rank-file mapping):
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

/// The a-file: bit 0 of each byte.
pub(crate) const A_FILE: u64 = 0x0101_0101_0101_0101;
/// The h-file: bit 7 of each byte.
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
    pub const ORTHOGONAL: [Direction; 4] =
        [Direction::North, Direction::East, Direction::South, Direction::West];
    /// The four directions of a bishop.
    pub const DIAGONAL: [Direction; 4] =
        [Direction::NorthEast, Direction::SouthEast, Direction::SouthWest, Direction::NorthWest];

    /// The inverse of `Direction as u8`; only the low three bits count.
    pub(crate) const fn from_index(number: u8) -> Direction {
        Direction::ALL[number as usize % 8]
    }

    /// The change of the square number in one step, from -9 to +9.
    #[must_use]
    pub const fn offset(self) -> i32 {
        // A reference, because ray attacks would copy an array to the stack.
        const OFFSETS: &[i32; 8] = &[8, 9, 1, -7, -8, -9, -1, 7];
        OFFSETS[self as usize]
    }

    /// The reverse direction.
    #[must_use]
    pub const fn opposite(self) -> Direction {
        Direction::ALL[(self as usize + 4) % 8]
    }

    /// Moves every square of a board one step; squares that would leave the board vanish.
    #[must_use]
    #[inline(always)]
    pub const fn step(self, board: u64) -> u64 {
        shift(board & self.source_mask(), self.offset())
    }

    /// The squares from which one step does not wrap from the h-file to the a-file or back. Steps
    /// beyond rank 1 or 8 need no mask, because the bit is shifted out.
    #[inline(always)]
    const fn source_mask(self) -> u64 {
        match self.offset() {
            9 | 1 | -7 => !H_FILE,
            7 | -1 | -9 => !A_FILE,
            _ => !0,
        }
    }

    /// The squares that one step can reach without a wrap: the mask for a propagator.
    #[inline(always)]
    pub(crate) const fn wrap_mask(self) -> u64 {
        self.opposite().source_mask()
    }
}

/// The inverse of `Direction as u8`. The error is the invalid number.
///
/// ```
/// use setwise::Direction;
/// assert_eq!(Direction::try_from(7), Ok(Direction::NorthWest));
/// assert_eq!(Direction::try_from(8), Err(8));
/// ```
impl TryFrom<u8> for Direction {
    type Error = u8;
    fn try_from(number: u8) -> Result<Direction, u8> {
        Direction::ALL.get(usize::from(number)).copied().ok_or(number)
    }
}

/// A direction that is partly encoded in its type: `UP` is true if square numbers grow, and `AXIS`
/// is the kind of line. A loop over boards is compiled once for each such type. If the direction is
/// a constant, the compiler specialises the loop for it.
#[derive(Clone, Copy)]
pub(crate) struct ConstDirection<const UP: bool, const AXIS: u8> {
    direction: Direction,
    distance: u32,
    wrap_mask: u64,
}

/// The values of [`RayDirection::AXIS`]. `DIAGONAL` includes the antidiagonals.
pub(crate) const RANK: u8 = 0;
pub(crate) const FILE: u8 = 1;
pub(crate) const DIAGONAL: u8 = 2;

impl<const UP: bool, const AXIS: u8> ConstDirection<UP, AXIS> {
    pub(crate) const fn of(direction: Direction) -> Self {
        ConstDirection {
            direction,
            distance: direction.offset().unsigned_abs(),
            wrap_mask: direction.wrap_mask(),
        }
    }
}

pub(crate) const NORTH: ConstDirection<true, FILE> = ConstDirection::of(Direction::North);
pub(crate) const NORTH_EAST: ConstDirection<true, DIAGONAL> =
    ConstDirection::of(Direction::NorthEast);
pub(crate) const EAST: ConstDirection<true, RANK> = ConstDirection::of(Direction::East);
pub(crate) const SOUTH_EAST: ConstDirection<false, DIAGONAL> =
    ConstDirection::of(Direction::SouthEast);
pub(crate) const SOUTH: ConstDirection<false, FILE> = ConstDirection::of(Direction::South);
pub(crate) const SOUTH_WEST: ConstDirection<false, DIAGONAL> =
    ConstDirection::of(Direction::SouthWest);
pub(crate) const WEST: ConstDirection<false, RANK> = ConstDirection::of(Direction::West);
pub(crate) const NORTH_WEST: ConstDirection<true, DIAGONAL> =
    ConstDirection::of(Direction::NorthWest);

/// A direction whose `UP` and `AXIS` are known at compile time. Implemented by every
/// [`ConstDirection`].
pub(crate) trait RayDirection: Copy {
    const UP: bool;
    const AXIS: u8;
    fn direction(self) -> Direction;
    /// The absolute change of the square number in one step.
    fn distance(self) -> u32;
    /// The squares that one step can reach without a wrap.
    fn wrap_mask(self) -> u64;
}

impl<const UP: bool, const AXIS: u8> RayDirection for ConstDirection<UP, AXIS> {
    const UP: bool = UP;
    const AXIS: u8 = AXIS;
    #[inline(always)]
    fn direction(self) -> Direction {
        self.direction
    }
    #[inline(always)]
    fn distance(self) -> u32 {
        self.distance
    }
    #[inline(always)]
    fn wrap_mask(self) -> u64 {
        self.wrap_mask
    }
}

/// Shifts a board by `squares`: left if positive, right if negative.
#[inline(always)]
pub(crate) const fn shift(board: u64, squares: i32) -> u64 {
    if squares >= 0 { board << squares } else { board >> -squares }
}

/// For each direction (`Direction as usize`), the squares that a step can reach, computed from
/// files and ranks. If a rotated board is masked with these squares, every bit that wrapped round
/// an edge of the board or of the word is cleared.
pub(crate) const AVOID_WRAP: [u64; 8] = {
    let mut masks = [0; 8];
    let mut direction = 0;
    while direction < 8 {
        // The steps north, north-east and so on, as files to the east and ranks to the north.
        let east = [0, 1, 1, 1, 0, -1, -1, -1][direction];
        let north = [1, 1, 0, -1, -1, -1, 0, 1][direction];
        let mut square = 0_i32;
        while square < 64 {
            let (file, rank) = (square % 8 + east, square / 8 + north);
            if 0 <= file && file < 8 && 0 <= rank && rank < 8 {
                masks[direction] |= 1 << (8 * rank + file);
            }
            square += 1;
        }
        direction += 1;
    }
    masks
};

/// Evaluates a body with the direction as a compile-time constant (a [`RayDirection`]).
macro_rules! each_direction {
    ($direction:expr, |$ray:ident| $body:expr) => {{
        use $crate::kernels::geometry::direction as constants;
        macro_rules! with {
            ($value:ident) => {{
                let $ray = constants::$value;
                $body
            }};
        }
        match $direction {
            Direction::North => with!(NORTH),
            Direction::NorthEast => with!(NORTH_EAST),
            Direction::East => with!(EAST),
            Direction::SouthEast => with!(SOUTH_EAST),
            Direction::South => with!(SOUTH),
            Direction::SouthWest => with!(SOUTH_WEST),
            Direction::West => with!(WEST),
            Direction::NorthWest => with!(NORTH_WEST),
        }
    }};
}
pub(crate) use each_direction;

/// Rotates a board by one step. One instruction moves squares up or down, so no branch on the
/// direction is needed.
#[inline(always)]
pub(crate) const fn rotate(board: u64, direction: Direction) -> u64 {
    board.rotate_left(direction.offset().rem_euclid(64).cast_unsigned())
}
