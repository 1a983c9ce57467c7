//! A set of positions that stores only its non-empty words.

use std::mem;

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
    /// For each block and rank of the attacker's king, the index in its slab at which its words
    /// start, if it has any.
    starts: Vec<[u16; 8]>,
    /// One slab for each square of the first piece, or one for each rank of the attacker's king.
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
        Self { directory: vec![0; blocks], starts: Vec::new(), slabs: Vec::new() }
    }

    /// Creates a bitmap from a directory and the non-empty words in the directory's order. `None`
    /// if the number of words does not match the directory, or if a word is empty.
    pub(crate) fn from_parts(directory: Vec<u64>, words: &[u64]) -> Option<Self> {
        let mut rest = words;
        let (mut starts, mut slabs) = (Vec::new(), Vec::new());
        for entries in directory.chunks((directory.len() / 64).max(1)) {
            let mut count = 0;
            for entry in entries {
                starts.push(entry.to_le_bytes().map(|filled| {
                    count += filled.count_ones() as usize;
                    (count - filled.count_ones() as usize) as u16
                }));
            }
            let (slab, after) = rest.split_at_checked(count)?;
            slabs.push(slab.to_vec());
            rest = after;
        }
        (rest.is_empty() && !words.contains(&0)).then_some(Self { directory, starts, slabs })
    }

    /// Joins the packed rows of a pass. `places` is the number of squares of the second piece.
    pub(crate) fn join(places: usize, packed: Vec<Packed>) -> Self {
        let (mut directory, mut starts) = (vec![0; 64 * places], vec![[0; 8]; 64 * places]);
        for packed in &packed {
            for (&(first, rank), row) in packed.rows.iter().zip(packed.places.chunks(places)) {
                for (&(filled, start), block) in row.iter().zip(first * places..) {
                    if filled != 0 {
                        directory[block] |= u64::from(filled) << (8 * rank);
                        starts[block][rank] = start;
                    }
                }
            }
        }
        Self { directory, starts, slabs: packed.into_iter().map(|packed| packed.words).collect() }
    }

    /// All 64 words of a block, as one [`Lanes`] for each rank of the attacker's king.
    pub(crate) fn block(&self, block: usize) -> [Lanes; 8] {
        let mut out = [Lanes::ZERO; 8];
        for lane in bits(self.directory[block]) {
            out[lane / 8].0[lane % 8] = self.word(64 * block + lane);
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
        let (block, rank, file) = (word / 64, word / 8 % 8, word % 8);
        let filled = self.directory[block].to_le_bytes()[rank];
        if filled >> file & 1 == 0 {
            return 0;
        }
        let first = block / (self.directory.len() / 64);
        let slab = &self.slabs[if self.slabs.len() == 8 { rank } else { first }];
        let before = (filled & !(!0 << file)).count_ones();
        slab[usize::from(self.starts[block][rank]) + before as usize]
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
        let blocks = self.directory.iter().zip(0..);
        blocks
            .flat_map(|(&entry, block)| bits(entry).map(move |lane| 64 * block + lane))
            .map(|number| (number, self.word(number)))
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
        8 * (self.directory.len() + words) + 16 * self.starts.len()
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
    /// For each row, the square of the first piece and the rank of the attacker's king.
    rows: Vec<(usize, usize)>,
    /// For each row and square of the second piece, the files of the attacker's king whose words
    /// are stored, and the index at which they start.
    places: Vec<(u8, u16)>,
    words: Vec<u64>,
    /// The number of words that are in use.
    count: usize,
}

impl Packed {
    /// Room for at most 64 rows.
    pub(crate) fn new(places: usize) -> Self {
        let words = vec![0; 64 * places * 8 + 8];
        Self { rows: Vec::new(), places: Vec::new(), words, count: 0 }
    }

    /// Adds a row. For squares of the second piece that are not in `mask`, the lanes must be empty.
    #[inline(always)]
    pub(crate) fn row(&mut self, first: usize, rank: usize, mask: u64, lanes: &[Lanes]) {
        self.rows.push((first, rank));
        let row = self.places.len();
        self.places.resize(row + lanes.len(), (0, 0));
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
            self.places[row + second] = (filled, self.count as u16);
            self.count += count;
        }
    }

    /// Takes the rows, and makes room for those of another slab.
    pub(crate) fn take(&mut self) -> Self {
        Self {
            rows: mem::take(&mut self.rows),
            places: mem::take(&mut self.places),
            words: self.words[..mem::take(&mut self.count)].to_vec(),
            count: 0,
        }
    }
}
