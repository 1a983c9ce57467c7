//! The order of the positions, and their division into batches.

use std::collections::VecDeque;
use std::mem;

use setwise_positions::binpack::{GOLDEN, mix};

use crate::huge_pages;
use crate::prefetch::prefetch;
use crate::record::Record;

/// The records of a block of memory.
const BLOCK: usize = 32;

/// The most blocks of a region, which take 22 MiB.
const REGION: usize = 1 << 14;

/// The most spare batches. Each new one takes one, so more would only take memory.
const SPARE: usize = 2;

/// Shuffles a stream of positions, and cuts it into batches.
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
    /// The memory of all buckets, in regions of blocks, the block before each one in its bucket,
    /// and the blocks that are free.
    regions: Vec<Vec<[Record; BLOCK]>>,
    before: Vec<u32>,
    free: Vec<u32>,
    /// What is output: blocks, and places in them.
    order: Vec<(u32, u32)>,
    random: Random,
    batch_size: usize,
    batch: Vec<Record>,
    /// Memory for batches.
    spare: Vec<Vec<Record>>,
    /// The batches that are complete, in order.
    pub(crate) batches: VecDeque<Vec<Record>>,
}

/// A list of blocks, of which all but the last are full. It is small, so that all of them stay in
/// the cache.
#[derive(Clone, Copy, Default)]
struct Bucket {
    count: u32,
    /// The last block.
    block: u32,
}

impl Shuffler {
    pub(crate) fn new(full: usize, seed: u64, batch_size: usize) -> Shuffler {
        // Of one position there is no other order.
        let full = if full < 2 { 0 } else { full };
        let buckets = (full / 8).clamp(1, 1024).max((full / 8192).min(1 << 14));
        Shuffler {
            full,
            held: 0,
            is_filled: false,
            buckets: vec![Bucket::default(); buckets].into(),
            regions: Vec::new(),
            before: Vec::new(),
            free: Vec::new(),
            order: Vec::new(),
            random: Random(seed),
            batch_size,
            batch: Vec::new(),
            spare: Vec::new(),
            batches: VecDeque::new(),
        }
    }

    /// Takes memory of a batch back.
    pub(crate) fn recycle(&mut self, mut records: Vec<Record>) {
        records.clear();
        if self.spare.len() < SPARE {
            self.spare.push(records);
        }
    }

    /// Takes the next positions.
    pub(crate) fn extend(&mut self, mut records: &[Record]) {
        if self.full > 0 {
            return records.iter().for_each(|record| self.push(record));
        }
        while !records.is_empty() {
            let room = (self.batch_size - self.batch.len()).min(records.len());
            let (first, rest) = records.split_at(room);
            self.batch.extend_from_slice(first);
            self.cut();
            records = rest;
        }
    }

    #[inline]
    fn push(&mut self, record: &Record) {
        let all = self.buckets.len();
        let mut index = self.random.below(all);
        if !self.is_filled {
            // The density of a full buffer: the later the bucket, the fewer positions.
            index = index.min(self.random.below(all));
        }
        let bucket = &mut self.buckets[index];
        let place = bucket.count as usize % BLOCK;
        if place == 0 {
            let block = self.free.pop().unwrap_or_else(|| {
                let block = self.before.len();
                if block.is_multiple_of(REGION) {
                    let blocks = self.full.div_ceil(BLOCK) + all;
                    self.regions.push(huge_pages::with_capacity(blocks.min(REGION)));
                }
                self.regions[block / REGION].push([Record::EMPTY; BLOCK]);
                self.before.push(0);
                block as u32
            });
            self.before[block as usize] = bucket.block;
            bucket.block = block;
        }
        let block = bucket.block as usize;
        self.regions[block / REGION][block % REGION][place] = *record;
        bucket.count += 1;
        self.held += 1;
        while self.held > self.full {
            self.is_filled = true;
            self.output();
        }
    }

    /// Outputs a part of what is held after the last `push`. Returns whether nothing is left.
    /// Positions that are too few for a batch are dropped if `drop_last`.
    pub(crate) fn finish(&mut self, drop_last: bool) -> bool {
        if self.held > 0 {
            self.output();
        }
        let is_empty = self.held == 0;
        if is_empty && !self.batch.is_empty() && !drop_last {
            self.batches.push_back(mem::take(&mut self.batch));
        }
        is_empty
    }

    /// Outputs the first bucket.
    fn output(&mut self) {
        let Bucket { count, mut block } = self.buckets.pop_front().expect("there are always some");
        self.buckets.push_back(Bucket::default());
        let mut count = count as usize;
        self.held -= count;
        self.order.clear();
        // From the last block to the first.
        while count > 0 {
            let records = (count - 1) % BLOCK + 1;
            prefetch(&block_of(&self.regions, block)[..records]);
            self.order.extend((0..records as u32).rev().map(|place| (block, place)));
            self.free.push(block);
            block = self.before[block as usize];
            count -= records;
        }
        self.order.reverse();
        for last in (1..self.order.len()).rev() {
            self.order.swap(last, self.random.below(last + 1));
        }
        let regions = &self.regions;
        let record = |(block, place): &(u32, u32)| block_of(regions, *block)[*place as usize];
        self.batch.extend(self.order.iter().map(record));
        self.cut();
    }

    /// Cuts complete batches.
    fn cut(&mut self) {
        while self.batch.len() >= self.batch_size {
            // A huge size may mean all positions, so do not take all of its memory at once.
            let mut rest = self.spare.pop().unwrap_or_default();
            rest.reserve(self.batch_size.min(1 << 14) + self.batch.len() / 8);
            rest.extend_from_slice(&self.batch[self.batch_size..]);
            self.batch.truncate(self.batch_size);
            self.batches.push_back(mem::replace(&mut self.batch, rest));
        }
    }
}

#[inline(always)]
fn block_of(regions: &[Vec<[Record; BLOCK]>], number: u32) -> &[Record; BLOCK] {
    &regions[number as usize / REGION][number as usize % REGION]
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
