//! Which pairs of pieces count as threats.

use setwise::threats::{CODES, Rules};

/// Rules with the codes of [`CODES`] by which every pair of pieces counts.
pub static EVERY_PAIR: Rules = Rules::new(CODES, [!0; 16]);

/// Published sets of threats: the number of inputs and, by the attacker's kind, the victims of
/// either side, one bit per kind.
pub(crate) const PUBLISHED: [(&str, [u8; 6]); 3] = [
    ("79856", [0b00_1011, 0b11_1111, 0b10_1111, 0b10_1111, 0b11_1111, 0b00_1111]),
    ("60144", [0b00_1011, 0b01_1111, 0b00_1111, 0b00_1111, 0b01_1111, 0]),
    ("59808", [0b00_1010, 0b01_1111, 0b00_1111, 0b00_1111, 0b01_1111, 0]),
];

/// The names of [`named_rules`].
pub const NAMES: [&str; 1 + PUBLISHED.len()] = {
    let (mut names, mut i) = (["every"; 1 + PUBLISHED.len()], 0);
    while i < PUBLISHED.len() {
        names[1 + i] = PUBLISHED[i].0;
        i += 1;
    }
    names
};

/// Rules with the codes of [`CODES`] by the name of a set of pairs: `every` pair, or those of a
/// published set of features, by the number of its inputs.
#[must_use]
pub fn named_rules(name: &str) -> Option<Rules> {
    if name == NAMES[0] {
        return Some(EVERY_PAIR.clone());
    }
    let (_, victims) = PUBLISHED.into_iter().find(|set| set.0 == name)?;
    let counts = |attacker: usize, victim: usize| victims[attacker % 6] >> (victim % 6) & 1 == 1;
    Some(rules(counts))
}

/// Rules with the codes of [`CODES`], from the pairs of attacker and victim that count. 0 to 5 are
/// White's pawn to king, 6 to 11 Black's.
#[must_use]
pub fn rules(counts: impl Fn(usize, usize) -> bool) -> Rules {
    let mut pairs = [0; 16];
    for (attacker, pairs) in pairs[1..13].iter_mut().enumerate() {
        for victim in (0..12).filter(|&victim| counts(attacker, victim)) {
            *pairs |= 1 << (1 + victim);
        }
    }
    Rules::new(CODES, pairs)
}
