//! The leap-frog, in which each pass completes one depth and begins the next.
//!
//! The first piece stays in place in passes for even depths, the attacker's king in passes for odd
//! depths. To complete the depth that a pass began, the next pass only has to add the moves of the
//! man that stayed in place.

use rayon::prelude::*;

use super::Solver;
use super::reply::LosingCaptures;
use super::rows::{Row, Rows, Slab};
use crate::bitmap::{Bitmap, Packed, bits};
use crate::lanes::Lanes;
use crate::moves::{attacker_king_moves, piece_moves, wide};

/// Blocks of a three-man ending, indexed by the square of its piece.
pub(super) type Blocks = Vec<[Lanes; 8]>;

/// The three-man positions that a pass needs for captures.
struct Conversions {
    /// Positions that are lost after the defender's piece is captured. The first entry is for the
    /// depth before the one that the pass completes, the second for the depth itself.
    lost: [Option<Blocks>; 2],
    captures: Option<LosingCaptures>,
}

impl Solver<'_> {
    /// Completes the won and lost positions of `depth`, and begins the next depth.
    pub(super) fn leap(&self, rows: &mut Rows, depth: usize) -> [Bitmap; 2] {
        let conversions = Conversions {
            lost: [self.lost_conversions(depth - 1), self.lost_conversions(depth)],
            captures: self.losing_captures(depth),
        };
        let keeps_first = depth.is_multiple_of(2);
        let slabs = if keeps_first { rows.firsts() } else { rows.ranks() };
        let pass = |packed: &mut _, slab| pass(self, slab, &conversions, keeps_first, packed);
        let scratch = || [(); 2].map(|()| Packed::new(self.men.places()));
        let slabs = slabs.into_par_iter().map_init(scratch, pass);
        let (won, lost): (Vec<_>, Vec<_>) = slabs.unzip();
        [won, lost].map(|packed| Bitmap::join(self.men.places(), packed))
    }

    pub(super) fn lost_conversions(&self, depth: usize) -> Option<Blocks> {
        let lost = self.captures.defender?.lost.get(depth)?;
        Some((0..64).map(|first| lost.block(first)).collect())
    }

    /// Takes back the moves of the attacker's king, in a slab that keeps the first piece.
    #[inline(always)]
    pub(super) fn king_unmoves(&self, slab: &mut Slab<'_>, converted: Option<&Blocks>) {
        let lost_mask = slab.iter().fold(0, |set, row| set | *row.lost_mask);
        for second in 0..self.men.places() {
            if lost_mask >> second & 1 == 0 && converted.is_none() {
                continue;
            }
            let mut from = [Lanes::ZERO; 8];
            for (from, row) in from.iter_mut().zip(slab.iter()) {
                *from = row.lost[second];
            }
            if let Some(converted) = converted {
                // A king that has captured stands on the captured piece's square, so captures are
                // taken back from there.
                from[second / 8].0[second % 8] |=
                    converted[slab[0].first][second / 8].0[second % 8];
            }
            for (row, to) in slab.iter_mut().zip(&attacker_king_moves(&from)) {
                row.before[second] |= *to;
                *row.before_mask |= 1 << second;
            }
        }
    }

    /// Takes back the first piece's moves, in a slab that keeps the rank of the attacker's king.
    #[inline(always)]
    fn first_unmoves(&self, slab: &mut Slab<'_>, converted: Option<&Blocks>) {
        let lost_mask = slab.iter().fold(0, |set, row| set | *row.lost_mask);
        let rank = slab[0].rank;
        for second in 0..self.men.places() {
            let captured = converted.map_or(Lanes::ZERO, |converted| converted[second][rank]);
            if lost_mask >> second & 1 == 0 && captured.is_zero() {
                continue;
            }
            let (mut from, mut to) = ([Lanes::ZERO; 64], [Lanes::ZERO; 64]);
            for (from, row) in from.iter_mut().zip(slab.iter()) {
                *from = row.lost[second];
            }
            // No position of four men has both pieces on one square. So that slot is free for the
            // captures: a piece that has captured stands on the captured piece's square.
            let square = self.men.second().map(|_| second);
            if square.is_some() {
                from[second] = captured;
            }
            let passable = self.passable.rank_without(rank, square);
            piece_moves(&self.first, &passable, &from, &mut to);
            for (row, to) in slab.iter_mut().zip(&to) {
                row.before[second] |= *to;
                *row.before_mask |= 1 << second;
            }
        }
    }

    /// Takes back the moves of the attacker's second piece, if there is one.
    #[inline(always)]
    fn second_unmoves(&self, row: &mut Row<'_>) {
        let Some(paths) = &self.second_attacker else {
            return;
        };
        if *row.lost_mask == 0 {
            return;
        }
        let passable = self.passable.rank_without(row.rank, Some(row.first));
        let from: &[Lanes; 64] = row.lost[..64].try_into().expect("64 places");
        let to: &mut [Lanes; 64] = (&mut row.before[..64]).try_into().expect("64 places");
        piece_moves(paths, &passable, from, to);
        *row.before_mask = !0;
    }

    /// Completes the won and lost positions of a row at the current depth. Leaves the newly won
    /// positions in `before`.
    #[inline(always)]
    fn complete(&self, row: &mut Row<'_>, captures: Option<&LosingCaptures>) {
        let mut gained = 0u64;
        for second in bits(*row.before_mask) {
            let fresh = row.before[second] & !row.won[second];
            row.before[second] = fresh;
            if !fresh.is_zero() {
                row.won[second] |= fresh;
                gained |= 1 << second;
            }
        }
        *row.before_mask = gained;
        if let Some(captures) = captures {
            for second in 0..self.men.places() {
                let fresh = captures.at(row.first, second, row.rank) & !row.won[second];
                if !fresh.is_zero() {
                    row.won[second] |= fresh;
                    gained |= 1 << second;
                }
            }
        }
        for second in bits(*row.lost_mask) {
            row.lost[second] = Lanes::ZERO;
        }
        *row.lost_mask = 0;
        if gained == 0 {
            return;
        }
        // The moves of a bare king stay within a lane, so only lanes with newly won positions can
        // have new losses.
        let seconds = if self.second_defender.is_some() { !0 } else { gained };
        self.stuck(row, seconds);
        for second in bits(seconds) {
            if !row.lost[second].is_zero() {
                row.open[second] = row.open[second] & !row.lost[second];
                *row.lost_mask |= 1 << second;
            }
        }
    }

    /// Begins the next depth in a row: empties `before`, and takes back the moves of the attacker's
    /// second piece.
    #[inline(always)]
    pub(super) fn begin_row(&self, row: &mut Row<'_>) {
        for second in bits(*row.before_mask) {
            row.before[second] = Lanes::ZERO;
        }
        *row.before_mask = 0;
        self.second_unmoves(row);
    }
}

wide! {
    /// Makes one pass over a slab. Returns the positions won and lost in the current depth.
    fn pass(
        solver: &Solver<'_>,
        mut slab: Slab<'_>,
        conversions: &Conversions,
        keeps_first: bool,
        [won, lost]: &mut [Packed; 2],
    ) -> (Packed, Packed) {
        let unmoves = |slab: &mut Slab<'_>, converted: Option<&Blocks>| {
            if keeps_first {
                solver.king_unmoves(slab, converted);
            } else {
                solver.first_unmoves(slab, converted);
            }
        };
        unmoves(&mut slab, conversions.lost[0].as_ref());
        for row in &mut slab {
            solver.complete(row, conversions.captures.as_ref());
            won.row(row.first, row.rank, *row.before_mask, row.before);
            lost.row(row.first, row.rank, *row.lost_mask, row.lost);
            solver.begin_row(row);
        }
        unmoves(&mut slab, conversions.lost[1].as_ref());
        (won.take(), lost.take())
    }
}
