//! Times attack maps of whole positions: in batches, in columns, one position per call, and by
//! look-ups piece by piece.

use std::time::Duration;

use setwise::Kernel;
use setwise::position::{AttackMapColumns, AttackMaps, Position, PositionColumns};

use crate::clock::clocked;
use crate::figures::{Figure, Input, Kind, Section};
use crate::race::{Length, Race};
use crate::settings::{BASELINE, IN_CACHE, Options};

/// The bitboards of positions or of their attack maps, one column per bitboard. Positions have one
/// column per side and kind of piece. Maps also have columns for the unions and the threats of each
/// side.
#[derive(Clone, Debug)]
pub struct Columns(Vec<Vec<u64>>);

/// The number of columns of positions.
const SETS: usize = 12;
/// The number of columns of attack maps.
const MAPS: usize = 16;

impl Columns {
    /// Copies the sets of positions to columns.
    #[must_use]
    pub fn of_positions(positions: &[Position]) -> Columns {
        let set = |i| positions.iter().map(|p| p.pieces.as_flattened()[i]).collect();
        Columns((0..SETS).map(set).collect())
    }

    /// Makes columns of empty sets for `count` attack maps.
    #[must_use]
    pub fn of_maps(count: usize) -> Columns {
        Columns(vec![vec![0; count]; MAPS])
    }

    /// The maps of position `i`.
    #[must_use]
    pub fn maps(&self, i: usize) -> AttackMaps {
        let words: Vec<u64> = self.0.iter().map(|column| column[i]).collect();
        bytemuck::pod_read_unaligned(bytemuck::cast_slice(&words))
    }

    /// Computes the attack maps of `positions` and writes them to these columns.
    ///
    /// # Panics
    /// If `self` does not hold attack maps, or if the numbers of maps and positions differ.
    pub fn compute(&mut self, kernel: &Kernel, positions: &Columns) {
        let pieces = [0, 6].map(|first| std::array::from_fn(|kind| &*positions.0[first + kind]));
        let mut sets = self.0.iter_mut().map(|set| Some(set.as_mut_slice()));
        let mut next = || sets.next().expect("16 columns");
        let mut maps = AttackMapColumns {
            attacks: std::array::from_fn(|_| std::array::from_fn(|_| next())),
            all: std::array::from_fn(|_| next()),
            by_lesser: std::array::from_fn(|_| next()),
        };
        kernel.attack_maps_in_columns(&PositionColumns { pieces }, &mut maps);
    }
}

/// Computes attack maps with the look-ups of `cozy-chess`, piece by piece.
#[cfg(feature = "peers")]
#[must_use]
pub fn by_look_ups(position: &Position) -> AttackMaps {
    use cozy_chess::{
        BitBoard, Color, get_bishop_moves, get_king_moves, get_knight_moves, get_pawn_attacks,
        get_rook_moves,
    };
    let occupied = BitBoard(position.occupied());
    let mut maps = AttackMaps::default();
    for (side, color) in Color::ALL.into_iter().enumerate() {
        for (kind, &set) in position.pieces[side].iter().enumerate() {
            for square in BitBoard(set) {
                maps.attacks[side][kind] |= match kind {
                    0 => get_pawn_attacks(square, color),
                    1 => get_knight_moves(square),
                    2 => get_bishop_moves(square, occupied),
                    3 => get_rook_moves(square, occupied),
                    4 => get_bishop_moves(square, occupied) | get_rook_moves(square, occupied),
                    _ => get_king_moves(square),
                }
                .0;
            }
        }
        let [pawns, knights, bishops, rooks, queens, kings] = maps.attacks[side];
        let [_, n, b, r, q, _] = position.pieces[1 - side];
        let minor = pawns | knights | bishops;
        maps.all[side] = minor | rooks | queens | kings;
        maps.by_lesser[side] = pawns & (n | b) | minor & r | (minor | rooks) & q;
    }
    maps
}

/// A way to compute the maps of all positions.
#[derive(Clone, Copy)]
enum Way {
    Batch(&'static Kernel),
    Columns(&'static Kernel),
    One(&'static Kernel),
    #[cfg(feature = "peers")]
    LookUps,
}

impl Way {
    /// The operation under which the figures list this way. (`figures` repeats the look-ups under
    /// the two other operations, for comparison.)
    fn operation(self) -> &'static str {
        match self {
            Way::Batch(_) => "attack_maps",
            Way::Columns(_) => "attack_maps_in_columns",
            Way::One(_) => "attack_maps_one",
            #[cfg(feature = "peers")]
            Way::LookUps => "attack_maps_one",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Way::Batch(kernel) | Way::Columns(kernel) | Way::One(kernel) => kernel.name(),
            #[cfg(feature = "peers")]
            Way::LookUps => crate::peers::magic::NAME,
        }
    }
}

/// Describes the positions for the figures.
pub(crate) fn input() -> Input {
    Input {
        name: INPUT.into(),
        boards: IN_CACHE,
        about: "each of the 32 pieces is on a random square, or captured with probability 1/3"
            .into(),
    }
}

const INPUT: &str = "positions";

/// Random positions, the same in every run.
#[must_use]
pub fn random_positions(count: usize) -> Vec<Position> {
    let mut rng = fastrand::Rng::with_seed(0x3a95);
    (0..count).map(|_| random(&mut rng)).collect()
}

fn random(rng: &mut fastrand::Rng) -> Position {
    let mut position = Position::default();
    let mut free: Vec<u32> = (0..64).collect();
    rng.shuffle(&mut free);
    for side in &mut position.pieces {
        for (set, count) in side.iter_mut().zip([8, 2, 2, 2, 1, 1]) {
            for _ in 0..count {
                if let Some(square) = free.pop().filter(|_| rng.u8(..3) > 0) {
                    *set |= 1 << square;
                }
            }
        }
    }
    position
}

/// Whether the way uses look-ups, which the figures list under all three operations.
fn is_look_ups(way: Way) -> bool {
    #[cfg(feature = "peers")]
    return matches!(way, Way::LookUps);
    #[cfg(not(feature = "peers"))]
    return {
        let _ = way;
        false
    };
}

/// A race between all ways, on random positions.
pub(crate) struct MapsJob {
    positions: Vec<Position>,
    expected: Vec<AttackMaps>,
    ways: Vec<Way>,
    race: Race,
}

impl MapsJob {
    /// Plans the race. Returns `None` if the user selects operations or numbers of boards.
    pub(crate) fn new(options: &Options) -> Option<MapsJob> {
        if !options.operations.is_empty() || !options.boards.is_empty() {
            return None;
        }
        let mut kernels = options.kernels.clone();
        if let Ok(baseline) = Kernel::by_name(BASELINE)
            && !kernels.contains(&baseline)
        {
            kernels.push(baseline);
        }
        let each = [Way::Batch, Way::Columns, Way::One];
        let ways = each.iter().flat_map(|way| kernels.iter().map(|kernel| way(kernel)));
        #[cfg(feature = "peers")]
        let ways = ways.chain([Way::LookUps]);
        let positions = random_positions(IN_CACHE);
        let expected = positions.iter().map(setwise_check::oracle::attack_maps).collect();
        Some(MapsJob { positions, expected, ways: ways.collect(), race: Race::default() })
    }

    /// Compares the results with the oracle's. Removes ways that fail, and returns their names and
    /// errors.
    pub(crate) fn check(&mut self) -> Vec<(&'static str, String)> {
        let columns = Columns::of_positions(&self.positions);
        let mut wrong = vec![];
        let (positions, expected) = (&self.positions, &self.expected);
        self.ways.retain(|way| {
            let mut maps = vec![AttackMaps::default(); positions.len()];
            match *way {
                Way::Columns(kernel) => {
                    let mut results = Columns::of_maps(positions.len());
                    results.compute(kernel, &columns);
                    maps = (0..positions.len()).map(|i| results.maps(i)).collect();
                }
                way => compute(way, positions, &mut maps),
            }
            let place = maps.iter().zip(expected).position(|(found, right)| found != right);
            if let Some(place) = place {
                let (name, operation) = (way.name(), way.operation());
                wrong.push((name, format!("{name}, {operation}: position {place} is wrong")));
            }
            place.is_none()
        });
        wrong
    }

    /// Times a few rounds. Every sample has the positions in a new order.
    pub(crate) fn rounds(&mut self, quick: bool) {
        let (rounds, micros) = if quick { (4, 60) } else { (5, 120) };
        let length = Length { rounds, sample: Duration::from_micros(micros) };
        let mut maps = vec![AttackMaps::default(); self.positions.len()];
        let mut results = Columns::of_maps(self.positions.len());
        let (ways, positions) = (&self.ways, &mut self.positions);
        self.race.continue_for(ways.len(), length, |i, iterations| {
            fastrand::shuffle(positions);
            match ways[i] {
                Way::Columns(kernel) => {
                    let columns = Columns::of_positions(positions);
                    clocked(0.0, || {
                        (0..iterations).for_each(|_| results.compute(kernel, &columns));
                    })
                }
                way => clocked(0.0, || {
                    (0..iterations).for_each(|_| compute(way, positions, &mut maps));
                }),
            }
        });
    }

    pub(crate) fn figures(&self, tsc_ghz: Option<f64>) -> Vec<Figure> {
        let count = self.positions.len();
        let bytes = size_of::<Position>() + size_of::<AttackMaps>();
        let figure = |(i, way): (usize, &Way), operation: &str| {
            let baseline = self
                .ways
                .iter()
                .position(|other| other.operation() == operation && other.name() == BASELINE);
            let kind = if is_look_ups(*way) { Kind::Peer } else { Kind::Kernel };
            let a_call = if operation == "attack_maps_one" { 1 } else { count };
            let figure = Figure::new(
                (Section::Maps, operation, INPUT),
                (way.name(), kind),
                (a_call, count, bytes),
                (&self.race.times, i, count),
                tsc_ghz,
            );
            Figure { to_scalar: baseline.map(|to| self.race.times.ratio(i, to)), ..figure }
        };
        let mut figures = vec![];
        for operation in ["attack_maps", "attack_maps_in_columns", "attack_maps_one"] {
            let own = self.ways.iter().enumerate();
            let own = own.filter(|(_, way)| way.operation() == operation || is_look_ups(**way));
            figures.extend(own.map(|entry| figure(entry, operation)));
        }
        figures
    }
}

/// Computes the maps of all positions in a way that does not use columns.
fn compute(way: Way, positions: &[Position], maps: &mut [AttackMaps]) {
    let each = positions.iter().zip(&mut *maps);
    match way {
        Way::Batch(kernel) => kernel.attack_maps(positions, maps),
        Way::One(kernel) => {
            each.for_each(|(position, maps)| *maps = kernel.attack_maps_one(position));
        }
        #[cfg(feature = "peers")]
        Way::LookUps => each.for_each(|(position, maps)| *maps = by_look_ups(position)),
        Way::Columns(_) => unreachable!("columns are computed by `Columns`"),
    }
}
