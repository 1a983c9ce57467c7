//! The oracle: what every operation means, one square at a time.
//!
//! Written to be read, and unlike every kernel: a piece stands on a (file, rank), walks one step,
//! looks where it is, and stops. Sets are never shifted, filled, multiplied or looked up; a bit is
//! touched only to ask whether one square is in a set or to put one square in.
//!
//! The tests of the library have it from here, because a package holds only what lies in its folder. Every operation of the crate's list has a function of its name here. A square is its number, a direction or a line
//! its steps; and every attack operation takes the sliders it is given as blockers too.

/// A step on the board: files to the east, ranks to the north.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) east: i8,
    pub(crate) north: i8,
}

/// The steps of a rook: north, east, south, west.
pub(crate) const ROOK: [Step; 4] = [step(0, 1), step(1, 0), step(0, -1), step(-1, 0)];
/// The steps of a bishop: north-east, south-east, south-west, north-west.
pub(crate) const BISHOP: [Step; 4] = [step(1, 1), step(1, -1), step(-1, -1), step(-1, 1)];
/// The steps of a queen.
pub(crate) const QUEEN: [Step; 8] = [
    ROOK[0], ROOK[1], ROOK[2], ROOK[3], BISHOP[0], BISHOP[1], BISHOP[2], BISHOP[3],
];

pub(crate) const fn step(east: i8, north: i8) -> Step {
    Step { east, north }
}

/// A square of the board. Files a to h and ranks 1 to 8 count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: i8,
    pub(crate) rank: i8,
}

impl Place {
    /// All 64, from a1 over h1 to h8.
    pub(crate) fn all() -> impl Iterator<Item = Place> {
        (0..8).flat_map(|rank| (0..8).map(move |file| Place { file, rank }))
    }

    /// The place one step on, if it is on the board.
    pub(crate) fn after(self, step: Step) -> Option<Place> {
        let (file, rank) = (self.file + step.east, self.rank + step.north);
        ((0..8).contains(&file) && (0..8).contains(&rank)).then_some(Place { file, rank })
    }

    /// The set of this square alone: a1 is bit 0, h1 bit 7, a8 bit 56.
    pub(crate) fn alone(self) -> u64 {
        1 << (8 * self.rank + self.file)
    }

    pub(crate) fn is_in(self, set: u64) -> bool {
        set & self.alone() != 0
    }
}

/// The squares that pieces on `sliders` attack by moving along `steps`: each piece walks until it
/// leaves the board or has entered an occupied square, which it attacks as well.
pub(crate) fn attacks(steps: &[Step], sliders: u64, occupied: u64) -> u64 {
    let mut attacked = 0;
    for slider in Place::all().filter(|place| place.is_in(sliders)) {
        for &step in steps {
            let mut place = slider;
            while let Some(next) = place.after(step) {
                attacked |= next.alone();
                if next.is_in(occupied) || next.is_in(sliders) {
                    break;
                }
                place = next;
            }
        }
    }
    attacked
}

pub(crate) fn rook_attacks(rooks: u64, occupied: u64) -> u64 {
    attacks(&ROOK, rooks, occupied)
}

pub(crate) fn bishop_attacks(bishops: u64, occupied: u64) -> u64 {
    attacks(&BISHOP, bishops, occupied)
}

pub(crate) fn queen_attacks(queens: u64, occupied: u64) -> u64 {
    rook_attacks(queens, occupied) | bishop_attacks(queens, occupied)
}

pub(crate) fn slider_attacks(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
    let (orthogonal, diagonal) = slider_attacks_split(orthogonal, diagonal, occupied);
    orthogonal | diagonal
}

/// The sliders of both kinds block each other.
pub(crate) fn slider_attacks_split(orthogonal: u64, diagonal: u64, occupied: u64) -> (u64, u64) {
    let occupied = occupied | orthogonal | diagonal;
    (
        rook_attacks(orthogonal, occupied),
        bishop_attacks(diagonal, occupied),
    )
}

pub(crate) fn ray_attacks(step: &[Step], sliders: u64, occupied: u64) -> u64 {
    attacks(step, sliders, occupied)
}

/// From each generator on, as long as the next square is on the board and a propagator. Generators are
/// in the fill whether or not they propagate.
pub(crate) fn occluded_fill(steps: &[Step], generators: u64, propagators: u64) -> u64 {
    let mut filled = generators;
    for generator in Place::all().filter(|place| place.is_in(generators)) {
        for &step in steps {
            let mut place = generator;
            while let Some(next) = place.after(step).filter(|next| next.is_in(propagators)) {
                filled |= next.alone();
                place = next;
            }
        }
    }
    filled
}

/// The first occupied square from a place on in the direction of `step`.
fn first_occupied(from: Place, step: Step, occupied: u64) -> Option<Place> {
    let mut place = from.after(step)?;
    while !place.is_in(occupied) {
        place = place.after(step)?;
    }
    Some(place)
}

/// The x-rays of pieces that move along `steps`: each walks to the first occupied square; if that is
/// one of `blockers`, it walks on from there until it leaves the board or has entered another
/// occupied square.
pub(crate) fn xray_attacks(steps: &[Step], sliders: u64, blockers: u64, occupied: u64) -> u64 {
    let occupied = occupied | sliders;
    let mut attacked = 0;
    for slider in Place::all().filter(|place| place.is_in(sliders)) {
        for &step in steps {
            let first = first_occupied(slider, step, occupied);
            let mut behind = first.filter(|place| place.is_in(blockers));
            while let Some(next) = behind.and_then(|place| place.after(step)) {
                attacked |= next.alone();
                behind = Some(next).filter(|place| !place.is_in(occupied));
            }
        }
    }
    attacked
}

pub(crate) fn xray_rook_attacks(rooks: u64, blockers: u64, occupied: u64) -> u64 {
    xray_attacks(&ROOK, rooks, blockers, occupied)
}

pub(crate) fn xray_bishop_attacks(bishops: u64, blockers: u64, occupied: u64) -> u64 {
    xray_attacks(&BISHOP, bishops, blockers, occupied)
}

pub(crate) fn xray_queen_attacks(queens: u64, blockers: u64, occupied: u64) -> u64 {
    xray_attacks(&QUEEN, queens, blockers, occupied)
}

/// The pinned pieces and the pinners. From each king each way: an own piece comes first, and next
/// a slider that moves that way.
pub(crate) fn pins(
    kings: u64,
    own: u64,
    orthogonal: u64,
    diagonal: u64,
    occupied: u64,
) -> (u64, u64) {
    let occupied = occupied | kings | own | orthogonal | diagonal;
    let (mut pinned, mut pinners) = (0, 0);
    for king in Place::all().filter(|place| place.is_in(kings)) {
        for (steps, sliders) in [(ROOK, orthogonal), (BISHOP, diagonal)] {
            for step in steps {
                let Some(first) = first_occupied(king, step, occupied) else {
                    continue;
                };
                let Some(second) = first_occupied(first, step, occupied) else {
                    continue;
                };
                if first.is_in(own) && second.is_in(sliders) {
                    pinned |= first.alone();
                    pinners |= second.alone();
                }
            }
        }
    }
    (pinned, pinners)
}

/// The squares met on the way from one square to another; `None` if no way of a queen leads there.
fn way(from: u64, to: u64) -> Option<(Step, u64)> {
    let from = Place::all().find(|place| place.alone() == 1 << from)?;
    for step in QUEEN {
        let (mut place, mut met) = (from, 0);
        while let Some(next) = place.after(step) {
            if next.alone() == 1 << to {
                return Some((step, met));
            }
            met |= next.alone();
            place = next;
        }
    }
    None
}

pub(crate) fn between(a: u64, b: u64) -> u64 {
    way(a, b).map_or(0, |(_, met)| met)
}

/// Both ways from `a` to the edges.
pub(crate) fn line_through(a: u64, b: u64) -> u64 {
    way(a, b).map_or(0, |(there, _)| {
        let back = step(-there.east, -there.north);
        1 << a | attacks(&[there, back], 1 << a, 0)
    })
}

/// How many squares are in both sets.
pub(crate) fn count(a: u64, b: u64) -> u64 {
    Place::all()
        .filter(|place| place.is_in(a) && place.is_in(b))
        .count() as u64
}

pub(crate) fn rook_mobility(rooks: u64, occupied: u64, targets: u64) -> u64 {
    count(rook_attacks(rooks, occupied), targets)
}

pub(crate) fn bishop_mobility(bishops: u64, occupied: u64, targets: u64) -> u64 {
    count(bishop_attacks(bishops, occupied), targets)
}

pub(crate) fn queen_mobility(queens: u64, occupied: u64, targets: u64) -> u64 {
    count(queen_attacks(queens, occupied), targets)
}

pub(crate) fn slider_mobility(orthogonal: u64, diagonal: u64, occupied: u64, targets: u64) -> u64 {
    count(slider_attacks(orthogonal, diagonal, occupied), targets)
}

pub(crate) fn rook_attacks_from(square: u64, occupied: u64) -> u64 {
    rook_attacks(1 << square, occupied)
}

pub(crate) fn bishop_attacks_from(square: u64, occupied: u64) -> u64 {
    bishop_attacks(1 << square, occupied)
}

pub(crate) fn queen_attacks_from(square: u64, occupied: u64) -> u64 {
    queen_attacks(1 << square, occupied)
}

pub(crate) fn line_attacks_from(steps: &[Step], square: u64, occupied: u64) -> u64 {
    attacks(steps, 1 << square, occupied)
}
