//! The oracle of whole positions: piece by piece, step by step.

use crate::oracle::{BISHOP, Place, QUEEN, ROOK, Step, attacks, pins, step};

/// By side (White first) and kind (pawns, knights, bishops, rooks, queens, kings).
pub(crate) type Pieces = [[u64; 6]; 2];

const KNIGHT: [Step; 8] = [
    step(1, 2),
    step(2, 1),
    step(2, -1),
    step(1, -2),
    step(-1, -2),
    step(-2, -1),
    step(-2, 1),
    step(-1, 2),
];

fn all_of(pieces: &[[u64; 6]]) -> u64 {
    let mut all = 0;
    for set in pieces.iter().flatten() {
        all |= set;
    }
    all
}

/// One step each.
fn jumps(steps: &[Step], jumpers: u64) -> u64 {
    let mut attacked = 0;
    for from in Place::all().filter(|place| place.is_in(jumpers)) {
        for to in steps.iter().filter_map(|&step| from.after(step)) {
            attacked |= to.alone();
        }
    }
    attacked
}

fn attacks_of(side: usize, kind: usize, set: u64, occupied: u64) -> u64 {
    let ahead = [1, -1][side];
    match kind {
        0 => jumps(&[step(-1, ahead), step(1, ahead)], set),
        1 => jumps(&KNIGHT, set),
        2 => attacks(&BISHOP, set, occupied),
        3 => attacks(&ROOK, set, occupied),
        4 => attacks(&QUEEN, set, occupied),
        _ => jumps(&QUEEN, set),
    }
}

/// What a piece is worth; a king is not for sale.
const WORTH: [u32; 5] = [1, 3, 3, 5, 9];

/// Attacks by side and kind, of all of a side, and threats to the other side's greater pieces.
pub(crate) fn attack_maps(pieces: &Pieces) -> (Pieces, [u64; 2], [u64; 2]) {
    let occupied = all_of(pieces);
    let (mut maps, mut threats) = ([[0; 6]; 2], [0; 2]);
    for side in 0..2 {
        for kind in 0..6 {
            maps[side][kind] = attacks_of(side, kind, pieces[side][kind], occupied);
        }
        for place in Place::all() {
            for (lesser, worth) in WORTH.into_iter().enumerate() {
                for (greater, more) in WORTH.into_iter().enumerate() {
                    let stands = place.is_in(pieces[1 - side][greater]);
                    if worth < more && stands && place.is_in(maps[side][lesser]) {
                        threats[side] |= place.alone();
                    }
                }
            }
        }
    }
    (maps, maps.map(|of_side| all_of(&[of_side])), threats)
}

/// Checkers, pinned pieces and pinners, each by the side whose king it is.
pub(crate) fn checks(pieces: &Pieces) -> [[u64; 2]; 3] {
    let occupied = all_of(pieces);
    let mut result = [[0; 2]; 3];
    for side in 0..2 {
        let (own, others) = (pieces[side], pieces[1 - side]);
        for place in Place::all() {
            for (kind, &set) in others[..5].iter().enumerate() {
                let attacked = attacks_of(1 - side, kind, place.alone(), occupied);
                if place.is_in(set) && attacked & own[5] != 0 {
                    result[0][side] |= place.alone();
                }
            }
        }
        let (straight, diagonal) = (others[3] | others[4], others[2] | others[4]);
        let (pinned, pinners) = pins(own[5], all_of(&[own]), straight, diagonal, occupied);
        (result[1][side], result[2][side]) = (pinned, pinners);
    }
    result
}
