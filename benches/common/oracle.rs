//! The answer by walking from square to square: slow, and unlike every contender.

use setwise::Direction;

use super::Operation;

/// File and rank difference of one step.
type Step = (i32, i32);

const ORTHOGONAL: [Step; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONAL: [Step; 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

/// What `operation` must give for one board; `sets` as the library takes them.
pub(crate) fn answer(operation: Operation, sets: &[u64]) -> u64 {
    match (operation, sets) {
        (Operation::Rook, &[rooks, occupied]) => attacks(&ORTHOGONAL, rooks, occupied | rooks),
        (Operation::Bishop, &[bishops, occupied]) => {
            attacks(&DIAGONAL, bishops, occupied | bishops)
        }
        (Operation::Queen, &[queens, occupied]) => {
            let occupied = occupied | queens;
            attacks(&ORTHOGONAL, queens, occupied) | attacks(&DIAGONAL, queens, occupied)
        }
        (Operation::Slider, &[orthogonal, diagonal, occupied]) => {
            let occupied = occupied | orthogonal | diagonal;
            attacks(&ORTHOGONAL, orthogonal, occupied) | attacks(&DIAGONAL, diagonal, occupied)
        }
        (Operation::Ray(direction), &[sliders, occupied]) => {
            attacks(&[step(direction)], sliders, occupied | sliders)
        }
        (Operation::Fill(direction), &[generators, propagators]) => {
            fill(step(direction), generators, propagators)
        }
        _ => panic!("{} does not take {} sets", operation.name(), sets.len()),
    }
}

fn step(direction: Direction) -> Step {
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

/// The squares beyond `square`, up to the edge of the board.
fn path(square: usize, (east, north): Step) -> impl Iterator<Item = u64> {
    let (mut file, mut rank) = ((square % 8).cast_signed(), (square / 8).cast_signed());
    std::iter::from_fn(move || {
        (file, rank) = (file + east as isize, rank + north as isize);
        let inside = (0..8).contains(&file) && (0..8).contains(&rank);
        inside.then(|| 1 << (8 * rank + file))
    })
}

fn squares(set: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |square| set >> square & 1 == 1)
}

fn attacks(steps: &[Step], sliders: u64, occupied: u64) -> u64 {
    let mut attacked = 0;
    for square in squares(sliders) {
        for &step in steps {
            for reached in path(square, step) {
                attacked |= reached;
                if occupied & reached != 0 {
                    break;
                }
            }
        }
    }
    attacked
}

fn fill(step: Step, generators: u64, propagators: u64) -> u64 {
    let mut filled = generators;
    for square in squares(generators) {
        for reached in path(square, step) {
            if propagators & reached == 0 {
                break;
            }
            filled |= reached;
        }
    }
    filled
}
