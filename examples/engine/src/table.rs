//! The transposition table.

use setwise::moves::Move;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

#[derive(Clone, Copy)]
pub struct Entry {
    hash: u64,
    pub best: Option<Move>,
    pub score: i32,
    pub depth: i32,
    pub bound: Bound,
}

pub struct Table {
    entries: Vec<Option<Entry>>,
}

impl Table {
    pub fn new(megabytes: usize) -> Table {
        let entries = (megabytes << 20) / size_of::<Option<Entry>>();
        Table { entries: vec![None; entries.max(1)] }
    }

    pub fn clear(&mut self) {
        self.entries.fill(None);
    }

    fn place(&self, hash: u64) -> usize {
        // The high half of the product spreads hashes evenly over any number of entries.
        ((u128::from(hash) * self.entries.len() as u128) >> 64) as usize
    }

    pub fn get(&self, hash: u64) -> Option<Entry> {
        self.entries[self.place(hash)].filter(|entry| entry.hash == hash)
    }

    pub fn put(&mut self, hash: u64, best: Option<Move>, score: i32, depth: i32, bound: Bound) {
        let place = self.place(hash);
        let old = self.entries[place].filter(|old| old.hash == hash);
        // Keep a deeper result for the same position, unless the new one is exact.
        if old.is_some_and(|old| old.depth > depth) && bound != Bound::Exact {
            return;
        }
        let best = best.or(old.and_then(|old| old.best));
        self.entries[place] = Some(Entry { hash, best, score, depth, bound });
    }
}
