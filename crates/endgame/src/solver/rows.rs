//! The solver's bitmaps. Their layout lets a pass keep either the first piece or the attacker's
//! king in place.

use crate::bitmap::{Packed, Packer};
use crate::lanes::Lanes;
use crate::wins::Men;

/// Four bitmaps in *rows*. A row holds the squares of the second piece next to each other, for one
/// rank of the attacker's king and one square of the first piece.
///
/// Rows with the same rank are adjacent in memory. Moves of the defender and of the attacker's
/// second piece stay within a row. Moves of the first piece and of the attacker's king lead from
/// row to row.
pub(super) struct Rows {
    won: Vec<Lanes>,
    open: Vec<Lanes>,
    lost: Vec<Lanes>,
    before: Vec<Lanes>,
    lost_mask: Vec<u64>,
    before_mask: Vec<u64>,
    /// The distance from one row to the next, in values of [`Lanes`].
    stride: usize,
}

/// One row of each of the four bitmaps.
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

/// The rows in which the attacker's king is on one given rank.
pub(super) struct Rank<'a> {
    pub number: usize,
    pub stride: usize,
    won: &'a mut [Lanes],
    open: &'a mut [Lanes],
    pub lost: &'a mut [Lanes],
    pub before: &'a mut [Lanes],
    pub lost_mask: &'a mut [u64],
    pub before_mask: &'a mut [u64],
}

impl<'a> Rank<'a> {
    /// The rows, in the order of the first piece's square.
    #[inline(always)]
    pub(super) fn rows(self) -> impl Iterator<Item = Row<'a>> {
        let (rank, stride) = (self.number, self.stride);
        let boards = [self.won, self.open, self.lost, self.before];
        let mut boards = boards.map(|board| board.chunks_exact_mut(stride));
        let masks = self.lost_mask.iter_mut().zip(self.before_mask);
        masks.enumerate().map(move |(first, (lost_mask, before_mask))| {
            let [won, open, lost, before] =
                boards.each_mut().map(|rows| rows.next().expect("64 rows"));
            Row { first, rank, won, open, lost, before, lost_mask, before_mask }
        })
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
            lost_mask: self.lost_mask,
            before_mask: self.before_mask,
        }
    }
}

impl Rows {
    pub(super) fn new(men: Men) -> Self {
        // Each row is padded by one value of `Lanes`. Otherwise the values at the same place in all
        // rows would share a few cache sets.
        let stride = men.places() + 1;
        let board = || vec![Lanes::ZERO; 8 * 64 * stride];
        Self {
            won: board(),
            open: board(),
            lost: board(),
            before: board(),
            lost_mask: vec![0; 8 * 64],
            before_mask: vec![0; 8 * 64],
            stride,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        4 * size_of_val(&*self.won) + 2 * size_of_val(&*self.lost_mask)
    }

    /// The slabs of a pass that keeps the attacker's king on his rank. There is one slab for each
    /// rank.
    pub(super) fn ranks(&mut self) -> Vec<Rank<'_>> {
        let stride = self.stride;
        let boards = [&mut self.won, &mut self.open, &mut self.lost, &mut self.before];
        let mut boards = boards.map(|board| board.chunks_exact_mut(64 * stride));
        let masks = [&mut self.lost_mask, &mut self.before_mask];
        let mut masks = masks.map(|mask| mask.chunks_exact_mut(64));
        let rank = |number| {
            let [won, open, lost, before] =
                boards.each_mut().map(|ranks| ranks.next().expect("eight ranks"));
            let [lost_mask, before_mask] =
                masks.each_mut().map(|ranks| ranks.next().expect("eight ranks"));
            Rank { number, stride, won, open, lost, before, lost_mask, before_mask }
        };
        (0..8).map(rank).collect()
    }

    /// The slabs of a pass that keeps the first piece on its square. Each slab has eight rows.
    pub(super) fn firsts(&mut self) -> Vec<Vec<Row<'_>>> {
        let mut ranks: Vec<_> = self.ranks().into_iter().map(Rank::rows).collect();
        let rows = |_| ranks.iter_mut().filter_map(Iterator::next).collect();
        (0..64).map(rows).collect()
    }
}

/// Packs one of the bitmaps of the eight rows of a slab, given its mask and lanes in a row.
/// `scratch` is overwritten.
#[inline(always)]
pub(super) fn pack<'a>(
    slab: &'a [Row<'_>],
    bitmap: impl Fn(&'a Row<'_>) -> (u64, &'a [Lanes]),
    scratch: &mut Vec<u64>,
) -> Packed {
    let places = slab[0].lost.len() - 1; // without the padding
    let mut words = Packer::new(scratch, places * 8);
    let mut directory = vec![0; places];
    for (second, entry) in directory.iter_mut().enumerate() {
        for (rank, row) in slab.iter().enumerate() {
            let (mask, lanes) = bitmap(row);
            if mask >> second & 1 != 0 {
                *entry |= u64::from(words.add(lanes[second])) << (8 * rank);
            }
        }
    }
    Packed::new(directory, words.words())
}
