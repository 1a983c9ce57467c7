//! The first scan, which marks illegal positions and finds the mates.

use rayon::prelude::*;

use super::Solver;
use super::leap::Blocks;
use super::rows::{Row, Rows, Slab};
use crate::attacks::AttackSets;
use crate::bitmap::{Bitmap, Packed};
use crate::legal::Legality;
use crate::moves::wide;

wide! {
    /// Scans a slab that keeps the first piece, and begins depth 1. Returns the numbers of legal
    /// positions and the mates.
    fn scan(
        solver: &Solver<'_>,
        mut slab: Slab<'_>,
        legality: &Legality,
        attacked: &[u64],
        converted: Option<&Blocks>,
        mates: &mut Packed,
    ) -> ([u64; 2], Packed) {
        let mut legal = [0; 2];
        for row in &mut slab {
            let [attacker, defender] = solver.mark(row, legality, attacked);
            legal = [legal[0] + attacker, legal[1] + defender];
            solver.mates(row, attacked);
            mates.row(row.first, row.rank, *row.lost_mask, row.lost);
            solver.begin_row(row);
        }
        solver.king_unmoves(&mut slab, converted);
        (legal, mates.take())
    }
}

/// The index of the attack set for one placement of the second piece and the attacker's king.
fn placing(second: usize, rank: usize, file: usize) -> usize {
    second * 64 + rank * 8 + file
}

impl Solver<'_> {
    /// Fills `won`, `open` and `lost`, and begins depth 1. Returns the numbers of legal positions
    /// with the attacker and with the defender to move, and the mates.
    pub(super) fn start(&self, rows: &mut Rows, sets: &dyn AttackSets) -> ([u64; 2], Bitmap) {
        let legality = Legality::new(self.men);
        let converted = self.lost_conversions(0);
        let scan = |(attacked, mates): &mut (Vec<u64>, Packed), slab: Slab<'_>| {
            sets.slab(slab[0].first, attacked);
            scan(self, slab, &legality, attacked, converted.as_ref(), mates)
        };
        let places = self.men.places();
        let scratch = || (vec![0; 64 * places], Packed::new(places));
        let slabs = rows.firsts().into_par_iter().map_init(scratch, scan);
        let slabs: Vec<_> = slabs.collect();
        let (legal, mates): (Vec<_>, Vec<_>) = slabs.into_iter().unzip();
        let sum = |turn: usize| legal.iter().map(|legal| legal[turn]).sum();
        ([sum(0), sum(1)], Bitmap::join(self.men.places(), mates))
    }

    /// Fills `won` and `open` of a row, and counts the legal positions with each side to move.
    #[inline(always)]
    fn mark(&self, row: &mut Row<'_>, legality: &Legality, attacked: &[u64]) -> [u64; 2] {
        let mut legal = [0; 2];
        for second in 0..self.men.places() {
            // The defender's king may take the attacker's pieces, but not his own piece.
            let own = self.men.second_defender.map_or(0, |_| 1 << second);
            for file in 0..8 {
                let king = row.rank * 8 + file;
                let attacked = attacked[placing(second, row.rank, file)];
                let won = &mut row.won[second].0[file];
                let open = &mut row.open[second].0[file];
                match legality.illegal(row.first, second, king, attacked) {
                    None => (*won, *open) = (!0, 0),
                    Some(illegal) => {
                        (*won, *open) = (attacked | own | 1 << king, !illegal[1]);
                        legal[0] += u64::from(illegal[0].count_zeros());
                        legal[1] += u64::from(illegal[1].count_zeros());
                    }
                }
            }
        }
        legal
    }

    /// Moves the mates of a row from `open` to `lost`. Removes stalemates from `open`.
    #[inline(always)]
    fn mates(&self, row: &mut Row<'_>, attacked: &[u64]) {
        self.stuck(row, !0 >> (64 - self.men.places()));
        for second in 0..self.men.places() {
            let lost = &mut row.lost[second];
            // A king that cannot move and is not in check is stalemated. Stalemates are draws, so
            // they leave `open` for good.
            row.open[second] = row.open[second] & !*lost;
            for file in 0..8 {
                lost.0[file] &= attacked[placing(second, row.rank, file)];
            }
            *row.lost_mask |= u64::from(!lost.is_zero()) << second;
        }
    }
}
