//! Test boards.

use setwise::position::Position;
use setwise::reflection::{Element, Role};

use crate::Operation;

/// A test board: two sets of sliders and an occupancy. The inputs of every operation are derived
/// from these three sets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Case {
    /// The first set of sliders.
    pub sliders: u64,
    /// The second set of sliders.
    pub others: u64,
    /// The occupied squares.
    pub occupied: u64,
}

/// Sets that tend to expose mistakes: empty, full, two files, two ranks, the rim, corners, a
/// checkerboard, diagonals, the centre.
#[rustfmt::skip]
const CRAFTED: [u64; 12] = [
    0, !0, 0x0101_0101_0101_0101, 0x8080_8080_8080_8080, 0xff, 0xff << 56, 0xff81_8181_8181_81ff,
    0x8100_0000_0000_0081, 0xaa55_aa55_aa55_aa55, 0x8040_2010_0804_0201, 0x0102_0408_1020_4080,
    0x0000_0018_1800_0000,
];

impl Case {
    /// The board with a single slider on a1 in each of its two sets. Its occupancy is empty.
    pub const A1: Case = Case { sliders: 1, others: 1, occupied: 0 };

    /// A random board, made from the random words that `word` returns. Its sets have an arbitrary
    /// density, from empty to full. Its sliders need not be in the occupancy.
    pub fn random(word: &mut dyn FnMut() -> u64) -> Case {
        let [mut sliders, mut others, mut occupied] = [(); 3].map(|()| any_set(word));
        match word() % 4 {
            // As in a real position, every slider is in the occupancy.
            0 => (sliders, others) = (sliders & occupied, others & occupied),
            1 => occupied |= sliders | others,
            2 => occupied &= !(sliders | others),
            _ => {}
        }
        Case { sliders, others, occupied }
    }

    /// The board with its two sets of sliders swapped.
    #[must_use]
    pub fn exchanged(self) -> Case {
        Case { sliders: self.others, others: self.sliders, occupied: self.occupied }
    }

    /// The operation's inputs for this board, as words.
    pub fn inputs(self, operation: &Operation) -> Vec<u64> {
        let mut words = vec![];
        for (number, input) in operation.info.inputs().iter().enumerate() {
            self.input(input.role(), pieces_before(operation, number), &mut words);
        }
        words
    }

    /// Appends the words of an input to `to`. `before` is the number of [earlier inputs that hold
    /// moving pieces](pieces_before). The first such input gets `sliders`, the second gets
    /// `others`.
    #[inline]
    pub(crate) fn input(self, role: Role, before: usize, to: &mut Vec<u64>) {
        to.push(match role {
            Role::Occupied => self.occupied,
            Role::Propagators => !self.occupied,
            Role::Blockers | Role::Own => match self.hash(6) % 4 {
                0 => self.occupied,
                1 => self.occupied & self.hash(7),
                2 => (self.occupied | self.sliders) & self.hash(7),
                _ => self.hash(7),
            },
            Role::Targets => self.hash(8),
            Role::Positions => return to.extend(self.position().pieces.as_flattened()),
            _ if has_pieces(role) && role.element() == Element::Square => match before {
                0 if self.sliders.is_power_of_two() => self.sliders.ilog2().into(),
                0 => self.sliders.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58,
                _ => self.hash(1) >> 58,
            },
            _ if has_pieces(role) => match before {
                0 => self.sliders,
                1 => self.others,
                _ => {
                    // Each input has its own salts, so a side's bishops, rooks and queens differ.
                    let hash = |number| self.hash(number + 8 * (before as u64 - 2));
                    match hash(2) % 4 {
                        0 => self.others,
                        1 => self.occupied & hash(3),
                        2 => hash(3) & hash(4) & hash(5),
                        _ => 0,
                    }
                }
            },
            _ => unreachable!("{role:?} is an input without boards"),
        });
    }

    /// Derives a position from the board. The same board always gives the same position. Half of
    /// the boards give twelve arbitrary sets. The others give a position like one of a game, with
    /// at most one piece per square and one king per side.
    fn position(self) -> Position {
        let mut state = self.hash(9);
        let mut word = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            state >> 32 ^ state
        };
        let mut position = Position::default();
        let pieces = position.pieces.as_flattened_mut();
        if word() % 2 == 0 {
            for set in pieces {
                *set = match word() % 4 {
                    0 => self.sliders,
                    1 => self.others,
                    2 => self.occupied & word(),
                    _ => word() & word() & word(),
                };
            }
            return position;
        }
        let kings = [word() % 64, word() % 63];
        let kings = [kings[0], kings[1] + u64::from(kings[1] >= kings[0])].map(|king| 1 << king);
        let mut squares = (self.occupied | self.sliders | self.others) & !(kings[0] | kings[1]);
        while squares != 0 {
            pieces[[0, 1, 2, 3, 4, 6, 7, 8, 9, 10][(word() % 10) as usize]] |=
                squares & squares.wrapping_neg();
            squares &= squares - 1;
        }
        (position.pieces[0][5], position.pieces[1][5]) = (kings[0], kings[1]);
        position
    }

    /// A pseudo-random word that depends only on the board and on `salt`.
    fn hash(self, salt: u64) -> u64 {
        let words = [self.sliders, self.others, self.occupied, salt];
        words.into_iter().fold(salt, |hash, word| {
            let mixed = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ (mixed >> 32)
        })
    }
}

/// The number of inputs before `argument` that [hold moving pieces](has_pieces).
pub(crate) fn pieces_before(operation: &Operation, argument: usize) -> usize {
    let before = &operation.info.inputs()[..argument];
    before.iter().filter(|input| has_pieces(input.role())).count()
}

/// Whether an input holds moving pieces, as sets or as squares: rooks, kings, generators and the
/// like. The other inputs are masks (the occupancy, blockers, targets and the like) or whole
/// positions.
fn has_pieces(role: Role) -> bool {
    use Role::{Bishops, Generators, Kings, Knights, Pawns, Queens, Rooks, Sliders, Squares};
    let sets = [Rooks, Bishops, Queens, Sliders, Generators, Knights, Kings, Pawns];
    role == Squares || sets.contains(&role)
}

/// A random set. Its density is random too.
fn any_set(word: &mut dyn FnMut() -> u64) -> u64 {
    let [a, b, c, d] = [(); 4].map(|()| word());
    match word() % 12 {
        0 => CRAFTED[(a % 12) as usize],
        1 => !0,
        2 => 1 << (a % 64),
        3 | 4 => a & b & c & d,
        5 | 6 => a & b & c,
        7 => a & b,
        8 | 9 => a,
        10 => a | b,
        _ => a | b | c | d,
    }
}
