//! What is right: an oracle that walks every slider square by square, by file and rank.
//!
//! Slow, and written unlike any kernel: no shifts of whole boards, no masks.

use setwise::Direction;

use crate::operation::Operation;

/// File and rank steps of the directions, clockwise from north.
fn step(direction: Direction) -> (i8, i8) {
    match direction {
        Direction::North => (0, 1),
        Direction::NorthEast => (1, 1),
        Direction::East => (1, 0),
        Direction::SouthEast => (1, -1),
        Direction::South => (0, -1),
        Direction::SouthWest => (-1, -1),
        Direction::West => (-1, 0),
        Direction::NorthWest => (-1, 1),
    }
}

/// The squares beyond a square in a direction, in order, up to the board's edge.
fn walk(square: i8, direction: Direction) -> impl Iterator<Item = u64> {
    let (right, up) = step(direction);
    let (file, rank) = (square % 8, square / 8);
    (1..8)
        .map(move |distance| (file + distance * right, rank + distance * up))
        .take_while(|(file, rank)| (0..8).contains(file) && (0..8).contains(rank))
        .map(|(file, rank)| 1 << (8 * rank + file))
}

fn squares(set: u64) -> impl Iterator<Item = i8> {
    (0..64).filter(move |square| set >> square & 1 == 1)
}

fn ray(direction: Direction, sliders: u64, occupied: u64) -> u64 {
    let mut attacks = 0;
    for square in squares(sliders) {
        for target in walk(square, direction) {
            attacks |= target;
            if occupied & target != 0 {
                break;
            }
        }
    }
    attacks
}

fn fill(direction: Direction, generators: u64, propagators: u64) -> u64 {
    let mut filled = generators;
    for square in squares(generators) {
        filled |= walk(square, direction)
            .take_while(|target| propagators & target != 0)
            .fold(0, |path, target| path | target);
    }
    filled
}

fn rays(directions: &[Direction], sliders: u64, occupied: u64) -> u64 {
    directions
        .iter()
        .fold(0, |all, &direction| all | ray(direction, sliders, occupied))
}

/// The right result of an operation on one board. `sliders`, `diagonal` and `occupied` as in [`Operation`].
pub(crate) fn oracle(operation: Operation, [sliders, diagonal, occupied]: [u64; 3]) -> u64 {
    let blocked = occupied | sliders;
    match operation {
        Operation::Rook => rays(&Direction::ORTHOGONAL, sliders, blocked),
        Operation::Bishop => rays(&Direction::DIAGONAL, sliders, blocked),
        Operation::Queen => rays(&Direction::ALL, sliders, blocked),
        Operation::Slider => {
            let blocked = blocked | diagonal;
            rays(&Direction::ORTHOGONAL, sliders, blocked)
                | rays(&Direction::DIAGONAL, diagonal, blocked)
        }
        Operation::Ray(direction) => ray(direction, sliders, blocked),
        Operation::Fill(direction) => fill(direction, sliders, occupied),
    }
}

#[cfg(test)]
mod tests {
    use super::{Operation, oracle};
    use crate::games;
    use crate::lookup;
    use crate::position::Boards;
    use setwise::Direction;

    #[test]
    fn boards_worked_by_hand() {
        let north = Operation::Ray(Direction::North);
        assert_eq!(oracle(north, [1, 0, 1 << 24]), 0x0101_0100);
        let fill = Operation::Fill(Direction::East);
        assert_eq!(oracle(fill, [1, 0, 0b0000_0110]), 0b0000_0111);
        // Two rooks on a1 and c1 see each other, although nobody put them into the occupancy.
        assert_eq!(oracle(Operation::Rook, [0b101, 0, 0]) & 0xff, 0b1111_1111);
        assert_eq!(oracle(Operation::Rook, [1, 0, 0]), 0x0101_0101_0101_01fe);
        assert_eq!(oracle(Operation::Bishop, [1 << 63, 0, 1 << 54]), 1 << 54);
    }

    /// Two references that know nothing of each other agree on the real positions.
    #[test]
    fn agrees_with_the_look_up_on_real_positions() {
        let placements = games::positions().unwrap();
        let boards: Boards = placements.iter().collect();
        for i in 0..boards.len() {
            let inputs = [boards.orthogonal[i], boards.diagonal[i], boards.occupied[i]];
            for operation in Operation::SETS {
                let looked_up = lookup::attacks(operation, inputs).unwrap();
                assert_eq!(oracle(operation, inputs), looked_up, "{operation}");
            }
        }
    }
}
