//! Calls that wait for each other: what a call attacks are the sliders of the next.
//!
//! Attacks are many squares, and popping kernels would only see full boards. So between two calls the attacks are turned by 13 bits,
//! cut by a mask of some four squares and joined by one square, which leaves about as many sliders as positions have. These three instructions
//! are in the time, and the chain without a kernel is timed as well.

use std::hint::black_box;
use std::ops::Range;
use std::time::Duration;

use setwise::{Kernels, board};

use crate::clock::clocked;
use setwise_check::oracle;

/// What a chain goes through: sliders, then occupancies. An engine's four operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `rook_attacks`.
    Rook,
    /// `bishop_attacks`.
    Bishop,
    /// `queen_attacks`.
    Queen,
    /// `slider_attacks`, both sets of sliders being the same.
    Slider,
}

impl Operation {
    /// All of them.
    pub const ALL: [Operation; 4] = [
        Operation::Rook,
        Operation::Bishop,
        Operation::Queen,
        Operation::Slider,
    ];

    /// The function for batches.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Operation::Rook => "rook_attacks",
            Operation::Bishop => "bishop_attacks",
            Operation::Queen => "queen_attacks",
            Operation::Slider => "slider_attacks",
        }
    }

    /// The function for one board by value.
    #[must_use]
    pub fn one(self) -> &'static str {
        match self {
            Operation::Rook => "rook_attacks_one",
            Operation::Bishop => "bishop_attacks_one",
            Operation::Queen => "queen_attacks_one",
            Operation::Slider => "slider_attacks_one",
        }
    }
}

/// Who is in the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// A kernel's function for batches.
    Batch(&'static Kernels),
    /// A kernel's function for one board by value.
    One(&'static Kernels),
    /// `setwise::board`: inlined, no dispatch.
    Inlined,
    /// Nobody: the attacks are the sliders.
    Nobody,
    /// The walk that knows what is right.
    Oracle,
}

/// Different boards that a chain goes through: more than a branch predictor learns in the time of a sample.
const BOARDS: usize = 16_384;

/// A chain of calls of so many boards.
#[derive(Debug)]
pub struct Chain {
    operation: Operation,
    /// Of every turn, for every board.
    occupied: Vec<Vec<u64>>,
    masks: Vec<Vec<u64>>,
    /// One square each, that the chain goes on.
    joined: Vec<Vec<u64>>,
    boards: usize,
    /// Calls until it begins anew.
    turns: usize,
}

impl Chain {
    /// One through random boards.
    #[must_use]
    pub fn new(operation: Operation, boards: usize) -> Chain {
        let turns = BOARDS / boards;
        let mut rng = fastrand::Rng::with_seed(0xc4a1);
        let mut words = |thin: fn(&mut fastrand::Rng) -> u64| -> Vec<Vec<u64>> {
            let mut turn = |_| (0..boards).map(|_| thin(&mut rng)).collect();
            (0..turns).map(&mut turn).collect()
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

    /// The sliders behind so many calls, from some turn on.
    #[must_use]
    pub fn run(&self, link: Link, start: usize, calls: usize) -> Vec<u64> {
        let calls = start..start + calls;
        match (link, self.operation) {
            (Link::Batch(kernel), Operation::Rook) => {
                self.batch(calls, |s, o, a| kernel.rook_attacks(s, o, a))
            }
            (Link::Batch(kernel), Operation::Bishop) => {
                self.batch(calls, |s, o, a| kernel.bishop_attacks(s, o, a))
            }
            (Link::Batch(kernel), Operation::Queen) => {
                self.batch(calls, |s, o, a| kernel.queen_attacks(s, o, a))
            }
            (Link::Batch(kernel), Operation::Slider) => {
                self.batch(calls, |s, o, a| kernel.slider_attacks(s, s, o, a))
            }
            (Link::One(kernel), Operation::Rook) => {
                self.one(calls, |s, o| kernel.rook_attacks_one(s, o))
            }
            (Link::One(kernel), Operation::Bishop) => {
                self.one(calls, |s, o| kernel.bishop_attacks_one(s, o))
            }
            (Link::One(kernel), Operation::Queen) => {
                self.one(calls, |s, o| kernel.queen_attacks_one(s, o))
            }
            (Link::One(kernel), Operation::Slider) => {
                self.one(calls, |s, o| kernel.slider_attacks_one(s, s, o))
            }
            (Link::Inlined, Operation::Rook) => self.one(calls, board::rook_attacks),
            (Link::Inlined, Operation::Bishop) => self.one(calls, board::bishop_attacks),
            (Link::Inlined, Operation::Queen) => self.one(calls, board::queen_attacks),
            (Link::Inlined, Operation::Slider) => {
                self.one(calls, |s, o| board::slider_attacks(s, s, o))
            }
            (Link::Nobody, _) => self.one(calls, |s, o| s | o),
            (Link::Oracle, Operation::Rook) => self.one(calls, oracle::rook_attacks),
            (Link::Oracle, Operation::Bishop) => self.one(calls, oracle::bishop_attacks),
            (Link::Oracle, Operation::Queen) => self.one(calls, oracle::queen_attacks),
            (Link::Oracle, Operation::Slider) => {
                self.one(calls, |s, o| oracle::slider_attacks(s, s, o))
            }
        }
    }

    #[inline(always)]
    fn batch(&self, calls: Range<usize>, call: impl Fn(&[u64], &[u64], &mut [u64])) -> Vec<u64> {
        let mut sliders = vec![1 << 27; self.boards];
        let mut attacks = vec![0; self.boards];
        for turn in calls {
            call(&sliders, &self.occupied[turn % self.turns], &mut attacks);
            let more = self.masks[turn % self.turns]
                .iter()
                .zip(&self.joined[turn % self.turns]);
            for ((slider, attacked), (mask, joined)) in sliders.iter_mut().zip(&attacks).zip(more) {
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

    /// How long so many calls take; for tests that must notice, as a part longer.
    #[must_use]
    pub fn time(&self, link: Link, calls: usize, slowed: f64) -> Duration {
        let start = fastrand::usize(..self.turns);
        clocked(slowed, || {
            black_box(black_box(self).run(black_box(link), start, calls));
        })
    }

    /// Compares a chain's end with that of the right one.
    ///
    /// # Errors
    /// That they differ.
    pub fn check(&self, link: Link) -> Result<(), String> {
        let calls = self.turns + 1;
        if link == Link::Nobody || self.run(link, 0, calls) == self.run(Link::Oracle, 0, calls) {
            Ok(())
        } else {
            let name = self.operation.name();
            Err(format!(
                "a chain of {name}, {} boards a call, ends wrong",
                self.boards
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Chain, Link, Operation};

    #[test]
    fn every_chain_ends_right() {
        for operation in Operation::ALL {
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

    /// About two sliders a board.
    #[test]
    fn a_chain_does_not_run_dry() {
        let chain = Chain::new(Operation::Bishop, 1000);
        let sliders = chain.run(Link::Oracle, 0, 500);
        let count: u32 = sliders.iter().map(|set| set.count_ones()).sum();
        assert!((1200..3000).contains(&count), "{count}");
    }
}
