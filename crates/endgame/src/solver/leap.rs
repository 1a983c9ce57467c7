//! The leap-frog, in which each pass completes one depth and begins the next.
//!
//! The first piece stays in place in passes for even depths, the attacker's king in passes for odd
//! depths. To complete the depth that a pass began, the next pass only has to add the moves of the
//! man that stayed in place.

use rayon::prelude::*;

use super::reply::LosingCaptures;
use super::rows::{Rank, Row, Rows, pack};
use super::{Found, Solver};
use crate::bitmap::{Bitmap, Packed, PackedRows, RowPacker, bits};
use crate::lanes::Lanes;
use crate::moves::{attacker_king_moves, flow, piece_moves, wide};

/// Buffers that a thread reuses from slab to slab.
#[derive(Default)]
struct Scratch {
    won: Vec<u64>,
    lost: Vec<u64>,
}

/// Blocks of a three-man ending, indexed by the square of its piece.
type Blocks = Vec<[Lanes; 8]>;

/// The three-man positions that a pass needs for captures.
struct Conversions {
    /// Positions that are lost after the defender's piece is captured. The first entry is for the
    /// depth before the one that the pass completes, the second for the depth itself.
    lost: [Option<Blocks>; 2],
    captures: Option<LosingCaptures>,
}

impl Solver<'_> {
    /// Begins depth 1. Takes back the mating moves of the attacker's men except the first piece.
    pub(super) fn begin(&self, rows: &mut Rows) {
        let converted = self.lost_conversions(0);
        let slabs = rows.firsts().into_par_iter();
        slabs.for_each(|slab| begin_first(self, slab, converted.as_ref()));
    }

    /// Completes the won and lost positions of `depth`, and begins the next depth.
    pub(super) fn leap(&self, rows: &mut Rows, depth: usize) -> Found {
        let conversions = Conversions {
            lost: [self.lost_conversions(depth - 1), self.lost_conversions(depth)],
            captures: self.losing_captures(depth),
        };
        if depth.is_multiple_of(2) {
            let leap = |scratch: &mut Scratch, slab| keep_first(self, slab, &conversions, scratch);
            let slabs = rows.firsts().into_par_iter();
            let (won, lost) = slabs.map_init(Scratch::default, leap).unzip();
            Found { won: Bitmap::join(won), lost: Bitmap::join(lost) }
        } else {
            let leap = |scratch: &mut Scratch, slab| keep_king(self, slab, &conversions, scratch);
            let slabs = rows.ranks().into_par_iter();
            let (won, lost): (Vec<_>, Vec<_>) = slabs.map_init(Scratch::default, leap).unzip();
            Found { won: Bitmap::join_rows(&won), lost: Bitmap::join_rows(&lost) }
        }
    }

    fn lost_conversions(&self, depth: usize) -> Option<Blocks> {
        let lost = self.captures.defender?.lost.get(depth)?;
        Some((0..64).map(|first| lost.block(first)).collect())
    }

    /// Takes back the moves of the attacker's king.
    #[inline(always)]
    fn king_unmoves(&self, slab: &mut [Row<'_>], converted: Option<&Blocks>) {
        let lost_mask = slab.iter().fold(0, |set, row| set | *row.lost_mask);
        let mut reached = 0;
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
            }
            reached |= 1 << second;
        }
        for row in slab {
            *row.before_mask |= reached;
        }
    }

    /// Takes back the first piece's moves.
    #[inline(always)]
    fn first_unmoves(&self, slab: &mut Rank<'_>, converted: Option<&Blocks>) {
        let lost_mask = slab.lost_mask.iter().fold(0, |set, row| set | *row);
        let (rank, stride) = (slab.number, slab.stride);
        let mut reached = 0;
        for second in 0..self.men.places() {
            let square = self.men.second().map(|_| second);
            let captured = converted.map_or(Lanes::ZERO, |converted| converted[second][rank]);
            if lost_mask >> second & 1 == 0 && captured.is_zero() {
                continue;
            }
            let passable = self.passable.rank_without(rank, square);
            // No position has two men on one square, so the slot with both pieces on the same
            // square is free to hold the captures.
            if square.is_some() {
                slab.lost[second * stride + second] = captured;
            }
            flow(
                &self.first,
                &passable,
                |first| slab.lost[first * stride + second],
                |first, lanes| slab.before[first * stride + second] |= lanes,
            );
            if square.is_some() {
                slab.lost[second * stride + second] = Lanes::ZERO;
            }
            reached |= 1 << second;
        }
        for before_mask in slab.before_mask.iter_mut() {
            *before_mask |= reached;
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
    fn begin_row(&self, row: &mut Row<'_>) {
        for second in bits(*row.before_mask) {
            row.before[second] = Lanes::ZERO;
        }
        *row.before_mask = 0;
        self.second_unmoves(row);
    }
}

wide! {
    /// Begins depth 1 in a slab: the rows in which the first piece is on one given square.
    fn begin_first(solver: &Solver<'_>, mut slab: Vec<Row<'_>>, converted: Option<&Blocks>) {
        for row in &mut slab {
            solver.begin_row(row);
        }
        solver.king_unmoves(&mut slab, converted);
    }
}

wide! {
    /// Makes one pass over a slab. The first piece stays on its square.
    fn keep_first(
        solver: &Solver<'_>,
        mut slab: Vec<Row<'_>>,
        conversions: &Conversions,
        scratch: &mut Scratch,
    ) -> (Packed, Packed) {
        solver.king_unmoves(&mut slab, conversions.lost[0].as_ref());
        for row in &mut slab {
            solver.complete(row, conversions.captures.as_ref());
        }
        let won = pack(&slab, |row| (*row.before_mask, row.before), &mut scratch.won);
        let lost = pack(&slab, |row| (*row.lost_mask, row.lost), &mut scratch.lost);
        for row in &mut slab {
            solver.begin_row(row);
        }
        solver.king_unmoves(&mut slab, conversions.lost[1].as_ref());
        (won, lost)
    }
}

wide! {
    /// Makes one pass over a slab. The attacker's king stays on its rank.
    fn keep_king(
        solver: &Solver<'_>,
        mut slab: Rank<'_>,
        conversions: &Conversions,
        scratch: &mut Scratch,
    ) -> (PackedRows, PackedRows) {
        let places = solver.men.places();
        solver.first_unmoves(&mut slab, conversions.lost[0].as_ref());
        let mut won = RowPacker::new(&mut scratch.won, places);
        let mut lost = RowPacker::new(&mut scratch.lost, places);
        for mut row in slab.reborrow().rows() {
            solver.complete(&mut row, conversions.captures.as_ref());
            won.row(*row.before_mask, row.before);
            lost.row(*row.lost_mask, row.lost);
            solver.begin_row(&mut row);
        }
        solver.first_unmoves(&mut slab, conversions.lost[1].as_ref());
        (won.finish(), lost.finish())
    }
}
