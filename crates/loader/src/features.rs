//! Threats and their numbers as inputs of a network.

use setwise::threats::{MOST, Rules, Threat};
use setwise::{Kernel, Piece, Side};

use crate::batch::{BLOCK, Lists};
use crate::inputs::{Inputs, Position, Slots};

/// What the codes of [`Batch::boards`](crate::Batch::boards) mean: twice the kind of piece (pawn 0, knight 1, bishop 2,
/// rook 3, queen 4, king 5), plus 1 if it is black. 12 is an empty square.
#[must_use]
pub const fn codes() -> [Option<(Side, Piece)>; 16] {
    let (mut codes, mut kind) = ([None; 16], 0);
    while kind < 6 {
        codes[2 * kind] = Some((Side::White, Piece::ALL[kind]));
        codes[2 * kind + 1] = Some((Side::Black, Piece::ALL[kind]));
        kind += 1;
    }
    codes
}

/// Rules with these [`codes`] by which every pair of pieces counts.
pub static EVERY_PAIR: Rules = Rules::new(codes(), [!0; 16]);

/// The names of [`named_rules`].
pub const NAMES: [&str; 4] = ["every", "79856", "60144", "59808"];

/// Rules with these [`codes`] by the name of a set of pairs: `every` pair, or those of a published
/// set of features, by the number of its inputs.
#[must_use]
pub fn named_rules(name: &str) -> Option<Rules> {
    // By the attacker's kind: the victims of either side, one bit per kind.
    let victims: [u8; 6] = match name {
        "every" => [0b11_1111; 6],
        "79856" => [0b00_1011, 0b11_1111, 0b10_1111, 0b10_1111, 0b11_1111, 0b00_1111],
        "60144" => [0b00_1011, 0b01_1111, 0b00_1111, 0b00_1111, 0b01_1111, 0],
        "59808" => [0b00_1010, 0b01_1111, 0b00_1111, 0b00_1111, 0b01_1111, 0],
        _ => return None,
    };
    let counts = |attacker: usize, victim: usize| victims[attacker / 2] >> (victim / 2) & 1 == 1;
    Some(rules(counts))
}

/// Rules with these [`codes`], from the pairs that count.
#[must_use]
pub fn rules(counts: impl Fn(usize, usize) -> bool) -> Rules {
    let mut pairs = [0; 16];
    for (attacker, pairs) in pairs[..12].iter_mut().enumerate() {
        for victim in (0..12).filter(|&victim| counts(attacker, victim)) {
            *pairs |= 1 << victim;
        }
    }
    Rules::new(codes(), pairs)
}

/// What to compute for each position besides the board.
#[derive(Debug, Clone)]
pub enum Features {
    /// Nothing.
    Boards,
    /// Its threats, by rules with these [`codes`].
    Threats(Rules),
    /// The indices of its active inputs, as both sides see it.
    Indices(Inputs),
}

/// Numbers threats as inputs of a network.
///
/// Each side sees the board with its own first rank as rank 1, and its own pieces as 0 to 5 (pawn,
/// knight, bishop, rook, queen, king), the other side's as 6 to 11. The index of a threat is
/// `base[attacker][victim][from < to] + place[attacker][from][to]`. [`EXCLUDED`](Table::EXCLUDED)
/// in either table excludes it.
#[derive(Debug, Clone)]
pub struct Table {
    /// By attacker, victim and whether `from < to`, with [`codes`], as White sees it.
    base: Vec<u32>,
    /// By attacker, `from` and `to`.
    place: Vec<u32>,
    /// The same in less memory, if it fits: the least number of each attacker and `from`, and what
    /// to add to it for each `to`. 255 excludes a threat.
    least: Vec<u32>,
    more: Vec<u8>,
    mirror: u8,
    rules: Rules,
    count: u32,
}

/// The strides of `Table::base` and `Table::place`: powers of two.
const CODES: usize = 16;

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
        let code = |piece: usize| 2 * (piece % 6) + piece / 6;
        let mut table = Table {
            base: vec![Table::EXCLUDED; CODES * CODES * 2],
            place: vec![Table::EXCLUDED; CODES * 64 * 64],
            least: Vec::new(),
            more: Vec::new(),
            mirror,
            rules: EVERY_PAIR.clone(),
            count: 0,
        };
        let mut pairs = [0; 16];
        for (at, from) in base.chunks_exact(2).enumerate() {
            let [attacker, victim] = [at / 12, at % 12].map(code);
            table.base[(attacker * CODES + victim) * 2..][..2].copy_from_slice(from);
            if from != [Table::EXCLUDED; 2] {
                // As White sees it, and as Black does.
                pairs[attacker] |= 1 << victim;
                pairs[attacker ^ 1] |= 1 << (victim ^ 1);
            }
        }
        for (piece, from) in place.chunks_exact(64 * 64).enumerate() {
            table.place[code(piece) * 64 * 64..][..64 * 64].copy_from_slice(from);
        }
        table.rules = Rules::new(codes(), pairs);
        table.compress();
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

    /// Fills in `least` and `more` if all numbers fit.
    fn compress(&mut self) {
        let (mut least, mut more) = (Vec::new(), Vec::new());
        for numbers in self.place.chunks_exact(64) {
            // Excluded numbers are the greatest.
            let first = numbers.iter().min().copied().unwrap_or_default();
            least.push(first);
            for number in numbers {
                more.push(match number - first {
                    _ if *number == Table::EXCLUDED => 255,
                    more @ ..255 => more as u8,
                    _ => return,
                });
            }
        }
        (self.least, self.more) = (least, more);
    }

    /// Rules that keep out most threats that are excluded.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The number of inputs: one more than the highest index.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Appends the indices as White sees the position, and as Black does, from `start` on.
    pub(crate) fn append_both(
        &self,
        start: u32,
        threats: &[Threat],
        position: &Position<'_>,
        to: &mut [Slots; 2],
    ) {
        if self.more.is_empty() {
            let place = &self.place[..CODES * 64 * 64];
            self.append_by(start, threats, position, to, |attacker_from, to| {
                let place = place[attacker_from * 64 + to];
                (place, place != Table::EXCLUDED)
            });
        } else {
            let (least, more) = (&self.least[..CODES * 64], &self.more[..CODES * 64 * 64]);
            self.append_by(start, threats, position, to, |attacker_from, to| {
                let more = more[attacker_from * 64 + to];
                (least[attacker_from].wrapping_add(u32::from(more)), more != 255)
            });
        }
    }

    /// The same, with a function from attacker and `from` in one number, and `to`, to a place.
    #[allow(clippy::needless_bitwise_bool, reason = "branches would often be mispredicted")]
    #[inline(always)]
    fn append_by(
        &self,
        start: u32,
        threats: &[Threat],
        position: &Position<'_>,
        to: &mut [Slots; 2],
        place: impl Fn(usize, usize) -> (u32, bool),
    ) {
        let base = &self.base[..CODES * CODES * 2];
        let flips = [0, 1].map(|side| {
            let squares = position.flip(side, self.mirror);
            u32::from_le_bytes([side, squares, side, squares])
        });
        // Counts in registers: in memory, each would wait for the one before.
        let mut counts = [0; 2];
        let [white, black] = to;
        let rooms = [white.room(threats.len()), black.room(threats.len())];
        for threat in threats {
            let Threat { attacker, from, victim, to: square } = *threat;
            let bits = u32::from_le_bytes([attacker, from, victim, square]);
            for side in 0..2 {
                let bits = bits ^ flips[side];
                let [attacker, from, victim, to] = [(0, 15), (8, 63), (16, 15), (24, 63)]
                    .map(|(bit, mask)| (bits >> bit & mask) as usize);
                let base = base[(attacker * CODES + victim) * 2 + usize::from(from < to)];
                let (place, has_place) = place(attacker * 64 + from, to);
                rooms[side][counts[side]] = start.wrapping_add(base).wrapping_add(place);
                counts[side] += usize::from((base != Table::EXCLUDED) & has_place);
            }
        }
        white.add(counts[0]);
        black.add(counts[1]);
    }

    /// Appends the indices of a position's threats as a side sees them: 0 White, 1 Black.
    #[allow(clippy::needless_bitwise_bool, reason = "branches would often be mispredicted")]
    #[inline]
    pub fn append(&self, threats: &[Threat], side: u8, king: u8, to: &mut Vec<u32>) {
        let mirrored = self.mirror >> (king & 7) & 1;
        let squares = 56 * side ^ 7 * mirrored;
        let flip = u32::from_le_bytes([side, squares, side, squares]);
        let (base, place) = (&self.base[..CODES * CODES * 2], &self.place[..CODES * 64 * 64]);
        let (start, mut count) = (to.len(), 0);
        to.resize(start + threats.len(), 0);
        let places = &mut to[start..];
        for threat in threats {
            let Threat { attacker, from, victim, to } = *threat;
            let bits = u32::from_le_bytes([attacker, from, victim, to]) ^ flip;
            let [attacker, from, victim, to] = [(0, 15), (8, 63), (16, 15), (24, 63)]
                .map(|(bit, mask)| (bits >> bit & mask) as usize);
            let base = base[(attacker * CODES + victim) * 2 + usize::from(from < to)];
            let place = place[(attacker * 64 + from) * 64 + to];
            places[count] = base.wrapping_add(place);
            count += usize::from((base != Table::EXCLUDED) & (place != Table::EXCLUDED));
        }
        to.truncate(start + count);
    }
}

/// All threats of each board. Any bytes are a board: only the low four bits of a code count.
///
/// # Panics
///
/// If there are more than 2^32 threats, or the environment names a kernel that cannot run here.
#[must_use]
pub fn threats(boards: &[[u8; 64]], rules: &Rules) -> Lists<Threat> {
    threats_by(Kernel::active(), boards, rules)
}

/// The same by a kernel of your choice.
///
/// # Panics
///
/// If there are more than 2^32 threats.
#[must_use]
pub fn threats_by(kernel: &Kernel, boards: &[[u8; 64]], rules: &Rules) -> Lists<Threat> {
    let (mut offsets, mut found) = (vec![0; BLOCK + 1], vec![Threat::default(); BLOCK * MOST]);
    let mut lists = Lists::default();
    lists.start(boards.len());
    for block in boards.chunks(BLOCK) {
        let offsets = &mut offsets[..=block.len()];
        let done = kernel.threats(block, rules, offsets, &mut found);
        debug_assert_eq!(done, block.len());
        lists.append(offsets, &found);
    }
    lists
}
