//! Buffers whose place in memory is chosen, and the windows in which they are worked through.

use std::ops::Range;

use super::boards::Boards;
use super::contender::{Computes, Contender};
use super::{Operation, oracle};

/// Buffers start here plus a stagger plus the offset under test.
const PAGE: usize = 4096;
/// Each buffer starts this many bytes further into its page than the one before, so that
/// streams never share the low twelve bits of their addresses, whatever the allocator does.
const STAGGER: usize = 1024;
/// What the output holds before a checked pass.
const POISON: u64 = 0xdead_beef_0bad_cafe;
/// Calls of short batches start this many boards apart at least: a batch of 31 then has the
/// alignment of a batch of 32, and the same number of calls goes into a pass.
const STRIDE: usize = 32;

/// A slice at a chosen distance from a page boundary.
struct Buffer {
    storage: Vec<u64>,
    range: Range<usize>,
}

impl Buffer {
    fn new(length: usize, offset: usize) -> Buffer {
        let slack = (PAGE + offset) / size_of::<u64>();
        let storage = vec![0; length + slack];
        let start = storage.as_ptr().align_offset(PAGE) + offset / size_of::<u64>();
        let range = start..start + length;
        Buffer { storage, range }
    }

    fn get(&self) -> &[u64] {
        &self.storage[self.range.clone()]
    }

    fn get_mut(&mut self) -> &mut [u64] {
        &mut self.storage[self.range.clone()]
    }
}

/// The inputs of one operation, its output, and how a pass cuts them into calls.
pub(crate) struct Batch {
    pub(crate) operation: Operation,
    inputs: Vec<Buffer>,
    attacks: Buffer,
    boards_a_call: usize,
    /// The boards from which the inputs are filled, one vector a set, and their right answers.
    supply: Vec<Vec<u64>>,
    answers: Vec<u64>,
    order: Order,
    /// Input `i` is board `step * i` of the supply, cyclically.
    step: usize,
}

/// Whether every pass meets the boards in the same order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Same,
    /// A new one for every pass.
    New,
}

impl Batch {
    /// Buffers of `pool` boards, `offset` bytes off alignment, for calls of `boards_a_call`, filled with
    /// `boards` again and again.
    ///
    /// # Panics
    /// If the number of boards is not a power of two.
    pub(crate) fn new(
        operation: Operation,
        boards: &Boards,
        order: Order,
        pool: usize,
        boards_a_call: usize,
        offset: usize,
    ) -> Batch {
        assert!(boards.len().is_power_of_two());
        let rows: Vec<_> = (0..boards.len())
            .map(|i| boards.sets(operation, i))
            .collect();
        let sets = rows[0].len();
        let mut batch = Batch {
            operation,
            inputs: (0..sets)
                .map(|set| Buffer::new(pool, STAGGER * (set + 1) + offset))
                .collect(),
            attacks: Buffer::new(pool, offset),
            boards_a_call,
            supply: (0..sets)
                .map(|set| rows.iter().map(|row| row[set]).collect())
                .collect(),
            answers: rows
                .iter()
                .map(|row| oracle::answer(operation, row))
                .collect(),
            order,
            step: 1,
        };
        batch.fill();
        batch
    }

    pub(crate) fn order(&self) -> Order {
        self.order
    }

    /// Puts the boards into a new order. An odd step meets all of them, their number being a power of two.
    pub(crate) fn reorder(&mut self) {
        self.step = 2 * fastrand::usize(..self.answers.len()) + 1;
        self.fill();
    }

    fn fill(&mut self) {
        for (input, supply) in self.inputs.iter_mut().zip(&self.supply) {
            for (i, board) in input.get_mut().iter_mut().enumerate() {
                *board = supply[self.step * i % supply.len()];
            }
        }
    }

    /// Inputs, output and windows, for a pass over an operation with `N` input sets.
    pub(crate) fn parts<const N: usize>(
        &mut self,
    ) -> ([&[u64]; N], &mut [u64], impl Iterator<Item = Range<usize>>) {
        assert_eq!(N, self.inputs.len(), "{}", self.operation.name());
        let inputs = std::array::from_fn(|set| self.inputs[set].get());
        let windows = windows(self.attacks.range.len(), self.boards_a_call);
        (inputs, self.attacks.get_mut(), windows)
    }

    /// Boards computed in one pass.
    pub(crate) fn boards(&self) -> usize {
        windows(self.attacks.range.len(), self.boards_a_call).count() * self.boards_a_call
    }

    /// Makes one pass and compares all of the output: right answers inside the windows, and nothing
    /// written between them.
    ///
    /// # Panics
    /// At the first wrong board.
    pub(crate) fn check(&mut self, contender: &Contender) {
        self.attacks.get_mut().fill(POISON);
        contender.pass(self);
        let mut inside = vec![false; self.attacks.range.len()];
        for window in windows(inside.len(), self.boards_a_call) {
            inside[window].fill(true);
        }
        for (i, &found) in self.attacks.get().iter().enumerate() {
            let expected = match (inside[i], contender.computes) {
                (false, _) => POISON,
                (true, Computes::Attacks) => self.answers[self.step * i % self.answers.len()],
                (true, Computes::Xor) => self.inputs.iter().fold(0, |xor, set| xor ^ set.get()[i]),
            };
            assert!(
                found == expected,
                "{}, {}: board {i} is {found:#018x}, expected {expected:#018x}",
                contender.name,
                self.operation.name()
            );
        }
    }
}

fn windows(pool: usize, boards_a_call: usize) -> impl Iterator<Item = Range<usize>> {
    (0..pool)
        .step_by(boards_a_call.max(STRIDE))
        .map(move |start| start..start + boards_a_call)
}
