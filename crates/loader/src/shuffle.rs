//! The order of the positions, and their division into batches.

use std::mem;

use setwise_positions::binpack::{GOLDEN, mix};

use crate::{Batch, Position};

/// Shuffles a stream of positions in a buffer, and cuts it into batches.
pub(crate) struct Shuffler {
    /// The size of the buffer when it is full.
    full: usize,
    buffer: Vec<Position>,
    random: Random,
    batch_size: usize,
    batch: Batch,
    /// The batches that are complete, in order.
    pub(crate) batches: Vec<Batch>,
}

impl Shuffler {
    pub(crate) fn new(full: usize, seed: u64, batch_size: usize) -> Shuffler {
        Shuffler {
            full,
            buffer: Vec::new(),
            random: Random(seed),
            batch_size,
            batch: Batch::default(),
            batches: Vec::new(),
        }
    }

    /// Takes positions in the order of the files.
    pub(crate) fn push(&mut self, part: &[Position]) {
        let fills = part.len().min(self.full - self.buffer.len());
        let (first, rest) = part.split_at(fills);
        self.buffer.extend_from_slice(first);
        for position in rest {
            if self.full == 0 {
                self.output(position);
            } else {
                let at = self.random.below(self.buffer.len());
                let old = mem::replace(&mut self.buffer[at], *position);
                self.output(&old);
            }
        }
    }

    /// Outputs positions of the buffer after the last `push`. Returns whether it is empty.
    pub(crate) fn finish(&mut self, most: usize) -> bool {
        for _ in 0..most.min(self.buffer.len()) {
            let at = self.random.below(self.buffer.len());
            let old = self.buffer.swap_remove(at);
            self.output(&old);
        }
        if self.buffer.is_empty() && !self.batch.is_empty() {
            self.batches.push(mem::take(&mut self.batch));
        }
        self.buffer.is_empty()
    }

    fn output(&mut self, position: &Position) {
        if self.batch.is_empty() {
            // A huge size may mean all positions, so do not take all of its memory at once.
            self.batch = Batch::with_capacity(self.batch_size.min(1 << 16));
        }
        self.batch.push(position);
        if self.batch.len() == self.batch_size {
            self.batches.push(mem::take(&mut self.batch));
        }
    }
}

/// `SplitMix64`.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        let number = mix(self.0);
        self.0 = self.0.wrapping_add(GOLDEN);
        ((u128::from(number) * most as u128) >> 64) as usize
    }
}
