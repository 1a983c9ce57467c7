//! The attacker's attack sets: the squares where the defender's king would be in check.

use std::fmt;

use setwise::Kernel;
use setwise::board::{king_attacks, knight_attacks};

use crate::geometry::attacks;
use crate::wins::Men;
use crate::{Ending, Piece};

/// The source of the generator's attack sets.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub enum AttackSource {
    /// Muller's blocker tables: `attacks[piece][square][blocker]`, 32 KB for each attacking piece.
    ///
    /// An entry is the attack set of the piece on `square` with one other man on the board, on
    /// `blocker`. The blocker's square is in the set if the piece attacks it. A blocker has no
    /// effect if it is not on a line of the piece, if the piece is a knight, or if `blocker ==
    /// square`.
    ///
    /// One blocker per entry is enough: two men block a square exactly if one of them alone blocks
    /// it. So the attack set with both men on the board is the AND of two entries. Only two men can
    /// block: the other piece and the attacker's king. The defender's king is left out, so squares
    /// behind him count as attacked. The entries for the 64 squares of the attacker's king are one
    /// row of 512 bytes in each table:
    ///
    /// ```text
    /// set[king] = first[a][b] & first[a][king]
    ///           | second[b][a] & second[b][king]
    ///           | king_attacks[king]
    /// ```
    #[default]
    Tables,
    /// A set-wise kernel, which computes batches of boards.
    Kernel(&'static Kernel),
}

impl AttackSource {
    /// White's attack sets for every placement of the men other than the black king. The set of a
    /// position is entry `index / 64`, where `index` is its index in [`Wins`](crate::Wins). Entries
    /// where two men share a square are unspecified. Empty if white has a bare king.
    ///
    /// ```
    /// use setwise_endgame::AttackSource;
    /// let sets = AttackSource::Tables.sets(&"KRK".parse().unwrap());
    /// // The rook on a1, the king on a3: a2 and a3, the first rank, and the king's steps.
    /// assert_eq!(sets[16], 0x0000_0000_0302_03fe | 0x0000_0000_0001_0100);
    /// ```
    #[must_use]
    pub fn sets(self, ending: &Ending) -> Vec<u64> {
        let Some(men) = Men::new(ending) else {
            return Vec::new();
        };
        let source = self.prepare(men);
        let mut sets = vec![0; men.blocks() * 64];
        for (first, slab) in sets.chunks_exact_mut(men.places() * 64).enumerate() {
            source.slab(first, slab);
        }
        sets
    }

    pub(crate) fn prepare(self, men: Men) -> Box<dyn AttackSets> {
        match self {
            Self::Tables => Box::new(Tables::new(men)),
            Self::Kernel(kernel) => Box::new(Batches { kernel, men }),
        }
    }
}

impl fmt::Display for AttackSource {
    /// Writes `tables`, or `kernel` and its name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tables => f.write_str("tables"),
            Self::Kernel(kernel) => write!(f, "kernel {}", kernel.name()),
        }
    }
}

/// A source of the attack sets of one ending.
pub(crate) trait AttackSets: Send + Sync {
    /// Writes the attacker's attack sets with the first piece on `first`. They include the squares
    /// that the king attacks. There is one set for every placement of the second piece and the
    /// king: `sets[64 * second + king]`. Sets where two men share a square are unspecified.
    fn slab(&self, first: usize, sets: &mut [u64]);
}

/// Attack sets, indexed by the piece's square, then by the blocker's square.
pub(crate) type ByBlocker = Vec<[u64; 64]>;

pub(crate) fn by_blocker(piece: Piece) -> ByBlocker {
    let attacks = |square| std::array::from_fn(|blocker| attacks(piece, square, 1 << blocker));
    (0..64).map(attacks).collect()
}

/// The tables of one ending; see [`AttackSource::Tables`].
struct Tables {
    first: ByBlocker,
    /// `None` unless the attacker has a second piece.
    second: Option<ByBlocker>,
    king: [u64; 64],
}

impl Tables {
    fn new(men: Men) -> Self {
        Self {
            first: by_blocker(men.first),
            second: men.second_attacker.map(by_blocker),
            king: std::array::from_fn(|square| king_attacks(1 << square)),
        }
    }
}

impl AttackSets for Tables {
    fn slab(&self, first: usize, sets: &mut [u64]) {
        let by_first = &self.first[first];
        let alone = sets.len() == 64;
        for (second, sets) in sets.chunks_exact_mut(64).enumerate() {
            let past_second = if alone { !0 } else { by_first[second] };
            let by_second = self.second.as_ref().map_or(&[0; 64], |table| &table[second]);
            let past_first = by_second[first];
            for king in 0..64 {
                sets[king] =
                    past_second & by_first[king] | past_first & by_second[king] | self.king[king];
            }
        }
    }
}

/// Computes attack sets with a kernel, in batches of 64 boards: one for each square of the king.
struct Batches {
    kernel: &'static Kernel,
    men: Men,
}

impl AttackSets for Batches {
    fn slab(&self, first: usize, sets: &mut [u64]) {
        let kings: [u64; 64] = std::array::from_fn(|square| 1 << square);
        for (second, sets) in sets.chunks_exact_mut(64).enumerate() {
            let second_attacker = self.men.second_attacker.map(|piece| (piece, second));
            let attackers = || std::iter::once((self.men.first, first)).chain(second_attacker);
            let set = |kind: fn(Piece) -> bool| {
                attackers().filter(|man| kind(man.0)).fold(0u64, |set, man| set | 1 << man.1)
            };
            let [orthogonal, diagonal] =
                [Piece::is_orthogonal, Piece::is_diagonal].map(|kind| [set(kind); 64]);
            let pieces = 1 << first | self.men.second().map_or(0, |_| 1 << second);
            let occupied = kings.map(|king| king | pieces);
            self.kernel.slider_attacks(&orthogonal, &diagonal, &occupied, sets);
            let knights = set(|piece| piece == Piece::Knight);
            for (set, king) in sets.iter_mut().zip(kings) {
                *set |= knight_attacks(knights) | king_attacks(king);
            }
        }
    }
}
