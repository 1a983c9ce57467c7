//! The intermediate values of [`setwise::techniques`], in the order in which the page draws them.

use setwise::techniques::{adder, borrow, dumb7fill, hyperbola, kogge_stone, rank_slices};
use setwise::{Direction, Line, Square};

/// Returns, in this order:
///
/// - the squares that the flood may enter;
/// - the flood and the fill, before the first cycle and after each of the six cycles;
/// - the attacks.
#[must_use]
pub fn dumb7fill(direction: Direction, sliders: u64, occupied: u64) -> [u64; 16] {
    let propagators = dumb7fill::wrap_mask(direction, !occupied);
    let (mut flood, mut filled) = (sliders, sliders);
    let mut steps = [propagators; 16];
    for cycle in 0..=6 {
        [steps[1 + 2 * cycle], steps[2 + 2 * cycle]] = [flood, filled];
        flood = dumb7fill::cycle(direction, flood, propagators);
        filled |= flood;
    }
    steps[15] = dumb7fill::attacks(direction, sliders, occupied);
    steps
}

/// Returns the generators and propagators, before the first doubling and after each of the three
/// doublings, then the attacks.
#[must_use]
pub fn kogge_stone(direction: Direction, sliders: u64, occupied: u64) -> [u64; 9] {
    let (g0, p0) = (sliders, dumb7fill::wrap_mask(direction, !occupied));
    let (g1, p1) = kogge_stone::doubling(direction, 1, g0, p0);
    let (g2, p2) = kogge_stone::doubling(direction, 2, g1, p1);
    let (g3, p3) = kogge_stone::doubling(direction, 4, g2, p2);
    let attacks = kogge_stone::attacks(direction, sliders, occupied);
    [g0, p0, g1, p1, g2, p2, g3, p3, attacks]
}

/// Returns the board with the barrier, the doubled sliders, the difference, the changed bits and
/// the attacks.
#[must_use]
pub fn borrow(sliders: u64, occupied: u64) -> [u64; 5] {
    let steps = borrow::subtraction(sliders, occupied);
    [steps.minuend, steps.subtrahend, steps.difference, steps.changed, steps.attacks]
}

/// Returns the other pieces, the sliders, the squares that pass a borrow on, the bytewise
/// difference and the attacks.
#[must_use]
pub fn borrow_bytewise(sliders: u64, occupied: u64) -> [u64; 5] {
    let others = occupied & !sliders;
    let borrows = adder::carries(!others & sliders, !(others ^ sliders));
    let difference = adder::psubb(others, sliders);
    let attacks = borrow::east_attacks_bytewise(sliders, occupied);
    [others, sliders, borrows, difference, attacks]
}

/// Returns, in this order:
///
/// - the line, the occupied squares on it, and their difference;
/// - the occupied squares reversed, their difference, and that difference reversed back;
/// - the attacks.
#[must_use]
pub fn hyperbola(line: Line, square: Square, occupied: u64) -> [u64; 7] {
    let steps = hyperbola::two_boards(line, square, occupied);
    [
        steps.line,
        steps.occupied,
        steps.forward,
        steps.reversed,
        steps.backward,
        steps.returned,
        steps.attacks,
    ]
}

/// Returns rows of eight words:
///
/// - the sliders of eight boards, then the same words after each of the three exchanges that cut
///   them into slices;
/// - the blockers, as slices;
/// - the squares that the rays north, north-east and north-west reach, first as slices, then as
///   boards;
/// - the queens' attacks, as boards.
#[must_use]
pub fn rank_slices(sliders: [u64; 8], occupied: [u64; 8]) -> [[u64; 8]; 8] {
    let by_4 = rank_slices::exchange(sliders, 4);
    let by_2 = rank_slices::exchange(by_4, 2);
    let by_1 = rank_slices::exchange(by_2, 1);
    let blockers = rank_slices::cut(occupied);
    let mut upward = [0; 8];
    let mut floods = [by_1[0]; 3];
    for rank in 1..8 {
        floods = rank_slices::arrive(floods);
        upward[rank] = floods[0] | floods[1] | floods[2];
        floods = rank_slices::leave(floods, blockers[rank], by_1[rank]);
    }
    [
        sliders,
        by_4,
        by_2,
        by_1,
        blockers,
        upward,
        rank_slices::cut(upward),
        rank_slices::queen_attacks(sliders, occupied),
    ]
}

#[cfg(test)]
mod tests {
    use setwise::board;

    use super::*;
    use crate::batch::random_words;

    /// The last step of every technique equals the attacks, and the earlier steps lead to them.
    #[test]
    fn every_technique_ends_at_the_attacks() {
        let mut random = random_words(1);
        for _ in 0..2000 {
            let sliders = random() & random() & random() & random();
            let occupied = random() & random() | sliders;
            for direction in Direction::ALL {
                let attacks = board::ray_attacks(direction, sliders, occupied);
                let steps = dumb7fill(direction, sliders, occupied);
                assert_eq!((direction.step(steps[14]), steps[15]), (attacks, attacks));
                let steps = kogge_stone(direction, sliders, occupied);
                assert_eq!((direction.step(steps[6]), steps[8]), (attacks, attacks));
            }
            let east = board::ray_attacks(Direction::East, sliders, occupied);
            assert_eq!(borrow(sliders, occupied)[4], east);
            let [others, rooks, borrows, difference, attacks] = borrow_bytewise(sliders, occupied);
            assert_eq!(attacks, east);
            assert_eq!(Direction::East.step(borrows), others ^ rooks ^ difference);
            let square = Square::new((random() % 64) as u8).unwrap();
            for line in Line::ALL {
                let steps = hyperbola(line, square, occupied);
                assert_eq!(steps[6], board::line_attacks_from(line, square, occupied));
                assert_eq!((steps[2] ^ steps[5]) & steps[0], steps[6]);
            }
            let boards = [(); 8].map(|()| random() & random() & random());
            let blockers = [(); 8].map(|()| random() & random());
            let rows = rank_slices(boards, blockers);
            for i in 0..8 {
                let north = [Direction::North, Direction::NorthEast, Direction::NorthWest];
                let upward = north.map(|d| board::ray_attacks(d, boards[i], blockers[i]));
                assert_eq!(rows[6][i], upward[0] | upward[1] | upward[2]);
                assert_eq!(rows[7][i], board::queen_attacks(boards[i], blockers[i]));
            }
        }
    }
}
