//! Threats and their numbers as inputs of a network.

use std::fmt;

use setwise::threats::{CODES, Rules, Threat};
use setwise::{Piece, Side, board};

use crate::rules::{EVERY_PAIR, PUBLISHED, named_rules};
use crate::summary::{E_TO_H, Summary};

/// Numbers threats as inputs of a network.
///
/// Each side sees the board with its own first rank as rank 1, and its own pieces as 0 to 5 (pawn,
/// knight, bishop, rook, queen, king), the other side's as 6 to 11. The index of a threat is
/// `base[attacker][victim][from < to] + place[attacker][from][to]`. [`EXCLUDED`](Table::EXCLUDED)
/// in either table excludes it.
#[derive(Clone)]
pub struct Table {
    /// By the [`slot`]s of attacker and victim, whether `from` and `to` are on different ranks, and
    /// whether `from < to`, as White sees it. The second table has the last two exchanged
    /// for different ranks: it is for views that reverse the order of ranks or of files, not both.
    bases: [Vec<u32>; 2],
    /// By the attacker's slot, `from` and `to`.
    place: Places,
    mirror: u8,
    rules: Rules,
    count: u32,
}

impl fmt::Debug for Table {
    /// Without the numbers, of which there are thousands.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("count", &self.count).finish_non_exhaustive()
    }
}

/// Numbers of places, -1 if they are excluded.
///
/// Counting the squares of a reach below `to` instead, with tables of 16 KB, was rejected: 0.96 to
/// 1.02 times the time of the whole loader (Zen 3).
#[derive(Clone)]
enum Places {
    /// In less of the cache, if all fit.
    Small(Vec<i16>),
    Large(Vec<i32>),
}

/// The number of slots.
const SLOTS: usize = 16;

/// The lengths of these tables.
const BASES: usize = SLOTS * SLOTS * 4;
const PLACES: usize = SLOTS * 64 * 64;

/// Where a code is in these tables: White's pieces in 1 to 6, Black's in 9 to 14. So an exclusive
/// or with [`OTHER_SIDE`] exchanges the sides.
#[inline(always)]
const fn slot(code: u32) -> u32 {
    code + (code + 9 >> 3 & 2)
}

/// The bit of a slot that is the side.
const OTHER_SIDE: u32 = 8;

/// Where a threat is in both tables, as White sees it: in the low half among places, in the high
/// half among bases.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Key(u32);

impl Key {
    #[inline(always)]
    fn new(threat: Threat) -> Key {
        let Threat { attacker, from, victim, to } = threat;
        let bits = u32::from_le_bytes([attacker, from, victim, to]);
        let (attacker, victim) = (slot(bits & 15) & 15, slot(bits >> 16 & 15) & 15);
        let (from, to) = (bits >> 8 & 63, bits >> 24 & 63);
        let is_upwards = u32::from(from < to);
        let changes_rank = u32::from(from ^ to >= 8);
        let base = attacker << 6 | victim << 2 | changes_rank << 1 | is_upwards;
        Key(base << 16 | attacker << 12 | from << 6 | to)
    }
}

/// The keys of threats, which all tables and views share.
#[inline(always)]
pub(crate) fn keys(threats: &[Threat], keys: &mut [Key]) {
    for (key, threat) in keys.iter_mut().zip(threats) {
        *key = Key::new(*threat);
    }
}

/// How a side sees threats.
struct View {
    /// The exclusive or of keys.
    key: u32,
    /// Which of `Table::bases` it takes.
    bases: usize,
}

impl View {
    #[inline(always)]
    fn new(side: u8, is_mirrored: u8) -> View {
        let (side, mirrored) = (u32::from(side & 1), u32::from(is_mirrored & 1));
        let (squares, slots) = (56 * side ^ 7 * mirrored, OTHER_SIDE * side);
        // On one rank, the order of squares is that of files.
        let base = slots << 6 | slots << 2 | mirrored;
        View {
            key: base << 16 | slots << 12 | squares << 6 | squares,
            bases: (side ^ mirrored) as usize,
        }
    }
}

impl Table {
    /// In a table: this threat is not an input.
    pub const EXCLUDED: u32 = u32::MAX;

    /// Makes a numbering from `base`, of 12 x 12 x 2 numbers, and `place`, of 12 x 64 x 64. A side
    /// whose king is on a file of `mirror` (bit 0: the a-file) sees the files mirrored.
    ///
    /// # Errors
    ///
    /// If a table has another length, or an index would be 2^31 or more.
    pub fn new(base: &[u32], place: &[u32], mirror: u8) -> Result<Table, String> {
        for (name, table, length) in [("base", base, 12 * 12 * 2), ("place", place, 12 * 64 * 64)] {
            if table.len() != length {
                return Err(format!("{name} must have {length} numbers, found {}", table.len()));
            }
        }
        let mut table = Table {
            bases: [const { Vec::new() }; 2].map(|_: Vec<u32>| vec![Table::EXCLUDED; BASES]),
            place: Places::new(place),
            mirror,
            rules: EVERY_PAIR.clone(),
            count: 0,
        };
        let mut pairs = [0; 16];
        for (at, from) in base.chunks_exact(2).enumerate() {
            let pieces = [at / 12, at % 12];
            let [attacker, victim] = pieces.map(|piece| slot(code(piece)) as usize);
            for (table, exchanged) in table.bases.iter_mut().zip([0, 1]) {
                let (one_rank, ranks) =
                    table[(attacker * SLOTS + victim) * 4..][..4].split_at_mut(2);
                one_rank.copy_from_slice(from);
                ranks.copy_from_slice(&[from[exchanged], from[exchanged ^ 1]]);
            }
            if from != [Table::EXCLUDED; 2] {
                // As White sees it, and as Black does.
                for [attacker, victim] in [pieces, pieces.map(|piece| (piece + 6) % 12)] {
                    pairs[code(attacker) as usize] |= 1 << code(victim);
                }
            }
        }
        table.rules = Rules::new(CODES, pairs);
        let most = |numbers: &[u32]| {
            numbers.iter().filter(|number| **number != Table::EXCLUDED).max().copied()
        };
        for attacker in 0..12 {
            let base = most(&base[attacker * 12 * 2..][..12 * 2]);
            let place = most(&place[attacker * 64 * 64..][..64 * 64]);
            if let (Some(base), Some(place)) = (base, place) {
                let last = u64::from(base) + u64::from(place);
                if last >= 1 << 31 {
                    return Err(format!("indices must be below 2^31, found {last}"));
                }
                table.count = table.count.max(last as u32 + 1);
            }
        }
        Ok(table)
    }

    /// Rules that keep out most threats that are excluded.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The files of the own king with which files are mirrored.
    pub(crate) fn mirror(&self) -> u8 {
        self.mirror
    }

    /// The number of inputs: one more than the highest index.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The room that this many threats need.
    #[inline(always)]
    pub(crate) fn room(threats: usize) -> usize {
        threats + 1
    }

    /// Writes the indices of White's and of Black's view, from `start` on. Returns their numbers.
    #[inline(always)]
    pub(crate) fn append_both(
        &self,
        start: u32,
        keys: &[Key],
        summary: &Summary,
        rooms: [&mut [u32]; 2],
    ) -> [usize; 2] {
        let mirrored = summary.kings.map(|king| self.mirror >> (king & 7));
        let views = [View::new(0, mirrored[0]), View::new(1, mirrored[1])];
        self.write(start, keys.iter().copied(), &views, rooms)
    }

    /// Appends the indices of a position's threats as a side sees them: 0 White, 1 Black.
    #[inline]
    pub fn append(&self, threats: &[Threat], side: u8, king: u8, to: &mut Vec<u32>) {
        let view = View::new(side, self.mirror >> (king & 7));
        let keys = threats.iter().map(|threat| Key::new(*threat));
        let start = to.len();
        to.resize(start + Table::room(threats.len()), 0);
        let [count] = self.write(0, keys, &[view], [&mut to[start..]]);
        to.truncate(start + count);
    }

    /// Writes the indices of views.
    #[inline(always)]
    fn write<const VIEWS: usize>(
        &self,
        start: u32,
        keys: impl ExactSizeIterator<Item = Key>,
        views: &[View; VIEWS],
        rooms: [&mut [u32]; VIEWS],
    ) -> [usize; VIEWS] {
        match &self.place {
            Places::Small(places) => self.write_by(places, start, keys, views, rooms),
            Places::Large(places) => self.write_by(places, start, keys, views, rooms),
        }
    }

    /// Rejected (Zen 3): a kernel's call, with which the whole loader takes 1.04 to 1.09 times the
    /// time, because other work hides much of this loop; gathers of eight numbers by AVX2, with
    /// which this loop takes 0.97 to 1.23 times the time.
    #[inline(always)]
    fn write_by<const VIEWS: usize, Place: Copy + Into<i32>>(
        &self,
        places: &[Place],
        start: u32,
        keys: impl ExactSizeIterator<Item = Key>,
        views: &[View; VIEWS],
        rooms: [&mut [u32]; VIEWS],
    ) -> [usize; VIEWS] {
        let places = &places[..PLACES];
        let bases = views.each_ref().map(|view| &self.bases[view.bases][..BASES]);
        let rooms = rooms.map(|room| &mut room[..Table::room(keys.len())]);
        let mut counts = [0; VIEWS];
        for Key(key) in keys {
            for view in 0..VIEWS {
                let key = key ^ views[view].key;
                let base = bases[view][(key >> 16) as usize % BASES];
                let place: i32 = places[key as usize % PLACES].into();
                let place = place.cast_unsigned();
                rooms[view][counts[view]] = start.wrapping_add(base).wrapping_add(place);
                // Only excluded numbers have the highest bit.
                counts[view] += (!(base | place) >> 31) as usize;
            }
        }
        counts
    }
}

impl Places {
    /// From the numbers by piece, own ones first.
    fn new(numbers: &[u32]) -> Places {
        let mut by_slot = vec![-1; PLACES];
        for (piece, numbers) in numbers.chunks_exact(64 * 64).enumerate() {
            let slot = slot(code(piece)) as usize;
            for (to, number) in by_slot[slot * 64 * 64..].iter_mut().zip(numbers) {
                *to = number.cast_signed();
            }
        }
        let small = by_slot.iter().map(|number| i16::try_from(*number).ok());
        match small.collect() {
            Some(small) => Places::Small(small),
            None => Places::Large(by_slot),
        }
    }
}

/// The code, as White sees it, of an own piece (0 to 5) or one of the other side (6 to 11).
fn code(piece: usize) -> u32 {
    1 + piece as u32
}

impl Table {
    /// The table of a published set of threats, by the number of its inputs.
    pub(crate) fn published(name: &str) -> Option<Table> {
        let (name, _) = PUBLISHED.iter().find(|set| set.0 == name)?;
        let rules = named_rules(name)?;
        let mut base = vec![Table::EXCLUDED; 12 * 12 * 2];
        let mut place = vec![Table::EXCLUDED; 12 * 64 * 64];
        let mut inputs = 0;
        for attacker in 0..12 {
            let mut places = 0;
            for from in 0..64 {
                let (side, piece) = CODES[code(attacker) as usize]?;
                let reach = reach(side, piece, from);
                for to in (0..64).filter(|to| reach >> to & 1 == 1) {
                    place[(attacker * 64 + from) * 64 + to] = places;
                    places += 1;
                }
            }
            for victim in 0..12 {
                if rules.counts(code(attacker) as u8, code(victim) as u8) {
                    let base = &mut base[2 * (12 * attacker + victim)..][..2];
                    // The threat with `from > to`, and, unless its victim attacks back, the other.
                    base[0] = inputs;
                    if !is_mutual(attacker, victim) {
                        base[1] = inputs;
                    }
                    inputs += places;
                }
            }
        }
        Some(Table::new(&base, &place, E_TO_H).expect("the lengths are right"))
    }
}

/// What a piece attacks on an empty board. Pawns do not stand on the first and the last rank.
fn reach(side: Side, piece: Piece, from: usize) -> u64 {
    let set = 1 << from;
    match piece {
        Piece::Pawn if matches!(from / 8, 0 | 7) => 0,
        Piece::Pawn => board::pawn_attacks(side, set),
        Piece::Knight => board::knight_attacks(set),
        Piece::Bishop => board::bishop_attacks(set, 0),
        Piece::Rook => board::rook_attacks(set, 0),
        Piece::Queen => board::queen_attacks(set, 0),
        Piece::King => board::king_attacks(set),
    }
}

/// Whether each of these pieces attacks the other one if it attacks it.
fn is_mutual(attacker: usize, victim: usize) -> bool {
    attacker % 6 == victim % 6 && (!attacker.is_multiple_of(6) || attacker != victim)
}
