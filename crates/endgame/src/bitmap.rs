//! A set of positions that stores only its non-empty words.

use std::{array, mem};

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
#[derive(Clone, Debug)]
pub struct Bitmap {
    directory: Vec<u64>,
    /// For each square of the first piece and rank of the attacker's king (`8 * square + rank`),
    /// the slab that holds their words, and the index at which they start.
    rows: Vec<(u32, u32)>,
    slabs: Vec<Vec<u64>>,
}

impl PartialEq for Bitmap {
    fn eq(&self, other: &Self) -> bool {
        self.directory == other.directory && self.stored_words().eq(other.stored_words())
    }
}

impl Eq for Bitmap {}

impl Bitmap {
    /// An empty set, with room for `blocks` blocks of 4096 positions.
    pub(crate) fn empty(blocks: usize) -> Self {
        let (directory, rows) = (vec![0; blocks], vec![(0, 0); 64 * 8]);
        Self { directory, rows, slabs: vec![Vec::new()] }
    }

    /// Creates a bitmap from a directory and the non-empty words in the directory's order. `None`
    /// if the number of words does not match the directory, or if a word is empty.
    pub(crate) fn from_parts(directory: Vec<u64>, words: &[u64]) -> Option<Self> {
        let mut rest = words;
        let (mut rows, mut slabs) = (Vec::new(), Vec::new());
        let mut ranks = [const { Vec::new() }; 8];
        for (entries, slab) in directory.chunks((directory.len() / 64).max(1)).zip(0..) {
            ranks.iter_mut().for_each(Vec::clear);
            for entry in entries {
                for (rank, filled) in ranks.iter_mut().zip(entry.to_le_bytes()) {
                    let (words, after) = rest.split_at_checked(filled.count_ones() as usize)?;
                    rank.extend_from_slice(words);
                    rest = after;
                }
            }
            let mut start = 0;
            for rank in &ranks {
                rows.push((slab, start));
                start += rank.len() as u32;
            }
            slabs.push(ranks.concat());
        }
        (rest.is_empty() && !words.contains(&0)).then_some(Self { directory, rows, slabs })
    }

    /// Joins the packed rows of a pass. `places` is the number of squares of the second piece.
    pub(crate) fn join(places: usize, packed: Vec<Packed>) -> Self {
        let (mut directory, mut rows) = (vec![0; 64 * places], vec![(0, 0); 64 * 8]);
        for (packed, slab) in packed.iter().zip(0..) {
            for (&(first, rank, start), filled) in
                packed.rows.iter().zip(packed.filled.chunks(places))
            {
                rows[8 * first + rank] = (slab, start);
                for (entry, filled) in directory[first * places..].iter_mut().zip(filled) {
                    *entry |= u64::from(*filled) << (8 * rank);
                }
            }
        }
        Self { directory, rows, slabs: packed.into_iter().map(|packed| packed.words).collect() }
    }

    /// The words from the first one of a row to the end of its slab.
    fn row(&self, row: usize) -> &[u64] {
        let (slab, start) = self.rows[row];
        &self.slabs[slab as usize][start as usize..]
    }

    /// All 64 words of a block, as one [`Lanes`] for each rank of the attacker's king.
    pub(crate) fn block(&self, block: usize) -> [Lanes; 8] {
        let word = |number| self.word(64 * block + number);
        array::from_fn(|rank| Lanes(array::from_fn(|file| word(8 * rank + file))))
    }

    /// For each block, a mask of the words that are not empty: bit `k` of entry `b` stands for word
    /// `64 * b + k`.
    #[must_use]
    pub fn directory(&self) -> &[u64] {
        &self.directory
    }

    /// The non-empty words in the order of the directory.
    pub fn stored_words(&self) -> impl Iterator<Item = u64> + '_ {
        self.numbered_words().map(|(_, word)| word)
    }

    /// One word of the full bitmap: the squares of the defender's king for one placement of the
    /// other men.
    ///
    /// # Panics
    ///
    /// If `word` is not below 64 times the length of the directory.
    #[must_use]
    pub fn word(&self, word: usize) -> u64 {
        let (block, lane) = (word / 64, word % 64);
        if self.directory[block] >> lane & 1 == 0 {
            return 0;
        }
        let places = self.directory.len() / 64;
        let first = block / places;
        // The stored words that come before this one in its row.
        let rank = 0xff << (lane / 8 * 8);
        let entries = self.directory[first * places..block].iter().copied();
        let before = entries.chain([self.directory[block] & !(!0 << lane)]);
        let count: u32 = before.map(|entry| (entry & rank).count_ones()).sum();
        self.row(8 * first + lane / 8)[count as usize]
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
        self.slabs.iter().all(Vec::is_empty)
    }

    /// The non-empty words and their numbers, in ascending order.
    pub(crate) fn numbered_words(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let places = self.directory.len() / 64;
        self.directory.chunks(places.max(1)).zip(0..).flat_map(move |(entries, first)| {
            let mut rows: [_; 8] = array::from_fn(|rank| self.row(8 * first + rank).iter());
            let blocks = entries.iter().zip(first * places..);
            let numbers =
                blocks.flat_map(|(&entry, block)| bits(entry).map(move |lane| 64 * block + lane));
            numbers.map(move |number| {
                let word = rows[number / 8 % 8].next().expect("a word for each bit");
                (number, *word)
            })
        })
    }

    /// The indices of the positions in the set, in ascending order.
    pub fn positions(&self) -> impl Iterator<Item = usize> + '_ {
        self.numbered_words()
            .flat_map(|(number, word)| bits(word).map(move |king| number * 64 + king))
    }

    /// The memory that the set uses, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let words: usize = self.slabs.iter().map(Vec::len).sum();
        8 * (self.directory.len() + self.rows.len() + words)
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

/// The non-empty words of the rows of a slab.
pub(crate) struct Packed {
    /// For each row, the square of the first piece, the rank of the attacker's king, and the index
    /// at which the row's words start.
    rows: Vec<(usize, usize, u32)>,
    /// For each row and square of the second piece, the files of the attacker's king whose words
    /// are stored.
    filled: Vec<u8>,
    words: Vec<u64>,
    /// The number of words that are in use.
    count: usize,
}

impl Packed {
    /// Room for at most 64 rows.
    pub(crate) fn new(places: usize) -> Self {
        let words = vec![0; 64 * places * 8 + 8];
        Self { rows: Vec::new(), filled: Vec::new(), words, count: 0 }
    }

    /// Adds a row. For squares of the second piece that are not in `mask`, the lanes must be empty.
    #[inline(always)]
    pub(crate) fn row(&mut self, first: usize, rank: usize, mask: u64, lanes: &[Lanes]) {
        self.rows.push((first, rank, self.count as u32));
        let row = self.filled.len();
        self.filled.resize(row + lanes.len(), 0);
        for second in bits(mask) {
            // Branch-free: an empty word is overwritten by the next one.
            let found: &mut [u64; 8] =
                (&mut self.words[self.count..][..8]).try_into().expect("eight");
            let (mut filled, mut count) = (0, 0);
            for (file, word) in lanes[second].0.into_iter().enumerate() {
                found[count & 7] = word;
                filled |= u8::from(word != 0) << file;
                count += usize::from(word != 0);
            }
            self.filled[row + second] = filled;
            self.count += count;
        }
    }

    /// Takes the rows, and makes room for those of another slab.
    pub(crate) fn take(&mut self) -> Self {
        Self {
            rows: mem::take(&mut self.rows),
            filled: mem::take(&mut self.filled),
            words: self.words[..mem::take(&mut self.count)].to_vec(),
            count: 0,
        }
    }
}
