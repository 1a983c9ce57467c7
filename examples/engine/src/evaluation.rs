//! The evaluation, in centipawns from the point of view of the side to move: material, placement,
//! and the features that `features.rs` computes.

use setwise::board as one;

use crate::features;
use crate::game::Board;

pub const MATERIAL: [i32; 6] = [100, 320, 330, 500, 950, 0];
/// The score of each attacked square, by the kind of attacker. Squares that hold a friendly piece
/// or that an enemy pawn attacks do not count.
const MOBILITY: [i32; 6] = [0, 4, 4, 2, 1, 0];
/// The score of each attacked square on or next to the enemy king, by the kind of attacker.
const ATTACK: [i32; 6] = [2, 6, 6, 8, 12, 0];
const THREAT: i32 = 22;
const PINNED: i32 = 14;
const BATTERY: i32 = 3;
const CENTRE: [u64; 3] = [0x0000_0018_1800_0000, 0x0000_3c24_243c_0000, 0x007e_4242_4242_7e00];

pub fn of(board: &Board) -> i32 {
    let position = board.position.position;
    let features = features::of(&position);
    let count = |set: u64| set.count_ones() as i32;
    let [white, black] = [0, 1].map(|side: usize| {
        let mut score = 0;
        let (own, other) = (position.pieces[side], position.pieces[1 - side]);
        let own_all = own.iter().fold(0, |all, set| all | set);
        let attacks = features.maps.attacks[side];
        let free = !own_all & !features.maps.attacks[1 - side][0];
        let zone = other[5] | one::king_attacks(other[5]);
        let mut danger = 0;
        for kind in 0..6 {
            score += MATERIAL[kind] * count(own[kind]);
            score += MOBILITY[kind] * count(attacks[kind] & free);
            danger += ATTACK[kind] * count(attacks[kind] & zone);
        }
        // Without a queen, attacks on the king matter less.
        score += if own[4] != 0 { danger } else { danger / 4 };
        score += THREAT * count(features.maps.by_lesser[side]);
        score -= PINNED * count(features.pinned[side]);
        score += BATTERY * count(features.batteries[side] & !own_all);
        for (ring, &squares) in CENTRE.iter().enumerate() {
            let weight = [14, 7, 2][ring];
            score += weight * count((own[0] | own[1] | own[2]) & squares) / 2;
            // The king avoids the centre while the enemy has a queen, and seeks it otherwise.
            let king = if other[4] != 0 { -weight } else { weight };
            score += king * count(own[5] & squares);
        }
        score
    });
    let score = white - black;
    10 + if board.is_white() { score } else { -score }
}
