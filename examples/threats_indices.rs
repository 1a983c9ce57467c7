//! Numbers threats as the inputs of a network, for two published sets of features: 79,856 inputs
//! (end of 2025) and 59,808 (summer of 2026).
//!
//! A set is two tables, so another set, or the order of an existing network, is other tables. Here
//! the inputs are in the order of the attacker, the victim, and the squares.
//!
//! ```text
//! cargo run --release --example threats_indices
//! ```

use setwise::threats::{CODES, MOST, Rules, Threat};
use setwise::{Kernel, Piece, Side, Square, board};

/// In a table: this threat is not an input. All indices are lower.
pub(crate) const EXCLUDED: u32 = 1 << 31;

/// By attacker's kind: the victims of either side that count, one bit per kind.
pub(crate) type Victims = [u8; 6];
pub(crate) const FIRST_SET: Victims =
    [0b00_1011, 0b11_1111, 0b10_1111, 0b10_1111, 0b11_1111, 0b00_1111];
pub(crate) const LATER_SET: Victims = [0b00_1010, 0b01_1111, 0b00_1111, 0b00_1111, 0b01_1111, 0];

/// How one side sees the board: its pieces are 0 to 5 (pawn to king), those of the other side 6 to
/// 11, its first rank is rank 1, and its king stands on the files a to d.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct View {
    side: Side,
    /// The exclusive or of each square.
    squares: u8,
}

impl View {
    pub(crate) fn new(side: Side, king: u8) -> View {
        let flip = if matches!(side, Side::Black) { 56 } else { 0 };
        let mirror = if king % 8 >= 4 { 7 } else { 0 };
        View { side, squares: flip ^ mirror }
    }

    /// The number of the piece with a code of [`CODES`].
    fn piece(self, code: u8) -> usize {
        // With codes whose side is a bit, this is an exclusive or.
        let others = if matches!(self.side, Side::Black) { 6 } else { 0 };
        (usize::from(code) - 1 + others) % 12
    }

    fn square(self, square: u8) -> usize {
        usize::from(square ^ self.squares)
    }
}

/// The index of a threat is `base[attacker][victim][from < to] + place[attacker][from][to]`.
pub(crate) struct Features {
    pub(crate) inputs: u32,
    pub(crate) base: Box<[[[u32; 2]; 12]; 12]>,
    pub(crate) place: Box<[[[u32; 64]; 64]; 12]>,
    pub(crate) victims: Victims,
}

impl Features {
    pub(crate) fn new(victims: Victims) -> Features {
        let mut features = Features {
            inputs: 0,
            base: Box::new([[[EXCLUDED; 2]; 12]; 12]),
            place: vec![[[EXCLUDED; 64]; 64]; 12].try_into().unwrap(),
            victims,
        };
        for attacker in 0..12 {
            let mut places = 0;
            for from in 0..64 {
                for to in (0..64).filter(|to| reach(attacker, from) >> to & 1 == 1) {
                    features.place[attacker][from][to] = places;
                    places += 1;
                }
            }
            for victim in (0..12).filter(|victim| victims[attacker % 6] >> (victim % 6) & 1 == 1) {
                let base = &mut features.base[attacker][victim];
                // Two pieces of a kind attack each other, so one of the two threats is enough.
                // Published sets count the one with `from > to`.
                base[0] = features.inputs;
                if !is_mutual(attacker, victim) {
                    base[1] = features.inputs;
                }
                features.inputs += places;
            }
        }
        features
    }

    /// The index of a threat as one side sees it.
    pub(crate) fn index(&self, view: View, threat: Threat) -> Option<u32> {
        let [attacker, victim] = [threat.attacker, threat.victim].map(|code| view.piece(code));
        let [from, to] = [threat.from, threat.to].map(|square| view.square(square));
        let base = self.base[attacker][victim][usize::from(from < to)];
        let place = self.place[attacker][from][to];
        ((base | place) & EXCLUDED == 0).then(|| base + place)
    }

    /// Rules that keep the threats outside this set away.
    pub(crate) fn rules(&self) -> Rules {
        let mut pairs = [0; 16];
        for (pairs, victims) in pairs[1..].iter_mut().zip(self.victims.repeat(2)) {
            let victims = u16::from(victims);
            *pairs = (victims | victims << 6) << 1;
        }
        Rules::new(CODES, pairs)
    }
}

/// What a piece attacks on an empty board. Pawns do not stand on the first and the last rank.
fn reach(piece: usize, from: usize) -> u64 {
    let set = 1 << from;
    let side = if piece < 6 { Side::White } else { Side::Black };
    match Piece::ALL[piece % 6] {
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

fn main() {
    for victims in [FIRST_SET, LATER_SET] {
        println!("{} inputs", Features::new(victims).inputs);
    }
    // White's view and Black's view of one threat: the knight on f3 defends the pawn on e5.
    let features = Features::new(LATER_SET);
    let (mut codes, mut offsets, mut threats) = ([0; 64], [0; 2], [Threat::default(); MOST]);
    codes[Square::F3.index()] = Piece::Knight.code(Side::White);
    codes[Square::E5.index()] = Piece::Pawn.code(Side::White);
    Kernel::active().threats(&[codes], &features.rules(), &mut offsets, &mut threats);
    let threat = threats[0];
    assert_eq!(offsets, [0, 1]);
    for (side, king) in [(Side::White, Square::G1), (Side::Black, Square::C8)] {
        let view = View::new(side, king.index() as u8);
        println!("{side:?}: input {}", features.index(view, threat).expect("an input"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every threat of a set: on boards with two pieces. Calls `visit` with the threat's index.
    fn each(features: &Features, view: View, mut visit: impl FnMut(Option<u32>, Threat)) {
        let rules = features.rules();
        let (mut threats, mut codes) = ([Threat::default(); MOST], [0; 64]);
        for (from, to) in (0..64).flat_map(|from| (0..64).map(move |to| (from, to))) {
            for (attacker, victim) in (0..144_u8).map(|pair| (1 + pair / 12, 1 + pair % 12)) {
                let is_pawn_at_the_edge = attacker % 6 == 1 && matches!(from / 8, 0 | 7);
                if from == to || is_pawn_at_the_edge {
                    continue;
                }
                (codes[from], codes[to]) = (attacker, victim);
                let (boards, mut offsets) = ([codes], [0; 2]);
                Kernel::active().threats(&boards, &rules, &mut offsets, &mut threats);
                for threat in &threats[..offsets[1] as usize] {
                    if usize::from(threat.from) == from {
                        visit(features.index(view, *threat), *threat);
                    }
                }
                (codes[from], codes[to]) = (0, 0);
            }
        }
    }

    fn views() -> impl Iterator<Item = View> {
        [(Side::White, 0), (Side::Black, 63)].map(|(side, king)| View::new(side, king)).into_iter()
    }

    /// Each input is one threat, and each threat one input, if no mutual threat is left out.
    #[test]
    fn every_index_is_one_threat() {
        for (victims, inputs) in [(FIRST_SET, 79_856), (LATER_SET, 59_808)] {
            let mut features = Features::new(victims);
            assert_eq!(features.inputs, inputs);
            for bases in features.base.as_flattened_mut() {
                bases[1] = bases[0];
            }
            for view in views() {
                let mut seen = vec![false; inputs as usize];
                each(&features, view, |index, threat| {
                    let seen = &mut seen[index.expect("an input") as usize];
                    assert!(!*seen, "{threat:?}");
                    *seen = true;
                });
                assert!(seen.iter().all(|&seen| seen));
            }
        }
    }

    /// Of two mutual threats each side counts one.
    #[test]
    fn one_of_two_mutual_threats_counts() {
        // Half of the places of each pair of equal kinds, and all of the other side's pawns on own.
        let unused = [84 + 4 * (168 + 280 + 448 + 728), 4 * (168 + 280 + 448 + 728)];
        for (victims, unused) in [FIRST_SET, LATER_SET].into_iter().zip(unused) {
            let features = Features::new(victims);
            for view in views() {
                let mut used = 0;
                each(&features, view, |index, threat| {
                    used += u32::from(index.is_some());
                    let Threat { attacker, from, victim, to } = threat;
                    let back = Threat { attacker: victim, from: to, victim: attacker, to: from };
                    let at_the_edge = victim % 6 == 1 && matches!(to / 8, 0 | 7);
                    let pieces = [attacker, victim].map(|code| usize::from(code) - 1);
                    if is_mutual(pieces[0], pieces[1]) && !at_the_edge {
                        let other = features.index(view, back);
                        assert_ne!(index.is_some(), other.is_some(), "{threat:?}");
                    }
                });
                assert_eq!(used, features.inputs - unused);
            }
        }
    }
}
