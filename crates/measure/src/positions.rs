//! Times calls on whole positions, for two sections: attack maps, checks and legal moves, and
//! threats. Each call is made with every kernel and, for comparison, by look-ups piece by piece.

use std::rc::Rc;
use std::time::Duration;

use setwise::moves::{CountColumns, GamePlanes, GamePosition, Move, StateColumns};
use setwise::position::{
    AttackMapColumns, AttackMaps, CheckColumns, Checks, Position, PositionColumns,
};
use setwise::threats::{Changes, MOST, Rules, Threat};
use setwise::{Kernel, Square, board};
use setwise_check::oracle;
use setwise_check::threats::{self, Meaning};
use setwise_positions::Placement;

use crate::clock::Meter;
use crate::contender::{self, Contender};
use crate::figures::{Figure, Input, Kind, Section};
use crate::job::{Job, Setting, Wrong};
use crate::names::{BASELINE, IN_CACHE};
use crate::number::name;
use crate::peers::MAGIC;
use crate::peers::look_ups::{self, List};
use crate::race::{Length, Race};
use crate::random_games::{RandomGame, random_games};
use crate::settings::Options;

/// The bitboards of positions or of their attack maps, one column per bitboard. Positions have one
/// column per side and kind of piece. Maps also have two columns for each side: the union, and the
/// attacks by lesser pieces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetColumns(Vec<Vec<u64>>);

impl SetColumns {
    /// Copies the sets of positions to columns.
    #[must_use]
    pub fn of_positions(positions: &[Position]) -> SetColumns {
        let set = |i| positions.iter().map(|p| p.pieces.as_flattened()[i]).collect();
        SetColumns((0..12).map(set).collect())
    }

    /// Copies the sets of attack maps to columns.
    #[must_use]
    pub fn of_maps(maps: &[AttackMaps]) -> SetColumns {
        let words = |maps: &AttackMaps| bytemuck::cast::<AttackMaps, [u64; 16]>(*maps);
        SetColumns((0..16).map(|i| maps.iter().map(|maps| words(maps)[i]).collect()).collect())
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

    /// Copies the sets of checks to columns.
    fn of_checks(checks: &[Checks]) -> SetColumns {
        let words = |checks: &Checks| bytemuck::cast::<Checks, [u64; 6]>(*checks);
        SetColumns((0..6).map(|i| checks.iter().map(|checks| words(checks)[i]).collect()).collect())
    }

    /// Computes the checks of `positions` and writes them to these columns.
    fn compute_checks(&mut self, kernel: &Kernel, positions: &SetColumns) {
        let pieces = [0, 6].map(|first| std::array::from_fn(|kind| &*positions.0[first + kind]));
        let mut sets = self.0.iter_mut().map(|set| Some(set.as_mut_slice()));
        let mut next = || std::array::from_fn(|_| sets.next().expect("6 columns"));
        let mut checks = CheckColumns { checkers: next(), pinned: next(), pinners: next() };
        kernel.checks_in_columns(&PositionColumns { pieces }, &mut checks);
    }
}

/// Describes the positions for the figures.
pub(crate) fn input() -> Input {
    Input {
        name: INPUT.into(),
        boards: IN_CACHE,
        about: "each of the 32 pieces is on a random square, or captured with probability 1/3; \
                for legal moves, positions of random games"
            .into(),
    }
}

const INPUT: &str = "positions";

/// Random positions, the same in every run.
#[must_use]
pub fn random_positions(count: usize) -> Vec<Position> {
    let mut rng = fastrand::Rng::with_seed(0x3a95);
    let random = |_| {
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
    };
    (0..count).map(random).collect()
}

/// A position, the code of each square, a move (a piece's square, another square, the piece), and
/// what is not copied: the position as sets, and a position of a random game for legal moves.
#[derive(Clone)]
struct Case(Position, threats::Codes, [Square; 2], u8, Rc<(look_ups::Sets, RandomGame)>);

impl Case {
    fn new((position, game): (Position, RandomGame)) -> Case {
        let codes = Placement::from(&position).codes();
        let code = |square: Square| codes[square.index()];
        let square = || Square::new(fastrand::u8(..64)).expect("below 64");
        let shared = Rc::new((look_ups::Sets::new(&codes), game));
        loop {
            let [from, to] = [square(), square()];
            let is_own = code(to) != 0 && (code(from) > 6) == (code(to) > 6);
            if from != to && !is_own && (code(from) != 0 || codes == [0; 64]) {
                return Case(position, codes, [from, to], code(from), shared);
            }
        }
    }
}

/// Positions in each form that a call reads.
struct Inputs {
    cases: Vec<Case>,
    positions: Vec<Position>,
    columns: SetColumns,
    codes: Vec<threats::Codes>,
    sets: Vec<look_ups::Sets>,
    rules: Rules,
    games: Vec<GamePosition>,
    planes: [Vec<u64>; 4],
    /// Side to move, en passant, White's rights, Black's rights.
    states: [Vec<u8>; 4],
    boards: Vec<cozy_chess::Board>,
}

impl Inputs {
    fn new(cases: &[Case]) -> Inputs {
        let positions: Vec<Position> = cases.iter().map(|case| case.0).collect();
        let games: Vec<GamePosition> = cases.iter().map(|case| case.4.1.position).collect();
        let bytes = |game: &GamePosition| {
            let state = game.state;
            [state.side, state.en_passant, state.castling[0], state.castling[1]]
        };
        Inputs {
            planes: std::array::from_fn(|i| games.iter().map(|game| game.planes()[i]).collect()),
            states: std::array::from_fn(|i| games.iter().map(|game| bytes(game)[i]).collect()),
            boards: cases.iter().map(|case| case.4.1.board.clone()).collect(),
            games,
            sets: cases.iter().map(|case| case.4.0.clone()).collect(),
            cases: cases.to_vec(),
            columns: SetColumns::of_positions(&positions),
            positions,
            codes: cases.iter().map(|case| case.1).collect(),
            rules: Meaning::usual().rules(),
        }
    }
}

/// Where the calls write their results.
pub(crate) struct Results {
    maps: Vec<AttackMaps>,
    columns: SetColumns,
    checks: Vec<Checks>,
    check_columns: SetColumns,
    threats: Vec<Threat>,
    changes: Changes,
    /// The threats of each position, or those that its move adds and removes, sorted. `None` if
    /// only the time matters.
    lists: Option<Vec<Vec<Threat>>>,
    /// The number of legal moves and of checks of each position.
    counts: [Vec<u8>; 2],
    /// The legal moves of each position, with their offsets.
    offsets: Vec<u32>,
    moves: Vec<Move>,
}

impl Results {
    fn new(count: usize, keeps_lists: bool) -> Results {
        let maps = vec![AttackMaps::default(); count];
        Results {
            columns: SetColumns::of_maps(&maps),
            maps,
            checks: vec![Checks::default(); count],
            check_columns: SetColumns::of_checks(&vec![Checks::default(); count]),
            threats: vec![Threat::default(); MOST * CHUNK],
            changes: Changes::new(),
            lists: keeps_lists.then(Vec::new),
            counts: [const { Vec::new() }; 2].map(|_: Vec<u8>| vec![0; count]),
            offsets: vec![0; count + 1],
            moves: vec![Move::default(); 64 * count],
        }
    }

    /// The legal moves of all positions, and their offsets.
    fn moves(&self) -> (&[u32], &[Move]) {
        let end = self.offsets[self.offsets.len() - 1];
        (&self.offsets, &self.moves[..end as usize])
    }

    fn is_same(&self, other: &Results) -> bool {
        (&self.maps, &self.columns, &self.checks, &self.lists)
            == (&other.maps, &other.columns, &other.checks, &other.lists)
            && (&self.counts, self.moves()) == (&other.counts, other.moves())
            && self.check_columns == other.check_columns
    }
}

fn keep(lists: &mut Option<Vec<Vec<Threat>>>, list: &[Threat]) {
    if let Some(lists) = lists {
        let mut list = list.to_vec();
        list.sort_unstable();
        lists.push(list);
    }
}

/// The number of positions in a call for all threats.
const CHUNK: usize = 64;

/// Computes a call on all positions.
type Compute = fn(&Inputs, &mut Results);

/// A call that is timed.
#[derive(Clone, Copy)]
struct Call {
    section: Section,
    operation: &'static str,
    /// Positions per call.
    boards: usize,
    /// Bytes read and written per position, without lists of threats.
    bytes: usize,
    by_kernel: fn(&Kernel, &Inputs, &mut Results),
    /// What the call must write.
    by_oracle: Compute,
    /// The same by the look-ups of `cozy-chess`, if they are compared.
    by_look_ups: Option<Compute>,
}

const MAPS: Call = Call {
    section: Section::Maps,
    operation: "attack_maps",
    boards: IN_CACHE,
    bytes: size_of::<Position>() + size_of::<AttackMaps>(),
    by_kernel: |kernel, inputs, to| kernel.attack_maps(&inputs.positions, &mut to.maps),
    by_oracle: |inputs, to| each(inputs, &mut to.maps, oracle::attack_maps),
    by_look_ups: None,
};

const CHECKS: Call = Call {
    operation: "checks",
    bytes: size_of::<Position>() + size_of::<Checks>(),
    by_kernel: |kernel, inputs, to| kernel.checks(&inputs.positions, &mut to.checks),
    by_oracle: |inputs, to| each(inputs, &mut to.checks, oracle::checks),
    ..MAPS
};

const MOVED: Call = Call {
    section: Section::Threats,
    operation: "threats_moved",
    boards: 1,
    bytes: size_of::<threats::Codes>(),
    by_kernel: |kernel, inputs, to| {
        for Case(_, codes, [from, square], piece, _) in &inputs.cases {
            kernel.threats_moved(codes, *from, *square, *piece, &inputs.rules, &mut to.changes);
            keep(&mut to.lists, to.changes.added());
            keep(&mut to.lists, to.changes.removed());
        }
    },
    by_oracle: |inputs, to| {
        for Case(_, codes, [from, square], piece, _) in &inputs.cases {
            let lists = threats::moved(codes, *from, *square, *piece, &Meaning::usual());
            keep(&mut to.lists, &lists.added);
            keep(&mut to.lists, &lists.removed);
        }
    },
    by_look_ups: Some(|inputs, to| {
        let mut lists = [List::default(), List::default()];
        for (sets, Case(_, _, [from, square], piece, _)) in inputs.sets.iter().zip(&inputs.cases) {
            let change = [from.index() as u8, square.index() as u8, *piece];
            look_ups::moved(sets, change, &mut lists);
            for list in &lists {
                keep(&mut to.lists, list.as_slice());
            }
        }
    }),
};

const COUNTS: Call = Call {
    operation: "legal_counts",
    bytes: size_of::<GamePosition>() + 2,
    by_kernel: |kernel, inputs, to| {
        let [moves, checks] = &mut to.counts;
        kernel.legal_counts(&inputs.games, moves, checks);
    },
    by_oracle: count_by_look_ups,
    by_look_ups: Some(count_by_look_ups),
    ..MAPS
};

/// Counts the legal moves as `cozy-chess` generates them.
fn count_by_look_ups(inputs: &Inputs, to: &mut Results) {
    for (i, board) in inputs.boards.iter().enumerate() {
        let mut count = 0;
        board.generate_moves(|moves| {
            count += moves.len();
            false
        });
        to.counts[0][i] = count as u8;
        to.counts[1][i] = board.checkers().len() as u8;
    }
}

const CALLS: [Call; 12] = [
    MAPS,
    Call {
        operation: "attack_maps_in_columns",
        by_kernel: |kernel, inputs, to| to.columns.compute(kernel, &inputs.columns),
        by_oracle: |inputs, to| {
            let maps: Vec<_> = inputs.positions.iter().map(oracle::attack_maps).collect();
            to.columns = SetColumns::of_maps(&maps);
        },
        ..MAPS
    },
    Call {
        operation: "attack_maps_one",
        boards: 1,
        by_kernel: |kernel, inputs, to| {
            each(inputs, &mut to.maps, |position| kernel.attack_maps_one(position));
        },
        by_look_ups: Some(|inputs, to| each(inputs, &mut to.maps, look_ups::attack_maps)),
        ..MAPS
    },
    CHECKS,
    Call {
        operation: "checks_in_columns",
        by_kernel: |kernel, inputs, to| to.check_columns.compute_checks(kernel, &inputs.columns),
        by_oracle: |inputs, to| {
            let checks: Vec<_> = inputs.positions.iter().map(oracle::checks).collect();
            to.check_columns = SetColumns::of_checks(&checks);
        },
        ..CHECKS
    },
    Call {
        operation: "checks_one",
        boards: 1,
        by_kernel: |kernel, inputs, to| {
            each(inputs, &mut to.checks, |position| kernel.checks_one(position));
        },
        ..CHECKS
    },
    Call {
        operation: "legal_counts_in_planes",
        bytes: size_of::<[u64; 4]>() + 4 + 2,
        by_kernel: |kernel, inputs, to| {
            let [side, en_passant, white, black] = inputs.states.each_ref().map(|bytes| &**bytes);
            let planes = GamePlanes {
                planes: inputs.planes.each_ref().map(|plane| &**plane),
                states: StateColumns { side, en_passant, castling: [white, black] },
            };
            let [moves, checks] = &mut to.counts;
            let mut counts = CountColumns { moves: Some(moves), checks: Some(checks) };
            kernel.legal_counts_in_planes(&planes, &mut counts);
        },
        ..COUNTS
    },
    COUNTS,
    Call {
        operation: "legal_moves",
        bytes: size_of::<GamePosition>() + size_of::<u32>(),
        by_kernel: |kernel, inputs, to| {
            kernel.legal_moves(&inputs.games, &mut to.offsets, &mut to.moves);
        },
        by_oracle: |inputs, to| {
            for (i, position) in inputs.games.iter().enumerate() {
                let start = to.offsets[i];
                let count = board::legal_moves(position, &mut to.moves[start as usize..]);
                to.offsets[i + 1] = start + count as u32;
            }
        },
        by_look_ups: None,
        ..MAPS
    },
    Call {
        section: Section::Threats,
        operation: "threats",
        boards: CHUNK,
        bytes: size_of::<threats::Codes>(),
        by_kernel: |kernel, inputs, to| {
            for codes in inputs.codes.chunks(CHUNK) {
                let offsets = &mut [0; CHUNK + 1][..=codes.len()];
                kernel.threats(codes, &inputs.rules, offsets, &mut to.threats);
                for range in offsets.windows(2) {
                    keep(&mut to.lists, &to.threats[range[0] as usize..range[1] as usize]);
                }
            }
        },
        by_oracle: |inputs, to| {
            for codes in &inputs.codes {
                keep(&mut to.lists, &threats::all(codes, &Meaning::usual()));
            }
        },
        by_look_ups: Some(|inputs, to| {
            let mut list = List::default();
            for sets in &inputs.sets {
                look_ups::all(sets, &mut list);
                keep(&mut to.lists, list.as_slice());
            }
        }),
    },
    MOVED,
    Call {
        operation: "threats_edited",
        by_kernel: |kernel, inputs, to| {
            for Case(_, codes, [from, square], piece, _) in &inputs.cases {
                let edits = [(*from, 0), (*square, *piece)];
                kernel.threats_edited(codes, &edits, &inputs.rules, &mut to.changes);
                keep(&mut to.lists, to.changes.added());
                keep(&mut to.lists, to.changes.removed());
            }
        },
        ..MOVED
    },
];

/// Computes one result for each position.
fn each<T>(inputs: &Inputs, results: &mut [T], one: impl Fn(&Position) -> T) {
    for (result, position) in results.iter_mut().zip(&inputs.positions) {
        *result = one(position);
    }
}

/// The kernels with code of their own for threats. The others have the code of one of these.
pub(crate) const OWN_CODE: [&str; 4] = ["avx512-gfni", "avx2", "sse2", BASELINE];

/// A contender that makes a call on all positions.
type Entry = Contender<Box<dyn Fn(&Inputs, &mut Results)>>;

/// A race between all contenders of a call, on random positions.
pub(crate) struct PositionsJob {
    call: Call,
    cases: Vec<Case>,
    contenders: Vec<Entry>,
    race: Race,
}

impl PositionsJob {
    /// A job for each call.
    pub(crate) fn all(options: &Options) -> impl Iterator<Item = PositionsJob> {
        let kernels = options.with_baseline();
        let games = random_games(IN_CACHE);
        let cases = random_positions(IN_CACHE).into_iter().zip(games).map(Case::new);
        let cases: Vec<Case> = cases.collect();
        CALLS.into_iter().map(move |call| {
            let has_code = |kernel: &&&'static Kernel| {
                call.section != Section::Threats || OWN_CODE.contains(&kernel.name())
            };
            let mut contenders = Vec::new();
            for &kernel in kernels.iter().filter(has_code) {
                let compute = move |inputs: &_, to: &mut _| (call.by_kernel)(kernel, inputs, to);
                contenders.push(Contender::of(kernel.name(), Kind::Kernel, Box::new(compute) as _));
            }
            let look_ups = call.by_look_ups.map(|compute| Box::new(compute) as _);
            contenders.extend(look_ups.map(|code| Contender::of(MAGIC, Kind::Peer, code)));
            PositionsJob { call, cases: cases.clone(), contenders, race: Race::default() }
        })
    }
}

impl Job for PositionsJob {
    fn step(&self) -> String {
        format!("{}: {}", name(self.call.section), self.call.operation)
    }

    fn check(&self) -> Vec<Wrong> {
        let (inputs, count) = (Inputs::new(&self.cases), self.cases.len());
        let mut expected = Results::new(count, true);
        (self.call.by_oracle)(&inputs, &mut expected);
        let wrong = |one: &Entry| {
            let mut results = Results::new(count, true);
            (one.code)(&inputs, &mut results);
            let error = format!("{}, {}: a position is wrong", one.name, self.call.operation);
            (!results.is_same(&expected)).then_some((one.name, error))
        };
        self.contenders.iter().filter_map(wrong).collect()
    }

    fn remove(&mut self, names: &[&str]) {
        contender::remove(&mut self.contenders, names);
    }

    /// Times a few rounds. Every sample has the positions in a new order.
    fn rounds(&mut self, meter: &mut Meter) {
        let (rounds, micros) = if meter.quick { (4, 60) } else { (5, 120) };
        let length = Length { rounds, sample: Duration::from_micros(micros) };
        let mut results = Results::new(self.cases.len(), false);
        let (contenders, cases) = (&self.contenders, &mut self.cases);
        let length = (length, cases.len());
        self.race.measure(contenders.len(), length, meter, |i, iterations, meter| {
            fastrand::shuffle(cases);
            let inputs = Inputs::new(cases);
            let compute = &contenders[i].code;
            meter.measure(|| (0..iterations).for_each(|_| compute(&inputs, &mut results)))
        });
    }

    fn figures(&self) -> Vec<Figure> {
        let Call { section, operation, boards, bytes, .. } = self.call;
        let setting = Setting {
            section,
            operation: operation.into(),
            input: INPUT,
            boards_a_call: boards,
            boards: IN_CACHE,
            bytes_a_board: bytes,
        };
        setting.figures(&self.contenders, (&self.race, self.cases.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Inputs, PositionsJob, Results};
    use crate::job::Job;
    use crate::settings::Options;

    /// All calls of all kernels and look-ups are right, and a wrong result would be noticed.
    #[test]
    fn every_call_is_right() {
        let kernels = setwise::Kernel::available().collect();
        for mut job in PositionsJob::all(&Options { kernels, ..Options::default() }) {
            job.cases.truncate(200);
            assert_eq!(job.check(), []);
            let [none, mut right] = [(); 2].map(|()| Results::new(200, true));
            (job.call.by_oracle)(&Inputs::new(&job.cases), &mut right);
            assert!(!right.is_same(&none), "{}", job.call.operation);
        }
    }
}
