//! Pieces on a board, and the sets of sliders that a kernel takes.

/// The side that a set belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    White,
    Black,
}

impl Side {
    pub(crate) const BOTH: [Side; 2] = [Side::White, Side::Black];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Side::White => "white",
            Side::Black => "black",
        }
    }
}

/// FEN letters in the order of [`Placement`]'s sets: white first.
const LETTERS: &[u8; 12] = b"PNBRQKpnbrqk";
/// Set index by letter, `NONE` for a byte that is no piece.
const INDEX: [u8; 256] = {
    let mut index = [NONE; 256];
    let mut set = 0;
    while set < LETTERS.len() {
        index[LETTERS[set] as usize] = set as u8;
        set += 1;
    }
    index
};
const NONE: u8 = u8::MAX;
const BISHOP: usize = 2;
const ROOK: usize = 3;
const QUEEN: usize = 4;
const KING: usize = 5;

/// The pieces of a board, one set for each kind and side. Need not be a legal position.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Placement {
    sets: [u64; 12],
}

impl Placement {
    /// From the set of each side and kind; kinds are pawn 0, knight, bishop, rook, queen, king 5.
    pub(crate) fn from_sets(set: impl Fn(Side, usize) -> u64) -> Placement {
        let sets = std::array::from_fn(|i| set(Side::BOTH[i / 6], i % 6));
        Placement { sets }
    }

    /// The piece kind and side of a FEN letter, to be given to [`put`](Placement::put).
    #[inline]
    pub(crate) fn piece(letter: u8) -> Option<usize> {
        let set = INDEX[usize::from(letter)];
        (set != NONE).then_some(usize::from(set))
    }

    #[inline]
    pub(crate) fn put(&mut self, piece: usize, square: u32) {
        self.sets[piece] |= 1 << square;
    }

    pub(crate) fn occupied(&self) -> u64 {
        self.sets.iter().fold(0, |all, set| all | set)
    }

    /// All pieces of a side.
    pub(crate) fn pieces(&self, side: Side) -> u64 {
        let base = 6 * side as usize;
        self.sets[base..base + 6]
            .iter()
            .fold(0, |all, set| all | set)
    }

    /// The king of a side; boards need not have just one.
    pub(crate) fn kings(&self, side: Side) -> u64 {
        self.sets[6 * side as usize + KING]
    }

    /// Rooks and queens of a side.
    pub(crate) fn orthogonal(&self, side: Side) -> u64 {
        let base = 6 * side as usize;
        self.sets[base + ROOK] | self.sets[base + QUEEN]
    }

    /// Bishops and queens of a side.
    pub(crate) fn diagonal(&self, side: Side) -> u64 {
        let base = 6 * side as usize;
        self.sets[base + BISHOP] | self.sets[base + QUEEN]
    }

    /// The FEN letter of the piece on a square.
    pub(crate) fn letter_on(&self, square: u32) -> Option<char> {
        let set = self.sets.iter().position(|set| set >> square & 1 == 1)?;
        Some(char::from(LETTERS[set]))
    }
}

/// The sets of many boards in the layout that the kernels take: for each position white's, then black's.
#[derive(Default)]
pub(crate) struct Boards {
    pub(crate) orthogonal: Vec<u64>,
    pub(crate) diagonal: Vec<u64>,
    pub(crate) occupied: Vec<u64>,
}

impl Boards {
    pub(crate) fn push(&mut self, placement: &Placement) {
        let occupied = placement.occupied();
        for side in Side::BOTH {
            self.orthogonal.push(placement.orthogonal(side));
            self.diagonal.push(placement.diagonal(side));
            self.occupied.push(occupied);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.occupied.len()
    }

    /// What an operation takes by this name.
    pub(crate) fn column(&self, input: &str) -> &[u64] {
        match input {
            "rooks" | "queens" | "orthogonal" => &self.orthogonal,
            "bishops" | "diagonal" => &self.diagonal,
            "occupied" => &self.occupied,
            _ => unreachable!("positions have no {input}"),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.orthogonal.clear();
        self.diagonal.clear();
        self.occupied.clear();
    }
}

impl<'a> FromIterator<&'a Placement> for Boards {
    fn from_iter<I: IntoIterator<Item = &'a Placement>>(placements: I) -> Boards {
        let mut boards = Boards::default();
        for placement in placements {
            boards.push(placement);
        }
        boards
    }
}
