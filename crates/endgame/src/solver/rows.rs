//! The solver's bitmaps, in rows.

use crate::lanes::Lanes;

/// Four bitmaps in rows, ordered by the rank of the attacker's king, then by the square of the
/// first piece.
pub(super) struct Rows {
    boards: Vec<Lanes>,
    /// Two masks for each row.
    masks: Vec<[u64; 2]>,
    /// The number of squares of the second piece.
    places: usize,
}

/// The part of the four bitmaps with the first piece on one square and the attacker's king on one
/// rank. It holds the squares of the second piece next to each other.
///
/// Moves of the defender and of the attacker's second piece stay within a row. Moves of the first
/// piece and of the attacker's king lead from row to row.
pub(super) struct Row<'a> {
    pub first: usize,
    pub rank: usize,
    /// Positions with the attacker to move that are won or illegal, or in which the defender's king
    /// is on the square of his own piece.
    pub won: &'a mut [Lanes],
    /// Positions with the defender to move that are legal, not stalemate, and not known to be lost.
    pub open: &'a mut [Lanes],
    /// Positions with the defender to move that are lost in exactly the current number of moves.
    pub lost: &'a mut [Lanes],
    /// Positions with the attacker to move from which one of the moves taken back so far leads to a
    /// position in `lost`.
    pub before: &'a mut [Lanes],
    /// The squares of the second piece whose lanes of `lost` are not empty.
    pub lost_mask: &'a mut u64,
    /// The squares of the second piece whose lanes of `before` may be non-empty.
    pub before_mask: &'a mut u64,
}

/// The rows that a pass handles together.
pub(super) type Slab<'a> = Vec<Row<'a>>;

impl Rows {
    pub(super) fn new(places: usize) -> Self {
        // Each row is padded by one. Otherwise the same place in all rows would share a few cache
        // sets.
        let boards = vec![Lanes::ZERO; 8 * 64 * (4 * places + 1)];
        Self { boards, masks: vec![[0; 2]; 8 * 64], places }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.boards) + size_of_val(&*self.masks)
    }

    fn rows(&mut self) -> impl Iterator<Item = Row<'_>> {
        let places = self.places;
        let rows = self.boards.chunks_exact_mut(4 * places + 1).zip(&mut self.masks);
        rows.enumerate().map(move |(number, (boards, [lost_mask, before_mask]))| {
            let mut boards = boards.chunks_exact_mut(places);
            let [won, open, lost, before] =
                std::array::from_fn(|_| boards.next().expect("four boards"));
            let (rank, first) = (number / 64, number % 64);
            Row { first, rank, won, open, lost, before, lost_mask, before_mask }
        })
    }

    /// The slabs of a pass that keeps the first piece on its square: eight rows each.
    pub(super) fn firsts(&mut self) -> Vec<Slab<'_>> {
        let mut slabs: Vec<_> = (0..64).map(|_| Vec::new()).collect();
        self.rows().for_each(|row| slabs[row.first].push(row));
        slabs
    }

    /// The slabs of a pass that keeps the attacker's king on his rank: 64 rows each.
    pub(super) fn ranks(&mut self) -> Vec<Slab<'_>> {
        let mut rows = self.rows();
        (0..8).map(|_| rows.by_ref().take(64).collect()).collect()
    }
}
