//! Detection of illegal positions.

use setwise::board::king_attacks;

use crate::attacks::{AttackSource, ByBlocker, by_blocker};
use crate::geometry::between;
use crate::wins::Men;

/// Finds illegal positions, one word at a time.
pub(crate) struct Legality {
    men: Men,
    /// The attacks of the defender's piece.
    defender: Option<ByBlocker>,
}

impl Legality {
    pub(crate) fn new(men: Men) -> Self {
        Self { men, defender: men.second_defender.map(by_blocker) }
    }

    /// The squares on which the defender's king makes the position illegal, for one placement of
    /// the other men. The first set is for the attacker to move, the second for the defender to
    /// move. `None` if two of the other men share a square. `attacked` is the attacker's attack
    /// set.
    #[inline(always)]
    pub(crate) fn illegal(
        &self,
        first: usize,
        second: usize,
        king: usize,
        attacked: u64,
    ) -> Option<[u64; 2]> {
        let mut occupied = 1_u64 << first | 1 << king;
        if self.men.second().is_some() {
            occupied |= 1 << second;
        }
        if occupied.count_ones() as usize != self.men.count() - 1 {
            return None;
        }
        let mut exposed = king_attacks(1 << king);
        if self.defender.as_ref().is_some_and(|attacks| attacks[second][first] >> king & 1 != 0) {
            // The defender's piece gives check, unless his king blocks it.
            exposed |= !between(second, king);
        }
        Some([attacked | occupied, exposed | occupied])
    }
}

/// The illegal positions of an ending. The first set is for the attacker to move, the second for
/// the defender to move. The number of a bit is the position's index in [`Wins`](crate::Wins).
pub(crate) fn illegal_positions(men: Men) -> [Vec<u64>; 2] {
    let legality = Legality::new(men);
    let source = AttackSource::Tables.prepare(men);
    let mut positions = [const { Vec::new() }; 2];
    let mut attacked = vec![0; 64 * men.places()];
    for first in 0..64 {
        source.slab(first, &mut attacked);
        for (placing, &attacked) in attacked.iter().enumerate() {
            let illegal = legality.illegal(first, placing / 64, placing % 64, attacked);
            for (words, word) in positions.iter_mut().zip(illegal.unwrap_or([!0; 2])) {
                words.push(word);
            }
        }
    }
    positions
}
