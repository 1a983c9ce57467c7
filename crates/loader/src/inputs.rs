//! Sets of inputs, and which of them a position activates.

use setwise::threats::{Rules, Threat};
use setwise::{Piece, Side, board};

use crate::features::{Table, codes};

/// The inputs of a network, as each side sees a position: a sum of parts whose indices follow one
/// another.
///
/// A view shows the own first rank as rank 1, own pieces and the other side's, and, if the own king
/// is on certain files, mirrored files.
///
/// ```
/// use setwise_loader::{Inputs, Part, Pieces};
/// let inputs = Inputs::named("Full_Threats+PP_3Wide+HalfKAv2_hm")?;
/// assert_eq!((inputs.count(), inputs.width()), (88_944, 288));
/// // One's own: pieces by square, in two buckets, for the king at home or not.
/// let buckets = std::array::from_fn(|king| u8::from(king >= 8));
/// let planes = std::array::from_fn(|piece| Some(piece as u8));
/// let inputs = Inputs::new(vec![Part::Pieces(Pieces::new(planes, buckets, 0))])?;
/// assert_eq!(inputs.count(), 2 * 768);
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone)]
pub struct Inputs {
    /// The parts, and the first index of each.
    parts: Vec<(u32, Part)>,
    count: u32,
    rules: Option<Rules>,
}

/// A part of a set of inputs.
#[derive(Debug, Clone)]
pub enum Part {
    /// Threats, numbered by a table.
    Threats(Box<Table>),
    /// Pairs of pawns of either side on the same file or neighbouring ones, with the files mirrored
    /// if the own king is on e to h. A pawn's number is its square from a2 on, plus 48 if it is the
    /// other side's; a pair's is `high * (high - 1) / 2 + low`.
    PawnPairs,
    /// Pieces by square and bucket of the own king.
    Pieces(Pieces),
}

/// Numbers pieces: `64 * (planes * bucket + plane) + square`.
#[derive(Debug, Clone)]
pub struct Pieces {
    /// By code: own pieces are White's.
    planes: [Option<u8>; 16],
    /// The number of planes.
    all: u32,
    buckets: [u8; 64],
    mirror: u8,
}

impl Pieces {
    /// Makes a numbering. `planes` has a number for each own piece (pawn, knight, bishop, rook,
    /// queen, king) and each of the other side, or `None` if it is not an input. `buckets` has a
    /// number for each square of the own king as its side sees it, and a side whose king is on a
    /// file of `mirror` (bit 0: the a-file) sees the files mirrored.
    #[must_use]
    pub fn new(planes: [Option<u8>; 12], buckets: [u8; 64], mirror: u8) -> Pieces {
        let mut by_code = [None; 16];
        for (piece, plane) in planes.into_iter().enumerate() {
            by_code[2 * (piece % 6) + piece / 6] = plane;
        }
        let all = planes.iter().flatten().max().map_or(0, |most| u32::from(*most) + 1);
        Pieces { planes: by_code, all, buckets, mirror }
    }

    fn count(&self) -> u32 {
        let buckets = self.buckets.iter().max().map_or(0, |most| u32::from(*most) + 1);
        64 * self.all * buckets
    }

    /// `HalfKAv2_hm`: the king stands on e to h, in one of 32 buckets.
    fn half_ka() -> Pieces {
        let planes = std::array::from_fn(|piece| Some((2 * (piece % 6) + piece / 6) as u8));
        let buckets = std::array::from_fn(|square| match (square / 8, square % 8) {
            (rank, file @ 4..) => (28 - 4 * rank + 7 - file) as u8,
            _ => 0,
        });
        Pieces::new(planes, buckets, A_TO_D)
    }

    fn append(&self, start: u32, position: &Position<'_>, to: &mut [Slots; 2]) {
        for (slots, side) in to.iter_mut().zip([0, 1]) {
            let flip = position.flip(side, self.mirror);
            let king = position.kings[usize::from(side)] ^ flip;
            let first = start + 64 * self.all * u32::from(self.buckets[usize::from(king & 63)]);
            let planes: [u32; 16] =
                std::array::from_fn(|code| match self.planes[code ^ usize::from(side)] {
                    Some(plane) => first + 64 * u32::from(plane),
                    None => Table::EXCLUDED,
                });
            let (room, mut count) = (slots.room(position.pieces.len()), 0);
            for &square in position.pieces {
                let plane = planes[usize::from(position.board[usize::from(square & 63)] & 15)];
                room[count] = plane.wrapping_add(u32::from(square ^ flip));
                count += usize::from(plane != Table::EXCLUDED);
            }
            slots.add(count);
        }
    }
}

/// Files as bits, the a-file lowest.
const A_TO_D: u8 = 0b0000_1111;
const E_TO_H: u8 = 0b1111_0000;

/// The numbers of pawns.
const PAWNS: u32 = 96;

/// The most pairs of pawns of a board, whose pawns have 48 squares.
const PAIRS: usize = 48 * 47 / 2;

/// The parts that [`Inputs::named`] knows.
const NAMES: [&str; 7] =
    ["Full_Threats", "PP_3Wide", "HalfKAv2_hm", "768", "59808", "79856", "60144"];

impl Part {
    fn named(name: &str) -> Result<Part, String> {
        // What follows `^` concerns only the network.
        match name.split('^').next().unwrap_or_default() {
            "Full_Threats" => {
                Ok(Part::Threats(Box::new(Table::published("59808").expect("a name"))))
            }
            "PP_3Wide" => Ok(Part::PawnPairs),
            "HalfKAv2_hm" => Ok(Part::Pieces(Pieces::half_ka())),
            "768" => {
                let planes = std::array::from_fn(|piece| Some(piece as u8));
                Ok(Part::Pieces(Pieces::new(planes, [0; 64], 0)))
            }
            other => Table::published(other)
                .map(|table| Part::Threats(Box::new(table)))
                .ok_or_else(|| {
                    let names = NAMES.join(", ");
                    format!("{name:?} is not a set of inputs: use these, joined by +: {names}")
                }),
        }
    }

    /// The number of inputs.
    fn count(&self) -> u32 {
        match self {
            Part::Threats(table) => table.count(),
            Part::PawnPairs => PAWNS * (PAWNS - 1) / 2,
            Part::Pieces(pieces) => pieces.count(),
        }
    }

    /// More inputs than positions of games activate.
    fn width(&self) -> usize {
        match self {
            Part::Threats(_) | Part::PawnPairs => 128,
            Part::Pieces(_) => 32,
        }
    }
}

impl Inputs {
    /// Makes a set of parts.
    ///
    /// # Errors
    ///
    /// If there is no part, or there are more than 2^31 inputs.
    pub fn new(parts: Vec<Part>) -> Result<Inputs, String> {
        let (mut count, mut starts) = (0_u32, Vec::new());
        for part in &parts {
            starts.push(count);
            let sum = count.checked_add(part.count()).filter(|sum| *sum < 1 << 31);
            count = sum.ok_or("a set has at most 2^31 inputs")?;
        }
        let tables = parts.iter().filter_map(|part| match part {
            Part::Threats(table) => Some(table.rules()),
            _ => None,
        });
        let tables: Vec<&Rules> = tables.collect();
        let rules = match tables[..] {
            [] => None,
            [rules] => Some(rules.clone()),
            _ => Some(crate::rules(|attacker, victim| {
                let counts = |rules: &&Rules| rules.counts(attacker as u8, victim as u8);
                tables.iter().any(counts)
            })),
        };
        if parts.is_empty() {
            return Err("a set of inputs needs a part".to_owned());
        }
        Ok(Inputs { parts: starts.into_iter().zip(parts).collect(), count, rules })
    }

    /// A set by the name that trainers use: parts joined by `+`.
    ///
    /// * `Full_Threats`: threats of 59,808 inputs, with the files mirrored if the king is on e to
    ///   h. Also called `59808`. `79856` and `60144` are the other published sets. In all three, of
    ///   two pieces of a kind that attack each other the threat counts that goes from the square of
    ///   the higher number in the view.
    /// * `PP_3Wide`: [`Part::PawnPairs`].
    /// * `HalfKAv2_hm`: pieces by square and 32 buckets of the king, with the files mirrored if it
    ///   is on a to d.
    /// * `768`: pieces by square, own ones from pawn to king, then the other side's.
    ///
    /// # Errors
    ///
    /// If a part has another name.
    pub fn named(name: &str) -> Result<Inputs, String> {
        Inputs::new(name.split('+').map(Part::named).collect::<Result<_, _>>()?)
    }

    /// The number of inputs of one view.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The width of padded rows if none is given: more inputs than positions of games activate.
    #[must_use]
    pub fn width(&self) -> usize {
        self.parts.iter().map(|(_, part)| part.width()).sum()
    }

    /// The parts, and the index at which each starts.
    #[must_use]
    pub fn parts(&self) -> &[(u32, Part)] {
        &self.parts
    }

    /// Rules that keep out most threats that are no inputs. `None` if threats are not needed.
    pub(crate) fn rules(&self) -> Option<&Rules> {
        self.rules.as_ref()
    }

    /// Sets `to` to the active inputs of White's and Black's view.
    pub(crate) fn active(&self, position: &Position<'_>, threats: &[Threat], to: &mut [Slots; 2]) {
        for slots in &mut *to {
            slots.count = 0;
        }
        for (start, part) in &self.parts {
            match part {
                Part::Threats(table) => table.append_both(*start, threats, position, to),
                Part::PawnPairs => pawn_pairs(*start, position, to),
                Part::Pieces(pieces) => pieces.append(*start, position, to),
            }
        }
    }

    /// Whether a part needs the squares of the pieces.
    pub(crate) fn needs_pieces(&self) -> bool {
        self.parts.iter().any(|(_, part)| !matches!(part, Part::Threats(_)))
    }

    /// Memory for the active inputs of any position.
    pub(crate) fn slots(&self) -> [Slots; 2] {
        let most = self.parts.iter().map(|(_, part)| match part {
            Part::Threats(_) => setwise::threats::MOST,
            Part::PawnPairs => PAIRS,
            Part::Pieces(_) => 64,
        });
        let values = vec![0; most.sum::<usize>() + 1];
        [(); 2].map(|()| Slots { values: values.clone(), count: 0 })
    }
}

impl From<Table> for Inputs {
    /// The set of one table.
    fn from(table: Table) -> Inputs {
        let rules = Some(table.rules().clone());
        let count = table.count();
        Inputs { parts: vec![(0, Part::Threats(Box::new(table)))], count, rules }
    }
}

/// The active inputs of one view.
pub(crate) struct Slots {
    /// With one more place than is ever used.
    values: Vec<u32>,
    count: usize,
}

impl Slots {
    /// Room for this many more, and one that is written in vain.
    #[inline(always)]
    pub(crate) fn room(&mut self, count: usize) -> &mut [u32] {
        &mut self.values[self.count..][..=count]
    }

    /// Keeps this many of the room.
    pub(crate) fn add(&mut self, count: usize) {
        self.count += count;
    }

    pub(crate) fn get(&self) -> &[u32] {
        &self.values[..self.count]
    }
}

/// A board with what its views need.
pub(crate) struct Position<'a> {
    pub(crate) board: &'a [u8; 64],
    pub(crate) kings: [u8; 2],
    /// The squares of all pieces, unless no part needs them.
    pub(crate) pieces: &'a [u8],
}

/// Lists the squares of a set, and returns them.
#[inline(always)]
pub(crate) fn squares(set: u64, to: &mut [u8; 64]) -> &[u8] {
    let (mut left, mut count) = (set, 0);
    while left != 0 {
        to[count & 63] = left.trailing_zeros() as u8;
        left &= left - 1;
        count += 1;
    }
    &to[..count]
}

impl Position<'_> {
    /// The exclusive or of each square as a side sees it, if it mirrors these files of its king.
    #[inline(always)]
    pub(crate) fn flip(&self, side: u8, mirror: u8) -> u8 {
        let king = self.kings[usize::from(side & 1)];
        56 * side ^ 7 * (mirror >> (king & 7) & 1)
    }
}

fn pawn_pairs(start: u32, position: &Position<'_>, to: &mut [Slots; 2]) {
    let flips = [0, 1].map(|side| position.flip(side, E_TO_H));
    // The numbers of each pawn, and for each file a bit for each of its pawns. Guards on both sides
    // of the files save the edge cases.
    let (mut numbers, mut files, mut count) = ([[0_u32; 2]; 64], [0_u64; 10], 0);
    let [white, black] = to;
    let (rooms, mut pairs) = ([white.room(PAIRS), black.room(PAIRS)], 0);
    for &square in position.pieces {
        let code = position.board[usize::from(square & 63)];
        if code & 15 > 1 || matches!(square / 8, 0 | 7) {
            continue;
        }
        let file = usize::from(square & 7);
        let mut near = files[file] | files[file + 1] | files[file + 2];
        files[file + 1] |= 1 << count;
        let number: [u32; 2] = std::array::from_fn(|side| {
            let other = u32::from(code & 1 != side as u8);
            48 * other + u32::from(square ^ flips[side]) - 8
        });
        numbers[count] = number;
        count += 1;
        while near != 0 {
            let before = numbers[(near.trailing_zeros() & 63) as usize];
            near &= near - 1;
            for side in 0..2 {
                let (a, b) = (number[side], before[side]);
                let (high, low) = (a.max(b), a.min(b));
                rooms[side][pairs] = start + high * (high - 1) / 2 + low;
            }
            pairs += 1;
        }
    }
    white.add(pairs);
    black.add(pairs);
}

impl Table {
    /// The table of a published set of threats, by the number of its inputs.
    fn published(name: &str) -> Option<Table> {
        if !matches!(name, "79856" | "60144" | "59808") {
            return None;
        }
        let rules = crate::named_rules(name)?;
        let codes = codes();
        let code = |piece: usize| 2 * (piece % 6) + piece / 6;
        let mut base = vec![Table::EXCLUDED; 12 * 12 * 2];
        let mut place = vec![Table::EXCLUDED; 12 * 64 * 64];
        let mut inputs = 0;
        for attacker in 0..12 {
            let mut places = 0;
            for from in 0..64 {
                let (side, piece) = codes[code(attacker)]?;
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
