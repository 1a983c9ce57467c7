//! Candidates for mate: which checks the king's steps leave over, 64 squares of the king at once.

use std::ops::Add;

use crate::geometry::king_steps;
use crate::solver::{Slab, first_scan};
use crate::wins::Men;
use crate::{Attacks, Ending};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const RANK_8: u64 = 0xff00_0000_0000_0000;

/// The squares of `nogo` from which neither a step west nor one north-west leads out of `nogo`: Muller's pre-screen
/// for mates.
///
/// `nogo` are the squares where the king may not stand: those attacked, and that of his own piece. Off the board he
/// may not step either. The other six steps have to follow where a square is left: [`all_steps`].
///
/// ```
/// use setwise_endgame::two_steps;
/// // Of a8, b8 and b7 the king leaves only b7, westward to a7.
/// assert_eq!(two_steps(1 << 56 | 1 << 57 | 1 << 49), 1 << 56 | 1 << 57);
/// ```
#[must_use]
pub const fn two_steps(nogo: u64) -> u64 {
    nogo & (nogo << 1 | FILE_A) & (nogo >> 7 | FILE_A | RANK_8)
}

/// The squares of `nogo` from which none of a king's eight steps leads out of `nogo`: all that can be mate.
///
/// ```
/// use setwise_endgame::all_steps;
/// let corner = 1 << 0 | 1 << 1 | 1 << 8 | 1 << 9; // a1, b1, a2, b2
/// assert_eq!(all_steps(corner), 1);
/// ```
#[must_use]
pub const fn all_steps(nogo: u64) -> u64 {
    nogo & !king_steps(!nogo)
}

/// How many words have a bit set, and how many bits there are: placings of the other men, and positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Words with at least one bit set.
    pub words: u64,
    /// All bits set.
    pub positions: u64,
}

/// How many candidates for mate the king's steps leave over, of white's attacks on the black king.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selectivity {
    /// Placings of the other men on different squares, and squares closed to the black king.
    pub nogo: Left,
    /// Of `nogo`, left by [`two_steps`].
    pub nogo_two: Left,
    /// Legal positions with the black king in check.
    pub checks: Left,
    /// Of `checks`, left by [`two_steps`].
    pub checks_two: Left,
    /// Of `checks`, left by [`all_steps`].
    pub checks_all: Left,
    /// Mates: black's piece does not help either.
    pub mates: Left,
}

/// Counts what the king's steps leave over in the first scan of an ending; nothing if white's king is bare.
///
/// ```
/// use setwise_endgame::selectivity;
/// let found = selectivity(&"KRK".parse().unwrap());
/// assert_eq!(found.mates.positions, 216);
/// assert_eq!(found.checks_all, found.mates); // black has no piece to help
/// ```
#[must_use]
pub fn selectivity(ending: &Ending) -> Selectivity {
    let Some(men) = Men::new(ending) else {
        return Selectivity::default();
    };
    let sets = Attacks::Tables.sets(ending);
    let mut slabs = [Selectivity::default(); 64];
    let sources = sets.chunks_exact(sets.len() / 64).zip(&mut slabs).collect();
    let look = |(attacked, sum): (&[u64], &mut Selectivity), slab: &Slab<'_>| {
        let words = slab.won.iter().zip(&*slab.open).zip(&*slab.lost);
        let words = words
            .flat_map(|((won, open), lost)| (0..8).map(|at| [won.0[at], open.0[at], lost.0[at]]));
        for (at, ([won, open, mates], attacked)) in words.zip(attacked).enumerate() {
            // All is closed if two men share a square.
            if won != !0 {
                let own = men.second_defender().map_or(0, |_| 1 << (at / 64));
                *sum = *sum + Selectivity::of_word(attacked | own, open | mates, mates);
            }
        }
    };
    first_scan(men, &*Attacks::Tables.prepare(men), sources, look);
    slabs.into_iter().fold(Selectivity::default(), Add::add)
}

impl Selectivity {
    fn of_word(nogo: u64, legal: u64, mates: u64) -> Self {
        let left = |set: u64| Left {
            words: u64::from(set != 0),
            positions: set.count_ones().into(),
        };
        let two = two_steps(nogo);
        Self {
            nogo: left(nogo),
            nogo_two: left(two),
            checks: left(nogo & legal),
            checks_two: left(two & legal),
            checks_all: left(all_steps(nogo) & legal),
            mates: left(mates),
        }
    }
}

impl Add for Left {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            words: self.words + other.words,
            positions: self.positions + other.positions,
        }
    }
}

impl Add for Selectivity {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            nogo: self.nogo + other.nogo,
            nogo_two: self.nogo_two + other.nogo_two,
            checks: self.checks + other.checks,
            checks_two: self.checks_two + other.checks_two,
            checks_all: self.checks_all + other.checks_all,
            mates: self.mates + other.mates,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::step;

    /// Square by square.
    fn left(nogo: u64, steps: &[(i8, i8)]) -> u64 {
        let closed = |square: usize| nogo >> square & 1 != 0;
        (0..64)
            .filter(|&square| closed(square))
            .filter(|&square| {
                let mut to = steps.iter().filter_map(|&by| step(square, by));
                to.all(closed)
            })
            .fold(0, |set, square| set | 1 << square)
    }

    #[test]
    fn steps_stay_on_the_board() {
        let all = [
            (-1, 0),
            (-1, 1),
            (0, 1),
            (1, 1),
            (1, 0),
            (1, -1),
            (0, -1),
            (-1, -1),
        ];
        let mut rng = fastrand::Rng::with_seed(6);
        for round in 0..10_000 {
            // Thin sets as well as dense ones, which leave more over.
            let nogo = match round % 3 {
                0 => rng.u64(..),
                1 => rng.u64(..) | rng.u64(..),
                _ => rng.u64(..) | rng.u64(..) | rng.u64(..) | rng.u64(..),
            };
            assert_eq!(two_steps(nogo), left(nogo, &all[..2]), "{nogo:#x}");
            assert_eq!(all_steps(nogo), left(nogo, &all), "{nogo:#x}");
        }
        assert_eq!([two_steps(!0), all_steps(!0)], [!0; 2]);
    }

    #[test]
    fn two_steps_leave_most_words_and_all_steps_few() {
        // Words with a check left by two steps and by all, in percent; the published numbers of mates.
        for (name, two, all, mates) in [
            ("KQK", 100, 6, 364),
            ("KRK", 98, 4, 216),
            ("KQQK", 100, 60, 503760),
            ("KBNK", 86, 0, 464),
            ("KQKR", 81, 5, 10972),
            ("KRKQ", 62, 3, 2448),
        ] {
            let found = selectivity(&name.parse().unwrap());
            let percent =
                |left: Left| (200 * left.words + found.nogo.words) / (2 * found.nogo.words);
            assert_eq!(percent(found.checks_two), two, "{name}");
            assert_eq!(percent(found.checks_all), all, "{name}");
            assert_eq!(found.mates.positions, mates, "{name}");
            assert!(
                found.mates.positions <= found.checks_all.positions,
                "{name}"
            );
            if name.ends_with('K') {
                assert_eq!(found.checks_all, found.mates, "{name}: black has no piece");
            }
        }
        assert_eq!(selectivity(&"KKQ".parse().unwrap()), Selectivity::default());
    }
}
