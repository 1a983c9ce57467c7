//! The pass that keeps the second piece in place.

use rayon::prelude::*;

use super::Solver;
use super::boards::Boards;
use crate::bitmap::Bitmap;
use crate::lanes::Lanes;
use crate::moves::{attacker_king_moves, piece_moves, wide};

wide! {
    fn unmove(
        solver: &Solver<'_>,
        second: usize,
        lost: &[Lanes],
        directory: &[u64],
        captures: Option<&Bitmap>,
        before: &mut [Lanes],
    ) -> usize {
        solver.attackers_unmove_slab(second, lost, directory, captures, before)
    }
}

impl Solver<'_> {
    /// Takes back the moves of the first piece and of the
    /// attacker's king from the positions lost in `depth`, and so fills `before`. Returns the bytes it moved.
    pub(super) fn attackers_unmove(
        &self,
        boards: &mut Boards,
        lost: &Bitmap,
        depth: usize,
    ) -> usize {
        let captures = self.captures.defender.and_then(|wins| wins.lost.get(depth));
        let (from, directory) = (&boards.lost, lost.directory());
        boards
            .before
            .par_chunks_mut(64 * 8)
            .enumerate()
            .map(|(second, before)| unmove(self, second, from, directory, captures, before))
            .sum()
    }

    #[inline(always)]
    fn attackers_unmove_slab(
        &self,
        second: usize,
        lost: &[Lanes],
        directory: &[u64],
        captures: Option<&Bitmap>,
        before: &mut [Lanes],
    ) -> usize {
        let places = self.men.places();
        let square = self.men.second.map(|_| second);
        // Ranks of the attacker's king that have a position, as bytes of a directory entry.
        let mut ranks = 0;
        let mut skipped = 0;
        let taken_by_first = captures.map(|lost| lost.block(second));
        for first in 0..64 {
            let block = first * places + second;
            let entry = directory[block];
            let taken_by_king = captures.map_or(0, |lost| lost.word(first * 64 + second));
            let to = &mut before[first * 8..][..8];
            if entry == 0 && taken_by_king == 0 {
                to.fill(Lanes::ZERO);
                skipped += 1;
                continue;
            }
            let mut from: [Lanes; 8] = lost[block * 8..][..8].try_into().expect("eight ranks");
            // Before he took the piece, the king stood next to its square: un-move him from there.
            from[second / 8].0[second % 8] |= taken_by_king;
            to.copy_from_slice(&attacker_king_moves(&from));
            ranks |= entry;
        }
        let mut loaded_ranks = 0;
        for rank in 0..8 {
            let taken = taken_by_first.map_or(Lanes::ZERO, |ranks| ranks[rank]);
            if (ranks >> (8 * rank)) as u8 == 0 && taken.is_zero() {
                continue;
            }
            loaded_ranks += 1;
            let mut from: [Lanes; 64] =
                std::array::from_fn(|first| lost[(first * places + second) * 8 + rank]);
            if let Some(square) = square {
                from[square] = taken;
            }
            let mut to = [Lanes::ZERO; 64];
            piece_moves(
                &self.first,
                &self.passable.rank_without(rank, square),
                &from,
                &mut to,
            );
            for first in 0..64 {
                before[first * 8 + rank] |= to[first];
            }
        }
        let lanes = 8 * (64 - skipped) + skipped * loaded_ranks + 8 * 64;
        lanes * size_of::<Lanes>()
    }
}
