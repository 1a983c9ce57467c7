//! Which pairs of pieces count as threats.

use setwise::threats::Rules;
use setwise::{Piece, Side};

/// What the codes of [`Batch::boards`](crate::Batch::boards) mean: twice the kind of piece (pawn 0,
/// knight 1, bishop 2, rook 3, queen 4, king 5), plus 1 if it is black. 12 is an empty square.
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
