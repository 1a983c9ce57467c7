//! Measures latency with chains of dependent calls: the attacks of one call become the sliders of
//! the next.
//!
//! Attacks contain many squares. If all of them became sliders, kernels that work slider by slider
//! would see only full boards. So between two calls, the attacks are rotated by 13 bits, masked to
//! about four squares and joined with one square. That leaves about as many sliders as in real
//! positions. These three instructions are part of the measured time, so the chain is also timed
//! without a kernel.

use std::hint::black_box;
use std::ops::Range;
use std::time::Duration;

use setwise::{Kernels, board};

use crate::clock::clocked;
use setwise_check::oracle;

/// The code for one call within a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    /// A kernel's function for batches.
    Batch(&'static Kernels),
    /// A kernel's function for one board by value.
    One(&'static Kernels),
    /// A function of `setwise::board`, inlined and without dispatch.
    Inlined,
    /// No kernel. The union of sliders and occupancy takes the place of the attacks.
    Empty,
    /// The oracle, which computes the expected result.
    Oracle,
}

/// The number of distinct boards in a chain: more than a branch predictor learns during one sample.
const BOARDS: usize = 16_384;

/// A chain of calls to one of the [main operations](crate::settings::MAIN). Each call computes
/// `boards` boards. `slider_attacks` gets the same sliders for both inputs.
#[derive(Debug)]
pub(crate) struct Chain {
    operation: &'static str,
    /// The occupied squares, indexed by turn and board. So are `masks` and `joined`.
    occupied: Vec<Vec<u64>>,
    masks: Vec<Vec<u64>>,
    /// One square each, so that no board runs out of sliders.
    joined: Vec<Vec<u64>>,
    boards: usize,
    /// The number of calls until the boards repeat.
    turns: usize,
}

impl Chain {
    /// Makes a chain through random boards.
    pub(crate) fn new(operation: &'static str, boards: usize) -> Chain {
        let turns = BOARDS / boards;
        let mut rng = fastrand::Rng::with_seed(0xc4a1);
        let mut words = |word: fn(&mut fastrand::Rng) -> u64| -> Vec<Vec<u64>> {
            (0..turns).map(|_| (0..boards).map(|_| word(&mut rng)).collect()).collect()
        };
        Chain {
            operation,
            occupied: words(|rng| rng.u64(..) & rng.u64(..)),
            masks: words(|rng| rng.u64(..) & rng.u64(..) & rng.u64(..) & rng.u64(..)),
            joined: words(|rng| 1 << rng.u32(..64)),
            boards,
            turns,
        }
    }

    /// The sliders after `calls` chained calls, starting at turn `start`.
    fn run(&self, link: Link, start: usize, calls: usize) -> Vec<u64> {
        let calls = start..start + calls;
        match (link, self.operation) {
            (Link::Batch(kernel), "rook_attacks") => {
                self.batch(calls, |s, o, a| kernel.rook_attacks(s, o, a))
            }
            (Link::Batch(kernel), "bishop_attacks") => {
                self.batch(calls, |s, o, a| kernel.bishop_attacks(s, o, a))
            }
            (Link::Batch(kernel), "queen_attacks") => {
                self.batch(calls, |s, o, a| kernel.queen_attacks(s, o, a))
            }
            (Link::Batch(kernel), "slider_attacks") => {
                self.batch(calls, |s, o, a| kernel.slider_attacks(s, s, o, a))
            }
            (Link::One(kernel), "rook_attacks") => {
                self.one(calls, |s, o| kernel.rook_attacks_one(s, o))
            }
            (Link::One(kernel), "bishop_attacks") => {
                self.one(calls, |s, o| kernel.bishop_attacks_one(s, o))
            }
            (Link::One(kernel), "queen_attacks") => {
                self.one(calls, |s, o| kernel.queen_attacks_one(s, o))
            }
            (Link::One(kernel), "slider_attacks") => {
                self.one(calls, |s, o| kernel.slider_attacks_one(s, s, o))
            }
            (Link::Inlined, "rook_attacks") => self.one(calls, board::rook_attacks),
            (Link::Inlined, "bishop_attacks") => self.one(calls, board::bishop_attacks),
            (Link::Inlined, "queen_attacks") => self.one(calls, board::queen_attacks),
            (Link::Inlined, "slider_attacks") => {
                self.one(calls, |s, o| board::slider_attacks(s, s, o))
            }
            (Link::Empty, _) => self.one(calls, |s, o| s | o),
            (Link::Oracle, "rook_attacks") => self.one(calls, oracle::rook_attacks),
            (Link::Oracle, "bishop_attacks") => self.one(calls, oracle::bishop_attacks),
            (Link::Oracle, "queen_attacks") => self.one(calls, oracle::queen_attacks),
            (Link::Oracle, "slider_attacks") => {
                self.one(calls, |s, o| oracle::slider_attacks(s, s, o))
            }
            (_, operation) => unreachable!("no chain of {operation}"),
        }
    }

    #[inline(always)]
    fn batch(&self, calls: Range<usize>, call: impl Fn(&[u64], &[u64], &mut [u64])) -> Vec<u64> {
        let mut sliders = vec![1 << 27; self.boards];
        let mut attacks = vec![0; self.boards];
        for turn in calls {
            let turn = turn % self.turns;
            call(&sliders, &self.occupied[turn], &mut attacks);
            let next = self.masks[turn].iter().zip(&self.joined[turn]);
            for ((slider, attacked), (mask, joined)) in sliders.iter_mut().zip(&attacks).zip(next) {
                *slider = attacked.rotate_left(13) & mask | joined;
            }
        }
        sliders
    }

    #[inline(always)]
    fn one(&self, calls: Range<usize>, call: impl Fn(u64, u64) -> u64) -> Vec<u64> {
        let chain = |board: usize| {
            let mut sliders: u64 = 1 << 27;
            for turn in calls.clone() {
                let turn = turn % self.turns;
                let attacked = call(sliders, self.occupied[turn][board]);
                sliders =
                    attacked.rotate_left(13) & self.masks[turn][board] | self.joined[turn][board];
            }
            sliders
        };
        (0..self.boards).map(chain).collect()
    }

    /// Times `calls` chained calls. For tests, `slowed` is the fraction of that time to wait in
    /// addition.
    pub(crate) fn time(&self, link: Link, calls: usize, slowed: f64) -> Duration {
        let start = fastrand::usize(..self.turns);
        clocked(slowed, || {
            black_box(black_box(self).run(black_box(link), start, calls));
        })
    }

    /// Compares the sliders at the end of the chain with the oracle's.
    pub(crate) fn check(&self, link: Link) -> Result<(), String> {
        let calls = self.turns + 1;
        if link == Link::Empty || self.run(link, 0, calls) == self.run(Link::Oracle, 0, calls) {
            return Ok(());
        }
        Err(format!("a chain of {}, {} boards per call: wrong end", self.operation, self.boards))
    }
}

#[cfg(test)]
mod tests {
    use super::{Chain, Link};
    use crate::settings::MAIN;

    #[test]
    fn every_chain_ends_right() {
        for operation in MAIN {
            for boards in [1, 8, 33] {
                let chain = Chain::new(operation, boards);
                for kernel in setwise::Kernels::available() {
                    chain.check(Link::Batch(kernel)).unwrap();
                    chain.check(Link::One(kernel)).unwrap();
                }
                chain.check(Link::Inlined).unwrap();
            }
        }
    }

    /// Even after 500 calls, about two sliders per board are left.
    #[test]
    fn a_chain_does_not_run_dry() {
        let chain = Chain::new("bishop_attacks", 1000);
        let sliders = chain.run(Link::Oracle, 0, 500);
        let count: u32 = sliders.iter().map(|set| set.count_ones()).sum();
        assert!((1200..3000).contains(&count), "{count}");
    }
}
