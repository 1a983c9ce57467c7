//! Sets of inputs, and which of them a position activates.

use setwise::threats::{MOST, Rules};

use crate::pawn_pairs;
use crate::pieces::Pieces;
use crate::rules::{self, PUBLISHED};
use crate::summary::{E_TO_H, PIECES, Summary};
use crate::table::{Key, Table};

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

/// A name and the part that it names.
type Named = (&'static str, fn() -> Part);

/// The sets that have names, beside the tables of [`PUBLISHED`].
const NAMED: [Named; 4] = [
    ("Full_Threats", || Part::Threats(Box::new(Table::published("59808").expect("a name")))),
    ("PP_3Wide", || Part::PawnPairs),
    ("HalfKAv2_hm", || Part::Pieces(Pieces::half_ka())),
    ("768", || {
        let planes = std::array::from_fn(|piece| Some(piece as u8));
        Part::Pieces(Pieces::new(planes, [0; 64], 0))
    }),
];

impl Part {
    fn named(name: &str) -> Result<Part, String> {
        // What follows `^` concerns only the network.
        let word = name.split('^').next().unwrap_or_default();
        if let Some((_, part)) = NAMED.iter().find(|set| set.0 == word) {
            return Ok(part());
        }
        Table::published(word).map(|table| Part::Threats(Box::new(table))).ok_or_else(|| {
            let names = NAMED.iter().map(|set| set.0).chain(PUBLISHED.map(|set| set.0));
            let names = names.collect::<Vec<_>>().join(", ");
            format!("{name:?} is not a set of inputs: use these, joined by +: {names}")
        })
    }

    /// The number of inputs.
    fn count(&self) -> u32 {
        match self {
            Part::Threats(table) => table.count(),
            Part::PawnPairs => pawn_pairs::COUNT,
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
            _ => Some(rules::rules(|attacker, victim| {
                let [attacker, victim] = [attacker, victim].map(|piece| 1 + piece as u8);
                let counts = |rules: &&Rules| rules.counts(attacker, victim);
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

    /// The files of the own king with which the first part that mirrors files does so: bit 0 is the
    /// a-file.
    pub(crate) fn mirror(&self) -> u8 {
        let mirrors = self.parts.iter().map(|(_, part)| match part {
            Part::Threats(table) => table.mirror(),
            Part::PawnPairs => E_TO_H,
            Part::Pieces(pieces) => pieces.mirror(),
        });
        mirrors.into_iter().find(|mirror| *mirror != 0).unwrap_or(0)
    }

    /// The room that the active inputs of a view need, with places that are written in vain.
    #[inline(always)]
    pub(crate) fn room(&self, summary: &Summary, threats: usize) -> usize {
        let rooms = self.parts.iter().map(|(_, part)| match part {
            Part::Threats(_) => Table::room(threats),
            Part::PawnPairs => pawn_pairs::room(summary.pawns.count_ones() as usize),
            Part::Pieces(pieces) => pieces.room(summary.occupied.count_ones() as usize),
        });
        rooms.sum()
    }

    /// The room of any position.
    pub(crate) fn most_room(&self) -> usize {
        let rooms = self.parts.iter().map(|(_, part)| match part {
            Part::Threats(_) => Table::room(MOST),
            Part::PawnPairs => pawn_pairs::room(PIECES),
            Part::Pieces(pieces) => pieces.room(PIECES),
        });
        rooms.sum()
    }

    /// Writes the active inputs of White's and Black's view. Returns their numbers.
    #[inline(always)]
    pub(crate) fn active(
        &self,
        board: &[u8; 64],
        summary: &Summary,
        keys: &[Key],
        memory: &mut pawn_pairs::Memory,
        [white, black]: [&mut [u32]; 2],
    ) -> [usize; 2] {
        let mut counts = [0; 2];
        for (start, part) in &self.parts {
            let rooms = [&mut white[counts[0]..], &mut black[counts[1]..]];
            let more = match part {
                Part::Threats(table) => table.append_both(*start, keys, summary, rooms),
                Part::PawnPairs => [pawn_pairs::append(*start, summary, memory, rooms); 2],
                Part::Pieces(pieces) => pieces.append(*start, board, summary, rooms),
            };
            counts = [counts[0] + more[0], counts[1] + more[1]];
        }
        counts
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
