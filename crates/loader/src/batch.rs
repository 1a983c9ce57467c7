//! Batches: the columns of positions.

use setwise::threats::Threat;
use setwise_positions::binpack::Move;

use crate::lists::Lists;

/// In rows: not an input.
pub(crate) const PADDING: u32 = u32::MAX;

/// Positions, column by column. Which columns are filled depends on [`Loader::columns`](crate::Loader::columns),
/// [`Loader::features`](crate::Loader::features) and
/// [`Loader::layout`](crate::Loader::layout).
#[derive(Debug, Clone, Default)]
pub struct Batch {
    pub(crate) size: usize,
    /// The [`Piece::code`](setwise::Piece::code) of each square, a1 first; 0 if it is empty.
    pub boards: Vec<[u8; 64]>,
    /// The squares of White's and of Black's king.
    pub kings: Vec<[u8; 2]>,
    /// 0 if White is to move, 1 if Black is.
    pub sides: Vec<u8>,
    /// The score from the point of view of the side to move.
    pub scores: Vec<i16>,
    /// The result for the side to move: 1 won, 0 drawn, -1 lost.
    pub results: Vec<i8>,
    /// The number of moves since the start of the game.
    pub plies: Vec<u16>,
    /// The move that was played.
    pub moves: Vec<Move>,
    /// The number of moves since the last capture or pawn move.
    pub rule50: Vec<u16>,
    /// The castling rights: White's queenside in bit 0, White's kingside, Black's queenside and
    /// Black's kingside.
    pub castling: Vec<u8>,
    /// The square that a pawn has just passed, if it can be captured there, or else 64.
    pub en_passant: Vec<u8>,
    /// The threats of each position, for [`Features::Threats`](crate::Features::Threats).
    pub threats: Lists<Threat>,
    /// The indices of both views, for [`Layout::Lists`](crate::Layout::Lists).
    pub indices: [Lists<u32>; 2],
    /// With a [`Policy`](crate::Policy), the move that was played, with the squares that it says.
    /// a1a1 (0) if the entry has none.
    pub played: Vec<setwise::moves::Move>,
    /// With a [`Policy`](crate::Policy), the played move's place in the list of legal moves, or its
    /// number in the mask. -1 if the entry has no move, or one that is not legal.
    pub targets: Vec<i64>,
    /// For [`Policy::Lists`](crate::Policy::Lists), the legal moves, in the order of
    /// [`setwise::moves::legal_moves`].
    pub legal: Lists<setwise::moves::Move>,
    /// For [`Policy::Mask`](crate::Policy::Mask), a row for each position, which says of each number
    /// whether it is a legal move's.
    pub mask: Vec<bool>,
    pub(crate) floats: Vec<f32>,
    /// As unsigned numbers, like indices, so that they are copied at once.
    pub(crate) rows: Vec<u32>,
    pub(crate) width: usize,
    /// How many indices each row has. Empty if `rows` may have been changed.
    pub(crate) used: Vec<[u32; 2]>,
}

impl PartialEq for Batch {
    /// Whether all columns are equal.
    fn eq(&self, other: &Batch) -> bool {
        let columns = |batch: &Batch| {
            (batch.boards == other.boards)
                && (&batch.kings, &batch.sides, &batch.scores, &batch.results)
                    == (&other.kings, &other.sides, &other.scores, &other.results)
                && (&batch.plies, &batch.moves, &batch.rule50, &batch.castling)
                    == (&other.plies, &other.moves, &other.rule50, &other.castling)
        };
        self.size == other.size
            && columns(self)
            && self.en_passant == other.en_passant
            && (&self.threats, &self.indices) == (&other.threats, &other.indices)
            && (self.width, &self.rows) == (other.width, &other.rows)
            && self.floats == other.floats
            && (&self.played, &self.targets) == (&other.played, &other.targets)
            && (&self.legal, &self.mask) == (&other.legal, &other.mask)
    }
}

impl Batch {
    /// The number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.size
    }

    /// Whether there are no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// For [`Columns::floats`](crate::Columns::floats), one block: for each position whether White is to move (1 or 0),
    /// then for each the outcome for the side to move (1, 0.5 or 0), then the score.
    #[must_use]
    pub fn floats(&self) -> &[f32] {
        &self.floats
    }

    /// For [`Layout::Rows`](crate::Layout::Rows), one block: the rows of the first view, those of the second view, and
    /// the number of pieces of each position. The rest of a row is -1. With lists and
    /// [`Columns::floats`](crate::Columns::floats), only the numbers of pieces.
    #[must_use]
    pub fn rows(&self) -> &[i32] {
        bytemuck::must_cast_slice(&self.rows)
    }

    /// The width of a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of indices in all rows of a view, 0 or 1, as they were computed. 0 after
    /// [`rows_mut`](Batch::rows_mut).
    ///
    /// # Panics
    ///
    /// If there is no such view.
    #[must_use]
    pub fn active(&self, view: usize) -> usize {
        self.used.iter().map(|used| used[view] as usize).sum()
    }

    /// One row of a view, 0 or 1.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn row(&self, view: usize, position: usize) -> &[i32] {
        assert!(view < 2 && position < self.size, "no row {position} of view {view}");
        &self.rows()[(view * self.size + position) * self.width..][..self.width]
    }

    /// The block of rows, to change it. A batch that is [recycled](crate::Recycler) after that is
    /// filled anew, which takes longer.
    pub fn rows_mut(&mut self) -> &mut [i32] {
        self.used.clear();
        bytemuck::must_cast_slice_mut(&mut self.rows)
    }

    /// Removes the positions. The rows stay: most of their padding is right for the next ones. The
    /// mask stays, too: it is filled anew.
    pub(crate) fn clear(&mut self) {
        self.boards.clear();
        self.kings.clear();
        self.sides.clear();
        self.scores.clear();
        self.results.clear();
        self.plies.clear();
        self.moves.clear();
        self.rule50.clear();
        self.castling.clear();
        self.en_passant.clear();
        self.floats.clear();
        self.threats.clear();
        self.played.clear();
        self.targets.clear();
        self.legal.clear();
        self.indices.iter_mut().for_each(Lists::clear);
    }
}
