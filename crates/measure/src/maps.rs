//! Times attack maps and checks of whole positions: in batches, in columns, one position per call,
//! and by look-ups piece by piece.

use std::time::Duration;

use setwise::Kernel;
use setwise::position::{AttackMapColumns, AttackMaps, Checks, Position, PositionColumns};

use crate::clock::clocked;
use crate::contender::Kind;
use crate::counters::Counters;
use crate::figures::{Figure, Input, Section, Setting};
use crate::plan::{Job, Wrong};
use crate::race::{Length, Race};
use crate::settings::{BASELINE, IN_CACHE, Options};

/// The bitboards of positions or of their attack maps, one column per bitboard. Positions have one
/// column per side and kind of piece. Maps also have columns for the unions and the threats of each
/// side.
#[derive(Clone, Debug)]
pub struct SetColumns(Vec<Vec<u64>>);

/// The number of columns of positions.
const SETS: usize = 12;
/// The number of columns of attack maps.
const MAPS: usize = 16;

impl SetColumns {
    /// Copies the sets of positions to columns.
    #[must_use]
    pub fn of_positions(positions: &[Position]) -> SetColumns {
        let set = |i| positions.iter().map(|p| p.pieces.as_flattened()[i]).collect();
        SetColumns((0..SETS).map(set).collect())
    }

    /// Makes columns of empty sets for `count` attack maps.
    #[must_use]
    pub fn of_maps(count: usize) -> SetColumns {
        SetColumns(vec![vec![0; count]; MAPS])
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
    pub fn compute(&mut self, kernel: &Kernel, positions: &SetColumns) {
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

/// A call that the job times.
#[derive(Clone, Copy, PartialEq)]
enum Call {
    Maps,
    MapsInColumns,
    MapsOne,
    Checks,
    ChecksOne,
    #[cfg(feature = "peers")]
    LookUps,
}

impl Call {
    const OF_KERNELS: [Call; 5] =
        [Call::Maps, Call::MapsInColumns, Call::MapsOne, Call::Checks, Call::ChecksOne];

    /// The operation under which the figures list this call. (The look-ups are repeated under all
    /// operations that compute maps, for comparison.)
    fn operation(self) -> &'static str {
        match self {
            Call::Maps => "attack_maps",
            Call::MapsInColumns => "attack_maps_in_columns",
            Call::MapsOne => "attack_maps_one",
            Call::Checks => "checks",
            Call::ChecksOne => "checks_one",
            #[cfg(feature = "peers")]
            Call::LookUps => "attack_maps_one",
        }
    }

    fn computes_checks(self) -> bool {
        matches!(self, Call::Checks | Call::ChecksOne)
    }

    fn kind(self) -> Kind {
        if Call::OF_KERNELS.contains(&self) { Kind::Kernel } else { Kind::Peer }
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

/// Where the calls write their results.
struct Results {
    maps: Vec<AttackMaps>,
    columns: SetColumns,
    checks: Vec<Checks>,
}

impl Results {
    fn of(count: usize) -> Results {
        Results {
            maps: vec![AttackMaps::default(); count],
            columns: SetColumns::of_maps(count),
            checks: vec![Checks::default(); count],
        }
    }
}

/// A race between all calls of all kernels, on random positions.
pub(crate) struct MapsJob {
    positions: Vec<Position>,
    entries: Vec<(&'static Kernel, Call)>,
    race: Race,
}

impl MapsJob {
    /// Plans the race. Returns `None` if the user selects operations.
    pub(crate) fn new(options: &Options) -> Option<MapsJob> {
        if !options.operations.is_empty() {
            return None;
        }
        let kernels = options.with_baseline();
        let of_call = |call| kernels.iter().map(move |&kernel| (kernel, call));
        let entries = Call::OF_KERNELS.into_iter().flat_map(of_call);
        #[cfg(feature = "peers")]
        let entries = entries.chain([(kernels[0], Call::LookUps)]);
        let (entries, positions) = (entries.collect(), random_positions(IN_CACHE));
        Some(MapsJob { positions, entries, race: Race::default() })
    }
}

/// The entry's name in the figures.
fn name((kernel, call): (&'static Kernel, Call)) -> &'static str {
    match call {
        #[cfg(feature = "peers")]
        Call::LookUps => crate::peers::magic::NAME,
        _ => kernel.name(),
    }
}

impl Job for MapsJob {
    fn step(&self) -> String {
        "whole positions".into()
    }

    fn check(&self) -> Vec<Wrong> {
        use setwise_check::oracle;
        let positions = &self.positions;
        let columns = SetColumns::of_positions(positions);
        let expected = Results {
            maps: positions.iter().map(oracle::attack_maps).collect(),
            checks: positions.iter().map(oracle::checks).collect(),
            columns: SetColumns::of_maps(0),
        };
        let mut wrong = Vec::new();
        for &entry in &self.entries {
            let mut results = Results::of(positions.len());
            compute(entry, positions, &columns, &mut results);
            let is_right = |&i: &usize| match entry.1 {
                call if call.computes_checks() => results.checks[i] == expected.checks[i],
                Call::MapsInColumns => results.columns.maps(i) == expected.maps[i],
                _ => results.maps[i] == expected.maps[i],
            };
            if let Some(i) = (0..positions.len()).find(|i| !is_right(i)) {
                let (name, operation) = (name(entry), entry.1.operation());
                wrong.push((name, format!("{name}, {operation}: position {i} is wrong")));
            }
        }
        wrong
    }

    fn remove(&mut self, names: &[&str]) {
        self.entries.retain(|&entry| !names.contains(&name(entry)));
    }

    /// Times a few rounds. Every sample has the positions in a new order.
    fn rounds(&mut self, quick: bool) {
        let (rounds, micros) = if quick { (4, 60) } else { (5, 120) };
        let length = Length { rounds, sample: Duration::from_micros(micros) };
        let mut results = Results::of(self.positions.len());
        let (entries, positions) = (&self.entries, &mut self.positions);
        self.race.continue_for(entries.len(), length, |i, iterations| {
            fastrand::shuffle(positions);
            let columns = SetColumns::of_positions(positions);
            clocked(|| {
                (0..iterations)
                    .for_each(|_| compute(entries[i], positions, &columns, &mut results));
            })
        });
    }

    fn figures(&self, _: Option<&mut Counters>) -> Vec<Figure> {
        let count = self.positions.len();
        let place = |name_of: &str, call: Call| {
            let mut entries = self.entries.iter();
            entries.position(|&entry| name(entry) == name_of && entry.1 == call)
        };
        let mut figures = vec![];
        for call in Call::OF_KERNELS {
            let result =
                if call.computes_checks() { size_of::<Checks>() } else { size_of::<AttackMaps>() };
            let is_one = matches!(call, Call::MapsOne | Call::ChecksOne);
            let setting = Setting {
                section: Section::Maps,
                operation: call.operation().into(),
                input: INPUT,
                boards_a_call: if is_one { 1 } else { count },
                boards: count,
                bytes_a_board: size_of::<Position>() + result,
            };
            let listed = |other: Call| {
                other == call || other.kind() == Kind::Peer && !call.computes_checks()
            };
            let own = self.entries.iter().enumerate().filter(|(_, entry)| listed(entry.1));
            figures.extend(own.map(|(i, &entry)| {
                let to_scalar = place(BASELINE, call).map(|to| self.race.times.ratio(i, to));
                let who = (name(entry), entry.1.kind());
                let figure = Figure::new(&setting, who, (&self.race.times, i, count));
                Figure { to_scalar, ..figure }
            }));
        }
        figures
    }
}

/// Computes the results of all positions with one kernel's call.
fn compute(
    (kernel, call): (&'static Kernel, Call),
    positions: &[Position],
    columns: &SetColumns,
    results: &mut Results,
) {
    let maps = positions.iter().zip(&mut results.maps);
    match call {
        Call::Maps => kernel.attack_maps(positions, &mut results.maps),
        Call::MapsInColumns => results.columns.compute(kernel, columns),
        Call::MapsOne => maps.for_each(|(one, maps)| *maps = kernel.attack_maps_one(one)),
        Call::Checks => kernel.checks(positions, &mut results.checks),
        Call::ChecksOne => {
            let checks = positions.iter().zip(&mut results.checks);
            checks.for_each(|(one, checks)| *checks = kernel.checks_one(one));
        }
        #[cfg(feature = "peers")]
        Call::LookUps => maps.for_each(|(one, maps)| *maps = by_look_ups(one)),
    }
}
