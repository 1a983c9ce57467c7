//! The order of positions by chance: the shuffle buffer of one shard.

use std::collections::VecDeque;

use setwise_positions::binpack::{GOLDEN, mix};

use crate::huge_pages;
use crate::prefetch::prefetch;
use crate::record::Record;

/// The records of a block of memory.
const BLOCK: usize = 32;

/// The most blocks of a region, which take 22 MiB.
const REGION: usize = 1 << 14;

/// Shuffles a stream of positions.
///
/// Each position goes to the end of a random one of many buckets. When the buffer is full, the
/// first bucket is shuffled and output, and an empty one becomes the last. So a position is delayed
/// by up to about twice the size of the buffer, each delay with the same probability. Unlike
/// exchanges with random places of the buffer, this writes to the ends of buckets, which stay in
/// the cache.
pub(crate) struct Shuffler {
    /// The positions in a full buffer. Without a buffer, 0.
    full: usize,
    held: usize,
    /// Whether the buffer has been full.
    is_filled: bool,
    buckets: VecDeque<Bucket>,
    memory: Memory,
    /// What is output: blocks, and places in them.
    order: Vec<(u32, u32)>,
    random: Random,
}

/// The memory of all buckets, in regions of blocks.
struct Memory {
    /// The most blocks that are needed.
    most: usize,
    regions: Vec<Vec<[Record; BLOCK]>>,
    /// The block before each one in its bucket.
    before: Vec<u32>,
    free: Vec<u32>,
}

/// A list of blocks, of which all but the last are full. It is small, so that all of them stay in
/// the cache.
#[derive(Clone, Copy, Default)]
struct Bucket {
    count: u32,
    /// The last block.
    block: u32,
}

impl Memory {
    /// A free block.
    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            let block = self.before.len();
            if block.is_multiple_of(REGION) {
                self.regions.push(huge_pages::with_capacity(self.most.min(REGION)));
            }
            self.regions[block / REGION].push([Record::EMPTY; BLOCK]);
            self.before.push(0);
            block as u32
        })
    }

    #[inline(always)]
    fn block(&self, number: u32) -> &[Record; BLOCK] {
        &self.regions[number as usize / REGION][number as usize % REGION]
    }

    #[inline(always)]
    fn block_mut(&mut self, number: u32) -> &mut [Record; BLOCK] {
        &mut self.regions[number as usize / REGION][number as usize % REGION]
    }
}

impl Shuffler {
    pub(crate) fn new(full: usize, seed: u64) -> Shuffler {
        // Of one position there is no other order.
        let full = if full < 2 { 0 } else { full };
        let buckets = (full / 8).clamp(1, 1024).max((full / 8192).min(1 << 14));
        Shuffler {
            full,
            held: 0,
            is_filled: false,
            buckets: vec![Bucket::default(); buckets].into(),
            memory: Memory {
                most: full.div_ceil(BLOCK) + buckets,
                regions: Vec::new(),
                before: Vec::new(),
                free: Vec::new(),
            },
            order: Vec::new(),
            random: Random(seed),
        }
    }

    /// Whether no position is held.
    pub(crate) fn is_empty(&self) -> bool {
        self.held == 0
    }

    /// Takes the next position, and appends those that leave the buffer to `output`.
    #[inline]
    pub(crate) fn push(&mut self, record: &Record, output: &mut Vec<Record>) {
        if self.full == 0 {
            output.push(*record);
            return;
        }
        let all = self.buckets.len();
        let mut index = self.random.below(all);
        if !self.is_filled {
            // The density of a full buffer: the later the bucket, the fewer positions.
            index = index.min(self.random.below(all));
        }
        let bucket = &mut self.buckets[index];
        let place = bucket.count as usize % BLOCK;
        if place == 0 {
            let block = self.memory.take();
            self.memory.before[block as usize] = bucket.block;
            bucket.block = block;
        }
        self.memory.block_mut(bucket.block)[place] = *record;
        bucket.count += 1;
        self.held += 1;
        while self.held > self.full {
            self.is_filled = true;
            self.flush(output);
        }
    }

    /// Appends the first bucket to `output`.
    pub(crate) fn flush(&mut self, output: &mut Vec<Record>) {
        let Some(Bucket { count, mut block }) = self.buckets.pop_front() else { return };
        self.buckets.push_back(Bucket::default());
        let mut count = count as usize;
        self.held -= count;
        self.order.clear();
        // From the last block to the first.
        while count > 0 {
            let records = (count - 1) % BLOCK + 1;
            prefetch(&self.memory.block(block)[..records]);
            self.order.extend((0..records as u32).rev().map(|place| (block, place)));
            self.memory.free.push(block);
            block = self.memory.before[block as usize];
            count -= records;
        }
        self.order.reverse();
        for last in (1..self.order.len()).rev() {
            self.order.swap(last, self.random.below(last + 1));
        }
        let memory = &self.memory;
        output
            .extend(self.order.iter().map(|(block, place)| memory.block(*block)[*place as usize]));
    }
}

/// `SplitMix64`.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    #[inline]
    pub(crate) fn below(&mut self, most: usize) -> usize {
        let number = mix(self.0);
        self.0 = self.0.wrapping_add(GOLDEN);
        ((u128::from(number) * most as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::Shuffler;
    use crate::record::Record;

    #[test]
    fn every_position_is_output_once() {
        for full in [0, 1, 2, 100, 5000] {
            let (mut shuffler, mut output) = (Shuffler::new(full, 3), Vec::new());
            for ply in 0..20_000 {
                shuffler.push(&Record::numbered(ply), &mut output);
                let held = usize::from(ply) + 1 - output.len();
                assert!(held <= full && (held > 0) != shuffler.is_empty(), "{full}: {held}");
            }
            while !shuffler.is_empty() {
                shuffler.flush(&mut output);
            }
            let mut plies: Vec<u16> = output.iter().map(|record| record.ply).collect();
            assert_eq!(plies.is_sorted(), full < 2);
            plies.sort_unstable();
            assert!(plies.into_iter().eq(0..20_000));
        }
    }
}
