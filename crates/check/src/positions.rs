//! The oracle for whole positions. Like the rest of the oracle, it moves each piece step by step.

use setwise::Side;
use setwise::position::{AttackMaps, Checks, Position};

use crate::oracle::{
    BISHOP, Place, QUEEN, ROOK, Steps as _, attacks, king_attacks, knight_attacks, pawn_attacks,
    pins,
};

fn all_of(pieces: &[[u64; 6]]) -> u64 {
    let mut all = 0;
    for set in pieces.iter().flatten() {
        all |= set;
    }
    all
}

fn attacks_of(side: usize, kind: usize, set: u64, occupied: u64) -> u64 {
    let captures = [Side::White, Side::Black][side].steps();
    match kind {
        0 => pawn_attacks(&captures, set),
        1 => knight_attacks(set),
        2 => attacks(&BISHOP, set, occupied),
        3 => attacks(&ROOK, set, occupied),
        4 => attacks(&QUEEN, set, occupied),
        _ => king_attacks(set),
    }
}

/// The values of the pieces, from pawn to queen. A king has no value.
const PIECE_VALUES: [u32; 5] = [1, 3, 3, 5, 9];

/// The attacks per side and kind of piece, the union per side, and the threats: each side's attacks
/// on more valuable enemy pieces.
#[must_use]
pub fn attack_maps(Position { pieces }: &Position) -> AttackMaps {
    let occupied = all_of(pieces);
    let (mut maps, mut by_lesser) = ([[0; 6]; 2], [0; 2]);
    for side in 0..2 {
        for kind in 0..6 {
            maps[side][kind] = attacks_of(side, kind, pieces[side][kind], occupied);
        }
        for place in Place::all() {
            for (attacker, attacker_value) in PIECE_VALUES.into_iter().enumerate() {
                for (target, target_value) in PIECE_VALUES.into_iter().enumerate() {
                    let attacked = place.is_in(maps[side][attacker]);
                    let is_target = place.is_in(pieces[1 - side][target]);
                    if attacker_value < target_value && attacked && is_target {
                        by_lesser[side] |= place.alone();
                    }
                }
            }
        }
    }
    AttackMaps { attacks: maps, all: maps.map(|of_side| all_of(&[of_side])), by_lesser }
}

/// Checkers, pinned pieces and pinners, indexed by the king's side.
#[must_use]
pub fn checks(Position { pieces }: &Position) -> Checks {
    let occupied = all_of(pieces);
    let mut result = Checks::default();
    for side in 0..2 {
        let (own, others) = (pieces[side], pieces[1 - side]);
        for place in Place::all() {
            for (kind, _) in others[..5].iter().enumerate().filter(|(_, set)| place.is_in(**set)) {
                if attacks_of(1 - side, kind, place.alone(), occupied) & own[5] != 0 {
                    result.checkers[side] |= place.alone();
                }
            }
        }
        let (straight, diagonal) = (others[3] | others[4], others[2] | others[4]);
        (result.pinned[side], result.pinners[side]) =
            pins(own[5], all_of(&[own]), straight, diagonal, occupied);
    }
    result
}
