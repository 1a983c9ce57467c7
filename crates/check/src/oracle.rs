//! The oracle: a reference implementation of every operation, one square at a time.
//!
//! It is written for readability and uses none of the kernels' techniques. A piece stands on a file
//! and a rank, and walks step by step until it is blocked. Sets are never shifted, filled,
//! multiplied or looked up. Bits are used only to list the squares of a set, to test whether a
//! square is in it, and to add a square.
//!
//! Every operation has a function here, usually of the same name. Squares are passed as numbers.
//! Directions, lines and sides are passed as steps. Sliders always block, whether or not they are
//! in the occupancy.

use setwise::position::{AttackMaps, Checks, Position};
use setwise::{Direction, Line, Side};

/// A step on the board, in files to the east and ranks to the north.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub east: i8,
    pub north: i8,
}

/// Converts a direction, a line or a side to steps.
pub trait Steps {
    /// One step for a direction, two for a line, and both pawn captures for a side.
    fn steps(self) -> Vec<Step>;
}

impl Steps for Direction {
    fn steps(self) -> Vec<Step> {
        vec![match self {
            Direction::North => step(0, 1),
            Direction::NorthEast => step(1, 1),
            Direction::East => step(1, 0),
            Direction::SouthEast => step(1, -1),
            Direction::South => step(0, -1),
            Direction::SouthWest => step(-1, -1),
            Direction::West => step(-1, 0),
            Direction::NorthWest => step(-1, 1),
        }]
    }
}

impl Steps for Line {
    fn steps(self) -> Vec<Step> {
        let there = match self {
            Line::Rank => step(1, 0),
            Line::File => step(0, 1),
            Line::Diagonal => step(1, 1),
            Line::Antidiagonal => step(1, -1),
        };
        vec![there, step(-there.east, -there.north)]
    }
}

impl Steps for Side {
    fn steps(self) -> Vec<Step> {
        let ahead = match self {
            Side::White => 1,
            Side::Black => -1,
        };
        vec![step(-1, ahead), step(1, ahead)]
    }
}

/// The steps of a rook: north, east, south, west.
pub const ROOK: [Step; 4] = [step(0, 1), step(1, 0), step(0, -1), step(-1, 0)];
/// The steps of a bishop: north-east, south-east, south-west, north-west.
pub const BISHOP: [Step; 4] = [step(1, 1), step(1, -1), step(-1, -1), step(-1, 1)];
/// The steps of a queen.
pub const QUEEN: [Step; 8] =
    [ROOK[0], ROOK[1], ROOK[2], ROOK[3], BISHOP[0], BISHOP[1], BISHOP[2], BISHOP[3]];

pub const fn step(east: i8, north: i8) -> Step {
    Step { east, north }
}

/// A square, by file and rank. Both count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: i8,
    pub rank: i8,
}

impl Place {
    /// All 64 squares: a1, b1 and so on up to h8.
    pub fn all() -> impl Iterator<Item = Place> {
        Place::of(!0)
    }

    /// The squares of a set, in the same order.
    pub fn of(mut set: u64) -> impl Iterator<Item = Place> {
        std::iter::from_fn(move || {
            if set == 0 {
                return None;
            }
            let lowest = set.trailing_zeros() as usize;
            set &= set - 1;
            Some(Place::at(lowest))
        })
    }

    /// The square of a number: a1 is 0, h1 is 7, a8 is 56.
    pub fn at(number: usize) -> Place {
        Place { file: (number % 8) as i8, rank: (number / 8) as i8 }
    }

    /// The number of the square.
    pub fn number(self) -> usize {
        (8 * self.rank + self.file).cast_unsigned().into()
    }

    /// The square one step away, if it is on the board.
    pub fn after(self, step: Step) -> Option<Place> {
        let (file, rank) = (self.file + step.east, self.rank + step.north);
        ((0..8).contains(&file) && (0..8).contains(&rank)).then_some(Place { file, rank })
    }

    /// All squares from the next one in this direction to the edge of the board.
    pub fn walk(self, step: Step) -> impl Iterator<Item = Place> {
        std::iter::successors(self.after(step), move |place| place.after(step))
    }

    /// The set that contains only this square: its number is the bit.
    pub fn alone(self) -> u64 {
        1 << self.number()
    }

    pub fn is_in(self, set: u64) -> bool {
        set & self.alone() != 0
    }
}

/// The squares of a walk that ends at the first occupied square, which is one of them.
fn until_blocked(walk: impl Iterator<Item = Place>, occupied: u64) -> u64 {
    let mut entered = 0;
    for place in walk {
        entered |= place.alone();
        if place.is_in(occupied) {
            break;
        }
    }
    entered
}

/// The squares attacked by sliders that move along `steps`. Each slider walks until it leaves the
/// board or enters an occupied square, which it also attacks.
pub fn attacks(steps: &[Step], sliders: u64, occupied: u64) -> u64 {
    let mut attacked = 0;
    for slider in Place::of(sliders) {
        for &step in steps {
            attacked |= until_blocked(slider.walk(step), occupied | sliders);
        }
    }
    attacked
}

/// Defines the operations on pieces that move by `$steps`.
macro_rules! of_sliders {
    ($($steps:ident: $attacks:ident $xray:ident $mobility:ident $from:ident;)*) => { $(
        pub fn $attacks(sliders: u64, occupied: u64) -> u64 {
            attacks(&$steps, sliders, occupied)
        }

        pub fn $xray(sliders: u64, blockers: u64, occupied: u64) -> u64 {
            xray_attacks(&$steps, sliders, blockers, occupied)
        }

        pub fn $mobility(sliders: u64, occupied: u64, targets: u64) -> u64 {
            count($attacks(sliders, occupied), targets)
        }

        pub fn $from(square: u64, occupied: u64) -> u64 {
            $attacks(1 << square, occupied)
        }
    )* };
}

of_sliders! {
    ROOK: rook_attacks xray_rook_attacks rook_mobility rook_attacks_from;
    BISHOP: bishop_attacks xray_bishop_attacks bishop_mobility bishop_attacks_from;
    QUEEN: queen_attacks xray_queen_attacks queen_mobility queen_attacks_from;
}

pub fn slider_attacks(orthogonal: u64, diagonal: u64, occupied: u64) -> u64 {
    let (orthogonal, diagonal) = slider_attacks_split(orthogonal, diagonal, occupied);
    orthogonal | diagonal
}

/// The attacks of the orthogonal sliders, then those of the diagonal ones. Sliders of both kinds
/// block each other.
pub fn slider_attacks_split(orthogonal: u64, diagonal: u64, occupied: u64) -> (u64, u64) {
    let occupied = occupied | orthogonal | diagonal;
    (rook_attacks(orthogonal, occupied), bishop_attacks(diagonal, occupied))
}

pub fn ray_attacks(step: &[Step], sliders: u64, occupied: u64) -> u64 {
    attacks(step, sliders, occupied)
}

/// The generators and all squares that they reach. A generator walks for as long as the next square
/// is on the board and is a propagator. Generators need not be propagators themselves.
pub fn occluded_fill(steps: &[Step], generators: u64, propagators: u64) -> u64 {
    let mut filled = generators;
    for generator in Place::of(generators) {
        for &step in steps {
            for place in generator.walk(step).take_while(|place| place.is_in(propagators)) {
                filled |= place.alone();
            }
        }
    }
    filled
}

/// The x-ray attacks of sliders that move along `steps`. Each slider walks to the first occupied
/// square. If that square is in `blockers`, the slider walks on until it leaves the board or enters
/// another occupied square. Only the squares beyond the blocker are attacked.
pub fn xray_attacks(steps: &[Step], sliders: u64, blockers: u64, occupied: u64) -> u64 {
    let occupied = occupied | sliders;
    let mut attacked = 0;
    for slider in Place::of(sliders) {
        for &step in steps {
            let mut walk = slider.walk(step);
            let first = walk.find(|place| place.is_in(occupied));
            if first.is_some_and(|place| place.is_in(blockers)) {
                attacked |= until_blocked(walk, occupied);
            }
        }
    }
    attacked
}

/// The pinned pieces and the pinners. On a ray from a king, a pinned piece is the first piece and
/// belongs to the king's side. The pinner is the second piece, a slider that moves along the ray.
pub fn pins(kings: u64, own: u64, orthogonal: u64, diagonal: u64, occupied: u64) -> (u64, u64) {
    let occupied = occupied | kings | own | orthogonal | diagonal;
    let (mut pinned, mut pinners) = (0, 0);
    for king in Place::of(kings) {
        for (steps, sliders) in [(ROOK, orthogonal), (BISHOP, diagonal)] {
            for step in steps {
                let mut pieces = king.walk(step).filter(|place| place.is_in(occupied));
                if let (Some(first), Some(second)) = (pieces.next(), pieces.next())
                    && first.is_in(own)
                    && second.is_in(sliders)
                {
                    pinned |= first.alone();
                    pinners |= second.alone();
                }
            }
        }
    }
    (pinned, pinners)
}

/// The step that leads from one square to another, and the squares between them. `None` if no queen
/// move connects them.
fn path(from: u64, to: u64) -> Option<(Step, u64)> {
    for step in QUEEN {
        let mut between = 0;
        for place in Place::at(from as usize).walk(step) {
            if place.number() == to as usize {
                return Some((step, between));
            }
            between |= place.alone();
        }
    }
    None
}

pub fn between(a: u64, b: u64) -> u64 {
    path(a, b).map_or(0, |(_, between)| between)
}

/// The line through both squares, walked from `a` to the edges in both directions.
pub fn line_through(a: u64, b: u64) -> u64 {
    path(a, b).map_or(0, |(there, _)| {
        let back = step(-there.east, -there.north);
        1 << a | attacks(&[there, back], 1 << a, 0)
    })
}

/// The number of squares that are in both sets.
pub fn count(a: u64, b: u64) -> u64 {
    Place::of(a & b).count() as u64
}

pub fn slider_mobility(orthogonal: u64, diagonal: u64, occupied: u64, targets: u64) -> u64 {
    count(slider_attacks(orthogonal, diagonal, occupied), targets)
}

pub fn line_attacks_from(steps: &[Step], square: u64, occupied: u64) -> u64 {
    attacks(steps, 1 << square, occupied)
}

/// The steps of a knight.
pub const KNIGHT: [Step; 8] = [
    step(1, 2),
    step(2, 1),
    step(2, -1),
    step(1, -2),
    step(-1, -2),
    step(-2, -1),
    step(-2, 1),
    step(-1, 2),
];

/// The squares that pieces attack by making one of `steps` once, as knights, kings and pawns do.
pub fn jumps(steps: &[Step], jumpers: u64) -> u64 {
    let mut attacked = 0;
    for from in Place::of(jumpers) {
        for to in steps.iter().filter_map(|&step| from.after(step)) {
            attacked |= to.alone();
        }
    }
    attacked
}

pub fn knight_attacks(knights: u64) -> u64 {
    jumps(&KNIGHT, knights)
}

pub fn king_attacks(kings: u64) -> u64 {
    jumps(&QUEEN, kings)
}

pub fn pawn_attacks(captures: &[Step], pawns: u64) -> u64 {
    jumps(captures, pawns)
}

/// The attacks of the bishops, of the rooks and of the queens. All these sliders block, whether or
/// not they are in `occupied`.
pub fn sliders_by_kind(bishops: u64, rooks: u64, queens: u64, occupied: u64) -> [u64; 3] {
    let occupied = occupied | bishops | rooks | queens;
    [
        bishop_attacks(bishops, occupied),
        rook_attacks(rooks, occupied),
        queen_attacks(queens, occupied),
    ]
}

/// The attacks of a side's pieces, by kind, and their union.
#[expect(clippy::too_many_arguments, reason = "each is a column of the batch")]
pub fn side_attacks(
    captures: &[Step],
    pawns: u64,
    knights: u64,
    bishops: u64,
    rooks: u64,
    queens: u64,
    kings: u64,
    occupied: u64,
) -> [u64; 7] {
    let [bishops, rooks, queens] = sliders_by_kind(bishops, rooks, queens, occupied);
    let (pawns, knights) = (pawn_attacks(captures, pawns), knight_attacks(knights));
    let kings = king_attacks(kings);
    let all = pawns | knights | bishops | rooks | queens | kings;
    [pawns, knights, bishops, rooks, queens, kings, all]
}

/// The squares that at least two moves reach. Moves are the slides of sliders, the steps of kings
/// and pawns, and the jumps of knights. If two pieces on one square make the same slide, such as a
/// rook and a queen, the slide counts once. The same holds for the steps of a king and a pawn.
#[expect(clippy::too_many_arguments, reason = "each is a column of the batch")]
pub fn doubly_attacked(
    captures: &[Step],
    pawns: u64,
    knights: u64,
    bishops: u64,
    rooks: u64,
    queens: u64,
    kings: u64,
    occupied: u64,
) -> u64 {
    let occupied = occupied | bishops | rooks | queens;
    let mut moves = [0_u8; 64];
    let mut count = |reached| Place::of(reached).for_each(|to| moves[to.number()] += 1);
    for from in Place::of(pawns | knights | bishops | rooks | queens | kings) {
        for step in QUEEN {
            if from.is_in(queens | if ROOK.contains(&step) { rooks } else { bishops }) {
                count(until_blocked(from.walk(step), occupied));
            }
            if from.is_in(kings | if captures.contains(&step) { pawns } else { 0 }) {
                count(jumps(&[step], from.alone()));
            }
        }
        if from.is_in(knights) {
            count(knight_attacks(from.alone()));
        }
    }
    Place::all().zip(moves).filter(|(_, moves)| *moves >= 2).map(|(place, _)| place.alone()).sum()
}

/// The union of sets.
fn all_of(sets: &[u64]) -> u64 {
    sets.iter().fold(0, |all, set| all | set)
}

/// The attacks of a side's pieces by kind, and their union.
fn attacks_of(side: usize, pieces: [u64; 6], occupied: u64) -> [u64; 7] {
    let captures = [Side::White, Side::Black][side].steps();
    let [pawns, knights, bishops, rooks, queens, kings] = pieces;
    side_attacks(&captures, pawns, knights, bishops, rooks, queens, kings, occupied)
}

/// The values of the pieces, from pawn to queen. A king has no value.
const PIECE_VALUES: [u32; 5] = [1, 3, 3, 5, 9];

/// The attacks per side and kind of piece, the union per side, and the threats: each side's attacks
/// on more valuable enemy pieces.
pub fn attack_maps(Position { pieces }: &Position) -> AttackMaps {
    let occupied = all_of(pieces.as_flattened());
    let mut maps = AttackMaps::default();
    for side in 0..2 {
        let [attacks @ .., all] = attacks_of(side, pieces[side], occupied);
        (maps.attacks[side], maps.all[side]) = (attacks, all);
        for (attacker, attacker_value) in PIECE_VALUES.into_iter().enumerate() {
            for (target, target_value) in PIECE_VALUES.into_iter().enumerate() {
                if attacker_value < target_value {
                    maps.by_lesser[side] |= attacks[attacker] & pieces[1 - side][target];
                }
            }
        }
    }
    maps
}

/// Checkers, pinned pieces and pinners, indexed by the king's side.
pub fn checks(Position { pieces }: &Position) -> Checks {
    let occupied = all_of(pieces.as_flattened());
    let mut result = Checks::default();
    for side in 0..2 {
        let (own, others) = (pieces[side], pieces[1 - side]);
        for place in Place::of(all_of(&others[..5])) {
            let mut alone = others.map(|set| set & place.alone());
            alone[5] = 0; // Kings do not check.
            let [.., attacked] = attacks_of(1 - side, alone, occupied);
            if attacked & own[5] != 0 {
                result.checkers[side] |= place.alone();
            }
        }
        let (straight, diagonal) = (others[3] | others[4], others[2] | others[4]);
        (result.pinned[side], result.pinners[side]) =
            pins(own[5], all_of(&own), straight, diagonal, occupied);
    }
    result
}
