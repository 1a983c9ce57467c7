//! The pass that keeps the first piece in place.

use rayon::prelude::*;

use super::Solver;
use super::boards::{Boards, Slab};
use crate::bitmap::{Bitmap, Packed, pack};
use crate::geometry::king_steps;
use crate::lanes::Lanes;
use crate::moves::piece_moves;

/// What a thread needs for a slab, kept between slabs.
#[derive(Default)]
struct Scratch {
    fresh: Vec<Lanes>,
    words: Vec<u64>,
}

impl Solver<'_> {
    /// Completes the positions won in `depth`, and finds those where the defender has no other choice than one
    /// of them or an earlier one.
    pub(super) fn defender_replies(&self, boards: &mut Boards, depth: usize) -> (Bitmap, Bitmap) {
        let (slabs, before) = boards.slabs();
        let reply =
            |scratch: &mut Scratch, slab| self.defender_replies_slab(slab, before, depth, scratch);
        let packed: Vec<(Packed, Packed)> = slabs.map_init(Scratch::default, reply).collect();
        let (won, lost): (Vec<_>, Vec<_>) = packed.into_iter().unzip();
        (Bitmap::join(won), Bitmap::join(lost))
    }

    fn defender_replies_slab(
        &self,
        mut slab: Slab<'_>,
        before: &[Lanes],
        depth: usize,
        Scratch { fresh, words }: &mut Scratch,
    ) -> (Packed, Packed) {
        let (first, places) = (slab.first, self.men.places());
        let taken = self.taken_by_king(first, depth);
        fresh.resize(places * 8, Lanes::ZERO);
        for rank in 0..8 {
            let mut to = [Lanes::ZERO; 64];
            if let Some(paths) = &self.second_attacker {
                let from = std::array::from_fn(|second| slab.lost[second * 8 + rank]);
                let passable = self.passable.rank_without(rank, Some(first));
                piece_moves(paths, &passable, &from, &mut to);
            }
            let mut any = Lanes::ZERO;
            for second in 0..places {
                let at = second * 8 + rank;
                let won = &mut slab.won[at];
                fresh[at] = (before[(second * 64 + first) * 8 + rank] | to[second]) & !*won;
                let taken = taken
                    .as_ref()
                    .map_or(Lanes::ZERO, |taken| taken[at] & !*won);
                let gained = fresh[at] | taken;
                *won |= gained;
                any |= gained;
            }
            if any.is_zero() {
                for at in (0..places).map(|second| second * 8 + rank) {
                    slab.lost[at] = Lanes::ZERO;
                }
            } else {
                self.stuck(&mut slab, rank);
            }
        }
        (pack(fresh, words), pack(slab.lost, words))
    }

    /// Moves the positions in which every move leads to a won one from `open` to `lost`, for one rank of the
    /// attacker's king.
    #[inline(always)]
    pub(super) fn stuck(&self, slab: &mut Slab<'_>, rank: usize) {
        let lanes = || (0..self.men.places()).map(|second| second * 8 + rank);
        let mut any = Lanes::ZERO;
        // The king's eight steps at once sort out nearly all positions, 64 at a time.
        for at in lanes() {
            let steps = slab.won[at].map(|won| king_steps(!won));
            slab.lost[at] = slab.open[at] & !steps;
            any |= slab.lost[at];
        }
        if any.is_zero() {
            return;
        }
        if let Some(paths) = &self.second_defender {
            let mut from: [Lanes; 64] = std::array::from_fn(|second| !slab.won[second * 8 + rank]);
            // Taking the only attacking piece always saves the defender.
            from[slab.first] = Lanes::FULL;
            let mut escapes = [Lanes::ZERO; 64];
            let passable = self.passable.rank_without(rank, Some(slab.first));
            piece_moves(paths, &passable, &from, &mut escapes);
            for (at, escapes) in lanes().zip(escapes) {
                slab.lost[at] = slab.lost[at] & !escapes;
            }
        }
        for at in lanes() {
            slab.open[at] = slab.open[at] & !slab.lost[at];
        }
    }

    /// Squares of attacking pieces that the defender's king may take, only to lose in `depth` all the same.
    fn taken_by_king(&self, first: usize, depth: usize) -> Option<Vec<Lanes>> {
        let of_first = self.captures.first?.won.get(depth);
        let of_second = self.captures.second?.won.get(depth);
        of_first.or(of_second)?;
        let mut out = vec![Lanes::ZERO; self.men.places() * 8];
        let left_first = of_second.map(|won| won.block(first));
        for (second, block) in out.chunks_exact_mut(8).enumerate() {
            let left_second = of_first.map(|won| won.block(second));
            for (rank, lanes) in block.iter_mut().enumerate() {
                if let Some(left) = &left_second {
                    *lanes |= left[rank].map(|word| word & 1 << first);
                }
                if let Some(left) = &left_first {
                    *lanes |= left[rank].map(|word| word & 1 << second);
                }
            }
        }
        Some(out)
    }
}
