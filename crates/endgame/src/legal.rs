//! Which placings of the men are no legal positions.

use crate::geometry::{attacks, directions, king_steps, ray};
use crate::wins::Men;
use crate::{Ending, Piece};

/// The illegal positions of an ending by the index of [`Wins`](crate::Wins), a word for each placing but the
/// defender's king.
pub(crate) struct Illegal {
    /// With the attacker, with the defender to move.
    pub(crate) positions: [Vec<u64>; 2],
}

impl Illegal {
    pub(crate) fn new(ending: &Ending, men: Men) -> Illegal {
        let words = 64 * men.blocks();
        let mut positions = [Vec::with_capacity(words), Vec::with_capacity(words)];
        let set = |square: usize| 1_u64 << square;
        for placing in 0..men.blocks() {
            let (first, second) = match ending.men() {
                3 => (placing, None),
                _ => (placing / 64, Some(placing % 64)),
            };
            let pieces = second.map_or(set(first), |second| set(first) | set(second));
            // What the pieces attack past the attacker's king. One that they do not attack is not in their way.
            let attackers =
                [Some((men.first, first)), men.second_attacker().zip(second)].map(|attacker| {
                    attacker.map(|(piece, from)| (piece, from, attacks(piece, from, pieces)))
                });
            let defender = men.second_defender().zip(second);
            let defended = defender.map_or(0, |(piece, from)| attacks(piece, from, pieces));
            for king in 0..64 {
                let distinct = (pieces | set(king)).count_ones() as usize == ending.men() - 1;
                if !distinct {
                    for words in &mut positions {
                        words.push(!0);
                    }
                    continue;
                }
                let placed = pieces | set(king) | king_steps(set(king));
                // The attacker moves, so the defender's king must not be in check.
                let mut checked = 0;
                for &(piece, from, past) in attackers.iter().flatten() {
                    checked |= if past & set(king) == 0 {
                        past
                    } else {
                        attacks(piece, from, pieces | set(king))
                    };
                }
                // The defender moves: the attacker's king is in check wherever the other king does not stand between.
                let exposed = match defender {
                    Some((piece, from)) if defended & set(king) != 0 => exposed(piece, from, king),
                    _ => 0,
                };
                positions[0].push(placed | checked);
                positions[1].push(placed | exposed);
            }
        }
        Illegal { positions }
    }

    /// The numbers of legal positions.
    pub(crate) fn legal(&self) -> [u64; 2] {
        let count = |words: &Vec<u64>| words.iter().map(|word| u64::from(word.count_zeros())).sum();
        [count(&self.positions[0]), count(&self.positions[1])]
    }
}

/// On which squares a further man leaves a target attacked that is attacked without him.
fn exposed(piece: Piece, from: usize, target: usize) -> u64 {
    let between = directions(piece).find_map(|direction| {
        let path = ray(from, direction).take_while(|&square| square != target);
        let is_it = ray(from, direction).any(|square| square == target);
        is_it.then(|| path.fold(0, |set, square| set | 1 << square))
    });
    !between.unwrap_or(0)
}

/// The index of a position of a piece against a piece as the other side counts it.
pub(crate) fn mirrored(index: usize) -> usize {
    let digit = |place: usize| index >> (6 * place) & 63;
    digit(2) << 18 | digit(3) << 12 | digit(0) << 6 | digit(1)
}
