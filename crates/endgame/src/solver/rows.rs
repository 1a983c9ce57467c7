//! The bitmaps of the leap-frog, so arranged that either attacker can stay in place.

use super::boards::Slab;
use crate::lanes::Lanes;
use crate::wins::Men;

/// One bit a position, in *rows*: the squares of the second piece one after the other, for one rank of the
/// attacker's king and one square of the first piece.
///
/// Rows with the same rank are neighbours. All that the defender can do stays within a row, and so do the moves of
/// the second piece; the first piece and the attacker's king move from row to row.
pub(super) struct Rows {
    won: Vec<Lanes>,
    open: Vec<Lanes>,
    lost: Vec<Lanes>,
    before: Vec<Lanes>,
    lost_in: Vec<u64>,
    before_in: Vec<u64>,
    /// From one row to the next.
    stride: usize,
}

/// A row of every bitmap. What a bit means is told at [`Boards`](super::boards::Boards).
pub(super) struct Row<'a> {
    pub first: usize,
    pub rank: usize,
    pub won: &'a mut [Lanes],
    pub open: &'a mut [Lanes],
    pub lost: &'a mut [Lanes],
    pub before: &'a mut [Lanes],
    /// The directory of `lost`: one bit a square of the second piece. All other lanes are empty.
    pub lost_in: &'a mut u64,
    /// The same of `before`; its lanes may be empty, too.
    pub before_in: &'a mut u64,
}

/// The rows of one rank of the attacker's king.
pub(super) struct Rank<'a> {
    /// Which one.
    pub number: usize,
    pub stride: usize,
    won: &'a mut [Lanes],
    open: &'a mut [Lanes],
    pub lost: &'a mut [Lanes],
    pub before: &'a mut [Lanes],
    pub lost_in: &'a mut [u64],
    pub before_in: &'a mut [u64],
}

impl Row<'_> {
    /// Takes its part of a slab of the first scan.
    pub(super) fn copy_from(&mut self, slab: &Slab<'_>) {
        let lanes = slab.won.iter().zip(&*slab.open).zip(&*slab.lost);
        for (second, ((won, open), lost)) in lanes.skip(self.rank).step_by(8).enumerate() {
            self.won[second] = *won;
            self.open[second] = *open;
            self.lost[second] = *lost;
            *self.lost_in |= u64::from(!lost.is_zero()) << second;
        }
    }
}

impl<'a> Rank<'a> {
    /// The rows, by the first piece's square.
    #[inline(always)]
    pub(super) fn rows(self) -> impl Iterator<Item = Row<'a>> {
        let (rank, stride) = (self.number, self.stride);
        let rows = self
            .won
            .chunks_exact_mut(stride)
            .zip(self.open.chunks_exact_mut(stride))
            .zip(self.lost.chunks_exact_mut(stride))
            .zip(self.before.chunks_exact_mut(stride))
            .zip(self.lost_in)
            .zip(self.before_in);
        rows.enumerate().map(
            move |(first, (((((won, open), lost), before), lost_in), before_in))| Row {
                first,
                rank,
                won,
                open,
                lost,
                before,
                lost_in,
                before_in,
            },
        )
    }

    #[inline(always)]
    pub(super) fn reborrow(&mut self) -> Rank<'_> {
        Rank {
            number: self.number,
            stride: self.stride,
            won: self.won,
            open: self.open,
            lost: self.lost,
            before: self.before,
            lost_in: self.lost_in,
            before_in: self.before_in,
        }
    }
}

impl Rows {
    pub(super) fn new(men: Men) -> Self {
        // One more, or all lanes of a column would compete for the same few lines of a cache.
        let stride = men.places() + 1;
        let board = || vec![Lanes::ZERO; 8 * 64 * stride];
        Self {
            won: board(),
            open: board(),
            lost: board(),
            before: board(),
            lost_in: vec![0; 8 * 64],
            before_in: vec![0; 8 * 64],
            stride,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        4 * size_of_val(&*self.won) + 2 * size_of_val(&*self.lost_in)
    }

    /// For a pass that keeps the attacker's king on his rank.
    pub(super) fn ranks(&mut self) -> Vec<Rank<'_>> {
        let size = 64 * self.stride;
        let ranks = self
            .won
            .chunks_exact_mut(size)
            .zip(self.open.chunks_exact_mut(size))
            .zip(self.lost.chunks_exact_mut(size))
            .zip(self.before.chunks_exact_mut(size))
            .zip(self.lost_in.chunks_exact_mut(64))
            .zip(self.before_in.chunks_exact_mut(64));
        let rank = |(number, (((((won, open), lost), before), lost_in), before_in))| Rank {
            number,
            stride: self.stride,
            won,
            open,
            lost,
            before,
            lost_in,
            before_in,
        };
        ranks.enumerate().map(rank).collect()
    }

    /// For a pass that keeps the first piece on its square: the eight rows of each.
    pub(super) fn firsts(&mut self) -> Vec<Vec<Row<'_>>> {
        let mut ranks: Vec<_> = self.ranks().into_iter().map(Rank::rows).collect();
        let rows = |_| ranks.iter_mut().filter_map(Iterator::next).collect();
        (0..64).map(rows).collect()
    }
}
