//! Which entries to keep.

use super::Entry;

/// Skips entries, as programs do that train networks. The default keeps all.
///
/// Whether an entry is kept depends on it and on its place in the file alone, so every program and
/// any number of threads keep the same.
///
/// ```
/// use setwise_positions::binpack::Filter;
/// let filter = Filter { skip_checks: true, max_score: Some(3000), ..Filter::default() };
/// assert_ne!(filter, Filter::default());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Filter {
    /// Skip if the side to move is in check.
    pub skip_checks: bool,
    /// Skip if the move is a capture.
    pub skip_captures: bool,
    /// Skip if the score is greater than this, of either sign. (32002 marks entries without a
    /// score.)
    pub max_score: Option<u16>,
    /// Skip if the ply is less.
    pub min_ply: u16,
    /// Keep the first of this many entries of a chunk, and so on. 0 and 1 keep all.
    pub every: u32,
    /// Skip this share of the entries, from 0 to 1, by their hash.
    pub skip: f64,
    /// The seed of the hash.
    pub seed: u64,
}

impl Filter {
    /// Whether to keep an entry, which is number `index` of its chunk. Both count from 0.
    #[must_use]
    pub fn keeps(&self, entry: &Entry, chunk: u64, index: u64) -> bool {
        let is_every = self.every < 2 || index.is_multiple_of(self.every.into());
        is_every
            && entry.ply >= self.min_ply
            && self.max_score.is_none_or(|most| entry.score.unsigned_abs() <= most)
            && !(self.skip_captures && entry.is_capture())
            && (self.skip <= 0.0 || !self.skips_at_random(chunk, index))
            && !(self.skip_checks && entry.board.in_check())
    }

    fn skips_at_random(&self, chunk: u64, index: u64) -> bool {
        let hash = mix(mix(self.seed ^ mix(chunk)) ^ index);
        let number = (hash >> 11) as f64 / (1_u64 << 53) as f64;
        number < self.skip
    }
}

/// The increment of `SplitMix64`: 2^64 divided by the golden ratio.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The number that `SplitMix64` returns in this state, a hash.
///
/// Source: Sebastiano Vigna: `SplitMix64`, 2015.
#[must_use]
pub const fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(GOLDEN);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

impl Entry {
    /// Whether the move captures.
    #[must_use]
    pub fn is_capture(&self) -> bool {
        let target = self.board.codes()[usize::from(self.code.to())];
        let takes = target < super::EMPTY && !self.code.is_castling();
        self.code != super::Move::NONE && takes || self.code.is_en_passant()
    }
}
