//! The pass that keeps the first piece in place.

use rayon::prelude::*;

use super::boards::{Boards, Slab};
use super::{Solver, Step};
use crate::bitmap::{Bitmap, Packed, pack};
use crate::geometry::king_steps;
use crate::lanes::Lanes;
use crate::moves::{piece_moves, wide};
use crate::wins::Wins;

/// What a thread needs for a slab, kept between slabs.
#[derive(Default)]
struct Scratch {
    fresh: Vec<Lanes>,
    words: Vec<u64>,
}

wide! {
    fn replies(
        solver: &Solver<'_>,
        slab: Slab<'_>,
        before: &[Lanes],
        taken: Option<&Taken>,
        scratch: &mut Scratch,
    ) -> (Packed, Packed, usize) {
        solver.defender_replies_slab(slab, before, taken, scratch)
    }
}

impl Solver<'_> {
    /// Completes the positions won in `depth`, and finds those where the defender has no other choice than one
    /// of them or an earlier one.
    pub(super) fn defender_replies(&self, boards: &mut Boards, depth: usize) -> Step {
        let taken = self.taken(depth);
        let (slabs, before) = boards.slabs();
        let reply =
            |scratch: &mut Scratch, slab| replies(self, slab, before, taken.as_ref(), scratch);
        let slabs = slabs.into_par_iter();
        let packed = slabs.map_init(Scratch::default, reply).collect();
        Step::new(packed, Bitmap::join)
    }

    #[inline(always)]
    fn defender_replies_slab(
        &self,
        mut slab: Slab<'_>,
        before: &[Lanes],
        taken: Option<&Taken>,
        Scratch { fresh, words }: &mut Scratch,
    ) -> (Packed, Packed, usize) {
        let (first, places) = (slab.first, self.men.places());
        fresh.resize(places * 8, Lanes::ZERO);
        // What is won, loaded and stored; `before`, loaded; `lost`, stored.
        let mut moved = 4 * 8 * places; // lanes
        if self.second_attacker.is_some() {
            moved += 8 * places;
        }
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
                let taken =
                    taken.map_or(Lanes::ZERO, |taken| taken.at(first, second, rank) & !*won);
                let gained = fresh[at] | taken;
                *won |= gained;
                any |= gained;
            }
            if any.is_zero() {
                for at in (0..places).map(|second| second * 8 + rank) {
                    slab.lost[at] = Lanes::ZERO;
                }
            } else {
                moved += places;
                if self.stuck(&mut slab, rank, || 0..places, |second| second * 8 + rank) {
                    for at in (0..places).map(|second| second * 8 + rank) {
                        slab.open[at] = slab.open[at] & !slab.lost[at];
                    }
                    moved += places;
                }
            }
        }
        let moved = moved * size_of::<Lanes>();
        (pack(fresh, words), pack(slab.lost, words), moved)
    }

    /// Enters the positions of `open` in which every move leads to a won one into `lost`, for one rank of the
    /// attacker's king. `seconds` are the squares of the second piece, and `at` tells where their lanes are.
    /// Returns false if there is none.
    #[inline(always)]
    pub(super) fn stuck<I: Iterator<Item = usize>>(
        &self,
        slab: &mut Slab<'_>,
        rank: usize,
        seconds: impl Fn() -> I,
        at: impl Fn(usize) -> usize,
    ) -> bool {
        let mut any = Lanes::ZERO;
        // The king's eight steps at once sort out nearly all positions, 64 at a time. The pre-screen by two of them,
        // `two_steps`, leaves something in nearly every word: it would only come on top.
        for at in seconds().map(&at) {
            let steps = slab.won[at].map(|won| king_steps(!won));
            slab.lost[at] = slab.open[at] & !steps;
            any |= slab.lost[at];
        }
        if any.is_zero() {
            return false;
        }
        if let Some(paths) = &self.second_defender {
            let mut from: [Lanes; 64] = std::array::from_fn(|second| !slab.won[at(second)]);
            // Taking the only attacking piece always saves the defender.
            from[slab.first] = Lanes::FULL;
            let mut escapes = [Lanes::ZERO; 64];
            let passable = self.passable.rank_without(rank, Some(slab.first));
            piece_moves(paths, &passable, &from, &mut escapes);
            for (at, escapes) in seconds().map(&at).zip(escapes) {
                slab.lost[at] = slab.lost[at] & !escapes;
            }
        }
        true
    }

    /// What the defender's king can take in vain; nothing with the defender's piece on the board.
    pub(super) fn taken(&self, depth: usize) -> Option<Taken> {
        let blocks = |wins: &Wins| -> Option<Vec<_>> {
            let won = wins.won.get(depth)?;
            Some((0..64).map(|square| won.block(square)).collect())
        };
        let first = blocks(self.captures.first?);
        let second = blocks(self.captures.second?);
        (first.is_some() || second.is_some()).then_some(Taken { first, second })
    }
}

/// Squares of attacking pieces that the defender's king may take, only to lose in as many moves all the same.
pub(super) struct Taken {
    /// What is won when the first piece is taken, by the square of the second.
    first: Option<Vec<[Lanes; 8]>>,
    /// What is won when the second piece is taken, by the square of the first.
    second: Option<Vec<[Lanes; 8]>>,
}

impl Taken {
    #[inline(always)]
    pub(super) fn at(&self, first: usize, second: usize, rank: usize) -> Lanes {
        let mut lanes = Lanes::ZERO;
        if let Some(left) = &self.first {
            lanes |= left[second][rank].map(|word| word & 1 << first);
        }
        if let Some(left) = &self.second {
            lanes |= left[first][rank].map(|word| word & 1 << second);
        }
        lanes
    }
}
