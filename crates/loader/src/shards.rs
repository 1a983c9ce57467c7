//! The stage that shuffles. It has several shards, which work at the same time: each takes every
//! n-th piece, and has its own buffer.

use std::collections::VecDeque;
use std::mem;

use setwise_positions::binpack::mix;

use crate::piece::Piece;
use crate::record::Record;
use crate::shuffle::Shuffler;

/// The positions of a buffer for which it has one shard more.
const SHARE: usize = 1 << 16;

/// The most shards of a buffer.
const MOST: usize = 16;

/// The pieces of a shard that were pushed and not popped.
const WAITING: usize = 64;

/// The pieces for which a shard is given to a thread, while there is other work.
const ENOUGH: usize = 16;

/// What a shard is to do.
pub(crate) enum Step {
    Push(Piece),
    /// To output a part of what it holds, after the last piece.
    Flush,
}

impl Step {
    /// The number of positions.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        match self {
            Step::Push(piece) => piece.len(),
            Step::Flush => 0,
        }
    }
}

/// Does a step. Returns what comes out.
pub(crate) fn run(shard: &mut Shuffler, step: &Step) -> Vec<Record> {
    let mut output = Vec::new();
    match step {
        Step::Push(piece) => piece.iter().for_each(|record| shard.push(record, &mut output)),
        Step::Flush => shard.flush(&mut output),
    }
    output
}

/// A place for a shard.
struct Slot {
    /// `None` while a thread has it.
    shard: Option<Box<Shuffler>>,
    inbox: Vec<Step>,
    outbox: VecDeque<Vec<Record>>,
    is_empty: bool,
}

/// All shards. What is pushed comes out in the order in which it was pushed, but for what the
/// buffers hold back.
pub(crate) struct Shards {
    slots: Vec<Slot>,
    /// The number of steps so far, and of their results.
    pushed: u64,
    popped: u64,
    /// Pieces that pass through, without shards.
    through: VecDeque<Piece>,
}

impl Shards {
    /// Shards of a buffer of this many positions: none, if there is nothing to shuffle.
    pub(crate) fn new(full: usize, seed: u64) -> Shards {
        let count = if full < 2 { 0 } else { (full / SHARE).clamp(1, MOST) };
        let slot = |number: usize| Slot {
            shard: Some(Box::new(Shuffler::new(
                full / count,
                match number {
                    0 => seed,
                    _ => mix(seed ^ mix(number as u64)),
                },
            ))),
            inbox: Vec::new(),
            outbox: VecDeque::new(),
            is_empty: true,
        };
        let slots = (0..count).map(slot).collect();
        Shards { slots, pushed: 0, popped: 0, through: VecDeque::new() }
    }

    /// Whether the next piece may be pushed.
    pub(crate) fn has_room(&self) -> bool {
        self.pushed - self.popped < (WAITING * self.slots.len().max(1)) as u64
    }

    pub(crate) fn push(&mut self, piece: Piece) {
        if self.slots.is_empty() {
            self.through.push_back(piece);
            self.pushed += 1;
        } else {
            self.step(Step::Push(piece));
        }
    }

    /// Whether nothing is held, as far as is known.
    fn is_empty(&self) -> bool {
        self.slots.iter().all(|slot| slot.is_empty)
    }

    /// Whether all that was pushed was popped.
    pub(crate) fn is_over(&self) -> bool {
        self.pushed == self.popped && self.is_empty()
    }

    /// Lets a shard output more of what it holds, after the last push. Returns whether there was
    /// room for that, and need.
    pub(crate) fn flush(&mut self) -> bool {
        let flushes = !self.is_empty() && self.has_room();
        if flushes {
            self.step(Step::Flush);
        }
        flushes
    }

    fn step(&mut self, step: Step) {
        let count = self.slots.len() as u64;
        self.slots[(self.pushed % count) as usize].inbox.push(step);
        self.pushed += 1;
    }

    /// Work: a shard with something to do, or, if there is other work, with enough.
    pub(crate) fn next(&mut self, has_other: bool) -> Option<(usize, Box<Shuffler>, Vec<Step>)> {
        let least = if has_other { ENOUGH } else { 1 };
        // Those whose results are needed first come first.
        let count = self.slots.len();
        let first = self.popped as usize % count.max(1);
        let mut order = (first..count).chain(0..first);
        let index = order.find(|&index| {
            let slot = &self.slots[index];
            slot.inbox.len() >= least && slot.shard.is_some()
        })?;
        let slot = &mut self.slots[index];
        Some((index, slot.shard.take()?, mem::take(&mut slot.inbox)))
    }

    /// Takes a shard back, with what came out.
    pub(crate) fn receive(&mut self, index: usize, shard: Box<Shuffler>, output: Vec<Vec<Record>>) {
        // After a failure there are none.
        let Some(slot) = self.slots.get_mut(index) else { return };
        slot.is_empty = shard.is_empty();
        slot.shard = Some(shard);
        slot.outbox.extend(output);
    }

    /// The next piece, if it is there.
    pub(crate) fn pop(&mut self) -> Option<Piece> {
        let count = self.slots.len() as u64;
        let piece = if count == 0 {
            self.through.pop_front()
        } else {
            self.slots[(self.popped % count) as usize].outbox.pop_front().map(Piece::all)
        };
        self.popped += u64::from(piece.is_some());
        piece
    }

    /// Drops all positions.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.through.clear();
        self.popped = self.pushed;
    }
}

#[cfg(test)]
mod tests {
    use super::{Piece, Record, Shards, run};

    /// Pushes all records in pieces, and does the work in an order that depends on `turn`.
    fn shuffle(full: usize, turn: u64) -> Vec<u16> {
        let mut shards = Shards::new(full, 7);
        let mut plies = (0..50_000).collect::<Vec<u16>>();
        let (mut busy, mut found, mut step) = (Vec::new(), Vec::new(), 0_u64);
        loop {
            step += 1;
            while let Some(piece) = shards.pop() {
                found.extend(piece.iter().map(|record| record.ply));
            }
            if shards.has_room() && !plies.is_empty() {
                let rest = plies.split_off(plies.len().min(97));
                shards.push(Piece::all(plies.into_iter().map(Record::numbered).collect()));
                plies = rest;
            } else if plies.is_empty() && shards.is_over() {
                return found;
            } else if plies.is_empty() {
                shards.flush();
            }
            if !(7 * step + turn).is_multiple_of(3) {
                busy.extend(shards.next(false));
            }
            if (step + turn).is_multiple_of(2) && !busy.is_empty() {
                let (index, mut shard, steps) = busy.swap_remove(step as usize % busy.len());
                let output = steps.iter().map(|step| run(&mut shard, step)).collect();
                shards.receive(index, shard, output);
            }
        }
    }

    #[test]
    fn the_order_does_not_depend_on_who_is_first() {
        assert!(shuffle(0, 1).into_iter().eq(0..50_000));
        for full in [900, 3 << 16] {
            let first = shuffle(full, 1);
            for turn in 2..7 {
                assert!(shuffle(full, turn) == first, "{full}");
            }
            let mut sorted = first.clone();
            sorted.sort_unstable();
            assert!(first != sorted && sorted.into_iter().eq(0..50_000));
        }
    }

    /// What comes first has positions of all shards, which shuffle in different ways.
    #[test]
    fn shards_differ() {
        let found = shuffle(3 << 16, 1);
        for shard in 0..3 {
            let of = |ply: &&u16| u32::from(**ply) / 97 % 3 == shard;
            assert!((5000..8500).contains(&found[..20_000].iter().filter(of).count()));
        }
        let places = |shard: u32| -> Vec<u32> {
            let of = found.iter().map(|ply| u32::from(*ply)).filter(|ply| ply / 97 % 3 == shard);
            of.map(|ply| ply / 291).take(1000).collect()
        };
        assert!(places(0) != places(1) && places(1) != places(2));
    }

    #[test]
    fn what_waits_is_bounded() {
        let mut shards = Shards::new(100, 1);
        let mut count = 0;
        while shards.has_room() {
            shards.push(Piece::all(vec![Record::EMPTY; 3]));
            count += 1;
        }
        assert_eq!(count, super::WAITING);
    }
}
