//! A set of positions that stores only its non-empty words.

use rayon::prelude::*;

use crate::lanes::Lanes;

/// A set of positions of one ending with the same side to move.
///
/// The full bitmap has one bit per position. A *word* is the bitboard of the defender's king for
/// one placement of the other men. A *block* is the 64 words for all squares of the attacker's
/// king. There is one block for every placement of the pieces. Few words have a bit set, so only
/// those are stored. A *directory* has one bit per word, so it is 64 times smaller than the full
/// bitmap.
///
/// ```
/// use setwise_endgame::{Options, Side, generate};
/// let table = generate(&"KQK".parse().unwrap(), &Options::default());
/// let mates = table.wins(Side::White).lost_in(0).unwrap();
/// assert_eq!(mates.count(), 364);
/// assert_eq!(mates.positions().count(), 364);
/// assert!(mates.positions().all(|index| mates.contains(index)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitmap {
    directory: Vec<u64>,
    /// For each block, the index in its slab at which its words start.
    starts: Vec<u32>,
    /// The stored words. There is one slab for each square of the first piece.
    slabs: Vec<Box<[u64]>>,
}

impl Bitmap {
    /// An empty set, with room for `blocks` blocks of 4096 positions.
    pub(crate) fn empty(blocks: usize) -> Self {
        let slabs = if blocks == 0 { 0 } else { SLABS };
        Self {
            directory: vec![0; blocks],
            starts: vec![0; blocks],
            slabs: vec![Box::default(); slabs],
        }
    }

    /// Creates a bitmap from a directory and the non-empty words in the directory's order. `None`
    /// if the number of words does not match the directory, or if a word is empty.
    pub(crate) fn from_parts(directory: &[u64], words: &[u64]) -> Option<Self> {
        let count = |entries: &[u64]| {
            entries.iter().map(|entry| entry.count_ones() as usize).sum::<usize>()
        };
        if count(directory) != words.len() || words.contains(&0) {
            return None;
        }
        let mut rest = words;
        let slabs = directory.chunks(directory.len().div_ceil(SLABS).max(1)).map(|entries| {
            let (slab, after) = rest.split_at(count(entries));
            rest = after;
            Packed::new(entries.to_vec(), slab)
        });
        Some(Self::join(slabs.collect()))
    }

    /// Joins the slabs, in the order of the first piece's square, into a bitmap.
    pub(crate) fn join(packed: Vec<Packed>) -> Self {
        let mut directory =
            Vec::with_capacity(packed.iter().map(|slab| slab.directory.len()).sum());
        let mut starts = Vec::with_capacity(directory.capacity());
        for slab in &packed {
            let mut next = 0;
            for entry in &slab.directory {
                starts.push(next);
                next += entry.count_ones();
            }
            directory.extend_from_slice(&slab.directory);
        }
        Self { directory, starts, slabs: packed.into_iter().map(|slab| slab.words).collect() }
    }

    /// Joins packed rows into a bitmap. `ranks` has one entry for each rank of the attacker's king.
    pub(crate) fn join_rows(ranks: &[PackedRows]) -> Self {
        let places = ranks[0].places;
        let slab = |scratch: &mut Vec<u64>, first: usize| {
            let mut directory = vec![0; places];
            let mut words = Packer::new(scratch, 8 * places);
            let mut next: [usize; 8] =
                std::array::from_fn(|rank| ranks[rank].starts[first] as usize);
            for (second, entry) in directory.iter_mut().enumerate() {
                for (rank, rows) in ranks.iter().enumerate() {
                    let filled = rows.directory[first * places + second];
                    if filled != 0 {
                        *entry |= u64::from(filled) << (8 * rank);
                        let count = filled.count_ones() as usize;
                        words.copy(&rows.words[next[rank]..], count);
                        next[rank] += count;
                    }
                }
            }
            Packed::new(directory, words.words())
        };
        let slabs = (0..SLABS).into_par_iter().map_init(Vec::new, slab);
        Self::join(slabs.collect())
    }

    /// The stored words from the first word of `block` to the end of its slab.
    fn words_from(&self, block: usize) -> &[u64] {
        let slab = block / (self.directory.len() / SLABS);
        &self.slabs[slab][self.starts[block] as usize..]
    }

    /// All 64 words of a block, as one [`Lanes`] for each rank of the attacker's king.
    #[inline]
    pub(crate) fn block(&self, block: usize) -> [Lanes; 8] {
        let mut out = [Lanes::ZERO; 8];
        for (lane, &word) in bits(self.directory[block]).zip(self.words_from(block)) {
            out[lane / 8].0[lane % 8] = word;
        }
        out
    }

    /// For each block, a mask of the words that are not empty: bit `k` of entry `b` stands for word
    /// `64 * b + k`.
    #[must_use]
    pub fn directory(&self) -> &[u64] {
        &self.directory
    }

    /// The non-empty words in the order of the directory.
    pub fn stored_words(&self) -> impl Iterator<Item = u64> + '_ {
        self.slabs.iter().flat_map(|slab| slab.iter().copied())
    }

    /// One word of the full bitmap: the squares of the defender's king for one placement of the
    /// other men.
    ///
    /// # Panics
    ///
    /// If `word` is not below 64 times the length of the directory.
    #[must_use]
    pub fn word(&self, word: usize) -> u64 {
        let (entry, lane) = (self.directory[word / 64], word % 64);
        if entry >> lane & 1 == 0 {
            return 0;
        }
        let before = (entry & !(!0 << lane)).count_ones();
        self.words_from(word / 64)[before as usize]
    }

    /// Whether the position with this index is in the set. The index is 64 times the word's number,
    /// plus the square of the defender's king.
    ///
    /// # Panics
    ///
    /// If `index` is not below 4096 times the length of the directory.
    #[must_use]
    pub fn contains(&self, index: usize) -> bool {
        self.word(index / 64) >> (index % 64) & 1 != 0
    }

    /// The number of positions in the set.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.slabs.iter().flatten().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Whether the set has no position.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slabs.iter().all(|slab| slab.is_empty())
    }

    /// The non-empty words and their numbers, in ascending order.
    pub(crate) fn numbered_words(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let numbers = self
            .directory
            .iter()
            .enumerate()
            .flat_map(|(block, &entry)| bits(entry).map(move |lane| block * 64 + lane));
        numbers.zip(self.stored_words())
    }

    /// The indices of the positions in the set, in ascending order.
    pub fn positions(&self) -> impl Iterator<Item = usize> + '_ {
        self.numbered_words()
            .flat_map(|(number, word)| bits(word).map(move |king| number * 64 + king))
    }

    /// The memory that the set uses, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let words: usize = self.slabs.iter().map(|slab| slab.len()).sum();
        8 * self.directory.len() + 4 * self.starts.len() + 16 * self.slabs.len() + 8 * words
    }
}

/// The indices of the bits that are set in a word, lowest first.
#[inline(always)]
pub(crate) fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

/// The number of slabs: one for each square of the first piece.
const SLABS: usize = 64;

/// The part of a bitmap in which the first piece is on one given square.
pub(crate) struct Packed {
    directory: Vec<u64>,
    words: Box<[u64]>,
}

impl Packed {
    pub(crate) fn new(directory: Vec<u64>, words: &[u64]) -> Self {
        Self { directory, words: words.into() }
    }
}

/// Collects the non-empty words of successive [`Lanes`].
pub(crate) struct Packer<'a> {
    words: &'a mut [u64],
    count: usize,
}

impl<'a> Packer<'a> {
    /// Creates a packer for at most `lanes` values of [`Lanes`]. `scratch` is overwritten.
    pub(crate) fn new(scratch: &'a mut Vec<u64>, lanes: usize) -> Self {
        if scratch.len() < lanes * 8 + 8 {
            scratch.resize(lanes * 8 + 8, 0);
        }
        Self { words: scratch, count: 0 }
    }

    /// Adds the non-empty words. Returns a mask of the words that are not empty.
    #[inline(always)]
    pub(crate) fn add(&mut self, lanes: Lanes) -> u8 {
        // Branch-free: an empty word is overwritten by the next one.
        let found: &mut [u64; 8] = (&mut self.words[self.count..][..8]).try_into().expect("eight");
        let (mut filled, mut count) = (0, 0);
        for (lane, word) in lanes.0.into_iter().enumerate() {
            found[count & 7] = word;
            filled |= u8::from(word != 0) << lane;
            count += usize::from(word != 0);
        }
        self.count += count;
        filled
    }

    /// Adds the first `count` words of `from`, at most eight. Always copies eight words, because a
    /// copy of a fixed size needs no loop.
    #[inline(always)]
    fn copy(&mut self, from: &[u64], count: usize) {
        self.words[self.count..][..8].copy_from_slice(&from[..8]);
        self.count += count;
    }

    pub(crate) fn words(self) -> &'a [u64] {
        &self.words[..self.count]
    }
}

/// The packed rows in which the attacker's king is on one given rank.
pub(crate) struct PackedRows {
    places: usize,
    /// For each row, one byte per square of the second piece. The bits of a byte are set for the
    /// files of the attacker's king whose word is not empty.
    directory: Vec<u8>,
    /// For each row, the index in `words` at which its words start.
    starts: Vec<u32>,
    /// The non-empty words, padded by eight words because [`Packer::copy`] always reads eight.
    words: Box<[u64]>,
}

/// Packs the rows in which the attacker's king is on one given rank.
pub(crate) struct RowPacker<'a> {
    packer: Packer<'a>,
    packed: PackedRows,
}

impl<'a> RowPacker<'a> {
    /// Creates a packer for 64 rows, one for each square of the first piece. `scratch` is
    /// overwritten.
    pub(crate) fn new(scratch: &'a mut Vec<u64>, places: usize) -> Self {
        Self {
            packer: Packer::new(scratch, SLABS * places),
            packed: PackedRows {
                places,
                directory: vec![0; SLABS * places],
                starts: Vec::with_capacity(SLABS),
                words: Box::default(),
            },
        }
    }

    /// Adds the next row. For squares of the second piece that are not in `mask`, the lanes must be
    /// empty.
    #[inline(always)]
    pub(crate) fn row(&mut self, mask: u64, lanes: &[Lanes]) {
        let packed = &mut self.packed;
        let directory = &mut packed.directory[packed.starts.len() * packed.places..];
        packed.starts.push(self.packer.count as u32);
        for second in bits(mask) {
            directory[second] = self.packer.add(lanes[second]);
        }
    }

    pub(crate) fn finish(mut self) -> PackedRows {
        let words = self.packer.count + 8;
        self.packed.words = self.packer.words[..words].into();
        self.packed
    }
}
