//! The answers, by the oracle, which walks from square to square: slow, and unlike every contender. Each
//! operation has a function of its name, which takes steps for a direction or line.

use setwise::{Direction, Line};

pub(crate) use crate::walk::{
    bishop_attacks as bishop_attacks_one, queen_attacks as queen_attacks_one,
    rook_attacks as rook_attacks_one, slider_attacks as slider_attacks_one, *,
};

pub(crate) trait Steps {
    fn steps(self) -> Vec<Step>;
}

impl Steps for Direction {
    fn steps(self) -> Vec<Step> {
        let (east, north) = match self {
            Direction::North => (0, 1),
            Direction::NorthEast => (1, 1),
            Direction::East => (1, 0),
            Direction::SouthEast => (1, -1),
            Direction::South => (0, -1),
            Direction::SouthWest => (-1, -1),
            Direction::West => (-1, 0),
            Direction::NorthWest => (-1, 1),
        };
        vec![step(east, north)]
    }
}

impl Steps for Line {
    fn steps(self) -> Vec<Step> {
        let (east, north) = match self {
            Line::Rank => (1, 0),
            Line::File => (0, 1),
            Line::Diagonal => (1, 1),
            Line::Antidiagonal => (1, -1),
        };
        vec![step(east, north), step(-east, -north)]
    }
}
